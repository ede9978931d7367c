"""Fast path for large stacks of states: inputs are checked while they are computed with, so they are read once."""

from __future__ import annotations

from typing import Any

from numpy import ndarray

from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.one_state import of_ordinary
from rbdkit.engine.run.states import LANE_STATES
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import FLOAT
from rbdkit.trace import width_of


def for_many_states(model: Model, algorithm: str, backend: object, q: Any, v: Any, w: Any) -> Kernels | None:
    """Return the kernels for an algorithm on a large stack if the fast path applies, else None.

    It applies to arrays of floats of the right shapes with valid quaternions, and to models that are plain trees. The
    kernels then check in the same pass that numbers are finite.
    """
    if type(backend) is not str or backend != "auto" or type(model) is not Model:
        return None
    if not (type(q) is type(v) is type(w) is ndarray and q.dtype is v.dtype is w.dtype is FLOAT):
        return None
    leading = q.shape[:-1]
    if not (q.size >= LANE_STATES * model.nq > 0 and q.shape[-1] == model.nq):
        return None
    if not v.shape == w.shape == (*leading, model.nv) or model.loops or model.constraints:
        return None
    if (kernels := of_ordinary(model, algorithm)) is None or width_of(kernels.backend) == 1:
        return None
    try:
        for joint in model._curved:
            joint.type.check(q[..., joint.q_slice])
    except StateError:
        return None
    return kernels
