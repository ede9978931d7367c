"""Newton's method for implicit steps, with a history of residuals; the readable form of `rbdkit.trace.Newton`.

An implicit step has n equations for n velocities (or displacements), and a Jacobian costs 2 n evaluations of the system
by central differences. So `solve` has two phases:

1. Simplified Newton iteration (``patience`` corrections) with one Jacobian: that of the last step, which is only a
   step old, or a multiple of the identity, where that is close enough. It converges linearly, with a factor of the
   order of the step.
2. If that does not converge: Newton's method from the guess, with a new Jacobian for every correction.

Both end when the largest residual is within the tolerance, or when a correction no longer changes the unknowns, since
the residual then consists of round-off. A phase that ends without either raises `ConvergenceError` with the residuals;
after the second one this is the user's message.

`solve` also serves tracing: called with recording vectors, it becomes one operation of a `TracedStep`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError
from rbdkit.trace import residuals_of

Residual = Callable[[NDArray], NDArray]


@dataclass(frozen=True)
class Solve:
    """History of the solution of a step's equations.

    Attributes
    ----------
    iterations : int
        Number of corrections.
    residuals : tuple of float
        Largest residual before the first correction and after each.
    jacobian : ndarray or None
        Jacobian of the simplified Newton iteration, to be used again by later steps; None if that did not converge.
    """

    iterations: int
    residuals: tuple[float, ...]
    jacobian: NDArray | None = field(default=None, repr=False, compare=False)


class Solves(Sequence[Solve]):
    """Histories of many solves, as logged by a compiled loop; each `Solve` is made when it is indexed.

    Parameters
    ----------
    rows : ndarray (n, m)
        Rows of `rbdkit.trace.Newton`, one for each solve.

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
        """Largest number of iterations of all solves."""
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
    *,
    patience: int = 0,
    last: Solve | None = None,
    slope: float | None = None,
    least: int = 0,
    relief: float = 1.0,
) -> tuple[NDArray, Solve]:
    """Find the root of a function of n variables with n values.

    In a traced step it becomes the Newton's method of the compiled loop, see `rbdkit.trace.Newton`; the residual must
    then consist of operations that can be traced, and there is no `jacobian`. The equations of bodies in directors have
    one, for numbers alone: compiled loops derive it from the residual, with loads taken as constant.

    Parameters
    ----------
    residual : (n,) -> (n,).
    guess : (n,) initial guess.
    jacobian : (n,) -> (n, n); central differences if not given.
    tolerance : largest residual of a solution. The iteration also ends with a correction that is too small to change
        the unknowns: the residual is round-off then.
    what, advice : name of the equations and advice to the user, for the error message.
    patience : number of corrections that are tried first with one Jacobian: `slope` times the identity, else that of
        the last solve, else one by differences at the guess. If they do not converge, Newton's method restarts at the
        guess.
    last : history of the last step's solve, whose Jacobian may be used again.
    slope : factor of the identity in place of a Jacobian.
    least : number of those corrections that are made whatever the residual.
    relief : factor on the tolerance of Newton's method after the restart.

    Raises
    ------
    ConvergenceError
        After `max_iterations`, or when the residual is not finite or the Jacobian singular.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.integrators import newton
    >>> root, how = newton.solve(lambda z: z * z - 2.0, np.array([1.5]))
    >>> root.round(9).tolist(), how.iterations
    ([1.414213562], 4)
    """
    if hasattr(guess, "root_of"):
        # a recording vector: the whole solution becomes one operation of the traced step
        return guess.root_of(residual, jacobian, tolerance, max_iterations, patience, last, slope, least, relief)
    if patience:
        try:
            if slope is not None:
                J = slope * np.eye(len(guess))
            else:
                J = differences(residual, guess) if last is None or last.jacobian is None else last.jacobian
            z, solved = _corrected(residual, guess, lambda _: J, tolerance, patience, what, advice, least)
            # only a Jacobian that has converged is handed on to the next step
            return z, replace(solved, jacobian=J)
        except (ConvergenceError, FloatingPointError):
            # the Jacobian was too far off; what it has led to is no better guess than the first one
            pass
    return _corrected(residual, guess, jacobian, relief * tolerance, max_iterations, what, advice)


def _corrected(
    residual: Residual,
    guess: NDArray,
    jacobian: Callable[[NDArray], NDArray] | None,
    tolerance: float,
    max_iterations: int,
    what: str,
    advice: str,
    least: int = 0,
) -> tuple[NDArray, Solve]:
    z = np.array(guess, dtype=float)
    residuals: list[float] = []
    while True:
        r = residual(z)
        residuals.append(float(np.max(np.abs(r), initial=0.0)))
        if residuals[-1] <= tolerance and len(residuals) > least:
            return z, Solve(len(residuals) - 1, tuple(residuals))
        if not np.isfinite(residuals[-1]) or len(residuals) > max_iterations:
            raise _failure(what, advice, residuals)
        try:
            dz = np.linalg.solve(differences(residual, z) if jacobian is None else jacobian(z), r)
        except np.linalg.LinAlgError:
            raise _failure(what, f"their Jacobian is singular: {advice}", residuals) from None
        # a correction within round-off of the unknowns: no smaller residual can be reached
        if np.max(np.abs(dz)) <= 4.0 * np.finfo(float).eps * np.max(np.abs(z), initial=1e-300):
            return z, Solve(len(residuals) - 1, tuple(residuals))
        z = z - dz


def largest(x: NDArray, least: float = 0.0) -> float:
    """Return the largest absolute value, or `least` if that is larger.

    Parameters
    ----------
    x : velocities or coordinates, also those of a traced step.
    least : lower bound of the result.

    Examples
    --------
    >>> from rbdkit.integrators import newton
    >>> newton.largest([0.5, -2.0], least=1.0)
    2.0
    """
    if hasattr(x, "largest"):
        return x.largest(least)
    return max(least, float(np.max(np.abs(x), initial=0.0)))


def _failure(what: str, advice: str, residuals: list[float]) -> ConvergenceError:
    history = ", ".join(f"{r:.2g}" for r in residuals[-5:])
    return ConvergenceError(
        f"{what} could not be solved: after {len(residuals) - 1} iterations the residual is {residuals[-1]:.3g} "
        f"(the last ones: {history}); {advice}"
    )


def differences(residual: Residual, z: NDArray) -> NDArray:
    """Return the Jacobian (n, n) at z by central differences."""
    columns = []
    for k in range(len(z)):
        # the cube root of round-off, where truncation and rounding errors of central differences are equal
        step = 6e-6 * max(1.0, abs(z[k]))
        e = np.zeros(len(z))
        e[k] = step
        columns.append((residual(z + e) - residual(z - e)) / (2.0 * step))
    return np.array(columns).T
