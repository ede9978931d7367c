"""Pitfalls of polyhedral shapes in contact dynamics, and their cures: bulging faces, rounded edges (Fig 11.5)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.constraints import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import Surroundings
from rbdkit.joints import Planar
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready_up_to
from rbdkit.model import Box, Geometry, Mesh, Model, Sphere
from rbdkit.spatial import se3, so3
from rbdkit.spatial.inertia import Inertia

APART = 1.0
"""m; the gap of an arc of a bulged polygon while it looks up."""
FACET, PLATE = 0.4, 0.02
"""m; how far along x a facet of a slope goes, and how thick it is drawn."""
METAL, WOOD, EDGE = (0.55, 0.62, 0.72), (0.93, 0.62, 0.25), (0.88, 0.28, 0.24)


class OverFacets(ConstraintElement):
    """A point of a body stays above facets that go along y, one steeper than the one before: a concave slope.

    The height is counted along z. It is ``heights[0] + slopes . ramps``, where each ramp begins at an edge: a sharp one
    by ``max(0, x - edge)``, a rounded one by a parabola that is as long as the rounding says on either side.
    """

    unilateral: ClassVar[bool] = True

    body: str
    point: tuple[float, float, float]
    start: tuple[float, float]
    edges: tuple[float, ...]
    turns: tuple[float, ...]
    rounding: float = 0.0

    def height(self, x: Any) -> Any:
        """Return the height of the facets at x, m; `start` has the height at x = 0 and the slope of the first facet."""
        z, slope = self.start
        height = z + slope * x
        reach = self.rounding
        for edge, turn in zip(self.edges, self.turns, strict=True):
            way = x - edge
            bent = (way + reach) * (way + reach) / np.where(reach > 0.0, 4.0 * reach, 1.0)
            height = height + turn * np.where(way >= reach, way, np.where(way > -reach, bent, 0.0))
        return height

    def gap(self, at: Surroundings) -> Any:
        x, _, z = at.position(self.body, self.point)
        return z - self.height(x)


class PolygonOnIce(ConstraintElement):
    """A regular polygon that stands upright, turns about y and stays above z = 0, by its corners and bulging faces.

    Each face is an arc through its two corners, so far out in its middle as `bulge` says. Where the normal of the
    ground lies among those of an arc, the arc touches; elsewhere a corner does. corners : their angles, from straight
    down in the body's frame towards its x axis.
    """

    unilateral: ClassVar[bool] = True

    body: str
    radius: float
    bulge: float
    corners: tuple[float, ...]

    def gap(self, at: Surroundings) -> Any:
        R, height = at.rotation(self.body), at.position(self.body)[2]

        def towards(angle: Any) -> Any:
            """Cosine between a direction in the body and straight down."""
            return R[2, 2] * np.cos(angle) - R[2, 0] * np.sin(angle)

        half = np.pi / len(self.corners)
        a, inner = self.radius * np.sin(half), self.radius * np.cos(half)  # of a face: half its length, how far out
        bulge = np.where(self.bulge > 0.0, self.bulge, 1.0)
        arc = 0.5 * (a * a + bulge * bulge) / bulge  # its radius
        back = arc - bulge - inner  # its centre lies beyond that of the polygon
        rows = [height - self.radius * towards(corner) for corner in self.corners]
        for corner in self.corners:
            middle = towards(corner + half)
            touches = np.where(self.bulge > 0.0, arc * middle - np.sqrt(arc * arc - a * a), -1.0) > 0.0
            rows.append(np.where(touches, height - (arc - back * middle), APART))
        return tuple(rows)


@ready_up_to(facets=8_000)
def concave_slope(facets: int = 6, rounding: float = 0.0, speed: float = 0.0) -> Start:
    """A block slides without friction down a slope that becomes flat, made of facets (Fig 11.5, right).

    Where edges are sharp, the corners of the block strike them, which costs energy; the cure is to round them.

    Parameters
    ----------
    facets : int, optional
        How many flat pieces lie between 45 degrees and the level one.
    rounding : float, optional
        m; so far on either side of an edge the slope is rounded. 0: sharp edges.
    speed : float, optional
        Of the block down the slope at first, m/s.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there is less than one facet, or the roundings are below zero or meet.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> for rounding in (0.0, 0.15):
    ...     run = rbd.simulate(*rbd.library.concave_slope(3, rounding), duration=0.6, dt=1e-3, contact="time_stepping")
    ...     print(f"{run.contacts.lost[-1].sum():.2f} J lost")
    0.38 J lost
    0.00 J lost
    """
    if facets < 1:
        raise ModelError(f"a slope of {facets} facets: there must be one at least")
    if not 0.0 <= rounding <= 0.5 * FACET:
        raise ModelError(f"rounding = {rounding} m must not be below 0, nor above half of a facet, {0.5 * FACET} m")
    slopes = np.tan(np.linspace(-np.pi / 4.0, 0.0, facets + 1))
    edges, size = FACET * np.arange(1, facets + 1), np.array([0.16, 0.1, 0.08])
    top = -FACET * float(slopes.sum())  # the level facet lies at z = 0
    model = Model("concave slope")
    model.add_body("slope", geometry=[_facet(FACET * k, slopes[k], top, slopes) for k in range(facets + 1)])
    block = Geometry(Box(size.tolist()), color=WOOD, collide=False)
    model.add_body("block", joint=Planar("y"), inertia=Inertia.box(size, mass=1.0), geometry=block)
    turns = tuple(np.diff(slopes).tolist())
    for name, x in (("back", -0.5), ("front", 0.5)):
        corner = (x * float(size[0]), 0.0, -0.5 * float(size[2]))
        over = OverFacets("block", corner, (top, float(slopes[0])), tuple(edges.tolist()), turns, rounding)
        model.add_constraint(f"{name} corner", over)
    out, along = (
        np.array([np.sin(np.pi / 4.0), np.cos(np.pi / 4.0)]),
        np.array([np.cos(np.pi / 4.0), -np.sin(np.pi / 4.0)]),
    )
    x, z = np.array([0.15, top - 0.15]) + 0.5 * size[2] * out
    return Start(model, np.array([np.pi / 4.0, z, x]), np.array([0.0, *(speed * along)]))


def _facet(x: float, slope: float, top: float, slopes: NDArray) -> Geometry:
    """A flat piece of a slope as a thin plate below its surface."""
    angle, width = -np.arctan(slope), FACET if slope else 3.0 * FACET
    z = top + FACET * float(slopes[: round(x / FACET)].sum())
    middle = np.array([x + 0.5 * width, 0.0, z + 0.5 * width * slope])
    plate = Box((width / np.cos(angle), 0.4, PLATE))
    turned = so3.exp([0.0, angle, 0.0])
    return Geometry(plate, se3.pose(turned, middle - 0.5 * PLATE * turned[:, 2]), METAL, collide=False)


def _prism(radius: float, bulge: float, corners: list[float], thick: float) -> Mesh:
    """A polygon with bulging faces, so thick on either side of its middle."""
    half = np.pi / len(corners)
    a, inner = radius * np.sin(half), radius * np.cos(half)
    way = np.linspace(-1.0, 1.0, 13)[:-1]
    out = inner + bulge * (1.0 - way * way)  # as near to the arc as can be seen
    middles = np.add(corners, half)[:, None]
    x = (a * way * np.cos(middles) + out * np.sin(middles)).ravel()
    z = (a * way * np.sin(middles) - out * np.cos(middles)).ravel()
    rim = [np.stack([x, np.full(x.shape, y), z], axis=1) for y in (-thick, thick)]
    n = len(x)
    k, after = np.arange(n), np.roll(np.arange(n), -1)
    front, back = np.full(n, 2 * n), np.full(n, 2 * n + 1)
    faces = [[front, k, after], [back, n + after, n + k], [k, n + k, after], [after, n + k, n + after]]
    vertices = np.concatenate([*rim, [[0.0, -thick, 0.0], [0.0, thick, 0.0]]])
    return Mesh(vertices=vertices, faces=np.concatenate([np.stack(face, axis=1) for face in faces]))


@ready_up_to(edges=600)
def polygon_on_ice(edges: int = 8, bulge: float = 0.0, rate: float = 3.0) -> Start:
    """An upright polygon that turns on ice, on corners that strike it, or on faces that bulge (Fig 11.5, left).

    Without friction its centre goes up and down on the spot. With straight edges each corner strikes the ice, and takes
    the part ``2 m a^2 / (I + m a^2)`` of the rate of turning away, where a is half an edge; a polygon that is strictly
    convex passes from corner to face to corner without a blow, and keeps its energy.

    Parameters
    ----------
    edges : int, optional
        How many.
    bulge : float, optional
        m; so far out are the middles of faces. 0: straight edges.
    rate : float, optional
        Rate of turning at first, on a corner, rad/s.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there are one or two edges, or faces bulge inwards or more than a circle does.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> for bulge in (0.0, 0.01):
    ...     run = rbd.simulate(*rbd.library.polygon_on_ice(8, bulge), duration=1.0, dt=1e-3, contact="time_stepping")
    ...     print(f"{abs(run.v[-1, 0]):.1f} rad/s")
    0.0 rad/s
    3.1 rad/s
    """
    if edges < 3:
        raise ModelError(f"a polygon of {edges} edges: there must be three at least")
    radius, half = 0.3, np.pi / edges
    most = radius * (1.0 - np.cos(half))
    if not 0.0 <= bulge <= most:
        raise ModelError(f"bulge = {bulge} m must lie from 0 to {most:.6g} m, where the polygon is a circle")
    model = Model("polygon on ice")
    upright = se3.pose(so3.exp([np.pi / 2.0, 0.0, 0.0]))
    corners = (2.0 * half * np.arange(edges)).tolist()
    shapes = [Geometry(_prism(radius, bulge, corners, 0.025), color=METAL, collide=False)]
    shapes.append(Geometry(Box((1.7 * radius, 0.055, 0.02)), color=WOOD, collide=False))
    for turn in corners:
        place = (radius - 0.008) * np.array([np.sin(turn), 0.0, -np.cos(turn)])
        shapes.append(Geometry(Sphere(0.008), se3.pose(position=place), EDGE, collide=False))
    inertia = Inertia.cylinder(radius, 0.05, mass=2.0).transformed(upright)
    under = se3.pose(position=[0.0, 0.0, -0.5 * PLATE])
    model.add_body("ice", geometry=Geometry(Box((2.0, 1.0, PLATE)), under, (0.75, 0.86, 0.94), collide=False))
    model.add_body("polygon", joint=Planar("y"), inertia=inertia, geometry=shapes)
    model.add_constraint("on ice", PolygonOnIce("polygon", radius, bulge, tuple(corners)))
    return Start(model, np.array([0.0, radius, 0.0]), np.array([rate, 0.0, 0.0]))
