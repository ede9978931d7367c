"""Solutions of linear complementarity problems, and the error with a certificate if there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.model.names import listed
from rbdkit.spatial.read_numbers import shown


@dataclass(frozen=True)
class Pivot:
    """Pivot step: names of the variable that enters the basis and of the one that leaves it."""

    enters: str
    leaves: str


@dataclass(frozen=True, eq=False)
class LcpSolution:
    """Solution of zeta = M lam + d, zeta >= 0, lam >= 0, zeta . lam = 0 (Featherstone 2008, Eq 11.42).

    Attributes
    ----------
    lam, zeta : ndarray (n,)
        Complementary variables; of each pair one is exactly zero.
    basis : tuple of int
        Rows whose lam was solved for; the columns of M there are independent.
    pivots : tuple of Pivot
        Pivot steps that led to the solution.
    residual : float
        Largest violation of the equation and the sign conditions before rounding, in units of zeta and lam.
    """

    lam: NDArray
    zeta: NDArray
    basis: tuple[int, ...]
    pivots: tuple[Pivot, ...]
    residual: float


class InfeasibleError(StateError):
    """Error of a complementarity problem without solution: no lam >= 0 makes M lam + d >= 0.

    Attributes
    ----------
    certificate : ndarray (n,)
        y >= 0 with M^T y <= 0 and d . y < 0, which shows it: y . (M lam + d) would have to be negative (Farkas).
    names : tuple of str
        Names of the contradictory rows, where y is not zero.
    """

    def __init__(self, message: str, certificate: NDArray, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.certificate = certificate
        self.names = names


def read_problem(M: ArrayLike, d: ArrayLike, names: Sequence[str] | None) -> tuple[NDArray, NDArray, tuple[str, ...]]:
    """Check M and d and return them with a name for each row.

    Parameters
    ----------
    M : array_like (n, n)
        Matrix of the problem.
    d : array_like (n,)
        Constant vector.
    names : sequence of str, optional
        Names of the rows; 'C1', 'C2', ... if not given.

    Raises
    ------
    StateError
        If shapes do not fit, names do not count the rows, or a number is not finite.
    """
    matrix, vector = np.array(M, dtype=float), np.array(d, dtype=float)
    n = len(vector) if vector.ndim == 1 else -1
    if matrix.shape != (n, n):
        raise StateError(f"M {matrix.shape} and d {vector.shape} must have the shapes (n, n) and (n,)")
    for which, part in (("M", matrix), ("d", vector)):
        if not np.isfinite(part).all():
            raise StateError(f"{which} of a complementarity problem holds a number that is not finite: {shown(part)}")
    given = tuple(f"C{i + 1}" for i in range(n)) if names is None else tuple(names)
    if len(given) != n:
        raise StateError(f"{len(given)} names {shown(given)} for {n} rows; give one for each")
    return matrix, vector, given


def solution_at(M: NDArray, d: NDArray, basis: Sequence[int], pivots: Sequence[Pivot]) -> LcpSolution:
    """Return the solution of a basis, solved anew from M and d, because pivoting accumulates round-off."""
    rows, n = sorted(basis), len(d)
    lam, zeta = np.zeros(n), np.array(d)
    if rows:
        block = M[np.ix_(rows, rows)]
        lam[rows] = np.linalg.solve(block, -d[rows])
        lam[rows] -= np.linalg.solve(block, block @ lam[rows] + d[rows])
        zeta = M @ lam + d
    off = np.abs(zeta[rows]).max(initial=0.0)  # these are zero by definition
    off = max(off, -lam.min(initial=0.0), -np.delete(zeta, rows).min(initial=0.0))
    lam, zeta = np.maximum(lam, 0.0), np.maximum(zeta, 0.0)
    zeta[rows] = 0.0
    return LcpSolution(lam, zeta, tuple(rows), tuple(pivots), float(off))


def rounding(M: NDArray, d: NDArray) -> float:
    """Return the threshold below which a number counts as zero relative to the elements of d."""
    return 1e-12 * float(np.abs(d).max(initial=0.0))


def is_certificate(M: NDArray, d: NDArray, y: NDArray) -> bool:
    """Return whether y >= 0, M^T y <= 0 and d . y < 0, up to round-off."""
    size, scale = float(np.abs(y).max(initial=0.0)), float(np.abs(M).max(initial=0.0))
    return bool(
        size > 0.0
        and y.min() >= -1e-10 * size
        and (M.T @ y).max() <= 1e-10 * scale * size
        and d @ y < -1e-9 * np.abs(d).max() * size
    )


def infeasible(d: NDArray, y: NDArray, names: Sequence[str]) -> InfeasibleError:
    """Return the error that names the rows of a certificate."""
    y = np.where(y > 1e-9 * y.max(), y, 0.0) / y.max()
    rows = tuple(names[int(i)] for i in np.flatnonzero(y))
    return InfeasibleError(
        f"no contact force can keep {listed(rows)} from penetrating: with weights y = {shown(y[y > 0.0])} the "
        f"separations add up to d . y = {d @ y:.6g} whatever pushes; move the bodies apart, take friction off, or "
        "let the contact be compliant",
        y,
        rows,
    )
