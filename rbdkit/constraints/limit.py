"""Bounds of a joint's coordinate."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.constraints.element import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import Surroundings


class Limit(ConstraintElement):
    """The coordinate of a joint stays within bounds: a stop at each end.

    Nothing simulates it yet, that needs a law of contact: `simulate` refuses it. Bounds that are only watched are the
    `Limits` of a joint.

    Parameters
    ----------
    joint : str
        A joint of one coordinate.
    lower, upper : float
        rad or m.

    Raises
    ------
    ModelError
        If `lower` is not below `upper`.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> stop = model.add_constraint("stop", rbd.Limit("hinge", -1.0, 1.0))
    >>> try:
    ...     rbd.simulate(model, formulation="se3")
    ... except rbd.ModelError as fault:
    ...     print(str(fault)[:46])
    constraint 'stop' (Limit) bounds its gap on on
    """

    unilateral: ClassVar[bool] = True

    joint: str
    lower: float
    upper: float

    def __post_init__(self) -> None:
        self.parameters()
        if not self.lower < self.upper:
            raise ModelError(f"Limit: lower bound {self.lower} must be below the upper one, {self.upper}")

    def gap(self, at: Surroundings) -> Any:
        q = at.coordinates(self.joint)
        if len(q) != 1:
            raise ModelError(f"joint {self.joint!r} has {len(q)} coordinates; a limit is of joints that have one")
        return q[0] - self.lower, self.upper - q[0]

    def units_of_gap(self, at: Surroundings) -> str:
        return at.coordinate_units(self.joint)[0]
