"""What a simulation has to say about itself."""

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
"""Errors of all steps added up, rad or parts of the mechanism's length, up to which a step is called adequate."""
TOO_LONG = 1.0
"""Such errors, from which on the motion has little to do with the model's; displacements count as parts of what was
covered, if that is more than the length."""
TOO_MUCH = 0.05
"""Energy error, as a part of the energy that moves about, from which on the same is true."""
OPEN = 1e-2
"""Residual of a position constraint, rad or part of the mechanism's length, from which on the joints do not hold."""

WATCHED = "in rad or m, their rates, N m or N; watched only, rbdkit.Limit stops a joint"
NOTICED = 0.1
"""Seconds of preparation that a report tells."""
SHOWN = 3
"""Violations of limits that the lines of a report name."""


@dataclass(frozen=True)
class Violation:
    """A limit of a joint that was passed.

    Attributes
    ----------
    joint : str
        Name of the joint.
    what : str
        Which limit: position, velocity or effort.
    since : float
        From when on, s.
    value, bound : float
        The largest value, and the bound that it passed; in rad or m, their rates, N m or N.

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
        What ran, and why that backend.
    steps, step
        Number of steps taken and their length in s, the mean one if the integrator chose them.
    wall_time : float
        Of the steps alone, s.
    energy_error : float
        Largest deviation of the energy from what forces and dampers account for, relative to `energy_scale`; not a
        number where it says nothing.
    work_error : float
        How well the recorded states give the work, relative too; an energy_error below says no more than this.
    energy_scale : float
        Largest kinetic energy plus the range of the potential energy, J.
    balanced : bool
        Whether work and losses were counted in: then energy_error measures the integrator, motors or not.
    adaptive : bool
        Whether the integrator chose the steps.
    adequacy : StepAdequacy or None
        Whether the step was short enough; None for adaptive integrators.
    violations : sequence of Violation
        Limits that were passed, found when they are first looked at; none are listed of a motion that ran away.
    stopped : str
        Empty, or why the run ended before its time.
    notes : sequence of str
        Anything else worth knowing; some of it is found when it is first looked at.
    constraint_error : float
        Largest residual of a constraint, rad or m, or m/s of one on velocities alone; 0 where there are none.
    constraint : str
        Which constraint that is, and when, in words.
    constraint_unit : str
        Of that residual.
    iterations : int
        Of Newton's method, the most that a recorded step took; 0 for explicit methods.
    order : int
        Of the integrator.
    lost_turns : str
        Empty, or which joint turned past half a turn, and when, in a formulation that cannot tell.
    judged : bool
        Whether the motion could be judged; if not, the numbers above say nothing.
    unjudged : str
        Why it was not, if that was no interruption.
    contacts : ContactReport or None
        How contacts were computed; None where nothing could touch.
    closing : bool
        Whether the integrator closes joints in every step: one that it leaves open is an alarm sooner.
    memory : str
        Empty, or which function keeps something from call to call, and what that means.
    unseen : str
        Empty, or which force acts for so short a time that steps may pass over it.
    preparation_time : float
        What came before and between them, s: code for the model and the functions was recorded and compiled, or found.
    length : float
        Of the mechanism, m, by which displacements are judged.
    sizes, ways : (nv,) or None
        What errors of each joint variable are judged by: 1 rad or the length; 1 rad or what was covered, m.
    traceback : str
        Empty, or the traceback of the exception that ended the run, of a function of yours say.

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
    preparation_time: float = 0.0
    length: float = 1.0
    sizes: NDArray | None = None
    ways: NDArray | None = None
    traceback: str = ""

    @property
    def end_error(self) -> float:
        """Estimated error of all steps in the worst joint, rad or m: that of a step, times their number.

        Which joint that is is decided in parts of the mechanism's length, as angles are in rad.

        What the motion makes of early errors is not in it: an arm that stands upright, or a double pendulum that turns
        over, may have enlarged them a thousandfold at the end: see `Trajectory.error_growth`.
        """
        if self.adequacy is None or not self.adequacy.error.size:
            return 0.0
        return float(self.adequacy.error[self._worst]) * self.steps

    @property
    def _worst(self) -> int:
        """The joint variable with the largest error beside its size."""
        assert self.adequacy is not None
        return int(np.argmax(self.adequacy.error / (1.0 if self.sizes is None else self.sizes)))

    @property
    def _size(self) -> float:
        """What the error of that variable is judged by, rad or m."""
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
    def _is_adequate(self) -> bool:
        return self.end_error < ADEQUATE * (self._size if self.adequacy is not None else 1.0)

    @property
    def _energy_lost(self) -> bool:
        return self.energy_error > max(TOO_MUCH, self.work_error)

    @property
    def _open(self) -> bool:
        """Whether a joint does not hold; not a number counts as open."""
        return not self.constraint_error < (ADEQUATE if self.closing else OPEN) * self._gap

    @property
    def _gap(self) -> float:
        """What residuals of constraints are judged by: 1 rad, or the length of the mechanism."""
        return 1.0 if self.constraint_unit == "rad" else self.length

    def lines(self, model: Model) -> list[str]:
        """The report as lines of text."""
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
            lines.append(f"step {verdict}: {self._error_text(model, self.adequacy)}")
        if self.contacts is not None:
            lines += self.contacts.lines()
        if self.violations:
            lines.append(f"limits of joints passed ({WATCHED}):")
            lines += [f"  {violation}" for violation in self.violations[:SHOWN]]
            if (more := len(self.violations) - SHOWN) > 0:
                lines.append(f"  and {more} more, see report.violations")
        return [*lines, *self.notes, *alarms]

    def alarms(self, model: Model) -> list[str]:
        """The lines that make the motion doubtful; they are also given as a warning."""
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
        """What would mend the energy, where no step is judged."""
        if self.adaptive:
            return f"take smaller tolerances, Adaptive({self.integrator!r}, rtol=1e-11, atol=1e-11) for instance"
        return (
            f"a step of {self._mended(self.energy_error, ADEQUATE):.1g} s should keep it to about {ADEQUATE:g} of that"
        )

    def _open_text(self) -> str:
        """The alarm of a joint that does not hold."""
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
        """The step that would bring an error of the integrator's order down to what is wanted, s."""
        return 0.9 * self.step * (wanted / error) ** (1.0 / self.order)

    def _error_text(self, model: Model, adequacy: StepAdequacy) -> str:
        """One sentence on the error, and on the step that would mend it."""
        worst = self._worst if adequacy.error.size else 0
        where = f" {position_unit(model, worst)} in joint {variable_name(model, worst)}" if adequacy.error.size else ""
        text = f"the errors of its steps add up to {self.end_error:.1g}{where}"
        if self._is_adequate or not np.isfinite(self.end_error):
            return text
        wanted = ADEQUATE * self._size
        text += f"; a step of {self._mended(self.end_error, wanted):.1g} s would bring them to about {wanted:.2g}"
        return f"{text}, and so would a longer one with 'rk4'" if adequacy.order == 1 else text


def likely_cause(model: Model, v: NDArray, adequacy: StepAdequacy | None, step: float) -> str:
    """Name the joint that ran away, from the last finite velocities v (nv,), and say why that may be."""
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
    """Limits of joints that a motion passes: whether there are some, and which when that is looked at."""
    # the extremes of a motion tell what need not be looked at
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
    """A copy of x (n, k) whose columns are read fast, and the smallest and the largest number of each, (k,)."""
    columns = np.array(x.T, order="C")
    with np.errstate(invalid="ignore"):
        low, high = columns.min(axis=1), columns.max(axis=1)
        if np.isnan(low).any():
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
    """Limits of these joints that are passed, by the extremes of a motion and where these are."""
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
    """Limits of joints in one row: of which coordinates and velocities, and what these must not pass.

    others : joints that follow others, whose coordinates do not stand in a state.
    """

    at_q: NDArray
    lower: NDArray
    upper: NDArray
    at_v: NDArray
    velocity: NDArray
    effort: NDArray
    others: tuple[Joint, ...]

    def passed(self, ends: NDArray, fastest: NDArray, strongest: NDArray | None) -> bool:
        """Whether one of them may be, by the extremes of a motion."""
        return bool(
            (ends[0, self.at_q] < self.lower).any()
            or (ends[1, self.at_q] > self.upper).any()
            or (fastest[self.at_v] > self.velocity).any()
            or (strongest is not None and (strongest[self.at_v] > self.effort).any())
        )


def _bounds(model: Model) -> _Bounds:
    """Those of `limited_joints`."""
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
    """The violation of upper bounds (k,) that values (n, k) with such largest ones (k,) pass; none if it is the
    round-off of standing on them."""
    bounds = np.asarray(bound, dtype=float)
    limit = bounds + 1e-9 * (1.0 + np.abs(np.where(np.isfinite(bounds), bounds, 0.0)))
    beyond = [k for k, passed in enumerate((largest > limit).tolist()) if passed]
    if not beyond:
        return []
    first = min(int(np.argmax(values[:, k] > limit[k])) for k in beyond)
    worst = max(beyond, key=lambda k: largest[k] - bounds[k])
    return [Violation(joint, what, float(t[first]), float(largest[worst]), float(bounds[worst]))]


def limited_joints(model: Model) -> tuple[Joint, ...]:
    """Joints with a finite limit."""
    return tuple(joint for joint in model.joints if joint.nv and joint.limits.bounded)
