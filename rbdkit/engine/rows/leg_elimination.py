"""Reactions of a mechanism with isomorphic legs, computed leg by leg.

If everything that the legs share stands still, ``B = Yo^T Do^-1 Yo`` takes the place of Lambda, and it is block
diagonal, one block per leg; o are the freedoms of legs, s those that are shared, and Y, D as in `Elimination`. The
shared freedoms enter as further unknowns z, beside the rows instead of between all of them: with
``z = -Ds^-1 (f_s - Ys lambda)``

    [B    Ys^T] [lambda]   [Yo^T Do^-1 f_o - k]
    [Ys   -Ds ] [  z   ] = [        f_s       ]

which has more rows, but couples no leg with another directly. First come the rows that are independent by the motion of
their leg alone, leg by leg; then z, whose block is negative definite; then the other rows, the *late* ones, whose
pivots tell as ever whether they are redundant. As ``Y^T D^-1 Y >= B``, the pivots of the first ones are no smaller than
those of B: where these are all clear, all count. Where one is not, all rows are eliminated together by `Elimination`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbdkit.engine.rows.elimination import Elimination
from rbdkit.engine.rows.legs import ANSWERS
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.model.closing.rank import CEILING
from rbdkit.trace import Index, Scalar, Whole, maximum, select


class LegElimination(Elimination):
    """`Elimination` leg by leg; for straight-line code, which leaves out what is zero.

    Needs the tables, counts and work arrays of `Legs`. In array `ANSWERS` the columns are those of the first rows, by
    their numbers; then those of z and of late rows, "shared" for short; and the right-hand side.
    """

    def __init__(self, tree: LoopTree) -> None:
        super().__init__(tree)
        count = self.program.count
        self.legs, self.z, self.late = count("n_legs"), count("n_legs_shared"), count("n_legs_late")
        self.shared, self.width = self.z + self.late, count("legs_row")
        self.pushed = self.width - 1

    def factorise(self) -> None:
        program = self.program
        self._factorise_tree()
        self._set_limit()
        with program.loop(0, (self.m + self.shared) * self.width) as place:
            program.store(ANSWERS, place, 0, 0.0)
        with program.loop(0, self.legs * self.shared * (self.shared + 1)) as place:
            program.store("legs_sums", place, 0, 0.0)
        self._answer_apart()
        self._eliminate_first()
        self._eliminate_shared()
        with program.when("uncertain", 0, seldom=True):
            self._look_again()

    # --- the equations ------------------------------------------------------------------------------------------------

    def _answer_apart(self) -> None:
        """Compute B, Ys, Ds, and the right-hand side."""
        program, m = self.program, self.m
        with program.loop(0, program.count("n_legs_velocities")) as k:
            a = program.entry("legs_velocities", k)
            here, start, stop = a * self.length, *self._touching(a)
            with program.loop(start, stop) as touching:
                r = program.entry("touching", touching)
                row = self._column(r) * self.width
                program.store("factor", 0, 0, program.load("Y", here + r) * program.load("D_inv", a))
                with program.loop(touching, stop) as place:
                    s = program.entry("touching", place)
                    self._add(row + self._column(s), program.load("factor", 0) * program.load("Y", here + s))
                self._add(row + self.pushed, program.load("factor", 0) * program.load("Y", here + m))
        with program.loop(0, m) as r:
            self._add(self._column(r) * self.width + self.pushed, -program.load("row_k", r))
        with program.loop(0, self.z) as i:
            a = program.entry("legs_shared", i)
            here, start, stop, own = a * self.length, *self._touching(a), m + i
            with program.loop(start, stop) as touching:
                r = program.entry("touching", touching)
                # of the two places the one in the upper half is read
                for place in (self._column(r) * self.width + own, own * self.width + self._column(r)):
                    program.store(ANSWERS, place, 0, program.load("Y", here + r))
            row = own * self.width
            # -Ds: the block of z is negative definite
            program.store(ANSWERS, row + own, 0, -1.0 / program.load("D_inv", a))
            program.store(ANSWERS, row + self.pushed, 0, program.load("Y", here + m))

    def _eliminate_first(self) -> None:
        """Eliminate the first rows of the legs (upper triangle); add up, leg by leg, their updates of shared ones."""
        program, width = self.program, self.width
        for p in self._first():
            row, own = p * width, program.load(ANSWERS, p * width + p)
            # these rows were independent at some poses; here they may not be
            unclear = select(own > CEILING * program.load("row_free", p), 0.0, 1.0)
            program.store("uncertain", 0, 0, maximum(program.load("uncertain", 0), unclear))
            program.store("row_inverse", p, 0, 1.0 / select(own > 0.0, own, 1.0))
            for i in self._later(p):
                program.store("factor", 0, 0, program.load(ANSWERS, row + i) * program.load("row_inverse", p))
                here = i * width
                self._subtract(here + i, program.load("factor", 0) * program.load(ANSWERS, row + i))
                for j in self._later(i):
                    self._subtract(here + j, program.load("factor", 0) * program.load(ANSWERS, row + j))
                with program.loop(self.m, width) as j:
                    self._subtract(here + j, program.load("factor", 0) * program.load(ANSWERS, row + j))
            # Summed per leg first, so that the code of all legs is the same and can run in SIMD lanes.
            sums, beside = program.entry("leg_of_row", p) * self.shared, row + self.m
            with program.loop(0, self.shared) as i:
                program.store("factor", 0, 0, program.load(ANSWERS, beside + i) * program.load("row_inverse", p))
                here = (sums + i) * (self.shared + 1)
                with program.loop(i, self.shared + 1) as j:
                    term = program.load("factor", 0) * program.load(ANSWERS, beside + j)
                    program.store("legs_sums", here + j, 0, program.load("legs_sums", here + j) + term)
        s = self.shared
        with program.loop(0, s) as i, program.loop(i, s + 1) as j, program.loop(0, self.legs) as leg:
            self._subtract(self._beside(i) + j, program.load("legs_sums", (leg * s + i) * (s + 1) + j))

    def _eliminate_shared(self) -> None:
        """Eliminate z, then the late rows."""
        program = self.program
        with program.loop(0, self.z) as p:
            program.store("shared_inverse", p, 0, 1.0 / program.load(ANSWERS, self._beside(p) + p))
            self._subtract_shared(p)
        with program.loop(0, self.late) as k:
            p, r = self.z + k, program.entry("legs_late", k)
            own, clear = program.load(ANSWERS, self._beside(p) + p), CEILING * program.load("row_free", r)
            counts = own > clear
            program.store("shared_inverse", p, 0, select(counts, 1.0 / select(own > 0.0, own, 1.0), 0.0))
            unclear = select(own > program.load("row_least", r), select(own > clear, 0.0, 1.0), 0.0)
            program.store("uncertain", 0, 0, maximum(program.load("uncertain", 0), unclear))
            program.store("row_inverse", r, 0, program.load("shared_inverse", p))
            self._subtract_shared(p)

    def _subtract_shared(self, p: Whole) -> None:
        program, row = self.program, self._beside(p)
        with program.loop(p + 1, self.shared) as i:
            program.store("factor", 0, 0, program.load(ANSWERS, row + i) * program.load("shared_inverse", p))
            here = self._beside(i)
            with program.loop(i, self.shared + 1) as j:
                self._subtract(here + j, program.load("factor", 0) * program.load(ANSWERS, row + j))

    # --- their solution -----------------------------------------------------------------------------------------------

    def react(self, anew: bool = False) -> None:
        """Solve for the reactions as in `Elimination`; leaves z in "shared_motion"."""
        program, width = self.program, self.width
        if anew:
            with program.loop(0, self.m) as p:
                program.store("row_sought", p, 0, program.load("reactions", p))
            self._eliminate_sought()
        else:
            for p in self._first():
                program.store("reactions", p, 0, program.load(ANSWERS, p * width + self.pushed))
            with program.loop(0, self.shared) as i:
                program.store("shared_motion", i, 0, program.load(ANSWERS, self._beside(i) + self.shared))
        with program.loop(self.shared - 1, -1, -1) as i:
            row = self._beside(i)
            with program.loop(i + 1, self.shared) as j:
                z = program.load("shared_motion", i) - program.load(ANSWERS, row + j) * program.load("shared_motion", j)
                program.store("shared_motion", i, 0, z)
            program.store("shared_motion", i, 0, program.load("shared_motion", i) * program.load("shared_inverse", i))
        for p in self._first(back=True):
            row = p * width
            for j in self._later(p):
                self._without(p, program.load(ANSWERS, row + j) * program.load("reactions", j))
            beside = row + self.m
            with program.loop(0, self.shared) as i:
                self._without(p, program.load(ANSWERS, beside + i) * program.load("shared_motion", i))
            program.store("reactions", p, 0, program.load("reactions", p) * program.load("row_inverse", p))
        with program.loop(0, self.late) as k:
            place = self.z + k
            program.store("reactions", program.entry("legs_late", k), 0, program.load("shared_motion", place))
        with program.when("uncertain", 0, seldom=True):
            if anew:
                with program.loop(0, self.m) as p:
                    program.store("reactions", p, 0, program.load("row_sought", p))
            super().react(anew)
            self._move_shared(pushed=not anew)

    def _eliminate_sought(self) -> None:
        """Forward elimination of a new right-hand side: "reactions", with zeros beside z."""
        program = self.program
        with program.loop(0, self.legs * self.shared) as place:
            program.store("legs_pushes", place, 0, 0.0)
        for p in self._first():
            row, sums = p * self.width, program.entry("leg_of_row", p) * self.shared
            program.store("factor", 0, 0, program.load("reactions", p) * program.load("row_inverse", p))
            for i in self._later(p):
                self._without(i, program.load("factor", 0) * program.load(ANSWERS, row + i))
            beside = row + self.m
            with program.loop(0, self.shared) as i:
                place = sums + i
                term = program.load("factor", 0) * program.load(ANSWERS, beside + i)
                program.store("legs_pushes", place, 0, program.load("legs_pushes", place) + term)
        with program.loop(0, self.z) as i:
            program.store("shared_motion", i, 0, 0.0)
        with program.loop(0, self.late) as k:
            program.store("shared_motion", self.z + k, 0, program.load("reactions", program.entry("legs_late", k)))
        with program.loop(0, self.shared) as i, program.loop(0, self.legs) as leg:
            push = program.load("legs_pushes", leg * self.shared + i)
            program.store("shared_motion", i, 0, program.load("shared_motion", i) - push)
        with program.loop(0, self.shared) as p:
            row = self._beside(p)
            program.store("factor", 0, 0, program.load("shared_motion", p) * program.load("shared_inverse", p))
            with program.loop(p + 1, self.shared) as i:
                z = program.load("shared_motion", i) - program.load("factor", 0) * program.load(ANSWERS, row + i)
                program.store("shared_motion", i, 0, z)

    def _move_shared(self, pushed: bool) -> None:
        """Compute z from the reactions."""
        program = self.program
        with program.loop(0, self.z) as i:
            a = program.entry("legs_shared", i)
            here, start, stop = a * self.length, *self._touching(a)
            force = program.load("Y", here + self.m) if pushed else 0.0
            program.store("shared_motion", i, 0, -force)
            with program.loop(start, stop) as touching:
                r = program.entry("touching", touching)
                z = program.load("shared_motion", i) + program.load("Y", here + r) * program.load("reactions", r)
                program.store("shared_motion", i, 0, z)
            program.store("shared_motion", i, 0, program.load("shared_motion", i) * program.load("D_inv", a))

    def accelerate(self, qdd: JointArray, pushed: bool) -> None:
        program = self.program
        with program.loop(0, program.count("n_legs_beside")) as k:
            a = program.entry("legs_beside", k)
            qdd[a] = program.load("Y", a * self.length + self.m) * program.load("D_inv", a) if pushed else 0.0
        with program.loop(0, program.count("n_legs_velocities")) as k:
            a = program.entry("legs_velocities", k)
            here, start, stop = a * self.length, *self._touching(a)
            qdd[a] = program.load("Y", here + self.m) if pushed else 0.0
            with program.loop(start, stop) as touching:
                r = program.entry("touching", touching)
                qdd[a] = qdd[a] - program.load("Y", here + r) * program.load("reactions", r)
            qdd[a] = qdd[a] * program.load("D_inv", a)
        with program.loop(0, self.z) as i:
            # z is minus these accelerations
            qdd[program.entry("legs_shared", i)] = -program.load("shared_motion", i)
        for a in self.tree.ordered():
            for b in self.tree.supporting(a, itself=False):
                qdd[a] = qdd[a] - program.load("L", a * self.tree.nv + b) * qdd[b]

    # --- places -------------------------------------------------------------------------------------------------------

    def _touching(self, a: Whole) -> tuple[Index, Index]:
        """Return where the rows that act on a velocity begin and end in table "touching"."""
        return self.program.entry("first_touching", a), self.program.entry("first_touching", a + 1)

    def _first(self, back: bool = False) -> Iterator[Index]:
        """Loop over the first rows of all legs, leg by leg."""
        n = self.program.count("n_legs_rows")
        start, stop, step = (n - 1, -1, -1) if back else (0, n, 1)
        with self.program.loop(start, stop, step) as place:
            yield self.program.entry("legs_rows", place)

    def _later(self, row: Whole) -> Iterator[Index]:
        """Loop over the rows of the same leg that come after one."""
        program = self.program
        start, stop = (program.entry("first_row_later", row + k) for k in (0, 1))
        with program.loop(start, stop) as place:
            yield program.entry("rows_later", place)

    def _column(self, row: Whole) -> Index:
        """Return the column of a row."""
        return self.program.entry("legs_columns", row)

    def _beside(self, i: Whole) -> Index:
        """Return where the columns of shared unknowns begin in the row of a shared one."""
        return (self.m + i) * self.width + self.m

    def _add(self, place: Whole, x: Scalar) -> None:
        self.program.store(ANSWERS, place, 0, self.program.load(ANSWERS, place) + x)

    def _subtract(self, place: Whole, x: Scalar) -> None:
        self.program.store(ANSWERS, place, 0, self.program.load(ANSWERS, place) - x)

    def _without(self, row: Whole, x: Scalar) -> None:
        """Subtract a number from a reaction."""
        self.program.store("reactions", row, 0, self.program.load("reactions", row) - x)
