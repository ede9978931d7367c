"""Constraint elements of a model as rows on the twists of its bodies, after those of joints.

`rbdkit.model.constraint_rows` gives them in world axes at the body frames. Here they are transformed to the reference
frames, and rows on velocity variables of joints become wrenches on the two bodies of a joint.

Gaps may depend on joint angles, as those of gears do. Poses of bodies determine such angles up to whole turns only; a
gap is therefore known up to a period: the greatest common divisor of what whole turns of the joints change in it, which
exists if gear ratios are fractions (`periods`). Gaps are taken modulo the period, as the nearest to zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.forces import BodyMotion
from rbdkit.formulations.constrained.joint_constraints import JointConstraints, Relative
from rbdkit.formulations.constrained.joint_forces import joint_rates
from rbdkit.model import Model
from rbdkit.model.constraint_rows import ConstraintRows, RowValues, constraint_rows
from rbdkit.spatial import se3

TRIALS = 3
"""Number of random states at which the effect of whole turns is examined."""
FINEST = 1000
"""Largest denominator of a gear ratio that counts as a fraction."""


@dataclass(frozen=True, eq=False)
class OwnValues:
    """Rows at one state. J : (m, bodies, 6), with the world. gap, slip, eta : (m,).

    open : largest constraint violation as an angle, rad, for the rank decision.
    """

    J: NDArray
    gap: NDArray
    slip: NDArray
    eta: NDArray
    open: float


class OwnRows:
    """Rows of all constraint elements of a model. length : by which shifts are divided, m."""

    def __init__(
        self, model: Model, rows: ConstraintRows, joints: JointConstraints, offsets: NDArray, length: float
    ) -> None:
        self.model, self.rows, self.joints, self.length = model, rows, joints, length
        self.m = rows.m
        self._inner, self._to_body = se3.inverse(offsets), se3.adjoint(offsets)
        joint_of = {a: i for i, j in enumerate(model.joints) for a in range(j.v_slice.start, j.v_slice.stop)}
        self._joints = sorted({joint_of[a] for a in rows.velocities})
        self.periods = periods(model, rows)

    @property
    def asks_joints(self) -> bool:
        """Whether `at` needs joint coordinates and velocities."""
        return self.rows.asks_joints

    def at(self, C: NDArray, V: NDArray, relative: Relative, q: NDArray, v: NDArray, t: float) -> OwnValues:
        """Return all rows at one state. C, V : poses and twists of the reference frames, the world first."""
        T, U = C @ self._inner, (self._to_body @ V[..., None])[..., 0]

        def motion(body: int) -> BodyMotion:
            R = T[body, :3, :3]
            return BodyMotion(R, T[body, :3, 3], R @ U[body, :3], R @ U[body, 3:])

        found = self.rows.at(q, v, t, motion)
        J, eta = np.zeros((self.m, len(C), 6)), -found.drift
        for k, body in enumerate(self.rows.bodies):
            R, wrenches = T[body, :3, :3], found.wrenches[:, k]
            J[:, body] = np.concatenate([wrenches[:, :3] @ R, wrenches[:, 3:] @ R], axis=1) @ self._to_body[body]
            # rows are for accelerations of points; spatial accelerations are less by w x v
            eta -= wrenches[:, 3:] @ R @ np.cross(U[body, :3], U[body, 3:])
        if self._joints:
            P, bias, velocities = joint_rates(self.model, self.joints, relative, t, self._joints)
            columns = found.joints @ (np.array(self.rows.velocities)[:, None] == velocities)
            J += np.einsum("mk,kba->mba", columns, P)
            eta -= columns @ bias
        squares = np.sum(J[..., 3:] ** 2, axis=-1) + np.sum(J[..., :3] ** 2, axis=-1) / self.length**2
        gap = self._wrapped(found.gap)
        size = self.length * np.sqrt(squares.sum(axis=-1))
        # as an angle, like the closure errors of joints: relative to the size of the row, arcs being at the length
        apart = np.abs(gap) / np.where(size > 0.0, size, np.inf)
        return OwnValues(J, gap, found.slip, eta, float(apart.max(initial=0.0)))

    def at_states(self, T: NDArray, U: NDArray, q: NDArray, v: NDArray, t: float | NDArray) -> RowValues:
        """Return all rows at states (...,). T, U : poses and twists of the body frames, the latter in body axes."""
        found = self.rows.at_bodies(T, U, q, v, t)
        return replace(found, gap=self._wrapped(found.gap))

    def _wrapped(self, gap: NDArray) -> NDArray:
        """Return gaps modulo their periods: poses do not determine whole turns."""
        period = np.where(self.periods > 0.0, self.periods, 1.0)
        return gap - np.where(self.periods > 0.0, period * np.round(gap / period), 0.0)


def own_rows(model: Model, joints: JointConstraints, offsets: NDArray, length: float) -> OwnRows | None:
    """Return the rows of the constraint elements of a model; None if it has none."""
    rows = constraint_rows(model)
    return None if rows is None else OwnRows(model, rows, joints, offsets, length)


def periods(model: Model, rows: ConstraintRows) -> NDArray:
    """Return the periods (m,) by which whole turns of joints change the gaps; 0 where they do not.

    A turn of each joint changes a gap by a constant; the period is the greatest common divisor of these.

    Raises
    ------
    ModelError
        If there is no common divisor (irrational gear ratios), or the change depends on the state.
    """
    found, rng = np.zeros(rows.m), np.random.default_rng(0)
    turning = [
        joint.q_slice.start + k
        for joint in model.joints
        if joint.mimic is None
        for k, unit in enumerate(joint.type.q_units)
        if unit == "rad" and ("load", "q", joint.q_slice.start + k) in rows.law.steps
    ]
    jumps = np.zeros((TRIALS, len(turning), rows.m))
    for trial in range(TRIALS if turning else 0):
        # states in general position; whether all give the same jump shows if the period is constant
        q, v = model.random_q(rng), np.zeros(model.nv)
        R = se3.exp(rng.normal(size=6))
        motion = BodyMotion(R[:3, :3], R[:3, 3], np.zeros(3), np.zeros(3))
        here = _gaps(rows, q, v, motion)
        for i, k in enumerate(turning):
            turned = q.copy()
            turned[k] += 2.0 * np.pi
            jumps[trial, i] = _gaps(rows, turned, v, motion) - here
    near = 1e-9 * max(1.0, float(np.abs(jumps).max(initial=0.0)))
    for r, row in enumerate(rows.rows):
        steps = np.abs(jumps[0, :, r])
        steps = steps[steps > near]
        if np.abs(jumps[..., r] - jumps[0, :, r]).max(initial=0.0) > near:
            found[r] = np.nan
        elif len(steps):
            # ratios to the first jump as fractions: over their common denominator, the divisor is one of whole numbers
            parts = [Fraction(float(x / steps[0])).limit_denominator(FINEST) for x in steps]
            exact = all(abs(float(part) * steps[0] - x) < near for part, x in zip(parts, steps, strict=True))
            whole = lcm(*(part.denominator for part in parts))
            found[r] = steps[0] * gcd(*(int(part * whole) for part in parts)) / whole if exact else np.nan
        if np.isnan(found[r]):
            raise ModelError(
                f"constraint {row.constraint!r} depends on whole turns of joints, which poses of bodies do not tell; "
                "give ratios of whole numbers, or take joint coordinates, formulation 'joint'"
            )
    return found


def _gaps(rows: ConstraintRows, q: NDArray, v: NDArray, motion: BodyMotion) -> NDArray:
    """Return the gaps at a state in which all bodies have the same motion."""
    return rows.at(q, v, 0.0, lambda body: motion).gap
