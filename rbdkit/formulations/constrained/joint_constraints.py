"""Every joint of a model, loops included, as constraints between the poses and twists of its two bodies.

A joint holds the relative pose X of its successor frame in its predecessor frame on the surface that its coordinates
span, and the relative velocity in the range of S. With T from the joint type (T^T S = 0), in successor coordinates::

    position       g = T^T log(pose(q)^-1 X), q the coordinates that come closest    (Featherstone 2008, Eqs 8.25-8.27)
    velocity       T^T (v_rel - v_J) = 0,          v_rel = V_S - Ad(X^-1) V_P
    acceleration   T^T (V_S' - Ad(X^-1) V_P') = T^T (c_J - v_rel x V_S)

So a joint of any type has 6 - nv rows; they are independent, and near the surface g = 0 has no other solutions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import JointType, Spherical
from rbdkit.joints.loop_form import loop_form
from rbdkit.joints.many_states import coordinates_of, poses_of
from rbdkit.model.places import Place
from rbdkit.spatial import se3
from rbdkit.spatial.cross import cross_motion


@dataclass(frozen=True)
class Relative:
    """Relative poses and twists of all joints: successor frames in predecessor frames.

    X : (j, 4, 4) relative poses. from_S, from_P : (j, 6, 6) with v_rel = from_S V_s - from_P V_p for the twists of the
    bodies' reference frames. V_S, v_rel : (j, 6) twist of the successor frame and relative twist in its coordinates.
    """

    X: NDArray
    from_S: NDArray
    from_P: NDArray
    V_S: NDArray
    v_rel: NDArray


class JointConstraints:
    """The constraints of all joints of a model, evaluated together.

    Parameters
    ----------
    joints : joints as `places` lists them. bodies : number of bodies, with the world.

    Attributes
    ----------
    rows : a slice for each joint: its rows among the constraints.
    m : number of constraints.
    """

    def __init__(self, joints: list[Place], bodies: int) -> None:
        self.joints = joints
        self.bodies = bodies
        sizes = [6 - joint.type.nv for joint in joints]
        ends = np.cumsum(sizes, dtype=int)
        self.rows = [slice(int(end) - size, int(end)) for end, size in zip(ends, sizes, strict=True)]
        self.m = int(sum(sizes))
        self.predecessor = np.array([joint.predecessor for joint in joints], dtype=int)
        self.successor = np.array([joint.successor for joint in joints], dtype=int)
        self._used = np.arange(6) < np.array(sizes, dtype=int)[:, None]  # (j, 6): the columns of T that there are
        self._row_predecessor = np.repeat(self.predecessor, sizes)
        self._row_successor = np.repeat(self.successor, sizes)
        self._A_P = _stack([joint.predecessor_placement for joint in joints])
        self._A_S = _stack([joint.successor_placement for joint in joints])
        self._X_P, self._X_S = se3.adjoint(se3.inverse(self._A_P)), se3.adjoint(se3.inverse(self._A_S))
        self._T = np.zeros((len(joints), 6, 6))
        constrained = [k for k, size in enumerate(sizes) if size > 0]
        self._alike = [k for k in constrained if _is_plain(joints[k].type)]
        self._others = [k for k in constrained if not _is_plain(joints[k].type)]
        self._varying = []
        for k, joint in enumerate(joints):
            if joint.type.constant_T:
                self._T[k, :, : sizes[k]] = joint.type.constraint_subspace(joint.type.neutral())
            else:
                self._varying.append(k)

    def row_names(self) -> list[tuple[str, str]]:
        """Return for each row the name of its joint, and its unit."""
        pairs = zip(self.joints, self.rows, strict=True)
        return [(f"joint {joint.name!r}", "rad, m") for joint, rows in pairs for _ in range(rows.start, rows.stop)]

    def relative_poses(self, C: NDArray) -> NDArray:
        """Return X of every joint, shape (..., j, 4, 4), from the bodies' poses C, the world first."""
        return se3.inverse(C[..., self.predecessor, :, :] @ self._A_P) @ (C[..., self.successor, :, :] @ self._A_S)

    def relative(self, C: NDArray, V: NDArray) -> Relative:
        """Return relative poses and twists; C (bodies, 4, 4), V (bodies, 6), the world first."""
        X = self.relative_poses(C)
        from_P = se3.adjoint(se3.inverse(X)) @ self._X_P
        V_S = (self._X_S @ V[self.successor, :, None])[..., 0]
        return Relative(X, self._X_S, from_P, V_S, V_S - (from_P @ V[self.predecessor, :, None])[..., 0])

    def position(self, C: NDArray, t: float = 0.0) -> NDArray:
        """Return the position residuals g, shape (..., m), rad and m."""
        X = self.relative_poses(C)
        g = np.zeros((*C.shape[:-3], self.m))
        closest = np.empty((*C.shape[:-3], len(self._alike), 4, 4))
        for i, k in enumerate(self._alike):
            kind = self.joints[k].type
            closest[..., i, :, :] = poses_of(kind, coordinates_of(kind, X[..., k, :, :]), t)
        # all joints at once: a logarithm of a stack takes hardly longer than one of a pose
        d = se3.log(se3.inverse(closest) @ X[..., self._alike, :, :])
        for i, k in enumerate(self._alike):
            g[..., self.rows[k]] = d[..., i, :] @ self._T[k][:, self._used[k]]
        for k in self._others:
            g[..., self.rows[k]] = _position(self.joints[k].type, X[..., k, :, :], t)
        return g

    def velocity_and_acceleration(self, relative: Relative, t: float) -> tuple[NDArray, NDArray, NDArray]:
        """Return J (m, bodies, 6), with the world, J V minus prescribed velocities (m,), and eta of Eq 3 (m,)."""
        T, used = self._T, self._used
        # the equation for accelerations above, as yet without c_J, which constant axes do not have
        bias = -cross_motion(relative.v_rel, relative.V_S)
        excess = relative.v_rel
        if self._varying:
            T, bias, excess = T.copy(), bias.copy(), excess.copy()
            for k in self._varying:
                form = loop_form(self.joints[k].type, relative.X[k], relative.v_rel[k], t)
                T[k, :, used[k]] = form.T.T
                excess[k] -= form.sigma
                bias[k] += form.c_J
        T_T = np.swapaxes(T, -1, -2)
        row = np.arange(self.m)
        J = np.zeros((self.m, self.bodies, 6))
        J[row, self._row_successor] = (T_T @ relative.from_S)[used]
        J[row, self._row_predecessor] -= (T_T @ relative.from_P)[used]
        return J, (T_T @ excess[..., None])[used, 0], (T_T @ bias[..., None])[used, 0]


def _is_plain(type: JointType) -> bool:
    """Whether S and T of a joint are constant, and g is the logarithm of the deviation from the closest joint pose."""
    return type.constant_S and type.constant_T and type.__class__ is not Spherical


def _position(type: JointType, X: NDArray, t: float) -> NDArray:
    """Return g of one joint that is not plain, (..., 6 - nv), for a stack of poses."""
    if type.__class__ is Spherical:
        return (X[..., None, :3, 3] @ X[..., :3, :3])[..., 0, :]  # any rotation is allowed
    if type.constant_S:
        q = coordinates_of(type, X)
    else:
        q = np.empty((*X.shape[:-2], type.nq))
        for place in np.ndindex(*X.shape[:-2]):
            q[place] = type.project(X[place])
    d = se3.log(se3.inverse(poses_of(type, q, t)) @ X)
    if type.constant_T:
        return d @ type.constraint_subspace(type.neutral())
    g = np.empty((*X.shape[:-2], 6 - type.nv))
    for place in np.ndindex(*X.shape[:-2]):
        g[place] = type.constraint_subspace(q[place]).T @ d[place]
    return g


def _stack(placements: list[NDArray]) -> NDArray:
    return np.array(placements).reshape(-1, 4, 4)
