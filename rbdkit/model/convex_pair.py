"""Contacts of convex shapes without a closed form, by GJK and EPA of the optional package coal.

GJK and EPA give one contact point, the normal and the gap. A body that lies on a face needs several, so coal's contact
patch supplies the corners of the common face, all with the same gap and normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.model.contact import ContactPair, Ground
from rbdkit.model.contact_kinds import contact_kinds
from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from rbdkit.model.hull import hull_vertices
from rbdkit.model.kept import kept

if TYPE_CHECKING:
    from rbdkit.model.model import Model

TOLERANCE = 1e-6
"""Tolerance of coal's iterations, m; with a smaller one some fail where round shapes overlap."""
MOST_ITERATIONS = 128
MOST_PLACES = 8
"""Number of samples of the outline of a round contact face."""


@dataclass(frozen=True, eq=False)
class ConvexPair:
    """A contact pair as coal's shapes.

    Attributes
    ----------
    name : name of the contact pair.
    first, second : shapes of coal.
    reach : sum of the radii of their bounding spheres about their origins, m.
    """

    name: str
    first: Any
    second: Any
    reach: float

    def places(self, pose_p: NDArray, pose_s: NDArray, margin: float) -> tuple[NDArray, NDArray, NDArray]:
        """Return gaps (k,), points (k, 3) midway between the surfaces, and the normal (3,) at given poses (4, 4).

        If faces lie on each other the points are the corners of their common part; otherwise there is one. There are
        no points if the shapes are farther apart than the margin, m.

        Raises
        ------
        StateError
            If the iterations fail.
        """
        import coal

        apart = pose_s[:3, 3] - pose_p[:3, 3]
        if apart @ apart > (self.reach + margin) ** 2:
            return np.zeros(0), np.zeros((0, 3)), np.zeros(3)

        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.security_margin = margin
        request.gjk_tolerance = request.epa_tolerance = TOLERANCE
        request.gjk_max_iterations = request.epa_max_iterations = MOST_ITERATIONS
        placed = self.first, _transform(coal, pose_p), self.second, _transform(coal, pose_s)
        if not coal.collide(*placed, request, result) or result.numContacts() == 0:
            return np.zeros(0), np.zeros((0, 3)), np.zeros(3)
        contact = result.getContact(0)
        n, gap = np.array(contact.normal), float(contact.penetration_depth)
        if not (abs(gap) <= self.reach + margin and np.isfinite(n).all()):
            raise StateError(
                f"contact {self.name!r}: coal's iterations do not find where its shapes touch (they say {gap:.3g} m); "
                "take shapes with closed forms for contact, or smaller steps"
            )
        around = coal.ContactPatchRequest(1, MOST_PLACES, 1e-6)
        patches = coal.ContactPatchResult(around)
        coal.computeContactPatch(*placed, result, around, patches)
        patch = patches.getContactPatch(0) if patches.numContactPatches() else None
        if patch is None or patch.size() < 2:
            return np.array([gap]), np.array([contact.pos]), n
        points = np.array([patch.getPoint(k) for k in range(patch.size())])
        points -= np.outer((points - contact.pos) @ n, n)  # onto the plane midway between the surfaces
        return np.full(len(points), gap), points, n


def _coal(pair: ContactPair) -> ModuleType:
    try:
        import coal
    except ImportError:
        names = " and ".join(_named(shape) for shape in (pair.shape_p, pair.shape_s))
        raise ModelError(
            f"contact {pair.name!r}: where {names} touch is known to the package coal, which is not installed: "
            "pip install rbdkit[contact]; or take other shapes for contact, with role='collision' or collide=True"
        ) from None
    return coal


def _named(shape: Geometry | Ground) -> str:
    return "a half-space" if isinstance(shape, Ground) else f"a {type(shape.shape).__name__.lower()}"


def _transform(coal: ModuleType, pose: NDArray) -> Any:
    return coal.Transform3s(pose[:3, :3], pose[:3, 3])


def _shape(coal: ModuleType, shape: Geometry | Ground) -> Any:
    assert isinstance(shape, Geometry)  # a ground has closed forms with all shapes
    match shape.shape:
        case Sphere(radius):
            return coal.Sphere(radius)
        case Box(size):
            return coal.Box(*size)
        case Ellipsoid(radii):
            return coal.Ellipsoid(*radii)
        case Cylinder(radius, length):
            return coal.Cylinder(radius, length)
        case Capsule(radius, length):
            return coal.Capsule(radius, length)
        case Cone(radius, length):
            return coal.Cone(radius, length)
        case Mesh() as mesh:
            return _hull(coal, hull_vertices(mesh))


def _hull(coal: ModuleType, corners: NDArray) -> Any:
    """Return the convex hull of points (n, 3) as coal's shape."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        faces = ConvexHull(corners).simplices
    except QhullError:
        raise ModelError("its mesh is flat, and a flat shape has no inside; give it a thickness") from None
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(corners))
    triangles.extend([coal.Triangle(a, b, c) for a, b, c in faces.tolist()])
    return coal.Convex(points, triangles)


def convex_pairs(model: Model) -> dict[int, ConvexPair]:
    """Return the contact pairs of a model that have no closed form, by their indices.

    Raises
    ------
    ModelError
        If coal is not installed, or a mesh is flat or its file is missing.
    """
    return kept(model, _convex_pairs)


def _convex_pairs(model: Model) -> dict[int, ConvexPair]:
    known: dict[int, tuple[Any, float]] = {}  # by shape: hulls are large, and in many pairs
    found = {}
    for k in contact_kinds(model).others:
        pair = model.contact_pairs[k]
        coal = _coal(pair)
        for shape in (pair.shape_p, pair.shape_s):
            if id(shape) not in known:
                try:
                    own = _shape(coal, shape)
                except ModelError as fault:
                    raise ModelError(f"contact {pair.name!r}: {fault}") from None
                own.computeLocalAABB()
                known[id(shape)] = own, float(np.linalg.norm(own.aabb_center)) + own.aabb_radius
        (first, far_first), (second, far_second) = known[id(pair.shape_p)], known[id(pair.shape_s)]
        found[k] = ConvexPair(pair.name, first, second, far_first + far_second)
    return found
