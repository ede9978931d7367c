"""What bodies look like: shapes and where they sit on a body. Dynamics never needs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model.placement import as_pose, frozen


@dataclass(frozen=True)
class Box:
    """A cuboid centred at the origin. size : edge lengths along x, y, z in m."""

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _lengths("size of a box", self.size, 3))


@dataclass(frozen=True)
class Sphere:
    """A ball centred at the origin. radius in m."""

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _lengths("radius of a sphere", (self.radius,), 1)[0])


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid centred at the origin. radii : semi-axes along x, y, z in m."""

    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", _lengths("radii of an ellipsoid", self.radii, 3))


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about z, centred at the origin. radius and length in m."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _round_solid(self, "cylinder")


@dataclass(frozen=True)
class Capsule:
    """A cylinder about z with half balls on its ends, centred at the origin; length in m without the half balls."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _round_solid(self, "capsule")


@dataclass(frozen=True)
class Cone:
    """A cone about z with its apex up, the middle of its height at the origin. radius of the base and length in m."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _round_solid(self, "cone")


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles, from a file or given.

    Parameters
    ----------
    path : file as the model names it.
    scale : factor along x, y, z.
    vertices, faces : (n, 3) positions in m, before scaling, and (k, 3) vertex numbers; together, instead of a path.
    searched, found : the places where the file was looked for, and where it was; filled in by the readers of files.
    """

    path: str | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    vertices: NDArray | None = None
    faces: NDArray | None = None
    searched: tuple[str, ...] = ()
    found: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _numbers("scale of a mesh", self.scale, 3))
        if (self.vertices is None) != (self.faces is None):
            raise ModelError("a mesh needs both vertices (n, 3) and faces (k, 3), or a path")
        if self.vertices is None:
            if self.path is None:
                raise ModelError("a mesh needs a path, or vertices (n, 3) and faces (k, 3)")
            return
        try:
            vertices, faces = frozen(self.vertices), np.array(self.faces, dtype=int)
        except (TypeError, ValueError) as fault:
            raise ModelError(f"vertices and faces of a mesh must be arrays of numbers: {fault}") from None
        if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.all(np.isfinite(vertices)):
            raise ModelError(f"vertices of a mesh must be finite and of shape (n, 3), not {vertices.shape}")
        if faces.ndim != 2 or faces.shape[1] != 3 or faces.size == 0 or faces.min() < 0 or faces.max() >= len(vertices):
            raise ModelError(f"faces of a mesh must be (k, 3) vertex numbers from 0 to {len(vertices) - 1}")
        faces.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)


Shape = Box | Sphere | Ellipsoid | Cylinder | Capsule | Cone | Mesh


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape on a body.

    Parameters
    ----------
    shape : one of the shapes above.
    placement : pose of the shape in body coordinates (what `add_body` takes for placements).
    color : (red, green, blue) or (red, green, blue, alpha) in [0, 1]; None lets the view choose.
    name : free text.
    role : 'visual' is drawn; 'collision' is kept and can be drawn on request.

    Raises
    ------
    ModelError
        If the placement is not a pose, or shape, role or color is none of the above.
    """

    shape: Shape
    placement: NDArray = field(default_factory=lambda: np.eye(4))
    color: tuple[float, ...] | None = None
    name: str = ""
    role: Literal["visual", "collision"] = "visual"

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape):
            raise ModelError(
                f"{self.shape!r} is not a shape; give Box(size), Sphere(radius), Mesh(path) or another one"
            )
        what = f"geometry {self.name!r}" if self.name else f"geometry {self.shape!r}"
        object.__setattr__(self, "placement", as_pose(self.placement, what))
        if self.role not in ("visual", "collision"):
            raise ModelError(f"role {self.role!r} of {what} must be 'visual' or 'collision'")
        if self.color is not None:
            try:
                color = tuple(float(c) for c in self.color)
            except (TypeError, ValueError):
                color = ()
            if len(color) not in (3, 4) or not all(0.0 <= c <= 1.0 for c in color):
                raise ModelError(f"color {self.color!r} of {what} must be 3 or 4 numbers from 0 to 1")
            object.__setattr__(self, "color", (*color, 1.0)[:4])


def _numbers(what: str, values: tuple[float, ...], count: int) -> tuple[float, ...]:
    try:
        numbers = tuple(float(v) for v in np.ravel(values))
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != count or not np.all(np.isfinite(numbers)):
        raise ModelError(f"{what} must be {count} finite number{'s' if count > 1 else ''}, not {values!r}")
    return numbers


def _lengths(what: str, values: tuple[float, ...], count: int) -> tuple[float, ...]:
    numbers = _numbers(what, values, count)
    if min(numbers) < 0.0:
        raise ModelError(f"{what} must not be negative: {values!r} (m)")
    return numbers


def _round_solid(shape: Cylinder | Capsule | Cone, name: str) -> None:
    radius, length = _lengths(f"radius and length of a {name}", (shape.radius, shape.length), 2)
    object.__setattr__(shape, "radius", radius)
    object.__setattr__(shape, "length", length)
