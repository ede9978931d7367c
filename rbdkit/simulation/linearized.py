"""Joint coordinates near one of their states, by compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels, kernels_for
from rbdkit.formulations import JointSystem, LinearSystem, System
from rbdkit.simulation.forces import Constant, Scheduled, at_states

STEP = 1e-6
"""Of differences: of displacements, rad or m, and of velocities in units of 1 rad/s, or of their own if larger."""

FEW = 100
"""Velocity variables up to which states around one are few enough for the code that one state has."""


def linearized(system: System, t: float, x: NDArray, v: NDArray) -> LinearSystem | None:
    """What `rbdkit.formulations.linearize` finds, for some numbers of its work; None if there is no such code.

    Derivatives of the dynamics are exact where there is code for them; what a user's functions add, and all of models
    with force elements, or joints that follow others or move as time says, comes from central differences, at all
    states at once.
    """
    if type(system) is not JointSystem or (kernels := kernels_for(system.model)) is None:
        return None
    constant = isinstance(system.f_ext, Constant | None)
    with np.errstate(all="ignore"):
        if kernels.coupled or kernels.driven or kernels.own is not None or not constant:
            if len(v) > FEW:
                return None
            linear = _by_differences(system, kernels, t, x, v)
        else:
            linear = _by_derivatives(system, kernels, t, x, v)
    return linear if np.isfinite(linear.K).all() and np.isfinite(linear.C).all() else None


def _by_derivatives(system: JointSystem, kernels: Kernels, t: float, x: NDArray, v: NDArray) -> LinearSystem:
    f_ext = None if system.f_ext is None else system.f_ext(t, x, v)
    (K, C, by_tau), _ = kernels.aba_jacobian(x, v, system.tau(t, x, v), f_ext, passive=True)
    if not isinstance(system.tau, Scheduled):
        q_near, v_near, steps = _around(system, x, v)
        tau = at_states(system.tau, np.full(len(q_near), t), q_near, v_near)
        tau_q, tau_v = _quotients(tau, steps)
        K, C = K + by_tau @ tau_q, C + by_tau @ tau_v
    return LinearSystem(K, C)


def _by_differences(system: JointSystem, kernels: Kernels, t: float, x: NDArray, v: NDArray) -> LinearSystem:
    q_near, v_near, steps = _around(system, x, v)
    at = np.full(len(q_near), t)
    tau = at_states(system.tau, at, q_near, v_near)
    f_ext = None if system.f_ext is None else at_states(system.f_ext, at, q_near, v_near)
    return LinearSystem(*_quotients(kernels.forward_dynamics(q_near, v_near, tau, f_ext, t), steps))


def _around(system: JointSystem, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """States near one: its n displacements there and back, then its velocities, (4 n, nq) and (4 n, n); and how far
    they are, (2 n,)."""
    n = len(v)
    steps, places = np.full(2 * n, STEP), np.arange(n)
    steps[n:] *= np.maximum(1.0, np.abs(v))
    q_near, v_near, moves = np.empty((4 * n, len(x))), np.empty((4 * n, n)), np.zeros((2 * n, n))
    q_near[:], v_near[:] = x, v
    moves[places, places], moves[n + places, places] = steps[:n], -steps[:n]
    q_near[: 2 * n] = system.model.move(q_near[: 2 * n], moves)
    v_near[2 * n + places, places] += steps[n:]
    v_near[3 * n + places, places] -= steps[n:]
    return q_near, v_near, steps


def _quotients(values: NDArray, steps: NDArray) -> tuple[NDArray, NDArray]:
    """Derivatives (n, n) by displacements and by velocities of values (4 n, n) at the states of `_around`."""
    n = len(steps) // 2
    there, back, faster, slower = values.reshape(4, n, -1)
    return (there - back).T / (2.0 * steps[:n]), (faster - slower).T / (2.0 * steps[n:])
