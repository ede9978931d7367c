"""Stiffness K and damping D of force elements that cannot be traced, by finite differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.forces import BodyMotion, Surroundings
from rbdkit.model import Model
from rbdkit.model.element_states import state_places
from rbdkit.model.force import Force
from rbdkit.spatial import se3

STEP = 1e-3
"""Step of the differences: rad or m, rad/s or m/s; with four values they are accurate to about 11 digits."""


@dataclass(frozen=True)
class Differenced:
    """Forces of one element at one state, with their derivatives.

    Attributes
    ----------
    bodies : tuple of int
        Numbers of the bodies that it acts on or reads.
    f : ndarray (6 b + nv,)
        Wrenches on these in their own axes, then generalized forces.
    K, D : ndarray (6 b + nv, 6 b + nv)
        ``df/dx`` and ``-df/dv``.
    """

    bodies: tuple[int, ...]
    f: NDArray
    K: NDArray
    D: NDArray


def differenced(model: Model, force: Force, q: NDArray, qd: NDArray, z: NDArray, at: Surroundings) -> Differenced:
    """Return K and D of one element, by four values along each direction. at : motions of the bodies, and the time."""
    asked: set[int] = set()
    element = state_places(model).at_present(force, z)

    def act(motions: dict[int, BodyMotion], q: NDArray, v: NDArray) -> Surroundings:
        def motion(body: int) -> BodyMotion:
            asked.add(body)
            return motions.get(body, at.motion(body))

        here = Surroundings(model, q, v, motion, at.time)
        here.let_act(element)
        return here

    act({}, q, qd)
    bodies = tuple(sorted(body for body in asked if body > 0))
    velocities = tuple(range(model.nv))

    def forces(moved: dict[int, BodyMotion], q: NDArray, v: NDArray) -> NDArray:
        there, rows = act(moved, q, v), []
        for body in bodies:
            motion, wrench = moved.get(body, at.motion(body)), there.wrenches.get(body, np.zeros(6))
            # from the world's origin to that of the body
            n = wrench[:3] - np.cross(motion.p, wrench[3:])
            rows += [motion.R.T @ n, motion.R.T @ wrench[3:]]
        return np.concatenate([np.zeros(0), *rows, [float(there.torques.get(a, 0.0)) for a in velocities]])

    columns: dict[str, list[NDArray]] = {"x": [], "v": []}
    for level, found in columns.items():
        for body in bodies:
            for e in np.eye(6):
                found.append(
                    _slope(
                        [forces({body: _moved(at.motion(body), s * STEP * e, level)}, q, qd) for s in (-2, -1, 1, 2)]
                    )
                )
        for e in np.eye(model.nv):
            steps = [s * STEP * e for s in (-2, -1, 1, 2)]
            if level == "x":
                found.append(_slope([forces({}, model.move(q, step), qd) for step in steps]))
            else:
                found.append(_slope([forces({}, q, qd + step) for step in steps]))
    size = 6 * len(bodies) + len(velocities)
    K, D = (np.reshape(found, (size, size)).T for found in columns.values())
    return Differenced(bodies, forces({}, q, qd), K, -D)


def _moved(motion: BodyMotion, u: NDArray, level: str) -> BodyMotion:
    """Return the motion of a body displaced by u, or with its twist changed by u, in its own frame."""
    R = motion.R
    if level == "v":
        return BodyMotion(R, motion.p, motion.w + R @ u[:3], motion.v + R @ u[3:])
    E = se3.pose(R, motion.p) @ se3.exp(u)
    turn = E[:3, :3] @ R.T
    return BodyMotion(E[:3, :3], E[:3, 3], turn @ motion.w, turn @ motion.v)


def _slope(values: Sequence[NDArray]) -> NDArray:
    """Return the fourth-order central difference of values at -2, -1, 1 and 2 times `STEP`."""
    # exact for polynomials up to degree 4; the error is of order STEP^4
    return (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * STEP)
