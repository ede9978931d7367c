"""A ball or a wheel that rolls on a plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from rbdkit.constraints.element import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown


class Rolling(ConstraintElement):
    """Rolling without slip of a ball or thin wheel on the x-y plane of a frame.

    The constraint is bilateral: the plane pulls where a real wheel would lift off.

    Parameters
    ----------
    wheel : str
        Frame or body with its origin in the centre of the ball or wheel.
    plane : str
        Frame or body, or 'world'; the wheel is on the side of its z axis.
    radius : float
        m.
    axle : tuple of float (3,), optional
        Axis of the wheel in coordinates of its frame; not given for a ball.

    Raises
    ------
    ModelError
        If the radius is not positive, the axle has no direction, or wheel and plane are the same.

    Examples
    --------
    A ball that rolls with 1 m/s turns by 2 rad/s if its radius is half a metre:

    >>> import rbdkit as rbd
    >>> model = rbd.library.rolling_sphere(radius=0.5)
    >>> floor = model.add_constraint("floor", rbd.Rolling("ball", "world", radius=0.5))
    >>> q = [1, 0, 0, 0, 0, 0, 0.5]
    >>> motion = rbd.simulate(model, q, [0, 2.0, 0, 1.0, 0, 0], duration=0.1, formulation="se3")
    >>> motion.q[-1, 4:].round(9).tolist()
    [0.1, 0.0, 0.5]
    """

    units: ClassVar[Mapping[str, str]] = {"radius": "m"}

    wheel: str
    plane: str
    radius: float
    axle: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        self.parameters()
        if not (isinstance(self.radius, float | int | np.number) and self.radius > 0.0):
            raise ModelError(f"Rolling: radius {shown(self.radius)} must be a number of metres above zero")
        if self.axle is not None and not (np.shape(self.axle) == (3,) and np.any(self.axle)):
            raise ModelError(f"Rolling: axle {shown(self.axle)} must be a vector that points somewhere")
        if self.wheel == self.plane:
            raise ModelError(f"Rolling: wheel and plane are both {shown(self.wheel)}; name two bodies")

    def gap(self, at: Surroundings) -> Any:
        arm = self._arm(at)
        return at.rotation(self.plane)[:, 2] @ (at.position(self.wheel) + arm - at.position(self.plane))

    def slip(self, at: Surroundings) -> Any:
        arm, plane = self._arm(at), at.rotation(self.plane)
        center, origin = at.position(self.wheel), at.position(self.plane)
        of_wheel = at.velocity(self.wheel) + np.cross(at.angular_velocity(self.wheel), arm)
        of_plane = at.velocity(self.plane) + np.cross(at.angular_velocity(self.plane), center + arm - origin)
        return plane[:, :2].T @ (of_wheel - of_plane)

    def _arm(self, at: Surroundings) -> Any:
        """From the centre to the point that touches."""
        up = at.rotation(self.plane)[:, 2]
        if self.axle is None:
            return -self.radius * up
        axle = at.rotation(self.wheel) @ np.asarray(self.axle)
        rise = up - axle * (up @ axle) / (axle @ axle)  # steepest way up in the wheel
        return -self.radius / np.sqrt(rise @ rise) * rise
