"""Runs of models with contacts or unilateral constraints, under a contact law."""

from __future__ import annotations

from dataclasses import replace
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import backend as engine_backend
from rbdkit.errors import SimulationError
from rbdkit.formulations import JointSystem
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.integrators import RK4, Adaptive, Integrator, LinearlyImplicitEuler
from rbdkit.laws import LAWS, ContactForce, Law, Log, Scene, Stops, TimeStepping, contact_report
from rbdkit.laws.determined import Determined
from rbdkit.laws.driven import driven_power
from rbdkit.laws.log import NOTHING_TOUCHES
from rbdkit.model.closing import length_of, require_closed
from rbdkit.model.measures import speed_of
from rbdkit.model.one_sided import without_stops
from rbdkit.simulation.compiled import blamed
from rbdkit.simulation.compiled_contacts import compiled_law
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.recording import Recording, record
from rbdkit.simulation.report import Report
from rbdkit.simulation.room import require_room
from rbdkit.simulation.setting import Computed, Setting
from rbdkit.simulation.simpson import integral
from rbdkit.simulation.trajectory import Trajectory
from rbdkit.trace import in_words


def stepped_by(law: Law, method: Integrator | Adaptive) -> tuple[Law, Integrator | Adaptive]:
    """Return law and integrator, with 'linearly_implicit_euler' merged into 'time_stepping' as its implicit form."""
    if isinstance(law, TimeStepping) and type(method) is LinearlyImplicitEuler and method.gamma == "1/h":
        return replace(law, implicit=True), RK4()
    return law, method


def run_law(setting: Setting) -> Computed:
    """Run a model under a contact law.

    Raises
    ------
    SimulationError
        If the law does not fit the formulation or the integrator, or does not support unilateral constraints.
    """
    if setting.make is not JointSystem:
        formulation = shortened(setting.request.formulation)
        raise SimulationError(
            f"contact laws move joint coordinates, and formulation {formulation} has none of them; take "
            "formulation='joint', or contact='none' to let bodies pass through each other"
        )
    pairs = setting.pairs
    assert setting.law is not None and pairs is not None
    law, method = stepped_by(setting.law, setting.method)
    whole = replace(setting, law=law, method=method)
    setting = whole.rest
    model, times, q, w, every = setting.model, setting.times, setting.q, setting.w, setting.every
    require_room(len(times) - 1, every, 1 + len(q) + len(w))
    if model.loops:
        require_closed(without_stops(model), q, setting.v, names=("q0", "v0"))
    require_method(law, method)
    stops, free = pairs.units if isinstance(pairs, Stops) else {}, without_stops(model)
    if stops and not law.stops:
        able = ", ".join(repr(name) for name, other in LAWS.items() if other.stops)
        raise SimulationError(
            f"contact law {law.name!r} has no stiffness for what holds on one side, constraint "
            f"{', '.join(map(repr, stops))}; take one of {able}"
        )
    applied, external, book = setting.applied, setting.external, setting.book
    system = JointSystem(free, applied.function, external, book)
    speed = speed_of(model, w)
    log = Log(pairs.names, len(times) - 1, every, stops, speed, length_of(model))
    compiled, why_not = None, ""
    if not book:
        compiled, why_not = compiled_law(setting)

    def hold(k: int, q: NDArray, w: NDArray) -> None:
        applied.begin(k, float(times[k]), q, w)
        system.tau = applied.during(k)

    name, why = ("book", "as asked for") if book else engine_backend(free)
    scene = Scene(system, pairs, speed)
    in_steps = law.own_steps and scene.at_work  # the work of blows needs the velocities on both sides of them
    found = None if compiled is None else compiled.run(times, q, w, 1 if in_steps else every, setting.watch, log)
    if compiled is not None and found is None:
        why_not = "a step was too hard for its sweeps"
    if compiled is not None and found is not None:
        recording = blamed(found.within_reach(), times, model, applied.function, external, nv=model.nv)
        if not law.own_steps:
            law.judge(scene, float(times[1] - times[0]), recording.t, recording.q, recording.v, log)
        if in_steps:  # no step of the compiled loop counts what time brings in through contacts
            log.driven = _driven_in_steps(scene, recording, log)
            recording = recording.thinned(every)
        elif scene.at_work:
            log.driven = _driven(scene, recording, times, log)
        code = f"compiled loop ({in_words(name)})" + (f", {compiled.acts}" if str(compiled.acts) else "")
    else:
        samples = law.samples(scene, method, hold, times, q, w, log)  # type: ignore[arg-type]
        recording = record(samples, times, q, w, every, setting.watch).within_reach()
        if isinstance(law, ContactForce) and scene.at_work:  # no step counts the work of such forces
            log.driven = _driven(scene, recording, times, log)
        code = f"book form (NumPy): {why}" if name == "book" else f"compiled dynamics ({in_words(name)})"
        code = f"contact law in Python{f': {why_not}' if why_not else ''}, {code}"
    if whole.before is not None:
        recording = whole.before.joined(recording)
        log.delay(whole.before.steps)
    motion = _motion(whole, law, system, recording, log)
    by = law if law.own_steps else method
    return Computed(whole, recording, motion, by, code, whole.applied, contacts=contact_report(law, pairs, log))


def _driven(scene: Scene, recording: Recording, times: NDArray, log: Log) -> list[float]:
    """Return the work of prescribed joints through contacts until each step ends, J, from forces in recorded states."""
    until = times[: recording.steps + 1]
    power = np.zeros(len(recording.t))
    states = zip(recording.t.tolist(), recording.q, recording.v[:, : scene.model.nv], strict=True)
    for k, (t, q, v) in enumerate(states):
        # recorded times are those of steps but for round-off, which must not choose the next step
        pair, point, _, _, force = log.kept.get(int(np.searchsorted(until, t - 1e-12 * until[-1])), NOTHING_TOUCHES)
        power[k] = driven_power(scene, t, q, v, pair, point, force)
    return list(np.interp(until, recording.t, integral(power, recording.t)))


def _driven_in_steps(scene: Scene, recording: Recording, log: Log) -> list[float]:
    """Return the work of prescribed joints through contacts until each state, J, from the forces of every step.

    All states must be recorded. `rbdkit.laws.time_stepping.Step.driven` is the same in the readable law.
    """
    work, t, q, v = [0.0], recording.t, recording.q, recording.v[:, : scene.model.nv]
    none = np.zeros(len(log.stops))
    for k, h in enumerate(np.diff(t).tolist()):
        pair, point, _, _, force = log.kept.get(k, NOTHING_TOUCHES)
        push = None if scene.stops is None else scene.stops.spread(float(t[k]), q[k], log.pushes.get(k, none))
        power = driven_power(scene, float(t[k]), q[k], 0.5 * (v[k] + v[k + 1]), pair, point, force, push)
        work.append(work[-1] + h * power)
    return work


def _motion(setting: Setting, law: Law, system: JointSystem, recording: Recording, log: Log) -> Trajectory:
    """Return the trajectory of a recording, with contact record and events from its log."""
    model, applied, external = setting.model, setting.applied, setting.external
    contacts = log.record(setting.times, recording.t)
    if law.shares and (contacts.names or contacts.stops):
        states = Determined(model, recording.t, recording.q, recording.v[:, : model.nv], law.own_steps)
        contacts = replace(contacts, motion=states)
    parts: dict[str, Any] = {"contacts": contacts, "events": tuple(log.events)}
    if isinstance(system, ClosedJointSystem):
        system.tau = applied.function
        tau = None if applied.zero else applied.function
        return Motion(system, recording.t, recording.q, recording.v, tau, external, **parts)
    v, z = recording.v[:, : model.nv], recording.v[:, model.nv :]
    return Trajectory(model, recording.t, recording.q, v, None, external, z=z, **parts)


def require_method(law: Law, method: Integrator | Adaptive) -> None:
    """Raise SimulationError if a contact law and an integrator cannot be combined."""
    if law.own_steps and method.name != "rk4":
        others = ", ".join(repr(name) for name, other in LAWS.items() if not other.own_steps)
        raise SimulationError(
            f"contact law {law.name!r} makes its own steps, in which integrator {method.name!r} has no part; leave the "
            f"integrator out, or take a law that has one: {others or 'there is none'}"
        )
    law.require(method)


def without_contacts(report: Report, pairs: int) -> Report:
    """Return a report with a note that contacts of the given number of pairs were switched off."""
    how_many = "1 pair" if pairs == 1 else f"{pairs} pairs"
    note = f"contacts were switched off: {how_many} of this model could touch and may pass through each other"
    return replace(report, notes=(*report.notes, note))
