"""Volume, centre of mass and mean square extents of homogeneous solids; `Inertia` turns them into inertias.

Lengths in metres.  Every solid is centred on the origin of its frame, round ones about z unless `axis` says otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial.read_numbers import floats, number, require_sensible, shown


class Solid(NamedTuple):
    """Volume (m^3), centre of mass (3,) (m), and inertia about the centre of mass per unit mass (3, 3) (m^2)."""

    volume: float
    com: NDArray
    gyration: NDArray


def box(size: ArrayLike) -> Solid:
    """Cuboid with edges `size` (3,)."""
    a = _lengths("box", size=size)["size"]
    return Solid(float(a.prod()), np.zeros(3), _from_squares(a**2 / 12))


def hollow_box(size: ArrayLike, inner_size: ArrayLike) -> Solid:
    """Cuboid with a concentric cuboid cavity."""
    outer, inner = box(size), box(inner_size)
    if not np.all(np.asarray(inner_size) < np.asarray(size)):
        raise ModelError(
            f"hollow box: the cavity {inner_size!r} must be smaller than the box {size!r} in each direction."
        )
    volume = outer.volume - inner.volume
    gyration = (outer.volume * outer.gyration - inner.volume * inner.gyration) / volume
    return Solid(volume, np.zeros(3), gyration)


def hollow_sphere(radius: float, inner_radius: float) -> Solid:
    """Ball with a concentric spherical cavity; 0 <= inner_radius <= radius, with equality a thin shell."""
    R, r = _radii("sphere", radius, inner_radius)
    # (R^5 - r^5)/(R^3 - r^3) with the common factor R - r taken out, so that the thin shell is no special case
    ratio = (R**4 + R**3 * r + R**2 * r**2 + R * r**3 + r**4) / (R**2 + R * r + r**2)
    return Solid(4 / 3 * np.pi * (R**3 - r**3), np.zeros(3), 2 / 5 * ratio * np.eye(3))


def ellipsoid(radii: ArrayLike) -> Solid:
    """Ellipsoid with semi-axes `radii` (3,)."""
    a = _lengths("ellipsoid", radii=radii)["radii"]
    return Solid(float(4 / 3 * np.pi * a.prod()), np.zeros(3), _from_squares(a**2 / 5))


def hollow_cylinder(radius: float, inner_radius: float, length: float, axis: str = "z") -> Solid:
    """Open tube; 0 <= inner_radius <= radius, with equality thin-walled."""
    R, r = _radii("cylinder", radius, inner_radius)
    L = float(_lengths("cylinder", length=length)["length"])
    xx = (R**2 + r**2) / 4
    return _round(np.pi * (R**2 - r**2) * L, 0.0, xx, L**2 / 12, axis)


def capsule(radius: float, length: float, axis: str = "z") -> Solid:
    """Cylinder of `length` with a half ball on each end."""
    given = _lengths("capsule", radius=radius, length=length)
    r, L = float(given["radius"]), float(given["length"])
    cylinder, ball = np.pi * r**2 * L, 4 / 3 * np.pi * r**3
    volume = cylinder + ball
    xx = (cylinder * r**2 / 4 + ball * r**2 / 5) / volume
    # mean of (L/2 + s)^2 over a half ball, where s has mean 3r/8 and mean square r^2/5
    zz = (cylinder * L**2 / 12 + ball * (L**2 / 4 + 3 / 8 * r * L + r**2 / 5)) / volume
    return _round(volume, 0.0, xx, zz, axis)


def cone(radius: float, length: float, axis: str = "z") -> Solid:
    """Circular cone from the base at -length/2 to the apex at +length/2."""
    given = _lengths("cone", radius=radius, length=length)
    r, L = float(given["radius"]), float(given["length"])
    return _round(np.pi * r**2 * L / 3, -L / 4, 3 / 20 * r**2, 3 / 80 * L**2, axis)


def mesh(vertices: ArrayLike, faces: ArrayLike) -> Solid:
    """Solid bounded by a closed triangle mesh: the volume integrals of Mirtich (1996).

    The solid is the signed sum of the tetrahedra between an inner point and each triangle, over which the integrals of
    1, x and x x^T are known exactly.  An inside-out mesh has all signs reversed and gives the same solid.

    Parameters
    ----------
    vertices : array (n, 3)
        m.  Vertices at the same position count as one, as in files that repeat them for every triangle.
    faces : array (k, 3) of int

    Raises
    ------
    ModelError
        If the mesh is not closed (an edge without its counterpart in the opposite direction) or has no volume.
    """
    points, F = _indexed(vertices, faces)
    _check_closed(F)
    origin = points.mean(axis=0)  # near the solid: far from it the tetrahedra would nearly cancel
    a, b, c = (points[F[:, k]] - origin for k in range(3))
    six_volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = six_volumes.sum() / 6
    if not abs(volume) > 1e-12 * np.ptp(points, axis=0).max() ** 3:
        raise ModelError(f"mesh: the enclosed volume is {volume:.3g} m^3, as of a flat sheet.")
    s = a + b + c
    first = (six_volumes @ s) / 24
    second = sum(np.einsum("i,ij,ik->jk", six_volumes, u, u) for u in (a, b, c, s)) / 120
    com = first / volume
    covariance = second / volume - np.outer(com, com)
    return Solid(abs(float(volume)), com + origin, np.trace(covariance) * np.eye(3) - covariance)


def _round(volume: float, z: float, xx: float, zz: float, axis: str) -> Solid:
    """Solid of revolution with its centre of mass at z and the mean squares xx = yy and zz, turned onto `axis`."""
    if not isinstance(axis, str) or axis not in ("x", "y", "z"):
        raise ModelError(f'the axis of a solid is "x", "y" or "z", got {shown(axis)}.')
    k = "xyz".index(axis)
    squares, com = np.full(3, xx), np.zeros(3)
    squares[k], com[k] = zz, z
    return Solid(float(volume), com, _from_squares(squares))


def _from_squares(squares: NDArray) -> NDArray:
    """Inertia per unit mass from the mean squares of x, y, z about the centre of mass."""
    return np.diag(squares.sum() - squares)


def _lengths(solid: str, **given: ArrayLike) -> dict[str, NDArray]:
    """The given lengths as arrays, all positive and finite; `size` and `radii` have three."""
    return {name: _length(solid, name, value) for name, value in given.items()}


def _length(solid: str, name: str, value: ArrayLike) -> NDArray:
    def says(shown_value: str) -> str:
        return f"{solid}: {name} must be positive, got {shown_value}"

    array = floats(value, says)
    if array.shape != ((3,) if name in ("size", "radii") else ()):
        raise ModelError(f"{solid}: {name} has the wrong shape {array.shape}.")
    require_sensible(array, says, given=value)
    if not (array > 0.0).all():
        raise ModelError(f"{says(shown(value))}.")
    if not (array * array > 0.0).all():
        raise ModelError(f"{solid}: {name} {shown(value)} is so small that its square is zero.")
    return array


def _radii(solid: str, radius: float, inner_radius: float) -> tuple[float, float]:
    R = float(_lengths(solid, radius=radius)["radius"])
    inner_radius = number(inner_radius, lambda v: f"hollow {solid}: the inner radius must be a number (m), got {v}")
    if not 0.0 <= inner_radius <= R:
        raise ModelError(f"hollow {solid}: the inner radius must lie between 0 and {R}, got {inner_radius}.")
    return R, inner_radius


def _indexed(vertices: ArrayLike, faces: ArrayLike) -> tuple[NDArray, NDArray]:
    """Distinct vertices and the faces that point to them, with degenerate triangles left out."""
    V, F = floats(vertices, lambda v: f"mesh: vertices must be numbers, got {v}"), _whole(faces)
    if V.ndim != 2 or V.shape[1] != 3 or not np.isfinite(V).all():
        raise ModelError(f"mesh: vertices must be finite, of shape (n, 3); got shape {V.shape}.")
    if F.ndim != 2 or F.shape[1] != 3 or F.dtype.kind not in "iu" or len(F) == 0:
        raise ModelError(f"mesh: faces must be vertex indices of shape (k, 3), got shape {F.shape} of {F.dtype}.")
    if F.min() < 0 or F.max() >= len(V):
        raise ModelError(f"mesh: a face points to vertex {F.max() if F.min() >= 0 else F.min()}, there are {len(V)}.")
    points, index = np.unique(V, axis=0, return_inverse=True)
    F = index.reshape(-1)[F]
    proper = (F[:, 0] != F[:, 1]) & (F[:, 1] != F[:, 2]) & (F[:, 2] != F[:, 0])
    return points, F[proper]


def _whole(faces: ArrayLike) -> NDArray:
    try:
        return np.asarray(faces)
    except ValueError:  # rows of unlike lengths
        raise ModelError(f"mesh: faces must be vertex indices of shape (k, 3), got {shown(faces)}.") from None


def _check_closed(F: NDArray) -> None:
    """Each directed edge must be matched by the same edge in the opposite direction."""
    edges = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    n = edges.max(initial=0) + 1
    there, back = np.sort(edges[:, 0] * n + edges[:, 1]), np.sort(edges[:, 1] * n + edges[:, 0])
    if not np.array_equal(there, back):
        odd = len(np.setdiff1d(there, back)) or "some"
        raise ModelError(
            f"mesh: the surface is not closed or its triangles are not turned consistently ({odd} edges without their "
            "counterpart in the opposite direction); repair it or use the inertia of its bounding box."
        )
