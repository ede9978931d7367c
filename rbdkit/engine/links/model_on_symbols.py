"""Symbolic stand-in for a model, with which a user's algorithm is called while it is traced."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.known_matrices import KnownMatrices
from rbdkit.engine.links.pieces import NotCovered, chain_of
from rbdkit.engine.steps.motions import motion_of
from rbdkit.model import Joint, Model
from rbdkit.spatial import plucker
from rbdkit.spatial.compact import Subspace, mv, plx, rbi
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Scalar, Symmetric, Vector
from rbdkit.trace import Scalar as Number
from rbdkit.trace import roomy

PARTS = frozenset({
    "bodies", "body", "children", "frame", "frames", "gravity", "inward", "joint", "name", "nq", "nv", "outward",
    "parent", "q_slice", "support", "v_slice",
})  # fmt: skip
"""Attributes of a model that do not depend on coordinates."""
OF_JOINT = frozenset({
    "armature", "damping", "friction", "limits", "mimic", "name", "nq", "nv", "placement", "q_slice", "rest",
    "stiffness", "v_slice",
})  # fmt: skip


class ModelOnSymbols:
    """A model with what algorithms over its tree use; any other attribute is refused by name."""

    recorded = True
    loops = mimics = constraints = ()  # what they ask of a model is answered when it is compiled

    def __init__(self, model: Model, known: KnownMatrices) -> None:
        for joint in model.joints:
            if joint.type.is_driven:
                raise NotCovered(f"joint {joint.name!r} moves as time says, which compiled functions of a tree do not")
        self._model = model
        self.joints = [JointOnSymbols(joint, known) for joint in model.joints]
        self.X_tree = [known.transform(_of_matrix(joint.X_tree)) for joint in model.joints]
        self.I = _Matrices([known.inertia(_inertia(I)) for I in model.I])

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            return getattr(self._model, name)
        raise AttributeError(
            f"a compiled function knows of a model joints, X_tree, I and {', '.join(sorted(PARTS))}, not {name!r}"
        )


class _Matrices(list[NDArray]):
    """Matrices (n, 6, 6) one by one, so that each stays a known one; NumPy can still make an array of them."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray:
        return np.array(list(self), dtype=object)


class JointOnSymbols:
    """A joint of such a model, see `rbdkit.model.Joint`."""

    def __init__(self, joint: Joint, known: KnownMatrices) -> None:
        self._joint, self._known = joint, known
        self._chain = chain_of(joint.type, joint.name)[0]
        self.X_tree = known.transform(_of_matrix(joint.X_tree))

    def __getattr__(self, name: str) -> Any:
        if name in OF_JOINT:
            return getattr(self._joint, name)
        raise AttributeError(f"a compiled function knows of a joint {', '.join(sorted(OF_JOINT))}, not {name!r}")

    def coordinates(self, q: NDArray) -> NDArray:
        """Return the joint's coordinates from those of the model."""
        return self._joint.coordinates(q)

    def velocities(self, v: NDArray) -> NDArray:
        """Return the joint's velocities from those of the model."""
        return self._joint.velocities(v)

    def calc(self, q: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return X_J, S, v_J and c_J."""
        X, S, v_J, c_J = self._found(list(self.coordinates(q)), list(self.velocities(v)))
        return self._known.transform(X), self._scaled(S), roomy(v_J.flat()), roomy(c_J.flat())

    def transform(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return X_J."""
        return self._known.transform(self._at_rest(q)[0])

    def motion_subspace(self, q: NDArray) -> NDArray:
        """Return S (6, nv)."""
        return self._scaled(self._at_rest(q)[1])

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """Return v_J."""
        return roomy(self._found(list(self.coordinates(q)), list(self.velocities(v)))[2].flat())

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the pose of the body in its parent, (4, 4)."""
        X = self._at_rest(q)[0]
        T = roomy(np.eye(4))
        T[:3, :3], T[:3, 3] = roomy(X.E.T), roomy(list(X.r))
        return self._joint.placement @ T

    def _at_rest(self, q: NDArray) -> tuple[plx, Subspace, mv, mv]:
        return self._found(list(self.coordinates(q)), [0.0] * self._joint.nv)

    def _scaled(self, S: Subspace) -> NDArray:
        columns = np.array([axis.flat() for axis in S], dtype=object).reshape(-1, 6).T
        mimic = self._joint.mimic
        return roomy(columns if mimic is None else mimic.multiplier * columns)

    def _found(self, q: list[Number], v: list[Number]) -> tuple[plx, Subspace, mv, mv]:
        """Compute the joint as a chain of simple joints with massless links (Featherstone 2008, section 4.4)."""
        X, v_J, c_J = plx(IDENTITY, ZERO), mv(ZERO, ZERO), mv(ZERO, ZERO)
        S: list[mv | None] = [None] * self._joint.nv
        for piece in self._chain:
            motion, B, numbers = motion_of(piece.motion), _matrix(piece.basis), list(piece.numbers)
            ratio = 1.0 if piece.ratio is None else piece.ratio
            own_q = [ratio * x for x in q[piece.q : piece.q + motion.nq]]
            own_v = [ratio * x for x in v[piece.v : piece.v + motion.nv]]
            R, p = motion.pose(own_q, numbers)
            step = plx(B @ R.T @ B.T, B @ p)
            axes = [_turned(B, axis) for axis in motion.axes(own_q, numbers)]
            X, v_J, c_J = step @ X, step @ v_J, step @ c_J
            S = [None if axis is None else step @ axis for axis in S]
            speed = mv(ZERO, ZERO)
            for k, (axis, rate) in enumerate(zip(axes, own_v, strict=True), start=piece.v):
                before = S[k]
                S[k] = ratio * axis if before is None else before + ratio * axis
                speed = speed + rate * axis
            v_J = v_J + speed
            c_J = c_J + v_J.cross(speed) + _turned(B, motion.velocity_product(own_q, own_v, numbers))
        return X, Subspace(axis for axis in S if axis is not None), v_J, c_J


def _turned(B: Matrix, x: list[Scalar]) -> mv:
    """Express a motion in the axes of the joint, from those of a piece."""
    return mv(B @ Vector(x[:3]), B @ Vector(x[3:]))


def _matrix(values: NDArray) -> Matrix:
    return Matrix.of(np.asarray(values, dtype=float).ravel().tolist())


def _of_matrix(X: NDArray) -> plx:
    """Return a transform from its matrix of numbers."""
    E, r = plucker.split(X)
    return plx(_matrix(E), Vector(r.tolist()))


def _inertia(I: NDArray) -> rbi:
    """Return a rigid-body inertia from its matrix."""
    rows = I.tolist()
    return rbi(rows[5][5], (rows[2][4], rows[0][5], rows[1][3]), Symmetric.upper(_matrix(I[:3, :3])))
