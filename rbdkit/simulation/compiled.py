"""Runs whose loop over time is compiled to machine code.

Joint forces and external forces become part of the loop: constants and tables as data, Python functions by tracing
(`traced_forces`). Where anything cannot be compiled, `acting` and `obstacle` say why, and the run falls back to
stepping from Python. If the compiled loop stops because equations could not be solved or a state became infinite, the
failing step is repeated in the readable form, whose errors have names and numbers (`unsolved`, `blamed`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import external_forces
from rbdkit.engine import Kernels, few_steps, kernels_for
from rbdkit.engine import simulate as run_kernels
from rbdkit.engine.contact.force_steps import ForceSteps
from rbdkit.engine.contact.time_steps import TimeSteps
from rbdkit.engine.run.driven import prescribed
from rbdkit.errors import ConvergenceError, RbdkitError
from rbdkit.formulations import Acting, Force
from rbdkit.integrators import (
    INTEGRATORS,
    Adaptive,
    Integrator,
    MuntheKaas,
    Projected,
    RecordedIntegrator,
    Solve,
    Solves,
    why_not_recorded,
)
from rbdkit.model import Model
from rbdkit.simulation.adequacy import Sample
from rbdkit.simulation.asking import sentence
from rbdkit.simulation.controls import HeldControls
from rbdkit.simulation.forces import Constant, Drive, Scheduled
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import Recording
from rbdkit.simulation.sampled import SampledInLoop
from rbdkit.simulation.traced_forces import Traced, Untraceable, Untraced, force_law, torque_law
from rbdkit.trace import Controller, FewSteps, Run, residuals_of

WORTH_COMPILING = 1000
"""Number of evaluations of a function for which its compilation pays off."""


def acting(
    model: Model,
    on_links: Callable[[NDArray], NDArray],
    method: Integrator | Adaptive,
    applied: Drive,
    f_ext: Any,
    external: Force | None,
    times: NDArray,
) -> tuple[Acting | None, str]:
    """Return the applied forces in the form of a compiled loop over time; or None, and why it cannot be compiled.

    Parameters
    ----------
    on_links : maps forces on bodies (..., bodies, 6) to the array that the loop reads.
    applied : joint forces. f_ext : external forces as given. external : the same, as a checked function.
    times : times of all steps, s.

    Raises
    ------
    SimulationError
        If a function is marked as `traced` and cannot be traced.
    """
    if why_not := obstacle(method, False, False):
        return None, why_not
    if isinstance(applied, HeldControls):
        return None, "u is held over steps in which the actuators' forces change"
    if isinstance(method, Adaptive | TimeSteps | ForceSteps) and _time_is_asked_from_python(model, times):
        return None, "joints move as a Python function of time says"
    functions = [x for x in (applied.law, f_ext) if callable(x)]
    short = (len(times) - 1) * least_evaluations(method) < WORTH_COMPILING
    if short and functions and not any(isinstance(x, Traced | Untraced) for x in functions):
        return (
            None,
            f"{'f_ext' if applied.law is None else applied.what} is a Python function, and few steps are not worth it",
        )
    tau, duration, forces = applied.values, times[-1], None
    try:
        if tau is None:
            tau = torque_law(model, applied.law, applied.function, duration)  # type: ignore[assignment, arg-type]
    except Untraceable as fault:
        return None, f"{applied.what} {fault}"
    try:
        if not callable(f_ext):
            forces = external_forces(model, f_ext)
        elif external is not None:
            forces = force_law(model, on_links, f_ext, external, duration)
    except Untraceable as fault:
        return None, f"f_ext {fault}"
    assert tau is not None
    asked = None if applied.sampler is None else SampledInLoop(applied.sampler, times, model.nv)
    return Acting(tau, forces, asked), ""


def _time_is_asked_from_python(model: Model, times: NDArray) -> bool:
    """Whether there are prescribed joints whose motion can only be evaluated in Python."""
    kernels = kernels_for(model)
    return kernels is not None and bool(kernels.driven) and kernels.driven.motion(times) is None


def least_evaluations(method: Any) -> int:
    """Return the least number of evaluations of the state's rate in a step of an integrator."""
    if isinstance(method, Adaptive):
        return method.order
    return int(np.size(method.b)) if isinstance(method, MuntheKaas) else 1


def obstacle(method: Integrator | Adaptive, tau_is_function: bool, f_ext_is_function: bool) -> str:
    """Return why the loop over time cannot be compiled; empty if it can."""
    if tau_is_function or f_ext_is_function:
        return f"{'tau' if tau_is_function else 'f_ext'} is a Python function"
    if isinstance(method, Adaptive) and not hasattr(method, "record"):
        return "SciPy chooses the steps"
    why = why_not_recorded(method)
    return f"integrator {method.name!r} does not record its steps: {why}" if why else ""


def record_compiled(
    kernels: Kernels,
    method: RecordedIntegrator | Adaptive,
    times: NDArray,
    q: NDArray,
    v: NDArray,
    acts: Acting,
    every: int,
    watch: Progress,
    step: Callable[[int, NDArray, NDArray], object],
) -> Recording:
    """Run a compiled loop and return its recording, as `record` does for steps from Python.

    kernels ... every : as for `rbdkit.engine.simulate`. watch : shows progress. step : makes step k from a state (q, v)
    in the readable form, to find the message of an error.
    """
    try:
        run = run_kernels(
            kernels, q, v, times, method, acts.tau, acts.f_ext, every, watch.update, kind=lasting(method),
            asked=acts.asked,
        )  # fmt: skip
    finally:
        watch.close()
    return ended_by(acts.asked, unsolved(recording_of(run, times, method), run, times, step), times)


def ended_by(asked: Controller | None, recording: Recording, times: NDArray) -> Recording:
    """Return a recording with the exception of its sampled controller that ended it, if one did."""
    fault = asked.fault if isinstance(asked, SampledInLoop) else None
    if fault is None:
        return recording
    stopped = f"{sentence(fault)} (after t = {times[recording.steps]:.6g} s)"
    return replace(recording, stopped=stopped, fault=fault)


def lasting(method: RecordedIntegrator | Adaptive) -> Hashable:
    """Return a key of a method that never changes, for reuse of its compiled steps between runs; None for others.

    Methods that `INTEGRATORS` names never change; a user's object may be changed between two runs.
    """
    inner = method.method if type(method) is Projected else method
    ours = type(inner).__module__.startswith("rbdkit.") and INTEGRATORS.get(inner.name) is inner
    return (type(method), id(inner)) if ours else None


class JointSteps:
    """Steps of a model in joint coordinates by the compiled code of its run; see `InCode`.

    Compiled steps own the arrays that they write to. So a thread takes one from the idle list, or makes one, and puts
    it back afterwards; ``list.pop`` and ``append`` are atomic, which makes a lock unnecessary.
    """

    def __init__(self, kernels: Kernels, method: RecordedIntegrator, acts: Acting) -> None:
        self._kernels, self._method, self._acts = kernels, method, acts
        self._own: defaultdict[Hashable, list[FewSteps]] = defaultdict(list)
        plain = isinstance(acts.tau, np.ndarray) and acts.f_ext is None and not kernels.driven
        self._kind = lasting(method) if plain else None
        self._idle = self._own if self._kind is None else kernels.idle_steps

    def __call__(self, sample: Sample, times: NDArray) -> NDArray | None:
        others: dict[str, NDArray] = {}
        if isinstance(sample.tau, Scheduled):
            others["tau"] = sample.tau.value if isinstance(sample.tau, Constant) else sample.tau.at(times)
        tau = others.get("tau", self._acts.tau)
        shape: tuple[int, ...] = ()
        if isinstance(tau, np.ndarray):
            others, shape = {"tau": tau}, tau.shape
        idle = self._idle[self._kind, len(times), shape]
        try:  # an idle one belongs to no run; pop is atomic
            steps = idle.pop()
        except IndexError:  # copies, since it writes to the arrays that it is made from
            own = tau.copy() if isinstance(tau, np.ndarray) else tau
            steps = few_steps(self._kernels, times.copy(), sample.x, sample.v, self._method, own, self._acts.f_ext)
        found = steps(times, sample.x, sample.v, others)
        idle.append(steps)
        return found


def blamed(
    recording: Recording,
    times: NDArray,
    model: Model,
    *functions: Force | None,
    nv: int | None = None,
    method: object = None,
) -> Recording:
    """Find out whether a user function or a prescribed motion ended a run that ran away; return the recording.

    The functions are called once more at the next stage times; if one raises, its message becomes the reason. nv :
    number of velocities that the functions get; all if not given. method : integrator; steps of adaptive ones may end
    beyond the next recorded time, so that is where they are called as well.
    """
    if not recording.ran_away:
        return recording
    functions = *functions, *(lambda t, q, v, joint=joint: joint.state(t) for joint in prescribed(model))
    k = int(np.searchsorted(times, recording.t[-1]))
    q, v, (t, end) = recording.q[-1], recording.v[-1][:nv], times[k : k + 2]
    # stages of most methods are there
    stages = [t, 0.5 * (t + end), end]
    if isinstance(method, Adaptive):
        stages += [min(times[-1], end + part * (end - t)) for part in (0.1, 0.5, 1.0)]
    for function in functions:
        try:
            for s in stages if function is not None else ():
                function(s, q, v)  # type: ignore[misc]
        except Exception as fault:
            if k == 0:  # not even the first step can be made, which is an error wherever it is stepped
                raise
            return replace(recording, stopped=f"{sentence(fault)} (after t = {t:.6g} s)", ran_away=False, fault=fault)
    return recording


def recording_of(run: Run, times: NDArray, method: RecordedIntegrator | Adaptive) -> Recording:
    """Return the recording of a compiled loop up to its last finite state, with the reason if it ended early.

    Raises
    ------
    ConvergenceError
        If an adaptive method does not come to the end of the first interval with the steps that it may take.
    """
    n = len(run.at)
    if not (np.isfinite(run.q).all() and np.isfinite(run.v).all()):
        # the first state that is not finite
        n = int(np.argmin(np.isfinite(run.q).all(axis=1) & np.isfinite(run.v).all(axis=1)))
    ran_away, last = run.ran_away or n < len(run.at), int(run.at[n - 1])
    steps, fault, stopped = last, None, ""
    if isinstance(method, Adaptive):
        steps, fault = method.verdict(run.account, times, last)
    if isinstance(fault, ConvergenceError):
        if last == 0:
            raise fault
        stopped, ran_away = f"{fault} (after t = {times[last]:.6g} s)", False
    elif ran_away:
        stopped = f"{fault or 'the state is not finite any more'} after t = {times[last]:.6g} s"
    elif run.interrupted:
        stopped = f"interrupted at t = {times[last]:.6g} s"
    interrupted = run.interrupted and not ran_away
    solves: Sequence[Solve] = () if run.solves is None else Solves(run.solves[: n - 1])
    return Recording(
        times[run.at[:n]], run.q[:n], run.v[:n], steps, stopped, ran_away, solves, interrupted, run.seconds
    )


def unsolved(
    recording: Recording, run: Run, times: NDArray, step: Callable[[int, NDArray, NDArray], object]
) -> Recording:
    """Add to a recording the error of a step whose equations could not be solved.

    Parameters
    ----------
    step : makes step k from a state (q, v) in the readable form of the method.

    Raises
    ------
    RbdkitError
        If it was the first step.
    """
    if run.unsolved is None:
        return recording
    k = recording.steps
    fault: RbdkitError = ConvergenceError(
        f"the equations of the step from t = {times[k]:.6g} s could not be solved by compiled code: the last residuals "
        f"are {', '.join(f'{r:.2g}' for r in residuals_of(run.unsolved)[-5:])}; take a shorter step"
    )
    try:
        with np.errstate(all="ignore"):
            step(k, recording.q[-1], recording.v[-1])
    except FloatingPointError:
        return recording
    except RbdkitError as words:
        fault = words
    except Exception:
        return recording  # of a function of the user's, which `blamed` asks
    if k == 0:
        raise fault
    return replace(recording, stopped=f"{fault} (after t = {times[k]:.6g} s)", ran_away=False)
