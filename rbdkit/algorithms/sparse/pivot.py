"""The diagonal element that a factorization divides by."""

from __future__ import annotations

from typing import Any

from rbdkit.errors import ModelError


def positive(pivot: Any, k: int) -> Any:
    """The pivot of row k, if it is positive or not known yet; not a number goes through, as in a state that ran away.

    Raises
    ------
    ModelError
        If it is zero or negative: the matrix is not positive definite.
    """
    if isinstance(pivot, float) and pivot <= 0.0:
        raise ModelError(
            f"the inertia matrix is not positive definite: row {k} is left with {pivot:.3g} on its diagonal; "
            "see model.validate() for the body that lacks inertia"
        )
    return pivot
