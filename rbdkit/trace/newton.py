"""Newton's method inside a program, for integrators whose steps solve nonlinear equations.

The solver is recorded like all other code, so it runs inside the compiled loop over time, for one motion or for
several in lanes. Lanes share control flow: every lane goes through the same iterations, and `select` decides in each
whether a correction is applied. The flags of a lane stand in the array "newton".

A solve has two phases. *Quick* corrections (simplified Newton, or chord, method) use one Jacobian for all iterations,
if possible the inverse that is kept from an earlier step: this costs one residual each. If `quick` corrections do not
converge, the solve restarts at the guess with *full* Newton's method, where the Jacobian is computed again before each
correction, by central differences, 2 n residuals. The largest residual before each correction is written to "history";
the history of the hardest solve since the last recorded state is reported (`residuals_of`).

Reference: Deuflhard, Newton Methods for Nonlinear Problems (2004), chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.graph import Scalar
from rbdkit.trace.program import Program, Whole
from rbdkit.trace.recorded import Part
from rbdkit.trace.scalar import maximum, select

LEFT, FAILED, FRESH, COUNT, CORRECT, RESTART, WANT, SIZE, SQUARES, STEP, LENGTH, HARDER = PLACES = range(12)
"""Places in the array "newton": state of the solver in a lane; flags are 1 or 0."""
TURNS = 32
"""Number of residuals that are kept for a solve."""
MOST_CORRECTIONS = TURNS - 2
HISTORY = 3 + TURNS
"""Length of the history of a solve: number of corrections, number of residuals, whether it failed, the residuals."""
HUGE = 1e300
DIFFERENCE = 6e-6
"""Step of central differences, relative to the variable if that is above 1: the cube root of the machine epsilon."""
ROUND_OFF = 4.0 * float(np.finfo(float).eps)

Residual = Callable[[Part, Part], None]
"""Function that records the residuals: reads the unknowns from one part and writes the residuals to another."""


@dataclass(frozen=True)
class Newton:
    """A square system of nonlinear equations ``residual(z) = 0`` in a program, and how it is solved.

    Unknowns and residuals stand in arrays of the same layout; those of this system begin at `first`. Quick corrections
    come first, with the Jacobian of an earlier call or one by central differences at the guess; if they do not
    converge, Newton's method restarts at the guess with a new Jacobian for every correction. As in
    `rbdkit.integrators.newton`, a solution is found when the largest residual is below the tolerance, or a correction
    is too small to change the unknowns.

    Parameters
    ----------
    first, n : place of the first unknown, and number of unknowns.
    residual : reads all unknowns from one part and writes all residuals to another.
    quick, full : largest number of corrections with a fixed Jacobian, and with a new one each.
    slope : factor c of the Jacobian c I of quick corrections; if None, the Jacobian is kept or computed, see above.
    correction : function that records quick corrections to "correction", in place of a Jacobian.
    least : number of corrections that are made whatever the residual.
    relief : factor on the tolerance in the second phase.
    """

    program: Program
    first: Whole
    n: Whole
    residual: Residual
    quick: int = 8
    full: int = 20
    slope: Part | None = None
    correction: Callable[[], None] | None = None
    least: int = 0
    relief: float = 1.0

    def solve(self) -> None:
        """Record the solution of the equations, from "guess" to "unknowns", in lanes that are "going".

        The tolerance of the largest residual is read from "tolerance"; `failed` tells where no solution was found.
        """
        program = self.program
        if self.quick + self.full + 2 > TURNS:
            raise ValueError(f"{self.quick} and {self.full} corrections are more than {TURNS - 2}")
        for place in (FAILED, FRESH, COUNT):
            self._keep(place, 0.0)
        # a lane whose motion has ended has nothing to solve
        self._keep(LEFT, program.load("going", 0))
        program.store("history", 0, 1, 0.0)
        with program.loop(0, self.n) as k:
            own = self.first + k
            program.store("unknowns", own, 0, program.load("guess", own))
        # in each phase one residual more than corrections: the last correction is judged, too
        with program.loop(0, self.quick + self.full + 2) as turn:
            self.residual(Part("unknowns"), Part("residual"))
            self._measure("residual")
            self._decide(turn)
            program.break_if(self._known(LEFT) < 0.5)
            if self.full or self.correction is None:
                # runs if any lane wants a Jacobian, which costs 2 n residuals
                with program.when("newton", 0, WANT):
                    self._differentiate()
                    self._invert()
            self._correct()
            # lanes whose correction was below round-off are done without another residual
            program.break_if(self._known(LEFT) < 0.5)
        self._write_down()

    @property
    def failed(self) -> Any:
        """Condition that no solution was found, for `select`."""
        return self._known(FAILED) > 0.5

    def _known(self, place: int) -> Scalar:
        return self.program.load("newton", 0, place)

    def _keep(self, place: int, value: Scalar) -> None:
        self.program.store("newton", 0, place, value)

    def _measure(self, array: str) -> None:
        """Store the largest absolute value in `SIZE` and the sum of squares, which is NaN if any is, in `SQUARES`."""
        program = self.program
        self._keep(SIZE, 0.0)
        self._keep(SQUARES, 0.0)
        with program.loop(0, self.n) as k:
            x = program.load(array, self.first + k)
            self._keep(SIZE, maximum(self._known(SIZE), abs(x)))
            self._keep(SQUARES, self._known(SQUARES) + x * x)

    def _decide(self, turn: Whole) -> None:
        """Decide for each lane from its residual: solved, correct again, restart with full Newton, or failed."""
        program = self.program
        left, fresh, count = self._known(LEFT), self._known(FRESH), self._known(COUNT)
        squares = self._known(SQUARES)
        # comparisons with NaN are false, so the sum of squares, not the maximum, tells that a residual is not finite
        largest = select(squares < HUGE, self._known(SIZE), squares)
        program.store("history", turn, 3, largest)
        program.store("history", 0, 1, program.load("history", 0, 1) + left)
        tolerance = program.load("tolerance", 0)
        if self.relief != 1.0:
            tolerance = select(fresh > 0.5, self.relief * tolerance, tolerance)
        solved = select(largest < tolerance, 0.0, left)
        left = select(count < float(self.least), left, solved) if self.least else solved
        most = select(fresh > 0.5, float(self.full), float(self.quick))
        # out of corrections, or the residual is not finite any more
        over = left * select(squares < HUGE, select(count < most, 0.0, 1.0), 1.0)
        # a lane that runs out of quick corrections restarts once with full ones; after these it has failed
        restart, failed = (over * (1.0 - fresh), over * fresh) if self.full else (0.0 * over, over)
        left, fresh = left * (1.0 - failed), fresh + restart
        correct = left * (1.0 - restart)
        kept = program.load("kept", self.first)
        # a new Jacobian: for every full correction, and for the first quick one if none is kept
        self._keep(WANT, correct * (maximum(fresh, 1.0 - kept) if self.slope is None else fresh))
        kept = select(correct > 0.5, 1.0, kept)
        # a Jacobian of the full phase belongs to one iterate only, so the next step does not keep it
        program.store("kept", self.first, 0, select(fresh > 0.5, 0.0, kept))
        self._keep(FAILED, self._known(FAILED) + failed)
        self._keep(COUNT, select(restart > 0.5, 0.0, count))
        for place, value in ((LEFT, left), (FRESH, fresh), (RESTART, restart), (CORRECT, correct)):
            self._keep(place, value)

    def _differentiate(self) -> None:
        """Compute the Jacobian at the unknowns by central differences, column by column, into "jacobian"."""
        program, n = self.program, self.n
        with program.loop(0, n) as k:
            own = self.first + k
            size = maximum(1.0, abs(program.load("unknowns", own)))
            self._keep(STEP, DIFFERENCE * size)
            with program.loop(0, n) as i:
                program.store("jacobian", (self.first + i) * n + k, 0, 0.0)
            with program.loop(0, 2) as side:
                with program.loop(0, n) as i:
                    place = self.first + i
                    program.store("trial", place, 0, program.load("unknowns", place))
                # a loop of one turn makes a block of its own: "trial" is written at one index here, and read at others
                # by the residual, which one block may not do
                with program.loop(0, 1):
                    way = program.load("sides", side) * self._known(STEP)
                    program.store("trial", own, 0, program.load("trial", own) + way)
                self.residual(Part("trial"), Part("trial_residual"))
                with program.loop(0, n) as i:
                    # "sides" are 1 and -1: the two turns add up to (r(z + h) - r(z - h)) / 2h
                    slope = program.load("sides", side) * (0.5 / self._known(STEP))
                    entry, r = (self.first + i) * n + k, program.load("trial_residual", self.first + i)
                    program.store("jacobian", entry, 0, program.load("jacobian", entry) + slope * r)

    def _invert(self) -> None:
        """Store the inverse of "jacobian" in "jacobian_inverse", in lanes that want a new one.

        The inverse and no factorisation is kept: it serves many steps, and a product needs no pivoting.
        """
        program, n = self.program, self.n
        with program.loop(0, n) as i:
            row = (self.first + i) * n
            with program.loop(0, n) as j:
                program.store("right_side", row + j, 0, 0.0)
            with program.loop(0, 1):
                program.store("right_side", row + i, 0, 1.0)
        eliminate(program, self.first, n, "jacobian", "right_side", n)
        with program.loop(0, n) as i:
            row = (self.first + i) * n
            with program.loop(0, n) as j:
                place = row + j
                new, old = program.load("right_side", place), program.load("jacobian_inverse", place)
                program.store("jacobian_inverse", place, 0, select(self._known(WANT) > 0.5, new, old))

    def _correct(self) -> None:
        """Correct the unknowns; a correction below round-off means solved, and a lane that restarts gets its guess."""
        program, n = self.program, self.n
        self._keep(LENGTH, 0.0)
        with program.loop(0, n) as i:
            size = abs(program.load("unknowns", self.first + i))
            self._keep(LENGTH, maximum(self._known(LENGTH), size))
        if self.correction is None:
            self._multiply()
        else:
            self.correction()
        if self.slope is not None:
            with program.loop(0, n) as i:
                place = self.first + i
                quick = program.load("residual", place) / self.slope.load(program, 0)
                full = program.load("correction", place)
                program.store("correction", place, 0, select(self._known(FRESH) > 0.5, full, quick))
        self._measure("correction")
        # a correction that changes no digit of the unknowns: the residual is as small as it can become
        small = select(self._known(SIZE) > ROUND_OFF * maximum(self._known(LENGTH), 1e-300), 0.0, 1.0)
        small = self._known(CORRECT) * select(self._known(SQUARES) < HUGE, small, 0.0)
        correct = self._known(CORRECT) * (1.0 - small)
        self._keep(CORRECT, correct)
        self._keep(COUNT, self._known(COUNT) + correct)
        self._keep(LEFT, self._known(LEFT) * (1.0 - small))
        with program.loop(0, n) as k:
            place = self.first + k
            z = program.load("unknowns", place)
            stays = select(self._known(RESTART) > 0.5, program.load("guess", place), z)
            better = z - program.load("correction", place)
            program.store("unknowns", place, 0, select(self._known(CORRECT) > 0.5, better, stays))

    def _multiply(self) -> None:
        """Store the product of the inverse and the residual in "correction"."""
        program, n = self.program, self.n
        with program.loop(0, n) as i:
            place = self.first + i
            row = place * n
            program.store("correction", place, 0, 0.0)
            with program.loop(0, n) as j:
                term = program.load("jacobian_inverse", row + j) * program.load("residual", self.first + j)
                program.store("correction", place, 0, program.load("correction", place) + term)

    def _write_down(self) -> None:
        """Copy the history to "hardest", unless the solve stored there took more corrections or failed."""
        program = self.program
        failed = maximum(self._known(FAILED), self._known(LEFT))
        self._keep(FAILED, failed)
        program.store("history", 0, 0, self._known(COUNT))
        program.store("history", 0, 2, failed)
        hard, known = (select(program.load(x, 0, 2) > 0.5, HUGE, program.load(x, 0, 0)) for x in ("history", "hardest"))
        self._keep(HARDER, program.load("going", 0) * select(hard < known, 0.0, 1.0))
        with program.loop(0, HISTORY) as k:
            new, old = program.load("history", k), program.load("hardest", k)
            program.store("hardest", k, 0, select(self._known(HARDER) > 0.5, new, old))


def newton_arrays(n: int) -> dict[str, NDArray]:
    """Return the arrays that `Newton` reads and writes, by name, for n unknowns in all."""
    vectors = ("guess", "unknowns", "residual", "trial", "trial_residual", "correction", "kept")
    return {
        **{name: np.zeros(n) for name in vectors},
        **{name: np.zeros(n * n) for name in ("jacobian", "right_side", "jacobian_inverse")},
        "newton": np.zeros(len(PLACES)),
        "elimination": np.zeros(3),
        "tolerance": np.zeros(1),
        "sides": np.array([1.0, -1.0]),
        "history": np.zeros(HISTORY),
        "hardest": np.zeros(HISTORY),
    }


def has_failed(row: NDArray) -> bool:
    """Whether a row of `HISTORY` numbers belongs to a solve that failed."""
    return bool(row[2] > 0.5)


def residuals_of(row: NDArray) -> NDArray:
    """Return the largest residual before the first correction and after each, from a row of `HISTORY` numbers."""
    count, seen = row[:2].astype(int)
    return row[3 + seen - count - 1 : 3 + seen]


SWAP, PIVOT, FACTOR = range(3)
"""Places in "elimination"."""


def eliminate(program: Program, first: Whole, n: Whole, A: str, B: str, width: Whole) -> None:
    """Record the solution of A X = B by Gauss-Jordan elimination with partial pivoting; X replaces B, A is overwritten.

    A (n, n) and B (n, width) are stored by rows, both from row `first` on. Rows are exchanged in each lane separately,
    by `select`; "elimination" is an array of three numbers. The result for a singular matrix is not finite.
    """

    def known(place: int) -> Scalar:
        return program.load("elimination", 0, place)

    def keep(place: int, value: Scalar) -> None:
        program.store("elimination", 0, place, value)

    with program.loop(0, n) as k:
        a_k, b_k = (first + k) * n, (first + k) * width
        with program.loop(k + 1, n) as i:
            a_i, b_i = (first + i) * n, (first + i) * width
            # lanes cannot search for their pivots at different places; so each row below is compared with row k and
            # exchanged if its element is larger, after which the largest one is in row k
            keep(SWAP, select(abs(program.load(A, a_i + k)) > abs(program.load(A, a_k + k)), 1.0, 0.0))
            with program.when("elimination", 0, SWAP):
                for array, one, other, start, stop in ((A, a_k, a_i, k, n), (B, b_k, b_i, 0, width)):
                    with program.loop(start, stop) as j:
                        here, there = one + j, other + j
                        x, y, swap = program.load(array, here), program.load(array, there), known(SWAP) > 0.5
                        program.store(array, here, 0, select(swap, y, x))
                        program.store(array, there, 0, select(swap, x, y))
        with program.loop(0, 1):
            keep(PIVOT, 1.0 / program.load(A, a_k + k))
        for array, row, start, stop in ((A, a_k, k, n), (B, b_k, 0, width)):
            with program.loop(start, stop) as j:
                place = row + j
                program.store(array, place, 0, known(PIVOT) * program.load(array, place))
        # rows above the pivot as well (Jordan): no back substitution is left to do
        for lowest, highest in ((0, k), (k + 1, n)):
            with program.loop(lowest, highest) as i:
                a_i, b_i = (first + i) * n, (first + i) * width
                keep(FACTOR, program.load(A, a_i + k))
                for array, own, pivot, start, stop in ((A, a_i, a_k, k, n), (B, b_i, b_k, 0, width)):
                    with program.loop(start, stop) as j:
                        place = own + j
                        change = known(FACTOR) * program.load(array, pivot + j)
                        program.store(array, place, 0, program.load(array, place) - change)
