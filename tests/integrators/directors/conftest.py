"""The cases of Gebhardt and Romero, run, and their exact motion by other means."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.formulations import NonTwistingDirectors
from rbdkit.library.gebhardt_romero import CASES, INERTIA, Case
from rbdkit.simulation.motion import Motion
from rbdkit.spatial import so3


def play(number: int, integrator, h: float, duration: float = 5.0, every: int = 1, formulation=None) -> Motion:
    """Run a case of the body without twist."""
    case = CASES[number - 1]
    tau = case.samples(h)
    return rbd.simulate(
        case.model,
        case.q0,
        case.v0,
        duration,
        h,
        formulation=formulation or NonTwistingDirectors,
        integrator=integrator,
        tau=None if tau is None else tau[: round(duration / h) + 1],
        every=every,
        progress=False,
    )


@cache
def loaded_second(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Directors (11, 3, 3), as columns, of the exact motion at t = 0, 0.1, ... 1, without any rbdkit formulation.

    Pi is Pi(0) plus the impulse along the directors, in closed form; R' = R skew(J^-1 Pi) by DOP853 in two halves,
    since the moment has a corner at half time.
    """
    case: Case = CASES[number - 1]

    def rate(t, r):
        return (r.reshape(3, 3) @ so3.skew(np.linalg.solve(INERTIA, case.momentum(t)))).ravel()

    R, found = np.eye(3), [np.eye(3)]
    for start in (0.0, 0.5):
        times = start + 0.1 * np.arange(1, 6)
        y = solve_ivp(rate, (start, times[-1]), R.ravel(), "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y.T
        found += list(y.reshape(-1, 3, 3))
        R = found[-1]
    return np.arange(11) / 10, so3.project(np.array(found))


@pytest.fixture
def run():
    return play


@pytest.fixture
def exact():
    return loaded_second
