"""Bounds of a joint's coordinate."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.constraints.element import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown


class Limit(ConstraintElement):
    """A unilateral joint limit: the coordinate of a joint is stopped at one or both bounds.

    The stop is inelastic. It is enforced by the contact laws in joint coordinates: `simulate` handles it with or
    without bodies in contact; other formulations raise an error. `Limits` of a joint become such constraints where a
    motion would pass them: see ``limits`` of `simulate`.

    Parameters
    ----------
    joint : str
        A joint.
    lower, upper : float or None
        rad or m; None on a side without a stop.
    coordinate : str, optional
        Name of the coordinate; needed where the joint has several.

    Raises
    ------
    ModelError
        If `lower` is not below `upper`, or both are None.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> stop = model.add_constraint("stop", rbd.Limit("hinge", -1.0, 1.0))
    >>> motion = rbd.simulate(model, [0.9], [2.0], duration=1.0)
    >>> bool(motion.q.max() < 1.0 + 1e-9), motion.events[0].kind, motion.events[0].names
    (True, 'impact', ('stop',))
    """

    unilateral: ClassVar[bool] = True

    joint: str
    lower: float | None
    upper: float | None
    coordinate: str | None = None

    def __post_init__(self) -> None:
        self.parameters()
        if self.lower is None and self.upper is None:
            raise ModelError(f"Limit of joint {shown(self.joint)}: there is no bound; give lower, upper or both")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ModelError(f"Limit: lower bound {self.lower} must be below the upper one, {self.upper}")

    def gap(self, at: Surroundings) -> Any:
        q = at.coordinates(self.joint)[self._place(at)]
        below = () if self.lower is None else (q - self.lower,)
        return below if self.upper is None else (*below, self.upper - q)

    def units_of_gap(self, at: Surroundings) -> str:
        return at.coordinate_units(self.joint)[self._place(at)]

    def _place(self, at: Surroundings) -> int:
        """Number of the coordinate."""
        names = at.coordinate_names(self.joint)
        if self.coordinate is not None:
            if self.coordinate not in names:
                known = ", ".join(names) or "none"
                raise ModelError(f"joint {self.joint!r} has no coordinate {self.coordinate!r}; it has {known}")
            return names.index(self.coordinate)
        if len(names) != 1:
            raise ModelError(
                f"joint {self.joint!r} has {len(names)} coordinates; name one of {', '.join(names) or 'none'} as "
                "`coordinate`"
            )
        return 0
