"""Solve for the acceleration of the floating base."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError


def solve_base(I_0: NDArray, rhs: NDArray, base: str) -> NDArray:
    """Return I_0^-1 rhs for the inertia I_0 (6, 6) felt at the base; raise `ModelError` if it is singular."""
    try:
        return np.linalg.solve(I_0, rhs)
    except np.linalg.LinAlgError:
        raise ModelError(
            f"the floating base {base!r} can move in a direction in which nothing has inertia; "
            "give some to it or to a body that it carries"
        ) from None
