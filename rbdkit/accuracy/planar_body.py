"""Round-off of one planar body in a distant or fast-moving frame (Featherstone 2008, Figs 10.1 and 10.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

DIRECTIONS = 16


@dataclass(frozen=True, eq=False)
class PlanarBody:
    """The equation of motion of a body with m = 1 and I_C = 1, in coordinates at O, and its solution in floats.

    Attributes
    ----------
    matrix, rhs : ndarray
        I_O (3, 3) and f_O - v_O x* I_O v_O (3,) of Eq 10.1, as computed in floats.
    exact, computed : ndarray (3,)
        a_O: exact, rounded to double, and the solution of matrix and rhs by `numpy.linalg.solve`.
    error : ndarray (3,)
        Computed minus exact, transformed to the centre of mass C without further rounding: of the angular acceleration
        (rad/s2) and of the acceleration of C (m/s2).
    """

    matrix: NDArray
    rhs: NDArray
    exact: NDArray
    computed: NDArray
    error: NDArray

    @property
    def condition(self) -> float:
        """Condition number of the matrix in the 2-norm."""
        return float(np.linalg.cond(self.matrix.astype(float)))

    @property
    def relative_error(self) -> NDArray:
        """Relative errors of the components of a_O, (3,)."""
        return np.abs((self.computed - self.exact) / self.exact)


def planar_acceleration(c: ArrayLike, velocity: ArrayLike = (0.0, 0.0), dtype: DTypeLike = float) -> PlanarBody:
    """Compute the acceleration of the body of Fig 10.1, which turns with 1 rad/s under the force f_C = (1, -1, 1).

    Parameters
    ----------
    c : array_like (2,)
        Position of the centre of mass relative to the origin O, m.
    velocity : array_like (2,), optional
        Velocity of the centre of mass, m/s; zero in the book.
    dtype : DTypeLike, optional
        Type of the arithmetic, `numpy.float32` or `numpy.float64`.
    """
    number: Any = np.dtype(dtype).type
    (x, y), (vx, vy) = (np.asarray(pair, dtype=dtype) for pair in (c, velocity))
    zero, one = number(0.0), number(1.0)
    I = np.array([[one + x * x + y * y, -y, x], [-y, one, zero], [x, zero, one]], dtype=dtype)
    v = np.array([one, vx + y, vy - x], dtype=dtype)
    v_cross = np.array([[zero, -v[2], v[1]], [zero, zero, -v[0]], [zero, v[0], zero]], dtype=dtype)  # v_O x*
    f = np.array([one + x + y, -one, one], dtype=dtype)
    rhs = f - v_cross @ (I @ v)  # Eq 10.1
    computed = np.linalg.solve(I, rhs)
    a_C = (Fraction(1), Fraction(float(vy)) - 1, 1 - Fraction(float(vx)))  # f_C - v_C x* I_C v_C with unit inertia
    seen = _shifted([Fraction(float(a)) for a in computed], x, y)
    error = np.array([float(a - b) for a, b in zip(seen, a_C, strict=True)])
    exact = np.array([float(a) for a in _shifted(a_C, -x, -y)])
    return PlanarBody(I, rhs, exact, computed, error)


def far_frame_errors(
    distances: ArrayLike, dtype: DTypeLike = float, directions: int = DIRECTIONS, velocity: ArrayLike = (0.0, 0.0)
) -> NDArray:
    """Return the curve of Fig 10.2: largest error of the acceleration at C against |c|, (n,).

    Parameters
    ----------
    distances : array_like (n,)
        |c|, m.
    directions : int, optional
        Number of directions of c; the result is the median over them.
    velocity : array_like (2,), optional
        Velocity of the centre of mass, m/s.
    """
    return np.array([_median_error(_around(d, directions), velocity, dtype) for d in np.atleast_1d(distances)])


def speed_errors(
    speeds: ArrayLike, distance: float = 1.0, dtype: DTypeLike = float, directions: int = DIRECTIONS
) -> NDArray:
    """Return the error of `far_frame_errors` against the speed of the centre of mass, (n,).

    speeds : (n,) m/s. distance : of the origin from the centre of mass, m.
    """
    velocities = [s * np.array([np.cos(0.7), np.sin(0.7)]) for s in np.atleast_1d(speeds)]
    return np.array([_median_error(_around(distance, directions), v, dtype) for v in velocities])


def _around(distance: float, directions: int) -> Iterable[NDArray]:
    angles = 0.1 + 2.0 * np.pi * np.arange(directions) / directions  # none along an axis
    return distance * np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _median_error(positions: Iterable[NDArray], velocity: ArrayLike, dtype: DTypeLike) -> float:
    errors = [np.abs(planar_acceleration(c, velocity, dtype).error).max() for c in positions]
    return float(np.median(errors))


def _shifted(a: Iterable[Fraction], x: float, y: float) -> list[Fraction]:
    """Shift a planar motion vector from the origin to the point (x, y), in exact arithmetic."""
    w, ax, ay = a
    return [w, ax - w * Fraction(float(y)), ay + w * Fraction(float(x))]
