"""Time stepping at velocity level, the default contact law: it has no events and always goes on.

One step of Moreau's scheme (Stewart and Trinkle 1996, Anitescu and Potra 1997): evaluate free accelerations at the
beginning, find all impulses of the step at once, then move the positions with the new velocities (semi-implicit Euler,
order 1). Collisions, resting contact and friction are the same complementarity problem, so that a pile of boxes costs
no more than one impact.

The solvers are tried in an order of cost. Projected Gauss-Seidel ('cone') settles most steps in tens of sweeps. Where
it does not, the problem is split into islands, and each gets a semismooth Newton method from where the sweeps ended,
then many more sweeps; what is still off by `UNSETTLED` goes to Lemke's pivots (few points), and what is off by `WILD`
to the convex program, which always has an answer. The best solution by `Problem.residual` is kept. If points are
redundant and something slides, the step is solved once more by `even_cone`, since then the shares decide the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.solvers import InfeasibleError, active_set
from rbdkit.engine.contact.even_shares import FLAT, NOTICED
from rbdkit.engine.contact.one_point import Disc, in_disc, least_speed
from rbdkit.engine.contact.sweeps import BOUNCE, INSIDE, POINTS
from rbdkit.engine.contact.time_steps import TimeSteps
from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.integrators import Integrator
from rbdkit.laws.cone import cone
from rbdkit.laws.contact_point import ContactPoint
from rbdkit.laws.driven import driven_power
from rbdkit.laws.even_cone import even_cone, more_than_needed, parts_of_mass
from rbdkit.laws.law import Law, Sample
from rbdkit.laws.log import Log
from rbdkit.laws.near import Near
from rbdkit.laws.problem import Impulses, Problem
from rbdkit.laws.pyramid import program, pyramid, staggered
from rbdkit.laws.recorded_impulses import Asked, recorded_impulses
from rbdkit.laws.scene import Inverse, Scene
from rbdkit.laws.slow_points import newton
from rbdkit.model.kept import kept
from rbdkit.model.measures import lengthwise
from rbdkit.model.names import listed
from rbdkit.model.requirements import besides_tree
from rbdkit.spatial.read_numbers import shown

Solver = Literal["cone", "pyramid", "program", "staggered"]

FINE = (1e-10, 1e-6, 1e-3)
"""Default tolerances of sweeps over few, more and many points, as parts of the largest velocity among the points."""
UNSETTLED = 1e-6
"""Residual of the sweeps above which another solver is tried, as a part of the largest velocity among the points."""
TOO_HARD = 1e-3
"""Residual, as such a part, above which the compiled loop leaves a step to Python."""
NEIGHBOURS = 1e-3
"""Distance up to which a point matches one of the last step, beyond the motion of the bodies, as a part of the model's
length."""
FEW = 12
"""Largest number of coupled points for which Lemke's pivots are cheap."""
MANY = 120
"""Number of coupled points above which Newton's method costs more than sweeps."""
SHORT = 150
"""Number of sweeps before Newton's method is tried."""
TURNS = 5
"""Rounds of Newton's method."""
LONGER = 20
"""Factor by which the limit on sweeps is raised for few points."""
WILD = 0.1
"""Residual, as a part of the largest velocity, above which the convex program is solved instead."""

THROWN = 1e3
"""Angle, or number of the model's lengths, by which an acceleration may carry a joint within a step; more is no motion
that the step sees, and impulses against it take minutes to be found."""
OF_POINTS = ("friction", "rebound")
"""Functions of a law at one point that a subclass may override; the compiled loop takes them from there."""


@dataclass(frozen=True)
class TimeStepping(Law):
    """Time stepping: all impulses of a step are found at once, then positions move with the new velocities; order 1.

    A step evaluates free accelerations at its beginning, then finds impulses such that no candidate contact closes by
    more than its gap until the end of the step, ``u_n >= -gap / h`` (so that nothing passes through anything, however
    fast), with friction against sliding within its cone. Bouncing points leave with ``-e u_n``. Penetration, which
    curved paths cause, is corrected by a second, frictionless solution for positions alone, which adds no velocity.
    Freely tumbling bodies turn by the linearised midpoint rule, so that fast spins gain no energy. Where something
    slides and two bodies touch at redundant points, the smallest forces are taken, found without an order of points:
    friction, and so the motion, depends on them.

    Sweeps visit points sorted by position along a generic direction, unilateral constraints last. The result does
    therefore not depend on the numbering of bodies, shapes and points, except to `tol` for points at one place with
    the same normal (two bricks side by side under a third) and for constraints among themselves. Symmetric problems
    have symmetric solutions to `tol`. Where points are redundant, the solvers with pyramids give shares of springs of
    equal, tiny compliance.

    Parameters
    ----------
    solver : {'cone', 'pyramid', 'program', 'staggered'}, optional
        'cone': projected Gauss-Seidel with circular cones. With four-sided pyramids: 'pyramid', the complementarity
        problem by Lemke's pivots; 'program', one convex quadratic program, in which points that slide with speed s
        lift off with mu s; 'staggered', normal forces and friction alternately.
    sweeps : int, optional
        Largest number of iterations of 'cone' and 'staggered'.
    tol : float, optional
        Their tolerance, as a part of the largest velocity among the points. If not given, 1e-10; 1e-6 in steps with
        more than 12 candidate contacts, 1e-3 with more than 150. The report raises an alarm if the residual is large.
    recovery : float, optional
        Part of a penetration that one step corrects, from 0 to 1.
    implicit : bool, optional
        Whether steps treat the stiffness K and damping D of springs, dampers and force elements implicitly, as
        `LinearlyImplicitEuler` does: the symmetric part of ``A = M + h D - h^2 K`` replaces the inertia matrix M
        (Sueda, Eqs 1.30, 2.79), so that stiff springs allow long steps. ``integrator='linearly_implicit_euler'`` of
        `simulate` sets it. Not for models with loops; these steps are not compiled.

    Raises
    ------
    SimulationError
        If an option makes no sense.

    Examples
    --------
    >>> from rbdkit.laws import TimeStepping
    >>> TimeStepping(solver="pyramid").name
    'time_stepping'

    A law of one's own: friction along either tangent by itself, and bodies that part at a given speed at most:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> class Square(TimeStepping):
    ...     def friction(self, at, wanted, push):
    ...         return np.clip(wanted, -at.friction * push, at.friction * push)
    ...     def rebound(self, at):
    ...         return np.minimum(-at.restitution * at.velocity[0], 0.5)
    >>> rbd.simulate(*rbd.library.bouncing_ball(), duration=0.1, contact=Square()).report.backend
    'compiled loop (LLVM)'
    """

    name: ClassVar[str] = "time_stepping"
    own_steps: ClassVar[bool] = True
    assumes: ClassVar[str] = "rigid bodies; all blows and forces of a step act at once; Coulomb friction"
    conserves: ClassVar[tuple[str, ...]] = ("constraints", "momentum of bodies that touch each other only")
    solutions: ClassVar[str] = (
        "always one without bodies that time moves; forces are many where points are more than needed: even ones count"
    )

    solver: Solver = "cone"
    sweeps: int = 1000
    tol: float | None = None
    recovery: float = 0.2
    implicit: bool = False
    _solvers: ClassVar = get_args(Solver)

    def __post_init__(self) -> None:
        if self.solver not in self._solvers:
            known = ", ".join(map(repr, self._solvers))
            raise SimulationError(f"solver {shown(self.solver)} of law 'time_stepping' is unknown; there are {known}")
        if not (isinstance(self.sweeps, int | np.integer) and self.sweeps >= 1):
            raise SimulationError(f"sweeps = {shown(self.sweeps)} must be a whole number, 1 or more")
        if self.tol is not None and not (np.isfinite(self.tol) and self.tol > 0.0):
            raise SimulationError(f"tol = {shown(self.tol)} must be a small positive number")
        if not 0.0 <= self.recovery <= 1.0:
            raise SimulationError(f"recovery = {shown(self.recovery)} must lie from 0 to 1")
        if not isinstance(self.implicit, bool):
            raise SimulationError(f"implicit = {shown(self.implicit)} must be True or False")
        if self.solver != "cone" and "friction" in self._own:
            raise SimulationError(
                f"solver {self.solver!r} knows pyramids in circular cones, and {type(self).__name__} has a friction of "
                "its own; take solver 'cone'"
            )

    def friction(self, at: ContactPoint, wanted: Any, push: Any) -> Any:
        """Return the tangential impulse (2,), N s, that friction gives at a point where bodies push each other.

        Coulomb's law with circular cones; a subclass may have another one. It is called where the pair of materials has
        a coefficient of friction. It returns `wanted` itself if friction can give that, else the nearest impulse that
        it can: a projection onto a convex set, which grows with `push`.

        Parameters
        ----------
        at : ContactPoint
            The point at the beginning of the step.
        wanted : (2,) tangential impulse that would end all sliding, along both tangents of the point, N s.
        push : impulse along the normal, N s.
        """
        return in_disc(wanted, at.friction * push)

    def rebound(self, at: ContactPoint) -> Any:
        """Return the speed with which bodies part after they have struck each other, m/s: Newton's law ``-e u_n``.

        A subclass may have another law. It is called at the beginning of a step; ``at.velocity[0]`` is negative where
        bodies approach each other.
        """
        return -at.restitution * at.velocity[0]

    @property
    def _own(self) -> list[str]:
        """Names of the functions at a point that a subclass overrides."""
        return [name for name in OF_POINTS if getattr(type(self), name) is not getattr(TimeStepping, name)]

    @property
    def shares(self) -> bool:  # type: ignore[override]
        return "friction" not in self._own

    def compiled(self) -> TimeSteps | None:
        if self.solver != "cone" or self.implicit:
            return None
        law = recorded_impulses(self, self._own) if self._own else None
        tol, *coarse = (self._tolerance(points) for points in (0, *(points + 1 for points in POINTS)))
        return TimeSteps(int(self.sweeps), tol, self.recovery, TOO_HARD, tuple(coarse), law)

    def _tolerance(self, points: int) -> float:
        """Return the relative tolerance of sweeps over the given number of points."""
        return FINE[sum(points > most for most in POINTS)] if self.tol is None else self.tol

    def promise(self) -> str:
        return (
            "at most h^2 w^2 r / (2 recovery) for a step h, bodies that turn at the rate w, r their reach or radius of "
            f"curvature, with recovery = {self.recovery:g}; h w r / 3 where a round end wobbles"
        )

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
        memory = Memory()
        for k in range(len(times) - 1):
            hold(k, q, w)
            step = self.step(scene, float(times[k]), q, w, float(times[k + 1] - times[k]), memory)
            step.write(log, k, scene, q, w)
            q, w, memory = step.q, step.w, step.memory
            yield q, w, k + 1, None
        last = self.step(scene, float(times[-1]), q, w, float(times[-1] - times[-2]), memory)
        # forces of a state are those of the step after it, so the last state needs one more step, which is discarded
        log.state(len(times) - 1, float(times[-1]), last.near, last.force)

    def step(self, scene: Scene, t: float, q: NDArray, w: NDArray, h: float, memory: Memory) -> Step:
        """Make one step of length h, s.

        Parameters
        ----------
        t, q : time and coordinates. w : velocities, then states of force elements.
        memory : impulses of the last step, the initial guess of the solver (warm start).
        """
        nv = scene.model.nv
        v, rate, straight = w[:nv], scene.system.rate(t, q, w), scene.straight
        if not self.implicit:
            _require_carried(scene, t, rate[:nv], h)
        inverse = scene.inverse(t, q)
        H, coms = inverse.H, straight.coms(inverse.H)
        # all in the axes at the beginning of the step; `after` below expresses the new velocities in those at its end
        w_new = w + h * np.concatenate([straight.seen_still(v, rate[:nv], coms), rate[nv:]])
        w_new[:nv] = straight.steadied(v, w_new[:nv], H, h)
        if self.implicit:
            inverse, w_new[:nv] = _softened(scene, t, q, v, w_new[:nv], h)
        v_free = w_new[:nv].copy()
        # twice the distance that bodies can approach each other in the step: impulses may still change velocities
        ahead = 2.0 * h * scene.fastest(t, q, v, v_free)
        near = scene.as_visited(scene.near(t, q, v, ahead))
        step = Step(t, h, q, w_new, near)
        u_h = h * v_free
        if len(near):
            J, carried = scene.rows(t, q, near), scene.carried(t, q, near)
            yields = inverse.times(J.T)
            W = J @ yields
            # symmetric but for round-off, and solvers read either triangle
            W = 0.5 * (W + W.T)
            before, free = J @ v + carried, J @ v_free + carried
            points = self._points(scene, t, near, before)
            least, own = self._asked(points, free, h, BOUNCE * scene.speed)
            b = free.copy()
            # complementarity then reads 0 <= u_n for every point, whatever its gap and rebound
            b[::3] -= least
            start = memory.beside(near, ahead + NEIGHBOURS * scene.length)
            problem = Problem(W, b, points["friction"], scene.names(near), start, own)
            found, residual = self._solve(problem)
            if self.solver == "cone" and self._shares_matter(scene, near, problem, found, before, residual):
                tol = self._tolerance(len(near)) * float(np.abs(b).max())
                found = even_cone(problem, parts_of_mass(J, inverse), tol=tol, most=int(self.sweeps))
                residual = problem.residual(found.lam)
            lam = found.lam.ravel()
            w_new[:nv] = v_free + yields @ lam
            step.solved(found, residual, before, free + W @ lam)
            out = self._led_out(near, problem, yields, free + W @ lam, h, scene.length)
            step.lifted = -float((v_free - v) @ H @ out) / h  # work of the position correction against applied forces
            u_h = h * w_new[:nv] + out
        w_new[:nv], u_h = straight.after(u_h, w_new[:nv], coms), straight.bent(u_h, coms)
        step.q = scene.system.move(q, np.concatenate([u_h, w_new[nv:]]) if len(w) > nv else u_h)
        if isinstance(scene.system, ClosedJointSystem):
            # a step of first order leaves loops by O(h^2), which would add up
            step.q, step.w[:nv] = scene.system.project(step.q, step.w[:nv], t + h)
        return step

    @staticmethod
    def _points(scene: Scene, t: float, near: Near, before: NDArray) -> dict[str, Any]:
        """Return what a law sees of points: arrays whose last axis runs over them."""
        normal, first, second = np.moveaxis(near.axes, 0, -1)
        surface = {"friction": scene.friction[near.pair], "restitution": scene.restitution[near.pair]}
        axes = {"normal": normal, "first": first, "second": second}
        return {"gap": near.gap, "velocity": before.reshape(-1, 3).T, **axes, **surface, "time": t, "since": 0.0}

    def _asked(self, points: dict[str, Any], free: NDArray, h: float, slow: float) -> tuple[NDArray, Any]:
        """Return the least velocities (m,) along normals, and the friction of each point if it is a user's.

        A user's functions are asked for each point separately, since they may branch on values; ours take arrays.
        """
        gap, arriving = points["gap"], points["velocity"][0]
        each = [
            ContactPoint({name: x[..., i] if np.ndim(x) else x for name, x in points.items()}, {})
            for i in range(len(gap) if self._own else 0)
        ]
        if "rebound" in self._own:
            rebound = np.array([float(self.rebound(at)) for at in each])
        else:
            rebound = self.rebound(ContactPoint(points, {}))
        own = None
        if "friction" in self._own:
            own = tuple(Asked(self, at) if at.friction > 0.0 else Disc(0.0) for at in each)
        return least_speed(gap, arriving, free[::3], rebound, h, slow), own

    def _shares_matter(
        self, scene: Scene, near: Near, problem: Problem, found: Impulses, before: NDArray, residual: float
    ) -> bool:
        """Whether something slides, before the step or after it, and two bodies touch at redundant points."""
        after = problem.W @ found.lam.ravel() + problem.b  # those along normals less what is allowed
        slip = np.maximum(*(np.linalg.norm(u.reshape(-1, 3)[:, 1:], axis=1) for u in (before, after)))
        least = NOTICED * max(self._tolerance(len(near)) * float(np.abs(problem.b).max()), residual)
        rubs = (problem.mu > 0.0) & (found.lam[:, 0] > 0.0) & (slip > least)
        if not rubs.any():
            return False
        touches = near.of(after[::3] <= 10.0 * FLAT * float(np.abs(problem.b).max()))
        return more_than_needed(scene.wrenches(touches)[:, 0], scene.couples(touches), scene.friction[touches.pair])

    def _solve(self, problem: Problem) -> tuple[Impulses, float]:
        """Solve for the impulses; return them and their residual, m/s.

        All points are swept together first, as in the compiled loop; if that does not converge, each island of coupled
        points is solved by itself.
        """
        if self.solver == "cone":
            tol = self._tolerance(len(problem)) * float(np.abs(problem.b).max())
            # islands cost a search of W, which steps that converge soon (nearly all) need not pay
            found = cone(problem, tol=tol, most=min(SHORT, int(self.sweeps)))
            if found.settled:
                return found, problem.residual(found.lam)
        islands = problem.islands()
        if len(islands) < 2:
            return self._solve_one(problem, len(problem))
        lam, parts = np.zeros((len(problem), 3)), []
        for own in islands:
            found, residual = self._solve_one(problem.of(own), len(problem))
            lam[own] = found.lam
            parts.append((found.rounds, found.settled, residual))
        rounds, settled, off = zip(*parts, strict=True)
        return Impulses(lam, max(rounds), all(settled)), max(off)

    def _solve_one(self, problem: Problem, points: int) -> tuple[Impulses, float]:
        scale = float(np.abs(problem.b).max())
        tol = self._tolerance(points) * scale
        if self.solver == "cone":
            found, residual = self._swept(problem, tol)
            if found.settled or residual <= UNSETTLED * scale or problem.own is not None:
                return found, residual  # the other solvers know circular cones
            n = slice(None, None, 3)
            active_set(problem.W[n, n], problem.b[n], problem.names)  # says which points nothing can part
            found, residual = self._by_pivots(problem, found, residual)
            if residual > WILD * scale:  # sweeps may diverge; the convex program always has a solution
                other = program(problem)
                off = problem.residual(other.lam)
                found, residual = (other, off) if off < residual else (found, residual)
            return found, residual
        if self.solver == "staggered":
            found = staggered(problem, tol=tol, most=int(self.sweeps))
        else:
            found = (pyramid if self.solver == "pyramid" else program)(problem)
        n = slice(None, None, 3)
        # pyramids miss the circular cone by intention: only approach beyond what is allowed counts as residual
        u_n = (problem.W @ found.lam.ravel() + problem.b)[n]
        return found, float(np.maximum(-u_n, 0.0).max())

    def _swept(self, problem: Problem, tol: float) -> tuple[Impulses, float]:
        """Sweep, then try Newton's method, then sweep on; return the best impulses and their residual, m/s."""
        most = int(self.sweeps)
        found = cone(problem, tol=tol, most=min(SHORT, most))
        if found.settled:
            return found, problem.residual(found.lam)
        best, least = found, problem.residual(found.lam)
        if len(problem) <= MANY and problem.own is None:
            other = newton(replace(problem, start=found.lam), tol=tol, most=TURNS)
            off = problem.residual(other.lam)
            rounds = found.rounds + TURNS
            if off < least:
                best, least = Impulses(other.lam, rounds, other.settled), off
        if not best.settled and most > SHORT:
            # sweeps over few points are cheap, and what is left without them goes to pivots
            most = LONGER * most if len(problem) <= FEW else most
            other = cone(replace(problem, start=best.lam), tol=tol, most=most - SHORT)
            off = problem.residual(other.lam)
            if off < least:
                best, least = Impulses(other.lam, SHORT + other.rounds, other.settled), off
        return best, least

    @staticmethod
    def _by_pivots(problem: Problem, found: Impulses, residual: float) -> tuple[Impulses, float]:
        """Try Lemke's pivots and return the better solution; sweeps fail where friction pulls bodies in (Painleve)."""
        if len(problem) > FEW:
            return found, residual
        try:
            other = pyramid(problem)
        except (ConvergenceError, InfeasibleError):
            return found, residual
        off = problem.residual(other.lam)
        return (other, off) if off < residual else (found, residual)

    def _led_out(
        self, near: Near, problem: Problem, yields: NDArray, after: NDArray, h: float, length: float
    ) -> NDArray:
        """Return the joint displacement (nv,) that corrects penetration: a frictionless problem in positions."""
        ahead = near.gap + h * after[::3]
        left = 10.0 * h * self._tolerance(len(near)) * float(np.abs(problem.b).max())
        if not (self.recovery and (ahead < -(INSIDE * length + left)).any()):
            return np.zeros(len(yields))  # the residual of the sweeps is no penetration
        n = slice(None, None, 3)
        # a penetration goes in part; an open gap may close wholly but no further, so nothing is pushed into another
        # body
        wanted = np.where(ahead < 0.0, self.recovery, 1.0) * ahead / h
        smooth = np.zeros(len(near))
        b = np.zeros(3 * len(near))
        b[n] = wanted
        out = Problem(problem.W, b, smooth, problem.names, np.zeros((len(near), 3)))
        lam = cone(out, tol=1e-6 * float(np.abs(wanted).max()), most=int(self.sweeps)).lam
        return h * (yields @ lam.ravel())


def _require_carried(scene: Scene, t: float, rate: NDArray, h: float) -> None:
    """Raise SimulationError, with the joint's name, if accelerations (nv,) throw a joint far in a step of length h."""
    if not len(rate):
        return
    thrown = h * h * np.abs(rate) / np.where(kept(scene.model, lengthwise), scene.length, 1.0)
    k = int(np.argmax(thrown))
    if thrown[k] > THROWN:
        joint = next(joint for joint in scene.model.joints if joint.v_slice.start <= k < joint.v_slice.stop)
        raise SimulationError(
            f"joint {joint.name!r} is accelerated by {rate[k]:.3g} rad/s2 or m/s2 at t = {t:g} s, beyond what a step "
            f"of {h:g} s sees: it moves next to no inertia, or a force is in a wrong unit; give the bodies behind it "
            "inertia or the joint armature, take a shorter step, or TimeStepping(implicit=True) for stiff springs and "
            "dampers"
        )


def _softened(scene: Scene, t: float, q: NDArray, v: NDArray, explicit: NDArray, h: float) -> tuple[Inverse, NDArray]:
    """Return the inverse of the implicit inertia A, and the free velocities, from those of an explicit step.

    ``A (v_free - v) = M (explicit - v) + h^2 K v`` with ``A = M + h D - h^2 K``, where K and D are the derivatives of
    the forces by positions (negative for springs) and, with opposite sign, by velocities.
    """
    if isinstance(scene.system, ClosedJointSystem):
        raise SimulationError(
            f"law 'time_stepping' takes springs implicitly in models without loops and constraints only, and "
            f"{listed(besides_tree(scene.model))} close(s) loops or constrain(s) bodies; leave out implicit=True, or "
            "integrator='linearly_implicit_euler'"
        )
    found = scene.system.stiffness(t, q, v)
    # the symmetric parts, so that A has a Cholesky factor and the Delassus matrix is symmetric
    K, D = (0.5 * (X + X.T) for X in (found.K, found.D))
    A = found.M + h * D - h * h * K
    try:
        answers = Inverse(A)
    except SimulationError:
        raise SimulationError(
            f"M + h D - h^2 K is not positive definite at t = {t:g} s with h = {h:g} s: springs push apart faster than "
            "the step sees, or a body lacks inertia (model.validate() says so); take shorter steps"
        ) from None
    return answers, v + answers.times((found.M @ (explicit - v) + h * h * (K @ v))[:, None])[:, 0]


@dataclass(frozen=True, eq=False)
class Memory:
    """Impulses lam (m, 3) of a step at points (m, 3) of pairs (m,), kept for the warm start of the next step."""

    pair: NDArray = field(default_factory=lambda: np.zeros(0, dtype=int))
    point: NDArray = field(default_factory=lambda: np.zeros((0, 3)))
    lam: NDArray = field(default_factory=lambda: np.zeros((0, 3)))

    def beside(self, near: Near, reach: float) -> NDArray:
        """Return for each point the impulse of the nearest earlier point of its pair within reach, m, each used once.

        Points have no identity of their own where shapes roll, so they are matched by distance, closest first.
        """
        start = np.zeros((len(near), 3))
        if not len(self.pair):
            return start
        apart = np.linalg.norm(near.point[:, None] - self.point, axis=-1)
        apart[near.pair[:, None] != self.pair] = np.inf
        for _ in range(min(apart.shape)):
            i, k = np.unravel_index(int(np.argmin(apart)), apart.shape)
            if not apart[i, k] <= reach:
                break
            start[i], apart[i], apart[:, k] = self.lam[k], np.inf, np.inf
        return start


@dataclass(eq=False)
class Step:
    """One step of length h from (t, q): the new state w and q, candidate contacts, forces, and solver results."""

    t: float
    h: float
    q: NDArray
    w: NDArray
    near: Near
    force: NDArray = field(init=False)
    memory: Memory = field(default_factory=Memory)
    lam: NDArray | None = None
    lifted: float = 0.0

    def __post_init__(self) -> None:
        self.force = np.zeros((len(self.near), 3))

    def solved(self, found: Impulses, residual: float, before: NDArray, after: NDArray) -> None:
        """Store the solver's result; before, after : velocities (3 m,) at the points before and after the step."""
        self.lam, self.found, self.residual = found.lam, found, residual
        self.before, self.after = before.reshape(-1, 3), after.reshape(-1, 3)
        self.force = np.einsum("ik,ikj->ij", found.lam, self.near.axes) / self.h
        self.memory = Memory(self.near.pair, self.near.point, found.lam)
        self.work = found.lam * 0.5 * (self.before + self.after)

    def driven(self, scene: Scene, q: NDArray, w: NDArray) -> float:
        """Return the work of prescribed joints through contacts in the step, which began at q and w, J."""
        v = 0.5 * (w + self.w)[: scene.model.nv]
        push = None if scene.stops is None else scene.stops.pushes(self.near, self.force)
        return self.h * driven_power(scene, self.t, q, v, self.near.pair, self.near.point, self.force, push)

    def write(self, log: Log, k: int, scene: Scene, q: NDArray, w: NDArray) -> None:
        """Write step k, which began at q and w, to a log."""
        log.state(k, self.t, self.near, self.force)
        if self.lam is None:
            log.watch(self.t, self.near, np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool), 0.0)
            log.took(0.0, 0.0)
            return
        log.took(-float(self.work[:, 0].sum()) - self.lifted, -float(self.work[:, 1:].sum()), self.driven(scene, q, w))
        log.solved(self.residual, self.found.rounds, self.found.settled)
        rough, sliding = scene.friction[self.near.pair] > 0.0, np.hypot(self.after[:, 1], self.after[:, 2])
        log.watch(self.t, self.near, self.lam[:, 0], self.before[:, 0], sliding, rough, 10.0 * BOUNCE * scene.speed)
