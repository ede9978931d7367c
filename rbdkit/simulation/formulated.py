"""Runs in any formulation: applied forces are converted to its coordinates, its states recorded."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import kernels_for
from rbdkit.errors import SimulationError
from rbdkit.formulations import FORMULATIONS, Compiled, Formulation, Projectable, System
from rbdkit.formulations import Acting as InLoop
from rbdkit.formulations.constrained import ConstrainedSystem
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.integrators import INTEGRATORS, Adaptive, Integrator, RecordedIntegrator, State
from rbdkit.model.closing import require_closed
from rbdkit.simulation.adequacy import InCode
from rbdkit.simulation.adequacy import Sample as Sampled
from rbdkit.simulation.clearly_closed import clearly_closed
from rbdkit.simulation.compiled import JointSteps, blamed, ended_by, lasting, obstacle, recording_of, unsolved
from rbdkit.simulation.compiled import acting as compile_forces
from rbdkit.simulation.forces import Scheduled
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.own_classes import users_class
from rbdkit.simulation.recording import Recording, Sample, record
from rbdkit.simulation.room import require_room
from rbdkit.simulation.setting import Computed, Setting
from rbdkit.simulation.state_forces import StateForces
from rbdkit.simulation.whole_turns import require_known_turns
from rbdkit.trace import available, in_words

STEP_STATES = (System, Projectable, ConstrainedSystem)
"""Interfaces whose integrators can also step the states of force elements: they use rates alone."""


def run_formulation(setting: Setting) -> Computed:
    """Run a formulation.

    Raises
    ------
    SimulationError
        If the integrator cannot step this formulation, or the formulation does not support states of force elements.
    """
    make, model, method, times = setting.make, setting.model, setting.method, setting.times
    applied, external, q, v, book = setting.applied, setting.external, setting.q, setting.v, setting.book
    acting = StateForces(applied, external)
    if book and "book" in inspect.signature(make).parameters:
        make = partial(make, book=True)  # type: ignore[call-arg]  # its signature has just been looked at
    system = make(model, None if applied.zero else acting.tau, None if external is None else acting.f_ext)
    require_formulation(make, system)
    acting.system = system
    check_pair(system, method)
    # the quick check first; what it does not pass is decided, and told, by the exact one
    if not (isinstance(system, Compiled) and not book and clearly_closed(model, q, v)):
        require_closed(model, q, v, names=("q0", "v0"))
    x, w = system.state(q, v)
    w = np.concatenate([w, setting.z]) if len(setting.z) else w
    require_known_turns(system, applied, external, q, v, setting.z, x, w, float(times[0]))
    require_room(len(times) - 1, setting.every, 1 + len(x) + len(w))
    recording, what_ran, acts = None, "book form (NumPy), as asked for", None
    if not book:
        recording, what_ran, acts = _compiled(setting, system, x, w, acting)
    in_code = None
    if recording is not None:
        forces = None if applied.zero else acting.tau, acting.f_ext if external else None
        recording = blamed(recording, times, model, *forces, method=method)
        in_code = _few_steps(system, method, acts)  # type: ignore[arg-type]
        applied = applied if acts is None else applied.traced(acts.tau)
    else:
        samples = _samples(method, system, acting, times, x, w)
        what_ran = what_ran if book else f"stepped from Python: {what_ran}"
        recording = record(samples, times, x, w, setting.every, setting.watch)
    tau = None if applied.zero else applied.function
    motion = Motion(system, recording.t, recording.q, recording.v, tau, external, recording.solves)
    code = f"formulation {system.name!r}, {what_ran}"
    return Computed(setting, recording, motion, method, code, applied, acting, in_code)


def check_pair(system: Formulation, method: Integrator | Adaptive) -> None:
    """Raise SimulationError if the integrator cannot step this formulation; the message lists those that can."""
    if system.model.nz:
        _require_place_for_states(system, method)
    if isinstance(system, method.requires):
        return
    fitting = ", ".join(
        repr(name)
        for name, other in INTEGRATORS.items()
        if isinstance(system, other.requires) and not (system.model.nz and other.requires not in STEP_STATES)
    )
    raise SimulationError(f"{does_not_fit(system, method)}; {system.name!r} can be stepped by {fitting}")


def require_formulation(make: Any, system: Any) -> None:
    """Raise SimulationError if what a user's function has made is no formulation."""
    if not isinstance(system, Formulation):
        raise SimulationError(
            f"formulation = {shortened(make)} made {shortened(system)}, which is no formulation; give a name, a "
            "class of rbdkit.formulations, or a function of (model, tau, f_ext) that returns one"
        )


def does_not_fit(system: Formulation, method: Integrator | Adaptive) -> str:
    """Return the message that an integrator does not step a formulation, with the formulations that it steps."""
    steps = [repr(name) for name, kind in FORMULATIONS.items() if _is_kind(kind, method.requires)]
    own = f"; it steps {', '.join(steps)}" if steps else ", nor any other by name"
    return f"integrator {method.name!r} does not step formulation {system.name!r}{own}"


def _is_kind(kind: type, required: type) -> bool:
    try:
        return issubclass(kind, required)
    except TypeError:  # issubclass refuses protocols with data attributes: compare the names instead
        return all(hasattr(kind, name) for name in getattr(required, "__protocol_attrs__", ("",)))


def _require_place_for_states(system: Formulation, method: Integrator | Adaptive) -> None:
    """Raise SimulationError if a formulation or a method does not support the states of force elements."""
    states = ", ".join(map(repr, system.model.z_names))
    if not getattr(system, "takes_states", False):
        fitting = ", ".join(repr(name) for name, other in FORMULATIONS.items() if getattr(other, "takes_states", False))
        raise SimulationError(
            f"formulation {system.name!r} has no place for the states of force elements, {states}; take one of "
            f"{fitting}"
        )
    if method.requires not in STEP_STATES:
        raise SimulationError(
            f"integrator {method.name!r} knows nothing of the states of force elements, {states}; take another one, "
            "'rk4' or 'implicit_midpoint' say"
        )


def _compiled(
    setting: Setting, system: Formulation, x: NDArray, w: NDArray, acting: StateForces
) -> tuple[Recording | None, str, InLoop | None]:
    """Run the formulation's own compiled loop; return recording, description of the code, and compiled forces.

    The recording is None if there is no such loop, and the description says why.
    """
    applied, external, method, times = setting.applied, setting.external, setting.method, setting.times
    acts = None
    if not isinstance(system, Compiled):
        return None, f"formulation {system.name!r} does not record itself", None
    if own := users_class(system, "compiled_run"):
        return (
            None,
            f"formulation {system.name!r} is of class {own}, and the compiled loop that of its base class",
            None,
        )
    if why_not := obstacle(method, False, False):
        return None, why_not, None
    if not (applied.zero and external is None):
        on_links = getattr(system, "on_links", np.asarray)
        acts, why_not = compile_forces(system.model, on_links, method, applied, setting.f_ext, external, times)
        if acts is None:
            return None, why_not, None
        if acts.asked is not None and type(system) is not ClosedJointSystem:
            return None, "a sampled controller is asked from Python", None
    if why_not := system.obstacle(acts):
        return None, why_not, None
    acting.step = 0  # the method's initial data is computed by the readable form, which looks at the first step
    try:
        kind: dict[str, Any] = {"kind": lasting(method)} if type(system) is ClosedJointSystem else {}
        run = system.compiled_run(method, times, x, w, setting.every, setting.watch.update, acts, **kind)  # type: ignore[arg-type]
    finally:
        setting.watch.close()
        acting.step = None
    if run is None:
        return None, f"formulation {system.name!r} has no compiled loop for it", None

    def step(k: int, x: NDArray, w: NDArray) -> State:
        acting.step = k
        return method.step(system, method.init(system, times[k], x, w), times[k + 1] - times[k])  # type: ignore[union-attr]

    name, why = available()
    code = in_words(name, why)
    how = f", {acts}" if acts is not None and str(acts) else ""
    recording = unsolved(recording_of(run, times, method), run, times, step)  # type: ignore[arg-type]
    recording = ended_by(None if acts is None else acts.asked, recording, times)
    return recording, f"compiled loop ({code}){how}", acts


def _few_steps(system: Compiled, method: RecordedIntegrator, acts: InLoop | None) -> InCode:
    """Return a function that makes steps from other states by the compiled code of a run."""
    carries = bool(getattr(method.record, "memory", ()))
    if type(system) is ClosedJointSystem and system.baumgarte is None and not carries:
        kernels = kernels_for(system.model)
        assert kernels is not None
        return JointSteps(kernels, method, InLoop(np.zeros(system.model.nv), None) if acts is None else acts)

    def steps(sample: Sampled, times: NDArray) -> NDArray | None:
        here = replace(acts, tau=sample.tau.at(times)) if acts and isinstance(sample.tau, Scheduled) else acts
        run = system.compiled_run(method, times, sample.x, sample.v, 1, lambda done: None, here)
        return None if run is None or run.ran_away else run.q[-1]

    return steps


def _samples(
    method: Integrator | Adaptive, system: Formulation, acting: StateForces, times: NDArray, x: NDArray, w: NDArray
) -> Iterator[Sample]:
    """Return an iterator over the states at times[1:], stepped from Python."""
    if isinstance(method, Adaptive):
        return adaptive_samples(method, system, times, x, w)
    return _steps(method, system, acting, times, x, w)


def _steps(
    method: Integrator, system: Formulation, acting: StateForces, times: NDArray, x: NDArray, w: NDArray
) -> Iterator[Sample]:
    state = method.init(system, times[0], x, w)
    for k in range(len(times) - 1):
        acting.begin(k, times[k], state.x, state.v)
        # the time of the grid, as sums of steps would drift from it
        state = method.step(system, replace(state, t=times[k]), times[k + 1] - times[k])
        yield state.x, state.v, k + 1, state.solve


def adaptive_samples(method: Adaptive, system: Formulation, times: NDArray, x: NDArray, w: NDArray) -> Iterator[Sample]:
    """Yield the states at times[1:] of an integrator that chooses its steps."""
    for x_new, w_new, steps in method.samples(system, times, x, w):
        yield x_new, w_new, steps, None
