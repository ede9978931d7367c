"""Force-length and force-velocity curves of muscles: piecewise cubics determined by interpolation conditions.

Sueda, "Rigid Body Dynamics Notes", section 1.9.4; the conditions are those of Eqs 1.41, 1.43 and 1.45, which the notes
took from OpenSim. Outside the range of the notes a curve continues along its tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial.read_numbers import shown


class Condition(NamedTuple):
    """A linear condition on a piecewise cubic (Eq 1.40): the value of a derivative of a piece, or its jump between two.

    Attributes
    ----------
    piece : int
        Index of the piece, from 0.
    order : int
        Order of the derivative, 0 to 2.
    x, value : float
        Abscissa, and required value there.
    minus : int, optional
        Index of a piece whose derivative is subtracted; none if not given.

    Examples
    --------
    Two pieces meet at 1.3 with one slope:

    >>> from rbdkit.forces.muscle_curves import Condition
    >>> Condition(0, 1, 1.3, 0.0, minus=1).minus
    1
    """

    piece: int
    order: int
    x: float
    value: float
    minus: int | None = None


@dataclass(frozen=True, eq=False)
class PiecewiseCubic:
    """A curve made of cubics ``f_i(x) = a_i x^3 + b_i x^2 + c_i x + d_i`` (Eq 1.40), straight beyond its ends.

    Parameters
    ----------
    knots : tuple of float
        Where pieces begin and end, one more than pieces, rising.
    coefficients : tuple of tuple of float
        (a, b, c, d) of each piece.

    Raises
    ------
    ModelError
        If knots do not rise, there is not one piece between each two of them, or value or slope jump at a knot.

    Examples
    --------
    >>> from rbdkit.forces.muscle_curves import PiecewiseCubic
    >>> ramp = PiecewiseCubic((0.0, 1.0), ((0.0, 1.0, 0.0, 0.0),))  # a parabola, then its tangent
    >>> [float(ramp(x)) for x in (-1.0, 0.5, 2.0)]
    [0.0, 0.25, 3.0]
    """

    knots: tuple[float, ...]
    coefficients: tuple[tuple[float, float, float, float], ...]

    def __post_init__(self) -> None:
        if len(self.knots) != len(self.coefficients) + 1 or not np.all(np.diff(self.knots) > 0.0):
            raise ModelError(
                f"knots {shown(self.knots)} of a curve of {len(self.coefficients)} cubics must be one more, and rise"
            )
        for k, x in enumerate(self.knots[1:-1]):
            one, two = np.array(self.coefficients[k : k + 2])
            scale = np.abs(one).max() + np.abs(two).max()
            for order, what in enumerate(("value", "slope")):
                jump = float(_powers(order, x) @ (two - one))
                if not abs(jump) <= 1e-9 * scale * max(1.0, abs(x)) ** 3:
                    raise ModelError(
                        f"the {what} of a curve jumps by {shown(jump)} at its knot {shown(x)}; join its cubics"
                    )

    @classmethod
    def from_conditions(cls, knots: Sequence[float], conditions: Sequence[Condition]) -> PiecewiseCubic:
        """Make the curve that satisfies given conditions, four for each piece.

        Raises
        ------
        ModelError
            If the number of conditions is not that of the coefficients, or they are linearly dependent.
        """
        pieces = len(knots) - 1
        if len(conditions) != 4 * pieces:
            raise ModelError(f"a curve of {pieces} cubics needs {4 * pieces} conditions, not {len(conditions)}")
        A = np.zeros((4 * pieces, pieces, 4))  # Eq 1.41
        for row, c in zip(A, conditions, strict=True):
            row[c.piece] += _powers(c.order, c.x)
            if c.minus is not None:
                row[c.minus] -= _powers(c.order, c.x)
        matrix = A.reshape(4 * pieces, 4 * pieces)
        if np.linalg.matrix_rank(matrix) < len(matrix):
            raise ModelError("the conditions of this curve depend on each other; give others for what they leave open")
        found = np.linalg.solve(matrix, [c.value for c in conditions]).reshape(pieces, 4)
        pieces_found = tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in found)
        return cls(tuple(map(float, knots)), pieces_found)

    def __call__(self, x: Any) -> Any:
        """Return the value at x; numbers, arrays or symbols."""
        inside = np.clip(x, self.knots[0], self.knots[-1])
        return self._pieces(self.coefficients, inside) + self._beyond(x)

    def slope(self, x: Any) -> Any:
        """Return the derivative at x."""
        inside = np.clip(x, self.knots[0], self.knots[-1])
        return self._pieces([(0.0, 3.0 * a, 2.0 * b, c) for a, b, c, _ in self.coefficients], inside)

    def integral(self, x: Any) -> Any:
        """Return the integral from the first knot to x."""
        inside, area = np.clip(x, self.knots[0], self.knots[-1]), 0.0
        for left, right, piece in zip(self.knots, self.knots[1:], self.coefficients, strict=False):
            here = np.clip(inside, left, right)
            area = area + _antiderivative(piece, here) - _antiderivative(piece, left)
        below, above = np.minimum(x - self.knots[0], 0.0), np.maximum(x - self.knots[-1], 0.0)
        (first, rising), (last, falling) = self._ends()
        return area + below * (first + 0.5 * rising * below) + above * (last + 0.5 * falling * above)

    def _pieces(self, coefficients: Sequence[tuple[float, ...]], x: Any) -> Any:
        # the first piece, and at each knot the step to the next one; so no piece is evaluated where it may be huge
        value = _cubic(coefficients[0], np.minimum(x, self.knots[1]))
        for left, right, piece in zip(self.knots[1:], self.knots[2:], coefficients[1:], strict=False):
            value = value + _cubic(piece, np.clip(x, left, right)) - _cubic(piece, left)
        return value

    def _beyond(self, x: Any) -> Any:
        (_, first), (_, last) = self._ends()
        return first * np.minimum(x - self.knots[0], 0.0) + last * np.maximum(x - self.knots[-1], 0.0)

    def _ends(self) -> list[tuple[float, float]]:
        """Value and slope at the first and at the last knot."""
        ends = ((self.coefficients[0], self.knots[0]), (self.coefficients[-1], self.knots[-1]))
        return [(_cubic((a, b, c, d), x), (3.0 * a * x + 2.0 * b) * x + c) for (a, b, c, d), x in ends]


def _powers(order: int, x: float) -> NDArray:
    """Return the factors (4,) of the coefficients of a cubic in its value or derivative at x (Eq 1.40)."""
    return np.array([[x**3, x**2, x, 1.0], [3.0 * x**2, 2.0 * x, 1.0, 0.0], [6.0 * x, 2.0, 0.0, 0.0]])[order]


def _cubic(piece: Sequence[float], x: Any) -> Any:
    a, b, c, d = piece
    return ((a * x + b) * x + c) * x + d


def _antiderivative(piece: Sequence[float], x: Any) -> Any:
    a, b, c, d = piece
    return (((a / 4.0 * x + b / 3.0) * x + c / 2.0) * x + d) * x


@cache
def passive_force_length() -> PiecewiseCubic:
    """f_P: the tension of a muscle at rest, in peak isometric forces, over the length in optimal lengths (Eq 1.41).

    Row 3 of the printed system has 1.8 where the printed solution, Eq 1.42, needs 1.7.

    Examples
    --------
    >>> from rbdkit.forces.muscle_curves import passive_force_length
    >>> float(round(passive_force_length()(1.7), 12))
    1.0
    """
    return PiecewiseCubic.from_conditions(
        (1.0, 1.3, 1.7),
        [
            Condition(0, 0, 1.0, 0.0), Condition(0, 0, 1.3, 0.126110265892917), Condition(1, 0, 1.7, 1.0),
            Condition(0, 1, 1.0, 0.0), Condition(0, 1, 1.3, 1.07051016402631), Condition(1, 1, 1.7, 2.85714285714286),
            Condition(0, 0, 1.3, 0.0, minus=1), Condition(0, 1, 1.3, 0.0, minus=1),
        ],
    )  # fmt: skip


@cache
def active_force_length() -> PiecewiseCubic:
    """f_L: the tension of a fully active muscle at constant length, scaled as in `passive_force_length` (Eq 1.43).

    Examples
    --------
    >>> from rbdkit.forces.muscle_curves import active_force_length
    >>> float(round(active_force_length()(1.0), 12))
    1.0
    """
    return PiecewiseCubic.from_conditions(
        (0.4, 0.7, 1.2, 1.81),
        [
            Condition(0, 0, 0.4, 0.0), Condition(0, 1, 0.4, 0.0), Condition(1, 0, 1.0, 1.0),
            Condition(1, 1, 1.0, 0.0), Condition(2, 0, 1.81, 0.0), Condition(2, 1, 1.81, 0.0),
            Condition(0, 0, 0.7, 0.0, minus=1), Condition(0, 1, 0.7, 0.0, minus=1),
            Condition(1, 0, 1.2, 0.0, minus=2), Condition(1, 1, 1.2, 0.0, minus=2),
            Condition(0, 0, 0.7, 0.767020368396388), Condition(1, 0, 1.2, 0.89),
        ],
    )  # fmt: skip


@cache
def force_velocity() -> PiecewiseCubic:
    """f_V: factor of the active force over the rate, in largest rates and positive in lengthening (Eq 1.45).

    Examples
    --------
    >>> from rbdkit.forces.muscle_curves import force_velocity
    >>> float(round(force_velocity()(0.0), 12)), float(round(force_velocity()(1.0), 12))
    (1.0, 1.4)
    """
    return PiecewiseCubic.from_conditions(
        (-1.0, -0.05, 0.05, 1.0),
        [
            Condition(0, 0, -1.0, 0.0), Condition(0, 1, -1.0, 0.0), Condition(0, 2, -1.0, 0.0),
            Condition(2, 0, 1.0, 1.4), Condition(2, 1, 1.0, 0.0), Condition(2, 2, 1.0, 0.0),
            Condition(0, 0, -0.05, 0.0, minus=1), Condition(0, 1, -0.05, 0.0, minus=1),
            Condition(1, 0, 0.05, 0.0, minus=2), Condition(1, 1, 0.05, 0.0, minus=2),
            Condition(1, 0, 0.0, 1.0), Condition(1, 1, 0.0, 5.0),
        ],
    )  # fmt: skip
