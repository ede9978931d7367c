"""Tree at one state in the quantities of the notes: twists of bodies, adjoints between them, and applied forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.passive_force import joint_passive_force
from rbdkit.algorithms.redmax.joint_rate import joint_rate
from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.model import Model
from rbdkit.model.force import ForcesAtState
from rbdkit.model.requirements import require_tree
from rbdkit.spatial import se3

Array = NDArray


@dataclass(frozen=True)
class Bodies:
    """Tree at one state; row or entry i belongs to body i and its joint J_i, 0 to the world.

    Body frames sit in the centres of mass, along the principal axes, so all M_i are diagonal; twists and wrenches of a
    body are in its own frame. Joint frames are those of rbdkit's bodies. Mimic joints share the
    velocity of their master joints; prescribed joints have none, but add to `drift`.

    Attributes
    ----------
    parent : list of int
        Indices of the parents. order : indices of the bodies, parents before children.
    children : tuple
        Indices of the children of each body, the world first.
    own : list of slice
        Slice of each joint in the velocities.
    qd : ndarray (nv,)
        Joint velocities q-dot.
    E : ndarray (n, 4, 4)
        World poses of the body frames.
    phi : ndarray (n, 6)
        Twists of the bodies.
    M : ndarray (n, 6, 6)
        Inertias of the bodies.
    Ad_J : ndarray (n, 6, 6)
        From the joint frame to the body frame; constant.
    Ad_p, Ad_p_dot : ndarray (n, 6, 6)
        From the parent's body frame to that of the body, and its rate (Eq 2.17).
    Ad_jp : ndarray (n, 6, 6)
        From the parent's joint frame to the joint frame.
    S, S_dot : list of ndarray
        Motion subspaces (6, nv_i) in joint frames, and their componentwise rates.
    S_qd, S_dot_qd : ndarray (n, 6)
        Velocity and velocity product of each joint, in joint frames, with those of prescribed joints.
    drift : ndarray (n, 6)
        Accelerations of the bodies at q-ddot = 0: J-dot q-dot, and those of prescribed joints.
    f_m : ndarray (n, 6)
        Wrenches on the bodies: Coriolis, gravity, external forces and force elements (Eqs 1.21, 1.22).
    f_r : ndarray (nv,)
        Forces along the velocities: tau, springs and dampers of joints, torques of elements.
    rotors : ndarray (nv,)
        Rotor inertias, added to the diagonal of M_r; the notes have none.
    """

    parent: list[int]
    order: list[int]
    names: list[str]
    own: list[slice]
    qd: Array
    E: Array
    phi: Array
    M: Array
    Ad_J: Array
    Ad_p: Array
    Ad_p_dot: Array
    Ad_jp: Array
    S: list[Array]
    S_dot: list[Array]
    S_qd: Array
    S_dot_qd: Array
    drift: Array
    f_m: Array
    f_r: Array
    rotors: Array

    @property
    def n(self) -> int:
        """Number of bodies without the world."""
        return len(self.parent) - 1

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.qd)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the children of each body, the world first."""
        return tuple(tuple(c for c in self.order if self.parent[c] == i) for i in range(len(self.parent)))

    @cached_property
    def M_j(self) -> Array:
        """Body inertias at the joints, (n, 6, 6): not diagonal (section 2.12)."""
        return np.swapaxes(self.Ad_J, -1, -2) @ self.M @ self.Ad_J

    def block(self, i: int) -> slice:
        """Return the slice of body i in maximal coordinates (6 n,)."""
        return slice(6 * i - 6, 6 * i)

    def stacked(self, values: Array) -> Array:
        """Return rows of six numbers per body, (n + 1, 6) with the world, as one vector (6 n,) without it."""
        return values[1:].ravel()


def bodies_at(
    model: Model,
    q: Array,
    qd: Array,
    tau: Array | None = None,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    z: Array | None = None,
    passive: bool = True,
) -> Bodies:
    """Return a tree at one state (sections 1.6, 2.1, 2.2).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; no forces if not given.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    z : ndarray (nz,), optional
        States of force elements.
    passive : bool, optional
        Whether springs, dampers and force elements are among the forces.

    Raises
    ------
    ModelError
        If the model has loop joints or constraints; see `constrained_by_dual` for given constraint rows.
    """
    require_tree(model, "REDMAX")
    n, parent, joints = len(model.bodies), [int(p) for p in model.parent], model.joints
    E_J, Ad_p, Ad_p_dot, Ad_jp = np.zeros((n, 4, 4)), *np.zeros((3, n, 6, 6))
    S, S_dot = ([np.zeros((6, 0))] * n for _ in range(2))
    phi, S_qd, S_dot_qd, drift = np.zeros((4, n, 6))
    at_joint, M = body_frames(model)
    Ad_J = se3.adjoint(se3.inverse(at_joint))
    E_J[0] = np.eye(4)
    order = [int(i) for i in model.outward]
    for i in order:
        joint, p = joints[i], parent[i]
        _, S[i], S_qd[i], S_dot_qd[i] = joint.calc(q, qd, t)
        S_dot[i] = joint_rate(joint, q, qd)
        step = joint.pose(q, t)
        E_J[i] = E_J[p] @ step  # Eq 2.3
        Ad_jp[i] = se3.adjoint(se3.inverse(step))
        Ad_p[i] = se3.adjoint(se3.inverse(at_joint[i]) @ se3.inverse(step) @ at_joint[p])
        phi[i] = Ad_p[i] @ phi[p] + Ad_J[i] @ S_qd[i]  # Eq 2.11
        Ad_p_dot[i] = -se3.ad(phi[i]) @ Ad_p[i] + Ad_p[i] @ se3.ad(phi[p])  # Eq 2.17
        drift[i] = Ad_p[i] @ drift[p] + Ad_p_dot[i] @ phi[p] + Ad_J[i] @ S_dot_qd[i]
    E = E_J @ at_joint  # Eq 2.6
    weight = np.zeros((n, 6))
    weight[:, 3:] = model.gravity @ E[:, :3, :3]
    f_m = _times(np.swapaxes(se3.ad(phi), -1, -2) @ M, phi) + _times(M, weight)  # Eqs 1.21, 1.22
    rows = external_forces(model, f_ext)
    pushes = np.zeros((n, 6)) if rows is None else np.array(rows)
    f_r = np.zeros(model.nv) if tau is None else np.array(tau, dtype=float)
    if passive:
        f_r += joint_passive_force(model, q, qd)
        if model.acting:
            acting = ForcesAtState(model, q, qd, t, z)
            acting.act()
            for body, wrench in acting.at.wrenches.items():
                pushes[body] += wrench
            for a, x in acting.at.torques.items():
                f_r[a] += x
    f_m += _times(np.swapaxes(se3.adjoint(E), -1, -2), pushes)
    f_m[0] = 0.0
    rotors = np.zeros(model.nv)
    for joint in joints:
        rotors[joint.v_slice] += rotor_inertia(joint)
    names, own = [joint.name for joint in joints], [joint.v_slice for joint in joints]
    found = (E, phi, M, Ad_J, Ad_p, Ad_p_dot, Ad_jp, S, S_dot, S_qd, S_dot_qd, drift, f_m, f_r, rotors)
    return Bodies(parent, order, names, own, np.array(qd, dtype=float), *found)


def body_frames(model: Model) -> tuple[Array, Array]:
    """Return poses of body frames in joint frames (n, 4, 4), and diagonal inertias (n, 6, 6), the world first."""
    n = len(model.bodies)
    poses, M = np.tile(np.eye(4), (n, 1, 1)), np.zeros((n, 6, 6))
    for i, body in enumerate(model.bodies):
        if i and body.inertia is not None:
            principal = body.inertia.principal()
            poses[i] = se3.pose(principal.axes, body.inertia.com)
            M[i] = np.diag([*principal.moments, *[body.inertia.mass] * 3])
    return poses, M


def _times(A: Array, x: Array) -> Array:
    """Return the products of matrices (n, 6, 6) and vectors (n, 6)."""
    return (A @ x[..., None])[..., 0]
