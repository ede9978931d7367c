"""Force elements of a model: their generalized forces, energy, power and derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.model import Model
from rbdkit.model.force import ForcesAtState, along_joints, power
from rbdkit.spatial.read_numbers import time_in_seconds

STEP = 1e-5
"""Step of finite differences (rad, m, rad/s, m/s or s): round-off costs about 1e-11 of the forces."""


def element_force(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0, z: NDArray | None = None) -> NDArray:
    """Return the part of `passive_force` due to force elements and dry friction, (nv,). z : (nz,) element states."""
    acting = ForcesAtState(model, q, qd, t, z)
    acting.act()
    return along_joints(model, acting.at, q)


def element_state_rates(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0, z: NDArray | None = None) -> NDArray:
    """Return the rates (nz,) of the force elements' states z (nz,)."""
    return ForcesAtState(model, q, qd, t, z).act()


def with_elements(
    model: Model,
    q: NDArray,
    qd: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    z: NDArray | None = None,
) -> NDArray | None:
    """Return external forces plus the wrenches of force elements, (bodies, 6) in world coordinates; None if none.

    For computing the forces that joints transmit, which include no element force on a body. Joint torques of elements
    are left out, because they act along the joints. z : (nz,) element states.
    """
    given = external_forces(model, f_ext)
    if not model.acting:
        return given
    acting = ForcesAtState(model, q, qd, t, z)
    acting.act()
    rows = np.zeros((len(model.bodies), 6)) if given is None else given.copy()
    for body, wrench in acting.at.wrenches.items():
        rows[body] += wrench
    return rows


def element_power(
    model: Model, q: NDArray, qd: NDArray, *, t: float | NDArray = 0.0, z: NDArray | None = None
) -> tuple[NDArray, NDArray]:
    """Return the energy stored in force elements, J, and the power of their forces, W.

    Stacks of states are allowed: (..., nv) -> (...).

    Parameters
    ----------
    t : float or ndarray (...), optional
        Time of all states, or one for each, s.
    z : ndarray (..., nz), optional
        Element states; without leading axes the same for all.
    """
    leading = np.shape(q)[:-1]
    stored, done = np.zeros(leading), np.zeros(leading)
    z = None if z is None else np.broadcast_to(z, (*leading, np.shape(z)[-1]))
    each = leading and isinstance(t, np.ndarray) and t.shape == leading
    times = np.broadcast_to(t if each else time_in_seconds(t), leading)
    for k in np.ndindex(leading) if model.acting else ():
        acting = ForcesAtState(model, q[k], qd[k], float(times[k]), None if z is None else z[k])
        stored[k] = acting.energy()
        acting.act()
        done[k] = power(acting.at, qd[k])
    return stored, done


def element_rates(
    model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0, z: NDArray | None = None
) -> tuple[float, float]:
    """Return the rate of the energy stored in force elements and the power they dissipate, W, at one state.

    The rate is a central difference along the motion. The dissipation is the rest, so that the sum of both is exactly
    minus the power of the element forces.
    """
    if not model.acting:
        return 0.0, 0.0
    zdot = element_state_rates(model, q, qd, t=t, z=z)
    h = STEP / max(1.0, float(np.max(np.abs(qd), initial=0.0)), float(np.max(np.abs(zdot), initial=0.0)))

    def energy(s: float) -> NDArray:
        return element_power(
            model, model.move(q, s * h * qd), qd, t=t + s * h, z=None if z is None else z + s * h * zdot
        )[0]

    ends = [energy(s) for s in (-2.0, -1.0, 1.0, 2.0)]
    stored = float(np.dot(ends, [1.0, -8.0, 8.0, -1.0])) / (12.0 * h)
    return stored, -float(element_power(model, q, qd, t=t, z=z)[1]) - stored


def element_derivatives(
    model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0, z: NDArray | None = None
) -> tuple[NDArray, NDArray]:
    """Return the derivatives of `element_force` by q (along the velocities) and by qd, (nv, nv) each.

    Fourth-order central differences; the step is small against the speed at which regularised dry friction reverses.
    """
    by_q, by_v = np.zeros((2, model.nv, model.nv))
    for k, e in enumerate(np.eye(model.nv)) if model.acting else ():
        lines = [STEP * s * e for s in (-2.0, -1.0, 1.0, 2.0)]
        by_q[:, k] = _slope([element_force(model, model.move(q, x), qd, t=t, z=z) for x in lines])
        by_v[:, k] = _slope([element_force(model, q, qd + x, t=t, z=z) for x in lines])
    return by_q, by_v


def _slope(values: Sequence[NDArray]) -> NDArray:
    """Return the fourth-order central difference of values at -2, -1, 1 and 2 times `STEP`."""
    return (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * STEP)
