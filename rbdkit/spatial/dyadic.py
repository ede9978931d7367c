"""Dyads and dyadics: the linear maps between motion and force vectors (Featherstone sections 2.1 and 2.13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial import plucker
from rbdkit.spatial.vectors import ForceVector, MotionVector

Kind = Literal["motion", "force"]
_VECTOR: dict[Kind, type[MotionVector] | type[ForceVector]] = {"motion": MotionVector, "force": ForceVector}


@dataclass(frozen=True, eq=False)
class Dyadic:
    """A linear map from one kind of spatial vector to another.

    Parameters
    ----------
    matrix : array (6, 6)
        In Plücker coordinates.
    source, target : "motion" or "force"
        What it maps from and to.  motion -> force is an inertia, force -> motion an inverse inertia,
        motion -> motion and force -> force are operators such as v x and v x*.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.spatial import Dyadic, MotionVector
    >>> inertia = Dyadic(rbd.Inertia.sphere(0.1, mass=2.0).matrix, source="motion", target="force")
    >>> type(inertia @ MotionVector([0, 0, 0, 3, 0, 0])).__name__
    'ForceVector'
    """

    matrix: NDArray
    source: Kind
    target: Kind

    @classmethod
    def from_dyads(cls, a: ArrayLike, b: ArrayLike, source: Kind, target: Kind) -> Dyadic:
        """The sum of the dyads a_i b_i^T of the columns of a and b (6, r): maps c to sum a_i (b_i . c)."""
        return cls(np.asarray(a, dtype=float) @ np.asarray(b, dtype=float).T, source, target)

    @property
    def rank(self) -> int:
        """The least number of dyads that it takes."""
        return int(np.linalg.matrix_rank(self.matrix))

    def dyads(self) -> tuple[NDArray, NDArray]:
        """a and b (6, rank) with matrix = a b^T; for a positive semidefinite symmetric dyadic a = b."""
        if np.array_equal(self.matrix, self.matrix.T):
            value, vector = np.linalg.eigh(self.matrix)
            keep = np.argsort(-np.abs(value))[: self.rank]
            half = vector[:, keep] * np.sqrt(np.abs(value[keep]))
            return half * np.sign(value[keep]), half
        U, s, Vt = np.linalg.svd(self.matrix)
        r = self.rank
        return U[:, :r] * s[:r], Vt[:r].T

    def transform(self, X: ArrayLike) -> Dyadic:
        """Return the dyadic in B coordinates, X = B_X_A (Table 2.5).

        motion -> motion: X L X^-1     force -> force: X* L (X*)^-1
        motion -> force:  X* L X^-1    force -> motion: X L (X*)^-1

        The lower two are congruences: a symmetric dyadic stays symmetric, to the last digit.
        """
        X = np.asarray(X, dtype=float)
        left = X if self.target == "motion" else plucker.force(X)
        right = plucker.inverse(X) if self.source == "motion" else X.T
        moved = left @ self.matrix @ right
        if self.source != self.target and np.array_equal(self.matrix, self.matrix.T):
            moved = 0.5 * (moved + moved.T)
        return Dyadic(moved, self.source, self.target)

    def __matmul__(self, vector: Any) -> Any:
        if not isinstance(vector, _VECTOR[self.source]):
            raise TypeError(f"this dyadic maps {self.source} vectors, not {type(vector).__name__}.")
        return _VECTOR[self.target](self.matrix @ vector.array)
