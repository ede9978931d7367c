"""Shares of impulses between points of which there are more than needed, independent of their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.laws.cone import cone
from rbdkit.laws.problem import Impulses, Problem

REDUNDANT = 1e-10
"""Part of the largest eigenvalue of W from which on a smaller one is round-off: an impulse that moves nothing."""
SOFTNESS = 0.1
"""Compliance added at each point in a proximal step, as a part of the mean one of all points by themselves."""
STEPS = 60
"""Proximal steps; each leaves SOFTNESS / (SOFTNESS + eigenvalue) of what is missing."""
INNER = 200
"""Sweeps in a proximal step."""


def redundant(W: NDArray) -> bool:
    """Whether some impulses at the points do nothing together, so that shares are not determined."""
    values = np.linalg.eigvalsh(W)
    return bool(len(values)) and bool(values[0] <= REDUNDANT * values[-1])


def symmetric_cone(problem: Problem, *, tol: float, most: int) -> Impulses:
    """Solve a friction problem so that redundant points share evenly, by the proximal point method (Rockafellar 1976).

    Sweeps from point to point leave most of a share to the point that comes first, and under friction on what slides
    shares bend the way. Here each step solves the problem with the same compliance at every point, which has one
    answer and therefore no order; what the compliance takes from the velocities is given back in the next step.
    It begins without impulses, so none is found that moves nothing: shares are the smallest where nothing slides or
    parts. Where points are not redundant this is `cone`.

    Parameters
    ----------
    tol, most : as those of `cone`, in which it ends.
    """
    if not redundant(problem.W):
        return cone(problem, tol=tol, most=most)
    m = len(problem)
    soft = SOFTNESS * float(np.trace(problem.W)) / (3 * m)
    W, lam, rounds = problem.W + soft * np.eye(3 * m), np.array(problem.start, dtype=float), 0
    for _ in range(STEPS):
        step = replace(problem, W=W, b=problem.b - soft * lam.ravel(), start=lam)
        found = cone(step, tol=0.1 * tol, most=INNER)
        rounds += found.rounds
        change, lam = float(np.abs(found.lam - lam).max()), found.lam
        if soft * change <= tol:
            break
    end = cone(replace(problem, start=lam), tol=tol, most=most)
    return Impulses(end.lam, rounds + end.rounds, end.settled)
