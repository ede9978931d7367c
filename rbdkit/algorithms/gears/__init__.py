"""Gears: joints whose coordinates are functions of other joints' (Featherstone 2008, section 9.6).

`gear` says what one gear does and what all of a model do together: q = gamma(y), G and g. `equation` is the equation of
motion in the independent variables, solved either way. `congruence` is the product G^T H G and its price. `rotors` is
the short cut: no rotors, only their inertia seen through the gears.
"""

from rbdkit.algorithms.gears.congruence import congruence, congruence_operations
from rbdkit.algorithms.gears.equation import (
    GearedEquation,
    geared_equation,
    geared_forward_dynamics,
    geared_inverse_dynamics,
    motor_forces,
)
from rbdkit.algorithms.gears.gear import Gear, Gears
from rbdkit.algorithms.gears.rotors import without_rotors

__all__ = [
    "Gear",
    "GearedEquation",
    "Gears",
    "congruence",
    "congruence_operations",
    "geared_equation",
    "geared_forward_dynamics",
    "geared_inverse_dynamics",
    "motor_forces",
    "without_rotors",
]
