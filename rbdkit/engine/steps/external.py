"""External forces on links, given in world coordinates."""

from __future__ import annotations

from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.compact import fv
from rbdkit.trace import Scalar, Whole


class ExternalForce:
    """Reads the array "f_ext", six numbers per link and for the world: moment about the world origin, then force.

    start : where it begins. own : whether to add "own_force", of the force elements. given : whether there is "f_ext".
    """

    def __init__(self, tree: Tree, start: Whole = 0, own: bool = False, given: bool = True) -> None:
        self.tree = tree
        self.start = start
        self.arrays: list[tuple[str, Whole]] = [("f_ext", start)] * given + [("own_force", 0)] * own

    def __getitem__(self, i: Node) -> fv:
        """Return the force on a link, in world coordinates."""
        x: list[Scalar] = [0.0] * 6
        for array, start in self.arrays:
            place = i.number * 6 + start
            x = [a + self.tree.program.load(array, place, k) for k, a in enumerate(x)]
        return fv.of(x)
