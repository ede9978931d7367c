"""A string between two points."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.constraints.distance import Distance
from rbdkit.forces.surroundings import Surroundings


class TautString(Distance):
    """A string: a unilateral constraint that the distance of two points is at most a length; it pulls, never pushes.

    Its gap is the slack. It is enforced by the contact laws in joint coordinates and tightens inelastically; other
    formulations raise an error. If the string is taut all the time, `Distance` is equivalent.

    Parameters
    ----------
    a, b, length, at_a, at_b
        As in `Distance`.

    Raises
    ------
    ModelError
        As `Distance` does.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> string = model.add_constraint("string", rbd.TautString("world", "rod", 3.0, at_b=(0.0, 0.0, -1.0)))
    >>> string.element.unilateral
    True
    """

    unilateral: ClassVar[bool] = True

    def gap(self, at: Surroundings) -> Any:
        return -super().gap(at)
