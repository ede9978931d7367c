"""Joints of a tree with zero articulated inertia: two coaxial hinges with no mass between them, for example.

The inertia that a joint feels is D = S^T I^A S, of the articulated-body inertia I^A (Featherstone 2008, Eq 7.44). It is
compared with S^T I^c S of the composite inertia I^c of all that the joint carries, from which it falls short by what
joints further out give way. Where nothing remains, D is singular: no force determines the acceleration, and round-off
would. A ratio and not an absolute tolerance, so that units do not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model.kept import kept
from rbdkit.spatial import se3
from rbdkit.spatial.read_numbers import within

if TYPE_CHECKING:
    from rbdkit.model.body import Body
    from rbdkit.model.model import Model

NOTHING = 1e-13
"""Ratio of articulated to composite inertia that counts as round-off."""
SUSPECT = 1e10
"""Acceleration of a joint that may carry nothing, rad/s2 or m/s2, beyond which its pose is examined."""
POSES = 3
"""Number of configurations that must all be singular: a single one may be so by chance."""


def idle_body(model: Model) -> int | None:
    """Return the number of a body whose joint has zero articulated inertia in every configuration; None if none has.

    Models with mimic joints, loops or constraints are not examined (None).
    """
    return kept(model, _idle_everywhere)


def require_inertia_at(model: Model, q: NDArray) -> None:
    """Raise ModelError if a joint of the tree has zero articulated inertia at coordinates q (nq,)."""
    if kept(model, _wants_inertia) and (body := _idle_at(model, q)) is not None:
        raise ModelError(f"{idle_text(model, body)}. It is so at q = {np.round(q, 6).tolist()}")


def largest_believed(model: Model) -> float:
    """Return up to which size accelerations need no `require_inertia_behind`, rad/s2 or m/s2."""
    return SUSPECT if kept(model, _wants_inertia) else np.inf


def require_inertia_behind(model: Model, q: NDArray, qdd: NDArray) -> None:
    """Raise ModelError if accelerations (..., nv) are round-off: at q (..., nq) a joint has zero articulated inertia.

    Divided by round-off they are huge, so only states with huge ones are examined.
    """
    believed = largest_believed(model)
    if believed == np.inf or within(qdd, believed):
        return
    large = np.abs(qdd).max(axis=-1) > SUSPECT
    for own in np.broadcast_to(q, (*qdd.shape[:-1], q.shape[-1]))[large]:
        require_inertia_at(model, own)


def require_inertia_somewhere(model: Model) -> None:
    """Raise ModelError if a joint of the tree has zero articulated inertia in every configuration."""
    if (body := idle_body(model)) is not None:
        raise ModelError(idle_text(model, body))


def idle_text(model: Model, body: int) -> str:
    """Return the message about a body whose joint has zero articulated inertia, with the mend."""
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
    """Return whether some joint may have zero articulated inertia: it moves a body without full inertia of its own."""
    if model.loops or model.constraints or model.mimics:
        return False
    return any(body.joint.nv and not _resists(body) for body in model.bodies[1:])


def _resists(body: Body) -> bool:
    """Return whether the spatial inertia of a body is positive definite; a point mass's is not."""
    if body.inertia is None or not body.inertia.mass > 0.0:
        return False
    w = np.linalg.eigvalsh(body.inertia.inertia_com)
    return bool(w[0] > NOTHING * w[2])


def _idle_at(model: Model, q: NDArray) -> int | None:
    """Return the first body, from the leaves on, whose joint has zero articulated inertia at q (nq,); None if none.

    This is the inertia pass of the articulated-body algorithm, beside that of composite inertias.
    """
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
