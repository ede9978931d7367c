"""Joints of a tree that can move so that nothing with inertia moves: two hinges on one line, and no mass between them.

What a joint feels is its articulated inertia D = S^T I^A S (Featherstone 2008, Eq 7.44): what is left of the inertia
S^T I^c S of all that it carries, I^c, when the joints further out give way. Where nothing is left no force determines
how it moves, and round-off would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model.kept import kept
from rbdkit.spatial import se3

if TYPE_CHECKING:
    from rbdkit.model.body import Body
    from rbdkit.model.model import Model

NOTHING = 1e-13
"""Of the inertia of all that a joint carries: what is left of it is round-off."""
POSES = 3
"""Poses in all of which nothing is left: one of them may be a singular one by chance."""


def idle_body(model: Model) -> int | None:
    """Number of a body whose joint moves nothing with inertia, in whatever pose of the tree; None if there is none.

    Joints that follow others are not looked at, nor what loops and constraints determine.
    """
    return kept(model, _idle_everywhere)


def require_inertia_at(model: Model, q: NDArray) -> None:
    """Raise ModelError if a joint of the tree moves nothing with inertia in this pose (nq,)."""
    if kept(model, _wants_inertia) and (body := _idle_at(model, q)) is not None:
        raise ModelError(f"{idle_text(model, body)}. It is so at q = {np.round(q, 6).tolist()}")


def require_inertia_somewhere(model: Model) -> None:
    """Raise ModelError if a joint of the tree moves nothing with inertia whatever the pose."""
    if (body := idle_body(model)) is not None:
        raise ModelError(idle_text(model, body))


def idle_text(model: Model, body: int) -> str:
    """What is wrong, and the mend."""
    joint = model.joints[body]
    return (
        f"joint {joint.name!r} moves something without inertia: body {model.bodies[body].name!r} can move so that all "
        "with inertia stays, as joints further out give way, and its acceleration has no meaning; give the body "
        "inertia=, or make one of these joints fixed"
    )


def _idle_everywhere(model: Model) -> int | None:
    if not kept(model, _wants_inertia):
        return None
    found: set[int | None] = set()
    for k in range(POSES):
        found.add(_idle_at(model, model.move(model.neutral(), np.sin(1.0 + k + np.arange(model.nv)))))
        if None in found:
            return None
    return max(body for body in found if body is not None)


def _wants_inertia(model: Model) -> bool:
    """Whether some joint may lack inertia: it moves a body that alone has none in some direction."""
    if model.loops or model.constraints or model.mimics:
        return False
    return any(body.joint.nv and not _resists(body) for body in model.bodies[1:])


def _resists(body: Body) -> bool:
    """Whether a body resists in all directions; point masses do not."""
    if body.inertia is None or not body.inertia.mass > 0.0:
        return False
    w = np.linalg.eigvalsh(body.inertia.inertia_com)
    return bool(w[0] > NOTHING * w[2])


def _idle_at(model: Model, q: NDArray) -> int | None:
    """Number of the first body, from the leaves on, whose joint feels no inertia at a pose; None if all feel some."""
    own = [np.zeros((6, 6)) if body.inertia is None else body.inertia.matrix for body in model.bodies]
    carried, felt = [I.copy() for I in own], [I.copy() for I in own]
    for i in model.inward:
        joint, parent = model.joints[i], model.parent[i]
        X = se3.adjoint(se3.inverse(joint.pose(q, 0.0)))
        I_A = felt[i]
        if joint.nv:
            S, rotor = joint.motion_subspace(q), np.diag(np.broadcast_to(joint.armature, joint.nv))
            D, whole = S.T @ I_A @ S + rotor, S.T @ carried[i] @ S + rotor
            if not _is_something(D, whole):
                return i
            U = I_A @ S
            I_A = I_A - U @ np.linalg.solve(D, U.T)
        carried[parent] += X.T @ carried[i] @ X
        felt[parent] += X.T @ I_A @ X
    return None


def _is_something(D: NDArray, whole: NDArray) -> bool:
    size = np.sqrt(np.diag(whole).clip(0.0))
    return bool(size.all()) and bool(np.linalg.eigvalsh(D / np.outer(size, size))[0] > NOTHING)
