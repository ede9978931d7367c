"""The common normal of two lines, by which Denavit-Hartenberg frames are placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import se3

PARALLEL = 1e-9
"""Sine of the angle below which two axes count as parallel."""
MEETING = 1e-12
"""Distance (m) below which two axes count as intersecting."""


@dataclass(frozen=True)
class Line:
    """A line, the points ``point + s z``, with z of length 1."""

    point: NDArray
    z: NDArray

    @staticmethod
    def z_of(pose: NDArray) -> Line:
        """The z axis of a frame."""
        return Line(pose[:3, 3], pose[:3, 2])

    def nearest(self, point: NDArray) -> NDArray:
        """Its point that is nearest to another one."""
        return self.point + self.z * (self.z @ (point - self.point))


@dataclass(frozen=True)
class Normal:
    """From a line to the next: foot on the first, end on the second, direction x (length 1) at right angles to both."""

    foot: NDArray
    end: NDArray
    x: NDArray

    def frame(self, line: Line) -> NDArray:
        """The frame at the foot with this x axis and the line's z axis, (4, 4)."""
        return se3.pose(np.column_stack([self.x, np.cross(line.z, self.x), line.z]), self.foot)


def common_normal(first: Line, second: Line, x_before: NDArray, near: NDArray) -> Normal:
    """The common normal of two lines.

    Parameters
    ----------
    x_before, near : ndarray
        Direction and point that settle what the lines leave open. Where they intersect, x could point either way,
        and goes with the direction given (at right angles to that it is ``first.z x second.z``). Parallel lines
        have many normals: the one nearest to the point is taken. Lines that are one and the same keep the
        direction, made normal to them.
    """
    across = np.cross(first.z, second.z)
    sine = float(np.linalg.norm(across))
    if sine < PARALLEL:
        foot, end = first.nearest(near), second.nearest(near)
        gap = end - foot
        gap = gap - first.z * (first.z @ gap)
        length = float(np.linalg.norm(gap))
        return Normal(foot, foot + gap, gap / length if length > MEETING else _normal_to(first.z, x_before))
    x, between = across / sine, second.point - first.point
    distance = float(x @ between)
    foot = first.point + first.z * (np.cross(between, second.z) @ across / sine**2)
    side = x @ x_before if abs(distance) < MEETING else distance
    return Normal(foot, foot + distance * x, -x if side < 0.0 else x)


def _normal_to(z: NDArray, x: NDArray) -> NDArray:
    """A direction at right angles to z, as near to x as there is."""
    normal = x - z * (z @ x)
    if np.linalg.norm(normal) < 1e-6:
        normal = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    return normal / np.linalg.norm(normal)
