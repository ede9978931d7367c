"""Steps of the methods for directors as parts of a program.

The Jacobian of a step is derived from its residuals on the graph, and the linear equations are solved by elimination
without exchange of rows, written out: the momentum rows come first, and their matrix is the mass matrix but for small
terms. A body without mass in some direction has no such pivots; its steps are made on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdkit.formulations.directors.equations import Body, Triad, chord, midpoint, moved, on_tangent, triad, triad_of
from rbdkit.spatial.vector3 import Vector, cross
from rbdkit.trace import Index, Moment, Newton, Part, Scalar, Symbol, maximum, select, tangents

TINY = 1e-300


@dataclass(frozen=True)
class DirectorSteps:
    """Writes steps of a method into a program.

    method : 'energy_momentum', 'tangent_energy_momentum' or 'lagrange_dalembert'. corrections : the most in a step.
    """

    method: str
    corrections: int

    def __call__(self, system: Any, n: Index) -> None:
        step = Step(system, n, self.method)
        step.begin()
        newton = Newton(
            system.program, 0, step.size, step.residual, quick=self.corrections, full=0, correction=step.correct
        )
        newton.solve()
        step.end(newton)


class Step:
    """A step, written into a program. system : a `RecordedTurningBody`. size : number of the unknowns."""

    def __init__(self, system: Any, n: Index, method: str) -> None:
        self.system, self.program, self.n, self.method = system, system.program, n, method
        self.size = 15 if system.kind.twists else 16

    # --- what a block loads -------------------------------------------------------------------------------------------

    @property
    def body(self) -> Body:
        return self.system.body()

    @property
    def h(self) -> Scalar:
        return Moment(self.program, self.n, 0).h

    def moment(self, stage: int = 0) -> Vector | None:
        """The moment along the directors at a stage of the step."""
        if not self.system.kind.loaded:
            return None
        moment = Moment(self.program, self.n, stage)
        return Vector([moment.scheduled("tau", k) for k in range(3)])

    def _triad(self, array: str) -> Triad:
        return triad_of([self.program.load(array, 0, k) for k in range(9)])

    # --- what it records ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The guess, and the momentum that residuals are shares of."""
        program, body, h = self.program, self.body, self.h
        q, v = self._triad("x"), self._triad("v")
        momenta, forces = _flat(body.momenta(v)), _flat(body.forces(q, self.moment()))
        sizes = [*momenta, *(h * f for f in forces)]
        if self.method == "lagrange_dalembert":
            sizes = [p + (0.5 * h) * f for p, f in zip(momenta, forces, strict=True)]
            for k, p in enumerate(sizes):
                program.store("p", 0, k, p)
        scale: Scalar = TINY
        for x in sizes:
            scale = maximum(scale, abs(x))
        program.store("scale", 0, 0, scale)
        for k, x in enumerate([*(h * x for x in _flat(v)), *(self.size - 9) * [0.0]]):
            program.store("guess", 0, k, x)

    def residual(self, z: Part, result: Part) -> None:
        """Residuals of unknowns."""
        found = self.residuals([z.load(self.program, k) for k in range(self.size)])
        for k, r in enumerate(found):
            result.store(self.program, k, r)

    def correct(self) -> None:
        """Newton's correction of the unknowns."""
        z = [self.program.load("unknowns", k) for k in range(self.size)]
        for k, correction in enumerate(newton_correction(z, self.residuals(z))):
            self.program.store("correction", 0, k, correction)

    def residuals(self, z: Sequence[Scalar]) -> list[Scalar]:
        """Shares of the momentum, then constraints; multipliers are shares of the momentum too."""
        scale = self.program.load("scale", 0)
        z = [*z[:9], *(scale * x for x in z[9:])]
        if self.method == "lagrange_dalembert":
            balance, constraints = chord(self.body, self._triad("x"), self._triad("p"), self.h, z)
        else:
            balance, constraints = midpoint(self.body, self._triad("x"), self._triad("v"), self.h, self.moment(), z)
        share = 1.0 / scale
        return [*(share * x for x in balance), *constraints]

    def end(self, newton: Newton) -> None:
        """The state at the end of the step; a centre of mass that floats goes on its parabola."""
        program, h = self.program, self.h
        q, v = self._triad("x"), self._triad("v")
        u = triad_of([program.load("unknowns", k) for k in range(9)])
        q_new = moved(q, u)
        v_new = triad((2.0 / h) * du - v_i for du, v_i in zip(u, v, strict=True))
        if self.method != "energy_momentum":
            v_new = self._on_tangent(q_new, v_new, u)
        lost = select(newton.failed, np.inf, 0.0)
        for array, values in (("x_new", _flat(q_new)), ("v_new", [x + lost for x in _flat(v_new)])):
            for k, x in enumerate(values):
                program.store(array, 0, k, x)
        if self.system.kind.floats:
            for k, g in enumerate(self.system.gravity()):
                speed = program.load("v", 9 + k)
                program.store("x_new", 0, 9 + k, program.load("x", 9 + k) + h * speed + (0.5 * h * h) * g)
                program.store("v_new", 0, 9 + k, speed + h * g)

    def _on_tangent(self, q_new: Triad, v_new: Triad, u: Triad) -> Triad:
        body, h = self.body, self.h
        if self.method == "lagrange_dalembert":
            arriving = body.momenta(triad((1.0 / h) * du for du in u))
            forces = body.forces(q_new, self.moment(1))
            p, normal = triad(m + (0.5 * h) * f for m, f in zip(arriving, forces, strict=True)), q_new[2]
        else:
            middle = moved(self._triad("x"), q_new)
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
