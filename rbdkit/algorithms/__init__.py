"""Dynamics algorithms in the form of their sources, one per file, on NumPy 6-vectors and 6x6 matrices.

They take a `Model` and arrays of one state and return all intermediates under the source's symbols. The compiled forms
of `rnea`, `aba` and `crba` are traced from these very functions, see `rbdkit.algorithms.room`; the others are the
reference against which faster forms are tested. The functions of the package itself (`rbdkit.rnea`, ...) check their
input, take stacks of states and choose the fastest form there is.

The subpackages, which most models never need, are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdkit.algorithms.aba import AbaResult, aba
from rbdkit.algorithms.bias_force import bias_force, coriolis_force, gravity_force
from rbdkit.algorithms.closed_form import ClosedForm, closed_form
from rbdkit.algorithms.constraint_elements import held_forward_dynamics
from rbdkit.algorithms.crba import CrbaResult, crba, crba_base
from rbdkit.algorithms.element_rows import ElementRows, element_rows
from rbdkit.algorithms.energy import Energy, PowerBalance, energy, external_power, power_balance
from rbdkit.algorithms.external_forces import ExternalForces, external_forces, wrench
from rbdkit.algorithms.force_elements import (
    element_derivatives,
    element_force,
    element_power,
    element_rates,
    element_state_rates,
    with_elements,
)
from rbdkit.algorithms.forward_dynamics import forward_dynamics, forward_dynamics_crba
from rbdkit.algorithms.forward_dynamics_derivatives import (
    ForwardDynamicsDerivatives,
    forward_dynamics_derivatives,
    forward_dynamics_parameter_derivatives,
)
from rbdkit.algorithms.inertia_matrix_columns import inertia_matrix_columns
from rbdkit.algorithms.inverse_dynamics_delta import inverse_dynamics_delta
from rbdkit.algorithms.jacobian import bias_acceleration, jacobian, point_velocity
from rbdkit.algorithms.kinematics import Kinematics, forward_kinematics
from rbdkit.algorithms.luh_walker_paul import LuhWalkerPaulResult, luh_walker_paul
from rbdkit.algorithms.momentum import center_of_mass, center_of_mass_jacobian, momentum, momentum_matrix, total_mass
from rbdkit.algorithms.parameter_derivatives import rnea_parameter_derivatives
from rbdkit.algorithms.passive_derivatives import PassiveDerivatives, passive_derivatives
from rbdkit.algorithms.passive_force import dissipation, passive_force, spring_energy
from rbdkit.algorithms.regressor import inertial_regressor
from rbdkit.algorithms.rnea import RneaResult, rnea
from rbdkit.algorithms.rnea_base import rnea_base
from rbdkit.algorithms.rnea_derivatives import RneaDerivatives, rnea_derivatives
from rbdkit.algorithms.unit_acceleration import UnitAcceleration, unit_acceleration
from rbdkit.loaded import loads_later
from rbdkit.model.requirements import require_tree
from rbdkit.spatial.body import coriolis as body_coriolis

if TYPE_CHECKING:
    from rbdkit.algorithms.articulated import (
        DivideAndConquer,
        Projection,
        TreeMotion,
        aba_variant_1,
        aba_variant_2,
        articulated_inverse,
        project_handles,
    )

    # from their modules, by whose names type checkers would take them for modules otherwise
    from rbdkit.algorithms.articulated.divide_and_conquer import divide_and_conquer
    from rbdkit.algorithms.floating_base import (
        FloatingAbaResult,
        FloatingBase,
        FloatingCrbaResult,
        FloatingEquation,
        FloatingInverseResult,
        FloatingRneaResult,
        FloatingState,
        ImpulseResponse,
        base_velocity,
        floating_equation,
        floating_kinetic_energy,
        floating_parent,
        impulse_response,
        to_fixed_base,
        to_fixed_state,
        to_floating_base,
        to_floating_state,
    )
    from rbdkit.algorithms.floating_base.floating_aba import floating_aba
    from rbdkit.algorithms.floating_base.floating_crba import floating_crba
    from rbdkit.algorithms.floating_base.floating_inverse_dynamics import floating_inverse_dynamics
    from rbdkit.algorithms.floating_base.floating_jacobian import floating_jacobian
    from rbdkit.algorithms.floating_base.floating_momentum import floating_momentum
    from rbdkit.algorithms.floating_base.floating_rnea import floating_rnea
    from rbdkit.algorithms.hybrid import (
        HybridAbaResult,
        HybridCrbaResult,
        HybridEquation,
        HybridResult,
        MergedParents,
        forward_joints,
        forward_parent,
        split_variables,
        supported_bodies,
    )
    from rbdkit.algorithms.hybrid.hybrid_aba import hybrid_aba
    from rbdkit.algorithms.hybrid.hybrid_crba import hybrid_crba
    from rbdkit.algorithms.hybrid.hybrid_dynamics import hybrid_dynamics
    from rbdkit.algorithms.hybrid.hybrid_equation import hybrid_equation
    from rbdkit.algorithms.hybrid.merged_parents import merged_parents
    from rbdkit.algorithms.sparse import (
        SparseFactors,
        expanded_parent,
        factorize,
        ltdl,
        ltl,
        sparse_costs,
        sparsity_pattern,
    )

_HOMES = {
    "rbdkit.algorithms.articulated": [
        "DivideAndConquer",
        "Projection",
        "TreeMotion",
        "aba_variant_1",
        "aba_variant_2",
        "articulated_inverse",
        "divide_and_conquer",
        "project_handles",
    ],
    "rbdkit.algorithms.floating_base": [
        "FloatingAbaResult",
        "FloatingBase",
        "FloatingCrbaResult",
        "FloatingEquation",
        "FloatingInverseResult",
        "FloatingRneaResult",
        "FloatingState",
        "ImpulseResponse",
        "base_velocity",
        "floating_aba",
        "floating_crba",
        "floating_equation",
        "floating_inverse_dynamics",
        "floating_jacobian",
        "floating_kinetic_energy",
        "floating_momentum",
        "floating_parent",
        "floating_rnea",
        "impulse_response",
        "to_fixed_base",
        "to_fixed_state",
        "to_floating_base",
        "to_floating_state",
    ],
    "rbdkit.algorithms.hybrid": [
        "HybridAbaResult",
        "HybridCrbaResult",
        "HybridEquation",
        "HybridResult",
        "MergedParents",
        "forward_joints",
        "forward_parent",
        "hybrid_aba",
        "hybrid_crba",
        "hybrid_dynamics",
        "hybrid_equation",
        "merged_parents",
        "split_variables",
        "supported_bodies",
    ],
    "rbdkit.algorithms.sparse": [
        "SparseFactors",
        "expanded_parent",
        "factorize",
        "ltdl",
        "ltl",
        "sparse_costs",
        "sparsity_pattern",
    ],
}
_PACKAGES = (
    "articulated",
    "constraints",
    "contact",
    "elastic",
    "equivalence",
    "floating_base",
    "gears",
    "hybrid",
    "loops",
    "maximal",
    "redmax",
    "solvers",
    "sparse",
)

__all__ = [
    "AbaResult",
    "ClosedForm",
    "CrbaResult",
    "DivideAndConquer",
    "ElementRows",
    "Energy",
    "ExternalForces",
    "FloatingAbaResult",
    "FloatingBase",
    "FloatingCrbaResult",
    "FloatingEquation",
    "FloatingInverseResult",
    "FloatingRneaResult",
    "FloatingState",
    "ForwardDynamicsDerivatives",
    "HybridAbaResult",
    "HybridCrbaResult",
    "HybridEquation",
    "HybridResult",
    "ImpulseResponse",
    "Kinematics",
    "LuhWalkerPaulResult",
    "MergedParents",
    "PassiveDerivatives",
    "PowerBalance",
    "Projection",
    "RneaDerivatives",
    "RneaResult",
    "SparseFactors",
    "UnitAcceleration",
    "TreeMotion",
    "aba",
    "aba_variant_1",
    "aba_variant_2",
    "articulated_inverse",
    "base_velocity",
    "bias_acceleration",
    "bias_force",
    "body_coriolis",
    "center_of_mass",
    "center_of_mass_jacobian",
    "coriolis_force",
    "closed_form",
    "crba",
    "crba_base",
    "dissipation",
    "divide_and_conquer",
    "element_derivatives",
    "element_force",
    "element_power",
    "element_rates",
    "element_rows",
    "element_state_rates",
    "energy",
    "expanded_parent",
    "external_forces",
    "external_power",
    "factorize",
    "floating_aba",
    "floating_crba",
    "floating_equation",
    "floating_inverse_dynamics",
    "floating_jacobian",
    "floating_kinetic_energy",
    "floating_momentum",
    "floating_parent",
    "floating_rnea",
    "forward_dynamics",
    "forward_dynamics_crba",
    "forward_dynamics_derivatives",
    "forward_dynamics_parameter_derivatives",
    "forward_joints",
    "forward_kinematics",
    "forward_parent",
    "gravity_force",
    "hybrid_aba",
    "hybrid_crba",
    "hybrid_dynamics",
    "hybrid_equation",
    "impulse_response",
    "held_forward_dynamics",
    "inertia_matrix_columns",
    "inertial_regressor",
    "inverse_dynamics_delta",
    "jacobian",
    "ltdl",
    "ltl",
    "merged_parents",
    "luh_walker_paul",
    "momentum",
    "momentum_matrix",
    "passive_derivatives",
    "passive_force",
    "point_velocity",
    "power_balance",
    "project_handles",
    "require_tree",
    "rnea",
    "rnea_base",
    "rnea_derivatives",
    "rnea_parameter_derivatives",
    "sparse_costs",
    "sparsity_pattern",
    "split_variables",
    "spring_energy",
    "supported_bodies",
    "to_fixed_base",
    "to_fixed_state",
    "to_floating_base",
    "to_floating_state",
    "total_mass",
    "unit_acceleration",
    "wrench",
    "with_elements",
]

__getattr__, __dir__ = loads_later(__name__, _HOMES, _PACKAGES)
