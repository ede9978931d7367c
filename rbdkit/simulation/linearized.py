"""Linearise the equations of motion in joint coordinates by compiled code.

Exact derivatives of the forward dynamics are used where there is code for them; otherwise central differences at all
states in one call. With loops and constraints differences are taken between states that satisfy them, along the
admissible directions only, since accelerations at open loops say nothing of the mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels, kernels_for
from rbdkit.formulations import JointSystem, LinearSystem, System
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.rank import arcs_of
from rbdkit.model.element_states import split_states
from rbdkit.simulation.forces import Constant, Scheduled, at_states

STEP = 1e-6
"""Step of finite differences: displacements, rad or m; velocities, rad/s or m/s, relative to their size if above 1."""

CLOSINGS = 2
"""Number of Newton steps that close loops: after a displacement of 1e-6 the first leaves an error of 1e-12, the second
round-off."""

RANK = 1e-8
"""Relative threshold of the rank decision on normalised constraint rows; smaller singular values belong to redundant
rows."""

DENSE = 200
"""Number of velocity variables up to which full derivatives cost less than Krylov products with a vector."""

FEW = 100
"""Number of velocity variables up to which finite differences are affordable."""


class Near(NamedTuple):
    """A system near a state."""

    system: System
    t: float
    x: NDArray
    v: NDArray


def in_joints(system: System) -> TypeGuard[JointSystem]:
    """Whether the compiled kernels compute the same rates as the system."""
    if type(system) is ClosedJointSystem:
        return system.compiled and system.baumgarte is None
    return type(system) is JointSystem


def linearized(states: Sequence[Near]) -> list[LinearSystem | None]:
    """Linearise systems near states, as `rbdkit.formulations.linearize` does; None for states without compiled code.

    Derivatives of the dynamics are exact where there is code for them. User functions, and models with force elements,
    mimic joints or prescribed joints, are differentiated by central differences, at all states at once; with loops and
    constraints along the admissible directions, state by state.
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
            if isinstance(systems[0], ClosedJointSystem) and not systems[0].nonholonomic:
                if len(states) > 1:  # each has directions of its own
                    return [linear for near in states for linear in linearized([near])]
                K, C = _where_closed(systems, kernels, t, x, v)
            else:
                K, C = _by_differences(systems, kernels, t, x, v, _around(systems[0].model, x, v))
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
    q_near, v_near, steps = _around(systems[0].model, x, v)
    tau_q, tau_v = _quotients(_near(systems, "tau", t, q_near, v_near), steps)
    # a feedback law adds its own slopes, by the chain rule
    return K + by_tau @ tau_q, C + by_tau @ tau_v


def _where_closed(
    systems: Sequence[JointSystem], kernels: Kernels, t: NDArray, x: NDArray, v: NDArray
) -> tuple[NDArray, NDArray]:
    """Return K and C at one state along the directions that loops and constraints allow, zero along all others.

    Differences are taken between states with closed loops: accelerations at open loops, or with other rows left out as
    redundant, say nothing of the mechanism.
    """
    model, n = systems[0].model, v.shape[1]
    arcs, closing = np.ones(n), _Closing(model, kernels, float(t[0]), x[0], v[0])
    arcs[: model.nv] = closing.arcs
    allowed = np.eye(n)  # states of force elements move as they like
    allowed = np.concatenate([np.pad(closing.allowed, ((0, n - model.nv), (0, 0))), allowed[:, model.nv :]], axis=1)
    d = allowed.shape[1]
    if not d:
        return np.zeros((1, n, n)), np.zeros((1, n, n))
    steps = np.full((1, 2 * d), STEP)
    steps[:, d:] *= np.maximum(1.0, np.abs((v / arcs) @ allowed))
    moves, q_near, v_near = arcs * allowed.T, np.repeat(x, 4 * d, axis=0), np.repeat(v, 4 * d, axis=0)
    there = np.concatenate([steps[0, :d, None] * moves, -steps[0, :d, None] * moves])
    faster = steps[0, d:, None] * moves
    q_near[: 2 * d], v_near[: 2 * d, : model.nv] = closing.closed(there[:, : model.nv], v[0, : model.nv])
    v_near[2 * d : 3 * d] += faster
    v_near[3 * d :] -= faster
    K, C = _by_differences(systems, kernels, t, x, v, (q_near[None], v_near[None], steps))
    back = allowed.T / arcs
    # the part of accelerations along allowed directions; the rest follows from the constraints
    onto = (arcs[:, None] * allowed) @ back
    return onto @ K @ back, onto @ C @ back


class _Closing:
    """States with closed loops around a given one.

    arcs : (nv,) units of joint displacements, so that angles and lengths compare. allowed : (nv, d) orthonormal basis,
    in these units, of the directions that keep loops closed.
    """

    def __init__(self, model: Model, kernels: Kernels, t: float, q: NDArray, v: NDArray) -> None:
        self.model, self.kernels, self.t, self.q = model, kernels, t, q
        self.arcs = arcs_of(model, length_of(model))
        K = kernels.constraint_rows(q, v[: model.nv], t).K * self.arcs
        size = np.linalg.norm(K, axis=1)
        self.size = np.where(size > 0.0, size, 1.0)  # rows are rad and m
        _, s, V = np.linalg.svd(K / self.size[:, None])
        self.allowed = V[int(np.sum(s > RANK * s.max(initial=0.0))) :].T

    def closed(self, moves: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return coordinates (k, nq) and velocities (k, nv) after displacements (k, nv), projected onto the loops."""
        q = self.model.move(np.repeat(self.q[None], len(moves), axis=0), moves)
        v = np.repeat(v[None], len(moves), axis=0)
        for _ in range(CLOSINGS):
            rows = self.kernels.constraint_rows(q, v, self.t)
            q = self.model.move(q, self._least(rows.K, rows.gap))
        rows = self.kernels.constraint_rows(q, v, self.t)
        return q, v + self._least(rows.K, rows.slip)

    def _least(self, K: NDArray, error: NDArray) -> NDArray:
        """Return the smallest displacements or velocities (k, nv) that remove errors (k, m)."""
        inverse = np.linalg.pinv(K * self.arcs / self.size[:, None], rcond=RANK)
        return -self.arcs * np.einsum("knm,km->kn", inverse, error / self.size)


def _by_differences(
    systems: Sequence[JointSystem],
    kernels: Kernels,
    t: NDArray,
    x: NDArray,
    v: NDArray,
    around: tuple[NDArray, NDArray, NDArray],
) -> tuple[NDArray, NDArray]:
    """Return K and C by central differences. around : states near each one, from `_around`."""
    q_near, v_near, steps = around
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
    """Return the values of a force of each of m systems at the states around its own, (m, 4 n, ...)."""
    states = zip(systems, t, q_near, v_near, strict=True)
    return np.array([at_states(getattr(system, force), np.full(len(q), s), q, v) for system, s, q, v in states])


def _around(model: Model, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return states around each of m, (m, 4 n, nq) and (m, 4 n, n), and the steps, (m, 2 n).

    The order is: n displacements forward, n backward, n velocities increased, n decreased.
    """
    m, n = v.shape
    steps, places = np.full((m, 2 * n), STEP), np.arange(n)
    steps[:, n:] *= np.maximum(1.0, np.abs(v))
    q_near, v_near, moves = np.empty((m, 4 * n, x.shape[1])), np.empty((m, 4 * n, n)), np.zeros((m, 2 * n, n))
    q_near[:], v_near[:] = x[:, None], v[:, None]
    moves[:, places, places], moves[:, n + places, places] = steps[:, :n], -steps[:, :n]
    q_near[:, : 2 * n] = model.move(q_near[:, : 2 * n], moves[..., : model.nv])
    v_near[:, 2 * n + places, places] += steps[:, n:]
    v_near[:, 3 * n + places, places] -= steps[:, n:]
    return q_near, v_near, steps


def _quotients(values: NDArray, steps: NDArray) -> tuple[NDArray, NDArray]:
    """Return the derivatives (m, n, n) by displacements and by velocities of values (m, 4 n, n), see `_around`."""
    m, n = len(steps), steps.shape[1] // 2
    there, back, faster, slower = np.moveaxis(values.reshape(m, 4, n, -1), 1, 0)
    by_q, by_v = (there - back) / (2.0 * steps[:, :n, None]), (faster - slower) / (2.0 * steps[:, n:, None])
    return np.swapaxes(by_q, 1, 2), np.swapaxes(by_v, 1, 2)
