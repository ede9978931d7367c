"""Poses in base coordinates.

Base coordinates have the axes of the world and the position of a tree's first link as origin, so that accuracy does not
depend on the distance from the world's origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.nodes import Body, Node
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.compact import Pose, fv, mv, plx
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import Scalar

STILL = mv(ZERO, ZERO)
"""No motion."""
UNLOADED = fv(ZERO, ZERO)
"""No force."""


class BaseFrames:
    """Transforms from base coordinates to the links of a tree, and if asked for, where in the world these begin."""

    def __init__(self, tree: Tree, origin: bool = False) -> None:
        self.tree = tree
        self.R, self.p = tree.field(Matrix), tree.field(Vector)
        self.origin: Any = None
        # 0 for the world alone: a link on the world is at the base origin, and its step goes to `origin`.
        self._reach = tree.field(Numbers(1))
        self.R[tree.world], self.p[tree.world], self._reach[tree.world] = IDENTITY, ZERO, [0.0]
        if origin:
            self.origin = tree.field(Vector)
            self.origin[tree.world] = ZERO

    def move(self, i: Node, q: JointArray) -> plx:
        """Compute the pose of a link from that of its parent; return the transform from base coordinates to it."""
        self[i] = Pose(*self.tree.pose(i, q[i])).X @ self[i.parent]
        return self[i]

    def __getitem__(self, i: Body | int) -> plx:
        body = i if isinstance(i, Body) else self.tree.world
        return plx(self.R[body].T, self.p[body])

    def __setitem__(self, i: Node, X: plx) -> None:
        joined = self._reach[i.parent][0]
        self.R[i], self.p[i], self._reach[i] = X.E.T, joined * X.r, [1.0]
        if self.origin is not None:
            self.origin[i] = self.origin[i.parent] + (1.0 - joined) * X.r


def in_base(columns: Sequence[Sequence[Scalar]], X: plx) -> list[mv]:
    """Transform motions in the coordinates of a link, such as the axes of its joint, to base coordinates."""
    return [X.inv_apply(mv.of(S)) for S in columns]
