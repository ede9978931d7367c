"""Allocate the results of an algorithm: NumPy arrays, or symbolic arrays while its source is traced.

`rnea`, `aba` and `crba` are written once. Called with a `Model` they compute with numbers; called with a
`rbdkit.engine.steps.text_tree.TextTree`, which has the same attributes, the same lines are traced to compiled code.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, TypeGuard

import numpy as np

from rbdkit.model import Model
from rbdkit.model.requirements import require_independent_joints
from rbdkit.spatial.compact import Pose

SHAPES = {
    "float": (),
    "Vector": (3,),
    "mv": (6,),
    "fv": (6,),
    "plx": (6, 6),
    "rbi": (6, 6),
    "abi": (6, 6),
    "Coriolis": (6, 6),
    "Pose": (4, 4),
}
"""Shape of the value of one body, by the class names of Table A.3 of Featherstone (2008)."""
OF_JOINTS = {"Subspace": (6, 0), "Forces": (6, 0), "JointMatrix": (0, 0), "JointVector": (0,)}
"""Shape of the entry of the world, which has no joint, for kinds whose size depends on the joint."""


def room(model: Model, *kinds: type) -> Any:
    """Allocate one value per body for each of these types of `rbdkit.spatial.compact`, initially zero.

    For a `Model` this is an array (n, 6) or (n, 6, 6), or a list where joints differ in their number of freedoms.
    """
    found = [model.room(kind) if _is_program(model) else _of_bodies(model, kind.__name__) for kind in kinds]
    return found if len(found) > 1 else found[0]


def _is_program(model: Any) -> TypeGuard[Any]:
    return hasattr(type(model), "room")


def _of_bodies(model: Model, kind: str) -> Any:
    n = len(model.bodies)
    return np.zeros((n, *SHAPES[kind])) if kind in SHAPES else [np.zeros(OF_JOINTS[kind])] * n


def running(model: Model, like: Any = None, **kinds: type) -> Any:
    """Return values that a loop over the bodies hands from turn to turn, as attributes with these names and kinds.

    They begin as zero, transforms as the identity. like : (..., n) vectors of the states of a stack.
    """
    if _is_program(model):
        return model.running(kinds)
    lead = np.shape(like)[:-1]
    return SimpleNamespace(
        **{
            name: np.eye(6) if kind.__name__ == "plx" else np.zeros((*lead, *SHAPES[kind.__name__]))
            for name, kind in kinds.items()
        }
    )


def from_world(model: Model) -> Any:
    """Allocate the transforms from the world to every body; entry 0 is the identity."""
    return model.from_world() if _is_program(model) else [np.eye(6)] * len(model.bodies)


def from_base(model: Model) -> Any:
    """Allocate the transforms from base coordinates to every body; entry 0 is the identity.

    These are the world's; in traced code with the first link as origin, so that accuracy does not depend on the
    distance from the world's origin.
    """
    return model.from_base() if _is_program(model) else [np.eye(6)] * len(model.bodies)


def stacked_room(model: Model, kind: type, like: Any) -> Any:
    """Allocate one value per body, the bodies first, for each state of a stack. like : (..., n) vectors of the states.

    Memory is laid out with the bodies after the states, as `bodies_last` gives it back.
    """
    if _is_program(model):
        return model.room(kind)
    lead = np.shape(like)[:-1]
    return np.moveaxis(np.zeros((*lead, len(model.bodies), *SHAPES[kind.__name__])), len(lead), 0)


def bodies_last(x: Any, dimensions: int) -> Any:
    """Return values of `stacked_room` with the bodies after the states. dimensions : of the value of one body."""
    return np.moveaxis(x, 0, -1 - dimensions) if isinstance(x, np.ndarray) else x


def world_poses(model: Model, like: Any) -> Any:
    """Allocate the poses of the bodies in the world, as `stacked_room`; entry 0 is that of the world."""
    T = stacked_room(model, Pose, like)
    if isinstance(T, np.ndarray):
        T[0] = np.eye(4)
    return T


def moving(model: Model) -> Any:
    """Return the bodies that at least one joint moves; in traced code these are all that there are."""
    if _is_program(model):
        return model.outward
    return [i for i in model.outward if any(not model.joints[j].type.is_fixed for j in model.support(i))]


def joint_room(model: Model, name: str) -> Any:
    """Allocate one number per velocity variable, initially zero. name : of this output in traced code."""
    return model.joint_room(name) if _is_program(model) else np.zeros(model.nv)


def joint_values(model: Model, name: str) -> Any:
    """Allocate one number per velocity variable that is assigned once and then read. name : as in `joint_room`."""
    return model.joint_values(name) if _is_program(model) else np.zeros(model.nv)


def joint_groups(model: Model, tau: Any) -> Any:
    """Return the groups of joints that share a freedom and are eliminated together, or None (Jain 2012).

    For a `Model` it is always None, and joints that are not independent raise `ModelError`.
    """
    if _is_program(model):
        return model.joint_groups(tau)
    require_independent_joints(model, "ABA", "forward_dynamics")
    return None


def matrix_room(model: Model, name: str) -> Any:
    """Allocate a matrix (nv, nv) in blocks of joints, initially zero. name : as in `joint_room`."""
    return model.matrix_room(name) if _is_program(model) else np.zeros((model.nv, model.nv))


def jacobian_room(model: Model, name: str) -> Any:
    """Allocate a Jacobian (6, nv), initially zero, whose columns belong to velocities. name : as in `joint_room`."""
    return model.jacobian_room(name) if _is_program(model) else np.zeros((6, model.nv))


def columns(model: Model) -> Any:
    """Return what a loop over the columns of a Jacobian takes in each turn: one column in traced code, else all."""
    return model.tree.freedoms() if _is_program(model) else [slice(None)]


def symmetric(H: Any) -> Any:
    """Return the symmetric part of a matrix; in traced code both halves are one already."""
    return 0.5 * (H + H.T) if isinstance(H, np.ndarray) else H


def between(model: Model, i: Any) -> Any:
    """Return the bodies on the path from body i to the world, without these two."""
    return model.tree.path(i) if _is_program(model) else reversed(model.support(i)[:-1])
