"""What every constraint provides."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.errors import ModelError
from rbdkit.forces.described import Described
from rbdkit.forces.element import End
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown


class ConstraintElement(Described):
    """What holds in a mechanism: a rod between two points, a wheel that rolls, two joints that turn together.

    A subclass names its data as fields, as in a dataclass, and says in `gap` what must be zero at all times, or in
    `slip`, which is linear in the velocities, what must be zero though no positions tell it; both, if there is both.
    Either gives a number or several. Fields that are strings are names of bodies, frames and joints; numbers, and
    tuples of numbers, are parameters. In `gap` and `slip` there is arithmetic, NumPy, and `numpy.where` in place of
    ``if``: they run once, on symbols, and all derivatives are found from that.

    Examples
    --------
    A bead on a parabola:

    >>> import rbdkit as rbd
    >>> class Wire(rbd.ConstraintElement):
    ...     bead: str
    ...     curvature: float
    ...
    ...     def gap(self, at):
    ...         x, y, z = at.position(self.bead)
    ...         return z - 0.5 * self.curvature * x * x, y
    >>> model = rbd.Model("bead")
    >>> bead = model.add_body("bead", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.01, mass=0.1))
    >>> model.add_constraint("wire", Wire("bead", curvature=2.0))
    <Constraint 'wire': Wire(bead='bead', curvature=2.0)>
    """

    gap_unit: ClassVar[str | tuple[str, ...]] = "m"
    """Of what `gap` gives: of all rows, or one for each."""
    slip_unit: ClassVar[str | tuple[str, ...]] = "m/s"
    """Of what `slip` gives."""
    unilateral: ClassVar[bool] = False
    """Whether the rows of `gap` are bounds: not to be negative, and free to be positive."""

    def gap(self, at: Surroundings) -> Any:
        """What must be zero: a number or several, with what `at` tells of positions and time."""
        return ()

    def slip(self, at: Surroundings) -> Any:
        """What must be zero, linear in velocities: a number or several."""
        return ()

    def units_of_gap(self, at: Surroundings) -> str | tuple[str, ...]:
        """`gap_unit`, unless that depends on joints."""
        return self.gap_unit

    def ends(self) -> tuple[End, End] | None:
        """The two points between which it is drawn as a line, each as (frame, point in it); None draws nothing."""
        return None


def require_constraint(element: object, what: str) -> ConstraintElement:
    """The constraint that was given; `ModelError` if it is something else. what : whose, for the message."""
    if not isinstance(element, ConstraintElement):
        own = isinstance(element, type) and issubclass(element, ConstraintElement)
        hint = f", {element.__name__}(...)" if own else ""  # type: ignore[attr-defined]
        raise ModelError(
            f"{what}: {shown(element)} is no constraint; give an object of a ConstraintElement class{hint}"
        )
    return element
