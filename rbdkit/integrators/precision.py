"""Observed order of convergence from three runs with steps h, h/2 and h/4, without a known solution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError


def second_quotient(coarse: ArrayLike, half: ArrayLike, quarter: ArrayLike) -> NDArray:
    """Return the second quotient of precision, |x_h - x_(h/2)| / |x_(h/2) - x_(h/4)|, over time.

    For a method of order p it tends to 2^p as h goes to zero; where it is far from that, the step does not resolve the
    motion.

    Parameters
    ----------
    coarse, half, quarter : array_like (n, ...)
        Results at the same times, computed with steps h, h/2 and h/4.

    Returns
    -------
    ndarray (n,)
        Not a number where both differences are zero, as at the start.

    Raises
    ------
    StateError
        If the three differ in shape.

    Examples
    --------
    >>> from rbdkit.integrators import second_quotient
    >>> second_quotient([0.0, 1.16], [0.0, 1.04], [0.0, 1.01])[1].round(9).item()
    4.0
    """
    a, b, c = (np.asarray(x, dtype=float) for x in (coarse, half, quarter))
    if not a.shape == b.shape == c.shape:
        raise StateError(
            f"the three runs have shapes {a.shape}, {b.shape} and {c.shape}; they must be recorded at the same times: "
            "with every = 1, 2 and 4, say"
        )
    n = len(a)
    first = np.linalg.norm((a - b).reshape(n, -1), axis=1)
    second = np.linalg.norm((b - c).reshape(n, -1), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return first / second
