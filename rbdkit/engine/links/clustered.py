"""Clusters: groups of links with one shared freedom (mimic joints) that are eliminated together.

See `rbdkit.engine.steps.clusters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rbdkit.engine.steps.nodes import Link


def clustered(links: Sequence[Link]) -> tuple[Link, ...]:
    """Return the links with the clusters that they belong to; without any if some shared freedom makes none.

    It makes one if each of its links has another one of them as parent, or all others have one common parent.
    """
    groups: dict[int, list[int]] = {}
    for number, link in enumerate(links, start=1):
        if link.kind.motion.nv and link.kind.motion.driver is None:
            groups.setdefault(link.v, []).append(number)
    found = list(links)
    for members in groups.values():
        if not any(links[number - 1].kind.follows for number in members):
            continue
        beneath = {links[number - 1].parent for number in members} - {*members}
        if len(beneath) > 1 or any(links[number - 1].kind.motion.nv > 1 for number in members):
            return tuple(links)
        for number in members:
            link = links[number - 1]
            place = "top" if link.parent in beneath else "nested"
            found[number - 1] = replace(link, kind=replace(link.kind, cluster=place))
    return tuple(found)
