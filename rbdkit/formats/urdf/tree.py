"""Checks that the links and joints of a URDF form a tree, and finds its root."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from rbdkit.errors import FormatError
from rbdkit.formats.urdf.joint import UrdfJoint
from rbdkit.formats.urdf.link import UrdfLink
from rbdkit.model.numbering import did_you_mean

Named = TypeVar("Named", UrdfLink, UrdfJoint)


def by_name(things: Iterable[Named], kind: str) -> dict[str, Named]:
    """Return links or joints by name; raises `FormatError` if a name is used twice."""
    named: dict[str, Named] = {}
    for thing in things:
        if thing.name in named:
            raise FormatError(
                f"{thing.place}: {kind} {thing.name!r}: the name is taken by the {kind} at {named[thing.name].place}; "
                "give each its own"
            )
        named[thing.name] = thing
    return named


def find_root(links: Mapping[str, UrdfLink], joints: Iterable[UrdfJoint]) -> str:
    """Return the name of the root link, from which joints lead to all others.

    Raises
    ------
    FormatError
        If a joint names an unknown link, a link is the child of two joints or hangs in a cycle, or there are several
        roots.
    """
    above: dict[str, UrdfJoint] = {}
    for joint in joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                hint = did_you_mean(link, links)
                raise FormatError(f"{joint.place}: joint {joint.name!r}: its {role} link {link!r} does not exist{hint}")
        if joint.child in above:
            raise FormatError(
                f"{joint.place}: joint {joint.name!r}: link {joint.child!r} is already the child of joint "
                f"{above[joint.child].name!r} ({above[joint.child].place}); URDF describes trees only"
            )
        above[joint.child] = joint
    _refuse_cycles(above)
    roots = [link for link in links.values() if link.name not in above]
    if len(roots) > 1:
        shown = ", ".join(f"{link.name!r} ({link.place})" for link in roots[:5]) + (", ..." if len(roots) > 5 else "")
        raise FormatError(
            f"{roots[1].place}: link {roots[1].name!r}: the file has {len(roots)} roots, links that are child "
            f"of no joint: {shown}; join them by fixed joints"
        )
    return roots[0].name


def _refuse_cycles(above: Mapping[str, UrdfJoint]) -> None:
    """Raise `FormatError` if links form a cycle: walking up from a link leads back to a link of the same walk."""
    cleared: set[str] = set()
    for start in above:
        walk: dict[str, None] = {}
        link = start
        while link in above and link not in cleared:
            if link in walk:
                names = list(walk)[list(walk).index(link) :]
                shown = " -> ".join(repr(name) for name in [link, *names[:0:-1], link][:8]) + (
                    " -> ..." if len(names) > 7 else ""
                )
                joint = above[link]
                raise FormatError(
                    f"{joint.place}: joint {joint.name!r} closes a cycle of links: {shown}; URDF describes trees only"
                )
            walk[link] = None
            link = above[link].parent
        cleared.update(walk)
