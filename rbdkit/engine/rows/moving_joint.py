"""Joints with a configuration- or time-dependent motion subspace, in a program, at any pose.

The class's `pose`, `motion_subspace`, `constraint_subspace` and `project` are traced. Where a class inherits `project`
from `JointType`, programs take the same Gauss-Newton steps to the closest pose.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from weakref import ref

import numpy as np

from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.own_joints import kept_while, recorded, recorded_projection, recorded_wrenches
from rbdkit.engine.rows.gaps import covered
from rbdkit.engine.rows.turning_rows import TurningRows
from rbdkit.engine.steps.axes import along
from rbdkit.engine.steps.manifold import displacement
from rbdkit.engine.steps.recorded_joint import RecordedJoint
from rbdkit.engine.steps.traced_motion import computed, digest
from rbdkit.joints import JointType, Prescribed, Reversed
from rbdkit.joints import nearest as near
from rbdkit.joints.joint_type import STEPS
from rbdkit.spatial.compact import Pose, fv, mv
from rbdkit.spatial.vector3 import IDENTITY, ZERO, dot
from rbdkit.trace import Guard, Program, Scalar, Trace, Whole, maximum, select, sqrt

MOST_COORDINATES = 12
"""Most coordinates of such a joint."""
SETTLED = 1e-11
"""Size of a Gauss-Newton step after which no other follows, as in `JointType.approach`."""
SEEKING = "seeking"
"""Work array of the search for coordinates; these are its parts, and its size."""
HERE, THERE, BEST, AHEAD, LEFT, STEP = 0, 12, 24, 36, 42, 48
SIZE, SHARE, PENDING, GOING, DONE, FOUND, SEEKING_SIZE = range(54, 61)


@dataclass(frozen=True)
class Approach:
    """Gauss-Newton steps from the neutral coordinates towards a pose. motion : the traced joint. reversed : whether it
    is the joint inside of a reversed one.
    """

    motion: RecordedJoint
    neutral: tuple[float, ...]
    reversed: bool


@dataclass(frozen=True)
class Search:
    """Damped Gauss-Newton steps from several starts, none of which increases the error; see `rbdkit.joints.nearest`.

    starts : number of starts; their coordinates are the last of the way's numbers. The others as for `Approach`.
    """

    motion: RecordedJoint
    starts: int
    reversed: bool


@dataclass(frozen=True, eq=False)
class Formula:
    """A traced formula. name : digest that identifies it."""

    formula: Trace
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class MovingAxes:
    """Code for a joint type.

    way : how coordinates are found; None for a prescribed joint. wrenches : formula of the constraint subspace T; None
    where that is everything, or not needed. numbers : how many numbers the formulas of the motion, of the way and of
    the wrenches need. covered : whether `gaps` gives its closure error.
    """

    motion: RecordedJoint
    way: Approach | Search | Formula | None
    wrenches: Formula | None
    numbers: tuple[int, int, int]
    covered: bool

    @property
    def name(self) -> str:
        """Sort key that does not depend on the order in which joints were made."""
        way = self.way.name if isinstance(self.way, Formula) else type(self.way).__name__
        return f"recorded {self.motion.name} {way}"


@dataclass(frozen=True, eq=False)
class FoundAxes:
    """Code for a joint type, the numbers that it needs, and the guard of what it depends on."""

    axes: MovingAxes
    numbers: list[float]
    uses: Guard


_of_trees: dict[tuple[int, bool], tuple[ref[JointType], FoundAxes]] = {}
_of_loops: dict[tuple[int, bool], tuple[ref[JointType], FoundAxes]] = {}


def moving_axes(type: JointType, closes: bool = False) -> FoundAxes:
    """Return code for a joint type. closes : whether it closes a loop, so that its T is needed.

    Raises
    ------
    NotTraced
        If its functions cannot be traced, or it has too many coordinates.
    ModelError
        If they contradict each other.
    """
    return kept_while(_of_loops if closes else _of_trees, type, _with_wrenches if closes else _without)


def _without(type: JointType) -> FoundAxes:
    simple, known = type.simplified(), covered(type)
    if simple.nq > MOST_COORDINATES:
        raise NotTraced(f"it has {simple.nq} coordinates")
    if simple.__class__ is Prescribed:
        inner = recorded(simple.joint)
        numbers = inner.piece.numbers
        axes = MovingAxes(_motion(simple.joint), None, None, (len(numbers), 0, 0), known)
        return FoundAxes(axes, list(numbers), inner.uses)
    own, motion = recorded(simple), _motion(simple)
    way, of_way, uses = _way(simple)
    numbers = own.piece.numbers
    axes = MovingAxes(motion, way, None, (len(numbers), len(of_way), 0), known)
    return FoundAxes(axes, [*numbers, *of_way], reduce(add, uses, own.uses))


def _with_wrenches(type: JointType) -> FoundAxes:
    found = moving_axes(type)
    if found.axes.way is None:
        return found
    own = recorded_wrenches(type.simplified())
    axes = found.axes
    numbers = (*axes.numbers[:2], len(own.numbers))
    wrenches = Formula(own.formula, digest(own.formula))
    changed = MovingAxes(axes.motion, axes.way, wrenches, numbers, axes.covered)
    return FoundAxes(changed, [*found.numbers, *own.numbers], found.uses + own.uses)


def _way(type: JointType) -> tuple[Approach | Search | Formula, Sequence[float], list[Guard]]:
    """Return how coordinates are found, the numbers for it, and the guards of what it depends on."""
    inner = type.joint if isinstance(type, Reversed) else type
    if inner.__class__.project is not JointType.project:
        found = recorded_projection(type)
        return Formula(found.formula, digest(found.formula)), found.numbers, [found.uses]
    own, turned, starts = recorded(inner), inner is not type, inner.starts()
    numbers = own.piece.numbers
    if starts is None:
        return Approach(_motion(inner), tuple(inner.neutral().tolist()), turned), numbers, [own.uses]
    begin = np.asarray(starts, dtype=float).reshape(-1, inner.nq)
    return Search(_motion(inner), len(begin), turned), [*numbers, *begin.ravel().tolist()], [own.uses]


def _motion(type: JointType) -> RecordedJoint:
    motion = recorded(type).piece.motion
    assert isinstance(motion, RecordedJoint)
    return motion


class JointAtPose(ABC):
    """A joint of a `MovingAxes` between two frames. Its coordinates, once found, stand in an array."""

    def __init__(self, program: Program, axes: MovingAxes) -> None:
        self.program, self.axes, self.motion = program, axes, axes.motion
        self.nq, self.nv = axes.motion.nq, 0 if axes.way is None else axes.motion.nv

    # --- what a block loads -------------------------------------------------------------------------------------------

    @abstractmethod
    def pose(self) -> Pose:
        """Pose of the successor's frame in the predecessor's."""

    @abstractmethod
    def given(self) -> tuple[str, Whole]:
        """Array that has the numbers of the formulas, and where they begin in it."""

    @abstractmethod
    def stored(self) -> tuple[str, Whole]:
        """Array for the coordinates, and where they begin in it: the same `Index` at every call."""

    @abstractmethod
    def driven(self, what: str) -> Whole:
        """Return where its numbers begin in one of the arrays of prescribed joints."""

    def numbers(self, which: int) -> list[Scalar]:
        """Load the numbers of the motion (0), of the way (1) or of the wrenches (2)."""
        (array, first), start = self.given(), sum(self.axes.numbers[:which])
        return [self.program.load(array, first, start + k) for k in range(self.axes.numbers[which])]

    @property
    def q(self) -> list[Scalar]:
        """Coordinates, after `find`; for a prescribed joint, those of the joint inside."""
        array, first = self.stored()
        return [self.program.load(array, first, k) for k in range(self.nq)]

    def in_time(self, what: str, size: int) -> list[Scalar]:
        """Load the coordinates, velocities or accelerations of a prescribed joint."""
        first = self.driven(what)
        return [self.program.load(what, first, k) for k in range(size)]

    def S(self) -> list[list[Scalar]]:
        """Return the motion subspace; for a prescribed joint, that of the joint inside."""
        return self.motion.axes(self.q, self.numbers(0))

    def T(self) -> list[fv]:
        """Return the constraint subspace, wrench by wrench."""
        if self.axes.wrenches is None:
            return [fv.of([float(i == k) for i in range(6)]) for k in range(6)]
        values = computed(self.axes.wrenches.formula, q=self.q, numbers=self.numbers(2))
        return [fv.of(values[k : k + 6]) for k in range(0, len(values), 6)]

    def missing(self) -> mv:
        """Return the closure error of the pose, in the successor's frame."""
        return mv(*displacement(*Pose(*self.motion.pose(self.q, self.numbers(0))).to(self.pose())))

    def by_time(self) -> tuple[mv, mv]:
        """Return the velocity across a prescribed joint, and its c_J."""
        v, a = (self.in_time(name, self.motion.nv) for name in ("driven_v", "driven_a"))
        return along(self.S(), v), along(self.S(), a) + self.velocity_product(v)

    def by_motion(self, v: mv) -> mv:
        """Return c_J at the velocity that the joint allows and that is closest to a twist across it."""
        return self.velocity_product([dot(row, v.flat()) for row in pseudo_inverse(self.S())])

    def velocity_product(self, v: Sequence[Scalar]) -> mv:
        """Return c_J at joint velocities v."""
        return mv.of(self.motion.velocity_product(self.q, v, self.numbers(0)))

    def rows(self, v: mv | None) -> TurningRows:
        """Return the rows of a loop joint, after `find`; v : its twist in the successor's joint frame, if known."""
        T, missing = self.T(), self.missing()
        if v is None:
            return TurningRows(T, missing, None)
        if self.axes.way is not None:
            c = self.by_motion(v)
            return TurningRows(T, missing, [own.dot(c) for own in T])
        sigma, c = self.by_time()
        return TurningRows(T, missing, [own.dot(c) for own in T], [own.dot(sigma) for own in T])

    # --- what it records ----------------------------------------------------------------------------------------------

    def find(self) -> None:
        """Find the coordinates of the closest pose."""
        match self.axes.way:
            case None:
                self._put(self.in_time("driven_q", self.nq))
            case Formula() as way:
                self._put(computed(way.formula, X=self.pose().flat(), numbers=self.numbers(1)))
            case Approach() as way:
                self._approach(way)
            case Search() as way:
                self._search(way)

    def _put(self, q: Sequence[Scalar]) -> None:
        array, first = self.stored()
        for k, x in enumerate(q):
            self.program.store(array, first, k, x)

    def _get(self, place: int, size: int) -> list[Scalar]:
        return [self.program.load(SEEKING, 0, place + k) for k in range(size)]

    def _set(self, place: int, *values: Scalar) -> None:
        for k, x in enumerate(values):
            self.program.store(SEEKING, 0, place + k, x)

    def _ahead(self, way: Approach | Search, q: Sequence[Scalar]) -> list[Scalar]:
        """Return the displacement from the pose at coordinates of the joint inside to the given pose."""
        T = self.pose()
        if way.reversed:
            # the inverse pose: the joint inside leads the other way
            T = T.to(Pose(IDENTITY, ZERO))
        w, v = displacement(*Pose(*way.motion.pose(q, self.numbers(1))).to(T))
        return [*w, *v]

    def _step(self, way: Approach | Search, q: Sequence[Scalar], ahead: Sequence[Scalar]) -> list[Scalar]:
        """Take one Gauss-Newton step; store its size in "seeking"."""
        step = [dot(row, ahead) for row in pseudo_inverse(way.motion.axes(q, self.numbers(1)))]
        size: Scalar = 0.0
        for x in step:
            size = maximum(size, abs(x))
        self._set(SIZE, size)
        return step

    def _approach(self, way: Approach) -> None:
        """Take the steps of `JointType.approach`; coordinates become infinite where they do not converge."""
        program = self.program
        self._put(way.neutral)
        self._set(SIZE, np.inf)
        with program.loop(0, STEPS):
            going = select(program.load(SEEKING, 0, SIZE) < SETTLED, 0.0, 1.0)  # lanes stop together: some wait
            q = self.q
            step = self._step(way, q, self._ahead(way, q))
            self._put(way.motion.move(q, [going * x for x in step]))
            program.break_if(program.load(SEEKING, 0, SIZE) < SETTLED)
        lost = select(program.load(SEEKING, 0, SIZE) < SETTLED, 0.0, np.inf)
        self._put([x + lost for x in self.q])

    def _search(self, way: Search) -> None:
        """Take the steps of `rbdkit.joints.nearest`; coordinates become infinite where they do not converge."""
        program, nq = self.program, way.motion.nq
        self._set(FOUND, np.inf)
        self._set(BEST, *[0.0] * nq)
        with program.loop(0, way.starts) as start:
            (array, first), before = self.given(), sum(self.axes.numbers[:2]) - way.starts * nq
            own = first + start * nq
            q = [program.load(array, own, before + k) for k in range(nq)]
            self._set(HERE, *q)
            self._set(AHEAD, *self._ahead(way, q))
            self._set(GOING, 1.0)
            self._set(DONE, 0.0)
            with program.loop(0, near.STEPS):
                q = self._get(HERE, nq)
                self._set(STEP, *self._step(way, q, self._get(AHEAD, 6)))
                self._set(SHARE, 1.0)
                self._set(PENDING, 1.0)
                self._halve(way)
                self._go_on(nq)
                program.break_if(program.load(SEEKING, 0, GOING) < 0.5)
            ahead = self._get(AHEAD, 6)
            left, best = sqrt(dot(ahead, ahead)), program.load(SEEKING, 0, FOUND)
            done = select(best < near.THERE, 0.0, program.load(SEEKING, 0, DONE))
            # clearly nearer: of equal results the first start's stays, in every lane and on every machine
            better = select(left < near.CLOSER * best, done, 0.0) > 0.5
            self._set(FOUND, select(better, left, best))
            here, nearest = self._get(HERE, nq), self._get(BEST, nq)
            self._set(BEST, *(select(better, x, y) for x, y in zip(here, nearest, strict=True)))
            program.break_if(program.load(SEEKING, 0, FOUND) < near.THERE)
        # infinite coordinates, which make the whole state not finite, tell that nothing was found
        lost = select(program.load(SEEKING, 0, FOUND) < np.inf, 0.0, np.inf)
        self._put([x + lost for x in self._get(BEST, nq)])

    def _halve(self, way: Search) -> None:
        """Halve a step until it does not increase the error; store the result in `THERE` and `LEFT`."""
        program, nq, nv = self.program, way.motion.nq, way.motion.nv
        with program.loop(0, near.HALVINGS):
            share, pending = (program.load(SEEKING, 0, k) for k in (SHARE, PENDING))
            there = way.motion.move(self._get(HERE, nq), [share * x for x in self._get(STEP, nv)])
            left, ahead = self._ahead(way, there), self._get(AHEAD, 6)
            # not farther, up to round-off
            closer = select(near.LEVEL * dot(ahead, ahead) < dot(left, left), 0.0, 1.0)
            closer = select(dot(left, left) < np.inf, closer, 0.0)  # nor is NaN
            good = select(program.load(SEEKING, 0, SIZE) < near.SETTLED, 1.0, closer)
            now = pending * good > 0.5
            for place, new in ((THERE, there), (LEFT, left)):
                old = self._get(place, len(new))
                self._set(place, *(select(now, x, y) for x, y in zip(new, old, strict=True)))
            self._set(PENDING, pending * (1.0 - good))
            self._set(SHARE, 0.5 * share)
            program.break_if(program.load(SEEKING, 0, PENDING) < 0.5)

    def _go_on(self, nq: int) -> None:
        """Accept the step that was found, if any, and decide whether there is another one."""
        going, pending, size, done = (self.program.load(SEEKING, 0, k) for k in (GOING, PENDING, SIZE, DONE))
        taken = going * (1.0 - pending) > 0.5
        for place, new, n in ((HERE, THERE, nq), (AHEAD, LEFT, 6)):
            pairs = zip(self._get(new, n), self._get(place, n), strict=True)
            self._set(place, *[select(taken, x, y) for x, y in pairs])
        ends = select(pending > 0.5, 1.0, select(size < near.SETTLED, 1.0, 0.0))
        settled = select(size < select(pending > 0.5, near.CLOSE, near.SETTLED), 1.0, 0.0)
        self._set(DONE, select(going * ends > 0.5, settled, done))
        self._set(GOING, going * (1.0 - ends))


def pseudo_inverse(S: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Return the rows of the pseudo-inverse ``(S^T S)^-1 S^T`` of independent columns S."""
    n = len(S)
    A = [[dot(a, b) for b in S] for a in S]
    rows = [list(s) for s in S]
    for k in range(n):  # S^T S is positive definite: no pivoting
        share = 1.0 / A[k][k]
        for i in range(n):
            if i != k:
                factor = A[i][k] * share
                A[i] = [x - factor * y for x, y in zip(A[i], A[k], strict=True)]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [[x / A[k][k] for x in row] for k, row in enumerate(rows)]
