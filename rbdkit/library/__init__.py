"""Ready models: pendulums, random trees for tests, and where to find the files of real robots."""

from rbdkit.library.free_rotation import free_rotation
from rbdkit.library.gebhardt_romero import fixed_point_model
from rbdkit.library.holzinger import tumbling_box, tumbling_box_state
from rbdkit.library.mueller_terze import (
    floating_pair,
    heavy_top,
    lower_pair,
    spherical_double_pendulum,
    three_bar_linkage,
)
from rbdkit.library.pendulums import chain_pendulum, double_pendulum, pendulum, small_swing_period, spherical_pendulum
from rbdkit.library.random_tree import joint_gallery, random_state, random_tree
from rbdkit.library.robots import robot_file, robot_files

__all__ = [
    "chain_pendulum",
    "double_pendulum",
    "fixed_point_model",
    "floating_pair",
    "heavy_top",
    "lower_pair",
    "free_rotation",
    "joint_gallery",
    "pendulum",
    "random_state",
    "random_tree",
    "robot_file",
    "robot_files",
    "small_swing_period",
    "spherical_double_pendulum",
    "spherical_pendulum",
    "three_bar_linkage",
    "tumbling_box",
    "tumbling_box_state",
]
