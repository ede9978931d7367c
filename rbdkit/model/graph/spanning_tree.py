"""Spanning trees of a connectivity graph: which joints are tree joints, and which close loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from rbdkit.errors import ModelError
from rbdkit.model.graph.connectivity import Arc, ConnectivityGraph, reachable


@dataclass(frozen=True)
class SpanningTree:
    """A spanning tree: all bodies of a graph and N_B joints that connect them (Featherstone 2008, section 4.1.1).

    Attributes
    ----------
    graph : ConnectivityGraph
        The graph that it spans.
    tree_joints : tuple of str
        Names of the N_B tree joints, in the graph's order.
    """

    graph: ConnectivityGraph
    tree_joints: tuple[str, ...]

    @cached_property
    def joint_to(self) -> dict[str, Arc]:
        """The tree joint that connects each moving body to its parent."""
        found: dict[str, Arc] = {}
        waiting = deque([self.graph.base])
        chosen = set(self.tree_joints)
        while waiting:
            body = waiting.popleft()
            for arc in self.graph.joints_of[body]:
                child = arc.other(body)
                if arc.name in chosen and child not in found and child != self.graph.base and found.get(body) != arc:
                    found[child] = arc
                    waiting.append(child)
        return found

    @property
    def chords(self) -> tuple[Arc, ...]:
        """The loop joints: arcs of the graph that are not in the tree."""
        chosen = set(self.tree_joints)
        return tuple(arc for arc in self.graph.joints if arc.name not in chosen)

    def parent(self, body: str) -> str:
        """The next body on the way to the base."""
        return self.joint_to[body].other(body)

    def children(self, body: str) -> tuple[str, ...]:
        """The bodies whose parent it is."""
        return tuple(child for child in self.graph.bodies if self.parent(child) == body)

    def path(self, body: str) -> tuple[str, ...]:
        """The bodies from this one to the base, both included."""
        way = [body]
        while way[-1] != self.graph.base:
            way.append(self.parent(way[-1]))
        return tuple(way)

    @property
    def depths(self) -> dict[str, int]:
        """How many joints lie between each moving body and the base."""
        return {body: len(self.path(body)) - 1 for body in self.graph.bodies}

    @property
    def depth(self) -> int:
        """The largest number of joints between a body and the base."""
        return max(self.depths.values(), default=0)

    def cycle(self, chord: str) -> tuple[str, ...]:
        """The joints of the one-chord cycle: the chord, then the way in the tree from its successor to its predecessor.

        These cycles, one a chord, are the independent kinematic loops.
        """
        arc = self.graph.joint(chord)
        if arc.name in self.tree_joints:
            raise ModelError(f"joint {chord!r} is in the tree; the chords are {[a.name for a in self.chords]}")
        up, down = self.path(arc.successor), self.path(arc.predecessor)
        meet = next(body for body in up if body in down)
        rise = [self.joint_to[body].name for body in up[: up.index(meet)]]
        fall = [self.joint_to[body].name for body in down[: down.index(meet)]]
        return (chord, *rise, *reversed(fall))

    def __repr__(self) -> str:
        chords = ", ".join(arc.name for arc in self.chords) or "none"
        return f"<SpanningTree of {', '.join(self.tree_joints)}; chords {chords}; depth {self.depth}>"


def spanning_tree(graph: ConnectivityGraph, joints: Iterable[str]) -> SpanningTree:
    """Make the spanning tree with the given tree joints.

    Raises
    ------
    ModelError
        If these are not N_B joints of the graph that connect all bodies.
    """
    chosen = {graph.joint(name).name for name in joints}
    arcs = [arc for arc in graph.joints if arc.name in chosen]
    lost = [body for body in graph.bodies if body not in reachable(graph.base, arcs)]
    if len(arcs) > graph.N_B or lost:
        why = f"leave {', '.join(lost)} unconnected" if lost else "close a loop"
        raise ModelError(
            f"the {len(arcs)} joints {', '.join(arc.name for arc in arcs)} {why}; a spanning tree has {graph.N_B} "
            "joints that reach every body (spanning_trees lists all)"
        )
    return SpanningTree(graph, tuple(arc.name for arc in arcs))


def spanning_trees(graph: ConnectivityGraph) -> Iterator[SpanningTree]:
    """Yield all spanning trees, by backtracking over the joints.

    A joint is taken only if it closes no loop, and left out only if the remaining ones still connect all bodies; so
    every branch of the search ends in a tree.
    """
    arcs = graph.joints

    def search(k: int, kept: tuple[Arc, ...]) -> Iterator[tuple[Arc, ...]]:
        if len(kept) == graph.N_B:
            yield kept
            return
        arc = arcs[k]
        if arc.successor not in reachable(arc.predecessor, kept):
            yield from search(k + 1, (*kept, arc))
        if len(reachable(graph.base, (*kept, *arcs[k + 1 :]))) == graph.N_B + 1:
            yield from search(k + 1, kept)

    for kept in search(0, ()):
        yield SpanningTree(graph, tuple(arc.name for arc in kept))


def shallowest_tree(graph: ConnectivityGraph) -> SpanningTree:
    """Return the spanning tree with the fewest joints between each body and the base, by breadth-first search.

    Errors grow with the number of joints between a body and the base (section 10.2), and so does the cost of
    algorithms on branched trees (section 10.3.2).
    """
    kept: list[Arc] = []
    seen, waiting = {graph.base}, deque([graph.base])
    while waiting:
        body = waiting.popleft()
        for arc in graph.joints_of[body]:
            child = arc.other(body)
            if child not in seen:
                seen.add(child)
                kept.append(arc)
                waiting.append(child)
    return SpanningTree(graph, tuple(arc.name for arc in graph.joints if arc in kept))
