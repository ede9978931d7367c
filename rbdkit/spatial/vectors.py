"""Typed spatial vectors: motion and force vectors are different kinds, and only some products between them exist.

    v.dot(f)     power, a number          v.cross(m)   motion        v.transform(X)   X v
    f.dot(v)     the same                 v.cross(f)   force         f.transform(X)   X* f

Algorithms work on plain arrays; these classes are for hand work, where a mixed-up product should be an error.
"""

from __future__ import annotations

from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force, cross_motion


class _SpatialVector:
    """Six Plücker coordinates, angular part first, and the vector-space operations within one kind."""

    __slots__ = ("array",)
    __array_ufunc__ = None  # keeps NumPy from taking the vector apart in `2.0 * v` or `X @ v`
    array: NDArray

    def __init__(self, coordinates: ArrayLike) -> None:
        if isinstance(coordinates, _SpatialVector) and type(coordinates) is not type(self):
            raise TypeError(f"a {type(coordinates).__name__} is not a {type(self).__name__}: they live in dual spaces.")
        array = np.array(coordinates, dtype=float)
        if array.shape != (6,):
            raise ValueError(f"a spatial vector has 6 coordinates, angular first; got shape {array.shape}.")
        array.setflags(write=False)
        self.array = array

    @property
    def angular(self) -> NDArray:
        """First three coordinates: angular velocity (rad/s), or moment about the origin (N m)."""
        return self.array[:3]

    @property
    def linear(self) -> NDArray:
        """Last three coordinates: velocity of the point at the origin (m/s), or force (N)."""
        return self.array[3:]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.array(self.array, dtype=dtype)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.array + self._same_kind(other, "add"))

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.array - self._same_kind(other, "subtract"))

    def __neg__(self) -> Self:
        return type(self)(-self.array)

    def __mul__(self, factor: float) -> Self:
        if np.ndim(factor) != 0 or isinstance(factor, _SpatialVector):
            raise TypeError("spatial vectors are scaled by numbers; their products are dot and cross.")
        return type(self)(float(factor) * self.array)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Self:
        return type(self)(self.array / float(divisor))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.array)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.array,)  # a copy is read-only too

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array.tolist()})"

    def _same_kind(self, other: Any, verb: str) -> NDArray:
        if type(other) is not type(self):
            raise TypeError(
                f"cannot {verb} {type(self).__name__} and {type(other).__name__}: only vectors of the same kind add."
            )
        return other.array


class MotionVector(_SpatialVector):
    """Velocity, acceleration or joint axis (m, m_O): an element of M^6 (Featherstone section 2.2).

    Parameters
    ----------
    coordinates : array_like (6,)
        Angular velocity, rad/s, and velocity of the point at the origin, m/s; or their rates.

    Examples
    --------
    >>> from rbdkit.spatial import MotionVector
    >>> spin, slide = MotionVector([0, 0, 1, 0, 0, 0]), MotionVector([0, 0, 0, 2, 0, 0])
    >>> (spin + slide).array.tolist()
    [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]
    """

    __slots__ = ()

    @classmethod
    def at(cls, angular: ArrayLike, linear: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> MotionVector:
        """From the angular velocity (rad/s) and the velocity (m/s) of the body point at `point` (m) (Eq 2.1)."""
        w, v_P, P = (np.asarray(u, dtype=float) for u in (angular, linear, point))
        return cls(np.concatenate([w, v_P - np.cross(w, P)]))

    def dot(self, force: ForceVector) -> float:
        """Power of a force vector (Eq 2.12), W."""
        if not isinstance(force, ForceVector):
            raise TypeError(
                f"the scalar product pairs a motion vector with a force vector, not with {type(force).__name__}: "
                "two motion vectors have no scalar product that is independent of the frame. For a kinetic energy use "
                "0.5 * v.dot(I @ v)."
            )
        return float(self.array @ force.array)

    @overload
    def cross(self, other: MotionVector) -> MotionVector: ...
    @overload
    def cross(self, other: ForceVector) -> ForceVector: ...
    def cross(self, other: Any) -> Any:
        """v x m (Eq 2.33) or v x* f (Eq 2.34), by the kind of the other vector."""
        if isinstance(other, MotionVector):
            return MotionVector(cross_motion(self.array, other.array))
        if isinstance(other, ForceVector):
            return ForceVector(cross_force(self.array, other.array))
        raise TypeError(f"cross needs a MotionVector or a ForceVector, got {type(other).__name__}.")

    def transform(self, X: ArrayLike) -> MotionVector:
        """Return the vector in B coordinates, X = B_X_A (6, 6)."""
        return MotionVector(np.asarray(X, dtype=float) @ self.array)

    def __rmatmul__(self, X: ArrayLike) -> MotionVector:
        return self.transform(X)


class ForceVector(_SpatialVector):
    """Force or momentum (f_O, f), moment first: an element of F^6 (Featherstone section 2.3).

    Parameters
    ----------
    coordinates : array_like (6,)
        Moment about the origin, N m, and force, N; of a momentum N m s and N s.

    Examples
    --------
    The power of a force of 2 N on what moves with 3 m/s:

    >>> from rbdkit.spatial import ForceVector, MotionVector
    >>> f, v = ForceVector([0, 0, 0, 2, 0, 0]), MotionVector([0, 0, 0, 3, 0, 0])
    >>> float(f.dot(v))
    6.0
    """

    __slots__ = ()

    @classmethod
    def at(cls, moment: ArrayLike, force: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> ForceVector:
        """From the moment (N m) about `point` (m) and the force (N) (Eq 2.6)."""
        n_P, f, P = (np.asarray(u, dtype=float) for u in (moment, force, point))
        return cls(np.concatenate([n_P + np.cross(P, f), f]))

    def dot(self, motion: MotionVector) -> float:
        """Power delivered to a motion vector (Eq 2.12), W."""
        if not isinstance(motion, MotionVector):
            raise TypeError(
                f"the scalar product pairs a force vector with a motion vector, not with {type(motion).__name__}: "
                "two force vectors have no scalar product that is independent of the frame."
            )
        return motion.dot(self)

    def cross(self, other: Any) -> None:
        """Raise `TypeError`: a force vector has no cross product."""
        raise TypeError(
            "a force vector has no cross product: x and x* say how something changes when it moves, so their left "
            "operand is a motion vector. Did you mean v.cross(f)?"
        )

    def transform(self, X: ArrayLike) -> ForceVector:
        """Return the vector in B coordinates, from the *motion* transform X = B_X_A: X* f with X* = X^-T (Eq 2.13)."""
        return ForceVector(plucker.force(X) @ self.array)

    def __rmatmul__(self, X: ArrayLike) -> ForceVector:
        raise TypeError("X @ f would use the motion transform on a force vector; f.transform(X) applies X* = X^-T.")
