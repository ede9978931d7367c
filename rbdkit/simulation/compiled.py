"""Runs whose loop over time is compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels, Run, Tableau
from rbdkit.engine import simulate as run_kernels
from rbdkit.integrators import Adaptive, Integrator, MuntheKaas, SymplecticEuler
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import Recording


def obstacle(method: Integrator | Adaptive, tau_is_function: bool, f_ext_is_function: bool) -> str:
    """Why the loop over time cannot be compiled; empty if it can."""
    if tau_is_function or f_ext_is_function:
        return f"{'tau' if tau_is_function else 'f_ext'} is a Python function"
    if isinstance(method, Adaptive):
        return "SciPy chooses the steps"
    if not (type(method) is SymplecticEuler or is_plain_tableau(method)):
        return f"{type(method).__name__} is a Python class of its own"
    return ""


def is_plain_tableau(method: Integrator) -> bool:
    """Whether a method is all in its tableau."""
    cls = type(method)
    return isinstance(method, MuntheKaas) and cls.step is MuntheKaas.step and cls.stages is MuntheKaas.stages


def record_compiled(
    kernels: Kernels,
    method: Integrator,
    times: NDArray,
    q: NDArray,
    v: NDArray,
    tau: NDArray,
    f_ext: NDArray | None,
    every: int,
    watch: Progress,
) -> Recording:
    """The same as `record` of the method's steps; the arguments are those of `rbdkit.engine.simulate`."""
    try:
        run = run_kernels(kernels, q, v, times, tableau_of(method), tau, f_ext, every, watch.update)
    finally:
        watch.close()
    return recording_of(run, times)


def tableau_of(method: Integrator) -> Tableau | None:
    """The tableau of a Runge-Kutta method, else None."""
    if not isinstance(method, MuntheKaas):
        return None
    return np.asarray(method.A, dtype=float).tolist(), np.asarray(method.b, dtype=float).tolist()


def recording_of(run: Run, times: NDArray) -> Recording:
    """What a compiled loop recorded."""
    stopped = ""
    if run.ran_away:
        stopped = f"the state is not finite any more after t = {times[run.steps]:.6g} s"
    elif run.interrupted:
        stopped = f"interrupted at t = {times[run.steps]:.6g} s"
    return Recording(times[run.at], run.q, run.v, run.steps, stopped, run.ran_away)
