"""External forces, given in world coordinates, as the links feel them."""

from __future__ import annotations

from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector, cross
from rbdkit.trace import Whole


class ExternalForce:
    """Reads the array "f_ext", six numbers a link and the world: moment about the world origin, then force."""

    def __init__(self, tree: Tree, start: Whole = 0) -> None:
        self.tree = tree
        self.start = start
        self.R, self.p = tree.field(Matrix), tree.field(Vector)
        self.R[tree.world], self.p[tree.world] = IDENTITY, ZERO

    def in_link(self, i: Node, R: Matrix, p: Vector) -> tuple[Vector, Vector]:
        """Moment about a link's origin, and force, in its axes; R, p is its pose in the parent. Call it outward."""
        R_p = self.R[i.parent]
        self.R[i], self.p[i] = R_p @ R, self.p[i.parent] + R_p @ p
        place = i.number * 6 + self.start
        x = [self.tree.program.load("f_ext", place, k) for k in range(6)]
        n, f = Vector(x[:3]), Vector(x[3:])
        return self.R[i].T @ (n - cross(self.p[i], f)), self.R[i].T @ f
