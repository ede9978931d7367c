"""Stored energy and dissipation of force elements, by the actual poses of the bodies, not by joint coordinates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.force_elements import STEP
from rbdkit.model.force import ForcesAtState, power

At = Callable[[float, NDArray, NDArray], ForcesAtState]
"""Function that gives the elements at a time, in a state (nx,), with velocities and states of elements (nw,)."""


def stored(at: At, x: NDArray, v: NDArray, t: float) -> NDArray:
    """Return the energy stored in the elements, J; stacks allowed: (..., nx) -> (...)."""
    found = np.zeros(x.shape[:-1])
    for k in np.ndindex(found.shape):
        found[k] = at(t, x[k], v[k]).energy()
    return found


def lost(at: At, move: Callable[[NDArray, NDArray], NDArray], x: NDArray, v: NDArray, qd: NDArray, t: float) -> float:
    """Return the power that the elements dissipate at one state, W: minus that of their forces, minus the stored power.

    The rate of the stored energy is a central difference of order 4 along the motion of the bodies, whatever their
    joints allow. move : moves a state along a velocity. qd : (nv,) velocities of the joints.
    """
    acting = at(t, x, v)
    rates = acting.act()
    # no displacement, and no change of a state, by more than STEP
    h = STEP / max(1.0, float(np.abs(v).max(initial=0.0)), float(np.abs(rates).max(initial=0.0)))
    first = len(v) - len(rates)

    def energy(s: float) -> float:
        z = np.concatenate([v[:first], v[first:] + s * h * rates])
        return at(t + s * h, move(x, s * h * v), z).energy()

    # weights of the central difference of order 4
    ends = [energy(s) for s in (-2.0, -1.0, 1.0, 2.0)]
    return -power(acting.at, qd) - float(np.dot(ends, [1.0, -8.0, 8.0, -1.0])) / (12.0 * h)
