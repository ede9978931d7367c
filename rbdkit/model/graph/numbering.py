"""Regular numberings of a spanning tree, and their arrays (Featherstone 2008, sections 4.1.2 to 4.1.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import factorial, prod

from rbdkit.errors import ModelError
from rbdkit.model.graph.connectivity import Arc
from rbdkit.model.graph.spanning_tree import SpanningTree


@dataclass(frozen=True)
class RegularNumbering:
    """Numbers for the bodies and joints of a graph by the six rules of section 4.1.2.

    Attributes
    ----------
    tree : SpanningTree
        The spanning tree (rule 1).
    bodies : tuple of str
        Names by number; ``bodies[0]`` is the base (rule 2), every other body stands after its parent (rule 3).
    joints : tuple
        Arcs by number, from 1; ``joints[0]`` is None. Joint i up to N_B connects body i to its parent (rule 4); the
        loop joints follow (rule 5).
    """

    tree: SpanningTree
    bodies: tuple[str, ...]
    joints: tuple[Arc | None, ...]

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each body."""
        return {body: i for i, body in enumerate(self.bodies)}

    @property
    def p(self) -> tuple[int, ...]:
        """Predecessor array: p[i] is the number of the body that joint i comes from; p[0] is -1."""
        return (-1, *(self.number[arc.predecessor] for arc in self.joints[1:] if arc))

    @property
    def s(self) -> tuple[int, ...]:
        """Successor array: s[i] is the number of the body that joint i goes to; s[0] is -1."""
        return (-1, *(self.number[arc.successor] for arc in self.joints[1:] if arc))

    @property
    def parent(self) -> tuple[int, ...]:
        """lambda: the number of each body's parent; -1 for the base."""
        p, s = self.p, self.s
        return (-1, *(min(p[i], s[i]) for i in range(1, len(self.bodies))))  # Eq 4.2

    @property
    def reverse_joints(self) -> tuple[int, ...]:
        """The tree joints that connect from child to parent, s(i) != i; all others are in the forward direction."""
        return tuple(i for i in range(1, len(self.bodies)) if self.s[i] != i)

    def support(self, body: int) -> tuple[int, ...]:
        """kappa(i): the tree joints on the path between body i and the base."""
        parent, path = self.parent, []
        while body > 0:
            path.append(body)
            body = parent[body]
        return tuple(reversed(path))

    def children(self, body: int) -> tuple[int, ...]:
        """mu(i): the children of body i."""
        return tuple(i for i, parent in enumerate(self.parent) if parent == body and i > 0)

    def subtree(self, body: int) -> tuple[int, ...]:
        """nu(i): the bodies in the subtree that starts at body i, which joint i supports."""
        return tuple(i for i in range(len(self.bodies)) if body == 0 or body in self.support(i))

    def table(self) -> list[dict[str, object]]:
        """One row a body: number, name, lambda, kappa, mu, nu, and whether its joint is reversed."""
        return [
            {
                "i": i,
                "body": self.bodies[i],
                "joint": arc.name if arc else "",
                "lambda": self.parent[i],
                "kappa": self.support(i),
                "mu": self.children(i),
                "nu": self.subtree(i),
                "reversed": i in self.reverse_joints,
            }
            for i, arc in enumerate(self.joints[: len(self.bodies)])
        ]

    def __repr__(self) -> str:
        order = ", ".join(f"{body} {i}" for body, i in self.number.items())
        return f"<RegularNumbering {order}; lambda {list(self.parent[1:])}>"


def regular_numbering(
    tree: SpanningTree, bodies: Sequence[str] | None = None, chords: Iterable[str] | None = None
) -> RegularNumbering:
    """Make a regular numbering of a tree.

    Parameters
    ----------
    bodies : sequence of str, optional
        The moving bodies in the order of their numbers; if not given, the graph's order with parents moved forward.
    chords : iterable of str, optional
        Names of the loop joints in the order of their numbers; the graph's order if not given.

    Raises
    ------
    ModelError
        If an order leaves something out, or gives a body a lower number than its parent.
    """
    graph = tree.graph
    order = _as_parents_allow(tree) if bodies is None else list(bodies)
    loops = [arc.name for arc in tree.chords] if chords is None else list(chords)
    for what, given, needed in (
        ("bodies", order, list(graph.bodies)),
        ("loop joints", loops, [arc.name for arc in tree.chords]),
    ):
        if sorted(given) != sorted(needed):
            raise ModelError(f"the order of {what} is {given}; it must name each of {needed} once")
    seen = {graph.base}
    for body in order:
        if tree.parent(body) not in seen:
            raise ModelError(f"body {body!r} is numbered before its parent {tree.parent(body)!r}; put the parent first")
        seen.add(body)
    arcs = [tree.joint_to[body] for body in order] + [graph.joint(name) for name in loops]
    return RegularNumbering(tree, (graph.base, *order), (None, *arcs))


def regular_numberings(tree: SpanningTree) -> Iterator[RegularNumbering]:
    """Yield all regular numberings of a tree; `count_regular_numberings` returns their number beforehand."""
    chords = [arc.name for arc in tree.chords]
    for order in _orders(tree, [], set(tree.graph.bodies)):
        for loops in permutations(chords):
            yield regular_numbering(tree, order, loops)


def count_regular_numberings(tree: SpanningTree) -> int:
    """Return the number of regular numberings: N_B! divided by the product of all subtree sizes, times N_L!.

    This is the hook length formula for trees; N_L! counts the orders of the loop joints.
    """
    above = [ancestor for body in tree.graph.bodies for ancestor in tree.path(body)[:-1]]
    return factorial(tree.graph.N_B) // prod(Counter(above).values()) * factorial(tree.graph.N_L)


def _orders(tree: SpanningTree, begun: list[str], left: set[str]) -> Iterator[list[str]]:
    """Yield all orders of the bodies, those of `begun` first, in which none comes before its parent."""
    if not left:
        yield begun
        return
    for body in tree.graph.bodies:
        if body in left and tree.parent(body) not in left:
            yield from _orders(tree, [*begun, body], left - {body})


def _as_parents_allow(tree: SpanningTree) -> list[str]:
    order: list[str] = []
    for body in tree.graph.bodies:
        order += [above for above in reversed(tree.path(body)[:-1]) if above not in order]
    return order
