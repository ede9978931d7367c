"""The contact pairs of a model as arrays, sorted by the kinds of their shapes.

All pairs of one kind are evaluated by one vectorised call of its closed form (`rbdkit.collision`). A mesh counts as the
vertices of its convex hull, each a point that may touch a half-space; other mesh pairs have no closed form.
"""

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
    """Contact pairs of one kind, in m rows: one for each pair, or for each hull vertex of a mesh.

    First and second are the shapes in the argument order of the kind's function.

    Attributes
    ----------
    kind : Kind
        The kind, with the function that computes their contacts.
    pair : ndarray (m,) of int
        Index of the pair in `Model.contact_pairs`.
    slot : ndarray (m,) of int
        Index of the row's first contact point among those of its pair.
    turned : ndarray (m,) of bool
        Whether the first shape is that of the pair's successor; normals must then be negated.
    body_first, body_second : ndarray (m,) of int
        Numbers of the bodies; 0 for a ground.
    placement_first, placement_second : ndarray (m, 4, 4)
        Poses of the shapes on their bodies.
    lengths_first, lengths_second : ndarray (m, n)
        Dimensions of the shapes, as many as the kind needs, m.
    radius_first, radius_second : ndarray (m,)
        Radii of bounding spheres about the shapes' origins, m; infinite for a ground.
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
    """All contact pairs of a model, by kind.

    Attributes
    ----------
    kinds : tuple of PairsOfKind
        Pairs with a closed form.
    others : tuple of int
        Indices of the pairs without one.
    slots : ndarray of int
        Largest number of contact points of each pair; 0 without a closed form.
    """

    kinds: tuple[PairsOfKind, ...]
    others: tuple[int, ...]
    slots: NDArray


def contact_kinds(model: Model) -> ContactKinds:
    """Return the contact pairs of a model, sorted by kind."""
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
    """Return the name of a shape in `rbdkit.collision.KINDS`."""
    return "half-space" if isinstance(shape, Ground) else type(shape.shape).__name__.lower()


def reach_of(shape: Geometry | Ground) -> float:
    """Return the radius of the bounding sphere about a shape's origin, m; infinite for a half-space."""
    return max(_radius(name_of(shape), own) for own in _lengths(shape))


def _lengths(shape: Geometry | Ground) -> list[tuple[float, ...]]:
    """Return the dimensions of a shape, one row; of a mesh the coordinates of the vertices of its hull, a row each."""
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
    """Return the radius of the bounding sphere about a shape's origin, m, from its name and dimensions."""
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
