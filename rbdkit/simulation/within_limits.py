"""Joint limits in a run: what may be asked for, whether joints can stop there, and the run that finds out.

Stops are constraints that a contact law enforces, with steps of its own. A motion that never reaches a limit should not
pay for them with its accuracy, so unless `limits` says otherwise it is computed without; only if it passes a limit, it
is computed again with stops from there on, or from its beginning if the law cannot go on in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError, SimulationError
from rbdkit.formulations import JointSystem
from rbdkit.integrators import Adaptive, Integrator
from rbdkit.laws import LAWS, Law
from rbdkit.model import Model
from rbdkit.model.implied import stopped, wanting
from rbdkit.model.kept import snapshot
from rbdkit.simulation.asking import sentence
from rbdkit.simulation.choices import Maker
from rbdkit.simulation.contacts import require_method, stepped_by
from rbdkit.simulation.memory import with_memory
from rbdkit.simulation.recording import Recording
from rbdkit.simulation.report import Report
from rbdkit.simulation.sampled import Sampled
from rbdkit.simulation.setting import Computed, Request, Setting

LIMITS = ("stop", "watch", "ignore")
"""Values of the argument `limits`: let joints stop there, tell of limits that are passed, or do neither."""


def with_stops(model: Model, make: Maker, law: Law | None, q: NDArray) -> Model:
    """Return the model with stops at its joint limits, as a snapshot; the model itself if it has none.

    q : coordinates (nq,) at the beginning, where joints that are beyond a limit have their stop.

    Raises
    ------
    SimulationError
        If nothing would hold joints there.
    """
    twin = stopped(model, q)
    if twin is model:
        return model
    if why := _no_stops(make, law):
        raise SimulationError(f"limits='stop': {why}; take these, or limits='watch', which tells what was passed")
    return snapshot(twin, anew=True)


def why_not_stopped(make: Maker, law: Law | None, method: Integrator | Adaptive) -> str:
    """Return why joints cannot stop at their limits in a run, and what to do about it; empty if they can."""
    if (why := _no_stops(make, law)) or law is None:
        return why
    try:
        require_method(*stepped_by(law, method))
    except SimulationError as fault:
        return str(fault)
    return ""


def _no_stops(make: Maker, law: Law | None) -> str:
    if make is JointSystem and law is not None and law.stops:
        return ""
    able = ", ".join(repr(name) for name, other in LAWS.items() if other.stops)
    return f"that needs formulation='joint' and a contact law that stops joints, also where nothing touches: {able}"


def first_passed(model: Model, t: NDArray, q: NDArray, v: NDArray | None) -> int | None:
    """Return the number of the first recorded state before which a motion passes a limit; None if it passes none.

    Parameters
    ----------
    t, q : recorded states (n,), (n, nq).
    v : velocities (n, nv) if steps lie between the states, where a cubic stands for the motion; None if not.
    """
    found: int | None = None
    for stop in wanting(model):
        values = stop.values(q)
        slack = 1e-9 * (1.0 + np.abs([x if np.isfinite(x) else 0.0 for x in (stop.lower, stop.upper)]))
        low, high = stop.lower - slack[0], stop.upper + slack[1]
        with np.errstate(invalid="ignore"):
            beyond = (values < low) | (values > high)
        if v is not None and stop.joint.nq == stop.joint.nv == 1 and len(t) > 1:
            ends = _extremes(np.diff(t), values, stop.joint.velocities(v)[:, 0])
            with np.errstate(invalid="ignore"):
                beyond[1:] |= (ends[0] < low) | (ends[1] > high)
        if beyond.any():
            first = int(np.argmax(beyond))
            found = first if found is None else min(first, found)
    return found


def _extremes(h: NDArray, x: NDArray, rate: NDArray) -> tuple[NDArray, NDArray]:
    """Return the extremes, each (n - 1,), of the cubics through values and rates (n,) at the ends of intervals h."""
    low, high = np.minimum(x[1:], x[:-1]), np.maximum(x[1:], x[:-1])
    step, a, b = x[1:] - x[:-1], h * rate[:-1], h * rate[1:]
    # x + a s + c s^2 + d s^3; its rate is zero at the roots of a + 2 c s + 3 d s^2
    c, d = 3.0 * step - 2.0 * a - b, a + b - 2.0 * step
    with np.errstate(all="ignore"):
        root = np.sqrt(c * c - 3.0 * a * d)
        # both roots without cancellation
        larger = -(c + np.copysign(root, c))
        for s in (larger / (3.0 * d), a / larger):
            inside = np.where((s > 0.0) & (s < 1.0), s, 0.0)
            there = x[:-1] + inside * (a + inside * (c + inside * d))
            low, high = np.fmin(low, there), np.fmax(high, there)
    return low, high


def run_within_limits(
    request: Request,
    prepare: Callable[[Request], Setting],
    run: Callable[[Setting], Computed],
    judge: Callable[[Computed], Report],
) -> Computed:
    """Compute a motion; if `limits` is not given and it passes a joint limit, with stops from there on, if it can.

    A motion whose steps are too long passes limits that the true one need not pass: its report says more as it is.
    """
    setting = prepare(request)
    computed = run(setting)
    recording = computed.recording
    if request.limits is not None or setting.make is not JointSystem or recording.interrupted:
        return computed
    model, between = setting.model, setting.every > 1
    motion = computed.motion
    passed = first_passed(model, motion.t, motion.q, motion.v if between else None)
    if passed is None:
        return computed
    if why_not_stopped(setting.make, setting.law, setting.method):
        return computed
    if why := _asked_once(request, computed):
        return replace(computed, unstopped=why)
    report = judge(computed)
    if not report.judged:
        return computed
    if report.too_long:
        return replace(computed, unstopped="the steps are too long to tell whether they ought to")
    try:
        own = prepare(replace(request, model=model, q0=setting.q, v0=setting.v, z0=setting.z, limits="stop"))
        again = run(replace(own, before=_before(computed, passed)))
    except RbdkitError as fault:
        return replace(computed, unstopped=f"with stops it cannot be computed: {sentence(fault)}")
    ended = again.recording
    if ended.stopped and not recording.stopped and not ended.interrupted:
        return replace(computed, unstopped=f"with stops it ends early: {ended.stopped}")
    return again


def _before(computed: Computed, passed: int) -> Recording | None:
    """Return the part of a motion before the state that passes a limit, if the law can go on from there; else None."""
    setting, recording = computed.setting, computed.recording
    held = setting.applied.jumps and setting.applied.values is None  # what a controller says begins with the run
    if computed.contacts is not None or passed < 2 or held or setting.applied.sampler is not None:
        return None
    return recording.until(passed - 1, (passed - 1) * setting.every)


def _asked_once(request: Request, computed: Computed) -> str:
    """Return why the functions of a run cannot be called in a second run; empty if they can."""
    sampled = [law for law in (request.tau, request.u) if isinstance(law, Sampled)]
    if not all(callable(getattr(law.controller, "reset", None)) for law in sampled):
        return (
            "the controller may keep something from run to run, so it was not asked again with stops; give it a "
            "method reset, or take limits='stop'"
        )
    if sampled:
        return ""
    if names := with_memory(computed.motion, computed.applied):
        return f"{' and '.join(names)} keeps something from call to call, so it was not asked again; take limits='stop'"
    return ""


def begun_beyond(model: Model, q: NDArray) -> list[str]:
    """Return notes on the joints that are beyond their limits at the beginning, and have their stops there."""
    found = []
    for stop in wanting(model):
        if stop.beyond(q):
            x, unit = float(stop.values(q)), stop.joint.type.q_units[stop.place]
            bound = stop.upper if x > stop.upper else stop.lower
            found.append(
                f"joint {stop.joint.name!r} begins at {x:.6g} {unit}, beyond its limit {bound:.6g}: there it stops"
            )
    return found
