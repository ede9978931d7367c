"""Ready models: small ones to play with, example systems of the sources, random trees, and the files of real robots.

    of Sueda's notes        cuboids (chains, trees), cuboid_scenes, soft_bodies (a soft cube, a robot with a tail)
    to play with            pendulums, linkages, serial_arms, candelabra, showcase (one joint of every type)
    chapters 3, 4           pinion_hinge, rolling_sphere, taut_string; linkages, overconstrained, serial_arms
    chapter 8               four_bars, linkages, planar_machines, two_arms, platforms, governor, ladder;
                            overconstrained, variable_mobility; andrews (a benchmark)
    chapters 6, 7           sparse_trees, parent_arrays, candelabra; box_and_cylinder
    chapter 9               satellite_with_arm, falling_cat, shaken_pendulum; geared, right_angle_arm
    chapter 10              rod_trees, revolute_trees, far_body, unlike_spheres, turret_pendulum
    chapter 11              bouncing, slopes, pitfalls, spinning, piles, woodpecker, walkers, with their starts
    papers                  holzinger, free_rotation; gebhardt_romero; mueller_terze
    for tests               random_tree, parent_arrays
    from files              robots

The chapters are those of Featherstone's book.
"""

from typing import TYPE_CHECKING

from rbdkit.library.andrews import andrews_squeezer
from rbdkit.library.bouncing import ball_pit, bouncing_ball, newtons_cradle
from rbdkit.library.box_and_cylinder import box_and_cylinder
from rbdkit.library.candelabra import candelabra
from rbdkit.library.cuboid_scenes import cuboid_scene
from rbdkit.library.cuboids import cuboid_chain, cuboid_tree
from rbdkit.library.excavator import excavator, excavator_coordinates
from rbdkit.library.falling_cat import cat_roll, falling_cat, waist, waist_motion
from rbdkit.library.far_body import far_body
from rbdkit.library.four_bars import four_bar_kind, n_four_bar, planar_four_bar
from rbdkit.library.free_rotation import free_rotation
from rbdkit.library.gebhardt_romero import fixed_point_model
from rbdkit.library.governor import flyball_governor
from rbdkit.library.holzinger import tumbling_box, tumbling_box_state
from rbdkit.library.ladder import ladder
from rbdkit.library.linkages import crank_slider, rack_and_pinion, satellite, spatial_slider_crank
from rbdkit.library.mueller_terze import (
    floating_pair,
    heavy_top,
    lower_pair,
    spherical_double_pendulum,
    three_bar_linkage,
)
from rbdkit.library.overconstrained import rectangular_bricard, sarrus_linkage
from rbdkit.library.parent_arrays import branched_parents, chain_parents, random_parents
from rbdkit.library.pendulums import chain_pendulum, double_pendulum, pendulum, small_swing_period, spherical_pendulum
from rbdkit.library.piles import box_pyramid, domino_row
from rbdkit.library.pinion_hinge import pinion_hinge
from rbdkit.library.pitfalls import concave_slope, polygon_on_ice
from rbdkit.library.planar_machines import (
    linear_actuator,
    parallelogram_robot,
    parallelogram_robot_coordinates,
    peaucellier,
)
from rbdkit.library.platforms import delta_robot, stewart_coordinates, stewart_platform
from rbdkit.library.random_tree import joint_gallery, led_joints, random_state, random_tree, uncommon_joints
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.library.rod_trees import rod_tree, zigzag_angles, zigzag_chain
from rbdkit.library.rolling_sphere import rolling_sphere
from rbdkit.library.satellite_with_arm import satellite_with_arm
from rbdkit.library.shaken_pendulum import shaken_pendulum, shaking, upright_frequency
from rbdkit.library.slopes import block_on_slope, disc_in_slot, painleve_rod, rolling_wheel
from rbdkit.library.soft_bodies import robot_with_tail, soft_cube
from rbdkit.library.spinning import rattleback, spinning_coin, tippe_top
from rbdkit.library.taut_string import three_discs
from rbdkit.library.turret_pendulum import turret_pendulum
from rbdkit.library.two_arms import five_bar
from rbdkit.library.unlike_spheres import unlike_spheres
from rbdkit.library.variable_mobility import variable_mobility
from rbdkit.library.walkers import humanoid, quadruped
from rbdkit.library.woodpecker import woodpecker_toy
from rbdkit.loaded import loads_later

if TYPE_CHECKING:
    from rbdkit.library.geared import differential, elliptic_gears, geared_arm
    from rbdkit.library.revolute_trees import general_unbranched, revolute_tree
    from rbdkit.library.robots import dropped_robot, robot_file, robot_files
    from rbdkit.library.serial_arms import puma_560, scara_arm, stanford_arm

__all__ = [
    "andrews_squeezer",
    "ball_pit",
    "concave_slope",
    "polygon_on_ice",
    "block_on_slope",
    "bouncing_ball",
    "box_and_cylinder",
    "box_pyramid",
    "branched_parents",
    "candelabra",
    "cat_roll",
    "chain_parents",
    "chain_pendulum",
    "crank_slider",
    "cuboid_chain",
    "cuboid_scene",
    "cuboid_tree",
    "delta_robot",
    "differential",
    "disc_in_slot",
    "domino_row",
    "double_pendulum",
    "dropped_robot",
    "elliptic_gears",
    "excavator",
    "excavator_coordinates",
    "falling_cat",
    "far_body",
    "five_bar",
    "fixed_point_model",
    "floating_pair",
    "flyball_governor",
    "four_bar_kind",
    "free_rotation",
    "geared_arm",
    "general_unbranched",
    "heavy_top",
    "humanoid",
    "joint_gallery",
    "ladder",
    "led_joints",
    "linear_actuator",
    "lower_pair",
    "n_four_bar",
    "newtons_cradle",
    "painleve_rod",
    "parallelogram_robot",
    "parallelogram_robot_coordinates",
    "peaucellier",
    "pendulum",
    "pinion_hinge",
    "planar_four_bar",
    "puma_560",
    "quadruped",
    "rack_and_pinion",
    "random_parents",
    "random_state",
    "random_tree",
    "rattleback",
    "rectangular_bricard",
    "revolute_tree",
    "right_angle_arm",
    "robot_file",
    "robot_files",
    "robot_with_tail",
    "rod_tree",
    "rolling_sphere",
    "rolling_wheel",
    "sarrus_linkage",
    "satellite",
    "satellite_with_arm",
    "scara_arm",
    "shaken_pendulum",
    "shaking",
    "small_swing_period",
    "soft_cube",
    "spatial_slider_crank",
    "spherical_double_pendulum",
    "spherical_pendulum",
    "spinning_coin",
    "stanford_arm",
    "stewart_coordinates",
    "stewart_platform",
    "three_bar_linkage",
    "three_discs",
    "tippe_top",
    "tumbling_box",
    "tumbling_box_state",
    "turret_pendulum",
    "uncommon_joints",
    "unlike_spheres",
    "upright_frequency",
    "variable_mobility",
    "waist",
    "waist_motion",
    "woodpecker_toy",
    "zigzag_angles",
    "zigzag_chain",
]

# Models that need algorithms or files are loaded when they are first asked for.
__getattr__, __dir__ = loads_later(
    __name__,
    {
        "rbdkit.library.geared": ["differential", "elliptic_gears", "geared_arm"],
        "rbdkit.library.revolute_trees": ["general_unbranched", "revolute_tree"],
        "rbdkit.library.robots": ["dropped_robot", "robot_file", "robot_files"],
        "rbdkit.library.serial_arms": ["puma_560", "scara_arm", "stanford_arm"],
    },
)
