"""Contacts that hold: bodies that touch, joined by ball joints at the points where they do.

Corners that stand on something stay where they are as long as friction holds them, so a ball joint at each is the same
to any order. A rounded shape would roll, and its contact point move; such contacts are refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from rbdkit.algorithms import forward_kinematics, jacobian
from rbdkit.algorithms.contact import PairContact, contacts
from rbdkit.engine import kernels_for
from rbdkit.errors import StateError
from rbdkit.joints import Spherical
from rbdkit.model import Box, Mesh, Model
from rbdkit.model.contact import Ground

NEAR = 1e-5
"""Largest gap of a contact that counts as closed, m: what came to rest in a simulation is closer."""
SLIDES = 1e-6
"""Largest velocity of a contact point that still counts as rest, m/s."""
PULLS = 1e-6
"""Largest part of the constraint forces that contacts may fail to give without pulling, relative to their size."""


def held(model: Model, q: NDArray, v: NDArray, t: float) -> tuple[Model, list[PairContact]]:
    """Return the model with what touches joined by ball joints, and these contacts.

    Raises
    ------
    StateError
        If a contact slides or lifts off in this state, or is of a shape that rolls: then it does not hold.
    """
    touching = contacts(model, q, v, margin=NEAR, t=t) if model.contact_rules else []
    twin = copy(model)
    twin.contact_rules = ()
    poses = forward_kinematics(model, q, t=t).poses
    for touch in touching:
        _require_at_rest(model, touch, q, v, t)
        ends = [_in_body(poses[model.body(name).index], touch.point) for name in (touch.predecessor, touch.successor)]
        twin.add_loop(f"{touch.name} held", touch.predecessor, touch.successor, Spherical(), *ends)
    return twin, touching


def _in_body(pose: NDArray, point: NDArray) -> NDArray:
    return pose[:3, :3].T @ (point - pose[:3, 3])


def _require_at_rest(model: Model, touch: PairContact, q: NDArray, v: NDArray, t: float) -> None:
    pair = model.contact_pairs[touch.pair]
    for shape in (pair.shape_p, pair.shape_s):
        if not isinstance(shape, Ground) and not isinstance(shape.shape, Box | Mesh):
            raise StateError(
                f"contact {touch.name!r} is of a {type(shape.shape).__name__}, which rolls where it touches; only "
                "corners are held: linearize with contacts='ignore', or put a joint or constraint in its place"
            )
    if touch.material.friction == 0.0:
        raise StateError(
            f"contact {touch.name!r} has no friction, so it slips when it is pushed; only contacts that friction holds "
            "stay where they are: give the surfaces some, take contacts='ignore', or put a joint in its place"
        )
    speed = float(np.linalg.norm(_point_rows(model, touch, q, t) @ v))
    if speed > SLIDES:
        raise StateError(
            f"contact {touch.name!r} moves by {speed:.3g} m/s in this state, so it does not hold; take a state in "
            "which it rests, or contacts='ignore'"
        )


def _point_rows(model: Model, touch: PairContact, q: NDArray, t: float) -> NDArray:
    """Return the rows (3, nv) of the velocity of the successor's point against the predecessor's, in the world."""
    x, y, z = touch.point
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    first, second = (jacobian(model, q, name, "world", t=t) for name in (touch.predecessor, touch.successor))
    J = second - first
    return J[3:] - cross @ J[:3]  # v + omega x point


def warn_if_pulled(model: Model, touching: Sequence[PairContact], q: NDArray, force: NDArray, t: float) -> None:
    """Warn if no contact forces within friction cones give the constraint force (nv,) that holds the model."""
    rows, low, high = [], [], []
    for touch in touching:
        J = _point_rows(model, touch, q, t)
        normal = touch.normal
        side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        side /= np.linalg.norm(side)
        mu = touch.material.friction
        for k in range(8):  # the edges of a pyramid in the friction cone
            along = np.cos(k * np.pi / 4) * side + np.sin(k * np.pi / 4) * np.cross(normal, side)
            rows.append((normal + mu * along) @ J)
            low.append(0.0)
            high.append(np.inf)
    if not rows:
        return
    if model.loops or model.constraints:  # these take the rest, whatever its sign
        kernels = kernels_for(model)
        assert kernels is not None
        own = kernels.constraint_rows(q, np.zeros(model.nv), t).K
        rows += [*own]
        low += [-np.inf] * len(own)
        high += [np.inf] * len(own)
    found = lsq_linear(np.array(rows).T, force, (low, high), tol=1e-14)
    missing = np.linalg.norm(found.fun)
    if missing > PULLS * np.linalg.norm(force):
        warnings.warn(
            f"the contacts {', '.join(repr(touch.name) for touch in touching)} cannot hold model {model.name!r} in "
            f"this state without pulling or slipping: {missing / np.linalg.norm(force):.2g} of the forces is missing; "
            "what is found is that of feet that are glued to the ground",
            stacklevel=3,
        )
