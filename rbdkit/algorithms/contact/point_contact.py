"""Contact of two bodies at one point: the normal as a spatial force, and its rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError
from rbdkit.spatial.read_numbers import shown


@dataclass(frozen=True, eq=False)
class PointContact:
    """Contact at one point, in one state (Featherstone 2008, sections 11.1 to 11.4). Everything in world coordinates.

    Parameters
    ----------
    name : str
        Name, for errors and results.
    predecessor, successor : str
        Names of the two bodies; force is transmitted from the first to the second, and the normal points so.
    point : ndarray (3,)
        Contact point C, m.
    normal : ndarray (3,)
        Unit normal.
    point_rate : ndarray (3,)
        Velocity of C as a geometric point, m/s; on curved surfaces it is the velocity of no material point.
    normal_rate : ndarray (3,)
        Rate of the normal, 1/s.
    phi : float
        Signed distance, m; zero at a contact.

    Raises
    ------
    StateError
        If a number is not finite, the normal is not of unit length, or its rate not perpendicular to it.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.contact import PointContact
    >>> at = np.array([0.2, 0.0, 0.0])
    >>> contact = PointContact("toe", "world", "foot", at, np.array([0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
    >>> contact.n
    array([ 0. , -0.2,  0. ,  0. ,  0. ,  1. ])
    """

    name: str
    predecessor: str
    successor: str
    point: NDArray
    normal: NDArray
    point_rate: NDArray
    normal_rate: NDArray
    phi: float = 0.0

    def __post_init__(self) -> None:
        for part in ("point", "normal", "point_rate", "normal_rate"):
            value = np.array(getattr(self, part), dtype=float)
            if value.shape != (3,) or not np.isfinite(value).all():
                raise StateError(f"{part} {shown(value)} of contact {self.name!r} must be 3 finite numbers")
            object.__setattr__(self, part, value)
        if abs(np.linalg.norm(self.normal) - 1.0) > 1e-9:
            raise StateError(f"normal {shown(self.normal)} of contact {self.name!r} must have unit length")
        if abs(self.normal @ self.normal_rate) > 1e-9 * (1.0 + np.abs(self.normal_rate).max()):
            raise StateError(f"normal_rate {shown(self.normal_rate)} of contact {self.name!r} would stretch the normal")
        if not np.isfinite(self.phi):
            raise StateError(f"phi {self.phi} of contact {self.name!r} must be finite")

    @property
    def n(self) -> NDArray:
        """Unit force along the normal, (6,) about the world origin."""
        return np.concatenate([np.cross(self.point, self.normal), self.normal])

    @property
    def n_rate(self) -> NDArray:
        """Rate of n, (6,), as in Eq 11.3."""
        moment = np.cross(self.point_rate, self.normal) + np.cross(self.point, self.normal_rate)
        return np.concatenate([moment, self.normal_rate])
