"""Loop closure of planar linkages by a pin with two constraints (Sueda, Rigid Body Dynamics Notes, section 2.8).

Three equations for the position of a pin in a planar linkage would be one too many: along the axis of the pin the two
bodies agree anyway. The two constraints are formulated in maximal coordinates, on the twists phi of the bodies, and the
Jacobian J_mr of the tree maps them to joint coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.jacobian import bias_acceleration, jacobian
from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.algorithms.loops.loop_jacobian import find_loop
from rbdkit.algorithms.rnea import rnea
from rbdkit.errors import ModelError, StateError
from rbdkit.joints import Revolute
from rbdkit.model import Model
from rbdkit.model.names import listed
from rbdkit.model.requirements import require_no_mimics, require_undriven
from rbdkit.spatial.cross import cross_force
from rbdkit.spatial.so3 import skew


@dataclass(frozen=True, eq=False)
class PinnedLoop:
    """Pin constraint ``G_m phi = 0`` with ``phi = J_mr qd``, phi the twists of all bodies in their own coordinates.

    Attributes
    ----------
    name : str
        Name of the loop joint.
    directions : ndarray (2, 3)
        Unit vectors v1 and v2 perpendicular to the pin, in world axes (Eq 2.94).
    G_m, Gdot_m : ndarray (2, 6 n)
        Constraint Jacobian and its rate of Eqs 2.95, 2.97; n bodies include the world.
    J_mr : ndarray (6 n, nv)
        Jacobian of the tree.
    Jdot_v : ndarray (6 n,)
        Bias accelerations Jdot_mr qd.
    phi : ndarray (6 n,)
        Twists J_mr qd.
    """

    name: str
    directions: NDArray
    G_m: NDArray
    Gdot_m: NDArray
    J_mr: NDArray
    Jdot_v: NDArray
    phi: NDArray

    @property
    def G(self) -> NDArray:
        """Constraint Jacobian in joint coordinates, G_m J_mr, (2, nv)."""
        return self.G_m @ self.J_mr

    @property
    def Gdot_v(self) -> NDArray:
        """Bias acceleration (Gdot_m J_mr + G_m Jdot_mr) qd, (2,)."""
        return self.Gdot_m @ self.phi + self.G_m @ self.Jdot_v


@dataclass(frozen=True, eq=False)
class PinnedMotion:
    """Accelerations under pins and couplings of joint coordinates.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Joint accelerations.
    lam_r, lam_m : ndarray
        Multipliers of the couplings of joint coordinates and of the pins.
    """

    qdd: NDArray
    lam_r: NDArray
    lam_m: NDArray


def pinned_loop(model: Model, q: NDArray, qd: NDArray, name: str) -> PinnedLoop:
    """Return the pin of a planar linkage as two constraints (Eqs 2.93-2.97).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates that close the loop.
    qd : ndarray (nv,)
        Joint velocities.
    name : str
        Name of the loop joint, which is revolute.

    Raises
    ------
    ModelError
        If there is no such loop joint, it is not revolute, or a joint is prescribed.
    StateError
        If the pin tilts, so that the linkage is not planar.
    """
    require_undriven(model, "the pin of a planar linkage", "this form knows no time; loop_equation does")
    loop = model.loops[find_loop(model, name)]
    kind = loop.joint.type
    if not isinstance(kind, Revolute):
        raise ModelError(f"loop joint {name!r} is {kind.known_as}; two directions are left of a revolute joint only")
    A, B = loop.predecessor, loop.successor
    kinematics = forward_kinematics(model, q, qd)
    assert kinematics.velocities is not None
    n = len(model.bodies)
    x = {A: loop.joint.placement[:3, 3], B: loop.successor_placement[:3, 3]}
    a = kinematics.poses[A, :3, :3] @ loop.joint.placement[:3, :3] @ kind.axis
    v = _across(a)
    G_m, Gdot_m = np.zeros((2, 2, 6 * n))
    for i, sign in ((A, 1.0), (B, -1.0)):
        R, omega = kinematics.poses[i, :3, :3], kinematics.velocities[i, :3]
        tilt = np.linalg.norm(np.cross(a, R @ omega))
        if tilt > 1e-6 * (1.0 + np.linalg.norm(omega)):
            raise StateError(
                f"the axis of loop joint {name!r} tilts by {tilt:.3g} rad/s; this form is for planar linkages, "
                "loop_equation for all"
            )
        Gamma = np.hstack([-skew(x[i]), np.eye(3)])
        G_m[:, 6 * i : 6 * i + 6] += sign * v @ R @ Gamma  # Eq 2.95
        Gdot_m[:, 6 * i : 6 * i + 6] += sign * v @ R @ skew(omega) @ Gamma  # Eq 2.97
    names = [body.name for body in model.bodies]
    J_mr = np.vstack([jacobian(model, q, body) for body in names])
    Jdot_v = np.concatenate([bias_acceleration(model, q, qd, body) for body in names])
    return PinnedLoop(name, v, G_m, Gdot_m, J_mr, Jdot_v, J_mr @ qd)


def pinned_motion(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    pins: Sequence[PinnedLoop],
    G_r: NDArray | None = None,
    Gdot_r_v: NDArray | None = None,
) -> PinnedMotion:
    """Return accelerations with constraints on maximal and on reduced coordinates at once (Eqs 2.98, 2.100, 2.103).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates, at which the loops are closed.
    qd, tau : ndarray (nv,)
        Joint velocities and forces.
    pins : sequence of PinnedLoop
        Pins at this state.
    G_r : ndarray (m, nv), optional
        Coupling of the joint velocities, ``G_r qd = 0``.
    Gdot_r_v : ndarray (m,), optional
        Bias acceleration Gdot_r qd; zero if not given.

    Raises
    ------
    ModelError
        If the constraints are not independent, or a loop of the model is not among the pins.
    """
    _require_all(model, pins)
    own = np.zeros((0, model.nv)) if G_r is None else G_r
    rate = np.zeros(len(own)) if Gdot_r_v is None else Gdot_r_v
    G = np.vstack([own, *(pin.G for pin in pins)])  # Eq 2.102
    eta = -np.concatenate([rate, *(pin.Gdot_v for pin in pins)])
    x = _solve(crba(model, q).H, G, tau - bias_force(model, q, qd), eta)
    lam = x[model.nv :]
    return PinnedMotion(x[: model.nv], lam[: len(own)], lam[len(own) :])


def pinned_velocity(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    h: float,
    pins: Sequence[PinnedLoop],
    G_r: NDArray | None = None,
) -> NDArray:
    """Return joint velocities (nv,) after a symplectic Euler step under the constraints (Eqs 2.99, 2.101).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates, at which the loops are closed.
    qd, tau : ndarray (nv,)
        Joint velocities and forces.
    h : float
        Step, s.
    pins : sequence of PinnedLoop
        Pins at this state.
    G_r : ndarray (m, nv), optional
        As in `pinned_motion`.

    Raises
    ------
    ModelError
        If the constraints are not independent, or a loop of the model is not among the pins.
    """
    _require_all(model, pins)
    H = crba(model, q).H
    G = np.vstack([np.zeros((0, model.nv)) if G_r is None else G_r, *(pin.G for pin in pins)])
    return _solve(H, G, H @ qd + h * (tau - bias_force(model, q, qd)), np.zeros(len(G)))[: model.nv]


def pinned_bodies(model: Model, q: NDArray, qd: NDArray, tau: NDArray, pins: Sequence[PinnedLoop]) -> NDArray:
    """Return accelerations of all bodies in maximal coordinates: joints of the tree and pins as constraints on phi.

    Parameters
    ----------
    q, qd, tau, pins
        As for `pinned_motion`.

    Returns
    -------
    ndarray (n, 6)
        Rates of the twists in body coordinates; row 0, of the world, is zero.

    Raises
    ------
    ModelError
        If the constraints are not independent, a loop of the model is not among the pins, or a joint mimics another
        or has a rotor.
    """
    _require_all(model, pins)
    require_no_mimics(model, "the equation of all bodies", "pinned_motion")
    geared = [joint.name for joint in model.joints if joint.armature.any()]
    if geared:
        raise ModelError(f"rotors of {listed(geared)} are no bodies of model {model.name!r}; use pinned_motion")
    n, motion = len(model.bodies), rnea(model, q, qd, np.zeros(model.nv))
    M_m, f_m = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    M_m[:6, :6] = np.eye(6)  # the world stays
    rows, eta = [np.eye(6, 6 * n)], [np.zeros(6)]
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        own, up = slice(6 * i, 6 * i + 6), slice(6 * p, 6 * p + 6)
        M_m[own, own] = model.I[i]
        f_m[own] -= _bias(model, motion.v[i], q, i)
        push = np.linalg.pinv(motion.S[i]).T @ tau[joint.v_slice]
        f_m[own] += push
        f_m[up] -= motion.X[i].T @ push
        T = joint.type.constraint_subspace(joint.coordinates(q)).T
        row = np.zeros((len(T), 6 * n))
        row[:, own], row[:, up] = T, -T @ motion.X[i]
        rows.append(row)
        eta.append(T @ (motion.a[i] - motion.X[i] @ motion.a[p]))
    G = np.vstack([*rows, *(pin.G_m for pin in pins)])
    x = _solve(M_m, G, f_m, np.concatenate([*eta, *(-pin.Gdot_m @ pin.phi for pin in pins)]))
    return x[: 6 * n].reshape(n, 6)


def _require_all(model: Model, pins: Sequence[PinnedLoop]) -> None:
    """Raise `ModelError` unless the pins close all loops of a model."""
    open_ = [loop.joint.name for loop in model.loops if loop.joint.name not in {pin.name for pin in pins}]
    if open_:
        raise ModelError(f"{listed(open_)} close(s) a loop of model {model.name!r}, and no pin stands for it; make one")


def _bias(model: Model, v: NDArray, q: NDArray, i: int) -> NDArray:
    """Return the velocity terms minus the weight of a body, (6,) in its own coordinates."""
    R = forward_kinematics(model, q).poses[i, :3, :3]
    weight = model.I[i] @ np.concatenate([np.zeros(3), R.T @ model.gravity])
    return cross_force(v, model.I[i] @ v) - weight


def _across(a: NDArray) -> NDArray:
    """Return two unit vectors at right angles to a and to each other, (2, 3) (Eq 2.94)."""
    v1 = np.zeros(3)
    v1[np.argmin(np.abs(a))] = 1.0
    v2 = np.cross(a, v1)
    v2 /= np.linalg.norm(v2)
    v1 = np.cross(v2, a)
    return np.array([v1 / np.linalg.norm(v1), v2])


def _solve(M: NDArray, G: NDArray, f: NDArray, eta: NDArray) -> NDArray:
    m = len(G)
    try:
        return np.linalg.solve(np.block([[M, G.T], [G, np.zeros((m, m))]]), np.concatenate([f, eta]))
    except np.linalg.LinAlgError:
        raise ModelError(
            "the constraints are not independent, or a motion that they allow moves nothing with inertia; "
            "loop_equation solves such systems"
        ) from None
