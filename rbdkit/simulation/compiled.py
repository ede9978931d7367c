"""Runs whose loop over time is compiled."""

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
from rbdkit.simulation.forces import Constant, Drive, Scheduled
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import Recording
from rbdkit.simulation.traced_forces import Traced, Untraceable, Untraced, force_law, torque_law
from rbdkit.trace import FewSteps, Run, residuals_of

WORTH_COMPILING = 1000
"""So many evaluations of a function take as long from Python as its compilation."""


def acting(
    model: Model,
    on_links: Callable[[NDArray], NDArray],
    method: Integrator | Adaptive,
    applied: Drive,
    f_ext: Any,
    external: Force | None,
    times: NDArray,
) -> tuple[Acting | None, str]:
    """What acts on a model in a compiled loop over time; or None, and why there can be no such loop.

    Parameters
    ----------
    on_links : takes forces on bodies (..., bodies, 6) to those that the loop reads.
    applied : joint forces. f_ext : external forces as given. external : the same, as a checked function.
    times : of all steps, s.

    Raises
    ------
    SimulationError
        If a function is marked as `traced` and cannot be traced.
    """
    if why_not := obstacle(method, False, False):
        return None, why_not
    if isinstance(method, Adaptive | TimeSteps | ForceSteps) and _time_is_asked_from_python(model, times):
        return None, "joints move as a Python function of time says"
    functions = [x for x in (applied.law, f_ext) if callable(x)]
    short = (len(times) - 1) * least_evaluations(method) < WORTH_COMPILING
    if short and functions and not any(isinstance(x, Traced | Untraced) for x in functions):
        return None, f"{'f_ext' if applied.law is None else 'tau'} is a Python function, and few steps are not worth it"
    tau, duration, forces = applied.values, times[-1], None
    try:
        if tau is None:
            tau = torque_law(model, applied.law, applied.function, duration)  # type: ignore[assignment, arg-type]
    except Untraceable as fault:
        return None, f"tau {fault}"
    try:
        if not callable(f_ext):
            forces = external_forces(model, f_ext)
        elif external is not None:
            forces = force_law(model, on_links, f_ext, external, duration)
    except Untraceable as fault:
        return None, f"f_ext {fault}"
    assert tau is not None
    return Acting(tau, forces), ""


def _time_is_asked_from_python(model: Model, times: NDArray) -> bool:
    """Whether there are joints that move as time says, and their motions cannot be computed in a program."""
    kernels = kernels_for(model)
    return kernels is not None and bool(kernels.driven) and kernels.driven.motion(times) is None


def least_evaluations(method: Any) -> int:
    """How often a function of the state is asked in a step of an integrator, at least."""
    if isinstance(method, Adaptive):
        return method.order
    return int(np.size(method.b)) if isinstance(method, MuntheKaas) else 1


def obstacle(method: Integrator | Adaptive, tau_is_function: bool, f_ext_is_function: bool) -> str:
    """Why the loop over time cannot be compiled; empty if it can."""
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
    """The same as `record` of the method's steps; the arguments are those of `rbdkit.engine.simulate`.

    step : makes the step of a number from a state, by the readable form of the method.
    """
    try:
        run = run_kernels(kernels, q, v, times, method, acts.tau, acts.f_ext, every, watch.update, kind=lasting(method))
    finally:
        watch.close()
    return unsolved(recording_of(run, times, method), run, times, step)


def lasting(method: RecordedIntegrator | Adaptive) -> Hashable:
    """Names a method that does the same in all runs, as those that are known by name; None of others, which may change
    between two runs."""
    inner = method.method if type(method) is Projected else method
    ours = type(inner).__module__.startswith("rbdkit.") and INTEGRATORS.get(inner.name) is inner
    return (type(method), id(inner)) if ours else None


class JointSteps:
    """Steps of a model in joint coordinates by the code of its run; see `InCode`."""

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
        try:  # one that waits for its turn belongs to no run; taking it is one step of the interpreter
            steps = idle.pop()
        except IndexError:  # it writes to the arrays that it is made from
            own = tau.copy() if isinstance(tau, np.ndarray) else tau
            steps = few_steps(self._kernels, times.copy(), sample.x, sample.v, self._method, own, self._acts.f_ext)
        found = steps(times, sample.x, sample.v, others)
        idle.append(steps)
        return found


def blamed(
    recording: Recording, times: NDArray, model: Model, *functions: Force | None, nv: int | None = None
) -> Recording:
    """The recording of a run that ended early; if a function of the user's fails within the next step, it says so.

    So does the motion of a prescribed joint. nv : how many numbers of a velocity the functions see; all if not given.
    """
    if not recording.ran_away:
        return recording
    functions = *functions, *(lambda t, q, v, joint=joint: joint.state(t) for joint in prescribed(model))
    k = int(np.searchsorted(times, recording.t[-1]))
    q, v, (t, end) = recording.q[-1], recording.v[-1][:nv], times[k : k + 2]
    for function in functions:
        try:
            for s in (t, 0.5 * (t + end), end) if function is not None else ():
                function(s, q, v)  # type: ignore[misc]
        except Exception as fault:
            if k == 0:  # not even the first step can be made, which is an error wherever it is stepped
                raise
            return replace(recording, stopped=f"{sentence(fault)} (after t = {t:.6g} s)", ran_away=False, fault=fault)
    return recording


def recording_of(run: Run, times: NDArray, method: RecordedIntegrator | Adaptive) -> Recording:
    """What a compiled loop recorded, as far as it is finite: velocities may be while what they lead to is not.

    Raises
    ------
    ConvergenceError
        If an adaptive method does not come to the end of the first interval with the steps that it may take.
    """
    n = len(run.at)
    if not (np.isfinite(run.q).all() and np.isfinite(run.v).all()):
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
    """The recording of a run that ended where the equations of a step could not be solved, in words that say so.

    Parameters
    ----------
    step : makes the step of a number from a state, by the readable form of the method.

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
