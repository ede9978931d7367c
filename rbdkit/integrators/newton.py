"""Newton's method, with everything that a reader of an implicit step wants to see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError
from rbdkit.trace import residuals_of

Residual = Callable[[NDArray], NDArray]


@dataclass(frozen=True)
class Solve:
    """How the equations of a step were solved.

    Attributes
    ----------
    iterations : int
        Corrections made.
    residuals : tuple of float
        Largest residual before the first correction and after each.
    """

    iterations: int
    residuals: tuple[float, ...]


class Solves(Sequence[Solve]):
    """Solves of many steps, as a compiled loop wrote them down; each is made when it is asked for.

    Parameters
    ----------
    rows : ndarray (n, m)
        What `rbdkit.trace.Newton` left for each.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> options = {"formulation": "so3xr3", "integrator": "implicit_midpoint"}
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1, **options)
    >>> first = motion.solves[0]
    >>> len(motion.solves), first.iterations == len(first.residuals) - 1
    (100, True)
    """

    def __init__(self, rows: NDArray) -> None:
        self._rows = rows

    @property
    def most_iterations(self) -> int:
        """Of any of them."""
        return int(self._rows[:, 0].max(initial=0.0))

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, k: int) -> Solve: ...
    @overload
    def __getitem__(self, k: slice) -> Solves: ...
    def __getitem__(self, k: int | slice) -> Solve | Solves:
        if isinstance(k, slice):
            return Solves(self._rows[k])
        residuals = residuals_of(self._rows[k])
        return Solve(len(residuals) - 1, tuple(residuals.tolist()))


def solve(
    residual: Residual,
    guess: NDArray,
    jacobian: Callable[[NDArray], NDArray] | None = None,
    tolerance: float = 1e-12,
    max_iterations: int = 20,
    what: str = "the equations of the step",
    advice: str = "take a shorter step",
) -> tuple[NDArray, Solve]:
    """The root of a function of n variables with n values.

    Parameters
    ----------
    residual : (n,) -> (n,).
    guess : (n,) where to begin.
    jacobian : (n,) -> (n, n); central differences if not given.
    tolerance : largest residual of a solution. A correction too small to change the solution ends the search too: then
        the residual is round-off.
    what, advice : for the message of the error.

    Raises
    ------
    ConvergenceError
        After `max_iterations`, or when the residual is not finite or the Jacobian singular.
    """
    z = np.array(guess, dtype=float)
    residuals: list[float] = []
    while True:
        r = residual(z)
        residuals.append(float(np.max(np.abs(r), initial=0.0)))
        if residuals[-1] <= tolerance:
            return z, Solve(len(residuals) - 1, tuple(residuals))
        if not np.isfinite(residuals[-1]) or len(residuals) > max_iterations:
            raise _failure(what, advice, residuals)
        try:
            dz = np.linalg.solve(differences(residual, z) if jacobian is None else jacobian(z), r)
        except np.linalg.LinAlgError:
            raise _failure(what, f"their Jacobian is singular: {advice}", residuals) from None
        if np.max(np.abs(dz)) <= 4.0 * np.finfo(float).eps * np.max(np.abs(z), initial=1e-300):
            return z, Solve(len(residuals) - 1, tuple(residuals))
        z = z - dz


def _failure(what: str, advice: str, residuals: list[float]) -> ConvergenceError:
    history = ", ".join(f"{r:.2g}" for r in residuals[-5:])
    return ConvergenceError(
        f"{what} could not be solved: after {len(residuals) - 1} iterations the residual is {residuals[-1]:.3g} "
        f"(the last ones: {history}); {advice}"
    )


def differences(residual: Residual, z: NDArray) -> NDArray:
    """The Jacobian (n, n) at z by central differences."""
    columns = []
    for k in range(len(z)):
        step = 6e-6 * max(1.0, abs(z[k]))
        e = np.zeros(len(z))
        e[k] = step
        columns.append((residual(z + e) - residual(z - e)) / (2.0 * step))
    return np.array(columns).T
