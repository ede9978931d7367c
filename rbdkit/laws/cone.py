"""Contact and friction by sweeps from point to point: projected Gauss-Seidel with circular cones."""

from __future__ import annotations

import numpy as np

from rbdkit.laws.problem import Impulses, Problem


def cone(problem: Problem, *, tol: float, most: int) -> Impulses:
    """Take the points one by one, each in the light of what the others push just then; again and again.

    At each point first the normal impulse that stops it there, or none; then the tangential one that arrests the
    sliding, cut to the disc of radius mu alpha. What stands still under that obeys Signorini and Coulomb exactly, with
    no pyramid and no lifting off.

    Parameters
    ----------
    tol : float
        Largest correction of a velocity in a sweep that ends it, m/s.
    most : int
        Sweeps. Where they are not enough, the impulses of the last one are given, not settled.
    """
    W, b, mu = problem.W, problem.b, problem.mu.tolist()
    m = len(mu)
    lam = np.array(problem.start, dtype=float).ravel()
    slopes = problem.slopes()
    normal, tangential = slopes[0].tolist(), slopes[1].tolist()
    rows = [W[3 * i] for i in range(m)], [W[3 * i + 1 : 3 * i + 3] for i in range(m)]
    start_n, start_t = b[::3].tolist(), [b[3 * i + 1 : 3 * i + 3].tolist() for i in range(m)]
    for sweep in range(1, most + 1):
        worst = 0.0
        for i in range(m):
            n, k = normal[i], 3 * i
            if n <= 0.0:
                continue  # nothing here can move; what remains is the residual
            alpha = lam.item(k)
            new = max(0.0, alpha - (float(rows[0][i] @ lam) + start_n[i]) / n)
            worst = max(worst, n * abs(new - alpha))
            lam[k] = new
            limit, t = mu[i] * new, tangential[i]
            if t <= 0.0 or (limit == 0.0 and lam.item(k + 1) == 0.0 == lam.item(k + 2)):
                continue
            u_1, u_2 = (rows[1][i] @ lam).tolist()
            old_1, old_2 = lam.item(k + 1), lam.item(k + 2)
            new_1, new_2 = old_1 - (u_1 + start_t[i][0]) / t, old_2 - (u_2 + start_t[i][1]) / t
            size = float(np.hypot(new_1, new_2))
            if size > limit:
                new_1, new_2 = new_1 * (limit / size), new_2 * (limit / size)
            worst = max(worst, t * abs(new_1 - old_1), t * abs(new_2 - old_2))
            lam[k + 1], lam[k + 2] = new_1, new_2
        if worst <= tol:
            return Impulses(lam.reshape(m, 3), sweep)
    return Impulses(lam.reshape(m, 3), most, False)
