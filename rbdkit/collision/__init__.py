"""Narrow-phase collision in closed form: gap, contact point and normal of two shapes, from their poses and dimensions.

Each function handles one pair of shape kinds and returns a fixed number of contact points; those that do not exist at
present have the gap `FAR`. It is written without branches, by selection of values, so that one text computes numbers,
arrays of many pairs, and symbols, from which exact rates are derived.
"""

from rbdkit.collision.components import FAR, Pose, Slots, poses_of
from rbdkit.collision.kinds import KINDS, Kind, kind_of
from rbdkit.collision.rates import MOTION, recorded, with_rates

__all__ = ["FAR", "KINDS", "MOTION", "Kind", "Pose", "Slots", "kind_of", "poses_of", "recorded", "with_rates"]
