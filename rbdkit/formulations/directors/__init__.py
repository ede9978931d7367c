"""A rigid body with a fixed point by its directors, and the body that may not twist.

After C. G. Gebhardt and I. Romero, "The rotating rigid body model based on a non-twisting frame": the standard body and
the one with the constraint w . d3 = 0, each once in directors with constraints and once split on the sphere of d3.
"""

from rbdkit.formulations.directors.directors import Directors
from rbdkit.formulations.directors.fixed_point import FixedPointBody, fixed_point_body
from rbdkit.formulations.directors.non_twisting import NonTwistingDirectors
from rbdkit.formulations.directors.split_euler import NonTwistingSplitEuler, SplitEuler

__all__ = [
    "Directors",
    "FixedPointBody",
    "NonTwistingDirectors",
    "NonTwistingSplitEuler",
    "SplitEuler",
    "fixed_point_body",
]
