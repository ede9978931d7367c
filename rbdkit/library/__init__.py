"""Ready models: pendulums, random trees for tests, and where to find the files of real robots."""

from rbdkit.library.box_and_cylinder import box_and_cylinder
from rbdkit.library.falling_cat import cat_roll, falling_cat, waist, waist_motion
from rbdkit.library.far_body import far_body
from rbdkit.library.free_rotation import free_rotation
from rbdkit.library.geared import differential, elliptic_gears, geared_arm
from rbdkit.library.gebhardt_romero import fixed_point_model
from rbdkit.library.holzinger import tumbling_box, tumbling_box_state
from rbdkit.library.linkages import crank_slider, planar_four_bar, rack_and_pinion, satellite
from rbdkit.library.mueller_terze import (
    floating_pair,
    heavy_top,
    lower_pair,
    spherical_double_pendulum,
    three_bar_linkage,
)
from rbdkit.library.parent_arrays import branched_parents, chain_parents, random_parents
from rbdkit.library.pendulums import chain_pendulum, double_pendulum, pendulum, small_swing_period, spherical_pendulum
from rbdkit.library.pinion_hinge import pinion_hinge
from rbdkit.library.random_tree import joint_gallery, random_state, random_tree, uncommon_joints
from rbdkit.library.revolute_trees import general_unbranched, revolute_tree
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.library.robots import robot_file, robot_files
from rbdkit.library.rod_trees import rod_tree, zigzag_angles, zigzag_chain
from rbdkit.library.rolling_sphere import rolling_sphere
from rbdkit.library.satellite_with_arm import satellite_with_arm
from rbdkit.library.serial_arms import puma_560, scara_arm, stanford_arm
from rbdkit.library.shaken_pendulum import shaken_pendulum, shaking, upright_frequency
from rbdkit.library.taut_string import three_discs
from rbdkit.library.turret_pendulum import turret_pendulum
from rbdkit.library.unlike_spheres import unlike_spheres

__all__ = [
    "box_and_cylinder",
    "branched_parents",
    "chain_parents",
    "far_body",
    "general_unbranched",
    "random_parents",
    "revolute_tree",
    "rod_tree",
    "turret_pendulum",
    "unlike_spheres",
    "zigzag_angles",
    "zigzag_chain",
    "chain_pendulum",
    "crank_slider",
    "differential",
    "double_pendulum",
    "elliptic_gears",
    "fixed_point_model",
    "floating_pair",
    "geared_arm",
    "heavy_top",
    "lower_pair",
    "free_rotation",
    "joint_gallery",
    "pendulum",
    "pinion_hinge",
    "planar_four_bar",
    "puma_560",
    "rack_and_pinion",
    "random_state",
    "random_tree",
    "right_angle_arm",
    "robot_file",
    "robot_files",
    "rolling_sphere",
    "satellite",
    "scara_arm",
    "small_swing_period",
    "spherical_double_pendulum",
    "spherical_pendulum",
    "three_bar_linkage",
    "three_discs",
    "stanford_arm",
    "tumbling_box",
    "tumbling_box_state",
    "uncommon_joints",
    "cat_roll",
    "falling_cat",
    "satellite_with_arm",
    "shaken_pendulum",
    "shaking",
    "upright_frequency",
    "waist",
    "waist_motion",
]
