"""Contact and friction with four-sided friction pyramids, solved by pivoting instead of iteration.

Three formulations of the same discretised problem. `pyramid` is the linear complementarity problem (LCP) of Stewart
and Trinkle (1996): exact for the pyramid, solvable whenever forces can part the bodies. `program` is the convex
quadratic program (Sueda, Eqs 1.83-1.88): it always has a solution, but sliding contacts lift off with mu times their
speed. `staggered` alternates between normal and friction impulses. Linear problems go to Lemke's pivots
(`rbdkit.algorithms.solvers`); they need dense matrices and grow steeply with the number of points, so that the default
is `cone`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.solvers import active_set, lemke
from rbdkit.errors import ConvergenceError
from rbdkit.laws.problem import Impulses, Problem
from rbdkit.spatial.read_numbers import shown

SOFT = 1e-7
"""Regularisation: compliance added to the diagonal of W, as a part of its mean."""
EXACT = 1e-13
"""Round-off of a solution: negative variables below this part of the largest count as zero."""
ROUNDS = 50
"""Most changes of the positive variables after pivoting; beyond, they circle."""


def _parts(problem: Problem) -> tuple[NDArray, NDArray, NDArray]:
    """Return W and b of the LCP, ordered alpha, then beta along +t1, +t2, -t1, -t2; and the point of each beta.

    Four non-negative beta per point span both tangents, as LCPs know no signed unknowns.
    """
    m = len(problem)
    softer = SOFT * float(np.trace(problem.W)) / max(3 * m, 1)  # more points than freedoms: pivots need one answer
    # rows of W go point by point (n, t1, t2), those of the LCP direction by direction
    order = np.concatenate([3 * np.arange(m), *(3 * np.arange(m) + 1 + k for k in range(2))])
    W, b = problem.W[np.ix_(order, order)] + softer * np.eye(3 * m), problem.b[order]
    # each tangent twice; the row of -t is that of +t with the opposite sign
    twice = np.concatenate([np.arange(3 * m), np.arange(m, 3 * m)])
    sign = np.concatenate([np.ones(3 * m), -np.ones(2 * m)])
    return sign[:, None] * W[np.ix_(twice, twice)] * sign, sign * b[twice], np.tile(np.arange(m), 4)


def _pivoted(problem: Problem, M: NDArray, d: NDArray) -> Impulses:
    """Solve the LCP (M, d) by Lemke's pivots and return the impulses."""
    return _impulses(*_found(M, d, _row_names(problem), problem), len(problem))


def _found(M: NDArray, d: NDArray, names: list[str] | None, problem: Problem) -> tuple[NDArray, int]:
    """Solve the LCP; return lam and the number of pivots."""
    # a tiny perturbation breaks ties between pivots; if round-off still ends on a ray, try larger ones. The seed is
    # fixed, so that runs repeat
    ways = np.random.default_rng(0).uniform(0.5, 1.0, (4, len(d)))
    for way, size in zip(ways, (1e-10, 1e-9, 1e-8, 1e-7), strict=True):
        wider = size * float(np.abs(d).max()) * way
        try:
            found = lemke(M, d + wider, names)
        except (ConvergenceError, np.linalg.LinAlgError):
            continue
        return _unperturbed(M, d, found.lam), len(found.pivots)
    raise ConvergenceError(
        f"Lemke's pivots over {shown(problem.names)} end on a ray; take solver 'cone', or less friction"
    )


def _unperturbed(M: NDArray, d: NDArray, lam: NDArray) -> NDArray:
    """Return the solution of the LCP without the perturbation that gave lam, or lam if none is found near it.

    Shares of redundant points are stiff by `SOFT` alone: a perturbation of 1e-10 moves them by a thousandth, and which
    way the numbering decides. Starting from its positive variables, those that come out negative leave and those whose
    complement does enter, until none does; mostly one or two rounds suffice, at ties some twenty.
    """
    held, small = lam > 0.0, EXACT * float(np.abs(d).max())
    for _ in range(ROUNDS):
        rows = np.flatnonzero(held)
        x = np.zeros(len(d))
        # complements of positive variables vanish; least squares, as rows depend on each other where friction is
        # positive along a tangent and against it
        x[rows] = np.linalg.lstsq(M[np.ix_(rows, rows)], -d[rows], rcond=EXACT)[0]
        zeta = M @ x + d
        leaves, enters = held & (x < -EXACT * np.abs(x).max(initial=0.0)), ~held & (zeta < -small)
        if not (leaves | enters).any():
            return np.maximum(x, 0.0)
        held = (held & ~leaves) | enters
    return lam


def _impulses(x: NDArray, rounds: int, m: int) -> Impulses:
    beta = x[m : 5 * m].reshape(4, m)
    return Impulses(np.stack([x[:m], beta[0] - beta[2], beta[1] - beta[3]], axis=1), rounds)


def pyramid(problem: Problem) -> Impulses:
    """Solve the problem with friction pyramids as one LCP (Stewart and Trinkle 1996, Anitescu and Potra 1997).

    Sliding speeds sigma are unknowns as well as the impulses: ``0 <= sigma, mu alpha - sum beta >= 0``, one of both
    zero. The matrix is copositive, so Lemke's pivots find a solution whenever forces can part the bodies.
    """
    m = len(problem)
    A, b, own = _parts(problem)
    E = np.zeros((4 * m, m))
    E[np.arange(4 * m), own] = 1.0
    M = np.zeros((6 * m, 6 * m))
    M[: 5 * m, : 5 * m] = A
    # along each tangent: 0 <= u_t + sigma; then, for each point: 0 <= mu alpha - sum beta
    M[m : 5 * m, 5 * m :] = E
    M[5 * m :, :m], M[5 * m :, m : 5 * m] = np.diag(problem.mu), -E.T
    return _pivoted(problem, M, np.concatenate([b, np.zeros(m)]))


def program(problem: Problem) -> Impulses:
    """Solve the problem as one convex quadratic program (Sueda, Eqs 1.83-1.88), by the LCP of its KKT conditions.

    A solution always exists, at a price: a contact that slides with speed s lifts off with speed mu s.
    """
    m = len(problem)
    A, b, own = _parts(problem)
    E = np.zeros((m, 5 * m))
    E[:, :m] = np.diag(problem.mu)
    E[own, m + np.arange(4 * m)] = -1.0
    # E x >= 0 are the cones. Their multipliers sigma enter the normal rows too, as 0 <= u_n - mu sigma: that is the
    # lift-off, and what makes the matrix that of a convex program
    M = np.block([[A, -E.T], [E, np.zeros((m, m))]])
    return _pivoted(problem, M, np.concatenate([b, np.zeros(m)]))


def staggered(problem: Problem, *, tol: float, most: int) -> Impulses:
    """Alternate between normal impulses and friction, each a quadratic program (Sueda, Algorithm 7, Eqs 2.113, 2.114).

    With much friction this may not converge; the last impulses are then returned with ``settled = False``.

    Raises
    ------
    InfeasibleError
        If no impulses part the bodies, with the names of the points.
    """
    m = len(problem)
    n, t = 3 * np.arange(m), np.delete(np.arange(3 * m), 3 * np.arange(m))
    W, b = problem.W, problem.b
    softer = SOFT * float(np.trace(W)) / max(3 * m, 1)
    # KKT conditions of the box: 0 <= x = beta + limit, and 0 <= 2 limit - x with its multipliers
    box = np.block(
        [[W[np.ix_(t, t)] + softer * np.eye(2 * m), np.eye(2 * m)], [-np.eye(2 * m), np.zeros((2 * m, 2 * m))]]
    )
    lam = np.array(problem.start, dtype=float).ravel()
    normal = W[np.ix_(n, n)]
    for turn in range(1, most + 1):
        before = W @ lam
        lam[n] = active_set(0.5 * (normal + normal.T), b[n] + W[np.ix_(n, t)] @ lam[t], problem.names).lam  # Eq 2.113
        limit = np.repeat(problem.mu * lam[n], 2)  # -limit <= beta <= limit, solved for beta + limit >= 0
        slip = b[t] + W[np.ix_(t, n)] @ lam[n] - W[np.ix_(t, t)] @ limit
        lam[t] = _found(box, np.concatenate([slip, 2.0 * limit]), None, problem)[0][: 2 * m] - limit  # Eq 2.114
        if np.abs(W @ lam - before).max(initial=0.0) <= tol and turn > 1:
            return Impulses(lam.reshape(m, 3), turn)
    return Impulses(lam.reshape(m, 3), most, False)


def _row_names(problem: Problem) -> list[str]:
    ways = ("", " (friction 1+)", " (friction 2+)", " (friction 1-)", " (friction 2-)", " (cone)")
    return [name + way for way in ways for name in problem.names]
