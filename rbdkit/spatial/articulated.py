"""Articulated-body inertia: what a body in a mechanism feels like to whoever pushes it (Featherstone section 7.1).

    IA.force(a)      I^A a, a force          IA.inverse().acceleration(f)      Phi^A f, an acceleration

A rigid body's inertia also maps velocity to momentum; an articulated one does not, and says so when it is asked. These
are the physical quantities, as 6x6 matrices with their rules, for hand work; the algorithms use plain matrices, and
`spatial.compact` has what a program stores and counts.
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
    """I^A of a handle in an articulated body: symmetric, positive definite, otherwise without form.

    Parameters
    ----------
    matrix : array (6, 6)
        Angular first, in coordinates of the handle; 21 independent numbers, a rigid body's has 10.

    Raises
    ------
    ModelError
        If the matrix is not symmetric and positive definite: then the handle lacks some freedom, and its
        `ArticulatedInverse` is what there is.

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
        """From the 21 numbers on and above the diagonal, row by row."""
        numbers = np.asarray(parameters, dtype=float)
        if numbers.shape != (21,):
            raise ModelError(f"an articulated-body inertia has 21 parameters, got an array of shape {numbers.shape}.")
        M = np.zeros((6, 6))
        M[np.triu_indices(6)] = numbers
        return cls(M + np.triu(M, 1).T)

    @classmethod
    def of(cls, inertia: Inertia) -> ArticulatedInertia:
        """Of a rigid body by itself, the articulated body that every assembly begins with."""
        return cls(inertia.matrix)

    @property
    def parameters(self) -> NDArray:
        """The 21 numbers on and above the diagonal, row by row."""
        return self.matrix[np.triu_indices(6)]

    def __add__(self, other: Any) -> ArticulatedInertia:
        """Two handles glued together, in the same coordinates (Fig 7.2); a rigid body's inertia may be one of them."""
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
        """I^A a: the force (6,) behind the part of the acceleration that is not bias (Eq 7.2); typed in, typed out."""
        if isinstance(acceleration, ForceVector):
            raise TypeError("an inertia maps accelerations to forces; for the way back use inverse().acceleration(f).")
        if isinstance(acceleration, MotionVector):
            return ForceVector(self.matrix @ acceleration.array)
        return self.matrix @ np.asarray(acceleration, dtype=float)

    def __matmul__(self, motion: Any) -> NoReturn:
        """There is no such product: the call always raises."""
        raise TypeError(
            "I^A @ v would read as a momentum. An articulated body's parts have velocities of their own, so I^A maps "
            "accelerations only: IA.force(a). For momentum and kinetic energy use those of the model."
        )

    def kinetic_energy(self, velocity: Any) -> NoReturn:
        """There is no such number: the call always raises."""
        raise TypeError(
            "1/2 v . I^A v is no kinetic energy: the other bodies do not move with the handle's velocity. "
            "rbdkit.energy(model, q, v) gives that of the mechanism."
        )

    def inverse(self) -> ArticulatedInverse:
        """Phi^A = (I^A)^-1 (text after Eq 7.3)."""
        return ArticulatedInverse(np.linalg.inv(self.matrix))

    def transform(self, X: ArrayLike) -> ArticulatedInertia:
        """The same inertia in B coordinates, X = B_X_A: X* I^A X^-1, a congruence (Eq 2.66)."""
        inverse = plucker.inverse(X)
        return ArticulatedInertia(inverse.T @ self.matrix @ inverse)

    def transformed(self, pose: ArrayLike) -> ArticulatedInertia:
        """The same inertia seen from frame A, `pose` (4, 4) being that of the present frame in A, as of `Inertia`."""
        X = plucker.from_pose(pose)  # from A to the present frame
        return ArticulatedInertia(X.T @ self.matrix @ X)

    def apparent_mass(self, direction: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> float:
        """Mass that a force through a point meets in its own direction, kg: 1 / (d . a) for the unit force d.

        Parameters
        ----------
        direction : array (3,)
            Of any length. point : array (3,), m, where the force acts.
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
    """Phi^A of a handle, a = Phi^A f + b^A (Eq 7.3): symmetric, positive semidefinite; it always exists.

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
        """Of the fixed base: no force moves it."""
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
        """Phi^A f: what a force (6,) adds to the acceleration; typed in, typed out."""
        if isinstance(force, MotionVector):
            raise TypeError("an inverse inertia maps forces to accelerations; for the way back use inverse().force(a).")
        if isinstance(force, ForceVector):
            return MotionVector(self.matrix @ force.array)
        return self.matrix @ np.asarray(force, dtype=float)

    def __add__(self, other: Any) -> NoReturn:
        """There is no such sum: the call always raises."""
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
        """The same inverse inertia in B coordinates, X = B_X_A: X Phi^A X^T (Table 2.5)."""
        X = np.asarray(X, dtype=float)
        return ArticulatedInverse(X @ self.matrix @ X.T)

    def transformed(self, pose: ArrayLike) -> ArticulatedInverse:
        """The same seen from frame A, `pose` (4, 4) being that of the present frame in A."""
        return self.transform(plucker.inverse(plucker.from_pose(pose)))

    def apparent_mass(self, direction: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> float:
        """See `ArticulatedInertia.apparent_mass`; infinite where the point cannot follow the force."""
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
