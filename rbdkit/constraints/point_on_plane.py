"""A point that stays in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rbdkit.constraints.element import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import ORIGIN, Surroundings
from rbdkit.spatial.read_numbers import shown


class PointOnPlane(ConstraintElement):
    """A point of one body stays in the x-y plane of a frame, and slides in it without friction.

    Parameters
    ----------
    point_of : str
        Frame or body that the point is on.
    plane : str
        Frame or body, or 'world'.
    at : tuple of float (3,), optional
        The point, in coordinates of its frame, m.
    height : float, optional
        Of the point over the x-y plane, m.

    Raises
    ------
    ModelError
        If both are on one body.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("glider")
    >>> puck = model.add_body("puck", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    >>> table = model.add_constraint("table", rbd.PointOnPlane("puck", "world"))
    >>> motion = rbd.simulate(model, v0=[0, 0, 0, 1.0, 0, 0], duration=0.1, formulation="se3")
    >>> motion.q[-1, 4:].round(9).tolist()
    [0.1, 0.0, 0.0]
    """

    units: ClassVar[Mapping[str, str]] = {"at": "m", "height": "m"}

    point_of: str
    plane: str
    at: tuple[float, float, float] = ORIGIN
    height: float = 0.0

    def __post_init__(self) -> None:
        self.parameters()
        if self.point_of == self.plane:
            raise ModelError(f"PointOnPlane: point and plane are both of {shown(self.plane)}; name two bodies")

    def gap(self, at: Surroundings) -> Any:
        d = at.position(self.point_of, self.at) - at.position(self.plane)
        return at.rotation(self.plane)[:, 2] @ d - self.height
