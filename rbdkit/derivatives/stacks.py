"""Kernels where they serve, and the readable form state by state where they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels
from rbdkit.functions.asking import Backend, chosen_kernels
from rbdkit.model import Model


def independent(model: Model, backend: Backend) -> Kernels | None:
    """The kernels, unless links share velocities or joints move as time says: for these the readable form is there."""
    kernels = chosen_kernels(model, backend)
    return None if kernels is None or kernels.coupled or kernels.driven else kernels


def each(function: Callable[..., list[NDArray]], *arrays: NDArray) -> list[NDArray]:
    """Every result of the function, for each state of a stack."""
    named = each_named(lambda *row: dict(enumerate(function(*row))), *arrays)
    return list(named.values())


def each_named(function: Callable[..., dict[Any, NDArray]], *arrays: NDArray) -> dict[Any, NDArray]:
    """Every result of the function by its name, for each state of a stack."""
    lead = arrays[0].shape[:-1]
    rows = list(zip(*(x.reshape(-1, x.shape[-1]) for x in arrays), strict=True))
    results = [function(*row) for row in rows]
    return {
        name: np.array([r[name] for r in results]).reshape((*lead, *np.shape(results[0][name]))) for name in results[0]
    }
