"""The contact pairs of a model as arrays over all pairs, in the form that contact laws use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.algorithms.contact import contacts, near_places
from rbdkit.engine import kernels_for
from rbdkit.errors import StateError
from rbdkit.laws.near import NOTHING, Near
from rbdkit.model import Model
from rbdkit.model.contact_kinds import ContactKinds, contact_kinds, reach_of
from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from rbdkit.model.kept import kept

ROOM = 32
"""Largest number of points of a pair whose contacts have no closed form (meshes, for instance)."""


class ModelPairs:
    """The implementation of `Pairs` for the contact pairs of a model.

    Parameters
    ----------
    model : Model
        A model with `Model.add_ground`, `Model.add_contact` or `Model.add_contacts`.

    Raises
    ------
    ModelError
        If there is no collision function for a pair of shapes that may touch.
    """

    def __init__(self, model: Model) -> None:
        contacts(model, model.neutral())  # raises for pairs of shapes without a collision function
        self.model = model
        self.names = tuple(pair.name for pair in model.contact_pairs)
        self.surfaces: Sequence[Any] = [pair.material for pair in model.contact_pairs]
        ends = [[model.body(pair.predecessor).index, model.body(pair.successor).index] for pair in model.contact_pairs]
        self.bodies = np.array(ends, dtype=int).reshape(-1, 2)
        self.kinds: ContactKinds = contact_kinds(model)
        self.slots = self.kinds.slots.copy()
        self.slots[list(self.kinds.others)] = ROOM
        self.reach = np.zeros(len(model.bodies))
        for pair, both in zip(model.contact_pairs, self.bodies, strict=True):
            for body, shape in zip(both, (pair.shape_p, pair.shape_s), strict=True):
                if isinstance(shape, Geometry):
                    far = float(np.linalg.norm(shape.placement[:3, 3])) + reach_of(shape)
                    self.reach[body] = max(self.reach[body], far)
        self.thickness = np.array([min(_thick(pair.shape_p), _thick(pair.shape_s)) for pair in model.contact_pairs])

    def near(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """Return the points with gaps below the margin, m; their rates are zero."""
        kernels = kernels_for(self.model)
        if kernels is not None:
            poses = kernels.forward_kinematics(q, None, t)[0]
        else:
            poses = forward_kinematics(self.model, q, t=t).poses
        found = near_places(self.model, poses, margin)
        if not len(found.pair):
            return NOTHING
        self._require_room(found.pair, found.slot)
        still = np.zeros((len(found.pair), 3))
        return Near(found.pair, found.slot, found.gap, found.point, found.normal, still, still)

    def moving(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """Return the points with gaps below the margin, m, with the rates of points and normals."""
        found = contacts(self.model, q, v, margin=margin, t=t)
        if not found:
            return NOTHING
        parts = ("point", "normal", "point_rate", "normal_rate")
        pair, slot = np.array([own.pair for own in found]), np.array([own.slot for own in found])
        self._require_room(pair, slot)
        return Near(
            pair, slot,
            np.array([own.phi for own in found]), *(np.array([getattr(own, part) for own in found]) for part in parts),
        )  # fmt: skip

    def _require_room(self, pair: NDArray, slot: NDArray) -> None:
        full = slot >= self.slots[pair]
        if full.any():
            name = self.names[pair[np.argmax(full)]]
            raise StateError(
                f"contact {name!r}: its faces share {int(slot.max()) + 1} corners, and laws have room for {ROOM}; take "
                "meshes with fewer corners for contact"
            )


def pairs_of(model: Model) -> ModelPairs | None:
    """Return the contact pairs of a model from its cache; None if nothing in it can touch."""
    return kept(model, ModelPairs) if model.contact_rules and model.contact_pairs else None


def _thick(shape: object) -> float:
    """Return the least width of a shape along its axes, m; infinite for a half-space."""
    if not isinstance(shape, Geometry):
        return np.inf
    match shape.shape:
        case Sphere(radius):
            return 2.0 * radius
        case Box(size):
            return min(size)
        case Ellipsoid(radii):
            return 2.0 * min(radii)
        case Cylinder(radius, length) | Cone(radius, length):
            return min(2.0 * radius, length)
        case Capsule(radius, _):
            return 2.0 * radius
        case Mesh(vertices=vertices, scale=scale):
            return np.inf if vertices is None else float(np.ptp(vertices * np.array(scale), axis=0).min())
