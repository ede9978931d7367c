"""Contact pairs of simple shapes: distance, normal, and the rates of point and normal on curved surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.kinematics import Kinematics, forward_kinematics, in_world
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import shown


class ContactPair(Protocol):
    """Pair of shapes on two bodies that may touch at one point: phi(q) >= 0 (Featherstone 2008, Eq 11.37).

    Attributes
    ----------
    name, predecessor, successor
        Names of the contact and of its bodies.
    """

    @property
    def name(self) -> str:
        """Name, for errors and results."""
        ...

    def at(self, model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> PointContact:
        """Return the contact in a state, with its gap phi."""
        ...


@dataclass(frozen=True)
class VertexOnPlane:
    """Contact pair: a vertex of the successor and a plane of the predecessor.

    Parameters
    ----------
    name, predecessor, successor : str
        Names of the contact and of its bodies.
    vertex : tuple of 3 floats
        Vertex in the coordinates of the successor, m.
    on, normal : tuple of 3 floats
        A point of the plane and its unit normal, outwards, in the coordinates of the predecessor.

    Raises
    ------
    ModelError
        If the normal is not of unit length or a number is not finite.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import VertexOnPlane
    >>> VertexOnPlane("toe", "world", "foot", (0.1, 0.0, -0.05)).normal
    (0.0, 0.0, 1.0)
    """

    name: str
    predecessor: str
    successor: str
    vertex: tuple[float, float, float]
    on: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _require_vectors(self.name, self.vertex, self.on)
        _require_unit(self.name, self.normal)

    def at(self, model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> PointContact:
        """Return the contact in a state: C is the vertex, and the normal turns with the predecessor."""
        return _on_plane(self, _moving(model, q, qd, t), self.vertex, 0.0)


@dataclass(frozen=True)
class SphereOnPlane:
    """Contact pair: a sphere of the successor and a plane of the predecessor.

    Parameters
    ----------
    name, predecessor, successor : str
        Names of the contact and of its bodies.
    center : tuple of 3 floats
        Centre in the coordinates of the successor, m.
    radius : float
        Radius, m.
    on, normal : tuple of 3 floats
        A point of the plane and its unit normal, outwards, in the coordinates of the predecessor.

    Raises
    ------
    ModelError
        If the radius is not positive, the normal not of unit length or a number is not finite.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import SphereOnPlane
    >>> SphereOnPlane("floor", "world", "ball", (0.0, 0.0, 0.0), 0.1).radius
    0.1
    """

    name: str
    predecessor: str
    successor: str
    center: tuple[float, float, float]
    radius: float
    on: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _require_vectors(self.name, self.center, self.on)
        _require_unit(self.name, self.normal)
        _require_radius(self.name, self.radius)

    def at(self, model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> PointContact:
        """Return the contact in a state: C is below the centre, independent of the sphere's rotation."""
        return _on_plane(self, _moving(model, q, qd, t), self.center, self.radius)


@dataclass(frozen=True)
class SphereOnSphere:
    """Contact pair: two spheres; a negative radius is that of a hollow sphere around the other.

    Parameters
    ----------
    name, predecessor, successor : str
        Names of the contact and of its bodies.
    center_p, center_s : tuple of 3 floats
        Centres in the coordinates of predecessor and successor, m.
    radius_p, radius_s : float
        Radii, m. radius_p < 0: the predecessor is a hollow of that radius.

    Raises
    ------
    ModelError
        If a radius does not fit or a number is not finite.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import SphereOnSphere
    >>> SphereOnSphere("kiss", "red", "white", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.03, 0.03).predecessor
    'red'
    """

    name: str
    predecessor: str
    successor: str
    center_p: tuple[float, float, float]
    center_s: tuple[float, float, float]
    radius_p: float
    radius_s: float

    def __post_init__(self) -> None:
        _require_vectors(self.name, self.center_p, self.center_s)
        _require_radius(self.name, self.radius_s)
        _require_radius(self.name, abs(self.radius_p))
        if -self.radius_s < self.radius_p < 0.0:
            raise ModelError(
                f"contact {self.name!r}: a hollow of {-self.radius_p} m holds no ball of {self.radius_s} m"
            )

    def at(self, model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> PointContact:
        """Return the contact in a state: the normal is along the line of centres and turns with it.

        Raises
        ------
        StateError
            If the centres coincide.
        """
        kinematics = _moving(model, q, qd, t)
        p, p_rate = _carried(kinematics, self.predecessor, self.center_p)
        s, s_rate = _carried(kinematics, self.successor, self.center_s)
        apart, rate = s - p, s_rate - p_rate
        length = float(np.linalg.norm(apart))
        if length == 0.0:
            raise StateError(f"contact {self.name!r} has no normal: the centres of its spheres coincide")
        inside = np.sign(self.radius_p)
        n = inside * apart / length
        n_rate = inside * (rate - apart * (apart @ rate) / length**2) / length
        r = abs(self.radius_p) * inside  # from p to its surface along n, backwards in a hollow
        phi = inside * (length - inside * self.radius_s - abs(self.radius_p))
        return PointContact(
            self.name, self.predecessor, self.successor, p + r * n, n, p_rate + r * n_rate, n_rate, float(phi)
        )


def _moving(model: Model, q: NDArray, qd: NDArray, t: float) -> Kinematics:
    require_model(model)
    return forward_kinematics(model, np.asarray(q, dtype=float), np.asarray(qd, dtype=float), t=t)


def _carried(kinematics: Kinematics, body: str, point: tuple[float, float, float]) -> tuple[NDArray, NDArray]:
    """Return position and velocity of a point of a body, in world axes."""
    pose = kinematics.pose(body)
    v = in_world(pose, kinematics.velocity(body))
    place = pose[:3, :3] @ point + pose[:3, 3]
    return place, v[3:] + np.cross(v[:3], place)


def _on_plane(
    pair: VertexOnPlane | SphereOnPlane, kinematics: Kinematics, center: tuple[float, float, float], radius: float
) -> PointContact:
    pose = kinematics.pose(pair.predecessor)
    n = pose[:3, :3] @ pair.normal
    n_rate = np.cross((pose[:3, :3] @ kinematics.velocity(pair.predecessor)[:3]), n)
    on, _ = _carried(kinematics, pair.predecessor, pair.on)
    s, s_rate = _carried(kinematics, pair.successor, center)
    return PointContact(
        pair.name, pair.predecessor, pair.successor, s - radius * n, n, s_rate - radius * n_rate, n_rate,
        float(n @ (s - on)) - radius,
    )  # fmt: skip


def _require_vectors(name: str, *vectors: tuple[float, float, float]) -> None:
    for vector in vectors:
        if np.shape(vector) != (3,) or not np.isfinite(vector).all():
            raise ModelError(f"{shown(vector)} of contact {name!r} must be 3 finite numbers")


def _require_unit(name: str, normal: tuple[float, float, float]) -> None:
    _require_vectors(name, normal)
    if abs(np.linalg.norm(normal) - 1.0) > 1e-9:
        raise ModelError(f"normal {shown(normal)} of contact {name!r} must have unit length")


def _require_radius(name: str, radius: float) -> None:
    if not (np.isfinite(radius) and radius > 0.0):
        raise ModelError(f"radius {radius} m of contact {name!r} must be positive")
