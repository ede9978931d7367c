"""Contact and friction by projected Jacobi iteration, which shares evenly what rigid bodies leave undetermined.

If two bodies touch at more points than determine their forces (four feet of a table), Gauss-Seidel loads the points
that come first, and since friction follows the normal forces, what slides and turns then depends on the order of the
points. Here all points are updated at once, each with its part of the masses that it moves (mass splitting, Tonge,
Benevolenski and Voroshilov 2012). So the order has no influence, symmetric problems get symmetric answers, and since
iteration begins at zero, no impulses arise that together move nothing: the shares are the smallest ones. It takes
about five times as many sweeps and is used only where shares matter, see `TimeStepping`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.even_shares import ENOUGH, FLAT, POOR
from rbdkit.engine.contact.one_point import arrested, own_inverse, slid, steepest, sticks
from rbdkit.laws.cone import Momentum, cone
from rbdkit.laws.problem import Impulses, Problem
from rbdkit.laws.scene import Inverse

MANY = 3
"""Number of points between two bodies from which on they may be redundant; the compiled loop counts instead of
computing ranks."""
DEPENDENT = 1e-8
"""Relative threshold of the rank decision: singular values of unit forces below this part of their norm are
round-off."""


def more_than_needed(wrenches: NDArray, couples: NDArray, friction: NDArray) -> bool:
    """Whether two bodies touch at more points than there are independent normal forces (rank of their wrenches).

    Two points are more than needed if they coincide, as on two grounds of one height; shares matter there only if
    their coefficients of friction differ.

    Moments are taken about the mean point and divided by the lever arm, so that rank depends on no unit or origin.

    Parameters
    ----------
    wrenches : (m, 6) wrenches of unit normal forces about the world origin. couples : (m,) which two bodies touch at
        each point, as from `Scene.couples`. friction : (m,) coefficients.
    """
    for couple in np.unique(couples):
        enough = MANY if np.ptp(friction[couples == couple]) == 0.0 else 2
        own = wrenches[couples == couple].copy()
        arms = own[:, :3] - np.cross(_mean_point(own), own[:, 3:])
        reach = float(np.linalg.norm(arms, axis=1).max())
        # reach is zero if all lines of action pass through one point: only the directions of the forces count
        own[:, :3] = arms / reach if reach > 0.0 else 0.0
        if len(own) >= enough and np.linalg.matrix_rank(own, DEPENDENT * np.linalg.norm(own)) < len(own):
            return True
    return False


def _mean_point(wrenches: NDArray) -> NDArray:
    """Return the mean (3,) over the lines of action of unit forces (k, 6) of the point nearest to the origin."""
    return np.cross(wrenches[:, 3:], wrenches[:, :3]).mean(axis=0)


def parts_of_mass(J: NDArray, inverse: Inverse) -> NDArray:
    """Return for mass splitting in how many parts the masses that each point moves are divided, (m,).

    That is the number of points that move the same kinematic tree (the larger one, of two trees).

    J : (3 m, nv) contact Jacobian.
    """
    from scipy.sparse.csgraph import connected_components  # slow to load

    # H couples velocities of one kinematic tree only; between trees it is exactly zero (branch-induced sparsity)
    tied = inverse.H != 0.0
    if inverse.G is not None:  # what loops let move together, but for round-off of the basis
        Q = np.linalg.qr(inverse.G)[0]
        tied |= np.abs(Q @ Q.T) > 1e-12
    count, tree = connected_components(tied, directed=False)
    # moves[i, k]: whether point i moves tree k, whose mass is divided among all points that do
    moves = (J != 0.0).reshape(-1, 3, J.shape[1]).any(axis=1) @ np.eye(count, dtype=bool)[tree]
    return np.maximum((moves * moves.sum(axis=0)).max(axis=1, initial=1), 1)


def even_cone(problem: Problem, parts: NDArray, *, tol: float, most: int, flat: float = FLAT) -> Impulses:
    """Solve a friction problem by projected Jacobi iteration from zero, so that redundant points share evenly.

    Every point sees the velocities before the sweep, and its part of the masses that it moves (Tonge, Benevolenski and
    Voroshilov 2012, "Mass splitting for jitter-free parallel rigid body simulation"). The shares found are the
    smallest, each measured by the velocity that it gives its own point. `rbdkit.engine.contact.even_shares` is the
    same in the compiled loop.

    Parameters
    ----------
    parts : ndarray (m,)
        Number of parts that the masses of each point are divided into, see `parts_of_mass`.
    tol, most : as those of `cone`.
    flat : float, optional
        Error that is accepted after `ENOUGH` sweeps, as a part of the largest velocity without impulses. If the last
        correction is larger, iteration goes on with half the step length, since it may cycle. If it then still
        exceeds `POOR`, Gauss-Seidel sweeps finish.
    """
    scale = float(np.abs(problem.b).max(initial=0.0))
    found, change = _sweeps(problem, parts, np.zeros((len(problem), 3)), tol, min(ENOUGH, most))
    if found.settled or change <= flat * scale:
        return found
    found, change = _sweeps(problem, 2.0 * parts, found.lam, tol, most)
    return cone(replace(problem, start=found.lam), tol=tol, most=most) if change > POOR * scale else found


def _sweeps(problem: Problem, parts: NDArray, lam: NDArray, tol: float, most: int) -> tuple[Impulses, float]:
    """Run Jacobi sweeps from lam (m, 3); return the impulses and the last sweep's largest velocity correction, m/s."""
    W, b, m, friction = problem.W, problem.b, len(problem), problem.all()
    # a point that has only one k-th of the masses gives way to an impulse k times as far
    own = [parts * x for x in problem.own_blocks()]
    n, t, inverse = own[0], steepest(*own[3:]), own_inverse(*own)
    weight = np.column_stack([n, t, t])
    momentum, worst = Momentum(weight.ravel()), np.inf
    for sweep in range(1, most + 1):
        # all points see the velocities before the sweep (Jacobi): no point comes first
        old, wrong = lam.T, (W @ lam.ravel() + b).reshape(m, 3).T
        stuck, sliding = arrested(old, wrong, inverse), slid(old, wrong, n, t, own[1:3], friction)
        new = np.transpose(np.where(sticks(stuck, inverse, friction), stuck, sliding))
        change = weight * (new - lam)
        worst = float(np.maximum(np.abs(change[:, 0]), np.hypot(change[:, 1], change[:, 2])).max(initial=0.0))
        if worst <= tol or sweep == most:
            break
        lam = momentum.ahead(sweep, lam.ravel(), new.ravel()).reshape(m, 3)
    return Impulses(new, sweep, worst <= tol), worst
