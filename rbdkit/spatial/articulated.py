"""Articulated-body inertia: the apparent inertia of a body that is part of a mechanism (Featherstone section 7.1).

    IA.force(a)      I^A a, a force          IA.inverse().acceleration(f)      Phi^A f, an acceleration

A rigid body's inertia also maps velocity to momentum; an articulated one does not, and raises an error that says so.
These classes hold 6x6 matrices with the rules of the physical quantities, for work by hand; the algorithms use plain
matrices, and `spatial.compact` has the forms that compiled code stores and whose operations are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial import plucker
from rbdkit.spatial.articulated_check import RANK, SYMMETRIC, rank, symmetric
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.vectors import ForceVector, MotionVector


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ArticulatedInertia:
    """Articulated-body inertia I^A of a handle: any symmetric positive definite matrix.

    Parameters
    ----------
    matrix : array (6, 6)
        Angular first, in coordinates of the handle; 21 independent numbers, a rigid body's has 10.

    Raises
    ------
    ModelError
        If the matrix is not symmetric and positive definite. A handle with fewer than six freedoms has an
        `ArticulatedInverse` only.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.spatial import ArticulatedInertia
    >>> handle = ArticulatedInertia(rbd.Inertia.sphere(0.1, mass=2.0).matrix)
    >>> float(handle.matrix[3, 3])
    2.0
    """

    matrix: NDArray

    def __init__(self, matrix: ArrayLike) -> None:
        I = symmetric(matrix, "articulated-body inertia")
        smallest = float(np.linalg.eigvalsh(I)[0])
        if not smallest > 0.0:
            raise ModelError(
                f"an articulated-body inertia is positive definite; this matrix has the eigenvalue {smallest:.3g}. "
                "A handle that cannot move in every direction has an ArticulatedInverse only."
            )
        object.__setattr__(self, "matrix", I)

    @classmethod
    def from_parameters(cls, parameters: ArrayLike) -> ArticulatedInertia:
        """Make it from the 21 numbers on and above the diagonal, row by row."""
        numbers = np.asarray(parameters, dtype=float)
        if numbers.shape != (21,):
            raise ModelError(f"an articulated-body inertia has 21 parameters, got an array of shape {numbers.shape}.")
        M = np.zeros((6, 6))
        M[np.triu_indices(6)] = numbers
        return cls(M + np.triu(M, 1).T)

    @classmethod
    def of(cls, inertia: Inertia) -> ArticulatedInertia:
        """Return the articulated-body inertia of a single rigid body, the start of every assembly."""
        return cls(inertia.matrix)

    @property
    def parameters(self) -> NDArray:
        """The 21 numbers on and above the diagonal, row by row."""
        return self.matrix[np.triu_indices(6)]

    def __add__(self, other: Any) -> ArticulatedInertia:
        """Return the inertia of two rigidly joined handles, in the same coordinates (Fig 7.2); `other` may be rigid."""
        if isinstance(other, (int, float)) and other == 0:  # the start value of sum()
            return self
        if isinstance(other, (ArticulatedInertia, Inertia)):
            return ArticulatedInertia(self.matrix + other.matrix)
        raise TypeError(
            f"an articulated-body inertia adds to its like and to a rigid-body inertia, not to {type(other).__name__}."
        )

    __radd__ = __add__

    @overload
    def force(self, acceleration: MotionVector) -> ForceVector: ...
    @overload
    def force(self, acceleration: ArrayLike) -> NDArray: ...
    def force(self, acceleration: Any) -> Any:
        """Return I^A a, the force (6,) without the bias force (Eq 7.2); a typed vector if given one."""
        if isinstance(acceleration, ForceVector):
            raise TypeError("an inertia maps accelerations to forces; for the way back use inverse().acceleration(f).")
        if isinstance(acceleration, MotionVector):
            return ForceVector(self.matrix @ acceleration.array)
        return self.matrix @ np.asarray(acceleration, dtype=float)

    def __matmul__(self, motion: Any) -> NoReturn:
        """Raise `TypeError`: the product with a velocity is not defined."""
        raise TypeError(
            "I^A @ v would read as a momentum. An articulated body's parts have velocities of their own, so I^A maps "
            "accelerations only: IA.force(a). For momentum and kinetic energy use those of the model."
        )

    def kinetic_energy(self, velocity: Any) -> NoReturn:
        """Raise `TypeError`: the kinetic energy is not determined by the handle's velocity."""
        raise TypeError(
            "1/2 v . I^A v is no kinetic energy: the other bodies do not move with the handle's velocity. "
            "rbdkit.energy(model, q, v) gives that of the mechanism."
        )

    def inverse(self) -> ArticulatedInverse:
        """Phi^A = (I^A)^-1 (text after Eq 7.3)."""
        return ArticulatedInverse(np.linalg.inv(self.matrix))

    def transform(self, X: ArrayLike) -> ArticulatedInertia:
        """Return the inertia in B coordinates, X = B_X_A: X* I^A X^-1, a congruence (Eq 2.66)."""
        inverse = plucker.inverse(X)
        return ArticulatedInertia(inverse.T @ self.matrix @ inverse)

    def transformed(self, pose: ArrayLike) -> ArticulatedInertia:
        """Return the inertia in coordinates of frame A. pose : (4, 4) of the present frame in A, as for `Inertia`."""
        X = plucker.from_pose(pose)  # from A to the present frame
        return ArticulatedInertia(X.T @ self.matrix @ X)

    def apparent_mass(self, direction: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> float:
        """Return the apparent mass at a point in a direction, kg: 1 / (d . a), a the acceleration by a unit force d.

        Parameters
        ----------
        direction : array (3,)
            Direction of the force, of any length. point : array (3,), m, where it acts.
        """
        return self.inverse().apparent_mass(direction, point)

    def __eq__(self, other: object) -> bool:
        return np.array_equal(self.matrix, other.matrix) if isinstance(other, ArticulatedInertia) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.matrix.tobytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return ArticulatedInertia, (self.matrix,)  # a copy is read-only too

    def __repr__(self) -> str:
        return f"ArticulatedInertia({self.matrix.tolist()})"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ArticulatedInverse:
    """Articulated-body inverse inertia Phi^A of a handle, a = Phi^A f + b^A (Eq 7.3); it always exists.

    It is symmetric and positive semidefinite; its rank is the number of freedoms of the handle.

    Parameters
    ----------
    matrix : array (6, 6)

    Raises
    ------
    ModelError
        If the matrix is not symmetric or has an eigenvalue below zero.

    Examples
    --------
    A body on a rail along x gives way in this direction alone:

    >>> import numpy as np
    >>> from rbdkit.spatial import ArticulatedInverse
    >>> rail = ArticulatedInverse(np.diag([0, 0, 0, 0.5, 0, 0]))
    >>> int(np.linalg.matrix_rank(rail.matrix))
    1
    """

    matrix: NDArray

    def __init__(self, matrix: ArrayLike) -> None:
        Phi = symmetric(matrix, "articulated-body inverse inertia")
        values = np.linalg.eigvalsh(Phi)
        if values[0] < -SYMMETRIC * values[-1]:
            raise ModelError(
                "an articulated-body inverse inertia is positive semidefinite; this matrix has the eigenvalue "
                f"{values[0]:.3g}: a force would accelerate the handle against itself."
            )
        object.__setattr__(self, "matrix", Phi)

    @classmethod
    def grounded(cls) -> ArticulatedInverse:
        """Return the inverse inertia of the fixed base, zero."""
        return cls(np.zeros((6, 6)))

    @property
    def freedom(self) -> int:
        """The handle's degree of motion freedom, the rank of Phi^A."""
        return rank(self.matrix)

    @overload
    def acceleration(self, force: ForceVector) -> MotionVector: ...
    @overload
    def acceleration(self, force: ArrayLike) -> NDArray: ...
    def acceleration(self, force: Any) -> Any:
        """Return Phi^A f, the acceleration (6,) that a force adds; a typed vector if given one."""
        if isinstance(force, MotionVector):
            raise TypeError("an inverse inertia maps forces to accelerations; for the way back use inverse().force(a).")
        if isinstance(force, ForceVector):
            return MotionVector(self.matrix @ force.array)
        return self.matrix @ np.asarray(force, dtype=float)

    def __add__(self, other: Any) -> NoReturn:
        """Raise `TypeError`: inverse inertias do not add when handles are joined."""
        raise TypeError(
            "inverse inertias do not add when handles are glued together; inertias do: (A.inverse() + B.inverse())."
        )

    def inverse(self) -> ArticulatedInertia:
        """I^A = (Phi^A)^-1.

        Raises
        ------
        ModelError
            If the handle has less than six degrees of freedom.
        """
        if self.freedom < 6:
            raise ModelError(
                f"the handle has {self.freedom} degree(s) of freedom, not 6, so no inertia I^A; "
                "work with Phi^A, which exists always (Eq 7.3)"
            )
        return ArticulatedInertia(np.linalg.inv(self.matrix))

    def transform(self, X: ArrayLike) -> ArticulatedInverse:
        """Return the inverse inertia in B coordinates, X = B_X_A: X Phi^A X^T (Table 2.5)."""
        X = np.asarray(X, dtype=float)
        return ArticulatedInverse(X @ self.matrix @ X.T)

    def transformed(self, pose: ArrayLike) -> ArticulatedInverse:
        """Return the inverse inertia in coordinates of frame A. pose : (4, 4) of the present frame in A."""
        return self.transform(plucker.inverse(plucker.from_pose(pose)))

    def apparent_mass(self, direction: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> float:
        """Return the apparent mass as `ArticulatedInertia.apparent_mass` does; infinite if the point cannot move so."""
        d, P = np.asarray(direction, dtype=float), np.asarray(point, dtype=float)
        length = float(np.linalg.norm(d))
        if d.shape != (3,) or not length > 0.0 or not np.isfinite(length):
            raise ModelError(f"direction {direction!r} must be three finite numbers, not all zero")
        f = np.concatenate([np.cross(P, d), d]) / length
        mobility = float(f @ self.matrix @ f)  # power of the unit force on the acceleration it causes
        return 1.0 / mobility if mobility > RANK * float(np.abs(self.matrix).max()) else np.inf

    def __eq__(self, other: object) -> bool:
        return np.array_equal(self.matrix, other.matrix) if isinstance(other, ArticulatedInverse) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.matrix.tobytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return ArticulatedInverse, (self.matrix,)

    def __repr__(self) -> str:
        return f"ArticulatedInverse({self.matrix.tolist()})"
