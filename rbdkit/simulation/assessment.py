"""Assess a finished run: energy balance, step size, constraint errors, joint limits, unseen forces.

`judge` goes through what can be known of a motion without the true one:

1. Energy: its change must be the work of forces, motors and losses, integrated over the recorded states.
2. Step: the local error and the stability of a step at a few states (`adequacy`).
3. Constraints: the largest residual, by angle or by length of the mechanism.
4. Joint limits, whole turns that poses do not tell, forces that act between steps (`short_forces`), contacts.

The report must not alarm falsely, so most of this module decides when a number says nothing: the energy is not judged
if forces jump between recorded states, if a function has memory, or if states are recorded too sparsely to integrate
the power; the step is not judged if a contact law or an adaptive method chooses it. What costs time and may not be read
(`_found_later`) is computed at first access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError, RbdkitError
from rbdkit.forces.joint_friction import CREEP
from rbdkit.formulations import ConstrainedBodies, Formulation, JointSystem, Redmax, Remarking, joint_state
from rbdkit.formulations.free_bodies import FreeBodies
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.integrators import Adaptive, Integrator, MuntheKaas, Solves
from rbdkit.laws import ContactRecord, Law
from rbdkit.model import Model
from rbdkit.model.closing.length import length_of
from rbdkit.model.constraint_rows import working
from rbdkit.model.kept import kept
from rbdkit.model.measures import lengthwise
from rbdkit.model.names import listed
from rbdkit.model.one_sided import only_stops
from rbdkit.simulation.adequacy import InCode, Sample, StepAdequacy, assess
from rbdkit.simulation.breaks import declared_breaks
from rbdkit.simulation.closed_loops import loop_notes
from rbdkit.simulation.effort import cut_text
from rbdkit.simulation.forces import Drive
from rbdkit.simulation.largest_residuals import LargestResiduals, largest_residuals
from rbdkit.simulation.later import Later
from rbdkit.simulation.memory import memory_text, with_memory
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.own_classes import users_class
from rbdkit.simulation.recording import Recording
from rbdkit.simulation.report import (
    SHOWN,
    TOO_LONG,
    TOO_MUCH,
    Report,
    Violation,
    find_violations,
    likely_cause,
    limited_joints,
)
from rbdkit.simulation.resolution import displacement_error
from rbdkit.simulation.rounding import rounding_of_energy
from rbdkit.simulation.setting import Computed, Setting
from rbdkit.simulation.short_forces import ShortForce, shortest_unseen
from rbdkit.simulation.state_forces import StateForces
from rbdkit.simulation.trajectory import Trajectory
from rbdkit.simulation.whole_turns import lost_turns
from rbdkit.simulation.within_limits import why_not_stopped

MANY = 200
"""Number of velocity variables from which on a step is judged at two states only: the first and the fastest."""

COARSE = 0.05
"""Sum of the errors of all steps, rad or m, up to which they cannot explain an energy error."""
JUMP = 1e-4
"""Part of the energy scale from which on a jump of the energy between two recorded states is told."""
FEW = 20
"""Least number of recorded states among which a jump can be told from a drift."""


def judge(computed: Computed, wall_time: float) -> Report:
    """Assess a motion and return its report. wall_time : of the whole run, s."""
    setting, recording, motion, method = computed.setting, computed.recording, computed.motion, computed.method
    applied, times, contacts, model = computed.applied, setting.times, computed.contacts, setting.model
    largest = largest_residuals(motion._errors_in_parts()) if isinstance(motion, Motion) else None
    constraint_error, constraint, unit = _worst_constraint(motion, largest)
    memory = [] if recording.ran_away else with_memory(motion, applied)
    with np.errstate(all="ignore"):
        energy_error, work_error, energy_scale = _energy_errors(motion, float(times[1] - times[0]))
        if isinstance(method, Adaptive):
            adequacy, step = None, float(motion.t[-1] - motion.t[0]) / max(recording.steps, 1)
        elif contacts is not None or isinstance(method, Law) or memory:
            adequacy, step = None, float(times[1] - times[0])  # steps end at blows, which no polynomial passes
        else:
            by_force = recording.fault is not None and not isinstance(recording.fault, ConvergenceError)
            known = len(motion) - by_force  # no law tells what comes after the state that ended the run
            adequacy = _adequacy(method, motion, known, applied, times, computed.forces, computed.in_code)
            step = float(times[1] - times[0])
    if contacts is not None and contacts.doubtful and not recording.ran_away:
        contacts = replace(contacts, fastest=_fastest(motion))
    stopped = recording.stopped
    breaks = declared_breaks(model, applied.law, getattr(motion.f_ext, "function", None))
    if applied.jumps or breaks or memory or _forgotten(motion):
        energy_error = np.nan  # the work of forces that jump between the recorded states is not known well
    lost = energy_error > max(TOO_MUCH, work_error) and work_error > 0.0
    blurred = lost and not recording.ran_away and _blurred(motion, method, recording.steps, step, adequacy)
    if blurred or recording.ran_away:
        energy_error = np.nan
    jump = ""
    if adequacy is not None and energy_error > max(JUMP, 2.0 * work_error) and len(motion) >= FEW:
        jump = _jump(motion)
    if recording.ran_away:
        stopped = "; ".join([stopped, *_cause(motion, adequacy, step)])
    longest = method.longest(times) if isinstance(method, Adaptive) else step
    unseen = None
    if not recording.ran_away:
        unseen = shortest_unseen(motion, applied, breaks, longest, isinstance(method, Adaptive))
    notes = _notes(motion, applied, setting.findings, breaks, isinstance(method, Adaptive))
    if setting.request.effort == "clip" and (told := cut_text(motion, setting.request.u is not None)):
        notes.append(told)
    if blurred:
        notes.append(
            f"energy not judged: from one recorded state to the next, {motion.t[1] - motion.t[0]:.3g} s later, the "
            "motion changes too much to tell the work of forces; record more of them"
        )
    lossy = model.lossy or motion._moved_by_time or bool(working(model))
    closing = not isinstance(method, Law) and "constraints" in method.conserves
    return Report(
        integrator=method.name,
        backend=computed.code,
        steps=recording.steps,
        step=step,
        wall_time=recording.seconds,
        preparation_time=max(wall_time - recording.seconds, 0.0),
        **_judged_by(motion, adequacy, recording.steps),
        energy_error=energy_error,
        work_error=work_error,
        energy_scale=energy_scale,
        balanced=lossy or not applied.zero or motion.f_ext is not None or contacts is not None,
        order=method.order,
        adaptive=isinstance(method, Adaptive),
        adequacy=adequacy,
        violations=() if recording.ran_away or setting.request.limits == "ignore" else _violations(motion),
        stops=_stops(setting, motion),
        watched="" if setting.stops else _watched(computed),
        stopped=stopped,
        notes=Later(
            notes,
            *(() if recording.ran_away else _found_later(motion, method, closing, largest)),
        ),
        constraint_error=constraint_error,
        constraint=constraint,
        constraint_unit=unit,
        iterations=_most_iterations(recording),
        lost_turns=lost_turns(motion, applied) if isinstance(motion, Motion) and not recording.ran_away else "",
        contacts=contacts,
        closing=closing,
        memory=memory_text(memory, method) if memory else "",
        jump=jump,
        unseen="" if unseen is None else _unseen_text(unseen, longest, method),
    )


def _stops(setting: Setting, motion: Trajectory) -> Sequence[str]:
    """Return what became of joints that stop at their limits, as lines: which ones did, and which began beyond."""
    if not setting.stops:
        return ()
    reached: dict[str, float] = {}
    for event in motion.events:
        for name in {*event.names} & {*setting.stops} if event.kind != "loss" else ():
            reached.setdefault(name, event.t)
    first = [f"{name} first at t = {t:.4g} s" for name, t in reached.items()]
    more = f" and {len(first) - SHOWN} more" if len(first) > SHOWN else ""
    told = "joints stop at their limits: " + (", ".join(first[:SHOWN]) + more or "none was reached")
    if setting.before is not None:
        told += f"; until t = {setting.before.t[-1]:.4g} s steps are those of {setting.method.name}"
    return told, *setting.beyond


def _watched(computed: Computed) -> str:
    """Return why joints do not stop at their limits in a run, in words."""
    setting = computed.setting
    if setting.request.limits is not None:
        return "watched only, limits='stop' stops joints"
    why = computed.unstopped or why_not_stopped(setting.make, setting.law, setting.method)
    return f"joints were not stopped: {why}" if why else "watched only"


def _jump(motion: Trajectory) -> str:
    """Say where the energy jumps between two recorded states; empty if it drifts.

    The step is judged at a few states, which see nothing of a force that jumps elsewhere, as that of a spring does
    which goes through its zero length.
    """
    error = motion.energy_error()
    change = np.abs(np.diff(error))
    k = int(np.argmax(change))
    if not change[k] >= 0.5 * np.abs(error).max():  # nor if one is not a number
        return ""
    return (
        f"the energy jumps by {change[k]:.2g} J from t = {motion.t[k]:.6g} to {motion.t[k + 1]:.6g} s, where a force "
        "jumps or bends, or all goes fast; an adaptive integrator, 'dop853' say, makes short steps there"
    )


def _judged_by(motion: Trajectory, adequacy: StepAdequacy | None, steps: int) -> dict[str, Any]:
    """Return the scales by which a report judges errors: 1 rad for angles, the mechanism's length for displacements."""
    model = motion.model
    length = kept(model, length_of)
    sizes = np.where(kept(model, lengthwise), length, 1.0)
    ways = sizes
    if adequacy is not None and adequacy.error.size and (adequacy.error * steps >= TOO_LONG * sizes).any():
        covered = np.abs(motion.v).max(axis=0) * float(motion.t[-1] - motion.t[0])
        ways = np.where(kept(model, lengthwise), np.fmax(length, covered), 1.0)
    return {"length": length, "sizes": sizes, "ways": ways}


def _unseen_text(force: ShortForce, longest: float, method: Integrator | Adaptive | Law) -> str:
    """Return the alarm text of a force that acts between recorded times, with a remedy."""
    lasts = force.end - force.begin
    text = (
        f"{force.what} changes by {force.size:.3g} from t = {force.begin:.9g} to {force.end:.9g} s, between two "
        f"recorded times that show nothing of it, and steps of up to {longest:.3g} s may pass over it"
    )
    declare = f"eclare the times where it jumps or bends, {force.declare} = [{force.begin:.9g}, {force.end:.9g}]"
    if isinstance(method, Adaptive):
        return f"{text}. D{declare}, or take max_step = {0.5 * lasts:.2g} s"
    return f"{text}. Take dt = {0.5 * lasts:.2g} s or shorter, or an adaptive integrator, 'dop853' say, and d{declare}"


def unjudged(computed: Computed, wall_time: float, why: str = "") -> Report:
    """Return the report of a motion whose assessment was interrupted or failed.

    wall_time : of the whole run, s. why : the reason in words, empty if it was interrupted.
    """
    recording, method = computed.recording, computed.method
    return Report(
        integrator=method.name,
        backend=computed.code,
        steps=recording.steps,
        step=float(recording.t[-1] - recording.t[0]) / max(recording.steps, 1),
        wall_time=recording.seconds,
        preparation_time=max(wall_time - recording.seconds, 0.0),
        energy_error=np.nan,
        work_error=np.nan,
        energy_scale=np.nan,
        balanced=False,
        order=method.order,
        adaptive=isinstance(method, Adaptive),
        stopped=recording.stopped,
        judged=False,
        unjudged=why,
        contacts=computed.contacts,
    )


def _cause(motion: Trajectory, adequacy: StepAdequacy | None, step: float) -> list[str]:
    """Return the likely cause of a motion that ran away, in a list; empty if its last state does not tell."""
    if not isinstance(motion, Motion):
        return [likely_cause(motion.model, motion.v[-1], adequacy, step)]
    try:
        poses, velocities = motion.system.poses(motion.x[-1]), motion.system.velocities(motion.x[-1], motion.w[-1])
        return [likely_cause(motion.model, joint_state(motion.model, poses, velocities)[1], adequacy, step)]
    except (ArithmeticError, np.linalg.LinAlgError, RbdkitError):
        return []


def _violations(motion: Trajectory) -> Sequence[Violation]:
    if not kept(motion.model, limited_joints):
        return ()  # joint coordinates need not even be computed
    return find_violations(motion.model, motion.t, motion.q, motion.v, motion.tau)


def _worst_constraint(motion: Trajectory, largest: LargestResiduals | None) -> tuple[float, str, str]:
    """Return the largest residual of a constraint, its name and time in words, and its unit."""
    if largest is None:
        return 0.0, "", ""
    whose, unit = "what ties its variables together", "rad, m"
    if not (isinstance(motion, Motion) and isinstance(motion.system, ConstrainedBodies | ClosedJointSystem)):
        return largest.value, f"{whose} at t = {motion.t[largest.state]:.4g} s", unit
    names, state = motion.system.row_names(), largest.state
    lengths = np.array([1.0 if unit == "rad" else kept(motion.model, length_of) for _, unit in names])
    row = int(np.argmax(largest.rows / lengths))  # as alarms compare them
    if row != largest.row:
        state = int(np.argmax(np.concatenate([np.abs(part[:, row]) for part in motion._errors_in_parts()])))
    whose, unit = names[row]
    return float(largest.rows[row]), f"{whose} at t = {motion.t[state]:.4g} s", unit


def _fastest(motion: Trajectory) -> float:
    """Return the largest speed of a centre of mass, m/s."""
    bodies = motion.model.bodies
    com = np.array([np.zeros(3) if body.inertia is None else body.inertia.com for body in bodies])
    velocities = motion.velocities()
    return float(np.max(np.linalg.norm(velocities[..., 3:] + np.cross(velocities[..., :3], com), axis=-1)))


def _blurred(
    motion: Trajectory, method: Integrator | Adaptive | Law, steps: int, step: float, adequacy: StepAdequacy | None
) -> bool:
    """Whether recorded states are too far apart to integrate the work of forces, given that the steps are accurate."""
    if not isinstance(method, Adaptive) and motion.t[1] - motion.t[0] < 1.5 * step:
        return False  # all steps are recorded
    if adequacy is not None and not (adequacy.stable and steps * np.max(adequacy.error, initial=0.0) < COARSE):
        return False
    return displacement_error(motion) > TOO_MUCH


def _of_a_step(model: Model, step: float) -> float:
    """Return the energy that gravity gives resting bodies in a step before contacts take it, J.

    If everything rests it is the only energy that is exchanged, hence the scale of energy errors.
    """
    mass = sum(body.inertia.mass for body in model.bodies if body.inertia is not None)
    return float(mass * (step * np.linalg.norm(model.gravity)) ** 2)


def _energy_errors(motion: Trajectory, step: float) -> tuple[float, float, float]:
    """Return the largest energy error and the uncertainty of the work, both relative to the energy scale, and it in J.

    The energy scale is the largest kinetic energy plus the range of the potential energy.
    """
    energy = motion.energy()
    potential = energy.potential
    scale = float(energy.kinetic.max() + (potential.max() - potential.min()))
    if motion.contacts is not None:
        scale = max(scale, _of_a_step(motion.model, step))
    try:
        worst, uncertain = float(np.fmax.reduce(np.abs(motion.energy_error()))), motion.work_error()
    except Exception:
        return np.nan, np.nan, scale  # the forces that stopped the run cannot be had at its last state either
    if worst > TOO_MUCH * scale:
        rounding = rounding_of_energy(motion.model, motion.poses(), energy)
        uncertain = max(uncertain, rounding)
        worst = 0.0 if worst <= rounding else worst  # held still: there is nothing that it could be a part of
    return (worst / scale, uncertain / scale, scale) if scale > 0.0 else (0.0, 0.0, scale)


def _adequacy(
    method: Integrator,
    motion: Trajectory,
    known: int,
    applied: Drive,
    times: NDArray,
    acting: StateForces | None,
    in_code: InCode | None,
) -> StepAdequacy | None:
    """Judge the step where the motion begins, midway and where it was fastest, among its first `known` states."""
    if motion.model.nv == 0:
        return None
    return assess(method, _samples(method, motion, known, applied, times, acting), times[1] - times[0], in_code)


def _samples(
    method: Integrator, motion: Trajectory, known: int, applied: Drive, times: NDArray, acting: StateForces | None
) -> Iterator[Sample]:
    # a method other than Runge-Kutta may carry something from step to step, so a step from a state alone is not the
    # run's
    h, remembers = times[1] - times[0], type(method).step is not MuntheKaas.step
    x, w = (motion.x, motion.w) if isinstance(motion, Motion) else (motion.q, motion._rates_of_motion)
    # the row in which the largest velocity stands
    ends = {0, _largest(w[:known]) // w.shape[1]}
    if not remembers and len(motion) == len(times) and x is motion.q:
        ends = {min(row, len(motion) - 2) for row in ends}  # from there the run has made a step itself
    rows = sorted(ends | ({known // 2} if w.shape[1] < MANY else set()))
    trees = _as_trees(motion.system, x[rows], w[rows]) if isinstance(motion, Motion) else zip(x[rows], w[rows])
    joints: JointSystem | None = None
    for row, tree in zip(rows, trees, strict=True):
        t = motion.t[row]
        step = int(times.searchsorted(t))
        tau = applied.during(step)
        if tree is not None and (joints is None or joints.tau is not tau):  # one for all forces that are the same
            joints = JointSystem(motion.model, tau, motion.f_ext)
        linear = None if tree is None or joints is None else (joints, *tree)
        if acting is not None and acting.step is not None:
            acting.step = step
        if isinstance(motion, Motion):
            yield Sample(motion.system, t, x[row], w[row], linear, tau)
        elif linear is not None:
            own = not remembers and row + 1 < len(motion) and abs(motion.t[row + 1] - t - h) <= 1e-9 * h
            yield Sample(linear[0], t, x[row], w[row], linear, tau, x[row + 1] if own else None)


def _largest(x: NDArray) -> int:
    """Return the flat index of the first largest absolute value of an array, or of the first NaN."""
    # twice over the array, but without a copy of it as by np.abs
    there, back = int(x.argmax()), int(x.argmin())
    ahead, behind = x.flat[there], -x.flat[back]
    return there if ahead > behind else back if behind > ahead else min(there, back)


def _as_trees(system: Formulation, x: NDArray, w: NDArray) -> list[tuple[NDArray, NDArray] | None]:
    """Return states (n, nx), (n, nw) in joint coordinates, or None where the formulation's dynamics differ from theirs.

    Joint coordinates are cheaper to linearise.
    """
    if type(system) is Redmax:
        return list(zip(x, w))
    same = isinstance(system, FreeBodies) or (
        isinstance(system, ConstrainedBodies)
        and not (system.model.loops or system.model.constraints)
        and system.baumgarte is None
    )
    same = same and not users_class(system, "compiled_run")
    if not same:
        return [None] * len(x)
    try:
        q, v = joint_state(system.model, system.poses(x), system.velocities(x, w))
        return list(zip(q, np.concatenate([v, w[:, w.shape[1] - system.model.nz :]], axis=1), strict=True))
    except RbdkitError:  # among them is a state that ran away
        return [None] if len(x) == 1 else [tree for k in range(len(x)) for tree in _as_trees(system, x[[k]], w[[k]])]


def _notes(motion: Trajectory, applied: Drive, doubtful: int, breaks: tuple[float, ...], adaptive: bool) -> list[str]:
    notes = []
    if breaks and not adaptive:
        notes.append(
            f"{len(breaks)} breaks of forces are declared, which steps of given length do not heed: the motion is of "
            "first order there. Adaptive integrators, 'dop853' say, end a step at each"
        )
    if dry := kept(motion.model, _rubbing):
        where = ", ".join(dry) if len(dry) <= 3 else f"{len(dry)} joints"
        half, most = (CREEP * load / np.sqrt(1.0 - load * load) for load in (0.5, 0.9))
        notes.append(
            f"dry friction of {where} is smooth: what ought to stick creeps, with {half:.2g} rad/s or m/s under half "
            f"of the largest friction, {most:.2g} under nine tenths; see rbdkit.JointFriction"
        )
    if doubtful:
        notes.append(f"the model has {doubtful} finding{'s' if doubtful > 1 else ''}, see model.validate()")
    if motion.contacts is None and (at_work := working(only_stops(motion.model))):
        notes.append(f"energy not judged: the work of bounds that move is not known, that of {listed(at_work)}")
    if missing := _forgotten(motion):
        notes.append(
            f"energy not judged: tau failed at {missing} of {len(motion)} recorded states when it was asked there again"
        )
    if applied.jumps:
        notes.append("energy not judged: the applied forces jump at the steps, so their work is known roughly only")
    elif breaks:
        notes.append("energy not judged: forces jump at their breaks, so their work is known roughly only")
    return notes


def _forgotten(motion: Trajectory) -> int:
    """Return at how many states other than the last the joint forces could not be evaluated again."""
    return 0 if motion.tau is None else int(np.isnan(motion.tau[:-1]).any(axis=1).sum())


def _open_shares(contacts: ContactRecord) -> list[str]:
    if not (names := contacts.open_shares()):
        return []
    where = ", ".join(names) if len(names) <= 3 else f"{len(names)} pairs"
    return [
        f"contact forces of {where} are indeterminate: more points hold the bodies than are needed, and stiffness "
        "would decide on shares; given are the smallest forces that do the same to the motion"
    ]


def _rubbing(model: Model) -> list[str]:
    return [repr(joint.name) for joint in model.joints if joint.friction.any()]


def _found_later(
    motion: Trajectory, method: Integrator | Adaptive | Law, closing: bool, largest: LargestResiduals | None
) -> Iterator[Callable[[], Sequence[str]]]:
    """Yield functions that compute further notes when the report is read: on contacts, loops and the formulation.

    closing : whether every step ends with a projection onto the constraints. largest : the largest residuals.
    """
    if motion.contacts is not None:
        yield partial(_open_shares, motion.contacts)
    if not isinstance(motion, Motion):
        return
    system = motion.system
    rows: NDArray | slice = slice(None)
    if isinstance(system, ClosedJointSystem):
        worst, value = (np.zeros(0), 0.0) if largest is None else (largest.rows, largest.value)
        yield partial(loop_notes, system, worst, method)
        rows = system.looked_at(len(motion), value)
    if isinstance(system, Remarking):
        yield partial(system.remarks, motion.t[rows].copy(), motion.x[rows].copy(), motion.w[rows].copy(), closing)


def _most_iterations(recording: Recording) -> int:
    """Return the largest number of Newton iterations in a step; 0 for explicit methods."""
    if isinstance(recording.solves, Solves):
        return recording.solves.most_iterations
    return max((solve.iterations for solve in recording.solves), default=0)
