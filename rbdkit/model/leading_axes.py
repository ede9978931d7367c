"""Broadcasting of the leading axes of stacks of states."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError


def common_axes(arrays: Mapping[str, NDArray]) -> tuple[int, ...]:
    """Return the broadcast shape of the leading axes (all but the last) of arrays, given by name.

    Raises
    ------
    StateError
        If the shapes are incompatible.
    """
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except (ValueError, RuntimeError):  # they differ, or are more than NumPy has
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise StateError(f"the leading axes of {shapes} do not fit together; give as many states of each") from None
