"""Solve the small linear system of one joint, D x = rhs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError


def solve_joint(D: NDArray, rhs: NDArray, joint: str) -> NDArray:
    """Return D^-1 rhs, which is empty for a joint without freedoms; raise `ModelError` if D is singular."""
    if not isinstance(D, np.ndarray):
        return D.solve(rhs)  # a `compact.JointMatrix`
    if len(D) == 1 and D[0, 0] != 0.0:
        return rhs / D[0, 0]
    try:
        return np.linalg.solve(D, rhs)
    except np.linalg.LinAlgError:
        raise ModelError(
            f"joint {joint!r} moves something without inertia in a direction in which it moves it; "
            "see model.validate(), give the body inertia or fix the joint"
        ) from None
