"""The algorithms in their sources' form, one a file, on NumPy 6-vectors and 6x6 matrices.

They take a `Model` and arrays of one state and return what they computed, all of it, under the source's symbols. They
are the reference that faster forms are tested against; the functions of the package itself (`rbdkit.rnea`, ...) check
their input, take stacks of states and choose the fastest form there is.
"""

from rbdkit.algorithms.aba import AbaResult, aba
from rbdkit.algorithms.bias_force import bias_force, coriolis_force, gravity_force
from rbdkit.algorithms.crba import CrbaResult, crba, crba_base
from rbdkit.algorithms.energy import Energy, PowerBalance, energy, external_power, power_balance
from rbdkit.algorithms.external_forces import ExternalForces, external_forces, wrench
from rbdkit.algorithms.forward_dynamics import forward_dynamics, forward_dynamics_crba, require_tree
from rbdkit.algorithms.forward_dynamics_derivatives import (
    ForwardDynamicsDerivatives,
    forward_dynamics_derivatives,
    forward_dynamics_parameter_derivatives,
)
from rbdkit.algorithms.inverse_dynamics_delta import inverse_dynamics_delta
from rbdkit.algorithms.jacobian import bias_acceleration, jacobian, point_velocity
from rbdkit.algorithms.kinematics import Kinematics, forward_kinematics
from rbdkit.algorithms.momentum import center_of_mass, center_of_mass_jacobian, momentum, momentum_matrix, total_mass
from rbdkit.algorithms.parameter_derivatives import rnea_parameter_derivatives
from rbdkit.algorithms.passive_derivatives import PassiveDerivatives, passive_derivatives
from rbdkit.algorithms.passive_force import dissipation, passive_force, spring_energy
from rbdkit.algorithms.regressor import inertial_regressor
from rbdkit.algorithms.rnea import RneaResult, rnea
from rbdkit.algorithms.rnea_base import rnea_base
from rbdkit.algorithms.rnea_derivatives import RneaDerivatives, body_coriolis, rnea_derivatives

__all__ = [
    "AbaResult",
    "CrbaResult",
    "Energy",
    "ExternalForces",
    "ForwardDynamicsDerivatives",
    "Kinematics",
    "PassiveDerivatives",
    "PowerBalance",
    "RneaDerivatives",
    "RneaResult",
    "aba",
    "bias_acceleration",
    "bias_force",
    "body_coriolis",
    "center_of_mass",
    "center_of_mass_jacobian",
    "coriolis_force",
    "crba",
    "crba_base",
    "dissipation",
    "energy",
    "external_forces",
    "external_power",
    "forward_dynamics",
    "forward_dynamics_crba",
    "forward_dynamics_derivatives",
    "forward_dynamics_parameter_derivatives",
    "forward_kinematics",
    "gravity_force",
    "inertial_regressor",
    "inverse_dynamics_delta",
    "jacobian",
    "momentum",
    "momentum_matrix",
    "passive_derivatives",
    "passive_force",
    "point_velocity",
    "power_balance",
    "require_tree",
    "rnea",
    "rnea_base",
    "rnea_derivatives",
    "rnea_parameter_derivatives",
    "spring_energy",
    "total_mass",
    "wrench",
]
