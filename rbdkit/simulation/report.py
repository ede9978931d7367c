"""The report of a simulation: accuracy of the step, energy balance, constraints, limits, and alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.laws.report import ContactReport
from rbdkit.model import Joint, Model
from rbdkit.model.kept import kept
from rbdkit.simulation.adequacy import StepAdequacy
from rbdkit.simulation.later import Later
from rbdkit.simulation.variables import mover_name, position_unit, variable_name

ADEQUATE = 1e-3
"""Sum of the errors of all steps, rad or parts of the mechanism's length, up to which a step is called adequate."""
TOO_LONG = 1.0
"""Sum of the errors of all steps above which the motion has little to do with the model's; displacements count as parts
of the distance covered, if that is more than the length."""
TOO_MUCH = 0.05
"""Energy error above which the motion is doubtful, as a part of the energy scale."""
OPEN = 1e-2
"""Residual of a position constraint, rad or part of the mechanism's length, above which it counts as violated."""

UNITS = "in rad or m, their rates, N m or N"
NOTICED = 0.1
"""Least preparation time that a report mentions, s."""
SHOWN = 3
"""Largest number of limit violations that a report lists."""


@dataclass(frozen=True)
class Violation:
    """A joint limit that was exceeded.

    Attributes
    ----------
    joint : str
        Name of the joint.
    what : str
        Kind of limit: 'position', 'speed' or 'effort'.
    since : float
        Time at which it was first exceeded, s.
    value, bound : float
        The largest value, and the limit; in rad or m, their rates, N m or N.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("wheel", gravity=(0, 0, 0))
    >>> rim = rbd.Inertia.cylinder(0.3, 0.02, mass=1.0)
    >>> wheel = model.add_body("wheel", joint=rbd.Revolute("z"), inertia=rim, limits=rbd.Limits(velocity=5.0))
    >>> (passed,) = rbd.simulate(model, [0.0], [8.0], duration=0.1).report.violations
    >>> passed.joint, passed.value, passed.bound
    ('wheel_joint', 8.0, 5.0)
    """

    joint: str
    what: str
    since: float
    value: float
    bound: float

    def __str__(self) -> str:
        return f"{self.joint}: {self.what} {self.value:.4g} beyond {self.bound:.4g} (since t = {self.since:.4g} s)"


@dataclass(frozen=True)
class Report:
    """How a simulation was run and how far it can be trusted.

    Attributes
    ----------
    integrator, backend : str
        Name of the integrator, and the code that ran, with the reason.
    steps, step
        Number of steps and their length, s, the mean one if the integrator chose them.
    wall_time : float
        Wall time of the steps alone, s.
    energy_error : float
        Largest deviation of the energy from what forces and dampers account for, relative to `energy_scale`; NaN where
        it is meaningless.
    work_error : float
        Uncertainty of the work computed from the recorded states, relative to `energy_scale`; a smaller energy_error is
        not significant.
    energy_scale : float
        Largest kinetic energy plus the range of the potential energy, J.
    balanced : bool
        Whether there were work and losses, which energy_error accounts for.
    adaptive : bool
        Whether the integrator chose the steps.
    adequacy : StepAdequacy or None
        Whether the step was short enough; None for adaptive integrators.
    violations : sequence of Violation
        Joint limits that were exceeded, computed at first access; none are listed for a motion that ran away.
    stops : sequence of str
        Empty, or at which limits joints stopped first, and which joints began beyond them.
    watched : str
        Empty, or why joints that pass a limit did not stop there.
    stopped : str
        Empty, or why the run ended early.
    notes : sequence of str
        Further remarks; some are computed at first access.
    constraint_error : float
        Largest residual of a constraint, rad or m, or m/s of a nonholonomic one; 0 without constraints.
    constraint : str
        Name of that constraint, and when, in words.
    constraint_unit : str
        Unit of that residual.
    iterations : int
        Largest number of Newton iterations in a recorded step; 0 for explicit methods.
    order : int
        Order of the integrator.
    lost_turns : str
        Empty, or which joint turned past half a turn, and when, in a formulation that does not count turns.
    judged : bool
        Whether the motion could be assessed; if not, the numbers above are meaningless.
    unjudged : str
        Why it could not be assessed, unless that was interrupted.
    contacts : ContactReport or None
        How contacts were computed; None if nothing could touch.
    closing : bool
        Whether the integrator projects onto the constraints in every step; alarms then use a smaller bound.
    memory : str
        Empty, or which function depends on earlier calls, and what that means.
    unseen : str
        Empty, or which force acts for so short a time that steps may miss it.
    jump : str
        Empty, or where the energy jumps although the judged steps are short enough.
    preparation_time : float
        Wall time of preparation, s: tracing and compilation, or lookup in the code cache.
    length : float
        Length of the mechanism, m, by which displacements are judged.
    sizes, ways : (nv,) or None
        Scales for the errors of each joint variable: 1 rad or the length, m; 1 rad or the distance covered, m.
    traceback : str
        Empty, or the traceback of the exception that ended the run.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> report = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.5, dt=0.01).report
    >>> report.integrator, report.steps, bool(report.adequacy.stable)
    ('rk4', 50, True)
    """

    integrator: str
    backend: str
    steps: int
    step: float
    wall_time: float
    energy_error: float
    work_error: float
    energy_scale: float
    balanced: bool
    adaptive: bool = False
    adequacy: StepAdequacy | None = None
    violations: Sequence[Violation] = ()
    stops: Sequence[str] = ()
    watched: str = ""
    stopped: str = ""
    notes: Sequence[str] = ()
    constraint_error: float = 0.0
    constraint: str = ""
    constraint_unit: str = "rad, m"
    iterations: int = 0
    order: int = 1
    lost_turns: str = ""
    judged: bool = True
    unjudged: str = ""
    contacts: ContactReport | None = None
    closing: bool = False
    memory: str = ""
    unseen: str = ""
    jump: str = ""
    preparation_time: float = 0.0
    length: float = 1.0
    sizes: NDArray | None = None
    ways: NDArray | None = None
    traceback: str = ""

    @property
    def end_error(self) -> float:
        """Estimated error of all steps in the worst joint, rad or m: the error of one step times their number.

        To find the worst joint, lengths are measured in lengths of the mechanism, angles in rad.

        Growth of early errors is not included: an upright arm, or a double pendulum that turns over, may amplify them a
        thousandfold; see `Trajectory.error_growth`.
        """
        if self.adequacy is None or not self.adequacy.error.size:
            return 0.0
        return float(self.adequacy.error[self._worst]) * self.steps

    @property
    def _worst(self) -> int:
        """Index of the joint variable with the largest error relative to its scale."""
        assert self.adequacy is not None
        return int(np.argmax(self.adequacy.error / (1.0 if self.sizes is None else self.sizes)))

    @property
    def _size(self) -> float:
        """Scale by which the error of the worst variable is judged, rad or m."""
        return 1.0 if self.sizes is None or not self.sizes.size else float(self.sizes[self._worst])

    @property
    def _too_long(self) -> bool:
        if self.adequacy is None or not self.adequacy.error.size:
            return False
        ways = 1.0 if self.ways is None else self.ways
        return float(np.max(self.adequacy.error / ways)) * self.steps >= TOO_LONG

    @property
    def compiled(self) -> bool:
        """Whether the whole loop over time ran as machine code."""
        return "compiled loop (LLVM)" in self.backend

    @property
    def _wrong(self) -> bool:
        """Whether the errors are as large as the motion."""
        return self._too_long or self._energy_lost

    @property
    def too_long(self) -> bool:
        """Whether the steps are so long that the motion has little to do with the model's."""
        return self._wrong or (self.adequacy is not None and not self.adequacy.stable)

    @property
    def _is_adequate(self) -> bool:
        return self.end_error < ADEQUATE * (self._size if self.adequacy is not None else 1.0)

    @property
    def _energy_lost(self) -> bool:
        return self.energy_error > max(TOO_MUCH, self.work_error)

    @property
    def _open(self) -> bool:
        """Whether a constraint is violated; NaN counts as violated."""
        return not self.constraint_error < (ADEQUATE if self.closing else OPEN) * self._gap

    @property
    def _gap(self) -> float:
        """Scale by which the constraint residual is judged: 1 rad, or the length of the mechanism, m."""
        return 1.0 if self.constraint_unit == "rad" else self.length

    def lines(self, model: Model) -> list[str]:
        """Return the report as lines of text."""
        length = f"{self.step:.3g} s" + (" on average" if self.adaptive else "")
        how = f"with {self.integrator} in {self.wall_time:.3g} s"
        if self.preparation_time > max(self.wall_time, NOTICED):
            how += f", prepared in {self.preparation_time:.2g} s"
        lines = [f"{self.steps} steps of {length} {how}", self.backend]
        if np.isfinite(self.energy_error):
            lines.append(self._energy_text())
        if self.constraint_error and not self._open:
            coarse = "" if self.constraint_error < ADEQUATE * self._gap else f", {self.constraint}: coarse"
            lines.append(f"constraints hold to {self.constraint_error:.2g} ({self.constraint_unit}){coarse}")
        if self.iterations:
            lines.append(f"at most {self.iterations} Newton iterations a step")
        alarms = self.alarms(model)
        if self.adequacy is not None and self.adequacy.stable and not self._wrong:
            verdict = "adequate" if self._is_adequate else "coarse"
            errors = self._error_text(model, self.adequacy)
            lines.append(
                f"step coarse: {self.jump}" if self.jump and self._is_adequate else f"step {verdict}: {errors}"
            )
        if self.contacts is not None:
            lines += self.contacts.lines()
        lines += self.stops
        if self.violations:
            how = self.watched if any(one.what == "position" for one in self.violations) else ""
            lines.append(f"limits of joints passed ({UNITS}; {how or 'watched only'}):")
            lines += [f"  {violation}" for violation in self.violations[:SHOWN]]
            if (more := len(self.violations) - SHOWN) > 0:
                lines.append(f"  and {more} more, see report.violations")
        return [*lines, *self.notes, *alarms]

    def alarms(self, model: Model) -> list[str]:
        """Return the alarms: the lines that make the motion doubtful, also issued as a warning."""
        lines = []
        adequacy = self.adequacy
        if adequacy is not None and not adequacy.stable:
            lines.append(
                f"STEP TOO LONG: {mover_name(model, adequacy.fastest)} has a motion with rate "
                f"{adequacy.fastest_rate:.3g} 1/s, which {self.step:.3g} s steps make grow instead of die out; stable "
                f"up to about {adequacy.stable_step:.2g} s. Take a shorter step, an adaptive integrator ('radau' for "
                "stiff systems), or less damping or stiffness there"
            )
        elif self._wrong:
            energy = [self._energy_text()] if np.isfinite(self.energy_error) else []
            if adequacy is not None:
                lines.append("STEP TOO LONG: " + "; ".join([*energy, self._error_text(model, adequacy)]))
            else:
                lines.append("ENERGY NOT KEPT: " + "; ".join([*energy, self._energy_advice()]))
        if self._open:
            lines.append(self._open_text())
        if self.contacts is not None:
            lines += self.contacts.alarms()
        if self.lost_turns:
            of_loop = self.lost_turns.startswith("loop")
            mend = "Cut the loop at another joint" if of_loop else "Take formulation='joint'"
            lines.append(
                f"WHOLE TURNS LOST: {self.lost_turns}, and what acts by its coordinates or along its axes, a spring, "
                f"a force element, tau or f_ext, jumped there: poses tell no more. {mend}"
            )
        if self.memory:
            lines.append(f"LAW WITH MEMORY: {self.memory}")
        if self.unseen:
            lines.append(f"FORCE BETWEEN STEPS: {self.unseen}")
        if not self.judged:
            lines.append(
                f"NOT JUDGED: {self.unjudged or 'interrupted'} while energy, step and limits were looked at; of the "
                "motion nothing is lost"
            )
        if self.stopped:
            lines.append(f"STOPPED: {self.stopped}")
        return lines

    def _energy_text(self) -> str:
        if self.energy_error == 0.0:
            return "energy is kept to round-off"
        joules = self.energy_error * self.energy_scale
        amount = f"{joules:.2g} J, {self.energy_error:.2g} of the {self.energy_scale:.4g} J that move about"
        if not self.balanced:
            return f"energy drift: {amount}"
        if self.energy_error > self.work_error:
            return f"energy error (work and losses counted in): {amount}"
        return f"energy balance holds to {amount}, as well as the recorded states give the work"

    def _energy_advice(self) -> str:
        """Return advice against an energy error if no step size was judged."""
        if self.adaptive:
            return f"take smaller tolerances, Adaptive({self.integrator!r}, rtol=1e-11, atol=1e-11) for instance"
        return (
            f"a step of {self._mended(self.energy_error, ADEQUATE):.1g} s should keep it to about {ADEQUATE:g} of that"
        )

    def _open_text(self) -> str:
        """Return the alarm text of a violated constraint."""
        text = f"CONSTRAINTS VIOLATED: {self.constraint} is off by {self.constraint_error:.2g} ({self.constraint_unit})"
        if not np.isfinite(self.constraint_error):
            return text
        if self.closing:
            return (
                f"{text}; {self.integrator} closes joints in every step, and could not there: begin beside a pose "
                "where constraints lose rank, on the branch that is meant (rbdkit.mobility tells), or shorten the step"
            )
        ways = [] if self.adaptive else [f"a step of {self._mended(self.constraint_error, ADEQUATE * self._gap):.1g} s"]
        if self.constraint.startswith(("joint", "constraint")):
            ways.append("an integrator that closes joints in every step: 'rk4_projected'")
        return f"{text}; take {', or '.join(ways)}" if ways else text

    def _mended(self, error: float, wanted: float) -> float:
        """Return the step, s, that reduces an error to the wanted size, by the integrator's order."""
        # a little shorter than the order says, as errors follow it only roughly
        return 0.9 * self.step * (wanted / error) ** (1.0 / self.order)

    def _error_text(self, model: Model, adequacy: StepAdequacy) -> str:
        """Return a sentence on the error, and on the step that would reduce it."""
        worst = self._worst if adequacy.error.size else 0
        where = f" {position_unit(model, worst)} in joint {variable_name(model, worst)}" if adequacy.error.size else ""
        text = f"the errors of its steps add up to {self.end_error:.1g}{where}"
        if self._is_adequate or not np.isfinite(self.end_error):
            return text
        wanted = ADEQUATE * self._size
        text += f"; a step of {self._mended(self.end_error, wanted):.1g} s would bring them to about {wanted:.2g}"
        return f"{text}, and so would a longer one with 'rk4'" if adequacy.order == 1 else text


def likely_cause(model: Model, v: NDArray, adequacy: StepAdequacy | None, step: float) -> str:
    """Return a text that names the joint that ran away, from the last finite velocities v (nv,), and a likely cause."""
    worst = int(np.argmax(np.abs(v)))
    speed = f"{abs(v[worst]):.3g} {position_unit(model, worst)}/s"
    if adequacy is not None and not adequacy.stable:
        why = f"the step of {step:.3g} s is too long for {mover_name(model, adequacy.fastest)}"
    elif abs(v[worst]) > 1e4:
        why = "a force that grows with the motion, or a step that is too long"
    else:
        why = "a sudden force, or a pose in which the joint has lost a freedom"
    return f"joint {variable_name(model, worst)} was the fastest, at {speed}; likely cause: {why}"


def find_violations(model: Model, t: NDArray, q: NDArray, v: NDArray, tau: NDArray | None) -> Sequence[Violation]:
    """Return the joint limits that a motion exceeds; the list is computed at first access, unless it is empty."""
    # extremes of each column first: most motions exceed no limit, and then nothing else is computed
    (q, low, high), (v, slowest, fastest) = _extremes(q), _extremes(v)
    ends, fastest = np.stack([low, high]), np.maximum(fastest, -slowest)
    strongest = None
    if tau is not None:
        tau, weakest, strongest = _extremes(tau)
        strongest = np.maximum(strongest, -weakest)
    bounds = kept(model, _bounds)
    joints = kept(model, limited_joints) if bounds.passed(ends, fastest, strongest) else bounds.others
    if not joints:
        return ()
    return Later((), partial(_violations, joints, t.copy(), q, v, tau, ends, fastest, strongest))


def _extremes(x: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return a copy of x (n, k) with contiguous columns, and the smallest and largest number of each, (k,)."""
    columns = np.array(x.T, order="C")
    with np.errstate(invalid="ignore"):
        low, high = columns.min(axis=1), columns.max(axis=1)
        if np.isnan(low).any():
            # slower, and only needed where a value is not a number, as a force that failed
            low, high = np.fmin.reduce(columns, axis=1), np.fmax.reduce(columns, axis=1)
    return columns.T, low, high


def _violations(
    joints: Sequence[Joint],
    t: NDArray,
    q: NDArray,
    v: NDArray,
    tau: NDArray | None,
    ends: NDArray,
    fastest: NDArray,
    strongest: NDArray | None,
) -> Sequence[Violation]:
    """Return the violations of these joints' limits. ends, fastest, strongest : extremes of the motion."""
    found: list[Violation] = []
    for joint in joints:
        name, limits, positions = joint.name, joint.limits, joint.coordinates(ends)
        upper, lower, speeds = positions.max(axis=0), positions.min(axis=0), np.abs(joint.velocities(fastest))
        if (upper > limits.upper).any():
            found += _passed(name, "position", t, joint.coordinates(q), upper, limits.upper)
        if (lower < limits.lower).any():
            below = _passed(name, "position", t, -joint.coordinates(q), -lower, -np.asarray(limits.lower))
            found += [replace(one, value=-one.value, bound=-one.bound) for one in below]
        if (speeds > limits.velocity).any():
            found += _passed(name, "speed", t, np.abs(joint.velocities(v)), speeds, limits.velocity)
        if strongest is not None and tau is not None and joint.mimic is None:
            efforts = strongest[joint.v_slice]
            if (efforts > limits.effort).any():
                found += _passed(name, "effort", t, np.abs(tau[:, joint.v_slice]), efforts, limits.effort)
    return found


@dataclass(frozen=True)
class _Bounds:
    """Limits of all joints as arrays, with the indices of the coordinates and velocities that they belong to.

    others : mimic joints, whose coordinates are not part of the state.
    """

    at_q: NDArray
    lower: NDArray
    upper: NDArray
    at_v: NDArray
    velocity: NDArray
    effort: NDArray
    others: tuple[Joint, ...]

    def passed(self, ends: NDArray, fastest: NDArray, strongest: NDArray | None) -> bool:
        """Whether a motion with these extremes exceeds a limit."""
        return bool(
            (ends[0, self.at_q] < self.lower).any()
            or (ends[1, self.at_q] > self.upper).any()
            or (fastest[self.at_v] > self.velocity).any()
            or (strongest is not None and (strongest[self.at_v] > self.effort).any())
        )


def _bounds(model: Model) -> _Bounds:
    """Return the limits of `limited_joints` as arrays."""
    limited = kept(model, limited_joints)
    own = [joint for joint in limited if joint.mimic is None]

    def row(part: str, bound: str | None = None) -> NDArray:
        places = [range(model.nq if part == "q" else model.nv)[getattr(joint, f"{part}_slice")] for joint in own]
        if bound is None:
            return np.array([k for some in places for k in some], dtype=int)
        given = [np.broadcast_to(getattr(joint.limits, bound), len(k)) for joint, k in zip(own, places, strict=True)]
        return np.concatenate([np.zeros(0), *given])

    others = tuple(joint for joint in limited if joint.mimic is not None)
    return _Bounds(
        row("q"), row("q", "lower"), row("q", "upper"), row("v"), row("v", "velocity"), row("v", "effort"), others
    )


def _passed(joint: str, what: str, t: NDArray, values: NDArray, largest: NDArray, bound: ArrayLike) -> list[Violation]:
    """Return the worst violation of upper bounds (k,) by values (n, k), in a list; empty within round-off.

    largest : (k,) largest value of each column.
    """
    bounds = np.asarray(bound, dtype=float)
    limit = bounds + 1e-9 * (1.0 + np.abs(np.where(np.isfinite(bounds), bounds, 0.0)))
    beyond = [k for k, passed in enumerate((largest > limit).tolist()) if passed]
    if not beyond:
        return []
    first = min(int(np.argmax(values[:, k] > limit[k])) for k in beyond)
    worst = max(beyond, key=lambda k: largest[k] - bounds[k])
    return [Violation(joint, what, float(t[first]), float(largest[worst]), float(bounds[worst]))]


def limited_joints(model: Model) -> tuple[Joint, ...]:
    """Return the joints with a finite limit."""
    return tuple(joint for joint in model.joints if joint.nv and joint.limits.bounded)
