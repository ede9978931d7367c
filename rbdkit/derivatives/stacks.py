"""Choice of kernels for derivatives, and loops over stacks of states for the readable form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels
from rbdkit.functions.asking import Backend, chosen_kernels
from rbdkit.model import Model


def independent(model: Model, backend: Backend) -> Kernels | None:
    """Return the kernels, or None for models with mimic or prescribed joints, which need the readable form."""
    kernels = chosen_kernels(model, backend)
    return None if kernels is None or kernels.coupled or kernels.driven else kernels


def each(function: Callable[..., list[NDArray]], *arrays: NDArray) -> list[NDArray]:
    """Evaluate a function with several results at each state of a stack; return each result as a stack."""
    named = each_named(lambda *row: dict(enumerate(function(*row))), *arrays)
    return list(named.values())


def each_named(function: Callable[..., dict[Any, NDArray]], *arrays: NDArray) -> dict[Any, NDArray]:
    """Evaluate a function with results by name at each state of a stack; return each result as a stack."""
    lead = arrays[0].shape[:-1]
    rows = list(zip(*(x.reshape(-1, x.shape[-1]) for x in arrays), strict=True))
    results = [function(*row) for row in rows]
    return {
        name: np.array([r[name] for r in results]).reshape((*lead, *np.shape(results[0][name]))) for name in results[0]
    }
