"""Every public function that takes a model honours loops, constraints, mimic and prescribed joints, or refuses them.

The tables below say which; a public function that stands in none of them makes a test fail.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import accuracy, algorithms, costs, engine, formats
from rbdkit.algorithms import constraints, equivalence, gears, sparse
from rbdkit.errors import RbdkitError, StateError
from rbdkit.integrators import RK4

# --- what a function does with a model that is special ----------------------------------------------------------------
REFUSES = "refuses, by the joint's name"
TREE = "speaks of the spanning tree, and its docstring says so"
SAME = "the result is that of the plain tree in the same motion"
FORCE = "rows belong to velocity variables: G^T times that of the plain tree"
COLUMNS = "columns belong to velocity variables: that of the plain tree times G"
MATRIX = "both: G^T times that of the plain tree times G"
FREE = "accelerations under tau: those of H and C of the plain tree"
SPRUNG = "accelerations under tau, springs and dampers likewise"
CLOSED = "accelerations that the loops allow, under tau, springs and dampers: from H, C, K and k by a null space"
CLOSED_SLOPES = "derivatives by q, v and tau of CLOSED, by differences"
SLOPES = "derivatives by q, v and tau of FREE, by differences"
SPRUNG_SLOPES = "derivatives by q, v and tau of SPRUNG, by differences"
PARAMETERS = "FORCE, by name of a parameter"
ZERO = "a residual that must vanish"
ELSEWHERE = "shown by a test of its own, here or beside the others of its kind"


@dataclass(frozen=True)
class Known:
    """call : the function at a `Case`. loops, mimic, driven : what it does with these."""

    call: Callable[[Any], Any]
    loops: str
    mimic: str
    driven: str


def _floating(call: Callable[[Any, Any, np.ndarray], Any]) -> Callable[[Any], Any]:
    return lambda c: call(c, c.base, np.array([0.3, -0.2, 0.5, 1.0, -0.7, 0.2]))


A, R = algorithms, rbd
CONSTRAINTS = {
    **dict.fromkeys(
        (
            "algorithms.articulated.divide_and_conquer.divide_and_conquer",
            "algorithms.articulated.system.take_apart",
            "algorithms.constraints.multibody_system.multibody_system",
        ),
        REFUSES,
    ),
}
"""What knows loops, but not constraints; of what is shown ELSEWHERE, tests/constraints has more."""
UNCHECKED = {
    "algorithms.": "in the form of the sources: arrays in, arrays out; rbdkit.functions looks at what users give",
    "engine.": "compiled code, below the doors",
    "formulations.": "rates of trial steps, which are taken back where they are not finite",
    "costs.custom_code.custom_dynamics": "code made for one model, as a source would print it",
    "formats.": "takes no state",
}
"""Where a number that is not finite is taken as it is, with the reason."""
TABLE = {
    # inverse dynamics and what it is made of
    "functions.terms.rnea": Known(lambda c: R.rnea(c.m, c.q, c.v, c.a, f_ext=c.f, t=c.t), TREE, FORCE, FORCE),
    "functions.terms.bias_force": Known(
        lambda c: R.bias_force(c.m, c.q, c.v, f_ext=c.f, t=c.t), TREE, FORCE, ELSEWHERE
    ),
    "functions.terms.crba": Known(lambda c: R.crba(c.m, c.q, t=c.t), TREE, MATRIX, MATRIX),
    "functions.terms.gravity_force": Known(lambda c: R.gravity_force(c.m, c.q, t=c.t), TREE, FORCE, FORCE),
    "functions.terms.passive_force": Known(lambda c: R.passive_force(c.m, c.q, c.v), SAME, FORCE, FORCE),
    "algorithms.rnea.rnea": Known(lambda c: A.rnea(c.m, c.q, c.v, c.a, f_ext=c.f, t=c.t).tau, TREE, FORCE, FORCE),
    "algorithms.rnea_base.rnea_base": Known(
        lambda c: A.rnea_base(c.m, c.q, c.v, c.a, f_ext=c.f, t=c.t), TREE, FORCE, FORCE
    ),
    "algorithms.luh_walker_paul.luh_walker_paul": Known(
        lambda c: A.luh_walker_paul(c.m, c.q, c.v, c.a).tau, TREE, ELSEWHERE, REFUSES
    ),
    "algorithms.bias_force.bias_force": Known(
        lambda c: A.bias_force(c.m, c.q, c.v, f_ext=c.f, t=c.t), TREE, FORCE, ELSEWHERE
    ),
    "algorithms.bias_force.coriolis_force": Known(
        lambda c: A.coriolis_force(c.m, c.q, c.v, t=c.t), TREE, FORCE, ELSEWHERE
    ),
    "algorithms.bias_force.gravity_force": Known(lambda c: A.gravity_force(c.m, c.q, t=c.t), TREE, FORCE, FORCE),
    "algorithms.crba.crba": Known(lambda c: A.crba(c.m, c.q, t=c.t).H, TREE, MATRIX, MATRIX),
    "algorithms.crba.crba_base": Known(lambda c: A.crba_base(c.m, c.q, t=c.t), TREE, MATRIX, MATRIX),
    "algorithms.inertia_matrix_columns.inertia_matrix_columns": Known(
        lambda c: A.inertia_matrix_columns(c.m, c.q, t=c.t), TREE, MATRIX, MATRIX
    ),
    "algorithms.inverse_dynamics_delta.inverse_dynamics_delta": Known(
        lambda c: np.array([A.inverse_dynamics_delta(c.m, c.q, e, t=c.t) for e in np.eye(c.m.nv)]), TREE, MATRIX, MATRIX
    ),
    "algorithms.closed_form.closed_form": Known(lambda c: A.closed_form(c.m, c.q).H, TREE, MATRIX, REFUSES),
    "algorithms.passive_force.passive_force": Known(lambda c: A.passive_force(c.m, c.q, c.v), SAME, FORCE, FORCE),
    "algorithms.force_elements.element_force": Known(
        lambda c: A.element_force(c.m, c.q, c.v, t=c.t), SAME, FORCE, FORCE
    ),
    "algorithms.force_elements.element_power": Known(
        lambda c: np.stack(A.element_power(c.m, c.q, c.v, t=c.t)), SAME, SAME, SAME
    ),
    "algorithms.force_elements.with_elements": Known(
        lambda c: A.with_elements(c.m, c.q, c.v, f_ext=c.f, t=c.t), SAME, SAME, SAME
    ),
    "algorithms.force_elements.element_rates": Known(
        lambda c: np.stack(A.element_rates(c.m, c.q, c.v, t=c.t)), SAME, SAME, SAME
    ),
    "derivatives.stiffness.stiffness_and_damping": Known(
        lambda c: R.stiffness_and_damping(c.m, c.q, c.v, t=c.t).K_r.toarray(), SAME, MATRIX, MATRIX
    ),
    "functions.terms.element_state_rates": Known(lambda c: _states_of(c, R.element_state_rates), SAME, SAME, SAME),
    "algorithms.force_elements.element_state_rates": Known(
        lambda c: _states_of(c, A.element_state_rates), SAME, SAME, SAME
    ),
    "algorithms.force_elements.element_derivatives": Known(
        lambda c: A.element_derivatives(c.m, c.q, c.v, t=c.t)[0], SAME, MATRIX, MATRIX
    ),
    "algorithms.passive_derivatives.passive_derivatives": Known(
        lambda c: A.passive_derivatives(c.m, c.q, c.v).dtau_dq, SAME, MATRIX, MATRIX
    ),
    "algorithms.constraint_elements.held_forward_dynamics": Known(
        lambda c: A.held_forward_dynamics(
            c.m, c.q, c.v, c.tau + A.passive_force(c.m, c.q, c.v), f_ext=c.f, t=c.t
        ),
        CLOSED, SPRUNG, SPRUNG,
    ),
    # forward dynamics
    "functions.accelerations.aba": Known(lambda c: R.aba(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t), REFUSES, FREE, FREE),
    "functions.accelerations.forward_dynamics": Known(
        lambda c: R.forward_dynamics(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t), CLOSED, SPRUNG, SPRUNG
    ),
    "actuation.inverse_dynamics": Known(  # with the joint forces that it tells, the motion is the one that it was given
        lambda c: R.forward_dynamics(
            c.m, c.q, c.v,
            rbd.inverse_dynamics(
                c.m, c.q, c.v, R.forward_dynamics(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t), f_ext=c.f, t=c.t
            ),
            f_ext=c.f, t=c.t,
        ), CLOSED, SPRUNG, SPRUNG,
    ),
    "functions.accelerations.state_derivative": Known(
        lambda c: R.state_derivative(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).vdot, CLOSED, SPRUNG, SPRUNG
    ),
    "formulations.state_equation.StateEquation": Known(
        lambda c: R.StateEquation(c.m, c.tau, f_ext=c.f)(c.t, np.concatenate([c.q, c.v]))[c.m.nq :],
        CLOSED, SPRUNG, SPRUNG,
    ),
    "formulations.joint.JointSystem": Known(
        lambda c: rbd.formulations.JointSystem(c.m, lambda *_: c.tau, lambda *_: c.f).rate(c.t, c.q, c.v),
        CLOSED, SPRUNG, SPRUNG,
    ),
    "functions.hybrid.hybrid_dynamics": Known(
        lambda c: R.hybrid_dynamics(c.m, c.q, c.v, c.tau, 0.0 * c.a, c.moving, f_ext=c.f, t=c.t).a, REFUSES, FREE, FREE
    ),
    "algorithms.aba.aba": Known(lambda c: A.aba(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).qdd, REFUSES, REFUSES, FREE),
    "algorithms.forward_dynamics.forward_dynamics": Known(
        lambda c: A.forward_dynamics(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t), REFUSES, SPRUNG, SPRUNG
    ),
    "algorithms.forward_dynamics.forward_dynamics_crba": Known(
        lambda c: A.forward_dynamics_crba(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t, factorization="ltl"),
        REFUSES, FREE, FREE,
    ),
    "algorithms.hybrid.hybrid_aba.hybrid_aba": Known(
        lambda c: A.hybrid_aba(c.m, c.q, c.v, c.tau, c.a, c.moving, f_ext=c.f, t=c.t).qdd, REFUSES, REFUSES, FREE
    ),
    "algorithms.hybrid.hybrid_dynamics.hybrid_dynamics": Known(
        lambda c: A.hybrid_dynamics(c.m, c.q, c.v, c.tau, c.a, c.moving, f_ext=c.f, t=c.t).qdd, REFUSES, FREE, FREE
    ),
    "algorithms.hybrid.hybrid_equation.hybrid_equation": Known(
        lambda c: (lambda e: np.linalg.solve(e.H, e.Q @ c.tau - e.C) @ e.Q)(
            A.hybrid_equation(c.m, c.q, c.v, c.moving, f_ext=c.f, t=c.t)
        ),
        REFUSES, FREE, FREE,
    ),
    "algorithms.hybrid.hybrid_crba.hybrid_crba": Known(
        lambda c: A.hybrid_crba(c.m, c.q, c.moving, t=c.t).H11, TREE, MATRIX, MATRIX
    ),
    "algorithms.articulated.variant_1.aba_variant_1": Known(
        lambda c: A.aba_variant_1(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).qdd, REFUSES, REFUSES, FREE
    ),
    "algorithms.articulated.variant_2.aba_variant_2": Known(
        lambda c: A.aba_variant_2(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).qdd, REFUSES, REFUSES, FREE
    ),
    "algorithms.articulated.variant_1.articulated_inverse": Known(
        lambda c: A.articulated_inverse(c.m, c.q, c.v, c.tau, c.frame, f_ext=c.f, t=c.t).Phi,
        REFUSES, REFUSES, ELSEWHERE,
    ),
    "algorithms.articulated.divide_and_conquer.divide_and_conquer": Known(
        lambda c: A.divide_and_conquer(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).qdd, ELSEWHERE, REFUSES, FREE
    ),
    "algorithms.articulated.system.take_apart": Known(
        lambda c: A.articulated.take_apart(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).v, ELSEWHERE, REFUSES, ELSEWHERE
    ),
    "algorithms.articulated.projection.project_handles": Known(
        lambda c: (lambda p: np.linalg.solve(p.H, -p.C))(
            A.project_handles(c.m, c.q, c.v, c.tau, c.frame, f_ext=c.f, t=c.t)
        ),
        REFUSES, FREE, FREE,
    ),
    "algorithms.constraints.equation.equation_of_motion": Known(
        lambda c: constraints.equation_of_motion(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).acceleration(),
        REFUSES, FREE, FREE,
    ),
    "algorithms.constraints.motion_constraint.constrained_motion": Known(
        lambda c: constraints.constrained_motion(c.m, _Nothing(c.m.nv), c.q, c.v, c.tau, f_ext=c.f, t=c.t).qdd,
        REFUSES, FREE, FREE,
    ),
    "algorithms.constraints.multibody_system.multibody_system": Known(
        lambda c: constraints.multibody_system(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t).solve().qdd,
        ELSEWHERE, REFUSES, FREE,
    ),
    "algorithms.gears.equation.geared_forward_dynamics": Known(
        lambda c: gears.geared_forward_dynamics(c.gears, c.q, c.v, c.tau, f_ext=c.f, t=c.t), REFUSES, FREE, FREE
    ),
    "algorithms.gears.equation.geared_equation": Known(
        lambda c: gears.geared_equation(c.gears, c.q, c.v, f_ext=c.f, t=c.t).H_y, REFUSES, MATRIX, MATRIX
    ),
    "algorithms.gears.equation.geared_inverse_dynamics": Known(
        lambda c: gears.geared_inverse_dynamics(c.gears, c.q, c.v, c.a, f_ext=c.f, t=c.t), REFUSES, FORCE, FORCE
    ),
    "algorithms.gears.equation.motor_forces": Known(
        lambda c: gears.motor_forces(c.gears, [], c.q, c.v, c.a, f_ext=c.f, t=c.t), REFUSES, ELSEWHERE, ELSEWHERE
    ),
    "algorithms.gears.gear.Gears": Known(lambda c: c.gears.G(c.q), REFUSES, ELSEWHERE, ELSEWHERE),
    "algorithms.gears.rotors.without_rotors": Known(
        lambda c: A.crba(gears.without_rotors(c.gears), c.q, t=c.t).H, REFUSES, MATRIX, MATRIX
    ),
    "formulations.geared.GearedSystem": Known(
        lambda c: rbd.formulations.GearedSystem(c.m, lambda *_: c.tau, lambda *_: c.f).rate(c.t, c.q, c.v),
        REFUSES, SPRUNG, SPRUNG,
    ),
    "accuracy.exact.exact_acceleration": Known(
        lambda c: accuracy.exact_acceleration(c.m, c.q, c.v, c.tau, t=c.t), REFUSES, REFUSES, ELSEWHERE
    ),
    "accuracy.round_off.forward_dynamics_error": Known(
        lambda c: accuracy.forward_dynamics_error(c.m, c.q, c.v, c.tau, t=c.t).aba, REFUSES, REFUSES, ZERO
    ),
    "accuracy.sensitivity.response": Known(
        lambda c: accuracy.response(c.m, c.q, c.a, t=c.t).H, REFUSES, MATRIX, MATRIX
    ),
    "accuracy.sensitivity.noise_fan": Known(
        lambda c: accuracy.noise_fan(c.m, c.q, c.a, 0.0, 2, t=c.t) - c.a, REFUSES, ZERO, ZERO
    ),
    "accuracy.conditioning.condition_number": Known(
        lambda c: accuracy.condition_number(c.m, c.q, t=c.t) - np.linalg.cond(A.crba(c.m, c.q, t=c.t).H),
        REFUSES, ZERO, ZERO,
    ),
    "accuracy.step_size.fixed_run": Known(
        lambda c: accuracy.fixed_run(c.m, c.q, c.v, 1e-3, 2).v, REFUSES, ELSEWHERE, ELSEWHERE
    ),
    "accuracy.step_size.adaptive_run": Known(
        lambda c: accuracy.adaptive_run(c.m, c.q, c.v, 1e-3, points=3).v, REFUSES, ELSEWHERE, ELSEWHERE
    ),
    "algorithms.unit_acceleration.unit_acceleration": Known(
        lambda c: np.array([A.unit_acceleration(c.m, c.q, k, t=c.t).tau for k in range(c.m.nv)]),
        REFUSES, MATRIX, MATRIX,
    ),
    "inspection.inspect": Known(
        lambda c: R.inspect(c.m, c.m.bodies[3].name, c.q, c.v, f_ext=c.f, t=c.t)["v"],
        REFUSES, SAME, SAME,
    ),
    # derivatives
    "derivatives.jacobians.rnea_derivatives": Known(
        lambda c: R.rnea_derivatives(c.m, c.q, c.v, c.a, f_ext=c.f, t=c.t).dtau_dq, TREE, MATRIX, MATRIX
    ),
    "derivatives.jacobians.aba_derivatives": Known(
        lambda c: (lambda d: [d.da_dq, d.da_dv, d.da_dtau])(R.aba_derivatives(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t)),
        REFUSES, SLOPES, SLOPES,
    ),
    "derivatives.jacobians.forward_dynamics_derivatives": Known(
        lambda c: (lambda d: [d.da_dq, d.da_dv, d.da_dtau])(
            R.forward_dynamics_derivatives(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t)
        ),
        CLOSED_SLOPES, SPRUNG_SLOPES, SPRUNG_SLOPES,
    ),
    "derivatives.gradients.rnea_gradient": Known(
        lambda c: (lambda g: [g.q, g.v, g.a])(R.rnea_gradient(c.m, c.q, c.v, c.a, c.w, f_ext=c.f, t=c.t)),
        TREE, FORCE, FORCE,
    ),
    "derivatives.gradients.aba_gradient": Known(
        lambda c: _by_rows(c, R.aba_gradient), REFUSES, SLOPES, SLOPES
    ),
    "derivatives.gradients.forward_dynamics_gradient": Known(
        lambda c: _by_rows(c, R.forward_dynamics_gradient), REFUSES, SPRUNG_SLOPES, SPRUNG_SLOPES
    ),
    "derivatives.parameters.rnea_parameter_jacobian": Known(
        lambda c: R.rnea_parameter_jacobian(c.m, c.q, c.v, c.a, f_ext=c.f, t=c.t), TREE, PARAMETERS, PARAMETERS
    ),
    "derivatives.parameters.forward_dynamics_parameter_jacobian": Known(
        lambda c: _times_H(c, R.forward_dynamics_parameter_jacobian(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t)),
        REFUSES, ELSEWHERE, ELSEWHERE,
    ),
    "derivatives.parameters.inertial_regressor": Known(
        lambda c: R.inertial_regressor(c.m, c.q, c.v, c.a, t=c.t), TREE, FORCE, FORCE
    ),
    "algorithms.rnea_derivatives.rnea_derivatives": Known(
        lambda c: A.rnea_derivatives(c.m, c.q, c.v, c.a, f_ext=c.f, t=c.t).dtau_dv, TREE, MATRIX, MATRIX
    ),
    "algorithms.parameter_derivatives.rnea_parameter_derivatives": Known(
        lambda c: A.rnea_parameter_derivatives(c.m, c.q, c.v, c.a, f_ext=c.f, t=c.t), TREE, PARAMETERS, PARAMETERS
    ),
    "algorithms.forward_dynamics_derivatives.forward_dynamics_derivatives": Known(
        lambda c: (lambda d: [d.dqdd_dq, d.dqdd_dv, d.dqdd_dtau])(
            A.forward_dynamics_derivatives(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t)
        ),
        REFUSES, SPRUNG_SLOPES, SPRUNG_SLOPES,
    ),
    "algorithms.forward_dynamics_derivatives.forward_dynamics_parameter_derivatives": Known(
        lambda c: A.forward_dynamics_parameter_derivatives(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t),
        REFUSES, ELSEWHERE, ELSEWHERE,
    ),
    "algorithms.regressor.inertial_regressor": Known(
        lambda c: A.inertial_regressor(c.m, c.q, c.v, c.a, t=c.t), TREE, FORCE, FORCE
    ),
    # where the bodies are and how they move: the same whether or not a loop is closed
    "functions.kinematics.forward_kinematics": Known(
        lambda c: (lambda k: [k.poses, k.velocities])(R.forward_kinematics(c.m, c.q, c.v, t=c.t)), SAME, SAME, SAME
    ),
    "functions.kinematics.jacobian": Known(lambda c: R.jacobian(c.m, c.q, c.frame, t=c.t), TREE, COLUMNS, COLUMNS),
    "functions.kinematics.bias_acceleration": Known(
        lambda c: R.bias_acceleration(c.m, c.q, c.v, c.frame, t=c.t), TREE, SAME, ELSEWHERE
    ),
    "functions.kinematics.center_of_mass": Known(lambda c: R.center_of_mass(c.m, c.q, t=c.t), SAME, SAME, SAME),
    "functions.balances.momentum": Known(lambda c: R.momentum(c.m, c.q, c.v, "com", t=c.t), SAME, SAME, SAME),
    "functions.balances.energy": Known(lambda c: R.energy(c.m, c.q, c.v, t=c.t).total, SAME, SAME, SAME),
    "functions.balances.power_balance": Known(lambda c: _balance(c, R.power_balance), ELSEWHERE, ZERO, ZERO),
    "algorithms.kinematics.forward_kinematics": Known(
        lambda c: (lambda k: [k.poses, k.velocities])(A.forward_kinematics(c.m, c.q, c.v, t=c.t)), SAME, SAME, SAME
    ),
    "algorithms.jacobian.jacobian": Known(lambda c: A.jacobian(c.m, c.q, c.frame, t=c.t), TREE, COLUMNS, COLUMNS),
    "algorithms.jacobian.bias_acceleration": Known(
        lambda c: A.bias_acceleration(c.m, c.q, c.v, c.frame, t=c.t), TREE, SAME, ELSEWHERE
    ),
    "algorithms.jacobian.point_velocity": Known(
        lambda c: A.point_velocity(c.m, c.q, c.v, c.frame, [0.1, 0.2, 0.3], t=c.t), SAME, SAME, SAME
    ),
    "algorithms.momentum.center_of_mass": Known(lambda c: A.center_of_mass(c.m, c.q, t=c.t), SAME, SAME, SAME),
    "algorithms.momentum.center_of_mass_jacobian": Known(
        lambda c: A.center_of_mass_jacobian(c.m, c.q, t=c.t), TREE, COLUMNS, COLUMNS
    ),
    "algorithms.momentum.momentum": Known(lambda c: A.momentum(c.m, c.q, c.v, "world", t=c.t), SAME, SAME, SAME),
    "algorithms.momentum.momentum_matrix": Known(
        lambda c: A.momentum_matrix(c.m, c.q, "com", t=c.t), TREE, COLUMNS, COLUMNS
    ),
    "algorithms.momentum.total_mass": Known(lambda c: A.total_mass(c.m), SAME, SAME, SAME),
    "algorithms.energy.energy": Known(lambda c: A.energy(c.m, c.q, c.v, t=c.t).total, SAME, SAME, SAME),
    "algorithms.energy.external_power": Known(lambda c: A.external_power(c.m, c.q, c.v, c.f, t=c.t), SAME, SAME, SAME),
    "algorithms.energy.power_balance": Known(lambda c: _balance(c, A.power_balance), ELSEWHERE, ZERO, ZERO),
    "algorithms.passive_force.dissipation": Known(lambda c: A.dissipation(c.m, c.v), SAME, SAME, SAME),
    "algorithms.passive_force.spring_energy": Known(lambda c: A.spring_energy(c.m, c.q), SAME, SAME, SAME),
    "algorithms.external_forces.external_forces": Known(lambda c: A.external_forces(c.m, c.f), SAME, SAME, SAME),
    # patterns of H
    "algorithms.sparse.expanded_parent.expanded_parent": Known(
        lambda c: np.array(sparse.expanded_parent(c.m)), TREE, ELSEWHERE, ELSEWHERE
    ),
    "algorithms.sparse.coupled_parent.coupled_parent": Known(
        lambda c: np.array(sparse.coupled_parent(c.m)), TREE, ELSEWHERE, ELSEWHERE
    ),
    "algorithms.sparse.coupled_parent.coupled_variables": Known(
        lambda c: np.array([len(x) for x in sparse.coupled_variables(c.m)]), TREE, ELSEWHERE, ELSEWHERE
    ),
    "algorithms.hybrid.merged_parents.forward_parent": Known(
        lambda c: np.array(A.forward_parent(c.m, A.forward_joints(c.m, c.moving))), TREE, ELSEWHERE, ELSEWHERE
    ),
    # floating bases
    "algorithms.floating_base.system.FloatingBase": Known(lambda c: c.base.inertias, REFUSES, SAME, SAME),
    "algorithms.floating_base.floating_aba.floating_aba": Known(
        _floating(lambda c, s, v: A.floating_aba(s, c.q, c.v, v, c.tau, f_ext=c.f, t=c.t).qdd),
        REFUSES,
        REFUSES,
        ELSEWHERE,
    ),
    "algorithms.floating_base.equation.floating_equation": Known(
        _floating(lambda c, s, v: A.floating_equation(s, c.q, c.v, v, f_ext=c.f, t=c.t).H_fl), REFUSES, MATRIX, MATRIX
    ),
    "algorithms.floating_base.equation.floating_parent": Known(
        _floating(lambda c, s, v: len(A.floating_parent(s)) - 6 - c.m.nv), REFUSES, ZERO, ZERO
    ),
    "algorithms.floating_base.floating_crba.floating_crba": Known(
        _floating(lambda c, s, v: A.floating_crba(s, c.q, t=c.t).F), REFUSES, COLUMNS, COLUMNS
    ),
    "algorithms.floating_base.floating_rnea.floating_rnea": Known(
        _floating(lambda c, s, v: A.floating_rnea(s, c.q, c.v, v, f_ext=c.f, t=c.t).C), REFUSES, FORCE, ELSEWHERE
    ),
    "algorithms.floating_base.floating_inverse_dynamics.floating_inverse_dynamics": Known(
        _floating(lambda c, s, v: A.floating_inverse_dynamics(s, c.q, c.v, v, c.a, f_ext=c.f, t=c.t).tau),
        REFUSES, FORCE, FORCE,
    ),
    "algorithms.floating_base.floating_jacobian.floating_jacobian": Known(
        _floating(lambda c, s, v: A.floating_jacobian(s, c.q, c.frame, t=c.t)), REFUSES, COLUMNS, COLUMNS
    ),
    "algorithms.floating_base.floating_jacobian.impulse_response": Known(
        _floating(lambda c, s, v: A.impulse_response(s, c.q, c.tau, t=c.t).qd), REFUSES, ELSEWHERE, ELSEWHERE
    ),
    "algorithms.floating_base.floating_momentum.floating_momentum": Known(
        _floating(lambda c, s, v: A.floating_momentum(s, c.q, c.v, v)), REFUSES, SAME, REFUSES
    ),
    "algorithms.floating_base.floating_momentum.floating_kinetic_energy": Known(
        _floating(lambda c, s, v: A.floating_kinetic_energy(s, c.q, c.v, v)), REFUSES, SAME, REFUSES
    ),
    "algorithms.floating_base.floating_momentum.base_velocity": Known(
        _floating(lambda c, s, v: A.base_velocity(s, c.q, c.v)), REFUSES, SAME, REFUSES
    ),
    "algorithms.floating_base.conversion.to_fixed_base": Known(
        _floating(lambda c, s, v: A.to_fixed_base(s).mass), REFUSES, SAME, SAME
    ),
    # equivalence
    "algorithms.equivalence.augmented_bodies.augmented_bodies": Known(
        lambda c: equivalence.augmented_bodies(c.m), REFUSES, ELSEWHERE, ELSEWHERE
    ),
    "algorithms.equivalence.base_parameters.base_parameters": Known(
        lambda c: equivalence.base_parameters(c.m), REFUSES, ELSEWHERE, REFUSES
    ),
    "algorithms.equivalence.simplify.simplified": Known(
        lambda c: A.rnea(equivalence.simplified(c.m).model, c.q, c.v, c.a, t=c.t).tau
        - A.rnea(c.m, c.q, c.v, c.a, t=c.t).tau,
        ZERO, ZERO, ZERO,
    ),
    "algorithms.equivalence.simplify.exchanged": Known(
        lambda c: [len(equivalence.exchanged(c.m, c.frame, np.zeros(10)).loops) - len(c.m.loops)], ZERO, ZERO, ZERO
    ),
    # compiled code
    "engine.run.kernels.Kernels": Known(
        lambda c: engine.Kernels(c.m, "llvm").forward_dynamics(c.q, c.v, c.tau, c.f, c.t), CLOSED, SPRUNG, SPRUNG
    ),
    "engine.run.lookup.kernels_for": Known(
        lambda c: engine.kernels_for(c.m).rnea(c.q, c.v, c.a, c.f, c.t), TREE, FORCE, FORCE
    ),
    "engine.run.simulation.simulate": Known(
        lambda c: engine.simulate(
            engine.kernels_for(c.m), c.q, c.v, np.array([0.0, 1e-3]), RK4(), c.tau
        ).v,
        ELSEWHERE, ELSEWHERE, ELSEWHERE,
    ),
    "engine.run.ensemble.simulate_many": Known(
        lambda c: engine.simulate_many(
            [engine.kernels_for(c.m)], c.q[None], c.v[None], np.array([0.0, 1e-3]), RK4(), c.tau
        ),
        ELSEWHERE, ELSEWHERE, ELSEWHERE,
    ),
    "engine.browser.packaged.packaged": Known(
        lambda c: engine.packaged(c.m, RK4()), REFUSES, ELSEWHERE, REFUSES
    ),
    "engine.run.counting.operations": Known(
        lambda c: engine.operations(c.m, "rnea").mul, TREE, ELSEWHERE, ELSEWHERE
    ),
    "costs.custom_code.custom_dynamics": Known(
        lambda c: np.asarray(costs.custom_dynamics(c.m, "aba")(c.q, c.v, c.tau)), REFUSES, REFUSES, REFUSES
    ),
    # files
    "formats.urdf.write.to_urdf": Known(lambda c: formats.to_urdf(c.m), REFUSES, ELSEWHERE, ELSEWHERE),
    "formats.denavit_hartenberg.to_dh": Known(lambda c: formats.to_dh(c.m), REFUSES, ELSEWHERE, ELSEWHERE),
    "formats.json.write.to_json": Known(lambda c: formats.to_json(c.m), ELSEWHERE, ELSEWHERE, REFUSES),
    "formats.json.write.to_dict": Known(lambda c: formats.to_dict(c.m), ELSEWHERE, ELSEWHERE, REFUSES),
    # runs
    "simulation.simulate.simulate": Known(
        lambda c: R.simulate(c.m, c.q, c.v, 1e-3, 1e-3), ELSEWHERE, ELSEWHERE, ELSEWHERE
    ),
    "simulation.sweeping.sweep": Known(
        lambda c: R.sweep(c.m, {"gravity": [[0, 0, -1.0]]}, c.q, c.v, duration=1e-3, dt=1e-3),
        ELSEWHERE, ELSEWHERE, ELSEWHERE,
    ),
}  # fmt: skip
"""Functions that can be asked for a number, by the module and name they are defined under."""

NOT_ASKED = {
    # results and parts, made by the functions above
    "algorithms.kinematics.Kinematics": "a result", "algorithms.articulated.system.System": "a result",
    "algorithms.equivalence.simplify.Simplified": "a result", "costs.counted_crba.CountedCrba": "a result",
    "algorithms.floating_base.equation.FloatingEquation": "a result", "model.graph.rebuild.Renumbered": "a result",
    "simulation.comparison.Comparison": "a result", "simulation.trajectory.Trajectory": "a result",
    "simulation.motion.Motion": "a result", "identification.identify.Identification": "a result",
    "linearization.linearize.Linearization": "a result",
    # loops by the projected equation or refused, followers and driven joints against the public functions
    "formulas.export_function.export_function": "tests/formulas", "formulas.equations.equations": "tests/formulas",
    "linearization.linearize.linearize": "tests/linearization",
    "functions.controls.actuator_force": "needs actuators: tests/simulation/test_controls.py",
    "linearization.equilibrium.equilibrium": "tests/linearization",
    "identification.identify.identify": "refuses all of them: tests/identification",
    "identification.exciting_motion.exciting_motion": "refuses all of them: tests/identification",
    "formats.mjcf.write.to_mjcf": "tests/formats/mjcf",
    "formats.srdf.load_srdf": "tests/formats/test_srdf.py",
    "engine.run.lookup.scene_for": "a part of simulate: tests/laws/test_compiled.py",
    "laws.model_pairs.ModelPairs": "a part of simulate", "laws.model_pairs.pairs_of": "a part of simulate",
    "laws.stops.Stops": "a part of simulate: tests/laws/test_stops.py", "laws.stops.stops_of": "a part of simulate",
    "algorithms.element_rows.element_rows": "K and k of constraints; tests/constraints",
    **{f"algorithms.constraints.held.{name}": "loops and followers are its subject; test_held.py"
       for name in ("Held", "constraints_of")},
    # what refuses, or asks nothing but names and numbers of joints
    "model.requirements.require_tree": "it is what refuses",
    "algorithms.hybrid.joint_sets.forward_joints": "sorts joints by name",
    "algorithms.hybrid.joint_sets.split_variables": "sorts variables by joint",
    "algorithms.constraints.multibody_system.incidence": "counts loops; tests/algorithms/constraints",
    "engine.run.lookup.backend": "says what computes",
    "engine.run.simulation.few_steps": "by simulate: the same motion, or the same refusal",
    "engine.run.one_state.at_one_state": "by the functions of rbdkit.functions, which it is a short way of",
    "model.validation.validate": "looks at bodies and joints one by one",
    # loops are their subject: tests/algorithms/loops, with joints that follow and that are driven
    **{f"algorithms.loops.{name}": "tests/algorithms/loops" for name in (
        "loop_constraint.loop_constraint", "held_rows.with_elements",
        "loop_jacobian.find_loop", "loop_jacobian.loop_jacobian",
        "loop_jacobian.loop_path", "loop_forces.active_force", "loop_forces.bias_force_with_loops",
        "loop_forces.joint_forces", "loop_equation.LoopEquation", "loop_equation.loop_equation",
        "loop_closure.LoopClosure", "loop_clusters.loop_clusters", "loop_clusters.cluster_order",
        "loop_mobility.loop_mobility", "loop_mobility.plane_normal", "loop_mobility.weaker_loop_joints",
        "loop_mobility.with_loop_joint", "universal_loops.with_universal_loops", "universal_loops.universal_state",
        "inverse_dynamics.actuated_freedoms", "inverse_dynamics.actuated_variables",
        "inverse_dynamics.closed_loop_inverse_dynamics", "sparse_system.sparse_pattern",
        "sparse_system.SparsePattern", "loop_mobility.Weaker",
        "pinned_loop.pinned_loop", "pinned_loop.pinned_motion",
        "pinned_loop.pinned_velocity", "pinned_loop.pinned_bodies",
    )},
    # tests/algorithms/redmax: on trees with a joint that follows and one that is driven; loops are refused there
    "algorithms.redmax.bodies.bodies_at": "tests/algorithms/redmax",
    "derivatives.stiffness_of_bodies.stiffness_at": "tests/algorithms/redmax",
    "algorithms.maximal.joint_rows.maximal_bodies": "loops and driven joints are constraints too; refuses the others",
    # tests/algorithms/contact: on trees with a joint that follows and one that is driven; loops are refused there, but
    # do not matter to where bodies touch
    **{f"algorithms.contact.{name}": "tests/algorithms/contact" for name in (
        "contact_equation.contact_equation", "contact_equation.separation", "impulse.contact_impulse",
        "impulse.system_impulse", "wrenches.contact_wrenches", "touching.contacts", "bounded_motion.bounded_motion",
        "bounded_motion.limit_rows", "event_driven.event_driven", "joint_friction.bilateral_staggered_projections",
        "loose_bodies.loose_bodies", "motion_step.MotionStep", "motion_step.heun_motion", "motion_step.hermite_motion",
        "touching.near_places",
    )},
    **{f"model.closing.{name}": "tests/model/closing, tests/test_assembly.py" for name in (
        "assembly.assembled", "assembly.assembled_modes", "closed.gaps", "closed.require_closed", "closed.widths",
        "closed.is_closed", "closed.is_tied", "held.Held",
        "closest.closest", "findings.loop_findings", "reaching.reached",
        "following.followed", "length.length_of", "loop_kinematics.tree_poses", "loop_kinematics.LoopKinematics",
    )},
    "reaching.inverse_kinematics.inverse_kinematics": "tests/reaching/test_inverse_kinematics.py",
    "assembly.assemble": "tests/test_assembly.py", "assembly.assembly_modes": "tests/test_assembly.py",
    "assembly.project_velocity": "tests/test_assembly.py", "freedom.mobility": "tests/test_freedom.py",
    "accuracy.selfcheck.selfcheck": "tests/accuracy/test_selfcheck.py", "accuracy.selfcheck.SelfCheck": "a result",
    "freedom.properly_constrained": "tests/test_freedom.py",
    # made for models of one kind, which they require
    "accuracy.round_off.boost_errors": "by forward_dynamics_error",
    "accuracy.round_off.chain_errors": "makes its models",
    "algorithms.constraints.constrained_body.attached_body": "one body; refuses loops, tested below",
    "algorithms.constraints.classification.classify": "refuses loops, tested below",
    "algorithms.constraints.classification.around": "moves coordinates under a constraint that is given",
    "algorithms.constraints.classification.bracket": "moves coordinates under a constraint that is given",
    "functions.compiled.compile": "refuses loops and driven joints, follows mimics; tests/algorithms/test_compile.py",
    "functions.compiled.CompiledFunction": "made by compile",
    "engine.run.source.source": "text of a program",
    "costs.without_zeros.operations_with": "counts as operations does, and says so",
    "algorithms.floating_base.conversion.to_floating_base": "refuses loops; tests/algorithms/floating_base",
    "algorithms.floating_base.conversion.to_floating_state": "refuses loops; tests/algorithms/floating_base",
    "costs.counted_crba.counted_crba": "counts the spanning tree; refuses all but hinges of their own",
    "library.pendulums.small_swing_period": "one body on a hinge",
    "library.platforms.stewart_coordinates": "closed form for one model, whose loops they close",
    "library.random_tree.random_state": "random, of the spanning tree",
    # graphs, files: bodies and joints as they stand; tests/model/graph, tests/formats
    "model.graph.rebuild.graph_of": "loops are its subject", "model.graph.rebuild.renumbered": "loops are its subject",
    "model.graph.reorder.depth_first": "an order of bodies", "model.graph.reorder.reordered": "carries all joints over",
    "formats.load.save": "by to_json and to_urdf",
    # formulations know loops and driven joints, or refuse: tests/formulations
    **{f"formulations.{name}": "tests/formulations; loops also below" for name in (
        "bodywise.Bodywise", "bodywise.grounded_on_se3", "constrained.bodies.ConstrainedBodies", "se3.SE3",
        "so3xr3.SO3xR3", "maximal.Maximal", "redmax.Redmax", "directors.directors.Directors",
        "directors.fixed_point.fixed_point_body",
        "directors.non_twisting.NonTwistingDirectors", "directors.split_euler.NonTwistingSplitEuler",
        "directors.split_euler.SplitEuler", "local_velocity.system.LocalVelocity", "joint_state.joint_state",
        "quaternion.QuaternionBodies",
    )},
    "simulation.comparison.compare_runs": "by simulate", "simulation.group_choice.choose_groups": "by simulate",
    "stepping.walk.Walk": "by a formulation",
    # pictures of what the others compute: tests/scene, tests/widgets
    **{f"scene.{name}": "draws" for name in ("build.scene_of", "curves.plots_of", "tracks.tracks_of")},
    "figures.motion.plot": "draws",
    **{f"widgets.{name}": "draws" for name in (
        "algorithm_stepper.AlgorithmStepper", "builder.builder.Builder", "builder.builder.build",
        "comparison.compare",
        "integrator_stepper.step_integrator", "playground.Playground", "sliders.Sliders", "sliders.sliders",
        "play.Play", "play.play", "tweak.tweak", "view.View", "view.show",
    )},
}  # fmt: skip
"""Public names that take a model and need no number here, with the reason."""

TAKES_A_MODEL = re.compile(r"\b(Model|FloatingBase|Gears|Kernels|Trajectory|Formulation|Draft)\b")


class _Nothing:
    """No constraint."""

    unilateral = ()

    def __init__(self, nv):
        self.nv = nv

    def K(self, q, t):
        return np.zeros((0, self.nv))

    def w(self, q, t):
        return np.zeros(0)

    def k(self, q, qd, t):
        return np.zeros(0)


def _states_of(c, rates):
    """Those of a spring with a dashpot between a body and the world."""
    model = c.m.with_parameters({})
    model.add_force("seal", rbd.Maxwell(c.frame, "world", stiffness=20.0, damping=5.0, at_b=(0.2, 0.3, -0.5)))
    return rates(model, c.q, c.v, z=np.array([0.1]), t=c.t)


def _by_rows(c, gradient):
    """Gradients for unit weights: rows of the Jacobian."""
    rows = [gradient(c.m, c.q, c.v, c.tau, e, f_ext=c.f, t=c.t) for e in np.eye(c.m.nv)]
    return [np.array([getattr(row, name) for row in rows]) for name in ("q", "v", "tau")]


def _times_H(c, parameters):
    H = A.crba(c.m, c.q, t=c.t).H
    return {name: np.tensordot(H, x, 1) for name, x in parameters.items()}


def _closed(c):
    """Accelerations under which K a = k, and forces along all motions that K allows are balanced."""
    loops, held, H = (
        A.loops.loop_constraint(c.m, c.q, c.v, t=c.t),
        A.element_rows(c.m, c.q, c.v, t=c.t),
        A.crba(c.m, c.q, t=c.t).H,
    )
    K, k = np.concatenate([loops.K, held.K]), np.concatenate([loops.k, held.k])
    acting = c.tau + A.passive_force(c.m, c.q, c.v) - A.bias_force(c.m, c.q, c.v, f_ext=c.f, t=c.t)
    a = np.linalg.pinv(K, rcond=1e-9) @ k
    free = np.linalg.svd(K)[2][np.linalg.matrix_rank(K, 1e-9) :].T
    return a + free @ np.linalg.solve(free.T @ H @ free, free.T @ (acting - H @ a))


def _closed_slopes(c):
    units = 1e-5 * np.eye(c.m.nv)
    moved = (
        lambda u: replace(c, q=c.m.integrate(c.q, u)),
        lambda u: replace(c, v=c.v + u),
        lambda u: replace(c, tau=c.tau + u),
    )
    return [np.transpose([(_closed(to(u)) - _closed(to(-u))) / 2e-5 for u in units]) for to in moved]


def _balance(c, power_balance):
    total = c.tau + A.passive_force(c.m, c.q, c.v)
    a = A.forward_dynamics_crba(c.m, c.q, c.v, total, f_ext=c.f, t=c.t)
    return power_balance(c.m, c.q, c.v, a, c.tau, f_ext=c.f, t=c.t).residual


def _public() -> dict[str, Any]:
    """Everything that a package of rbdkit offers and that takes a model."""
    packages: list[ModuleType] = [rbd]
    for found in pkgutil.walk_packages(rbd.__path__, "rbdkit."):
        if found.ispkg:
            packages.append(import_module(found.name))
    offered = {}
    for package in packages:
        for name in package.__all__ if hasattr(package, "__all__") else ():
            thing = getattr(package, name)
            if callable(thing) and getattr(thing, "__module__", "").startswith("rbdkit."):
                try:
                    parameters = inspect.signature(thing).parameters.values()
                except (TypeError, ValueError):
                    continue
                if any(p.name == "model" or TAKES_A_MODEL.search(str(p.annotation)) for p in parameters):
                    offered[f"{thing.__module__}.{thing.__name__}".removeprefix("rbdkit.")] = thing
    return offered


PUBLIC = _public()


def test_every_public_function_is_classified():
    known = {*TABLE, *NOT_ASKED}
    assert set(PUBLIC) - known == set(), "say in TABLE or NOT_ASKED what it does with loops, mimic and driven joints"
    assert set(NOT_ASKED) - set(PUBLIC) == set()
    assert not set(TABLE) & set(NOT_ASKED)


def check(known: Known, kind: str, twin) -> None:
    """The result of a function of the special model against the plain tree."""
    case = twin.case
    if kind == REFUSES:
        with pytest.raises((RbdkitError, engine.NotCovered), match=re.escape(repr(case.name))):
            known.call(case)
        return
    found = known.call(case)
    if kind == ZERO:
        assert np.max(np.abs(found)) < 1e-9
        return
    G, plain = twin.G, twin.tree
    if kind in (FREE, SPRUNG):
        expected = twin.acceleration(case.q, case.v, case.tau, kind == SPRUNG)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
        return
    if kind == CLOSED:
        np.testing.assert_allclose(found, _closed(case), rtol=1e-9, atol=1e-9)
        return
    if kind in (SLOPES, SPRUNG_SLOPES, CLOSED_SLOPES):
        expected = _closed_slopes(case) if kind == CLOSED_SLOPES else _slopes(twin, kind == SPRUNG_SLOPES)
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5 * np.abs(y).max())
        return
    expected = known.call(plain)
    if isinstance(found, dict) and kind == TREE:
        kind = PARAMETERS
    if kind == PARAMETERS:
        assert len(found.keys() & expected.keys()) >= 3 * len(plain.m.bodies)
        for name in found.keys() & expected.keys() - {f"{case.name}.armature"}:
            _close(found[name], np.tensordot(G.T, expected[name], 1))
        return
    turned = {
        SAME: lambda x: x,
        TREE: lambda x: x,
        FORCE: lambda x: np.tensordot(G.T, x, 1),
        COLUMNS: lambda x: x @ G,
        MATRIX: lambda x: G.T @ x @ G,
    }[kind]
    found, expected = (x if isinstance(x, list) else [x] for x in (found, expected))
    for x, y in zip(found, expected, strict=True):
        _close(x, turned(np.asarray(y)))


def _close(found, expected) -> None:
    scale = max(float(np.max(np.abs(expected), initial=0.0)), 1e-3)
    np.testing.assert_allclose(found, expected, atol=1e-11 * scale)


def _slopes(twin, passive: bool) -> list[np.ndarray]:
    """Central differences of the acceleration of the plain tree, along integrate(q, dq), v and tau."""
    c, h = twin.case, 1e-5
    ways = (
        lambda e: twin.acceleration(c.m.integrate(c.q, e), c.v, c.tau, passive),
        lambda e: twin.acceleration(c.q, c.v + e, c.tau, passive),
        lambda e: twin.acceleration(c.q, c.v, c.tau + e, passive),
    )
    return [np.array([(way(h * e) - way(-h * e)) / (2.0 * h) for e in np.eye(c.m.nv)]).T for way in ways]


@pytest.mark.parametrize("name", [name for name, known in TABLE.items() if known.loops != ELSEWHERE])
def test_loops(name, looped):
    known = TABLE[name]
    check(known, known.loops, looped)
    if known.loops == TREE:
        assert "spanning tree" in re.sub(r"\s+", " ", PUBLIC[name].__doc__)


@pytest.mark.parametrize(
    "name", [name for name, known in TABLE.items() if CONSTRAINTS.get(name, known.loops) != ELSEWHERE]
)
def test_constraints(name, held):
    """They are refused by name wherever loops are, and let the spanning tree be what it is."""
    check(TABLE[name], CONSTRAINTS.get(name, TABLE[name].loops), held)


@pytest.mark.parametrize("name", [name for name, known in TABLE.items() if known.mimic != ELSEWHERE])
def test_mimic_joints(name, mimicking):
    check(TABLE[name], TABLE[name].mimic, mimicking)


@pytest.mark.parametrize("name", [name for name, known in TABLE.items() if known.driven != ELSEWHERE])
def test_driven_joints(name, driven):
    check(TABLE[name], TABLE[name].driven, driven)


@pytest.mark.parametrize("name", [name for name in TABLE if not name.startswith(tuple(UNCHECKED))])
def test_numbers_that_are_not_finite_are_refused(name, plain):
    """By name and place, or they are not read at all: the result is then what it is without them."""
    case, call = plain, TABLE[name].call
    good = _numbers(call(case))
    for argument in ("q", "v", "a", "tau", "w"):
        for value in (np.nan, np.inf, -np.inf):
            wrong = getattr(case, argument).copy()
            wrong[1] = value
            try:
                with np.errstate(invalid="ignore"):  # some calls of the table do sums with it before
                    found = _numbers(call(replace(case, **{argument: wrong})))
            except RbdkitError as fault:
                assert re.search(rf"\[[01]\].* is not finite: ({value}|nan)", str(fault)), fault
            else:
                np.testing.assert_array_equal(found, good, err_msg=f"{name} answers for {argument}[1] = {value}")


def _numbers(found: Any) -> np.ndarray:
    """All numbers of a result, one after the other."""
    parts = list(found.values()) if isinstance(found, dict) else found
    if isinstance(parts, rbd.Trajectory | rbd.Ensemble):
        parts = [parts.q, parts.v]
    if isinstance(parts, list | tuple):
        return np.concatenate([np.zeros(0), *map(_numbers, parts)])
    return np.ravel(np.asarray(parts, dtype=float))


WITH_STATES = {
    "integrate": ("q", "dv"), "difference": ("q0", "q1"), "rate": ("q", "v"), "check_q": ("q",), "check_v": ("v",),
}  # fmt: skip
UNCHECKED_METHODS = {
    "move": "integrate, for integrators",
    "displacement": "difference, for integrators",
    "local_rate": "for integrators",
    "add_spring": "a and b are names of bodies",
    "add_damper": "likewise",
    "add_motor": "u is a number",
    "check_u": "controls: tests/simulation/test_controls.py",
    "with_controls": "likewise",
}


def test_methods_of_models_that_take_states():
    """There are no others."""
    named = {"q", "v", "dv", "u", "q0", "q1", "tau", "a"}
    methods = {
        name
        for name, method in inspect.getmembers(rbd.Model, inspect.isfunction)
        if not name.startswith("_") and named & set(inspect.signature(method).parameters)
    }
    assert methods == {*WITH_STATES, *UNCHECKED_METHODS}


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e101])
@pytest.mark.parametrize("method", WITH_STATES)
def test_methods_of_models_refuse_such_numbers(method, value, stacked, plain):
    c = plain
    call, names = getattr(c.m, method), WITH_STATES[method]
    right = [c.q if name.startswith("q") else c.v for name in names]
    assert np.isfinite(call(*right)).all()
    for k, name in enumerate(names):
        wrong = [x.copy() for x in right]
        wrong[k][2] = value
        if stacked:
            wrong[k] = np.stack([right[k], wrong[k]])
        place = re.escape(f"{name}[1, 2]" if stacked else f"{name}[2]")
        with pytest.raises(StateError, match=rf"^{place} \(joint 'special'\) is (not finite|beyond 1e)"):
            call(*wrong)
