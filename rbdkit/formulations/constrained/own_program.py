"""Constraint elements of a model in the program of `tree_program`: the compiled form of `own_rows`.

A loop joint's row acts on two bodies; a row of a constraint element (a rod, a pulley rope, a rolling wheel) may act on
several bodies and on joint rates at once. Each row becomes a wrench on every body that it acts on, in coordinates of
that body's reference frame: a factor on a joint rate is, by the pseudo-inverse S^+ of the joint's axes, a wrench on the
joint's two bodies. All rows are computed in one block, from one trace. From there on they are like loop rows: a unit
reaction of each is pushed into the tree ("dp"), the responses give "Lambda", and the rank decision and the solution are
those of `loop_program`, in which they are the last rows.

`OwnConstraints.write` is called for accelerations, velocities, positions and corrections alike; `_missing` has what is
to be made up for in each case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rbdkit.engine.steps.base import UNLOADED
from rbdkit.formulations.constrained.moving_loops import frame_of
from rbdkit.formulations.constrained.program_body import NUMBERS, RATES
from rbdkit.model.constraint_rows import DRIFT, GAP, SLIP, WRENCHES, ConstraintRows
from rbdkit.spatial.compact import fv, mv, plx
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Index, Program, Scalar, Whole, maximum, minimum, select, sqrt, whole

TINY = 1e-300
Time = Callable[[], Scalar]


@dataclass(frozen=True)
class OwnKind:
    """Key of the code of constraint elements.

    rows : the constraint rows. joints : for each velocity variable that they act on, the body of its joint, the parent
    of that, and its index within the joint.
    """

    rows: ConstraintRows
    joints: tuple[tuple[int, int, int], ...]

    @property
    def bodies(self) -> tuple[int, ...]:
        """Bodies that rows act on, in order."""
        of_joints = (body for i, parent, _ in self.joints for body in (i, parent))
        return tuple(sorted({*self.rows.bodies, *of_joints} - {0}))


class OwnConstraints:
    """Recorder of the rows of all constraint elements. motion_of : gives the motion of a body's frame in world axes.
    moves : as for `ProgramBody`."""

    def __init__(
        self,
        program: Program,
        kind: OwnKind,
        stabilised: bool,
        motion_of: Callable[[int], list[Scalar]],
        moves: bool = False,
    ) -> None:
        self.moves = moves
        self.program, self.kind, self.stabilised, self.motion_of = program, kind, stabilised, motion_of
        self.bodies, self.m = kind.bodies, kind.rows.m

    def write(self, what: str, first: Whole, time: Time | None) -> None:
        """Store J in "held_J", the errors in "rhs" from `first` on, and the closure errors for the rank decision.

        what : as for `Loops.close`. time : loads the time, s; None if no row depends on it.
        """
        with self.program.loop(0, 1):
            known = {body: self.motion_of(body) for body in self.kind.rows.bodies}
            values = self._values(known, time)
            for r in range(self.m):
                row = values[r * self.kind.rows.size : (r + 1) * self.kind.rows.size]
                self._row(what, r, row, known, first)

    def _values(self, known: dict[int, list[Scalar]], time: Time | None) -> list[Scalar]:
        program = self.program

        def load(argument: str, k: int) -> Scalar:
            if argument == "t":
                assert time is not None
                return time()
            if argument in ("q", "v"):
                return program.load(f"joint_{argument}", 0, k)
            return known[int(argument.removeprefix("body"))][k]

        return self.kind.rows.law.compute(program, load, "held_numbers")

    def _row(self, what: str, r: int, row: list[Scalar], known: dict[int, list[Scalar]], first: Whole) -> None:
        program, rows = self.program, self.kind.rows
        J = dict.fromkeys(self.bodies, UNLOADED)
        drift: Scalar = row[DRIFT]
        for k, body in enumerate(rows.bodies):
            W = fv.of(row[WRENCHES + 6 * k : WRENCHES + 6 * k + 6])
            motion, c = known[body], Vector(self._field("own_offsets", 3, body))
            R, w, v = Matrix.of(motion[:9]), Vector(motion[12:15]), Vector(motion[15:])
            # the drift is for accelerations of points; a spatial acceleration is less by w x v
            drift = drift + dot(W.f, cross(w, v))
            # from world axes at the body frame to the reference frame, whose origin is R c away
            J[body] = plx(R.T, R @ c).apply(W)
        for k, (body, parent, j) in enumerate(self.kind.joints):
            factor = row[WRENCHES + 6 * len(rows.bodies) + k]
            of_body, of_parent, rate = self._joint(body, parent, j)
            J[body] = J[body] + factor * of_body
            if parent:
                J[parent] = J[parent] - factor * of_parent
            drift = drift + factor * rate
        period = program.load("held_periods", 0, r)
        # poses do not tell whole turns of joints, so gaps count modulo their period, see `own_rows.periods`
        turns = whole(row[GAP] / select(period > 0.0, period, 1.0))
        gap = row[GAP] - select(period > 0.0, period * turns, 0.0)
        missing = self._missing(what, gap, row[SLIP], drift)
        square: Scalar = 0.0
        length = program.load("gap", 0, 2)
        for k, body in enumerate(self.bodies):
            for j, x in enumerate(J[body].flat()):
                program.store("held_J", 0, (r * len(self.bodies) + k) * 6 + j, x)
                missing = missing + x * self._moving(what, body, j)
            turning, shifting = J[body].halves
            square = square + dot(shifting, shifting) + dot(turning, turning) / (length * length)
        program.store("rhs", first, r, missing)
        size = square * length * length
        if what == "position":  # as in `gap_shares`
            share = abs(gap) / minimum(1.0, sqrt(select(size > TINY, size, 1.0)))
            program.store("held_missing", 0, r, share)
        program.store("held_open", 0, r, select(size > TINY, gap * gap / select(size > TINY, size, 1.0), 0.0))

    def _missing(self, what: str, gap: Scalar, slip: Scalar, drift: Scalar) -> Scalar:
        """Return minus the value that J a has to have (the term that is added to J a of the tree)."""
        program = self.program
        if what == "position":
            return gap
        if what == "velocity":
            return slip
        if what == "correction":
            missing = program.load("closing", 0, 0) * gap
            # `_moving` takes J V off again, so what time alone makes is left
            return missing + program.load("closing", 0, 1) * slip if self.kind.rows.timed else missing
        if self.stabilised:
            of_slip, of_gap = (program.load("baumgarte", 0, k) for k in range(2))
            return drift + of_slip * slip + of_gap * gap
        return drift

    def _moving(self, what: str, body: int, j: int) -> Scalar:
        """Return the acceleration of a body in the tree; for a "correction", its difference from the guess."""
        A, place = self.program.load("A", 0, 6 * body + j), 6 * body + j
        if what != "correction":
            return A
        more = A - self.program.load("guess_A", 0, place)
        if self.kind.rows.timed:  # the slip is J V and what time alone makes
            more = more - self.program.load("closing", 0, 1) * self.program.load("V", 0, place)
        return more

    def _field(self, name: str, size: int, body: int) -> list[Scalar]:
        return [self.program.load(name, 0, size * body + j) for j in range(size)]

    def _joint(self, body: int, parent: int, k: int) -> tuple[fv, fv, Scalar]:
        """Return a joint velocity as rows on the twists of body and parent (to be subtracted), and the
        velocity-product term of its rate."""
        of_joint = ("rates", body * 36) if self.moves else ("numbers", (body - 1) * NUMBERS + RATES)
        rates = fv.of([self.program.load(of_joint[0], 0, of_joint[1] + 6 * k + j) for j in range(6)])
        X, V = frame_of(self.program, parent).to(frame_of(self.program, body)).X, mv.of(self._field("V", 6, body))
        product = (V - X @ mv.of(self._field("V", 6, parent))).cross(V)
        if self.moves:
            product = product - mv.of(self._field("c_J", 6, body))
        return rates, X.inv_apply(rates), rates.dot(product)

    def along(self, r: Index, array: str, start: Whole) -> Scalar:
        """Return J_r a, for accelerations in an array."""
        total: Scalar = 0.0
        for k, body in enumerate(self.bodies):
            a = [self.program.load(array, start, 6 * body + j) for j in range(6)]
            total = total + dot(self.six(r, k), a)
        return total

    def push(self, r: Index) -> None:
        """Store the unit reaction of a row in "dp"."""
        for k, body in enumerate(self.bodies):
            for j, x in enumerate(self.six(r, k)):
                self.program.store("dp", 0, 6 * body + j, -x)

    def six(self, r: Index, k: int) -> list[Scalar]:
        """Return J of a row on the k-th of the bodies."""
        place = r * (6 * len(self.bodies))
        return [self.program.load("held_J", place, 6 * k + j) for j in range(6)]

    def measure(self) -> None:
        """Update the largest closure error in "gap" 0."""
        program = self.program
        with program.loop(0, self.m) as r:
            program.store("gap", 0, 0, maximum(program.load("gap", 0, 0), program.load("held_open", r)))
