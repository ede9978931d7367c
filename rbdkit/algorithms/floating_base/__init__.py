"""Systems whose base is a moving body, with algorithms of their own (Featherstone 2008, sections 9.3 to 9.5).

A free joint on a fixed base does the same, and `conversion` leads from one to the other; here the base's twist and
acceleration are spatial vectors beside qd and qdd, and everything is given in base coordinates.
"""

from rbdkit.algorithms.floating_base.conversion import (
    FloatingState,
    to_fixed_base,
    to_fixed_state,
    to_floating_base,
    to_floating_state,
)
from rbdkit.algorithms.floating_base.equation import FloatingEquation, floating_equation, floating_parent
from rbdkit.algorithms.floating_base.floating_aba import FloatingAbaResult, floating_aba
from rbdkit.algorithms.floating_base.floating_crba import FloatingCrbaResult, floating_crba
from rbdkit.algorithms.floating_base.floating_inverse_dynamics import FloatingInverseResult, floating_inverse_dynamics
from rbdkit.algorithms.floating_base.floating_jacobian import ImpulseResponse, floating_jacobian, impulse_response
from rbdkit.algorithms.floating_base.floating_momentum import base_velocity, floating_kinetic_energy, floating_momentum
from rbdkit.algorithms.floating_base.floating_rnea import FloatingRneaResult, floating_rnea
from rbdkit.algorithms.floating_base.system import FloatingBase

__all__ = [
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
]
