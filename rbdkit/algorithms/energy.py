"""Kinetic and potential energy, and the power balance of applied, external, driving and damping forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.force_elements import element_power, element_rates, with_elements
from rbdkit.algorithms.kinematics import forward_kinematics, in_world, outward_pass
from rbdkit.algorithms.passive_force import dissipation, joint_spring_energy, passive_force
from rbdkit.algorithms.rnea import rnea
from rbdkit.algorithms.room import running
from rbdkit.model import Model
from rbdkit.spatial.body import kinetic_energy, mass_moment
from rbdkit.spatial.cross import cross_force


@dataclass(frozen=True)
class Energy:
    """Energy of one state or a stack of states, J; each field has shape (...).

    Attributes
    ----------
    kinetic : ndarray
        Kinetic energy of bodies and rotors.
    gravitational : ndarray
        Potential energy of gravity, zero when every centre of mass is at the world origin.
    spring : ndarray
        Energy stored in the springs of the joints and in force elements.
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
    """Return the kinetic energy 1/2 sum v_i . I_i v_i (Featherstone 2008, Eq 2.67) and the potential energy.

    Stacks of states are allowed.

    z : (..., nz) states of force elements, if they have any.
    """
    T, velocity = outward_pass(model, q, v, t)
    sums = running(model, q, kinetic=float, gravitational=float, spring=float)
    for i in model.outward:
        joint, I, v_J = model.joints[i], model.I[i], model.joints[i].velocities(v)
        sums.kinetic += kinetic_energy(I, velocity[i]) + 0.5 * (v_J * v_J @ joint.armature)  # Eq 2.67, and the rotor
        sums.gravitational -= mass_moment(I, T[i]) @ model.gravity
        sums.spring += joint_spring_energy(joint, q)
    if model.acting:
        sums.spring += element_power(model, q, v, t=t, z=z)[0]
    return Energy(sums.kinetic, sums.gravitational, sums.spring)


@dataclass(frozen=True)
class PowerBalance:
    """Power balance of a state, W: ``energy_rate = applied + external + driven - dissipated``.

    Attributes
    ----------
    energy_rate : ndarray
        Rate of kinetic plus potential energy, from the accelerations.
    applied : ndarray
        Power of the joint forces, tau . v.
    external : ndarray
        Power of the external forces f_ext.
    driven : ndarray
        Power of the motors of prescribed joints, and of time-dependent constraints.
    dissipated : ndarray
        Power lost in dampers and force elements.
    """

    energy_rate: NDArray
    applied: NDArray
    external: NDArray
    driven: NDArray
    dissipated: NDArray

    @property
    def residual(self) -> NDArray:
        """Error of the balance, W: only round-off if the accelerations are those that the forces cause."""
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
    """Return the power balance of one state: rate of energy against the power of all forces.

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
        States of force elements, if they have any.

    Notes
    -----
    The rate of energy is taken body by body, ``v_i . (I_i a_i + v_i x* I_i v_i) - m g . v_com``, and joint by joint for
    springs and rotors. It uses no joint-space quantity, so it is an independent check of those. Loop joints do no work
    unless prescribed motions move the loop. Then their reactions transmit the power of the motors: with
    ``K v + k_d = 0``, where k_d is the velocity error that the prescribed motions alone would cause, they bring
    ``-lambda . k_d`` to the joints of the tree. Indeterminate reactions still have a determinate power.
    """
    result = rnea(model, q, v, vdot, f_ext=with_elements(model, q, v, f_ext=f_ext, t=t, z=z), t=t)
    rate = driven = 0.0
    for i in model.outward:
        joint, v_i = model.joints[i], result.v[i]
        # a[0] = -gravity makes I a contain the weight: this is the rate of kinetic and gravitational energy together
        rate += v_i @ (model.I[i] @ result.a[i] + cross_force(v_i, model.I[i] @ v_i))
        rate += joint.armature @ (joint.velocities(v) * joint.velocities(vdot))
        if joint.stiffness.any():
            u = joint.stretch(q)
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
    """Return the power of prescribed motions through loops and constraints, W; reaction : (nv,) K^T lambda."""
    from rbdkit.algorithms import loops  # imported here because most models never need it

    still = np.zeros(model.nv)
    constraint = loops.with_elements(loops.loop_constraint(model, q, still, t=t), model, q, still, t=t)
    if not constraint.delta_dot.any():
        return 0.0
    kept = list(loops.independent_rows(constraint))
    lam = np.linalg.lstsq(constraint.scaled[kept].T, constraint.per_column * reaction, rcond=None)[0]
    return -float(lam @ (constraint.per_row * constraint.delta_dot)[kept])


def external_power(model: Model, q: NDArray, v: NDArray, f_ext: ExternalForces, *, t: float = 0.0) -> float:
    """Return the power of external forces at one state, W: the sum of f_i . v_i in world coordinates."""
    f = external_forces(model, f_ext)
    if f is None:
        return 0.0
    kinematics = forward_kinematics(model, q, v, t=t)
    return float(np.sum(f * in_world(kinematics.poses, kinematics.velocities)))  # type: ignore[arg-type]
