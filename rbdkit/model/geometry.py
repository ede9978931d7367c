"""Shapes of bodies, for drawing and for contact, and their placement on a body."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model.material import Material
from rbdkit.model.placement import as_pose, frozen
from rbdkit.spatial.read_numbers import floats, require_sensible, shown
from rbdkit.spatial.read_only import KeepsReadOnly


@dataclass(frozen=True)
class Box:
    """A cuboid centred at the origin.

    Parameters
    ----------
    size : array_like (3,)
        Edge lengths along x, y, z, m.

    Raises
    ------
    ModelError
        If a length is negative or not a finite number.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.Box([0.3, 0.2, 0.1])
    Box(size=(0.3, 0.2, 0.1))
    """

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _lengths("size of a box", self.size, 3))


@dataclass(frozen=True)
class Sphere:
    """A ball centred at the origin.

    Parameters
    ----------
    radius : float
        m.

    Raises
    ------
    ModelError
        If the radius is negative or not a finite number.

    Examples
    --------
    A body that looks like a ball and weighs like one:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("ball")
    >>> ball = model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, 1.0), geometry=rbd.Sphere(0.1))
    >>> ball.geometry[0].shape
    Sphere(radius=0.1)
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _lengths("radius of a sphere", (self.radius,), 1)[0])


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid centred at the origin.

    Parameters
    ----------
    radii : array_like (3,)
        Semi-axes along x, y, z, m.

    Raises
    ------
    ModelError
        If a length is negative or not a finite number.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.Ellipsoid([0.3, 0.2, 0.1])
    Ellipsoid(radii=(0.3, 0.2, 0.1))
    """

    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", _lengths("radii of an ellipsoid", self.radii, 3))


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about z, centred at the origin.

    Parameters
    ----------
    radius, length : float
        m.

    Raises
    ------
    ModelError
        If a length is negative or not a finite number.

    Examples
    --------
    An axle along y: the shape's own axis z is turned there by a quarter turn about x.

    >>> import rbdkit as rbd
    >>> quarter = rbd.pose([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    >>> axle = rbd.Geometry(rbd.Cylinder(radius=0.02, length=0.4), placement=quarter)
    >>> axle.placement[:3, 2].tolist()
    [0.0, -1.0, 0.0]
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        _round_solid(self, "cylinder")


@dataclass(frozen=True)
class Capsule:
    """A cylinder about z with half balls on its ends, centred at the origin.

    Parameters
    ----------
    radius : float
        m.
    length : float
        Of the cylinder, without the half balls, m.

    Raises
    ------
    ModelError
        If a length is negative or not a finite number.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.Capsule(radius=0.05, length=0.3)
    Capsule(radius=0.05, length=0.3)
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        _round_solid(self, "capsule")


@dataclass(frozen=True)
class Cone:
    """A cone about z with its apex up, the middle of its height at the origin.

    Parameters
    ----------
    radius : float
        Of the base, m.
    length : float
        Height, m.

    Raises
    ------
    ModelError
        If a length is negative or not a finite number.

    Examples
    --------
    The centre of mass of such a cone is a quarter of its height below the middle:

    >>> import rbdkit as rbd
    >>> shape = rbd.Cone(radius=0.1, length=0.4)
    >>> rbd.Inertia.cone(shape.radius, shape.length, mass=1.0).com.tolist()
    [0.0, 0.0, -0.1]
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        _round_solid(self, "cone")


@dataclass(frozen=True, eq=False)
class Mesh(KeepsReadOnly):
    """A triangle mesh, from a file or from vertices and faces.

    Parameters
    ----------
    path : str or os.PathLike, optional
        File as the model names it.
    scale : array_like (3,), optional
        Factor along x, y, z.
    vertices : array_like (n, 3), optional
        Positions before scaling, m; with `faces` in place of a path.
    faces : array_like (k, 3) of int, optional
        Vertex numbers.
    searched : tuple of str, optional
        Places where the file was looked for; filled in by the readers of files.
    found : str, optional
        Where the file was; filled in by the readers of files.

    Raises
    ------
    ModelError
        If there is neither a path nor both vertices and faces, or numbers do not make triangles.

    Examples
    --------
    A corner of a cube:

    >>> import rbdkit as rbd
    >>> corner = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mesh = rbd.Mesh(vertices=corner, faces=[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> float(rbd.Inertia.mesh(mesh.vertices, mesh.faces, density=6.0).mass)
    1.0
    """

    path: str | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    vertices: NDArray | None = None
    faces: NDArray | None = None
    searched: tuple[str, ...] = ()
    found: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _numbers("scale of a mesh", self.scale, 3))
        if self.path is not None and not isinstance(self.path, str):
            if not isinstance(self.path, os.PathLike):
                raise ModelError(f"path {shown(self.path)} of a mesh must be the name of a file")
            object.__setattr__(self, "path", os.fsdecode(self.path))
        if (self.vertices is None) != (self.faces is None):
            raise ModelError("a mesh needs both vertices (n, 3) and faces (k, 3), or a path")
        if self.vertices is None:
            if self.path is None:
                raise ModelError("a mesh needs a path, or vertices (n, 3) and faces (k, 3)")
            return
        vertices = frozen(floats(self.vertices, _mesh_needs_numbers))
        faces = floats(self.faces, _mesh_needs_numbers)
        if not np.array_equal(faces, np.rint(faces)):
            raise ModelError(f"faces of a mesh must be whole numbers, not {shown(self.faces)}")
        if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.all(np.isfinite(vertices)):
            raise ModelError(f"vertices of a mesh must be finite and of shape (n, 3), not {vertices.shape}")
        if faces.ndim != 2 or faces.shape[1] != 3 or faces.size == 0 or faces.min() < 0 or faces.max() >= len(vertices):
            raise ModelError(f"faces of a mesh must be (k, 3) vertex numbers from 0 to {len(vertices) - 1}")
        whole = faces.astype(int)
        whole.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", whole)


Shape = Box | Sphere | Ellipsoid | Cylinder | Capsule | Cone | Mesh


@dataclass(frozen=True, eq=False)
class Geometry(KeepsReadOnly):
    """A shape on a body.

    Parameters
    ----------
    shape : Box, Sphere, Ellipsoid, Cylinder, Capsule, Cone or Mesh
        The shape itself.
    placement : array_like, optional
        Pose of the shape in body coordinates (what `Model.add_body` takes for placements).
    color : array_like (3,) or (4,), optional
        (red, green, blue) or (red, green, blue, alpha) in [0, 1]; None lets the view choose.
    name : str, optional
        Free text.
    role : {'visual', 'collision'}, optional
        'visual' is drawn; 'collision' is kept and can be drawn on request.
    collide : bool, optional
        Whether the shape counts for contact. If None, the body decides: shapes with True count; if it has none, those
        with the role 'collision'; if it has none of these either, the visual ones.
    material : Material, optional
        Material of its surface; None takes that of the other surface.

    Raises
    ------
    ModelError
        If the placement is not a pose, or shape, role, color, collide or material is none of the above.

    Examples
    --------
    A red lamp on top of a body:

    >>> import rbdkit as rbd
    >>> lamp = rbd.Geometry(rbd.Sphere(0.05), placement=[0, 0, 1.5], color=[1, 0, 0])
    >>> lamp.placement[:3, 3].tolist(), lamp.color
    ([0.0, 0.0, 1.5], (1.0, 0.0, 0.0, 1.0))
    """

    shape: Shape
    placement: NDArray = field(default_factory=lambda: np.eye(4))
    color: tuple[float, ...] | None = None
    name: str = ""
    role: Literal["visual", "collision"] = "visual"
    collide: bool | None = None
    material: Material | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape):
            raise ModelError(
                f"{shown(self.shape)} is not a shape; give Box(size), Sphere(radius), Mesh(path) or another one"
            )
        if not isinstance(self.name, str):
            raise ModelError(f"name {shown(self.name)} of a geometry must be a text")
        what = f"geometry {self.name!r}" if self.name else f"geometry {self.shape!r}"
        object.__setattr__(self, "placement", as_pose(self.placement, what))
        if not isinstance(self.role, str) or self.role not in ("visual", "collision"):
            raise ModelError(f"role {shown(self.role)} of {what} must be 'visual' or 'collision'")
        if self.collide is not None and not isinstance(self.collide, bool | np.bool_):
            raise ModelError(f"collide {shown(self.collide)} of {what} must be True, False or None")
        if self.material is not None and not isinstance(self.material, Material):
            raise ModelError(f"material {shown(self.material)} of {what} must be an rbdkit.Material, or None")
        if self.color is not None:
            color = floats(self.color, lambda v: f"color {v} of {what} must be 3 or 4 numbers from 0 to 1")
            if color.shape not in ((3,), (4,)) or not ((color >= 0.0) & (color <= 1.0)).all():
                raise ModelError(f"color {shown(self.color)} of {what} must be 3 or 4 numbers from 0 to 1")
            object.__setattr__(self, "color", (*color.tolist(), 1.0)[:4])


def colliding(geometry: Sequence[Geometry]) -> tuple[int, ...]:
    """Return the indices of the shapes of a body that count for contact.

    These are the shapes with ``collide=True``; if there are none, those with the role 'collision'; if there are none
    of these either, all. Shapes with ``collide=False`` never count.
    """
    asked = [k for k, own in enumerate(geometry) if own.collide]
    made = [k for k, own in enumerate(geometry) if own.role == "collision"]
    first = asked or made or range(len(geometry))
    return tuple(k for k in first if geometry[k].collide is not False)


def as_geometry(given: Geometry | Shape | Iterable[Geometry | Shape], owner: str) -> tuple[Geometry, ...]:
    """Return given shapes or geometries, one or several, as a tuple of geometries. owner : their body, for messages."""
    try:
        listed = (given,) if isinstance(given, Geometry | Shape) else tuple(given)
    except TypeError:
        raise ModelError(
            f"{owner}: geometry {shown(given)} must be a shape such as rbdkit.Box([1, 1, 1]), a Geometry or a list of "
            "them; leave it out for none"
        ) from None
    for shape in listed:
        if not isinstance(shape, Geometry | Shape):
            raise ModelError(f"{owner}: {shown(shape)} is neither a shape such as rbdkit.Box([1, 1, 1]) nor a Geometry")
    return tuple(Geometry(shape) if isinstance(shape, Shape) else shape for shape in listed)


def _numbers(what: str, values: tuple[float, ...], count: int) -> tuple[float, ...]:
    def says(value: str) -> str:
        return f"{what} must be {count} finite number{'s' if count > 1 else ''}, not {value}"

    array = floats(values, says).ravel()
    if len(array) != count:
        raise ModelError(says(shown(values)))
    require_sensible(array, says, given=values)
    return tuple(array.tolist())


def _mesh_needs_numbers(value: str) -> str:
    return f"vertices and faces of a mesh must be arrays of numbers, not {value}"


def _lengths(what: str, values: tuple[float, ...], count: int) -> tuple[float, ...]:
    given = _numbers(what, values, count)
    if min(given) < 0.0:
        raise ModelError(f"{what} must not be negative: {shown(values)} (m)")
    return given


def _round_solid(shape: Cylinder | Capsule | Cone, name: str) -> None:
    radius, length = _lengths(f"radius and length of a {name}", (shape.radius, shape.length), 2)
    object.__setattr__(shape, "radius", radius)
    object.__setattr__(shape, "length", length)
