"""Ready models: pendulums, random trees for tests, and where to find the files of real robots."""

from rbdkit.library.pendulums import chain_pendulum, double_pendulum, pendulum, small_swing_period, spherical_pendulum
from rbdkit.library.random_tree import joint_gallery, random_state, random_tree
from rbdkit.library.robots import robot_file, robot_files

__all__ = [
    "chain_pendulum",
    "double_pendulum",
    "joint_gallery",
    "pendulum",
    "random_state",
    "random_tree",
    "robot_file",
    "robot_files",
    "small_swing_period",
    "spherical_pendulum",
]
