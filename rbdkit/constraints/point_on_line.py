"""A point that stays on a straight line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rbdkit.constraints.element import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import ORIGIN, Surroundings
from rbdkit.spatial.read_numbers import shown


class PointOnLine(ConstraintElement):
    """A point of one body stays on the z axis of a frame, and slides along it without friction.

    Parameters
    ----------
    point_of : str
        Frame or body that the point is on.
    line : str
        Frame or body whose z axis is the line, or 'world'.
    at : tuple of float (3,), optional
        The point, in coordinates of its frame, m.

    Raises
    ------
    ModelError
        If both are on one body.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("elevator")
    >>> car = model.add_body("car", joint=rbd.Free(), inertia=rbd.Inertia.box([1.0, 1.0, 2.0], mass=500.0))
    >>> rail = model.add_constraint("rail", rbd.PointOnLine("car", "world"))
    >>> motion = rbd.simulate(model, duration=0.1, formulation="se3")
    >>> motion.q[-1, 4:].round(9).tolist()
    [0.0, 0.0, -0.04905]
    """

    units: ClassVar[Mapping[str, str]] = {"at": "m"}

    point_of: str
    line: str
    at: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        self.parameters()
        if self.point_of == self.line:
            raise ModelError(f"PointOnLine: point and line are both of {shown(self.line)}; name two bodies")

    def gap(self, at: Surroundings) -> Any:
        d = at.position(self.point_of, self.at) - at.position(self.line)
        return at.rotation(self.line)[:, :2].T @ d
