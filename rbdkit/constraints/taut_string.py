"""A string between two points."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.constraints.distance import Distance
from rbdkit.forces.surroundings import Surroundings


class TautString(Distance):
    """Two points come no farther apart than a length: a string, which pulls and never pushes.

    What remains of the string is its gap. Laws of contact know it, in joint coordinates, and let it tighten without
    bouncing; other formulations refuse it. Where the string is taut all the time, `Distance` is the same.

    Parameters
    ----------
    a, b, length, at_a, at_b
        As those of `Distance`.

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
