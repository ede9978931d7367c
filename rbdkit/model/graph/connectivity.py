"""The connectivity graph: bodies are nodes, joints are arcs (Featherstone 2008, section 4.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rbdkit.errors import ModelError
from rbdkit.model.names import listed
from rbdkit.model.numbering import WORLD, did_you_mean


class Arc(NamedTuple):
    """A joint as an arc of the graph, *from* its predecessor *to* its successor."""

    name: str
    predecessor: str
    successor: str

    def other(self, body: str) -> str:
        """The body at the other end."""
        return self.successor if body == self.predecessor else self.predecessor


@dataclass(frozen=True)
class ConnectivityGraph:
    """Bodies and the joints between them: undirected, connected, with exactly one fixed base.

    Two joints may connect the same two bodies. The arrows from predecessor to successor do not count as directions of
    the graph; they say which end of a joint is which.

    Parameters
    ----------
    joints : iterable
        (name, predecessor, successor) of every joint, 6-DoF joints to floating bodies included.
    bodies : iterable of str, optional
        The moving bodies, in any order; those that joints name, in order of appearance, if not given.
    base : str, optional
        Name of the fixed base.

    Raises
    ------
    ModelError
        If a name occurs twice or is unknown, a joint connects a body with itself, the base is missing, or a body is
        not connected to the base.

    Examples
    --------
    >>> from rbdkit.model.graph import ConnectivityGraph
    >>> crank_slider = ConnectivityGraph(
    ...     [("J1", "world", "B1"), ("J2", "B1", "B2"), ("J3", "B2", "B3"), ("J4", "world", "B3")])
    >>> crank_slider.N_B, crank_slider.N_J, crank_slider.N_L
    (3, 4, 1)
    """

    joints: tuple[Arc, ...]
    bodies: tuple[str, ...]
    base: str

    def __init__(
        self, joints: Iterable[tuple[str, str, str]], bodies: Iterable[str] | None = None, base: str = WORLD
    ) -> None:
        arcs = tuple(Arc(*joint) for joint in joints)
        ends = dict.fromkeys(end for arc in arcs for end in (arc.predecessor, arc.successor))
        object.__setattr__(self, "joints", arcs)
        object.__setattr__(
            self, "bodies", tuple(end for end in ends if end != base) if bodies is None else tuple(bodies)
        )
        object.__setattr__(self, "base", base)
        self._check_names()
        self._check_connected()

    def _check_names(self) -> None:
        for what, names in (("joints", [arc.name for arc in self.joints]), ("bodies", [self.base, *self.bodies])):
            for name, count in Counter(names).items():
                if count > 1:
                    base = "; the base is one of them and fixed" if name == self.base else ""
                    raise ModelError(f"{count} {what} are called {name!r}{base}; give each its own name")
        known = {self.base, *self.bodies}
        for arc in self.joints:
            for body in (arc.predecessor, arc.successor):
                if body not in known:
                    raise ModelError(f"joint {arc.name!r} connects {body!r}, no body{did_you_mean(body, known)}")
            if arc.predecessor == arc.successor:
                raise ModelError(f"joint {arc.name!r} connects {arc.predecessor!r} with itself; give it two bodies")

    def _check_connected(self) -> None:
        lost = [body for body in self.bodies if body not in reachable(self.base, self.joints)]
        if lost:
            raise ModelError(
                f"no path of joints leads from the base {self.base!r} to {listed(lost)}; connect one of them with a "
                "6-DoF joint such as rbdkit.Free(), which has no physical effect"
            )

    @property
    def N_B(self) -> int:
        """Number of moving bodies."""
        return len(self.bodies)

    @property
    def N_J(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def N_L(self) -> int:
        """Number of independent kinematic loops, N_J - N_B (Eq 4.1)."""
        return self.N_J - self.N_B

    @property
    def is_tree(self) -> bool:
        """Whether there is exactly one path between any two bodies: a kinematic tree."""
        return self.N_L == 0

    @cached_property
    def joints_of(self) -> dict[str, tuple[Arc, ...]]:
        """The joints at each body."""
        return {
            body: tuple(arc for arc in self.joints if body in (arc.predecessor, arc.successor))
            for body in (self.base, *self.bodies)
        }

    def joint(self, name: str) -> Arc:
        """The joint of that name."""
        for arc in self.joints:
            if arc.name == name:
                return arc
        raise ModelError(f"joint {name!r} is not in the graph{did_you_mean(name, (arc.name for arc in self.joints))}")


def reachable(base: str, arcs: Iterable[Arc]) -> set[str]:
    """Return the nodes that paths along these arcs connect to the base, the base included."""
    neighbours: dict[str, list[str]] = {}
    for arc in arcs:
        neighbours.setdefault(arc.predecessor, []).append(arc.successor)
        neighbours.setdefault(arc.successor, []).append(arc.predecessor)
    seen, waiting = {base}, [base]
    while waiting:
        for body in neighbours.get(waiting.pop(), ()):
            if body not in seen:
                seen.add(body)
                waiting.append(body)
    return seen
