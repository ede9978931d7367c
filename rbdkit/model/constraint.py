"""A constraint in a model, and how it is looked at before it is let in."""

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
        What holds.

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
    """One scalar of a constraint.

    Attributes
    ----------
    constraint : str
        Name of the constraint.
    unit : str
        Of its gap, or of its slip if it is one on velocities alone.
    holonomic : bool
        Whether positions tell it.
    unilateral : bool
        Whether it is a bound.
    """

    constraint: str
    unit: str
    holonomic: bool
    unilateral: bool


def seen(model: Model, q: NDArray, v: NDArray, t: float) -> Surroundings:
    """One state of a model as constraints see it."""
    return Surroundings(model, q, v, surroundings(model, q, v, t).motion, t)


def try_out(model: Model, constraint: Constraint) -> tuple[Row, ...]:
    """Let a constraint say once what it holds, in the model's neutral state at rest; its rows.

    Raises
    ------
    ModelError
        If it names a body, frame or joint that is not there, fails, gives something else than numbers, or nothing; if
        it gives more units than rows; or if it is a bound on velocities.
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
    """What a gap or a slip gives, one after the other."""
    if isinstance(values, list | tuple):
        return [x for value in values for x in scalars(value)]
    return list(values.ravel()) if isinstance(values, np.ndarray) else [values]


def units_of(given: str | Sequence[str], rows: int) -> Sequence[str]:
    """A unit for each row."""
    if isinstance(given, str):
        return [given] * rows
    if len(given) != rows:
        raise ModelError(f"there are {len(given)} units for {rows} rows; give one for all, or one for each")
    return given
