"""Solver for loop closure: damped Gauss-Newton (Levenberg-Marquardt) steps on the configuration manifold.

Every loop joint gets coordinates z of its own, as if it were a tree joint. The closure error of loop l is then one
displacement, in coordinates of the successor frame::

    E_l = pose_l(z_l)^-1 X_l(q),     e_l = log(E_l),     de_l = J_r(e_l)^-1 (J_l dq - Ad(E_l^-1) S_l dz_l)

with X_l and J_l as in Featherstone (2008), Eqs 8.18 and 8.24. The derivative is exact wherever e_l is less than half a
turn, so that steps go downhill from far away, too; and a joint type need only provide its pose and its S. A step
x = (dq, dz) solves ``(A^T A + mu 1) x = -A^T e``, with angles in rad, lengths in characteristic lengths of the model
and ``mu = kappa |e|^2``. As loops close the damping vanishes and the step becomes Newton's, with quadratic convergence
even where constraints are redundant (Fan and Yuan 2005). Constraints added to the model are further rows of e and A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError
from rbdkit.model.closing.held import Held
from rbdkit.model.closing.length import length_of
from rbdkit.model.closing.loop_kinematics import LoopKinematics
from rbdkit.spatial import se3

if TYPE_CHECKING:
    from rbdkit.model.model import Model

MOST_STEPS = 200
"""Largest number of steps."""
DONE = 1e-10
"""Closure error, rad or characteristic lengths, that counts as closed; steps go on while they still gain digits."""
FAR_OPEN = 1e-3
"""Closure error, rad or characteristic lengths, above which a nearly flat minimum already ends the iteration."""
SMALLEST_MU = 1e-20
ROUND_OFF = 5e-15
"""Closure error, rad or characteristic lengths, relative to distances, at which no further step is taken."""
FARTHEST = 1.0
"""Largest step of a coordinate, rad or characteristic lengths; larger for lengths where loops are open by more."""


@dataclass(frozen=True, eq=False)
class Closest:
    """Result of the closure solver `closest`.

    Attributes
    ----------
    q : ndarray (nq,)
        Coordinates at the end.
    e : ndarray (L, 6)
        Remaining displacement across each loop joint, rad and m.
    is_closed : bool
        Whether all closure errors are below `DONE`.
    held : ndarray (m,)
        Remaining closure errors of constraints, see `Held`.
    """

    q: NDArray
    e: NDArray
    is_closed: bool
    held: NDArray


class Bounds:
    """Limits of the coordinates of a model; those of mimic joints are turned into limits of their master joints.

    Attributes
    ----------
    lower, upper : ndarray (nq,)
        Bounds of the coordinates, infinite where there is no limit.
    at : ndarray of int (nv,)
        Index of the coordinate whose rate each velocity variable is; -1 in curved joints, such as spherical ones.
    """

    def __init__(self, model: Model, limited: bool = True) -> None:
        self.lower, self.upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
        self.at = np.full(model.nv, -1)  # the coordinate that a velocity variable is the rate of
        for joint in model.joints[1:]:
            if not joint.type.is_curved:
                self.at[joint.v_slice] = range(joint.q_slice.start, joint.q_slice.stop)
            if not limited or not joint.nq:
                continue
            limits = np.stack([np.asarray(joint.limits.lower), np.asarray(joint.limits.upper)])
            if joint.mimic is not None:
                if joint.mimic.multiplier == 0.0:
                    continue
                limits = np.sort((limits - joint.mimic.offset) / joint.mimic.multiplier, axis=0)
            own = joint.q_slice
            self.lower[own] = np.maximum(self.lower[own], limits[0])
            self.upper[own] = np.minimum(self.upper[own], limits[1])

    @property
    def any(self) -> bool:
        """Whether any coordinate is bounded."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def release(self, q_kept: NDArray) -> None:
        """Drop the limits of coordinates that stay fixed. q_kept : bool (nq,)."""
        self.lower[q_kept], self.upper[q_kept] = -np.inf, np.inf

    def within(self, q: NDArray) -> NDArray:
        """Clip coordinates (nq,) to the bounds."""
        return np.clip(q, self.lower, self.upper)

    def blocked(self, q: NDArray, downhill: NDArray) -> NDArray:
        """Return which velocity variables (nv,) are at a limit that a step along `downhill` (nv,) would cross."""
        at = self.at.clip(0)
        low, high = q[at] <= self.lower[at], q[at] >= self.upper[at]
        return (self.at >= 0) & ((low & (downhill < 0.0)) | (high & (downhill > 0.0)))


class Residual:
    """Closure residual e and its Jacobian A, in rad and characteristic lengths, by tree coordinates q and loop ones z.

    Attributes
    ----------
    motion : kinematics across the loop joints. types : their joint types. held : constraints as further rows.
    length : characteristic length of the model, m.
    row : (6 L,) factors that scale e. unit : (nv + nz,) factors that turn a step x into rad and m.
    """

    def __init__(self, model: Model, t: float) -> None:
        self.model, self.t, self.motion = model, t, LoopKinematics(model)
        self.types = [loop.joint.type for loop in model.loops]
        self.length = length = length_of(model)
        self.held = Held(model, t, length)
        self.row = np.tile([1.0, 1.0, 1.0, 1.0 / length, 1.0 / length, 1.0 / length], len(self.types))
        shifts = np.zeros(model.nv, dtype=bool)
        for joint in model.joints[1:]:
            shifts[joint.v_slice] = _shifts(joint.type.v_units)
        self._is_shift = np.concatenate([shifts, *(_shifts(kind.v_units) for kind in self.types)])
        self.unit = np.where(self._is_shift, length, 1.0)  # of x

    def reach(self, r: NDArray) -> NDArray:
        """Return the trust region (nv + nz,), the largest step of each unknown, from the scaled residual r."""
        shifts = max(FARTHEST, float(np.abs(r).max(initial=0.0)))
        return np.where(self._is_shift, shifts, FARTHEST)

    def project(self, X: NDArray) -> list[NDArray]:
        """Return coordinates of the loop joints that come close to the relative poses X (L, 4, 4)."""
        found = []
        for kind, pose in zip(self.types, X, strict=True):
            try:
                found.append(kind.project(pose))
            except StateError:  # the joint's own projection did not converge; the joint iteration here still may
                found.append(kind.neutral())
        return found

    def left_over(self, X: NDArray, z: list[NDArray]) -> tuple[NDArray, NDArray]:
        """Return the displacements E (L, 4, 4) across the loop joints and their logarithms e (L, 6)."""
        poses = [kind.pose(own, self.t) for kind, own in zip(self.types, z, strict=True)]
        E = se3.inverse(np.array(poses).reshape(-1, 4, 4)) @ X
        return E, se3.log(E)

    def jacobian(self, J: NDArray, E: NDArray, e: NDArray, z: list[NDArray]) -> NDArray:
        """Return the rows of A of the loop joints, (6 L, nv + nz), scaled."""
        rate = se3.right_jacobian_inverse(e)
        A = np.zeros((6 * len(z), len(self.unit)))
        nv = start = self.model.nv
        for l, (kind, own) in enumerate(zip(self.types, z, strict=True)):
            rows = slice(6 * l, 6 * l + 6)
            A[rows, :nv] = rate[l] @ J[l]
            A[rows, start : start + kind.nv] = -rate[l] @ se3.adjoint(se3.inverse(E[l])) @ kind.motion_subspace(own)
            start += kind.nv
        return self.row[:, None] * A * self.unit

    def with_gaps(self, A: NDArray, G: NDArray) -> NDArray:
        """Return A with the rows G (m, nv) of the constraints appended."""
        return np.concatenate([A, np.pad(G, ((0, 0), (0, A.shape[1] - G.shape[1]))) * self.unit])

    def moved(self, q: NDArray, z: list[NDArray], x: NDArray) -> tuple[NDArray, list[NDArray]]:
        """Return q and z after a scaled step x (nv + nz,)."""
        step, start = x * self.unit, self.model.nv
        found = []
        for kind, own in zip(self.types, z, strict=True):
            found.append(kind.integrate(own, step[start : start + kind.nv]))
            start += kind.nv
        return self.model.move(q, step[: self.model.nv]), found


def closest(
    model: Model,
    q: NDArray,
    free: NDArray,
    bounds: Bounds,
    t: float = 0.0,
    residual: Residual | None = None,
    steps: int = MOST_STEPS,
) -> Closest:
    """Find coordinates near q that close all loops and satisfy the constraints, by Levenberg-Marquardt steps.

    Parameters
    ----------
    model : Model
        With loops or constraints.
    q : ndarray (nq,)
        Starting coordinates.
    free : ndarray of bool (nv,)
        Which velocity variables may move.
    bounds : Bounds
        Joint limits, which no step crosses.
    t : float, optional
        Time in s, for prescribed joints.
    residual : Residual, optional
        Residual of the model at t, to be reused; made if not given.
    steps : int, optional
        Largest number of steps.

    Returns
    -------
    Closest
        Closed, or at a local minimum of the closure error that leaves loops open.
    """
    own = residual or Residual(model, t)
    if not model.loops and not own.held.rows:
        return Closest(bounds.within(q), np.zeros((0, 6)), True, np.zeros(0))
    movable = np.concatenate([free, np.ones(len(own.unit) - model.nv, dtype=bool)])
    q = bounds.within(q)
    X, J = own.motion.poses_and_jacobians(q, t)
    z = own.project(X)
    E, e = own.left_over(X, z)
    g, G = own.held.at(q)
    r = np.concatenate([own.row * e.ravel(), g])
    kappa = 1e-2
    for _ in range(steps):
        size = float(np.linalg.norm(r))
        if not (np.isfinite(size) and np.isfinite(G).all()):
            break  # an error that is undefined or has no gradient here, such as the distance of coincident points
        if np.abs(r).max() <= ROUND_OFF * (1.0 + np.abs(X[:, :3, 3]).max(initial=0.0) / own.length):
            break
        A = own.with_gaps(own.jacobian(J, E, e, z), G)
        downhill = -A.T @ r
        columns = movable.copy()
        # active set: what is at a limit and would cross it stays where it is
        columns[: model.nv] &= ~bounds.blocked(q, downhill[: model.nv])
        x = np.zeros(len(own.unit))
        B = A[:, columns]
        # the damped step as one least-squares problem: B^T B would square the condition number
        # damping with the square of the error keeps convergence quadratic, also where solutions form curves (Yamashita
        # and Fukushima 2001)
        mu = max(kappa * min(size, 1.0) ** 2, SMALLEST_MU)
        damped = np.concatenate([B, np.sqrt(mu) * np.eye(B.shape[1])])
        x[columns] = np.linalg.lstsq(damped, np.concatenate([-r, np.zeros(B.shape[1])]), rcond=None)[0]
        x *= min(1.0, 1.0 / max(float(np.max(np.abs(x) / own.reach(r), initial=0.0)), 1e-300))
        expected = size - float(np.linalg.norm(r + A @ x))
        flat = 1e-4 if size > FAR_OPEN else 1e-9
        if float(np.abs(x).max(initial=0.0)) < 1e-15 or (size > DONE and expected < flat * size):
            break  # at a minimum
        q_next, z_next = own.moved(q, z, x)
        q_next = bounds.within(q_next)
        X_next, J_next = own.motion.poses_and_jacobians(q_next, t)
        z_next, E_next, e_next = _nearer(own, X_next, z_next)
        g_next, G_next = own.held.at(q_next)
        r_next = np.concatenate([own.row * e_next.ravel(), g_next])
        there = float(np.linalg.norm(r_next)) + 0.0 * float(np.sum(G_next))  # not finite if G_next is not
        gained = size - there if np.isfinite(there) else -np.inf
        if size <= DONE and gained < 0.5 * size:  # round-off, or a singular pose, known to half the digits only
            if gained > 0.0:
                q, e, g = q_next, e_next, g_next
            if gained < 0.1 * size:
                break
        # accept and damp as in a trust-region method: by the ratio of actual to predicted decrease
        if gained > 1e-4 * expected:
            q, z, X, J, E, e, r = q_next, z_next, X_next, J_next, E_next, e_next, r_next
            g, G = g_next, G_next
        if gained < 0.25 * expected:
            kappa *= 4.0
            if kappa > 1e20:
                break
        elif gained > 0.75 * expected:
            kappa = max(0.25 * kappa, 1e-8)
    left = np.abs(np.concatenate([own.row * e.ravel(), g])).max(initial=0.0)
    return Closest(q, e, bool(left <= DONE), g)


def _nearer(own: Residual, X: NDArray, z: list[NDArray]) -> tuple[list[NDArray], NDArray, NDArray]:
    """Return for each loop joint the stepped z or its projection, whichever has the smaller error; with E and e."""
    E, e = own.left_over(X, z)
    other = own.project(X)
    E_other, e_other = own.left_over(X, other)
    row = own.row.reshape(-1, 6)
    better = np.linalg.norm(row * e_other, axis=1) < np.linalg.norm(row * e, axis=1)
    z = [b if take else a for a, b, take in zip(z, other, better, strict=True)]
    return z, np.where(better[:, None, None], E_other, E), np.where(better[:, None], e_other, e)


def _shifts(v_units: tuple[str, ...]) -> NDArray:
    """Return which velocity variables are translational (m/s)."""
    return np.array([unit == "m/s" for unit in v_units], dtype=bool)
