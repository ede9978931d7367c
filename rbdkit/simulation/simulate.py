"""From a model and an initial state to a recorded motion."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces, require_tree
from rbdkit.engine import Feedback, evaluate, kernels_for
from rbdkit.engine import backend as engine_backend
from rbdkit.errors import RbdkitError, SimulationError
from rbdkit.formulations import Force, JointSystem
from rbdkit.integrators import INTEGRATORS, Adaptive, Integrator
from rbdkit.integrators.adaptive import SOLVERS
from rbdkit.model import Model
from rbdkit.simulation.compiled import Acting, acting, blamed, record_compiled
from rbdkit.simulation.forces import Drive, Torque, drive, external_drive
from rbdkit.simulation.formulated import Maker, adaptive_samples, check_pair, maker_of, run_formulation
from rbdkit.simulation.judge import judge, judge_formulation
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import Recording, Sample, record
from rbdkit.simulation.report import Report
from rbdkit.simulation.trajectory import Trajectory


class SimulationWarning(UserWarning):
    """A simulation ended early or its step is too long; the trajectory's repr says more."""


def simulate(
    model: Model,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    duration: float = 5.0,
    dt: float = 1e-3,
    *,
    formulation: str | Maker = "joint",
    integrator: str | Integrator | Adaptive = "rk4",
    tau: Torque = None,
    f_ext: ExternalForces | Callable[[float, NDArray, NDArray], ExternalForces] = None,
    every: int = 1,
    progress: bool | Callable[[float], object] | None = None,
    backend: Literal["auto", "book"] = "auto",
) -> Trajectory:
    """Let a model move.

    Parameters
    ----------
    model : a tree of rigid bodies.
    q0, v0 : (nq,), (nv,) initial coordinates and velocities; neutral and at rest if not given.
    duration : s.
    dt : length of a step, s; for adaptive integrators the interval of recording. The last step may be shorter.
    formulation : 'joint', joint coordinates, or another name of `rbdkit.formulations.FORMULATIONS`; or a class from
        there, or a function of (model, tau, f_ext) that returns a formulation with options of your own.
    integrator : 'rk4', 'symplectic_euler' or another name of `rbdkit.integrators.INTEGRATORS`; adaptive: 'dop853',
        'rk45', 'rk23', and for stiff systems 'radau', 'lsoda'; or an object from `rbdkit.integrators`.
    tau : applied joint forces, N m or N: (nv,) constant, (steps, nv) held over each step, (steps + 1, nv) sampled, or a
        function of (t, q, v), which is compiled if it can be (see `traced`, `untraced`). Springs and dampers of the
        joints act besides.
    f_ext : external forces in world coordinates (see `wrench`): {body: (6,)}, (bodies, 6), or a function of (t, q, v)
        returning that.
    every : record every n-th step, and the last one.
    progress : None shows a bar on runs longer than a second; True, False, or a function of the fraction done.
    backend : 'auto' runs compiled code as far as the pieces allow and says so in the report; 'book' the readable form.

    Returns
    -------
    Trajectory
        In other formulations than 'joint' a `Motion`, which has the formulation's own states and invariants too.
        With a report in its ``repr``: energy drift, whether the step was short enough, limits passed. When the state
        stops being finite, or the run is interrupted, it holds what was computed until then, and `report.stopped` says
        why.

    Raises
    ------
    StateError, SimulationError, ModelError
        If an argument has the wrong shape, is off its manifold, or the model has findings that leave its motion without
        meaning; or if not even the first step can be made.

    Warns
    -----
    SimulationWarning
        If the run ended early or its step is too long.
    """
    if backend not in ("auto", "book"):
        raise SimulationError(f"backend {backend!r} is unknown; there are 'auto' and 'book'")
    make = maker_of(formulation)
    if make is JointSystem:
        require_tree(model)
    faults = [str(finding) for finding in model.validate() if finding.severity == "error"]
    if faults:
        raise SimulationError("the model cannot be simulated:\n  " + "\n  ".join(faults))
    q = model.check_q(model.neutral() if q0 is None else q0, "q0").astype(float)
    v = model.check_v(np.zeros(model.nv) if v0 is None else v0, "v0").astype(float)
    if q.ndim > 1 or v.ndim > 1:
        raise SimulationError(f"simulate runs one motion; q0 has shape {q.shape} and v0 {v.shape}")
    if not isinstance(every, int | np.integer) or every < 1:
        raise SimulationError(f"every = {every!r} must be a whole number of steps, 1 or more")
    method = integrator_of(integrator)
    times = step_times(duration, dt)
    applied, external = drive(model, tau, times), external_drive(model, f_ext)
    watch = Progress(progress, f"simulate {model.name}")
    if make is not JointSystem:
        motion, recording, code = run_formulation(
            make, model, q, v, times, method, applied, external, int(every), watch
        )
        return _reported(motion, judge_formulation(motion, recording, method, times, watch.elapsed, code))
    kernels = kernels_for(model) if backend == "auto" else None
    acts, why_not = None, ""
    if kernels is not None:
        acts, why_not = acting(model, kernels, method, applied, f_ext, external, times)
    if kernels is not None and acts is not None:
        recording = record_compiled(kernels, method, times, q, v, acts, int(every), watch)  # type: ignore[arg-type]
        recording = blamed(recording, times, applied.function, external)
    else:
        if isinstance(method, Adaptive):
            system = JointSystem(model, applied.function, external, backend == "book")
            samples = adaptive_samples(method, system, times, q, v)
        else:
            samples = _fixed_steps(method, model, applied, external, times, q, v, backend == "book")
        recording = record(samples, times, q, v, int(every), watch)
    trajectory = Trajectory(model, recording.t, recording.q, recording.v, _applied(applied, recording, acts), external)
    code = _what_ran(model, backend, why_not, str(acts or ""))
    report = judge(trajectory, recording, method, applied, times, watch.elapsed, code)
    return _reported(trajectory, report)


def _reported(trajectory: Trajectory, report: Report) -> Trajectory:
    """The trajectory with its report; warns of what makes it doubtful."""
    alarms = report.alarms(trajectory.model)
    if alarms:
        warnings.warn("\n".join(alarms), SimulationWarning, stacklevel=3)
    return trajectory.with_report(report)


def integrator_of(integrator: str | Integrator | Adaptive) -> Integrator | Adaptive:
    """The integrator that a name stands for."""
    if not isinstance(integrator, str):
        return integrator
    if integrator in INTEGRATORS:
        return INTEGRATORS[integrator]
    if integrator in SOLVERS:
        return Adaptive(integrator)  # type: ignore[arg-type]
    known = ", ".join(repr(name) for name in (*INTEGRATORS, *SOLVERS))
    raise SimulationError(f"integrator {integrator!r} is unknown; there are {known}")


def step_times(duration: float, dt: float) -> NDArray:
    """Times between steps of length dt, s, the first 0 and the last `duration`; the last step may be shorter."""
    duration, dt = _seconds("duration", duration), _seconds("dt", dt)
    whole = duration / dt
    if whole > 1e8:
        raise SimulationError(f"duration {duration} s in steps of {dt} s are {whole:.3g} steps; take a longer dt")
    steps = round(whole) if abs(whole - round(whole)) < 1e-9 * max(whole, 1.0) else int(np.ceil(whole))
    times = dt * np.arange(max(steps, 1) + 1)
    times[-1] = duration
    return times


def _seconds(name: str, value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = np.nan
    if not (np.isfinite(seconds) and seconds > 0.0):
        raise SimulationError(f"{name} = {value!r} must be a positive number of seconds")
    return seconds


def _fixed_steps(
    method: Integrator,
    model: Model,
    applied: Drive,
    external: Force | None,
    times: NDArray,
    q: NDArray,
    v: NDArray,
    book: bool,
) -> Iterator[Sample]:
    system = JointSystem(model, applied.function, external, book)
    check_pair(system, method)
    state = method.init(system, times[0], q, v)
    for k in range(len(times) - 1):
        system.tau = applied.during(k)
        state = method.step(system, replace(state, t=times[k]), times[k + 1] - times[k])
        yield state.x, state.v, k + 1, state.solve


def _what_ran(model: Model, backend: str, why_not: str, traced: str) -> str:
    """The code that computed the motion, and why nothing faster. traced : which functions it runs, in words."""
    if backend == "book":
        return "book form (NumPy), as asked for"
    name, why = engine_backend(model)
    if name == "book":
        return f"book form (NumPy): {why}"
    code = f"generated Python ({why})" if name == "python" else "LLVM"
    if why_not:
        return f"compiled dynamics ({code}), stepped from Python: {why_not}"
    return f"compiled loop ({code})" + (f", {traced}" if traced else "")


def _applied(applied: Drive, recording: Recording, acts: Acting | None) -> NDArray | None:
    """The joint forces at the recorded states; not a number at a last state where they could not be had."""
    if applied.zero:
        return None
    if acts is not None and isinstance(acts.tau, Feedback):
        return evaluate(acts.tau, recording.t, recording.q, recording.v)
    tau = np.full_like(recording.v, np.nan)
    for k, state in enumerate(zip(recording.t, recording.q, recording.v, strict=True)):
        try:
            tau[k] = applied.function(*state)
        except (ArithmeticError, np.linalg.LinAlgError, RbdkitError):
            if not recording.stopped:
                raise
    return tau
