"""Bearing surfaces of joints for dry friction, as points in permanent contact (Sueda, section 2.11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.axis import plane_basis, unit_axis
from rbdkit.spatial.read_numbers import shown


@dataclass(frozen=True, eq=False)
class Bearing:
    """Contact points between the two parts of a joint, permanent and bilateral.

    Parameters
    ----------
    joint : str
        Name of the joint.
    points, normals : ndarray (k, 3)
        Points, m, and unit normals, in the coordinates of the joint's successor body.
    mu : float
        Coefficient of friction.
    along : ndarray (k, 3), optional
        Unit tangents in the sliding directions of the joint: friction pyramids are aligned with them, so that they
        agree with the cone there. Arbitrary tangents if not given.

    Raises
    ------
    ModelError
        If shapes do not fit, a normal is not of unit length, or mu is negative.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import Bearing
    >>> Bearing.sleeve("hinge", "z", radius=0.02, half_length=0.05, mu=0.3, count=4).points.shape
    (16, 3)
    """

    joint: str
    points: NDArray
    normals: NDArray
    mu: float
    along: NDArray | None = None

    def __post_init__(self) -> None:
        for part in ("points", "normals"):
            object.__setattr__(self, part, np.array(getattr(self, part), dtype=float))
        if self.points.ndim != 2 or self.points.shape[1] != 3 or self.normals.shape != self.points.shape:
            raise ModelError(
                f"bearing of {self.joint!r}: points {self.points.shape} and normals {self.normals.shape} must both "
                "have the shape (k, 3)"
            )
        if not np.allclose(np.linalg.norm(self.normals, axis=1), 1.0, rtol=0.0, atol=1e-9):
            raise ModelError(f"bearing of {self.joint!r}: normals must have unit length")
        if not np.isfinite(self.points).all() or not (np.isfinite(self.mu) and self.mu >= 0.0):
            raise ModelError(f"bearing of {self.joint!r}: points must be finite and mu = {self.mu} not negative")
        along = np.array(
            [plane_basis(n)[:, 0] for n in self.normals] if self.along is None else self.along, dtype=float
        )
        if along.shape != self.points.shape or not np.allclose(
            [np.linalg.norm(along, axis=1), np.einsum("ki,ki->k", along, self.normals) + 1.0], 1.0, rtol=0.0, atol=1e-9
        ):
            raise ModelError(
                f"bearing of {self.joint!r}: along {along.shape} must hold unit vectors across the normals"
            )
        object.__setattr__(self, "along", along)

    @classmethod
    def sleeve(
        cls, joint: str, axis: str | ArrayLike, radius: float, half_length: float, mu: float, count: int = 8,
        thrust: bool = True,
    ) -> Bearing:  # fmt: skip
        """Return the bearing of a revolute joint: two circles at the ends of a cylinder, `count` points each.

        thrust : whether the rims carry axial force too, as the ends of a bush do; without it the joint is cylindrical.
        The friction torque is proportional to mu, the radius and the normal forces.
        """
        _require_sizes(joint, radius=radius, half_length=half_length)
        a = unit_axis(axis)
        u, w = plane_basis(a)[:, :2].T
        angles = 2.0 * np.pi * np.arange(count) / count
        radial = np.outer(np.cos(angles), u) + np.outer(np.sin(angles), w)
        rims = np.vstack([radius * radial + side * half_length * a for side in (-1.0, 1.0)])
        normals, around = np.vstack([radial, radial]), np.cross(a, np.vstack([radial, radial]))
        if thrust:
            ends = np.vstack([np.tile(-a, (count, 1)), np.tile(a, (count, 1))])
            rims, normals, around = (np.vstack(pair) for pair in ((rims, rims), (normals, ends), (around, around)))
        return cls(joint, rims, normals, mu, around)

    @classmethod
    def ball(cls, joint: str, radius: float, mu: float) -> Bearing:
        """Return the bearing of a spherical joint: six points of a sphere, at the ends of its axes."""
        _require_sizes(joint, radius=radius)
        normals = np.vstack([np.eye(3), -np.eye(3)])
        return cls(joint, radius * normals, normals, mu)

    @classmethod
    def slide(cls, joint: str, axis: str | ArrayLike, half_width: float, half_length: float, mu: float) -> Bearing:
        """Return the bearing of a prismatic joint: corners of a square bar at both ends, two normals each."""
        _require_sizes(joint, half_width=half_width, half_length=half_length)
        a = unit_axis(axis)
        u, w = plane_basis(a)[:, :2].T
        points, normals = [], []
        for along in (-half_length, half_length):
            for x in (-1.0, 1.0):
                for y in (-1.0, 1.0):
                    points += 2 * [along * a + half_width * (x * u + y * w)]
                    normals += [x * u, y * w]
        return cls(joint, np.array(points), np.array(normals), mu, np.tile(a, (len(points), 1)))


def _require_sizes(joint: str, **sizes: float) -> None:
    for name, size in sizes.items():
        if not (np.isfinite(size) and size > 0.0):
            raise ModelError(f"bearing of {joint!r}: {name} = {shown(size)} m must be positive")
