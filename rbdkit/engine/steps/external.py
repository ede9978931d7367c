"""External forces, given in world coordinates, as the links feel them."""

from __future__ import annotations

from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector, cross
from rbdkit.trace import Scalar, Whole


class ExternalForce:
    """Reads the array "f_ext", six numbers a link and the world: moment about the world origin, then force.

    start : where it begins. own : whether there is "own_force", of what acts by itself, to be read as well; given :
        whether there is "f_ext".
    """

    def __init__(self, tree: Tree, start: Whole = 0, own: bool = False, given: bool = True) -> None:
        self.tree = tree
        self.start = start
        self.arrays: list[tuple[str, Whole]] = [("f_ext", start)] * given + [("own_force", 0)] * own
        self.R, self.p = tree.field(Matrix), tree.field(Numbers(3))  # in the world's axes
        self.R[tree.world], self.p[tree.world] = IDENTITY, ZERO

    def in_link(self, i: Node, R: Matrix, p: Vector) -> tuple[Vector, Vector]:
        """Moment about a link's origin, and force, in its axes; R, p is its pose in the parent. Call it outward."""
        R_p = self.R[i.parent]
        self.R[i], self.p[i] = R_p @ R, Vector(self.p[i.parent]) + R_p @ p
        x: list[Scalar] = [0.0] * 6
        for array, start in self.arrays:
            place = i.number * 6 + start
            x = [a + self.tree.program.load(array, place, k) for k, a in enumerate(x)]
        n, f = Vector(x[:3]), Vector(x[3:])
        return self.R[i].T @ (n - cross(Vector(self.p[i]), f)), self.R[i].T @ f
