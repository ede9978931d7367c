"""The first stages of `simulate`: check the arguments, and prepare the setting of a run from them."""

from __future__ import annotations

from dataclasses import replace
from reprlib import repr as shortened

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError, StateError
from rbdkit.integrators import Adaptive
from rbdkit.laws import Pairs, pairs_of, stops_of
from rbdkit.model import Model
from rbdkit.model.idle import require_inertia_at
from rbdkit.model.kept import checked_twin, snapshot
from rbdkit.model.one_sided import has_stops
from rbdkit.simulation.breaks import declared_breaks
from rbdkit.simulation.choices import integrator_of, law_of, maker_of
from rbdkit.simulation.controls import commanded, controls_in, drive_with_controls, with_constants
from rbdkit.simulation.effort import EFFORTS, cut
from rbdkit.simulation.forces import external_drive
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import FARTHEST
from rbdkit.simulation.setting import Request, Setting
from rbdkit.simulation.step_times import step_times
from rbdkit.simulation.traced_forces import unless_changed_by
from rbdkit.simulation.within_limits import LIMITS, begun_beyond, with_stops

START = ("model", "q", "v")
"""Fields of a `Start` of `rbdkit.library`, by which it is recognised without importing the library."""


def check(request: Request) -> Request:
    """Check what can be checked without looking into the model; return the request for a `Model` and its state.

    Raises
    ------
    SimulationError
        If an argument is of a kind that `simulate` does not take.
    """
    if getattr(request.model, "_fields", None) == START:  # `rbdkit.library` stands on a floor above
        model, q, v = request.model
        q0, v0 = (q if request.q0 is None else request.q0), (v if request.v0 is None else request.v0)
        request = replace(request, model=model, q0=q0, v0=v0)
    if not isinstance(request.model, Model):
        raise SimulationError(f"simulate moves a Model, not {shortened(request.model)}")
    backend, progress, every, limits = request.backend, request.progress, request.every, request.limits
    if not isinstance(backend, str) or backend not in ("auto", "book", "checked"):
        raise SimulationError(f"backend {backend!r} is unknown; there are 'auto' and 'book', and 'checked'")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise SimulationError(f"progress = {shortened(progress)} must be None, True, False or a function")
    if limits is not None and (not isinstance(limits, str) or limits not in LIMITS):
        raise SimulationError(f"limits {shortened(limits)} is unknown; there are {', '.join(map(repr, LIMITS))}")
    if not isinstance(request.effort, str) or request.effort not in EFFORTS:
        raise SimulationError(
            f"effort {shortened(request.effort)} is unknown; there are {', '.join(map(repr, EFFORTS))}"
        )
    if not isinstance(every, int | np.integer) or every < 1:
        raise SimulationError(f"every = {every!r} must be a whole number of steps, 1 or more")
    return request


def prepare(request: Request) -> Setting:
    """Return the setting of a run: the arguments read, checked against the model, and copied.

    Raises
    ------
    SimulationError, StateError, ModelError
        As `simulate` says.
    """
    # a copy, whatever becomes of the model later; the checked mode must not meet code that was compiled without checks
    model, u = with_constants(request.model, request.u)
    model = snapshot(checked_twin(model) if request.backend == "checked" else model, anew=True)
    make, law = maker_of(request.formulation), law_of(request.contact)
    findings = [finding for finding in model.validate() if finding.severity != "note"]
    faults = [str(finding) for finding in findings if finding.severity == "error"]
    if faults:
        raise SimulationError("the model cannot be simulated:\n  " + "\n  ".join(faults))
    q = model.check_q(model.neutral() if request.q0 is None else request.q0, "q0").astype(float)
    v = model.check_v(np.zeros(model.nv) if request.v0 is None else request.v0, "v0").astype(float)
    if q.ndim > 1 or v.ndim > 1:
        raise SimulationError(f"simulate runs one motion; q0 has shape {q.shape} and v0 {v.shape}")
    beyond, own = [], len(model.constraints)
    if request.limits == "stop":
        beyond, model = begun_beyond(model, q), with_stops(model, make, law, q)
    z = model.initial_z(request.z0)
    _require_reach(model, q, v)
    require_inertia_at(model, q)
    pairs = pairs_of(model)
    integrator = method = integrator_of(request.integrator)
    times = step_times(request.duration, request.dt)
    given = commanded(model, cut(model, request.tau) if request.effort == "clip" else request.tau, u, times)
    tau, f_ext = (unless_changed_by(request.progress, x) for x in (given.tau, request.f_ext))
    given = given._replace(tau=tau)
    applied, external = drive_with_controls(model, given, times), external_drive(model, f_ext)
    if applied.sampler is not None and isinstance(method, Adaptive):
        raise SimulationError(
            f"integrator {method.name!r} chooses its own steps, and a sampled controller is held over whole ones; take "
            "one with given steps, 'rk4' say"
        )
    breaks = declared_breaks(model, tau, f_ext)  # which says what is wrong with them, also to methods without a use
    if isinstance(method, Adaptive):
        tables = applied.jumps or (applied.values is not None and applied.values.ndim > 1)
        method = method.for_run(times, breaks, tables)
    bounds: Pairs | None = stops_of(model) if has_stops(model) else pairs
    return Setting(
        request=request,
        model=model,
        q=q,
        v=v,
        z=z,
        times=times,
        every=int(request.every),
        make=make,
        integrator=integrator,
        method=method,
        law=law,
        pairs=bounds,
        touches=0 if pairs is None else len(pairs.names),
        applied=applied,
        f_ext=f_ext,
        external=external,
        watch=Progress(request.progress, f"simulate {model.name}"),
        findings=len(findings),
        controls=given.at_states or controls_in(request.tau),
        stops=tuple(stop.name for stop in model.constraints[own:]),
        beyond=tuple(beyond),
    )


def _require_reach(model: Model, q: NDArray, v: NDArray) -> None:
    """Raise StateError if a coordinate or velocity is so large that an angle has no digits left."""
    for name, values, unit in (("q0", q, "rad, m"), ("v0", v, "rad/s, m/s")):
        if np.max(np.abs(values), initial=0.0) > FARTHEST:
            k = int(np.argmax(np.abs(values)))
            part = "q_slice" if name == "q0" else "v_slice"
            joint = next(j.name for j in model.joints if getattr(j, part).start <= k < getattr(j, part).stop)
            raise StateError(
                f"{name}[{k}] (joint {joint!r}) is {values[k]:g}, beyond {FARTHEST:g} ({unit}), where numbers tell no "
                "angle; whole turns can be taken off"
            )
