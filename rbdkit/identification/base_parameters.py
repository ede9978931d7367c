"""Base parameters: the sums of inertial parameters that joint forces depend on (Gautier and Khalil 1990)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

RANK = 1e-9
"""Smallest pivot that counts, relative to the largest: columns of a regressor are sums of some hundred products."""
SMALL = 1e-9
"""Smallest coefficient that is written in the name of a sum."""
FIELDS = ("mass", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Names of the ten parameters: first moments, and inertias about the origin of the body's frame."""


class Base(NamedTuple):
    """Columns of a regressor that span it, and how the others depend on them.

    Attributes
    ----------
    columns : numbers of independent columns. others : of the rest. sums : (columns, others), so that
        ``Y[:, others] = Y[:, columns] @ sums``.
    """

    columns: NDArray
    others: NDArray
    sums: NDArray

    def of(self, parameters: NDArray) -> NDArray:
        """Return the base parameters of a full set."""
        return np.asarray(parameters[self.columns] + self.sums @ parameters[self.others])

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the sums in words, such as 'rod1.Iyy + 1 rod2.mass'."""
        found = []
        for column, row in zip(self.columns, self.sums, strict=True):
            terms = [(x, names[k]) for x, k in zip(row, self.others, strict=True) if abs(x) > SMALL]
            found.append(names[column] + "".join(f" {'+' if x > 0 else '-'} {abs(x):.6g} {name}" for x, name in terms))
        return tuple(found)


def base_of(Y: NDArray) -> Base:
    """Choose independent columns of a regressor (rows, n)."""
    size = np.linalg.norm(Y, axis=0)
    _, R, order = qr(Y / np.where(size > 0.0, size, 1.0), mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > RANK * diagonal.max(initial=0.0)))
    sums = solve_triangular(R[:rank, :rank], R[:rank, rank:]) if rank else np.zeros((0, R.shape[1]))
    columns, others = order[:rank], order[rank:]
    return Base(columns, others, sums * size[others] / size[columns][:, None])
