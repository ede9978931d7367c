"""Fast path for one state of plain float64 arrays: no conversion of inputs and no search for the cause of an error.

The general way of checking arguments takes several times as long as the dynamics of a small model, and a controller
asks for one state after the other. So arrays are copied into a bound call as they are, and all numbers are judged at
once, when the results lie beside them. Anything unusual gives None: the caller then takes the general way, which finds
out what is wrong and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray, vdot
from numpy.typing import NDArray

from rbdkit.engine.run.bound import WITH_OWN_FORCES
from rbdkit.engine.run.calls import Call
from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.lookup import kernels_for
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.idle import idle_body, largest_believed
from rbdkit.model.kept import kept
from rbdkit.model.methods.checks import FARTHEST
from rbdkit.model.requirements import besides_tree

AUTO = "auto"
"""The default of `backend`, compared by identity: an array of names has no truth value."""
NOTHING, WHOLE = np.zeros(0), slice(None)
"""Stands in for arguments that an algorithm does not have; all of an array."""


def at_one_state(
    model: Model,
    algorithm: str,
    backend: object,
    q: Any,
    second: Any = NOTHING,
    third: Any = NOTHING,
    frame: str | None = None,
) -> Any:
    """Evaluate one state of plain float64 arrays without input conversion; return None if the fast path does not apply.

    It applies to arrays of floats of the right shapes that are finite, not huge and on their manifold, and to models
    with machine code, sensible inertias, no prescribed joints and no loops that the algorithm does not cover; if the
    result is neither infinite nor huge; and if a bound call waits, of which the general way makes the first.

    Parameters
    ----------
    backend : as users give it. second, third : joint vectors, as many as the algorithm reads.
    frame : name of the frame that it is about, if any.

    Returns
    -------
    ndarray or tuple of ndarray
        The result, or all of them if there are several.
    """
    if backend is not AUTO or type(model) is not Model:
        return None
    known = kept(model, _known)
    key = algorithm if frame is None else (algorithm, _key_of(model, frame))
    idle, checks, largest, pose = known[key] if key in known else known.setdefault(key, _found(model, algorithm, frame))
    if pose is not None:
        second, third = (pose, NOTHING) if second is NOTHING else (second, pose)
    try:
        call = idle.pop()  # while it is off the list it belongs to this thread; `pop` is atomic
    except IndexError:
        return None
    try:
        if not type(q) is type(second) is type(third) is ndarray:
            return None
        for_q, for_second, for_third = call.memory  # which refuse other shapes and types
        for_q[WHOLE], for_second[WHOLE], for_third[WHOLE] = q, second, third
        call.run()
        if not vdot(call.numbers, call.numbers) <= largest * largest:  # `dot` would warn of overflow
            return None
        for check, part in checks:
            check(q[part])
        results = tuple(map(ndarray.copy, call.outputs))
    except (ValueError, StateError):
        return None
    finally:
        idle.append(call)
    return results if len(results) > 1 else results[0]


class _Ready(NamedTuple):
    """Bound calls of one algorithm for a model, with the checks that its arguments need.

    idle : bound calls that wait; none ever if the fast path does not apply. checks : of parts of q.
    largest : size of all numbers together up to which they are taken. pose : that of the frame.
    """

    idle: list[Call]
    checks: Sequence[tuple[Callable[[NDArray], None], slice]]
    largest: float = FARTHEST
    pose: NDArray | None = None


def _known(model: Model) -> dict[object, _Ready]:
    """Return where the results of `_found` are kept."""
    return {}


def _found(model: Model, algorithm: str, frame: str | None) -> _Ready:
    """Look up what computes an algorithm, about a frame of that name if any."""
    kernels, place = of_ordinary(model, algorithm), None
    if kernels is None:
        return _Ready([], [])
    if frame is not None:
        try:
            named = model.frame(frame)
        except ModelError:
            return _Ready([], [])
        place = kernels.frame(named.body, named.placement)
    checks = [(joint.type.check, joint.q_slice) for joint in model._curved]
    largest = min(FARTHEST, largest_believed(model)) if algorithm in ("aba", "forward_dynamics") else FARTHEST
    return _Ready(kernels.idle(algorithm, place), checks, largest, None if place is None else place.pose)


def _key_of(model: Model, frame: str) -> object:
    """Return a key for a frame: models that share a cache may give one name to different frames."""
    own = model._frame_index.get(frame)
    return frame if own is None else model.frames[own]


def of_ordinary(model: Model, algorithm: str) -> Kernels | None:
    """Return the kernels of a model if only its states need checks before an algorithm runs, else None."""
    if model.senseless is not None or (kernels := kernels_for(model)) is None or kernels.backend != "llvm":
        return None
    if algorithm in ("aba", "forward_dynamics") and idle_body(model) is not None:
        return None
    if besides_tree(model) and (algorithm != "forward_dynamics" or kernels.rows is None):
        return None
    if kernels.driven or kernels.rows_timed:
        return None
    if (model.nz or kernels.timed) and algorithm in WITH_OWN_FORCES:
        return None
    if model.contact_rules and algorithm in ("aba", "forward_dynamics"):
        return None  # whether shapes touch must be checked in every state
    return kernels
