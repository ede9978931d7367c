"""Runs of trees in joint coordinates, in the compiled loop or stepped from Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from numpy.typing import NDArray

from rbdkit.engine import backend as engine_backend
from rbdkit.engine import kernels_for
from rbdkit.formulations import Force, JointSystem, Lagrangian, System
from rbdkit.integrators import Adaptive, Integrator, State
from rbdkit.model import Model
from rbdkit.simulation.compiled import JointSteps, acting, blamed, record_compiled
from rbdkit.simulation.forces import Drive
from rbdkit.simulation.formulated import adaptive_samples, check_pair
from rbdkit.simulation.recording import Sample, record
from rbdkit.simulation.room import require_room
from rbdkit.simulation.setting import Computed, Setting
from rbdkit.simulation.trajectory import Trajectory
from rbdkit.trace import in_words


def run_joint(setting: Setting) -> Computed:
    """Run a tree without contacts in joint coordinates."""
    model, method, times, q, w = setting.model, setting.method, setting.times, setting.q, setting.w
    require_room(len(times) - 1, setting.every, 1 + len(q) + len(w))
    require_joint_method(model, method)
    applied, external = setting.applied, setting.external
    kernels = None if setting.book else kernels_for(model)
    acts, why_not, joint_steps = None, "", None
    if kernels is not None:
        acts, why_not = acting(model, kernels.on_links, method, applied, setting.f_ext, external, times)
    if kernels is not None and acts is not None:
        readable = partial(readable_step, method, model, applied, external, times)  # type: ignore[arg-type]
        applied, joint_steps = applied.traced(acts.tau), JointSteps(kernels, method, acts)  # type: ignore[arg-type]
        recording = record_compiled(kernels, method, times, q, w, acts, setting.every, setting.watch, readable)  # type: ignore[arg-type]
        recording = blamed(recording, times, model, applied.function, external, nv=model.nv, method=method)
    else:
        samples = _samples(method, JointSystem(model, applied.function, external, setting.book), applied, times, q, w)
        recording = record(samples, times, q, w, setting.every, setting.watch)
    recording = recording.within_reach()
    v, z = recording.v[:, : model.nv], recording.v[:, model.nv :]
    trajectory = Trajectory(model, recording.t, recording.q, v, None, external, z=z)
    code = _what_ran(setting, why_not, str(acts or ""))
    return Computed(setting, recording, trajectory, method, code, applied, in_code=joint_steps)


def require_joint_method(model: Model, method: Integrator | Adaptive) -> None:
    """Raise SimulationError if an integrator cannot step joint coordinates."""
    if method.requires is not System:
        check_pair(system := JointSystem(model), method)
        if method.requires is Lagrangian:
            system.inertia(model.neutral())  # it refuses joints that move as time says


def readable_step(
    method: Integrator,
    model: Model,
    applied: Drive,
    external: Force | None,
    times: NDArray,
    k: int,
    q: NDArray,
    v: NDArray,
) -> State:
    """Make step k from a state at times[k] by the readable form of a method."""
    system = JointSystem(model, applied.during(k), external)
    return method.step(system, method.init(system, times[k], q, v), times[k + 1] - times[k])


def _samples(
    method: Integrator | Adaptive, system: JointSystem, applied: Drive, times: NDArray, q: NDArray, v: NDArray
) -> Iterator[Sample]:
    """Yield the states at times[1:], stepped from Python."""
    if isinstance(method, Adaptive):
        yield from adaptive_samples(method, system, times, q, v)
        return
    state = method.init(system, times[0], q, v)
    for k in range(len(times) - 1):
        # forces held over a step jump at its end, which its last stage must not see
        applied.begin(k, times[k], state.x, state.v)
        system.tau = applied.during(k)
        state = method.step(system, replace(state, t=times[k]), times[k + 1] - times[k])
        yield state.x, state.v, k + 1, state.solve


def _what_ran(setting: Setting, why_not: str, traced: str) -> str:
    """Return a description of the code that computed a motion, and why nothing faster. traced : traced functions."""
    if setting.book:
        return "book form (NumPy), as asked for"
    name, why = engine_backend(setting.model)
    if name == "book":
        return f"book form (NumPy): {why}"
    code = in_words(name, why)
    if why_not:
        return f"compiled dynamics ({code}), stepped from Python: {why_not}"
    return f"compiled loop ({code})" + (f", {traced}" if traced else "")
