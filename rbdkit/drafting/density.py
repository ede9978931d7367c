"""The inertia of shapes of uniform density."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere
from rbdkit.spatial.inertia import Inertia


def filled(geometry: Sequence[Geometry]) -> tuple[Geometry, ...]:
    """The shapes that a density fills: those that are drawn."""
    return tuple(shape for shape in geometry if shape.role == "visual")


def solid_inertia(geometry: Sequence[Geometry], density: float) -> Inertia:
    """Inertia of the visual shapes, filled with `density` (kg/m3), in body coordinates; overlaps count twice.

    Raises
    ------
    ModelError
        If there is no shape, one has no volume, is a mesh without known triangles, or the density is not positive.
    """
    shapes = filled(geometry)
    if not shapes:
        raise ModelError("there is no shape for the density to fill; add one, or give the inertia by hand")
    if not density > 0.0:
        raise ModelError(f"density {density:g} kg/m3 must be positive")
    total = sum((_placed(shape, density) for shape in shapes[1:]), start=_placed(shapes[0], density))
    if total.mass == 0.0:
        raise ModelError("the shapes have no volume; give them a size, or the inertia by hand")
    return total


def _placed(geometry: Geometry, density: float) -> Inertia:
    inertia = _about_its_frame(geometry.shape, density)
    return inertia if np.array_equal(geometry.placement, np.eye(4)) else inertia.transformed(geometry.placement)


def _about_its_frame(shape: Shape, density: float) -> Inertia:
    match shape:
        case Box():
            return Inertia.box(shape.size, density=density)
        case Sphere():
            return Inertia.sphere(shape.radius, density=density)
        case Ellipsoid():
            return Inertia.ellipsoid(shape.radii, density=density)
        case Cylinder():
            return Inertia.cylinder(shape.radius, shape.length, density=density)
        case Capsule():
            return Inertia.capsule(shape.radius, shape.length, density=density)
        case Cone():
            return Inertia.cone(shape.radius, shape.length, density=density)
        case Mesh(vertices=None):
            raise ModelError(f"the triangles of {shape.path!r} are not read here; give the inertia by hand")
    return Inertia.mesh(np.asarray(shape.vertices) * shape.scale, np.asarray(shape.faces), density=density)
