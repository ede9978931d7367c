"""Fast path for one state of plain float64 arrays: no conversion of inputs and no search for the cause of an error.

A small model computes in less time than Python needs to check its arguments. So the checks are made by one function per
model and algorithm, kept with the model: a builtin in machine code where possible, else Python written out. It returns
None whenever anything is unusual; the caller then takes the ordinary path, which finds out what is wrong and says so.
A bound call is taken off a list while it runs: `list.pop` is atomic in the interpreter, so no lock is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, inf
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from rbdkit.engine.run.bound import WITH_OWN_FORCES
from rbdkit.engine.run.calls import Frame
from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.lookup import kernels_for
from rbdkit.engine.run.signatures import INPUTS
from rbdkit.errors import ModelError, StateError
from rbdkit.joints import Free, Spherical
from rbdkit.model import Model
from rbdkit.model.idle import idle_body, largest_believed
from rbdkit.model.kept import PARTS, Kept, current
from rbdkit.model.methods.checks import FARTHEST
from rbdkit.model.requirements import besides_tree
from rbdkit.spatial.read_numbers import FLOAT
from rbdkit.trace import Owner, guarded

WELL_BELOW = 1e150
"""Bound on results up to which they are surely finite: their squares are."""
LOOKED_AT = ("aba", "forward_dynamics", "center_of_mass", "momentum_world", "momentum_com")
"""Algorithms whose results may be infinite for finite arguments."""

MOST_HELD = 128
"""Most velocities of a model that is computed with the interpreter lock held; larger ones let other threads go on."""

AUTO = "auto"
"""The default of `backend`, compared by identity: the interpreter keeps one object for such a literal."""

Quick = Callable[..., Any]
"""Function of a model and three arrays, of which it reads those it needs: its result, or a tuple of several; None where
the fast path does not apply."""


def at_one_state(
    model: Model,
    algorithm: str,
    backend: object,
    q: object,
    second: object = None,
    third: object = None,
    frame: str | None = None,
) -> Any:
    """Evaluate one state of plain float64 arrays without input conversion; return None if the fast path does not apply.

    It applies to arrays of floats of the right shapes that are finite, not huge and on their manifold, and to models
    with kernels, sensible inertias, no prescribed joints and no loops that the algorithm does not cover; and if the
    result is finite. Otherwise the caller takes the ordinary path, which reports what is wrong.

    Parameters
    ----------
    backend : as users give it. second, third : joint vectors, as many as the algorithm reads.
    frame : name of the frame that it is about, if any.

    Returns
    -------
    ndarray or tuple of ndarray
        The result, or all of them if there are several.
    """
    if backend is not AUTO:
        return None
    try:  # an attempt costs nothing, a check before it would
        compute = model._kept.calls[algorithm if frame is None else (algorithm, _known_as(model, frame))]  # type: ignore[attr-defined]
    except (AttributeError, KeyError):
        if type(model) is not Model or (compute := _made(model, algorithm, frame)) is None:
            return None
    return compute(model, q, second, third)


def _made(model: Model, algorithm: str, frame: str | None) -> Quick | None:
    """Return the fast function of a model and an algorithm, kept with the model; None as long as there is none."""
    own = current(model)
    try:
        named = None if frame is None else model.frame(frame)
    except ModelError:
        return None
    made: Quick | None = _never
    if (kernels := of_ordinary(model, algorithm)) is not None:
        place = None if named is None else kernels.frame(named.body, named.placement)
        made = _quick(model, own, kernels, algorithm, place)
    if made is None:
        return None
    return own.calls.setdefault(algorithm if frame is None else (algorithm, _known_as(model, frame)), made)


def _never(model: Model, q: object, second: object, third: object) -> None:
    """Return None: the function of models to which the fast path never applies."""


def of_ordinary(model: Model, algorithm: str) -> Kernels | None:
    """Return the kernels of a model if only its states need checks before an algorithm runs, else None."""
    if model.senseless is not None or (kernels := kernels_for(model)) is None:
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


def _known_as(model: Model, frame: str) -> object:
    """Return a key for a frame: models that share a cache may give one name to different frames."""
    own = model._frame_index.get(frame)
    return frame if own is None else model.frames[own]


def _quick(model: Model, own: Kept, kernels: Kernels, algorithm: str, frame: Frame | None) -> Quick | None:
    """Return a builtin that checks and computes where the platform has it, else a Python function.

    None as long as there is no bound call that it could be made of.
    """
    idle, quaternions = kernels.idle(algorithm, frame), _quaternions(model)
    if quaternions is None or model.nv > MOST_HELD:
        return _in_python(model, own, kernels, algorithm, frame)
    try:
        call = idle.pop()  # it belongs to the builtin from now on
    except IndexError:
        return None
    given, largest = len(INPUTS[algorithm]), _largest(model, algorithm)
    if frame is not None:
        call.inputs[given][...] = frame.pose
    owner = Owner(Model, {name: getattr(own, name) for name in PARTS})
    made = guarded(call.run, call.inputs[:given], call.outputs, owner, FARTHEST, largest, quaternions)
    if made is None:
        idle.append(call)
        return _in_python(model, own, kernels, algorithm, frame)
    return made if own.holds is None else _as_long_as(own.holds, made)


def _largest(model: Model, algorithm: str) -> float:
    """Return the size up to which the fast path returns results of an algorithm."""
    if algorithm in ("aba", "forward_dynamics"):
        return min(WELL_BELOW, largest_believed(model))
    return WELL_BELOW if algorithm in LOOKED_AT else inf


def _as_long_as(holds: Callable[[], bool], made: Quick) -> Quick:
    """Wrap a function so that it first checks what the cache of the model depends on beyond the model's parts."""

    def compute(model: Model, q: object, second: object, third: object) -> Any:
        return made(model, q, second, third) if holds() else None

    return compute


def _quaternions(model: Model) -> list[int] | None:
    """Return where unit quaternions begin in q; None if other joints need a check too."""
    places = []
    for joint in model._curved:
        if type(joint.type) not in (Free, Spherical):
            return None
        places.append(joint.q_slice.start)
    return places


def _in_python(model: Model, own: Kept, kernels: Kernels, algorithm: str, frame: Frame | None) -> Quick:
    """Return the fast function in Python, written out: a loop over its arguments would take as long as the dynamics."""
    curved = [(joint.type.check, joint.q_slice) for joint in model._curved]
    idle, largest, given = kernels.idle(algorithm, frame), _largest(model, algorithm), len(INPUTS[algorithm])
    known = own.known
    # stands in for the arguments that an algorithm does not have: the pose of its frame, then nothing
    spare = [np.zeros(0)] * 2 if frame is None else [frame.pose, np.zeros(0)]
    second, third = [*[np.empty(model.nv)] * (given - 1), *spare][:2]
    for_q, for_second, for_third = (model.nq,), second.shape, third.shape

    def compute(model: Model, q: Any, v: Any, w: Any) -> NDArray | tuple[NDArray, ...] | None:
        if given < 3:
            w = third
            if given < 2:
                v = second
        if not (
            type(q) is type(v) is type(w) is ndarray
            and q.dtype is v.dtype is w.dtype is FLOAT
            and q.shape == for_q
            and v.shape == for_second
            and w.shape == for_third
            and hypot(*q.tolist(), *v.tolist(), *w.tolist()) <= FARTHEST
            and type(model) is Model
            and current(model).known is known
        ):
            return None
        for check, part in curved:
            try:
                check(q[part])
            except StateError:
                return None
        try:
            call = idle.pop()  # while it is off the list it belongs to this thread; `pop` is atomic
        except IndexError:
            return None
        for buffer, x in zip(call.inputs, (q, v, w)):  # not all of them have one
            buffer[...] = x
        call.run()
        results = tuple([x.copy() for x in call.outputs])
        idle.append(call)
        if largest < inf and not hypot(*results[0].tolist()) <= largest:
            return None
        return results if len(results) > 1 else results[0]

    return compute
