"""What a few directions leave of the space that they are in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def complement(S: NDArray) -> NDArray:
    """Orthonormal columns T, (n, n - m), with ``T.T @ S = 0``, for independent columns S (n, m).

    The last columns of Q of ``S = Q R`` by Householder's reflections: these are formulas, which compiled code takes
    as well, and turn with S as long as none of its columns passes its mirror.
    """
    return np.linalg.qr(S, mode="complete")[0][:, np.shape(S)[1] :]
