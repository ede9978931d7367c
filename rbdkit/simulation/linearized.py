"""Joint coordinates near one of their states, by compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels, kernels_for
from rbdkit.formulations import JointSystem, LinearSystem, System
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.model.element_states import split_states
from rbdkit.simulation.forces import Constant, Scheduled, at_states

STEP = 1e-6
"""Of differences: of displacements, rad or m, and of velocities in units of 1 rad/s, or of their own if larger."""

DENSE = 200
"""Velocity variables up to which compiled derivatives cost less than the products with a vector that replace them."""

FEW = 100
"""Velocity variables up to which states around one are few enough for the code that one state has."""


class Near(NamedTuple):
    """A system near a state."""

    system: System
    t: float
    x: NDArray
    v: NDArray


def in_joints(system: System) -> TypeGuard[JointSystem]:
    """Whether the engine computes what a system's `rate` does."""
    if type(system) is ClosedJointSystem:
        return system.compiled and system.baumgarte is None
    return type(system) is JointSystem


def linearized(states: Sequence[Near]) -> list[LinearSystem | None]:
    """What `rbdkit.formulations.linearize` finds, for some numbers of its work; None where there is no such code.

    Derivatives of the dynamics are exact where there is code for them; what a user's functions add, and all of models
    with force elements, or joints that follow others or move as time says, comes from central differences, at all
    states at once.
    """
    first = states[0].system
    model = first.model if in_joints(first) else None
    if model is None or model.nv > DENSE or (kernels := kernels_for(model)) is None:
        return [None] * len(states)
    systems = [near.system for near in states if in_joints(near.system) and near.system.model is model]
    f_ext = systems[0].f_ext
    alike = len(systems) == len(states) and all(system.f_ext is f_ext for system in systems)
    in_time = kernels.driven or kernels.timed or kernels.rows_timed
    if len(states) > 1 and (in_time or not alike):  # one call has one time, one kind of force
        return [linear for near in states for linear in linearized([near])]
    t, x, v = (np.array([near[k] for near in states]) for k in (1, 2, 3))
    with np.errstate(all="ignore"):
        if (
            kernels.loops
            or kernels.coupled
            or kernels.driven
            or kernels.own is not None
            or not isinstance(f_ext, Constant | None)
        ):
            if v.shape[1] > FEW:
                return [None] * len(states)
            K, C = _by_differences(systems, kernels, t, x, v)
        else:
            K, C = _by_derivatives(systems, kernels, t, x, v)
    sound = np.isfinite(K).all(axis=(1, 2)) & np.isfinite(C).all(axis=(1, 2))
    return [LinearSystem(*one) if good else None for *one, good in zip(K, C, sound, strict=True)]


def _by_derivatives(
    systems: Sequence[JointSystem], kernels: Kernels, t: NDArray, x: NDArray, v: NDArray
) -> tuple[NDArray, NDArray]:
    states = list(zip(systems, t, x, v, strict=True))
    f_ext = None if systems[0].f_ext is None else systems[0].f_ext(t[0], x[0], v[0])
    tau = np.array([system.tau(*state) for system, *state in states])
    (K, C, by_tau), _ = kernels.aba_jacobian(x, v, tau, f_ext, passive=True)
    if all(isinstance(system.tau, Scheduled) for system in systems):
        return K, C
    q_near, v_near, steps = _around(systems[0], x, v)
    tau_q, tau_v = _quotients(_near(systems, "tau", t, q_near, v_near), steps)
    return K + by_tau @ tau_q, C + by_tau @ tau_v


def _by_differences(
    systems: Sequence[JointSystem], kernels: Kernels, t: NDArray, x: NDArray, v: NDArray
) -> tuple[NDArray, NDArray]:
    q_near, v_near, steps = _around(systems[0], x, v)
    v_near, z_near = split_states(systems[0].model, v_near)
    tau = _near(systems, "tau", t, q_near, v_near)
    f_ext = None if systems[0].f_ext is None else _near(systems, "f_ext", t, q_near, v_near)
    q_near, v_near, tau = (x.reshape(-1, x.shape[-1]) for x in (q_near, v_near, tau))
    z_near = None if z_near is None else z_near.reshape(-1, z_near.shape[-1])
    f_ext = None if f_ext is None else f_ext.reshape(len(q_near), *f_ext.shape[-2:])
    rates = kernels.forward_dynamics(q_near, v_near, tau, f_ext, float(t[0]), z_near)
    if z_near is not None:
        rates = np.concatenate([rates, kernels.own_state_rates(q_near, v_near, z_near, float(t[0]))], axis=-1)
    return _quotients(rates, steps)


def _near(systems: Sequence[JointSystem], force: str, t: NDArray, q_near: NDArray, v_near: NDArray) -> NDArray:
    """Values of a force of each of m systems at the states around one, (m, 4 n, ...)."""
    states = zip(systems, t, q_near, v_near, strict=True)
    return np.array([at_states(getattr(system, force), np.full(len(q), s), q, v) for system, s, q, v in states])


def _around(system: JointSystem, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """States near each of m: its n displacements there and back, then its velocities, (m, 4 n, nq) and (m, 4 n, n);
    and how far they are, (m, 2 n)."""
    m, n = v.shape
    steps, places = np.full((m, 2 * n), STEP), np.arange(n)
    steps[:, n:] *= np.maximum(1.0, np.abs(v))
    q_near, v_near, moves = np.empty((m, 4 * n, x.shape[1])), np.empty((m, 4 * n, n)), np.zeros((m, 2 * n, n))
    q_near[:], v_near[:] = x[:, None], v[:, None]
    moves[:, places, places], moves[:, n + places, places] = steps[:, :n], -steps[:, :n]
    q_near[:, : 2 * n] = system.model.move(q_near[:, : 2 * n], moves[..., : system.model.nv])
    v_near[:, 2 * n + places, places] += steps[:, n:]
    v_near[:, 3 * n + places, places] -= steps[:, n:]
    return q_near, v_near, steps


def _quotients(values: NDArray, steps: NDArray) -> tuple[NDArray, NDArray]:
    """Derivatives (m, n, n) by displacements and by velocities of values (m, 4 n, n) at the states of `_around`."""
    m, n = len(steps), steps.shape[1] // 2
    there, back, faster, slower = np.moveaxis(values.reshape(m, 4, n, -1), 1, 0)
    by_q, by_v = (there - back) / (2.0 * steps[:, :n, None]), (faster - slower) / (2.0 * steps[:, n:, None])
    return np.swapaxes(by_q, 1, 2), np.swapaxes(by_v, 1, 2)
