"""Coulomb's law at sticking or creeping points, together with points whose direction of sliding is given.

Signorini's and Coulomb's laws are written as one equation ``x = projection(x - step (A x + b))``, as in the augmented
Lagrangian method of Alart and Curnier (1991), and solved by a semismooth Newton method with step halving. Newton's
method converges in a few steps near the solution but may get stuck far from it; Gauss-Seidel sweeps in between always
move on, so both alternate and the best iterate is kept. Least-squares steps cope with redundant points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.one_point import in_disc
from rbdkit.errors import ConvergenceError
from rbdkit.laws.problem import Impulses, Problem

SETTLED = 1e-11
"""Largest residual of the laws, as a part of the largest acceleration."""
ROUNDS = 40
"""Largest number of rounds, each of Newton steps and then sweeps."""
SWEEPS = 20
"""Sweeps in a round."""
NEWTON = 12
"""Largest number of Newton steps in a round."""


def rubbed(
    W: NDArray, b: NDArray, mu: NDArray, slow: NDArray, way: NDArray, start: NDArray, names: tuple[str, ...]
) -> NDArray:
    """Solve for forces lam (m, 3): friction in its disc on slow points, at its limit along `way` on the others.

    Newton's method on both laws written as projections (Alart and Curnier 1991), with Gauss-Seidel sweeps where it
    makes no progress. With redundant points its steps are the shortest ones, so forces stay near `start`.

    Parameters
    ----------
    W, b : accelerations (3 m,) are ``W lam + b``. mu : (m,) friction coefficients. slow : (m,) of bool.
    way : (m, 2) directions of sliding of the others. start : (m, 3) initial guess. names : of the points, for messages.

    Raises
    ------
    ConvergenceError
        If no forces are found.
    """
    m = len(mu)
    pushes = np.eye(3 * m)
    for i in np.flatnonzero(~slow).tolist():
        pushes[3 * i + 1 : 3 * i + 3, 3 * i : 3 * i + 3] = 0.0
        pushes[3 * i + 1 : 3 * i + 3, 3 * i] = -mu[i] * way[i]
    x = start.copy()
    x[~slow, 1:] = 0.0
    best, least = _searched(_Law(W @ pushes, b, mu, slow, float(np.abs(b).max()) or 1.0), x, SETTLED, ROUNDS)
    if least <= SETTLED:
        return (pushes @ best.ravel()).reshape(m, 3)
    raise ConvergenceError(
        f"forces at {', '.join(map(repr, names))} were not found, they miss the law by {least:.1g} of the largest "
        "acceleration; take less friction, or contact='time_stepping'"
    )


def newton(problem: Problem, *, tol: float, most: int) -> Impulses:
    """Solve a friction problem by the same method, in a few rounds where sweeps alone take thousands.

    Parameters
    ----------
    tol : largest residual, m/s. most : largest number of rounds.
    """
    every = np.ones(len(problem), dtype=bool)
    scale = float(np.abs(problem.b).max()) or 1.0
    law = _Law(problem.W, problem.b, problem.mu, every, scale)
    best, least = _searched(law, np.array(problem.start, dtype=float), tol / scale, most)
    return Impulses(best, most, least * scale <= tol)


def _searched(law: _Law, x: NDArray, enough: float, most: int) -> tuple[NDArray, float]:
    """Return the best x (m, 3) of at most `most` rounds, and its relative residual."""
    best, least = x, np.inf
    for _ in range(most):
        x = law.newton(x, enough)
        off = law.off(x)
        if off < least:
            best, least = x, off
        if least <= enough:
            break
        x = law.swept(x)
    return best, least


class _Law:
    """Signorini's and Coulomb's laws as equations ``x = projection(x - step a)`` with ``a = A x + b``."""

    def __init__(self, A: NDArray, b: NDArray, mu: NDArray, slow: NDArray, scale: float) -> None:
        self.A, self.b, self.mu, self.slow = A, b, mu, slow
        own = np.abs(np.diag(A)).reshape(-1, 3)
        mean = float(own.mean()) or 1.0
        # step lengths are the masses that the points feel; a point that can hardly move would get a step without bound
        normal = np.where(own[:, 0] > 1e-6 * mean, own[:, 0], mean)
        tangential = np.maximum(own[:, 1:].max(axis=1), 1e-6 * mean)
        self.step = np.column_stack([1.0 / normal, 1.0 / tangential, 1.0 / tangential])
        self.scale = scale

    def wanted(self, x: NDArray) -> tuple[NDArray, NDArray]:
        """Return the projected forces (m, 3), and those before projection."""
        y = x - self.step * (self.A @ x.ravel() + self.b).reshape(-1, 3)
        normal = np.maximum(y[:, 0], 0.0)
        # the radius comes from x, not from the projected normal force; both agree at a solution, and slopes stay simple
        cut = np.transpose(in_disc(y[:, 1:].T, self.mu * np.maximum(x[:, 0], 0.0)))
        tangential = np.where(self.slow[:, None], cut, 0.0)
        return np.column_stack([normal, tangential]), y

    def off(self, x: NDArray) -> float:
        """Return the residual of the laws, as a part of the largest acceleration."""
        return float((np.abs(self.wanted(x)[0] - x) / self.step).max()) / self.scale

    def newton(self, x: NDArray, enough: float) -> NDArray:
        """Take Newton steps from x (m, 3) while they reduce the residual; steps are halved until they do."""
        off = self.off(x)
        for _ in range(NEWTON):
            # beyond the tolerance, since the last digits are cheap: near the solution Newton's method is quadratic
            if off <= 0.01 * enough:
                break
            wanted, y = self.wanted(x)
            J = self._slope(x, y)
            # redundant points make J singular: the shortest step leaves their shares near where they began
            move = np.linalg.lstsq(J, (wanted - x).ravel(), rcond=1e-12)[0].reshape(-1, 3)
            part = 1.0
            while part > 1e-3 and not self.off(x + part * move) < off:
                part *= 0.5
            if part <= 1e-3:
                break
            x = x + part * move
            off = self.off(x)
        return x

    def _slope(self, x: NDArray, y: NDArray) -> NDArray:
        """Return the generalised Jacobian (3 m, 3 m) of x - wanted(x)."""
        m = len(x)
        before = np.eye(3 * m) - self.step.ravel()[:, None] * self.A  # of y
        J = np.eye(3 * m)
        for i in range(m):
            n, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
            # an active row; the row of an inactive one stays that of the identity: its force goes to zero
            if y[i, 0] > 0.0:
                J[n] -= before[n]
            if not self.slow[i]:
                continue
            size, limit = float(np.hypot(*y[i, 1:])), float(self.mu[i] * max(x[i, 0], 0.0))
            if size <= limit:
                J[t] -= before[t]
            else:
                # slope of limit y / |y|: across the direction of sliding only, and with the normal force through the
                # limit
                ahead = y[i, 1:] / size
                J[t] -= limit / size * (before[t] - np.outer(ahead, ahead @ before[t]))
                if x[i, 0] > 0.0:
                    J[t, n] -= self.mu[i] * ahead
        return J

    def swept(self, x: NDArray) -> NDArray:
        """Return x after projected Gauss-Seidel sweeps over the points."""
        x = x.copy()
        flat = x.reshape(-1)
        for _ in range(SWEEPS):
            for i in range(len(x)):
                n, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
                flat[n] = max(0.0, flat[n] - self.step[i, 0] * float(self.A[n] @ flat + self.b[n]))
                if self.slow[i]:
                    y = flat[t] - self.step[i, 1] * (self.A[t] @ flat + self.b[t])
                    flat[t] = in_disc(y.tolist(), float(self.mu[i] * flat[n]))
        return x
