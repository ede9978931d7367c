"""The pairs of shapes of a model that may touch, as arrays: sorted by kind, so that many are computed at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.collision import Kind, kind_of
from rbdkit.errors import ModelError
from rbdkit.model.contact import Ground
from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from rbdkit.model.hull import hull_vertices
from rbdkit.model.kept import kept

if TYPE_CHECKING:
    from rbdkit.model.model import Model


@dataclass(frozen=True, eq=False)
class PairsOfKind:
    """Pairs whose shapes are of the same two kinds; m rows, a row for each corner of the convex hull of a mesh.

    First and second are the shapes in the order in which the function of the kind takes them.

    Attributes
    ----------
    kind : Kind
        Which function says where they touch.
    pair : ndarray (m,) of int
        Which of `Model.contact_pairs` each is.
    slot : ndarray (m,) of int
        Number of its first place among the places of its pair.
    turned : ndarray (m,) of bool
        Whether the first shape is that of the pair's successor: then normals have to be turned round.
    body_first, body_second : ndarray (m,) of int
        Numbers of the bodies; 0 for a ground.
    placement_first, placement_second : ndarray (m, 4, 4)
        Poses of the shapes on their bodies.
    lengths_first, lengths_second : ndarray (m, n)
        Lengths of the shapes, as many as the kind asks for, m.
    radius_first, radius_second : ndarray (m,)
        Of balls about the shapes' origins that hold them, m; infinite for a ground.
    """

    kind: Kind
    pair: NDArray
    slot: NDArray
    turned: NDArray
    body_first: NDArray
    body_second: NDArray
    placement_first: NDArray
    placement_second: NDArray
    lengths_first: NDArray
    lengths_second: NDArray
    radius_first: NDArray
    radius_second: NDArray


@dataclass(frozen=True, eq=False)
class ContactKinds:
    """All pairs of a model.

    Attributes
    ----------
    kinds : tuple of PairsOfKind
        Those with a closed form.
    others : tuple of int
        Numbers of the pairs without one.
    slots : ndarray of int
        How many places each pair has; 0 without a closed form.
    """

    kinds: tuple[PairsOfKind, ...]
    others: tuple[int, ...]
    slots: NDArray


def contact_kinds(model: Model) -> ContactKinds:
    """The pairs of a model that may touch, sorted by kind."""
    return kept(model, _sorted)


def _sorted(model: Model) -> ContactKinds:
    rows: dict[Kind, list[tuple[object, ...]]] = {}
    others = []
    slots = np.zeros(len(model.contact_pairs), dtype=int)
    for k, pair in enumerate(model.contact_pairs):
        shapes = pair.shape_p, pair.shape_s
        names = name_of(pair.shape_p), name_of(pair.shape_s)
        if names[0] == "half-space" and names[1] == "mesh":
            names = "half-space", "point"
        found = kind_of(*names)
        if found is None:
            others.append(k)
            continue
        try:
            firsts, seconds = map(_lengths, shapes)
        except ModelError as fault:
            raise ModelError(f"contact {pair.name!r}: {fault}") from None
        kind, turned = found
        bodies = [model.body(name).index for name in (pair.predecessor, pair.successor)]
        a, b = (1, 0) if turned else (0, 1)
        for own in seconds:
            both = firsts[0], own
            radii = _radius(names[0], both[0]), _radius(names[1], both[1])
            places = [shape.placement for shape in shapes]
            rows.setdefault(kind, []).append(
                (k, slots[k], turned, bodies[a], bodies[b], places[a], places[b], both[a], both[b], radii[a], radii[b])
            )
            slots[k] += kind.slots
    return ContactKinds(
        tuple(PairsOfKind(kind, *map(np.array, zip(*own, strict=True))) for kind, own in rows.items()),
        tuple(others),
        slots,
    )


def name_of(shape: Geometry | Ground) -> str:
    """The name by which kinds know a shape."""
    return "half-space" if isinstance(shape, Ground) else type(shape.shape).__name__.lower()


def reach_of(shape: Geometry | Ground) -> float:
    """Radius of a ball about a shape's origin that holds it, m; infinite of a half-space."""
    return max(_radius(name_of(shape), own) for own in _lengths(shape))


def _lengths(shape: Geometry | Ground) -> list[tuple[float, ...]]:
    """The lengths that tell a shape; of a mesh those of each corner of its convex hull."""
    if isinstance(shape, Ground):
        return [()]
    match shape.shape:
        case Sphere(radius):
            return [(radius,)]
        case Box(size):
            return [size]
        case Ellipsoid(radii):
            return [radii]
        case Cylinder(radius, length) | Capsule(radius, length) | Cone(radius, length):
            return [(radius, length)]
        case Mesh() as mesh:
            return [tuple(x) for x in hull_vertices(mesh).tolist()]


def _radius(name: str, lengths: tuple[float, ...]) -> float:
    """Of a ball about a shape's origin that holds it."""
    match name:
        case "half-space":
            return float("inf")
        case "sphere":
            return lengths[0]
        case "capsule":
            return lengths[0] + 0.5 * lengths[1]
        case "box":
            return 0.5 * float(np.linalg.norm(lengths))
        case "cylinder" | "cone":
            return float(np.hypot(lengths[0], 0.5 * lengths[1]))
        case "ellipsoid":
            return max(lengths)
        case _:  # a point
            return float(np.linalg.norm(lengths))
