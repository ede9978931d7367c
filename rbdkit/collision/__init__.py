"""Where two shapes touch, in closed form: gap, place and normal as functions of their poses and lengths.

components      vectors of numbers, of arrays and of symbols alike; Pose, Slots
half_space      shapes on a half-space
balls, capsules, boxes
                these against others
distance        of a point from a shape, and the way out of it
kinds           Kind, KINDS, kind_of: which function is that of which shapes
rates           the functions with their rates, recorded
"""

from rbdkit.collision.components import FAR, Pose, Slots, poses_of
from rbdkit.collision.kinds import KINDS, Kind, kind_of
from rbdkit.collision.rates import MOTION, recorded, with_rates

__all__ = ["FAR", "KINDS", "MOTION", "Kind", "Pose", "Slots", "kind_of", "poses_of", "recorded", "with_rates"]
