"""Leading axes of stacks of states: what several arrays have in common."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError


def common_axes(arrays: Mapping[str, NDArray]) -> tuple[int, ...]:
    """The leading axes that arrays, by their names, have together.

    Raises
    ------
    StateError
        If they do not fit together.
    """
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except (ValueError, RuntimeError):  # they differ, or are more than NumPy has
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise StateError(f"the leading axes of {shapes} do not fit together; give as many states of each") from None
