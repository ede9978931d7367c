"""Marks of a body as arrows and ellipsoids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import Arrow, Ellipsoid, spatial_arrows
from rbdkit.scene.palette import INERTIA
from rbdkit.spatial.so3 import skew
from rbdkit.stepping.marks import Marks
from rbdkit.stepping.words import words_of

LENGTH = 0.28
"""Longest arrow, relative to the size of the picture."""
RADIUS = 0.12
"""Largest radius of an ellipsoid, relative to the size of the picture."""

Norms = Mapping[str, tuple[float, float]]


def arrows_of(marks: Marks, names: Iterable[str], size: float, norms: Norms) -> list[Arrow]:
    """Return the marks of a body as arrows at the origin of its frame.

    Parameters
    ----------
    names : iterable of str
        Marks to draw.
    size : float
        Size of the picture, m.
    norms : Norms
        For each name the lengths of angular and linear part that make the longest arrow: see `largest`.
    """
    arrows = []
    for name in names:
        for kind, group in (("motion", marks.motions), ("force", marks.forces)):
            if name in group:
                scale = tuple(LENGTH * size / norm if norm > 0.0 else 0.0 for norm in norms[name])
                units = words_of(name).units or ("", "")
                arrows += spatial_arrows(marks.body, group[name], kind, scale, None, name, units)  # type: ignore[arg-type]
    return arrows


def largest(all_marks: Iterable[Marks]) -> dict[str, tuple[float, float]]:
    """Return for each name the largest angular and linear part among some bodies."""
    norms: dict[str, tuple[float, float]] = {}
    for marks in all_marks:
        for name, x in {**marks.motions, **marks.forces}.items():
            angular, linear = norms.get(name, (0.0, 0.0))
            norms[name] = max(angular, float(np.linalg.norm(x[:3]))), max(linear, float(np.linalg.norm(x[3:])))
    return norms


def ellipsoids_of(marks: Marks, names: Iterable[str], size: float) -> list[Ellipsoid]:
    """Return ellipsoids of a body's apparent mass: how heavy it feels to a force in each direction.

    A rigid body feels alike in all directions: a ball about its centre of mass. An articulated body does not.
    """
    found = []
    for name in names:
        if name in marks.inertias:
            center, masses, axes = apparent_mass(marks.inertias[name])
            heaviest = float(np.max(masses))
            if heaviest > 0.0:
                radii = RADIUS * size * np.sqrt(np.maximum(masses, 0.0) / heaviest)
                found.append(Ellipsoid(marks.body, center, axes, radii, INERTIA, name))
    return found


def apparent_mass(I: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return centre (3,), principal apparent masses (3,) and their axes (3, 3) of an inertia (6, 6).

    ``I = [J, H; H.T, M]`` (Featherstone 2008, Eq 7.6): M is what a force through the origin feels; the centre is the
    point c where H comes closest to ``skew(c) M``.
    """
    H, M = I[:3, 3:], I[3:, 3:]
    masses, axes = np.linalg.eigh(0.5 * (M + M.T))
    if np.linalg.det(axes) < 0.0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    rows = np.stack([(skew(e) @ M).ravel() for e in np.eye(3)], axis=1)
    center = np.linalg.lstsq(rows, H.ravel(), rcond=None)[0]
    return center, masses, axes
