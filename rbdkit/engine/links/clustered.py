"""Which links that share a freedom can be eliminated together, see `rbdkit.engine.steps.clusters`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rbdkit.engine.steps.nodes import Link


def clustered(links: Sequence[Link]) -> tuple[Link, ...]:
    """The links with the clusters that they belong to; without any, if one of the freedoms that are shared makes none.

    It makes one if each of its links stands on another one of them, or all on the same link besides.
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
