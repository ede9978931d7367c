"""Applied forces in compiled loops of formulations: how they are given (arrays or traced functions), and their data."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import kernels_for
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.formulations.formulation import Acting
from rbdkit.model import Model
from rbdkit.trace import Feedback

Law = Feedback | Literal["array"] | None
"""How forces are given: by a traced function, by arrays, or not at all."""


def law_of(given: NDArray | Feedback | None) -> Law:
    """Return how forces are given."""
    return given if given is None or isinstance(given, Feedback) else "array"


def own_forces_of(model: Model) -> OwnForces | None:
    """Return the traced force elements of a model; None if there are none, or some cannot be traced."""
    kernels = kernels_for(model) if model.acting else None
    return None if kernels is None else kernels.own


def force_arrays(acts: Acting, model: Model, steps: int) -> tuple[dict[str, NDArray], dict[str, int]]:
    """Return the arrays and counts that a program reads of applied forces, for a number of steps."""
    arrays: dict[str, NDArray] = {}
    counts: dict[str, int] = {}
    if isinstance(acts.tau, Feedback):
        arrays |= {"tau": np.zeros(model.nv), "tau_numbers": np.array(acts.tau.numbers)}
    else:
        held = 0 if acts.tau.ndim == 1 else model.nv
        arrays["tau"] = np.ascontiguousarray(acts.tau, dtype=float)
        # a row for each step is held over it; one more row gives the values at recorded times, between which they are
        # interpolated
        counts = {"tau_step": held, "tau_next": held if len(acts.tau) == steps + 1 else 0}
    if isinstance(acts.f_ext, Feedback):
        arrays |= {"f_ext": np.zeros(len(acts.f_ext.results)), "f_ext_numbers": np.array(acts.f_ext.numbers)}
    elif acts.f_ext is not None:
        arrays["f_ext"] = np.array(acts.f_ext, dtype=float).ravel()
    return arrays, counts


def obstacle(system: Any, acts: Acting | None) -> str:
    """Describe untraced forces or force elements that prevent a compiled loop; empty if nothing does."""
    if system.model.acting and own_forces_of(system.model) is None:
        return "the engine does not know all that the force elements act on"
    given = system.f_ext is not None or (system.tau is not None and not system.model.acting)
    return "tau or f_ext is a Python function" if acts is None and given else ""
