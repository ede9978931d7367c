"""The steps of `rbdkit.reaching.descent` from one starting point, with numbers in place of stacks of one.

Most searches end at the first starting point, and operations on arrays of a few numbers take longer to begin than to
compute. So this is the same method once more, without a leading axis; a test compares both.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgesdd

from rbdkit.reaching.step_rules import (
    FAR,
    FLAT,
    HOPELESS,
    KAPPA,
    LARGEST_STEP,
    MINIMUM,
    MOST_FAR_STEPS,
    MOST_STEPS,
    NEAR,
    ROUND_OFF,
    SMALLEST_MU,
)

if TYPE_CHECKING:
    from rbdkit.reaching.descent import Aims


def descend_from(aims: Aims, q: NDArray, patient: bool) -> tuple[NDArray, NDArray]:
    """Take steps from one starting point (nq,); return where they end, and the weighted errors (m,) there."""
    e, A = aims.at(q)
    radius, size = LARGEST_STEP, sqrt(e @ e)
    for k in range(MOST_STEPS):
        x = _step(aims, q, e, A, max(KAPPA * min(size, 1.0) ** 2, SMALLEST_MU), radius)
        left = e - A @ x
        expected, longest = size - sqrt(left @ left), _largest(x)
        there = aims.bounds.within(aims.model.move(q, x * aims.unit))
        e_there, A_there = aims.at(there)
        gained = size - sqrt(e_there @ e_there)
        # along the curved valley of a nearly singular pose a long step is right once a second one leads back to it
        if ROUND_OFF < size < FAR and gained < 0.25 * expected:
            back = _step(aims, there, e_there, A_there, SMALLEST_MU, longest)
            there = aims.bounds.within(aims.model.move(there, back * aims.unit))
            e_there, A_there = aims.at(there)
            gained = size - sqrt(e_there @ e_there)
        # at the end only what still gains digits goes on; elsewhere what is not at a minimum and has a way down
        if aims.missed(e) <= NEAR:
            done = gained < 0.5 * size
        else:
            far = size > FAR and not patient
            done = expected < (FLAT if far else MINIMUM) * size or radius < HOPELESS or (far and k >= MOST_FAR_STEPS)
        if gained > 1e-4 * expected and (not done or gained > 0.0):
            q, e, A, size = there, e_there, A_there, sqrt(e_there @ e_there)
        if done or size <= ROUND_OFF:
            break
        ratio = gained / max(expected, 1e-300)
        if ratio < 0.25:
            radius = 0.3 * longest
        elif ratio > 0.75:
            radius = min(2.0 * radius, LARGEST_STEP)
    return q, e


def _step(aims: Aims, q: NDArray, e: NDArray, A: NDArray, mu: float, radius: float) -> NDArray:
    """Return a damped step (nv,); coordinates that would cross a limit are fixed, and the rest is computed again."""
    at_limit: NDArray | None = None
    while True:
        U, s, V, failed = dgesdd(A, full_matrices=0)
        if failed:
            raise np.linalg.LinAlgError("SVD did not converge")
        b, squares = s * (e @ U), s * s
        x: NDArray = (b / (squares + mu)) @ V
        while _largest(x) > radius:
            mu *= 4.0
            x = (b / (squares + mu)) @ V
        if at_limit is not None:
            x[at_limit] = 0.0
        blocked = aims.blocked(q, x)
        if not blocked.any():
            return x
        at_limit = blocked if at_limit is None else at_limit | blocked
        A = np.where(at_limit, 0.0, A)


def _largest(x: NDArray) -> float:
    return float(max(x.max(), -x.min()))
