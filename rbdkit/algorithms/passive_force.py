"""Passive forces of a model: springs and dampers of the joints, and force elements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.force_elements import element_force
from rbdkit.model import Joint, Model
from rbdkit.model.kept import kept


def passive_force(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0, z: NDArray | None = None) -> NDArray:
    """Return the passive joint forces (nv,): ``-damping * v - A.T (stiffness * u)``, and those of force elements.

    u is the displacement from the spring's rest, ``integrate(rest, u) = q``, and ``du/dt = A v``: so the spring force
    is minus the gradient of `spring_energy` on curved joints too. Force elements contribute ``sum J_i^T f_i`` of their
    wrenches on bodies, and their joint torques. t : time in s, for prescribed joints. z : (nz,) states of force
    elements.
    """
    tau = joint_passive_force(model, q, qd)
    return tau + element_force(model, q, qd, t=t, z=z) if model.acting else tau


def joint_passive_force(model: Model, q: NDArray, qd: NDArray) -> NDArray:
    """Return the part of `passive_force` due to the stiffness and damping of the joints themselves, shape (nv,)."""
    tau = np.zeros(model.nv)
    for joint in model.joints:
        if joint.damping.any() or joint.stiffness.any():
            scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
            tau[joint.v_slice] -= scale * resistance(joint, q, qd)
    return tau


def resistance(joint: Joint, q: NDArray, qd: NDArray) -> NDArray:
    """Return the force (nv,) by which a joint's damper and spring resist: ``damping * v + A.T (stiffness * u)``."""
    u = joint.stretch(q)
    return joint.damping * joint.velocities(qd) + joint.local_force(u, joint.stiffness * u)


def spring_energy(model: Model, q: NDArray) -> NDArray:
    """Return the energy stored in the joint springs, J; stacks allowed: (..., nq) -> (...)."""
    energy = np.zeros(np.shape(q)[:-1])
    for joint in model.joints:
        energy = energy + joint_spring_energy(joint, q)
    return energy


def joint_spring_energy(joint: Joint, q: NDArray) -> NDArray:
    """Return the energy 1/2 u . (stiffness * u) stored in the spring of a joint, J; stacks as in `spring_energy`."""
    u = joint.stretch(q)
    return 0.5 * (u * u @ joint.stiffness)


def dissipation(model: Model, qd: NDArray) -> NDArray:
    """Return the power lost in the joint dampers, W; stacks allowed: (..., nv) -> (...)."""
    power = np.zeros(np.shape(qd)[:-1])
    for joint in kept(model, damped_joints):
        squares = joint.velocities(qd) ** 2
        power = power + (squares @ joint.damping if joint.nv > 1 else squares[..., 0] * joint.damping[0])
    return power


def damped_joints(model: Model) -> tuple[Joint, ...]:
    """Return the joints that have damping."""
    return tuple(joint for joint in model.joints if joint.damping.any())
