"""Motions and forces in base coordinates.

Base coordinates have the axes of the world and the position of a tree's first link as origin, so that accuracy does not
depend on the distance from the world's origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rbdkit.engine.steps.axes import Axes
from rbdkit.engine.steps.coriolis import Coriolis
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.nodes import Body, Node
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.compact import fv, mv, plx, rbi
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import Scalar, Whole

STILL = mv(ZERO, ZERO)
"""No motion."""
UNLOADED = fv(ZERO, ZERO)
"""No force."""


class BaseFrames:
    """Poses R, p of the links of a tree in base coordinates, and if asked for, where in the world these begin."""

    def __init__(self, tree: Tree, origin: bool = False) -> None:
        self.tree = tree
        self.R, self.p = tree.field(Matrix), tree.field(Vector)
        self.origin: Any = tree.field(Vector) if origin else None
        # 0 for the world alone: a link on the world is at the base origin, and its step goes to `origin`.
        self._reach = tree.field(Numbers(1))
        self.R[tree.world], self.p[tree.world], self._reach[tree.world] = IDENTITY, ZERO, [0.0]
        if self.origin is not None:
            self.origin[tree.world] = ZERO

    def move(self, i: Node, q: JointArray) -> plx:
        """Compute the pose of a link from that of its parent; return the transform from base coordinates to it."""
        R, p = self.tree.pose(i, q[i])
        joined, R_p = self._reach[i.parent][0], self.R[i.parent]
        step = R_p @ p
        self.R[i], self._reach[i] = R_p @ R, [1.0]
        self.p[i] = self.p[i.parent] + joined * step
        if self.origin is not None:
            self.origin[i] = self.origin[i.parent] + (1.0 - joined) * step
        return self[i]

    def __getitem__(self, i: Body) -> plx:
        return plx(self.R[i].T, self.p[i])


@dataclass(frozen=True)
class Base:
    """Fields of a tree in base coordinates.

    X : transforms to the links. v, a : velocity and acceleration of each link, with minus gravity for the world's. I,
    B : inertia and Coriolis matrix of each link. f : force that its motion takes; f_x : external force on it, None if
    there are none. S : motion subspaces in link coordinates.
    """

    X: BaseFrames
    v: Any
    a: Any
    I: Any
    B: Any
    f: Any
    f_x: Any
    S: Axes

    def axes(self, i: Node) -> list[mv]:
        """Return the axes of a link's joint."""
        return in_base(self.S[i], self.X[i])


def base_motion(tree: Tree, q: JointArray, qd: JointArray, qdd: JointArray, f_ext: Whole | None) -> Base:
    """Compute the outward pass of RNEA (Featherstone 2008, Table 5.1) in base coordinates.

    f_ext : where the state's forces begin in the array of that name, six numbers per link; None if there are none.
    """
    program, world, S, X = tree.program, tree.world, Axes(tree, q), BaseFrames(tree, f_ext is not None)
    v, a, f, I, B = (tree.field(kind) for kind in (mv, mv, fv, rbi, Coriolis))
    f_x = None if f_ext is None else tree.field(fv)

    v[world], f[world] = STILL, UNLOADED
    I[world], B[world] = rbi.of([0.0] * rbi.size), Coriolis.of([0.0] * Coriolis.size)
    if f_x is not None:
        f_x[world] = UNLOADED
    a[world] = mv(ZERO, -Vector(program.load("gravity", 0, k) for k in range(3)))
    for i in tree.outward(abreast=True):
        X_i = X.move(i, q)
        v_J = a_J = STILL
        for J, qd_k, qdd_k in zip(in_base(S.find(i), X_i), qd[i], qdd[i], strict=True):
            v_J, a_J = v_J + qd_k * J, a_J + qdd_k * J
        if i.motion.varying:
            a_J = a_J + X_i.inv_apply(mv.of(tree.velocity_product(i, q[i], qd[i])))
        v_p = v[i.parent]
        v[i] = v_i = v_p + v_J
        # v_i x v_J = v_p x v_J, since v_J x v_J = 0
        a[i] = a_i = a[i.parent] + a_J + v_p.cross(v_J)
        I[i] = I_i = X_i.inv_apply(rbi(*tree.inertia(i)))
        B[i] = Coriolis.of_body(I_i, v_i)
        f[i] = I_i.force(a=a_i, v=v_i)
        if f_x is not None and f_ext is not None:
            f_x[i] = plx(IDENTITY, X.origin[i]).apply(ExternalForce(tree, f_ext)[i])
    return Base(X, v, a, I, B, f, f_x, S)


def in_base(columns: Sequence[Sequence[Scalar]], X: plx) -> list[mv]:
    """Transform motions in the coordinates of a link, such as the axes of its joint, to base coordinates."""
    return [X.inv_apply(mv.of(S)) for S in columns]
