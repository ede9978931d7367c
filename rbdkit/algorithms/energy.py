"""Energy and the power that changes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.force_elements import element_power, element_rates, with_elements
from rbdkit.algorithms.kinematics import forward_kinematics, in_world
from rbdkit.algorithms.passive_force import dissipation, passive_force, spring_energy
from rbdkit.algorithms.rnea import rnea
from rbdkit.model import Model
from rbdkit.spatial.cross import cross_force


@dataclass(frozen=True)
class Energy:
    """Energy of one state or a stack of states, J; each field has shape (...).

    Attributes
    ----------
    kinetic : ndarray
        Of bodies and rotors.
    gravitational : ndarray
        Zero when every centre of mass is at the world origin.
    spring : ndarray
        In the springs of the joints and in force elements.
    """

    kinetic: NDArray
    gravitational: NDArray
    spring: NDArray

    @property
    def potential(self) -> NDArray:
        """Gravitational and spring energy together."""
        return self.gravitational + self.spring

    @property
    def total(self) -> NDArray:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


def energy(model: Model, q: NDArray, v: NDArray, *, t: float = 0.0, z: NDArray | None = None) -> Energy:
    """Kinetic energy 1/2 sum v_i . I_i v_i (Featherstone 2008, Eq 2.67) and potential energy; stacks allowed.

    z : (..., nz) the states of force elements, where they have some.
    """
    kinematics = forward_kinematics(model, q, v, t=t)
    kinetic, gravitational = np.zeros(q.shape[:-1]), np.zeros(q.shape[:-1])
    for i in model.outward:
        v_i = kinematics.velocities[..., i, :]  # type: ignore[index]
        kinetic = kinetic + 0.5 * np.einsum("...a,ab,...b", v_i, model.I[i], v_i)
        joint, body = model.joints[i], model.bodies[i]
        if joint.armature.any():
            kinetic = kinetic + 0.5 * (joint.velocities(v) ** 2 @ joint.armature)
        if body.inertia is not None:
            com = kinematics.poses[..., i, :3, :3] @ body.inertia.com + kinematics.poses[..., i, :3, 3]
            gravitational = gravitational - body.inertia.mass * (com @ model.gravity)
    spring = spring_energy(model, q)
    if model.acting:
        spring = spring + element_power(model, q, v, t=t, z=z)[0]
    return Energy(kinetic, gravitational, spring)


@dataclass(frozen=True)
class PowerBalance:
    """Where the energy goes, W: ``energy_rate = applied + external + driven - dissipated``.

    Attributes
    ----------
    energy_rate : ndarray
        Rate of kinetic plus potential energy, from the accelerations.
    applied : ndarray
        tau . v.
    external : ndarray
        Of f_ext.
    driven : ndarray
        Of the motors that move prescribed joints, and of constraints that time moves.
    dissipated : ndarray
        In the dampers, and by force elements.
    """

    energy_rate: NDArray
    applied: NDArray
    external: NDArray
    driven: NDArray
    dissipated: NDArray

    @property
    def residual(self) -> NDArray:
        """What does not balance: round-off, if the accelerations belong to the forces."""
        return self.energy_rate - self.applied - self.external - self.driven + self.dissipated


def power_balance(
    model: Model,
    q: NDArray,
    v: NDArray,
    vdot: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    z: NDArray | None = None,
) -> PowerBalance:
    """Power balance of one state: rate of energy against the power of what acts on the system.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    v, vdot, tau : ndarray
        (nv,) joint velocities, accelerations and applied forces (without springs and dampers).
    f_ext : ExternalForces, optional
        External forces, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    z : ndarray (nz,), optional
        States of force elements, where they have some.

    Notes
    -----
    The rate of energy is taken body by body, ``v_i . (I_i a_i + v_i x* I_i v_i) - m g . v_com``, and joint by joint for
    springs and rotors: it uses no joint-space quantity, so it checks those. Joints that close loops do no work, so the
    balance holds with them too, unless time moves what they hold. Then their reactions pass on what motors do: with
    ``K v + k_d = 0``, where k_d is the slip that prescribed motions alone would make, they bring ``-lambda . k_d`` to
    the joints of the tree. Where reactions are indeterminate, their power is not.
    """
    result = rnea(model, q, v, vdot, f_ext=with_elements(model, q, v, f_ext=f_ext, t=t, z=z), t=t)
    rate = driven = 0.0
    for i in model.outward:
        joint, v_i = model.joints[i], result.v[i]
        # a[0] = -gravity makes I a contain the weight: this is the rate of kinetic and gravitational energy together
        rate += v_i @ (model.I[i] @ result.a[i] + cross_force(v_i, model.I[i] @ v_i))
        rate += joint.armature @ (joint.velocities(v) * joint.velocities(vdot))
        if joint.stiffness.any():
            u = joint.type.difference(joint.rest, joint.coordinates(q))
            rate += (joint.stiffness * u) @ (joint.type.local_rate(u) @ joint.velocities(v))
        if joint.nv == 0:  # it moves only if it is driven
            driven += result.f[i] @ joint.velocity(q, v, t)
    if model.loops or model.constraints:
        known = tau + passive_force(model, q, v, t=t, z=z)
        driven += _through_loops(model, q, rnea(model, q, v, vdot, f_ext=f_ext, t=t).tau - known, t)
    external = external_power(model, q, v, f_ext, t=t)
    stored, lost = element_rates(model, q, v, t=t, z=z)
    dissipated = dissipation(model, v) + lost
    return PowerBalance(np.asarray(rate + stored), tau @ v, np.asarray(external), np.asarray(driven), dissipated)


def _through_loops(model: Model, q: NDArray, reaction: NDArray, t: float) -> float:
    """Power that prescribed motions bring in through loops and constraints, W; reaction : (nv,) K^T lambda."""
    from rbdkit.algorithms import loops  # which most models never need

    still = np.zeros(model.nv)
    constraint = loops.with_elements(loops.loop_constraint(model, q, still, t=t), model, q, still, t=t)
    if not constraint.delta_dot.any():
        return 0.0
    kept = list(loops.independent_rows(constraint))
    lam = np.linalg.lstsq(constraint.scaled[kept].T, constraint.per_column * reaction, rcond=None)[0]
    return -float(lam @ (constraint.per_row * constraint.delta_dot)[kept])


def external_power(model: Model, q: NDArray, v: NDArray, f_ext: ExternalForces, *, t: float = 0.0) -> float:
    """Power of external forces at one state, W: the sum of f_i . v_i in world coordinates."""
    f = external_forces(model, f_ext)
    if f is None:
        return 0.0
    kinematics = forward_kinematics(model, q, v, t=t)
    return float(np.sum(f * in_world(kinematics.poses, kinematics.velocities)))  # type: ignore[arg-type]
