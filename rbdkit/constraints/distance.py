"""A rod without mass between two points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from rbdkit.constraints.element import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.element import End
from rbdkit.forces.surroundings import ORIGIN, Surroundings
from rbdkit.spatial.read_numbers import shown


class Distance(ConstraintElement):
    """A constant distance between two points: a massless rod with a ball joint at each end.

    Parameters
    ----------
    a, b : str
        Frames or bodies that it ties together; 'world' is one.
    length : float
        m, more than zero: coincident points have no direction between them; use a spherical loop joint for these.
    at_a, at_b : tuple of float (3,), optional
        End points, in coordinates of a and of b, m.

    Raises
    ------
    ModelError
        If the length is not a positive number, or both ends are on one body.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("hung")
    >>> bob = model.add_body("bob", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    >>> rod = model.add_constraint("rod", rbd.Distance("world", "bob", 2.0, at_a=(0.0, 0.0, 2.0)))
    >>> motion = rbd.simulate(model, v0=[0, 0, 0, 1.0, 0, 0], duration=0.1, formulation="se3")
    >>> bool(motion.report.constraint_error < 1e-9)
    True
    """

    units: ClassVar[Mapping[str, str]] = {"length": "m", "at_a": "m", "at_b": "m"}

    a: str
    b: str
    length: float
    at_a: tuple[float, float, float] = ORIGIN
    at_b: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        self.parameters()
        if not (isinstance(self.length, float | int | np.number) and self.length > 0.0):
            raise ModelError(f"{self.known_as}: length {shown(self.length)} must be a number of metres above zero")
        if self.a == self.b:
            raise ModelError(f"{self.known_as}: both ends are on {shown(self.a)}, where it holds by itself")

    def gap(self, at: Surroundings) -> Any:
        d = at.position(self.b, self.at_b) - at.position(self.a, self.at_a)
        return np.sqrt(d @ d) - self.length

    def ends(self) -> tuple[End, End]:
        return (self.a, self.at_a), (self.b, self.at_b)
