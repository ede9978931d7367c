"""Event-driven rigid contact (Featherstone 2008, Table 11.1), for every integrator with fixed steps.

Between events the set of contacts and their modes (stick, slip) is constant, and the motion is smooth: any integrator
steps it with its full order. A step in which something happens (a contact is gained or lost, slip begins, sliding
stops) is discarded and its first event located: for a collision by root finding on the gap, then by bisection on
"has anything happened". The step is made up to the event, the event is handled (impact, or another set of modes), and
the rest of the step follows.

Where events accumulate (bounces that die out, friction that reverses in every step), the rest of the step is made by
'time_stepping' instead, which needs no events. Points that slide slowly are the other difficulty: their direction of
sliding turns within a step. They are "slow points", whose friction is solved for instead of given, see `sustained`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.integrators import Integrator
from rbdkit.laws.accelerations import SLOW, Key, Mode, Modes, Sustained, moving, sustained
from rbdkit.laws.blows import Strike
from rbdkit.laws.driven import driven_power
from rbdkit.laws.law import Law, Sample
from rbdkit.laws.log import Log
from rbdkit.laws.near import Near
from rbdkit.laws.scene import Scene
from rbdkit.laws.time_stepping import Memory, TimeStepping

TOUCHING = 1e-8
"""Largest gap at which points count as touching, as a part of the length of the model."""
RUN_OFF = 1e-5
"""Gap, as a part of the length of the model, above which a contact is lost although no acceleration opened it: it ran
over an edge."""
ROUND_OFF = 1e-13
"""Gaps and velocities of current points that need no projection, as parts of the model's length and reference speed."""
ROUNDING = 1e-12
"""Part of the largest impulse of a blow below which an impulse is round-off, as at what rests beside it."""
PARTING = 1e-9
"""Normal speed above which points separate, as a part of the largest speed there."""
SLOWEST = 1e-4
"""Approach speed below which collisions are inelastic by default, as a part of the reference speed."""
MOST_EVENTS = 40
"""Largest number of events in a step; if there are more, 'time_stepping' makes the rest of it."""
SHORT = 8
"""Number of steps of 'time_stepping' that make the rest of a step."""
BREAKS = 8
"""Number of events per step at which the onset of sliding is located; later ones take effect at the end of a step."""
FASTER = 3.0
"""A point stops being slow if it slides this many times faster than friction could arrest in a step."""
STIFF = 2.0
"""A sliding point becomes slow if friction could arrest it within 1 / STIFF of a step, unless it will stop within SOON
steps anyway, which is an event of its own."""
SOON = 3.0
MOST_PARTS = 20000
"""Largest number of substeps in a run that keep bodies from passing through each other; more would hardly end."""
ARRESTED = 0.05
"""A slow point sticks if friction could arrest it in this part of a step.

The stages of a step agree on velocities of spinning bodies to second order only; without this threshold such points
would creep forever.
"""
SWERVE = 0.9
"""Cosine of the largest angle by which a direction of sliding may turn in a step; beyond it the point is slow."""
FAR = 1e6
"""Search margin that includes every point, m."""


class Held:
    """A system with its current contacts, for integrators. Contacts and modes change between steps, never within."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.system = scene, scene.system
        self.ahead = 1.0  # s; the length of a step
        self.modes: Modes = {}
        self.pushed: dict[Key, NDArray] = {}  # forces of the last state, the initial guess for the next ones
        self.model = scene.model

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        return sustained(self.scene, t, x, v, self.modes, self.pushed, self.ahead).rate

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        return self.system.move(x, u)

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        return self.system.local_rate(u, v)

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return self.system.displacement(x0, x1)


@dataclass(frozen=True, eq=False)
class Moment:
    """A state with its current contacts and all touching points.

    here : forces and accelerations of the current contacts. near : points within the touching tolerance.
    u_n : (m,) their normal velocities, m/s.
    """

    t: float
    q: NDArray
    w: NDArray
    here: Sustained
    near: Near
    u_n: NDArray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class EventDriven(Law):
    """Event-driven contact, the base class of 'rigid' and 'impulse', which differ in their impact law `strike`.

    Between events current contacts persist, with normal forces that push and friction that sticks or slides. A step
    in which a contact begins, ends, begins to slide or to stick is repeated, shortened to end there.
    """

    own_steps: ClassVar[bool] = False
    passes: ClassVar[float] = 10.0 * RUN_OFF

    strike: ClassVar[Strike]
    slowest: float | None = None

    def __post_init__(self) -> None:
        if self.slowest is not None and not (np.isfinite(self.slowest) and self.slowest > 0.0):
            raise SimulationError(f"slowest = {self.slowest} must be a small positive speed, m/s")

    def promise(self) -> str:
        return "none but round-off and what the integrator does wrong"

    def samples(
        self,
        scene: Scene,
        method: Integrator,
        hold: Callable[[int, NDArray, NDArray], None],
        times: NDArray,
        q: NDArray,
        w: NDArray,
        log: Log,
    ) -> Iterator[Sample]:
        slowest = SLOWEST * scene.speed if self.slowest is None else self.slowest
        run = _Run(self.name, type(self).strike, slowest, scene, method, log)
        run.held.ahead = float(times[1] - times[0])
        hold(0, q, w)
        log.took(0.0, 0.0)  # opens the first step's account: impacts at the initial state belong to that step
        now = run.begin(float(times[0]), q, w)
        for k in range(len(times) - 1):
            hold(k, now.q, now.w)
            log.state(k, now.t, *run.points(now))
            if k:
                log.took(0.0, 0.0)
            now = run.through(now, float(times[k + 1]))
            yield now.q, now.w, k + 1, None
        log.state(len(times) - 1, now.t, *run.points(now))


class _Run:
    """One event-driven run with its set of current contacts."""

    def __init__(self, law: str, strike: Strike, slowest: float, scene: Scene, method: Integrator, log: Log) -> None:
        self.law = law
        self.strike, self.slowest, self.scene, self.method, self.log = strike, slowest, scene, method, log
        self.held = Held(scene)
        length = scene.length
        self.touching, self.run_off, self.round_off = TOUCHING * length, RUN_OFF * length, ROUND_OFF * length
        self.breaks, self.parts = 0, 0

    @property
    def modes(self) -> Modes:
        return self.held.modes

    # --- states -------------------------------------------------------------------------------------------------------

    def at(self, t: float, q: NDArray, w: NDArray) -> Moment:
        """Evaluate a state: forces at the current contacts, touching points and their normal velocities."""
        scene, v = self.scene, w[: self.scene.model.nv]
        here = sustained(scene, t, q, w, self.modes, self.held.pushed, self.held.ahead)
        near = scene.near(t, q, v, self.touching)
        u_n = (scene.rows(t, q, near) @ v + scene.carried(t, q, near))[::3]
        return Moment(t, q, w, here, near, u_n)

    def points(self, now: Moment) -> tuple[Near, NDArray]:
        """Return points and forces of a state for the log: current contacts first, then other touching points."""
        current = set(now.here.near.keys)
        others = now.near.of(np.array([key not in current for key in now.near.keys], dtype=bool))
        parts = ("pair", "slot", "gap", "point", "normal", "point_rate", "normal_rate")
        both = Near(*(np.concatenate([getattr(now.here.near, part), getattr(others, part)]) for part in parts))
        return both, np.concatenate([now.here.force, np.zeros((len(others), 3))])

    def begin(self, t: float, q: NDArray, w: NDArray) -> Moment:
        """Prepare the initial state: resolve its impacts and find its lasting contacts.

        Raises
        ------
        SimulationError
            If bodies overlap at the start, which these laws cannot resolve.
        """
        near = self.scene.near(t, q, w[: self.scene.model.nv], 0.0)
        if len(near) and near.gap.min() < -self.run_off:
            i = int(np.argmin(near.gap))
            name, stops = self.scene.pairs.names[near.pair[i]], self.scene.stops
            if stops is not None and name in stops.units:
                passed = -near.gap[i] / stops.arcs[near.pair[i] - stops.first]
                raise SimulationError(
                    f"constraint {name!r} is passed by {passed:.3g} {stops.units[name]} where the motion begins; "
                    "begin within its bounds, or take contact='time_stepping'"
                )
            raise SimulationError(
                f"{name} are {-near.gap[i]:.3g} m deep in each other where the motion "
                "begins, and rigid bodies have no way out of that; move them apart, or take contact='time_stepping'"
            )
        now = self.at(t, q, w)
        return self._met(now) if len(now.near) else now

    # --- steps --------------------------------------------------------------------------------------------------------

    def through(self, now: Moment, end: float) -> Moment:
        """Integrate to the time `end`, from event to event."""
        self.held.ahead, self.breaks, events = end - now.t, 0, 0
        try:
            while events < MOST_EVENTS:
                left = end - now.t
                if left <= 1e-14 * max(1.0, abs(end)):
                    # the time of the grid: the sum of the parts of a step misses it by round-off
                    return Moment(end, now.q, now.w, now.here, now.near, now.u_n)
                now = self._slowed(now)
                h = left / self._parts(now, left)
                then = self._stepped(now, h)
                if not self._happened(then):
                    self._rubbed(now, then)
                    self._follow(then)
                    now = then if h < left else Moment(end, then.q, then.w, then.here, then.near, then.u_n)
                    continue
                then = self._first(now, h, then)
                self._rubbed(now, then)
                now = self._changed(then)
                events += 1
        except ConvergenceError:  # forces at slow points
            pass
        return self._in_short_steps(now, end)

    def _in_short_steps(self, now: Moment, end: float) -> Moment:
        """Integrate to the time `end` by 'time_stepping', since events accumulate or forces were not found."""
        law, memory, scene, t, q, w = TimeStepping(), Memory(), self.scene, now.t, now.q, now.w
        h = (end - t) / SHORT
        for _ in range(SHORT):
            step = law.step(scene, t, q, w, h, memory)
            if step.lam is not None:
                self.log.lost_normal[-1] += -float(step.work[:, 0].sum()) - step.lifted
                self.log.lost_friction[-1] += -float(step.work[:, 1:].sum())
                self.log.driven[-1] += step.driven(scene, q, w)
                self.log.solved(step.residual, step.found.rounds, step.found.settled)
            t, q, w, memory = t + h, step.q, step.w, step.memory
        names = {scene.pairs.names[p] for p, _ in [*self.modes, *now.near.keys]}
        self.log.chattered(now.t, sorted(names))
        # time stepping knows no modes: `_met` finds the contacts anew, after the impacts that are left
        self.held.modes, self.held.pushed = {}, {}
        then = self.at(end, q, w)
        return self._met(then) if len(then.near) else then

    def _slowed(self, now: Moment) -> Moment:
        """Turn sliding points into slow ones if friction could stop or turn them within the step; return the state."""
        here, ahead, found = now.here, self.held.ahead, []
        speed = np.hypot(here.u[:, 1], here.u[:, 2])
        for i, key in enumerate(here.near.keys):
            u, a = here.u[i, 1:], here.a[i, 1:]
            stops = float(u @ (u + SOON * ahead * a)) < 0.0  # that is an event, which has its time
            if self.modes[key].way is not None and ahead * here.grip[i] > STIFF * speed[i] and not stops:
                found.append(key)
        if not found:
            return now
        for key in found:
            self.modes[key] = Mode(slips=True)
        return self.at(now.t, now.q, now.w)

    def _parts(self, now: Moment, h: float) -> int:
        """Return the number of substeps of h in which no body can pass through the thinnest shape unseen.

        Raises
        ------
        SimulationError
            If their number would keep the run from ending in reasonable time.
        """
        thin = float(self.scene.pairs.thickness.min(initial=np.inf))
        if not np.isfinite(thin):
            return 1
        v = now.w[: self.scene.model.nv]
        way, parts = h * self.scene.fastest(now.t, now.q, v), 1
        held = set(self.modes)
        while 4.0 * way > parts * thin and set(self.scene.near(now.t, now.q, v, 2.0 * way / parts).keys) - held:
            parts *= 2  # what is far away yet is reached by half the way, and half of the rest
        if parts == 1:
            return 1
        self.parts += 1  # the first of them; what is left of the step is divided again
        # as long as nothing is near, the rest takes fewer: only those that were made count
        if self.parts + parts * (4.0 * way <= parts * thin) > MOST_PARTS:
            name = self.scene.pairs.names[int(np.argmin(self.scene.pairs.thickness))]
            raise SimulationError(
                f"at t = {now.t:.6g} s points of bodies that can touch pass each other with up to {way / h:.3g} m/s, "
                f"and the thinner shape of {name} has {thin:.3g} m: so that nothing flies through, law {self.law!r} "
                f"would make up to {parts} steps of the next {h:.3g} s, and has made {self.parts} such ones; more than "
                f"{MOST_PARTS} in a run have no end. Look for a wrong unit in the velocities, take a shorter step, "
                "thicker shapes, or contact='time_stepping'"
            )
        return parts

    def _first(self, now: Moment, h: float, then: Moment) -> Moment:
        """Locate the first event of a step and return the state just after it; at the end of the step, `then`, it has
        happened.

        For a new contact, root finding on the gap gives a bracket of 2e-13 of the step; bisection does the rest.
        """
        low, high = 0.0, 1.0
        guess = self._root(now, h, then)
        for probe in () if guess is None else (guess - 1e-13, guess + 1e-13):
            if low < probe < high:
                there = self._stepped(now, probe * h)
                if self._happened(there):
                    high, then = probe, there
                else:
                    low = probe
        finest = 5e-13 if self._gained(then) else 1e-10  # of a step; blows have their moment to round-off
        while high - low > finest:
            middle = 0.5 * (low + high)
            shorter = self._stepped(now, middle * h)
            if self._happened(shorter):
                high, then = middle, shorter
            else:
                low = middle
        return then

    def _root(self, now: Moment, h: float, then: Moment) -> float | None:
        """Return the part of a step after which its deepest new contact touches; None if that was not apart before."""
        from scipy.optimize import brentq  # slow to load

        gained = self._gained(then)
        if not gained:
            return None
        key = min((float(then.near.gap[i]), then.near.keys[i]) for i in gained)[1]

        def gap(part: float) -> float:
            t, q, w = self._state(now, part * h) if part > 0.0 else (now.t, now.q, now.w)
            near = self.scene.near(t, q, w[: self.scene.model.nv], FAR)
            return dict(zip(near.keys, near.gap.tolist(), strict=True)).get(key, FAR)

        if not self.touching < gap(0.0) < FAR:
            return None
        return float(brentq(gap, 0.0, 1.0, xtol=1e-15, rtol=1e-14))

    def _state(self, now: Moment, h: float) -> tuple[float, NDArray, NDArray]:
        """Return time and state after a step, with contacts and loops projected onto their constraints."""
        new = self.method.step(self.held, self.method.init(self.held, now.t, now.q, now.w), h)
        q, w = self._closed(new.t, new.x, new.v)
        if isinstance(self.scene.system, ClosedJointSystem):
            nv = self.scene.model.nv
            q, v = self.scene.system.project(q, w[:nv], new.t)
            w = np.concatenate([v, w[nv:]])
        return new.t, q, w

    def _closed(self, t: float, q: NDArray, w: NDArray, reach: float | None = None) -> tuple[NDArray, NDArray]:
        """Project a state onto its current contacts: gaps zero, velocities consistent, by the smallest change.

        Constraints at acceleration level alone let the gaps of rolling and sliding points drift until the points seem
        lost. reach : largest gap that is closed, m.
        """
        scene, nv = self.scene, self.scene.model.nv
        near = moving(scene, t, q, w[:nv], self.modes)
        reach = self.run_off if reach is None else reach
        near = near.of(np.abs(near.gap) < reach)
        if not len(near):
            return q, w
        n = 3 * np.arange(len(near))
        if np.abs(near.gap).max() > self.round_off:
            change = self._least_change(t, q, near, n, -near.gap)
            q = scene.system.move(q, np.concatenate([change, np.zeros(len(w) - nv)]))
            near = moving(scene, t, q, w[:nv], self.modes)
            near = near.of(np.abs(near.gap) < reach)
            n = 3 * np.arange(len(near))
        arrested = [mode.way is None and not mode.slips for mode in map(self.modes.__getitem__, near.keys)]
        rough = np.array(arrested, dtype=bool) & (scene.friction[near.pair] > 0.0)
        rows = np.concatenate([n, n[rough] + 1, n[rough] + 2])
        # velocities after positions, since their rows depend on the positions
        u = (scene.rows(t, q, near) @ w[:nv] + scene.carried(t, q, near))[rows]
        if np.abs(u).max(initial=0.0) > ROUND_OFF * scene.speed:
            w = w.copy()
            w[:nv] += self._least_change(t, q, near, rows, -u)
        return q, w

    def _least_change(self, t: float, q: NDArray, near: Near, rows: NDArray, wanted: NDArray) -> NDArray:
        """Return the displacement or velocity (nv,), least in the inertia norm, that moves points along given rows.

        rows : rows of the contact Jacobian. wanted : (rows,) displacements or velocities along them.
        """
        J = self.scene.rows(t, q, near)[rows]
        yields = self.scene.inverse(t, q).times(J.T)
        W = J @ yields
        size = np.sqrt(np.diag(W).clip(0.0))  # rows of light bodies count as much as those of heavy ones
        size[size == 0.0] = 1.0
        return yields @ (np.linalg.lstsq(W / np.outer(size, size), wanted / size, rcond=1e-9)[0] / size)

    def _stepped(self, now: Moment, h: float) -> Moment:
        return self.at(*self._state(now, h))

    def _follow(self, then: Moment) -> None:
        """Update after a step without event: directions of sliding, modes of slow points, initial guess of forces."""
        here = then.here
        self.held.pushed = dict(zip(here.near.keys, here.lam, strict=True))
        axes, speed = here.near.axes, np.hypot(here.u[:, 1], here.u[:, 2])
        creeps = self._creeps(here)
        for i, key in enumerate(here.near.keys):
            mode = self.modes[key]
            now = axes[i, 1:].T @ here.u[i, 1:] / speed[i] if speed[i] > SLOW * self.scene.speed else None
            if mode.way is None:
                if now is not None and speed[i] > FASTER * self.held.ahead * here.grip[i]:
                    self.modes[key] = Mode(now, True)
                elif mode.slips != creeps[i]:
                    self._labelled(then.t, key, bool(creeps[i]))
            elif now is not None:
                self.modes[key] = Mode(now if now @ mode.way > SWERVE else None, True)

    def _creeps(self, here: Sustained) -> NDArray:
        """Return which points would slide if they are slow, (m,) of bool."""
        still = 1e-8 * here.scale * self.held.ahead
        slips = np.array([self.modes[key].slips for key in here.near.keys], dtype=bool)
        moves = np.hypot(here.u[:, 1], here.u[:, 2]) > np.maximum(still, ARRESTED * self.held.ahead * here.grip)
        return (np.hypot(*here.slip.T) > still) | (slips & moves)

    def _labelled(self, t: float, key: Key, slips: bool) -> None:
        """Set the mode of a slow point and log that it begins to slide or to stick."""
        self.modes[key] = Mode(slips=slips)
        self.log.event(t, "slip" if slips else "stick", [key[0]])

    def _rubbed(self, now: Moment, then: Moment) -> None:
        """Log the energy lost to sliding and brought in by prescribed joints between two states (trapezoidal rule)."""
        power = [-float((at.here.lam[:, 1:] * at.here.u[:, 1:]).sum()) for at in (now, then)]
        self.log.lost_friction[-1] += 0.5 * (then.t - now.t) * sum(power)
        brought = [self._driven(at, at.here.near, at.here.force) for at in (now, then)]
        self.log.driven[-1] += 0.5 * (then.t - now.t) * sum(brought)

    def _driven(self, at: Moment, near: Near, force: NDArray) -> float:
        v = at.w[: self.scene.model.nv]
        push = None if self.scene.stops is None else self.scene.stops.pushes(near, force)
        return driven_power(self.scene, at.t, at.q, v, near.pair, near.point, force, push)

    # --- events -------------------------------------------------------------------------------------------------------

    def _gained(self, then: Moment) -> list[int]:
        """Return the indices of touching points that have just collided.

        Current contacts count only if they are deeper than `RUN_OFF`, as where a point crosses an edge between two
        surfaces.
        """
        deep = [-self.run_off if key in self.modes else 0.0 for key in then.near.keys]
        return np.flatnonzero((then.near.gap < deep) & (then.u_n < -PARTING * self.scene.speed)).tolist()

    def _lost(self, then: Moment) -> list[Key]:
        """Return the current contacts that open: their normal acceleration is positive, or they ran over an edge."""
        here = then.here
        gone = [key for key in self.modes if key not in set(here.near.keys)]
        off = (here.a[:, 0] > 1e-8 * here.scale) | (here.near.gap > self.run_off)
        return gone + [key for key, away in zip(here.near.keys, off, strict=True) if away]

    def _slipping(self, then: Moment) -> list[Key]:
        """Return the sticking points that begin to slide."""
        here = then.here
        creeps = self._creeps(here)
        rough = self.scene.friction[here.near.pair] > 0.0
        modes = [self.modes[key] for key in here.near.keys]
        rows = zip(here.near.keys, modes, creeps & rough, strict=True)
        return [key for key, mode, slides in rows if slides and mode.way is None and not mode.slips]

    def _turning(self, then: Moment) -> list[Key]:
        """Return the sliding points whose velocity has reversed, so that they stop or turn."""
        here = then.here
        mu, u = self.scene.friction[here.near.pair], np.einsum("ik,ikj->ij", here.u[:, 1:], here.near.axes[:, 1:])
        ahead = [self.modes[key].way for key in here.near.keys]
        return [
            key
            for key, way, speed, rough in zip(here.near.keys, ahead, u, mu, strict=True)
            if way is not None and rough > 0.0 and float(way @ speed) < 0.0
        ]

    def _happened(self, then: Moment) -> bool:
        slipping = self.breaks < BREAKS and self._slipping(then)
        return bool(self._gained(then) or self._lost(then) or slipping or self._turning(then))

    def _changed(self, then: Moment) -> Moment:
        """Handle the events of a state; return it with the new set of contacts and modes."""
        # impacts first: they change velocities, and with them all modes
        if self._gained(then):
            return self._met(then)
        turning = self._turning(then)
        for key in turning:
            self.modes[key] = Mode(slips=True)
        # friction at slow points is solved for: only the new forces tell whether a point that has reversed slides on
        now = self.at(then.t, then.q, then.w) if turning else then
        for key, slides in zip(now.here.near.keys, self._creeps(now.here), strict=True):
            if key in turning and not slides:
                self._labelled(now.t, key, False)
        return self._settled(now)

    def _met(self, then: Moment) -> Moment:
        """Resolve the impact of all touching points; those that do not separate afterwards become current contacts."""
        near, log, scene = then.near, self.log, self.scene
        nv, before = scene.model.nv, {key[0] for key in self.modes}
        rows = np.array(
            [key in self.modes or gap <= self.touching for key, gap in zip(near.keys, near.gap, strict=True)]
        )
        near = near.of(rows)
        v, after, w = then.w[:nv], None, np.array(then.w)
        u_n = then.u_n[rows]
        if (u_n < -PARTING * scene.speed).any():
            blow = self.strike(scene, then.t, then.q, v, near, self.slowest)
            w[:nv], after = blow.v, blow.after
            log.lost_normal[-1] += blow.lost[0]
            log.lost_friction[-1] += blow.lost[1]
            log.driven[-1] += self._driven(then, near, np.einsum("ik,ikj->ij", blow.lam, near.axes))
            struck = blow.lam[:, 0] > ROUNDING * blow.lam[:, 0].max(initial=0.0)
            # slower approach is that of a contact which begins or lasts; its impulse is no event
            for p in np.unique(near.pair[struck]) if (u_n < -self.slowest).any() else ():
                own = near.pair == p
                passed = "" if u_n[own].min() < -PARTING * scene.speed else "passed on"
                log.event(then.t, "impact", [int(p)], float(blow.lam[own, 0].sum()), passed)
        else:
            after = (scene.rows(then.t, then.q, near) @ v + scene.carried(then.t, then.q, near)).reshape(-1, 3)
        stays = after[:, 0] <= PARTING * max(scene.speed, float(np.abs(after).max(initial=0.0)))
        axes = near.axes
        self.held.modes = {}
        for i, key in enumerate(near.keys):
            if stays[i]:
                speed = float(np.hypot(*after[i, 1:]))
                way = axes[i, 1:].T @ after[i, 1:] / speed if speed > 10.0 * SLOW * scene.speed else None
                self.modes[key] = Mode(way, way is not None)
        q = then.q
        if near.gap.min() < -self.run_off:  # what came over an edge in the surface under it
            q, w = self._closed(then.t, q, w, 2.0 * self.run_off)
        now = self._settled(self.at(then.t, q, w), before)
        lasting = {key[0] for key in self.modes}
        for p in sorted(lasting - before):
            log.event(then.t, "gain", [p])
        return now

    def _settled(self, now: Moment, before: set[int] | None = None) -> Moment:
        """Remove contacts that open and mark those that begin to slide, until the set is consistent; log the losses.

        before : numbers of the pairs that were in contact until now; those of the current contacts if not given.
        """
        before = {key[0] for key in self.modes} if before is None else before
        # all that open are removed together, and without them others may open; each round removes one or more, so it
        # ends
        for _ in range(3 * len(self.modes) + 3):
            lost = self._lost(now)
            if not lost:
                break
            for key in lost:
                self.modes.pop(key)
            now = self.at(now.t, now.q, now.w)
        slipping = self._slipping(now)
        self.breaks += bool(slipping)
        for key in slipping:
            self._labelled(now.t, key, True)
        for p in sorted(before - {key[0] for key in self.modes}):
            self.log.event(now.t, "loss", [p])
        return now
