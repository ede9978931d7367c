"""Base class of constraint elements."""

from __future__ import annotations

from typing import Any, ClassVar

from rbdkit.errors import ModelError
from rbdkit.forces.described import Described
from rbdkit.forces.element import End
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown


class ConstraintElement(Described):
    """Base class of constraints: a rod between two points, a rolling wheel, two joints coupled by gears.

    A subclass declares its data as fields, as in a dataclass. Its `gap` returns what must be zero in positions
    (holonomic), its `slip` what must be zero in velocities and is linear in them (nonholonomic); it may have both, and
    each returns a number or several. Fields that are strings are names of bodies, frames and joints; numbers, and
    tuples of numbers, are parameters. Write `gap` and `slip` with arithmetic, NumPy, and `numpy.where` in place of
    ``if``: they run once, on symbols, and all derivatives are computed from that trace.

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
    """Unit of the values of `gap`: one for all rows, or one for each."""
    slip_unit: ClassVar[str | tuple[str, ...]] = "m/s"
    """Unit of the values of `slip`: one for all rows, or one for each."""
    unilateral: ClassVar[bool] = False
    """Whether the constraint is unilateral: its gaps must not be negative but may be positive."""

    def gap(self, at: Surroundings) -> Any:
        """Return the position error that must be zero, a number or several, from positions and time in `at`."""
        return ()

    def slip(self, at: Surroundings) -> Any:
        """Return the velocity error that must be zero, a number or several, linear in the velocities in `at`."""
        return ()

    def units_of_gap(self, at: Surroundings) -> str | tuple[str, ...]:
        """Return the units of `gap`: `gap_unit`, unless they depend on the joints that the constraint refers to."""
        return self.gap_unit

    def ends(self) -> tuple[End, End] | None:
        """Return the two ends of the line that it is drawn as, each (frame, point in it); None draws nothing."""
        return None


def require_constraint(element: object, what: str) -> ConstraintElement:
    """Return the argument if it is a constraint element, else raise `ModelError`. what : its name, for the message."""
    if not isinstance(element, ConstraintElement):
        own = isinstance(element, type) and issubclass(element, ConstraintElement)
        hint = f", {element.__name__}(...)" if own else ""  # type: ignore[attr-defined]
        raise ModelError(
            f"{what}: {shown(element)} is no constraint; give an object of a ConstraintElement class{hint}"
        )
    return element
