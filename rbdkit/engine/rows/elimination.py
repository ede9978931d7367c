"""Constraint reactions of a tree, from factors of H that preserve its branch-induced sparsity.

Method 2 of Featherstone (2008), section 8.5, in the sparse form of section 8.11: with H = L^T D L and Y = L^-T K^T the
reactions follow from ``(Y^T D^-1 Y) lambda = Y^T D^-1 L^-T f - k``, with one equation per row of K. Redundant rows have
no reaction: `dependence` says which these are.

Rows are eliminated in their order as long as each is clearly independent or clearly redundant: then any order leads to
the same accelerations. Where a row is in between ("uncertain"), elimination is repeated with pivoting, in the metric of
the kinetic energy and in that of the geometry. Since Lambda may then be ill conditioned, by the ratio of the masses,
the accelerations get one step of iterative refinement.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.ltl import factorise_sparse
from rbdkit.model.closing.rank import AMPLIFICATION, CEILING, FLOOR
from rbdkit.trace import WIDE, Scalar, Whole, equal, maximum, minimum, select

SCORE, NUMBER, OWN, TAKEN = range(4)
"""Places in "pivot": score of the best row so far, its number, its diagonal entry; and the number of rows taken."""
BESIDE_ROWS = frozenset({"K", "Y", "answers", "reactions"})
"""Arrays padded to a whole number of SIMD registers; the padding must be zero."""


class Elimination:
    """Factors H and K of a state, and solves equations with them.

    Reads "H", "K", "opened". The generalized force f, in the column of "Y" after those of K, is carried through the
    factors.
    """

    def __init__(self, tree: LoopTree) -> None:
        self.tree, self.program = tree, tree.program
        self.m, self.length = tree.program.count("n_rows"), tree.program.count("K_row")
        self.alone = tree.program.lanes.width == 1
        self.program.zeros |= BESIDE_ROWS

    def touched(self, a: Whole, force: bool = True) -> Iterator[Whole]:
        """Loop over the columns of "Y" that may be nonzero in the row of a velocity.

        A single state has all of them, in SIMD registers. force : whether the column of f is included; always so for a
        single state.
        """
        program = self.program
        if self.alone:
            with program.loop(0, self.length, wide=True) as r:
                yield r
            return
        with program.loop(program.entry("first_touching", a), program.entry("first_touching", a + 1)) as place:
            yield program.entry("touching", place)
        if force:
            yield self.m

    def factorise(self) -> None:
        """Compute L and D, Y = L^-T [K^T, f] in place in "Y", and the eliminated matrix Y^T D^-1 Y."""
        self._factorise_tree()
        self._set_limit()
        self._answer()
        self._eliminate()
        with self.program.when("uncertain", 0, seldom=True):
            self._look_again()

    def _factorise_tree(self) -> None:
        """Compute L, D and Y."""
        program = self.program
        factorise_sparse(self.tree)
        for k in self.tree.ordered(inward=True):
            row = k * self.length
            for i in self.tree.supporting(k, itself=False):
                above, factor = i * self.length, k * self.tree.nv + i
                for r in self.touched(k):
                    place = above + r
                    y = program.load("Y", place) - program.load("L", factor) * program.load("Y", row + r)
                    program.store("Y", place, 0, y)

    def _set_limit(self) -> None:
        """Write the limit that the s^2 of rows must exceed to "row_limit"; clear "uncertain"."""
        program = self.program
        with program.loop(0, 1):
            limit = maximum(FLOOR, minimum(AMPLIFICATION**2 * program.load("opened", 0), CEILING))
            program.store("row_limit", 0, 0, limit)
            program.store("uncertain", 0, 0, 0.0)

    def _look_again(self) -> None:
        """Repeat the elimination with pivoting, in both metrics, see `dependence`."""
        program = self.program
        self._recall()
        # first in the metric of the geometry, which says how many rows count, and which
        self._answer("choice", "K", "row_metric")
        self._choose("choice", "row_size", program.load("row_limit", 0))
        with program.loop(0, self.m) as r:
            program.store("row_geometry", r, 0, program.load("row_taken", r))
        program.store("row_open", 0, 0, program.load("pivot", 0, TAKEN))
        self._answer("choice")
        self._choose("choice", "row_free", CEILING)
        with program.loop(0, self.m) as r:
            # the metric of the kinetic energy has a say if its clear pivots are as many
            as_many = equal(program.load("row_open", 0), program.load("pivot", 0, TAKEN))
            taken = select(as_many, program.load("row_taken", r), program.load("row_geometry", r))
            program.store("row_taken", r, 0, taken)
        self._answer("choice")
        self._eliminate("choice", chosen=True)
        with program.loop(0, self.m * self.length, wide=True) as place:
            program.store("answers", place, 0, program.load("choice", place))

    def _recall(self) -> None:
        """Recover K from L and Y, to "K"."""
        program = self.program
        for a in self.tree.freedoms():
            for r in self.touched(a):
                program.store("K", a * self.length + r, 0, program.load("Y", a * self.length + r))
        # K^T = L^T Y: the steps of `_factorise_tree`, undone in the opposite order
        for k in self.tree.ordered():
            for i in self.tree.supporting(k, itself=False):
                above, below, factor = i * self.length, k * self.length, k * self.tree.nv + i
                for r in self.touched(k):
                    x = program.load("K", above + r) + program.load("L", factor) * program.load("Y", below + r)
                    program.store("K", above + r, 0, x)

    def _answer(self, answers: str = "answers", columns: str = "Y", metric: str = "D_inv") -> None:
        """Compute Lambda = Y^T D^-1 Y, and beside it the right-hand side K H^-1 f - k.

        answers : array of the result. columns, metric : other columns and another metric in place of Y and D^-1.
        """
        program, length = self.program, self.length
        with program.loop(0, self.m * length, wide=True) as place:
            program.store(answers, place, 0, 0.0)
        for a in self.tree.freedoms():
            here, stop = a * length, program.entry("first_touching", a + 1)
            with program.loop(program.entry("first_touching", a), stop) as touching:
                r = program.entry("touching", touching)
                row = r * length
                program.store("factor", 0, 0, program.load(columns, here + r) * program.load(metric, a))
                # many entries of K are zero; a body that runs anyway adds nothing
                with program.when("factor", 0, spare=True):
                    for s in self._from(r, touching, stop):
                        place = row + s
                        term = program.load("factor", 0) * program.load(columns, here + s)
                        program.store(answers, place, 0, program.load(answers, place) + term)
        with program.loop(0, self.m) as r:
            place = r * length + self.m
            program.store(answers, place, 0, program.load(answers, place) - program.load("row_k", r))

    def _from(self, row: Whole, touching: Whole, stop: Whole) -> Iterator[Whole]:
        """Loop over the columns of "Y" from a row on, and that of f; the table's places are `touching` to `stop`."""
        program = self.program
        if self.alone:
            with program.loop(program.entry("row_begin", row), self.length, wide=True) as s:
                yield s
            return
        with program.loop(touching, stop) as place:
            yield program.entry("touching", place)
        yield self.m

    def _eliminate(self, answers: str = "answers", chosen: bool = False) -> None:
        """Eliminate the upper triangle row by row; "row_inverse" is zero for rows that do not count.

        chosen : whether "row_taken" says which rows count, in lanes that are uncertain.
        """
        program, m, length = self.program, self.m, self.length
        with program.loop(0, m) as p:
            row = p * length
            own, clear = program.load(answers, row + p), CEILING * program.load("row_free", p)
            counts = select(own > clear, 1.0, 0.0)
            if chosen:
                counts = select(program.load("uncertain", 0) > 0.5, program.load("row_taken", p), counts)
            program.store("row_inverse", p, 0, select(counts > 0.5, 1.0 / select(own > 0.0, own, 1.0), 0.0))
            if not chosen:
                unclear = select(own > program.load("row_least", p), select(own > clear, 0.0, 1.0), 0.0)
                program.store("uncertain", 0, 0, maximum(program.load("uncertain", 0), unclear))
            begin = program.entry("row_begin", p)
            # rows that do not count change no others: in planar linkages these are the most
            with program.when("row_inverse", p, spare=True), program.loop(p + 1, m) as i:
                here = i * length
                # the lower triangle is not updated: by symmetry it equals the upper one
                program.store("factor", 0, 0, program.load(answers, row + i) * program.load("row_inverse", p))
                with program.when("factor", 0, spare=True), program.loop(begin, length, wide=True) as j:
                    place = here + j
                    change = program.load("factor", 0) * program.load(answers, row + j)
                    program.store(answers, place, 0, program.load(answers, place) - change)

    def _choose(self, answers: str, size: str, limit: Scalar) -> None:
        """Select the rows that count, into "row_taken", by elimination with symmetric pivoting."""
        program, m, length = self.program, self.m, self.length
        program.store("row_bar", 0, 0, limit)
        program.store("pivot", 0, TAKEN, 0.0)
        with program.loop(0, m) as i:
            program.store("row_taken", i, 0, 0.0)
            with program.loop(0, i) as j:  # the lower half was not made
                program.store(answers, i * length + j, 0, program.load(answers, j * length + i))
        with program.loop(0, m):
            for which in (SCORE, NUMBER, OWN):
                program.store("pivot", 0, which, -1.0 if which == NUMBER else 0.0)
            with program.loop(0, m) as i:
                own, of_row = program.load(answers, i * length + i), program.load(size, i)
                enough, later = own > program.load("row_bar", 0) * of_row, program.load("row_later", i)
                score = select(enough, own / (of_row * later), 0.0)
                score = select(program.load("row_taken", i) > 0.5, 0.0, score)
                # the largest pivot relative to its row, with a slight preference for earlier rows ("row_later")
                better = score > program.load("pivot", 0, SCORE)
                for which, new in ((SCORE, score), (NUMBER, program.load("row_number", i)), (OWN, own)):
                    program.store("pivot", 0, which, select(better, new, program.load("pivot", 0, which)))
            found = select(program.load("pivot", 0, SCORE) > 0.0, 1.0, 0.0)
            program.store("pivot", 0, TAKEN, program.load("pivot", 0, TAKEN) + found)
            with program.loop(0, m) as i:
                itself = equal(program.load("row_number", i), program.load("pivot", 0, NUMBER))
                program.store("row_taken", i, 0, select(itself, 1.0, program.load("row_taken", i)))
                program.store("row_column", i, 0, 0.0)
                with program.loop(0, m) as j:
                    # lanes may have chosen different rows, which no index can follow: the column is picked by comparing
                    # numbers
                    chosen = equal(program.load("row_number", j), program.load("pivot", 0, NUMBER))
                    entry = select(chosen, program.load(answers, i * length + j), 0.0)
                    program.store("row_column", i, 0, program.load("row_column", i) + entry)
            with program.loop(0, m) as i:
                own = program.load("pivot", 0, OWN)
                inverse = select(program.load("pivot", 0, SCORE) > 0.0, 1.0 / select(own > 0.0, own, 1.0), 0.0)
                program.store("factor", 0, 0, program.load("row_column", i) * inverse)
                with program.loop(0, m) as j:
                    place = i * length + j
                    change = program.load("factor", 0) * program.load("row_column", j)
                    program.store(answers, place, 0, program.load(answers, place) - change)

    def react(self, anew: bool = False) -> None:
        """Solve for the reactions that make K H^-1 (f - K^T lambda) = k, in "reactions".

        anew : whether the right-hand side is what stands in "reactions".
        """
        program, m, length = self.program, self.m, self.length
        # the force stands beside K, so its right-hand side was eliminated along with the rows
        if not anew:
            with program.loop(0, m) as p:
                program.store("reactions", p, 0, program.load("answers", p * length + m))
        else:
            with program.loop(0, m) as p:
                row = p * length
                program.store("factor", 0, 0, program.load("reactions", p) * program.load("row_inverse", p))
                with program.loop(p + 1, m) as i:
                    x = program.load("reactions", i) - program.load("factor", 0) * program.load("answers", row + i)
                    program.store("reactions", i, 0, x)
        if self.alone:
            self._substitute_wide()
            return
        with program.loop(m - 1, -1, -1) as p:
            row = p * length
            with program.loop(p + 1, m) as i:
                x = program.load("reactions", p) - program.load("answers", row + i) * program.load("reactions", i)
                program.store("reactions", p, 0, x)
            with program.loop(0, 1):
                program.store("reactions", p, 0, program.load("reactions", p) * program.load("row_inverse", p))

    def _substitute_wide(self) -> None:
        """Back substitution in SIMD registers; unknowns that are not computed yet are zero meanwhile."""
        program, m, length = self.program, self.m, self.length
        with program.loop(0, length, wide=True) as r:
            program.store("row_column", r, 0, program.load("reactions", r))
            program.store("reactions", r, 0, 0.0)
        with program.loop(m - 1, -1, -1) as p:
            row = p * length
            with program.loop(program.entry("row_begin", p), length, WIDE) as r:
                place = row + r
                terms = [program.load("answers", place, k) * program.load("reactions", r, k) for k in range(WIDE)]
                program.store("row_column", p, 0, program.load("row_column", p) - _sum(terms))
            with program.loop(0, 1):
                program.store("reactions", p, 0, program.load("row_column", p) * program.load("row_inverse", p))

    def refine(self, qdd: JointArray, change: JointArray) -> None:
        """Refine qdd, computed from "reactions", by the residual of K qdd = k, in lanes where rows are uncertain.

        change : work array for what is added.
        """
        program = self.program
        with program.when("uncertain", 0, seldom=True):
            self.along(qdd)
            with program.loop(0, self.m) as r:
                missing = program.load("row_slip", r) - program.load("row_k", r)
                # "row_gap" holds the reactions found so far, while "reactions" holds their correction
                program.store("row_gap", r, 0, program.load("reactions", r))
                # lanes without uncertain rows get a right-hand side of zero, and stay as they are
                program.store("reactions", r, 0, select(program.load("uncertain", 0) > 0.5, missing, 0.0))
            self.react(anew=True)
            self.accelerate(change, pushed=False)
            for a in self.tree.freedoms():
                qdd[a] = qdd[a] + change[a]
            with program.loop(0, self.m) as r:
                program.store("reactions", r, 0, program.load("reactions", r) + program.load("row_gap", r))

    def along(self, x: JointArray) -> None:
        """Write K x to "row_slip"."""
        program = self.program
        with program.loop(0, self.length) as r:
            program.store("row_slip", r, 0, 0.0)
        for a in self.tree.freedoms():
            program.store("factor", 0, 0, x[a])
            here = a * self.length
            for column in self.touched(a, force=False):
                slip = program.load("row_slip", column) + program.load("factor", 0) * program.load("K", here + column)
                program.store("row_slip", column, 0, slip)

    def accelerate(self, qdd: JointArray, pushed: bool) -> None:
        """Compute qdd = H^-1 (f - K^T lambda), without f unless `pushed`. The padding of "reactions" must be zero."""
        program, m, length = self.program, self.m, self.length
        for a in self.tree.freedoms():
            here = a * length
            qdd[a] = program.load("Y", here + m) if pushed else 0.0
            if self.alone:
                with program.loop(0, length, WIDE) as r:
                    place = here + r
                    terms = [program.load("Y", place, k) * program.load("reactions", r, k) for k in range(WIDE)]
                    qdd[a] = qdd[a] - _sum(terms)
            else:
                for column in self.touched(a, force=False):
                    qdd[a] = qdd[a] - program.load("Y", here + column) * program.load("reactions", column)
        for a in self.tree.ordered():
            qdd[a] = qdd[a] * program.load("D_inv", a)
            for b in self.tree.supporting(a, itself=False):
                qdd[a] = qdd[a] - program.load("L", a * self.tree.nv + b) * qdd[b]


def _sum(terms: list[Scalar]) -> Scalar:
    """Sum a power of two of terms pairwise, as SIMD registers do, so that both round alike."""
    while half := len(terms) // 2:
        terms = [x + y for x, y in zip(terms[:half], terms[half:], strict=True)]
    return terms[0]
