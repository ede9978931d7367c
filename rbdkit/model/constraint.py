"""A constraint element in a model, and the checks that it passes before it is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.constraints import ConstraintElement
from rbdkit.errors import ModelError, StateError
from rbdkit.forces import Surroundings
from rbdkit.model.force import surroundings

if TYPE_CHECKING:
    from rbdkit.model.model import Model


@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint of a model.

    Attributes
    ----------
    name : str
        Unique among constraints, forces, bodies, frames and joints.
    element : ConstraintElement
        The element that defines the constraint equations.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -1.0)).name
    'belt'
    """

    name: str
    element: ConstraintElement

    def __repr__(self) -> str:
        return f"<Constraint {self.name!r}: {self.element!r}>"

    def __str__(self) -> str:
        return f"constraint {self.name!r} ({self.element.known_as})"


@dataclass(frozen=True)
class Row:
    """One scalar constraint equation, a row of the constraint Jacobian.

    Attributes
    ----------
    constraint : str
        Name of the constraint that it belongs to.
    unit : str
        Unit of its gap (position error), or of its slip (velocity error) if it is nonholonomic.
    holonomic : bool
        Whether it is an equation in positions.
    unilateral : bool
        Whether it is an inequality.
    """

    constraint: str
    unit: str
    holonomic: bool
    unilateral: bool


def seen(model: Model, q: NDArray, v: NDArray, t: float) -> Surroundings:
    """Return the view of one state of a model that constraint elements read positions and velocities from."""
    return Surroundings(model, q, v, surroundings(model, q, v, t).motion, t)


def try_out(model: Model, constraint: Constraint) -> tuple[Row, ...]:
    """Evaluate a constraint once, in the model's neutral state at rest; return its rows.

    Raises
    ------
    ModelError
        If it names a body, frame or joint that does not exist, fails, or returns nothing or something else than
        numbers; if the number of units differs from that of rows; or if it is an inequality in velocities.
    """
    element = constraint.element
    at = seen(model, model.neutral(), np.zeros(model.nv), 0.0)
    try:
        with np.errstate(all="ignore"):
            gaps, slips = scalars(element.gap(at)), scalars(element.slip(at))
        for what, values in (("gap", gaps), ("slip", slips)):
            for x in values:
                if not isinstance(x, float | int | np.number):
                    raise ModelError(f"{what} gives {type(x).__name__!r} where a number belongs")
        of_gap, of_slip = units_of(element.units_of_gap(at), len(gaps)), units_of(element.slip_unit, len(slips))
    except (ModelError, StateError) as fault:
        raise ModelError(f"{constraint}: {fault}") from fault
    except Exception as fault:  # a user's code: anything may go wrong in it
        raise ModelError(f"{constraint} cannot be computed: {type(fault).__name__}: {fault}") from fault
    if not gaps and not slips:
        raise ModelError(f"{constraint} holds nothing; let its gap or its slip give what must be zero")
    if slips and element.unilateral:
        raise ModelError(f"{constraint} bounds a slip; only gaps can be bounds")
    name = constraint.name
    return *(Row(name, unit, True, element.unilateral) for unit in of_gap), *(
        Row(name, unit, False, False) for unit in of_slip
    )


def scalars(values: Any) -> list[Any]:
    """Flatten what a gap or slip function returned, a number, array or nested list, into a list of scalars."""
    if isinstance(values, list | tuple):
        return [x for value in values for x in scalars(value)]
    return list(values.ravel()) if isinstance(values, np.ndarray) else [values]


def units_of(given: str | Sequence[str], rows: int) -> Sequence[str]:
    """Return one unit for each row, from one unit for all or one for each."""
    if isinstance(given, str):
        return [given] * rows
    if len(given) != rows:
        raise ModelError(f"there are {len(given)} units for {rows} rows; give one for all, or one for each")
    return given
