"""The pairs of a model's shapes that can touch, as laws ask for them: many at once, as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.algorithms.contact import contacts
from rbdkit.algorithms.contact.touching import near as may_be_near
from rbdkit.collision import poses_of
from rbdkit.engine import kernels_for
from rbdkit.laws.near import NOTHING, Near
from rbdkit.model import Model
from rbdkit.model.contact_kinds import ContactKinds, PairsOfKind, contact_kinds
from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from rbdkit.model.kept import kept


class ModelPairs:
    """`Pairs` of a model with contact pairs.

    Parameters
    ----------
    model : Model
        With `Model.add_ground`, `Model.add_contact` or `Model.add_contacts`.

    Raises
    ------
    ModelError
        If two shapes may touch of which no function says where.
    """

    def __init__(self, model: Model) -> None:
        contacts(model, model.neutral())  # refuses shapes that nobody knows
        self.model = model
        self.names = tuple(pair.name for pair in model.contact_pairs)
        self.surfaces = [pair.material for pair in model.contact_pairs]
        ends = [[model.body(pair.predecessor).index, model.body(pair.successor).index] for pair in model.contact_pairs]
        self.bodies = np.array(ends, dtype=int).reshape(-1, 2)
        self.kinds: ContactKinds = contact_kinds(model)
        self.slots = self.kinds.slots
        self.reach = np.zeros(len(model.bodies))
        for kind in self.kinds.kinds:
            for body, placement, radius in (
                (kind.body_first, kind.placement_first, kind.radius_first),
                (kind.body_second, kind.placement_second, kind.radius_second),
            ):
                far = np.linalg.norm(placement[:, :3, 3], axis=1) + radius
                np.maximum.at(self.reach, body, np.where(np.isfinite(far), far, 0.0))
        self.thickness = np.array([min(_thick(pair.shape_p), _thick(pair.shape_s)) for pair in model.contact_pairs])

    def near(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """What is nearer than the margin, m, without rates."""
        kernels = kernels_for(self.model)
        if kernels is not None:
            poses = kernels.forward_kinematics(q, None, t)[0]
        else:
            poses = forward_kinematics(self.model, q, t=t).poses
        found = [own for kind in self.kinds.kinds if (own := _of_kind(kind, poses, margin)) is not None]
        if not found:
            return NOTHING
        pair, slot, gap, point, normal = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((slot, pair))
        still = np.zeros((len(pair), 3))
        return Near(pair[order], slot[order], gap[order], point[order], normal[order], still, still)

    def moving(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """The same with the rates of points and normals."""
        found = contacts(self.model, q, v, margin=margin, t=t)
        if not found:
            return NOTHING
        parts = ("point", "normal", "point_rate", "normal_rate")
        return Near(
            np.array([own.pair for own in found]), np.array([own.slot for own in found]),
            np.array([own.phi for own in found]), *(np.array([getattr(own, part) for own in found]) for part in parts),
        )  # fmt: skip


def pairs_of(model: Model) -> ModelPairs | None:
    """The pairs of a model; None if nothing in it can touch."""
    return kept(model, ModelPairs) if model.contact_rules and model.contact_pairs else None


def _of_kind(kind: PairsOfKind, poses: NDArray, margin: float) -> tuple[NDArray, ...] | None:
    """pair, slot, gap, point and normal of the places of one kind that are near; None if none is."""
    first, second = poses[kind.body_first] @ kind.placement_first, poses[kind.body_second] @ kind.placement_second
    rows = may_be_near(kind, first, second, margin)
    if not len(rows):
        return None
    places = kind.kind.function(
        poses_of(first[rows]), kind.lengths_first[rows].T, poses_of(second[rows]), kind.lengths_second[rows].T
    )
    gap = np.asarray(places.gap)
    k, i = np.nonzero(gap <= margin)
    if not len(k):
        return None
    point, normal = np.moveaxis(places.point, 1, -1)[k, i], np.moveaxis(places.normal, 1, -1)[k, i]
    sense = np.where(kind.turned[rows[i]], -1.0, 1.0)
    return kind.pair[rows[i]], kind.slot[rows[i]] + k, gap[k, i], point, sense[:, None] * normal


def _thick(shape: object) -> float:
    """The least width of a shape along its axes, m; infinite of a half-space."""
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
