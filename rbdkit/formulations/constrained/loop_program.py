"""Closed loops in the program of `tree_program`: reactions of loop joints by the tree's responses.

The response of the tree to a unit reaction of each loop row is computed with the factors of its articulated-body
elimination. Multiples lambda of the reactions make the accelerations obey the loops: ``Lambda lambda = J a - eta``,
where a are the accelerations of the tree alone, and column k of Lambda is J times response k (the operational-space
inverse inertia of the loop rows). Redundant rows get no reaction: `dependence` describes the rank decision, `gaps` its
tolerance, the closure error.

The decision by Lambda is scaled by masses and can be misled by light bodies between heavy ones. If a rejected row might
be independent ("uncertain"), the rows are compared by their geometry as well; if that finds another rank ("misled"),
the elimination is repeated with those rows, and the accelerations are refined once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from rbdkit.engine.rows.gaps import GAP_NUMBERS, gap_squared
from rbdkit.engine.rows.joint_program import JOINT_NUMBERS, gap
from rbdkit.engine.steps.base import STILL
from rbdkit.formulations.constrained.elimination import factors, subspace
from rbdkit.formulations.constrained.moving_loops import MovingLoops, frame_of
from rbdkit.formulations.constrained.own_program import OwnConstraints, Time
from rbdkit.formulations.constrained.program_body import Kind, ProgramBody
from rbdkit.model.closing.rank import AMPLIFICATION, CEILING, FLOOR
from rbdkit.spatial.compact import JointVector, fv, mv
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Index, Program, Scalar, equal, maximum, minimum, select, sqrt

TINY = 1e-300
MOVING = "moving"
"""Form of joints with configuration-dependent axes, whose coordinates are computed by traced formulas."""

Bodies = Callable[[bool], AbstractContextManager[ProgramBody]]
OfKind = Callable[[ProgramBody], Iterator[Kind]]


class Loops:
    """Recorder of the rows of all loop joints, and of constraint elements.

    bodies : loop over bodies, outward or inward. of_kind : cases of the kinds of a body.
    forms : formulas of coordinates of loop joints; the table "loop_forms" has an entry for each row.
    stabilised : whether Baumgarte's terms act.
    own : the constraint elements of the model, if it has any; their rows are the last.
    measure_moving : measures the closure error of tree joints with moving axes, as `measure` does for others.
    moving : the loop joints with moving axes, if there are any; their form is "moving".
    """

    def __init__(
        self,
        program: Program,
        bodies: Bodies,
        of_kind: OfKind,
        forms: tuple[str, ...],
        stabilised: bool,
        own: OwnConstraints | None = None,
        measure_moving: Callable[[], None] = lambda: None,
        moving: MovingLoops | None = None,
    ) -> None:
        self.measure_moving, self.moving = measure_moving, moving
        self.program, self.bodies, self.of_kind, self.forms = program, bodies, of_kind, forms
        self.stabilised, self.own = stabilised, own
        self.first_own = program.count("loop_rows")
        self.m = program.count("all_rows")
        self.response = (program.count("bodies") + 1) * 6  # numbers of a row in "responses"

    def close(self, what: str = "acceleration", time: Time | None = None) -> None:
        """Record the correction of the tree's accelerations "A" to those of the system with loops.

        what : "acceleration"; "velocity" or "position" for changes of these that close the loops; "correction" for
            accelerations relative to "guess_A", see `BodySystem.corrected`. time : loads the time, s, if needed.
        """
        program = self.program
        if self.moving is not None:
            self.moving.write()
        for flag, x in (("unsolved", 1.0), ("uncertain", 0.0), ("misled", 0.0), ("again", 0.0)):
            program.store(flag, 0, 0, x)
        # once; twice more only if the pivots have misled: with the rows that the geometry selects, and to refine the
        # result
        with program.loop(0, 3):
            self.errors(what, time)
            with program.when("unsolved", 0):
                self.answer()
            # in every pass, as `choose` and `eliminate` overwrite "Lambda"
            self.meet()
            with program.when("unsolved", 0):
                self.measure()
                self.choose("free", CEILING, solving=True)
                self.doubt()
                with program.when("uncertain", 0, seldom=True):
                    self.look_again()
            with program.when("again", 0, seldom=True):
                self.eliminate()
            self.react()
            program.break_if(program.load("misled", 0) <= 0.0)
            program.store("unsolved", 0, 0, 0.0)
            program.store("again", 0, 0, 1.0)
        if self.own is not None and what == "position":
            with program.loop(0, self.own.m) as r:
                # rows of loop joints have updated "open" in `error`
                largest = maximum(program.load("open", 0), program.load("held_missing", r))
                program.store("open", 0, 0, largest)

    def answer(self) -> None:
        """Compute the "responses" of the tree to unit reactions of all rows."""
        with self.program.loop(0, self.first_own) as r:
            self.push(r)
            self.respond(r)
        if self.own is not None:
            with self.program.loop(0, self.own.m) as r:
                self.push_own(r)
                self.respond(r + self.first_own)

    def look_again(self) -> None:
        """Choose the independent rows by their geometry, into "taken"; if the rank differs, postpone the reactions."""
        program = self.program
        program.store("misled", 0, 0, program.load("rank", 0))
        self.compare()
        self.choose("size", program.load("gap", 0, 1))
        program.store("misled", 0, 0, select(equal(program.load("misled", 0), program.load("rank", 0)), 0.0, 1.0))
        with program.loop(0, self.m) as r:
            program.store("rhs", r, 0, select(program.load("misled", 0) > 0.0, 0.0, program.load("rhs", r)))

    def errors(self, what: str, time: Time | None) -> None:
        """Store J a - eta of all rows in "rhs", for the accelerations "A". what : as for `close`."""
        program = self.program
        with program.loop(0, self.first_own) as r:
            if what in ("position", "correction") or (what == "acceleration" and self.stabilised):
                for case in program.switch(program.entry("loop_forms", r), range(len(self.forms))):
                    self.error(r, what, self.forms[case])
            else:
                self.error(r, what)
        if self.own is not None:
            self.own.write(what, self.first_own, time)

    def react(self) -> None:
        """Subtract the responses to the reactions "rhs" from the accelerations "A"."""
        program = self.program
        with program.loop(0, self.m) as r, self.bodies(False) as body:
            place = r * self.response + body.row * 6
            factor = program.load("rhs", r)
            A = [a - factor * program.load("responses", place, j) for j, a in enumerate(body.get("A"))]
            body.put("A", A)

    def ends(self, r: Index) -> tuple[Index, Index]:
        """Return the indices of the successor and the predecessor of a row's joint."""
        return self.program.entry("loop_successors", r), self.program.entry("loop_predecessors", r)

    def six(self, array: str, place: Index) -> list[Scalar]:
        return [self.program.load(array, place, j) for j in range(6)]

    def along(self, r: Index, array: str, S: Index, P: Index) -> Scalar:
        """Return J_r a, for accelerations in an array at the places S and P of the two bodies."""
        W_S, W_P = self.six("loop_T", r * 6), self.six("loop_W", r * 6)
        return dot(W_S, self.six(array, S)) - dot(W_P, self.six(array, P))

    def error(self, r: Index, what: str, form: str = "") -> None:
        """Store a row as wrenches on both bodies, and its J a - eta for the tree alone."""
        program, (S, P) = self.program, self.ends(r)
        pose = frame_of(program, P).to(frame_of(program, S))  # of the successor in the predecessor
        T = fv.of(self.six("loop_T", r * 6))
        W_P = pose.X.inv_apply(T)
        for j, x in enumerate(W_P.flat()):
            program.store("loop_W", r * 6, j, x)
        missing = STILL
        if form and form != MOVING:
            numbers = [program.load("loop_joint_numbers", r * JOINT_NUMBERS, j) for j in range(JOINT_NUMBERS)]
            missing = mv.of(gap(form, numbers, pose))
        if what == "correction":
            missing = program.load("closing", 0, 0) * missing - mv.of(self.six("guess_A", S * 6))
        elif what != "position":
            V, opened = mv.of(self.six("V", S * 6)), missing
            missing = apart = V - pose.X @ mv.of(self.six("V", P * 6))
            if what == "acceleration":
                # this is -eta, see `joint_constraints`
                missing = apart.cross(V)
                if self.stabilised:
                    of_slip, of_gap = (program.load("baumgarte", 0, k) for k in range(2))
                    missing = missing + of_slip * apart + of_gap * opened
        along = T.dot(missing)
        if self.moving is not None:
            along = along + self.moving.more(r, what, self.stabilised)
        slip = T.dot(mv.of(self.six("A", S * 6))) - W_P.dot(mv.of(self.six("A", P * 6))) + along
        if what == "correction":
            slip = slip + W_P.dot(mv.of(self.six("guess_A", P * 6)))
        program.store("rhs", r, 0, slip)
        if what == "position":
            (turning, shifting), length = T.halves, program.load("gap", 0, 2)
            size = dot(turning, turning) + length * length * dot(shifting, shifting)  # see `gap_shares`
            share = abs(along) / minimum(1.0, sqrt(select(size > TINY, size, 1.0)))
            program.store("open", 0, 0, maximum(program.load("open", 0), share))

    def still(self) -> None:
        """Set all forces "dp" to zero, and the response "dA" of the world."""
        program = self.program
        with self.bodies(False) as body:
            body.put("dp", [0.0] * 6)
        for j in range(6):
            program.store("dp", 0, j, 0.0)
            program.store("dA", 0, j, 0.0)

    def push(self, r: Index) -> None:
        """Store the unit reaction of a loop's row in "dp"."""
        program = self.program
        self.still()
        with program.loop(0, 1):  # in separate blocks, as both ends may be one body
            for j, x in enumerate(self.six("loop_T", r * 6)):
                # "dp" is a bias force, so what acts on a body enters with a minus
                place = self.ends(r)[0] * 6
                program.store("dp", place, j, -x)
        with program.loop(0, 1):
            place = self.ends(r)[1] * 6
            for j, x in enumerate(self.six("loop_W", r * 6)):
                program.store("dp", place, j, program.load("dp", place, j) + x)

    def push_own(self, r: Index) -> None:
        """Store the unit reaction of a constraint's row in "dp"."""
        assert self.own is not None
        self.still()
        with self.program.loop(0, 1):
            self.own.push(r)

    def respond(self, r: Index) -> None:
        """Compute the response of the tree to the forces "dp", and store it for a row."""
        with self.bodies(True) as body:
            for kind in self.of_kind(body):
                feel(body, kind)
        with self.bodies(False) as body:
            for kind in self.of_kind(body):
                follow(body, kind)
        self.keep(r)

    def keep_answer(self, r: Index) -> None:
        """Store the accelerations "dA" as the response to a row, and its column of "Lambda"."""
        self.keep(r)
        self.meet_one(r)

    def keep(self, r: Index) -> None:
        """Store the accelerations "dA" as the response to a row."""
        program, start = self.program, r * self.response
        with self.bodies(False) as body:
            place = start + body.row * 6
            for j, x in enumerate(body.get("dA")):
                program.store("responses", place, j, x)

    def meet(self) -> None:
        """Compute "Lambda" from all "responses"."""
        with self.program.loop(0, self.m) as r:
            self.meet_one(r)

    def meet_one(self, r: Index) -> None:
        """Compute one column of "Lambda": J times the response to a row."""
        program, start = self.program, r * self.response
        with program.loop(0, self.first_own) as other:
            S, P = self.ends(other)
            x = self.along(other, "responses", S * 6 + start, P * 6 + start)
            program.store("Lambda", other * self.m + r, 0, x)
        if self.own is not None:
            with program.loop(0, self.own.m) as other:
                x = self.own.along(other, "responses", start)
                program.store("Lambda", (other + self.first_own) * self.m + r, 0, x)

    def measure(self) -> None:
        """Store in "gap" 1 the tolerance of the rank decision, from the largest closure error of a joint."""
        program = self.program
        program.store("gap", 0, 0, 0.0)
        with program.loop(0, program.count("gap_joints")) as k:
            S, P = program.entry("gap_successors", k), program.entry("gap_predecessors", k)
            numbers = [program.load("gap_numbers", k * GAP_NUMBERS, j) for j in range(GAP_NUMBERS)]
            found = gap_squared(numbers, frame_of(program, P).to(frame_of(program, S)), program.load("gap", 0, 2))
            program.store("gap", 0, 0, maximum(program.load("gap", 0, 0), found))
        self.measure_moving()
        if self.moving is not None:
            self.moving.measure()
        if self.own is not None:
            self.own.measure()
        with program.loop(0, 1):
            # squares: "gap" 0 is the squared closure error, as limits are for s^2
            limit = maximum(FLOOR, minimum(AMPLIFICATION**2 * program.load("gap", 0, 0), CEILING))
            program.store("gap", 0, 1, limit)

    def choose(self, size: str, limit: Scalar, solving: bool = False) -> None:
        """Choose independent rows by elimination of "Lambda" with diagonal pivoting; see `dependence.taken_rows`.

        The choice is stored in "taken", the number in "rank". size, limit : array of scales of the rows, and the
        smallest pivot relative to these. solving : also solve Lambda lambda = rhs, with lambda in place of "rhs" and
        the inverse pivots in "inverse".

        "pivot" holds the best score so far, the row that has it, its pivot, and its rhs.
        """
        program, m = self.program, self.m
        program.store("rank", 0, 0, 0.0)
        program.store("bar", 0, 0, limit)
        with program.loop(0, m) as k:
            program.store("taken", k, 0, 0.0)
            if solving:
                program.store("inverse", k, 0, 0.0)
        with program.loop(0, m):
            for place in range(4):
                program.store("pivot", 0, place, 0.0)
            with program.loop(0, m) as i:
                own, of_row = program.load("Lambda", i * m + i), program.load(size, i)
                # "later" handicaps later rows slightly: round-off must not choose between equal ones
                score = select(own > program.load("bar", 0) * of_row, own / (of_row * program.load("later", i)), 0.0)
                score = select(program.load("taken", i) > 0.5, 0.0, score)
                better = score > program.load("pivot", 0, 0)
                of_best = (score, program.load("number", i), own, program.load("rhs", i))
                for place, new in enumerate(of_best):
                    program.store("pivot", 0, place, select(better, new, program.load("pivot", 0, place)))
            with program.loop(0, 1):
                found = select(program.load("pivot", 0, 0) > 0.0, 1.0, 0.0)
                program.store("rank", 0, 0, program.load("rank", 0) + found)
                # no row has the number -1: then nothing changes in what follows
                program.store("pivot", 0, 1, select(found > 0.5, program.load("pivot", 0, 1), -1.0))
                own = program.load("pivot", 0, 2)
                program.store("pivot", 0, 2, select(found > 0.5, 1.0 / select(own > 0.0, own, 1.0), 0.0))
            with program.loop(0, m) as i:
                program.store("column", i, 0, 0.0)
                with program.loop(0, m) as j:
                    # by comparison, since each lane may have another pivot, and an index is the same for all lanes
                    best = equal(program.load("number", j), program.load("pivot", 0, 1))
                    entry = select(best, program.load("Lambda", i * m + j), 0.0)
                    program.store("column", i, 0, program.load("column", i) + entry)
            with program.loop(0, m) as i:
                program.store("row", i, 0, select(program.load("taken", i) > 0.5, 0.0, program.load("column", i)))
            with program.loop(0, m) as i:
                itself = equal(program.load("number", i), program.load("pivot", 0, 1))
                program.store("taken", i, 0, select(itself, 1.0, program.load("taken", i)))
                factor = select(itself, 0.0, program.load("column", i) * program.load("pivot", 0, 2))
                program.store("factor", 0, 0, factor)
                if solving:
                    program.store("rhs", i, 0, program.load("rhs", i) - factor * program.load("pivot", 0, 3))
                    inverse = select(itself, program.load("pivot", 0, 2), program.load("inverse", i))
                    program.store("inverse", i, 0, inverse)
                with program.loop(0, m) as j:
                    change = program.load("factor", 0) * program.load("row", j)
                    program.store("Lambda", i * m + j, 0, program.load("Lambda", i * m + j) - change)
        if solving:
            with program.loop(0, m) as k:
                program.store("rhs", k, 0, program.load("rhs", k) * program.load("inverse", k))

    def doubt(self) -> None:
        """Set "uncertain" if a row that was not taken might be independent."""
        program = self.program
        with program.loop(0, self.m) as i:
            left = program.load("Lambda", i * self.m + i)
            unclear = select(left > program.load("least", i), 1.0 - program.load("taken", i), 0.0)
            program.store("uncertain", 0, 0, maximum(program.load("uncertain", 0), unclear))

    def eliminate(self) -> None:
        """Solve Lambda lambda = rhs for the rows that are "taken"; lambda is left in "rhs"."""
        program, m = self.program, self.m
        with program.loop(0, m) as p:
            own = program.load("Lambda", p * m + p)
            inverse = select(program.load("taken", p) > 0.5, 1.0 / select(own > 0.0, own, 1.0), 0.0)
            program.store("inverse", p, 0, inverse)
            with program.loop(0, m) as i:
                itself = equal(program.load("number", i), program.load("number", p))
                x = program.load("Lambda", i * m + p)
                program.store("column", i, 0, select(itself, 0.0, x * program.load("inverse", p)))
            with program.loop(0, m) as i:
                program.store("factor", 0, 0, program.load("column", i))
                program.store("rhs", i, 0, program.load("rhs", i) - program.load("factor", 0) * program.load("rhs", p))
                with program.loop(p + 1, m) as j:
                    place = i * m + j
                    change = program.load("factor", 0) * program.load("Lambda", p * m + j)
                    program.store("Lambda", place, 0, program.load("Lambda", place) - change)
        with program.loop(0, m) as k:
            program.store("rhs", k, 0, program.load("rhs", k) * program.load("inverse", k))

    def compare(self) -> None:
        """Store in "Lambda" the scalar products of the rows in terms of joint rates, with angles as arc lengths."""
        program, m, nv = self.program, self.m, self.program.count("joint_velocities")
        with program.loop(0, self.first_own) as r:
            self.push(r)
            self.carry(r)
        if self.own is not None:
            with program.loop(0, self.own.m) as r:
                self.push_own(r)
                self.carry(r + self.first_own)
        with program.loop(0, m) as i, program.loop(0, m) as j:
            place = i * m + j
            program.store("Lambda", place, 0, 0.0)
            with program.loop(0, nv) as a:
                x, y = (program.load("along_joints", r * nv + a) for r in (i, j))
                product = program.load("joint_metric", a) * (x * y)
                program.store("Lambda", place, 0, program.load("Lambda", place) + product)

    def carry(self, r: Index) -> None:
        """Project the reaction in "dp" to the joints of the tree, into "along_joints"."""
        program, nv = self.program, self.program.count("joint_velocities")
        with self.bodies(True) as body:
            for kind in self.of_kind(body):
                p, axes, first = body.get("dp"), body.axes(), program.entry("v_first", body.k)
                for k in range(kind.freedoms):
                    program.store("along_joints", r * nv + first, k, dot(axes[6 * k : 6 * k + 6], p))
                hand_on(body, p)


def feel(body: ProgramBody, kind: Kind, torque: Sequence[Scalar] = ()) -> None:
    """Propagate a force on a body's subtree to its parent (inward pass). torque : joint forces, if there are any."""
    p, u = fv.of(body.get("dp")), JointVector()
    if kind.freedoms:
        U, D, _ = factors(body, kind)
        u = (torque or [0.0] * kind.freedoms) - subspace(body, kind).T @ p  # Featherstone 2008, Eq 7.45
        p = p + U @ D.solve(u)  # Eq 7.48
    body.put("du", u)
    hand_on(body, p.flat())


def hand_on(body: ProgramBody, p: Sequence[Scalar]) -> None:
    """Add a force on a body to that on its parent."""
    felt = fv.of(body.get("dp", body.parent)) + body.X.T @ fv.of(p)
    body.put("dp", felt.flat(), body.parent)


def follow(body: ProgramBody, kind: Kind) -> None:
    """Compute the response of a body from that of its parent (outward pass)."""
    a = body.carried("dA")
    if kind.freedoms:
        U, D, _ = factors(body, kind)
        a = a + subspace(body, kind) @ D.solve(JointVector(body.get("du")[: kind.freedoms]) - U.T @ a)  # Eq 7.49
    body.put("dA", a.flat())
