"""Interactive pictures, each module for one idea of Featherstone's book; the notebooks of the course open with them.

Notebooks call them by name, as ``pictures.rolling_ball()``; each module is loaded when it is first used. Most pictures
have the name of their module. Once that is loaded, Python binds the module to the name, so modules are callable here:
to call one calls its picture.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

HOMES = {
    "IPython.display": ["Code", "Markdown", "Math"],
    "across_the_joint": ["across_the_joint"],
    "assembly_rounds": ["assembly_rounds"],
    "axial_screw": ["axial_screw"],
    "cat_waist": ["cat_waist"],
    "chain_on_a_handle": ["chain_on_a_handle"],
    "condition_growth": ["condition_growth"],
    "contact_events": ["contact_events"],
    "cost_curves": ["cost_curves"],
    "cost_meter": ["cost_meter"],
    "counted_operations": ["CATALOGUE", "counted"],
    "counting": ["counting"],
    "cross_table": ["crossing"],
    "cut_loop": ["cut_loop"],
    "dead_centre": ["dead_centre"],
    "dh_frames": ["dh_frames"],
    "driven_trolley": ["driven_trolley"],
    "factorization_steps": ["factorization_steps"],
    "far_frame": ["far_frame"],
    "feasible_set": ["feasible_set"],
    "five_bar": ["five_bar"],
    "flat_linkage": ["flat_linkage"],
    "force_split": ["force_on_a_joint"],
    "gear_ratio": ["gear_ratio"],
    "gimbal_lock": ["gimbal_lock"],
    "graph_picture": ["all_numberings"],
    "inertia_exchange": ["inertia_exchange"],
    "inertia_pattern": ["inertia_pattern"],
    "inverse_dynamics_arrows": ["inverse_dynamics_arrows"],
    "joint_gallery": ["joint_gallery"],
    "loop_error": ["loop_error"],
    "merged_tree": ["merged_tree"],
    "meshing_wheels": ["differential_wheels", "elliptic_wheels"],
    "mobility": ["mobility"],
    "pinion_bearing": ["pinion_bearing"],
    "push_the_box": ["push_the_box"],
    "recursion_meter": ["recursion_meter"],
    "rolling_ball": ["rolling_ball"],
    "satellite_reaction": ["satellite_reaction"],
    "screw_field": ["screw_field"],
    "shaken_pivot": ["shaken_pivot"],
    "simplifier": ["simplifier"],
    "spanning_trees": ["choose_tree"],
    "spinning_body": ["spinning_body"],
    "string_of_discs": ["string_of_discs"],
    "tangent_of_dynamics": ["tangent_of_dynamics"],
    "tree_picture": ["draw_matrix", "draw_tree"],
    "two_frames": ["two_frames"],
    "type_table": ["type_table"],
    "unit_acceleration": ["RODS", "unit_acceleration_playground"],
    "zigzag_fan": ["zigzag_fan"],
}
"""Module that defines each name; names from IPython display formulas and tables."""


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(home if "." in home else f"{__name__}.{home}"), name)
    known = sorted(name for names in HOMES.values() for name in names)
    raise AttributeError(f"there is no picture {name!r}; there are {', '.join(known)}")


class File(ModuleType):
    """A module of this package that can be called: it then calls the picture function of its own name."""

    def __call__(self, *values: Any, **options: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*values, **options)


class Pictures(ModuleType):
    """This package: makes a submodule callable as it is bound, since it hides the picture function of the same name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name in HOMES.get(name, ()):
            value.__class__ = File
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = Pictures
