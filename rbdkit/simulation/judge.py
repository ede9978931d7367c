"""The judgement on a finished run: its energy, its step, the limits it passed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.formulations import JointSystem, Remarking
from rbdkit.integrators import Adaptive, Integrator
from rbdkit.simulation.adequacy import StepAdequacy, assess
from rbdkit.simulation.forces import Drive
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.recording import Recording
from rbdkit.simulation.report import Report, find_violations, likely_cause
from rbdkit.simulation.trajectory import Trajectory


def judge(
    motion: Trajectory,
    recording: Recording,
    method: Integrator | Adaptive,
    applied: Drive,
    times: NDArray,
    wall_time: float,
    backend: str,
) -> Report:
    """The report on a motion; times : of all steps, recorded or not; backend : what computed it, and why that."""
    model = motion.model
    with np.errstate(all="ignore"):
        energy_error, work_error, energy_scale = _energy_errors(motion)
        if isinstance(method, Adaptive):
            adequacy, step = None, float(motion.t[-1] - motion.t[0]) / max(recording.steps, 1)
        else:
            adequacy, step = _adequacy(method, motion, applied, times), float(times[1] - times[0])
    stopped = recording.stopped
    if applied.held is not None:
        energy_error = np.nan  # the work of forces that jump between the recorded states is not known well
    if recording.ran_away:
        energy_error = np.nan
        stopped = f"{stopped}; {likely_cause(model, motion.v[-1], adequacy, step)}"
    lossy = any(joint.damping.any() for joint in model.joints) or bool(motion.driven)
    return Report(
        integrator=method.name,
        backend=backend,
        steps=recording.steps,
        step=step,
        wall_time=wall_time,
        energy_error=energy_error,
        work_error=work_error,
        energy_scale=energy_scale,
        balanced=lossy or motion.tau is not None or motion.f_ext is not None,
        adaptive=isinstance(method, Adaptive),
        adequacy=adequacy,
        violations=() if recording.ran_away else find_violations(model, motion.t, motion.q, motion.v, motion.tau),
        stopped=stopped,
        notes=tuple(_notes(motion, applied)),
        iterations=_most_iterations(recording),
    )


def judge_formulation(
    motion: Motion,
    recording: Recording,
    method: Integrator | Adaptive,
    times: NDArray,
    wall_time: float,
    backend: str,
) -> Report:
    """The report on a motion in another formulation than joint coordinates: energy, constraints, equations solved."""
    model = motion.model
    with np.errstate(all="ignore"):
        energy_error, work_error, energy_scale = _energy_errors(motion)
    adaptive = isinstance(method, Adaptive)
    judged = not recording.ran_away and any(joint.limits.bounded for joint in model.joints)
    lossy = any(joint.damping.any() for joint in model.joints)
    return Report(
        integrator=method.name,
        backend=f"formulation {motion.system.name!r}, {backend}",
        steps=recording.steps,
        step=float(motion.t[-1] - motion.t[0]) / max(recording.steps, 1) if adaptive else float(times[1] - times[0]),
        wall_time=wall_time,
        energy_error=np.nan if recording.ran_away else energy_error,
        work_error=work_error,
        energy_scale=energy_scale,
        balanced=lossy or motion.tau is not None or motion.f_ext is not None,
        adaptive=adaptive,
        violations=find_violations(model, motion.t, motion.q, motion.v, motion.tau) if judged else (),
        stopped=recording.stopped,
        notes=() if recording.ran_away else tuple(_remarks(motion)),
        constraint_error=float(np.max(np.abs(motion.constraint_error()), initial=0.0)),
        iterations=_most_iterations(recording),
    )


def _energy_errors(motion: Trajectory) -> tuple[float, float, float]:
    """Largest energy error and uncertainty of the work, both relative to the energy that moves about, and that in J."""
    energy = motion.energy()
    scale = float(np.max(energy.kinetic) + np.ptp(energy.potential))
    try:
        worst, uncertain = float(np.nanmax(np.abs(motion.energy_error()))), motion.work_error()
    except (ArithmeticError, np.linalg.LinAlgError, RbdkitError):
        return np.nan, np.nan, scale  # the forces that stopped the run cannot be had at its last state either
    return (worst / scale, uncertain / scale, scale) if scale > 0.0 else (0.0, 0.0, scale)


def _adequacy(method: Integrator, motion: Trajectory, applied: Drive, times: NDArray) -> StepAdequacy | None:
    """Judge the step where the motion begins, midway and where it was fastest."""
    if motion.model.nv == 0:
        return None
    samples = []
    for row in sorted({0, len(motion) // 2, int(np.argmax(np.max(np.abs(motion.v), axis=1)))}):
        step = int(np.searchsorted(times, motion.t[row]))
        system = JointSystem(motion.model, applied.during(step), motion.f_ext)
        samples.append((system, motion.t[row], motion.q[row], motion.v[row]))
    return assess(method, samples, times[1] - times[0])


def _notes(motion: Trajectory, applied: Drive) -> list[str]:
    notes = []
    dry = [repr(joint.name) for joint in motion.model.joints if joint.friction.any()]
    if dry:
        where = ", ".join(dry) if len(dry) <= 3 else f"{len(dry)} joints"
        notes.append(f"dry friction of {where} was not simulated")
    doubtful = len(motion.model.validate())
    if doubtful:
        notes.append(f"the model has {doubtful} finding{'s' if doubtful > 1 else ''}, see model.validate()")
    if applied.held is not None:
        notes.append("energy not judged: the applied forces jump at the steps, so their work is known roughly only")
    return notes


def _remarks(motion: Motion) -> list[str]:
    """What the formulation has to say of the run."""
    return motion.system.remarks(motion.t, motion.x, motion.w) if isinstance(motion.system, Remarking) else []


def _most_iterations(recording: Recording) -> int:
    """Of Newton's method in a recorded step; 0 for explicit methods."""
    return max((solve.iterations for solve in recording.solves), default=0)
