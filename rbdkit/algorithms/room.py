"""Room for what an algorithm computes, on numbers or in a program that is being recorded.

An algorithm is written once, over a `Model`; over a `rbdkit.engine.steps.text_tree.TextTree`, which answers to the same
names, the same lines record its program.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from rbdkit.model import Model
from rbdkit.model.requirements import require_independent_joints

SHAPES = {"mv": (6,), "fv": (6,), "plx": (6, 6), "rbi": (6, 6), "abi": (6, 6)}
"""Of one body's value, by the class names of Table A.3 of Featherstone (2008)."""
OF_JOINTS = {"Subspace": (6, 0), "Forces": (6, 0), "JointMatrix": (0, 0), "JointVector": (0,)}
"""Of what the world has none of, as it has no joint."""


def room(model: Model, *kinds: type) -> Any:
    """Room for a value of each of these types of `rbdkit.spatial.compact` for every body; zero at first.

    On numbers an array (n, 6) or (n, 6, 6), or a list where joints differ in their number of freedoms.
    """
    found = [model.room(kind) if _is_program(model) else _of_bodies(model, kind.__name__) for kind in kinds]
    return found if len(found) > 1 else found[0]


def _is_program(model: Any) -> TypeGuard[Any]:
    return hasattr(type(model), "room")


def _of_bodies(model: Model, kind: str) -> Any:
    n = len(model.bodies)
    return np.zeros((n, *SHAPES[kind])) if kind in SHAPES else [np.zeros(OF_JOINTS[kind])] * n


def from_world(model: Model) -> Any:
    """Room for the transforms from the world to every body; the world's own is 1."""
    return model.from_world() if _is_program(model) else [np.eye(6)] * len(model.bodies)


def joint_room(model: Model, name: str) -> Any:
    """Room for a number of every velocity; zero at first. name : under which a program hands it out."""
    return model.joint_room(name) if _is_program(model) else np.zeros(model.nv)


def joint_values(model: Model, name: str) -> Any:
    """Room for the numbers of every joint, which a text gives once and reads then. name : as in `joint_room`."""
    return model.joint_values(name) if _is_program(model) else np.zeros(model.nv)


def joint_groups(model: Model, tau: Any) -> Any:
    """Joints that share a freedom and are eliminated together, if there are such (Jain 2012).

    On numbers None, where joints that do not move independently are refused.
    """
    if _is_program(model):
        return model.joint_groups(tau)
    require_independent_joints(model, "ABA", "forward_dynamics")
    return None


def matrix_room(model: Model, name: str) -> Any:
    """Room for a matrix (nv, nv), by blocks of joints; zero at first. name : as in `joint_room`."""
    return model.matrix_room(name) if _is_program(model) else np.zeros((model.nv, model.nv))


def symmetric(H: Any) -> Any:
    """The symmetric part of a matrix; a program's is written once for both halves."""
    return 0.5 * (H + H.T) if isinstance(H, np.ndarray) else H


def between(model: Model, i: Any) -> Any:
    """The bodies between body i and the world, from i on, without either."""
    return model.tree.path(i) if _is_program(model) else reversed(model.support(i)[:-1])
