"""Steps of the methods for directors as a program: Newton's method inside a step, steps inside a loop over time.

The Jacobian of a step is derived from its residuals on the graph, and the linear equations are solved by elimination
without exchange of rows, written out: the momentum rows come first, and their matrix is the mass matrix but for small
terms. A body without mass in some direction has no such pivots; its steps fail here and are made on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rbdkit.formulations.directors.equations import Body, Triad, chord, midpoint, moved, on_tangent, triad, triad_of
from rbdkit.spatial.vector3 import Vector, cross
from rbdkit.trace import Backend, Executable, Index, Program, Scalar, Symbol, executable, maximum, select, tangents

TINY, HUGE = 1e-300, 1e300


@dataclass(frozen=True)
class Kind:
    """What is written out for itself.

    method : 'energy_momentum', 'tangent_energy_momentum' or 'lagrange_dalembert'.
    twists, loaded, heavy : whether the body may twist, moments act, gravity has a moment.
    """

    method: str
    twists: bool
    loaded: bool
    heavy: bool


@lru_cache(maxsize=32)
def step_code(kind: Kind, backend: Backend) -> Executable:
    """Code that takes "steps" steps of lengths "h" with "iterations" corrections each.

    It begins with "q", "v" and leaves in them where it ends. Row n of "residuals" has the residual before each
    correction of step n and after the last; the first step whose last one is not below "tolerance" ends the run.
    "done" counts the steps made, rows of "q_record", "v_record" are the states after them.
    """
    program = Program(f"{kind.method}_{'twisting' if kind.twists else 'not_twisting'}")
    iterations = program.count("iterations")
    program.store("done", 0, 0, 0.0)
    with program.loop(0, program.count("steps")) as n:
        step = Step(program, kind, n)
        step.begin()
        with program.loop(0, iterations) as k:
            z = [program.load("z", 0, j) for j in range(step.size)]
            residuals = step.residuals(z)
            program.store("residuals", n * (iterations + 1) + k, 0, step.largest(residuals))
            for j, correction in enumerate(newton_correction(z, residuals)):
                program.store("z", 0, j, z[j] - correction)
        z = [program.load("z", 0, j) for j in range(step.size)]
        left = step.largest(step.residuals(z))
        program.store("residuals", n * (iterations + 1) + iterations, 0, left)
        program.leave_if(select(left < program.load("numbers", 0, 7), 0.0, 1.0) > 0.5)
        step.end()
    return executable(program, backend)


class Step:
    """A step of a kind, written into a program. size : number of its unknowns."""

    def __init__(self, program: Program, kind: Kind, n: Index) -> None:
        self.program, self.kind, self.n = program, kind, n
        self.size = 15 if kind.twists else 16

    # --- what a block loads -------------------------------------------------------------------------------------------

    @property
    def body(self) -> Body:
        xx, xy, yy, zz, xz, yz = (self.program.load("numbers", 0, k) for k in range(6))
        if not self.kind.twists:
            xz = yz = 0.0  # d3 is a principal axis of a body without twist
        weight = self._triad("weight") if self.kind.heavy else None
        a = 0.0 if self.kind.twists else self.program.load("numbers", 0, 6)
        return Body([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], weight, self.kind.twists, a)

    @property
    def h(self) -> Scalar:
        return self.program.load("h", self.n)

    def moment(self, number: int = 0) -> Vector | None:
        """The moment along the directors in the step; number 1 is the second one of a row."""
        if not self.kind.loaded:
            return None
        return Vector([self.program.load("moments", self.n * 6, 3 * number + k) for k in range(3)])

    def _triad(self, array: str) -> Triad:
        return triad_of([self.program.load(array, 0, k) for k in range(9)])

    # --- what it records ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The guess, and the momentum that residuals are shares of."""
        program, body, h = self.program, self.body, self.h
        q, v = self._triad("q"), self._triad("v")
        momenta, forces = _flat(body.momenta(v)), _flat(body.forces(q, self.moment()))
        sizes = [*momenta, *(h * f for f in forces)]
        if self.kind.method == "lagrange_dalembert":
            sizes = [p + (0.5 * h) * f for p, f in zip(momenta, forces, strict=True)]
            for k, p in enumerate(sizes):
                program.store("p", 0, k, p)
        scale: Scalar = TINY
        for x in sizes:
            scale = maximum(scale, abs(x))
        program.store("scale", 0, 0, scale)
        for k, x in enumerate([*(h * x for x in _flat(v)), *(self.size - 9) * [0.0]]):
            program.store("z", 0, k, x)

    def residuals(self, z: Sequence[Scalar]) -> list[Scalar]:
        """Shares of the momentum, then constraints; multipliers are shares of the momentum too."""
        scale = self.program.load("scale", 0)
        z = [*z[:9], *(scale * x for x in z[9:])]
        if self.kind.method == "lagrange_dalembert":
            balance, constraints = chord(self.body, self._triad("q"), self._triad("p"), self.h, z)
        else:
            balance, constraints = midpoint(self.body, self._triad("q"), self._triad("v"), self.h, self.moment(), z)
        share = 1.0 / scale
        return [*(share * x for x in balance), *constraints]

    def largest(self, residuals: Sequence[Scalar]) -> Scalar:
        """The largest residual; not a number if one is not."""
        largest: Scalar = 0.0
        squares: Scalar = 0.0
        for x in residuals:
            largest, squares = maximum(largest, abs(x)), squares + x * x
        return select(squares < HUGE, largest, squares)

    def end(self) -> None:
        """The state at the end of the step, written down."""
        program, h = self.program, self.h
        q, v = self._triad("q"), self._triad("v")
        u = triad_of([program.load("z", 0, k) for k in range(9)])
        q_new = moved(q, u)
        v_new = triad((2.0 / h) * du - v_i for du, v_i in zip(u, v, strict=True))
        if self.kind.method != "energy_momentum":
            v_new = self._on_tangent(q_new, v_new, u)
        for array, values in (("q", _flat(q_new)), ("v", _flat(v_new))):
            for k, x in enumerate(values):
                program.store(array, 0, k, x)
                program.store(f"{array}_record", self.n * 9, k, x)
        program.store("done", 0, 0, program.load("done", 0) + 1.0)

    def _on_tangent(self, q_new: Triad, v_new: Triad, u: Triad) -> Triad:
        body, h = self.body, self.h
        if self.kind.method == "lagrange_dalembert":
            arriving = body.momenta(triad((1.0 / h) * du for du in u))
            forces = body.forces(q_new, self.moment(1))
            p, normal = triad(m + (0.5 * h) * f for m, f in zip(arriving, forces, strict=True)), q_new[2]
        else:
            middle = moved(self._triad("q"), q_new)
            p, normal = body.momenta(v_new), 0.25 * cross(middle[0], middle[1])
        zero = [self.program.load("zeros", 0, k) for k in range(self.size)]
        correction = newton_correction(zero, on_tangent(body, q_new, p, normal, zero))  # linear: one is the solution
        return triad_of([-x for x in correction])


def newton_correction(z: Sequence[Scalar], residuals: Sequence[Scalar]) -> list[Scalar]:
    """J^-1 r with the Jacobian of the residuals r with respect to the symbols z."""
    symbols = [x for x in z if isinstance(x, Symbol)]
    graph = symbols[0].graph
    outputs = [graph.position(r) for r in residuals]
    columns = [tangents(graph, outputs, {x.position: 1.0}) for x in symbols]
    return eliminate([list(row) for row in zip(*columns, strict=True)], list(residuals))


def eliminate(A: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    """The solution of A x = b, rows in the order given; zeros known beforehand cost nothing."""
    n = len(b)
    for k in range(n):
        pivot = 1.0 / A[k][k]
        for i in range(k + 1, n):
            if isinstance(A[i][k], float):  # a constant, and then it is zero
                continue
            factor = A[i][k] * pivot
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - factor * A[k][j]
            b[i] = b[i] - factor * b[k]
    x: list[Scalar] = [0.0 for _ in b]
    for k in reversed(range(n)):
        left = b[k]
        for j in range(k + 1, n):
            left = left - A[k][j] * x[j]
        x[k] = left / A[k][k]
    return x


def _flat(vectors: Triad) -> list[Scalar]:
    return [x for vector in vectors for x in vector]
