"""Compiled steps of the methods for directors.

The Jacobian of a step is derived from its residuals on the graph (`rbdkit.trace.tangents`), with loads held constant.
The linear equations are a saddle-point system, momentum rows first, then constraints. They are solved by unrolled
elimination without pivoting: the leading block is the mass matrix up to small terms, so its pivots are positive, and
the constraints follow as its Schur complement. A body without extension in some direction (`flat`) has a singular mass
matrix; its equations are solved with pivoting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdkit.formulations.directors.equations import Body, Triad, chord, midpoint, moved, on_tangent, triad_of
from rbdkit.spatial.vector3 import Vector, cross
from rbdkit.trace import Index, Moment, Newton, Part, Scalar, Symbol, eliminate, maximum, select, tangents

TINY = 1e-300


@dataclass(frozen=True)
class DirectorSteps:
    """Recorder of a method's steps: a `rbdkit.trace.Record`.

    method : 'energy_momentum', 'tangent_energy_momentum' or 'lagrange_dalembert'. corrections : largest number of
    Newton iterations in a step.
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
    """Recorder of one step. system : a `RecordedTurningBody`.

    moving : number of unknowns that are displacements: 9 of the directors, and 3 of a floating centre of mass if more
    than gravity acts on it. size : number of all unknowns.
    """

    def __init__(self, system: Any, n: Index, method: str) -> None:
        self.system, self.program, self.n, self.method = system, system.program, n, method
        self.kind = system.kind
        self.moving = 12 if self.kind.floats and self.kind.loads is not None else 9
        self.size = self.moving + (6 if self.kind.twists else 7)

    # --- what a block loads -------------------------------------------------------------------------------------------

    @property
    def body(self) -> Body:
        return self.system.body()

    @property
    def h(self) -> Scalar:
        return Moment(self.program, self.n, 0).h

    def _load(self, array: str, size: int) -> list[Scalar]:
        return [self.program.load(array, 0, k) for k in range(size)]

    def _triad(self, array: str) -> Triad:
        return triad_of(self._load(array, 9))

    def _rest(self, array: str) -> list[Scalar]:
        """Return the numbers of a centre of mass among the unknowns, or none."""
        return self._load(array, self.moving)[9:]

    def _store(self, array: str, values: Sequence[Scalar]) -> None:
        for k, x in enumerate(values):
            self.program.store(array, 0, k, x)

    # --- what acts ----------------------------------------------------------------------------------------------------

    def _act(self, stage: int, x: str, v: str, rigid: bool = False) -> None:
        """Store in "acting" the loads at a stage, at the state in arrays x, v. rigid : as for the system's `acting`."""
        found = self.system.acting(Moment(self.program, self.n, stage), Part(x), Part(v), rigid)
        if found is not None:
            on_com = self.system.falls(found, self._acted_on(x, rigid)) if self.moving > 9 else []
            self._store("acting", [*found.M, *found.m, *on_com])

    def _acted_on(self, x: str, rigid: bool) -> Triad:
        return self._triad("triad") if rigid else self._triad(x)

    def _forces(self, q: Triad) -> list[Scalar]:
        """Return the forces of "acting" on the directors q, and on a centre of mass among the unknowns."""
        if self.kind.loads is None:
            return _flat(self.body.forces(q, None))
        on_com = [self._mass * a for a in self._load("acting", 6 + self.moving - 9)[6:]]
        return [*_flat(self.body.forces(q, self._moments)), *on_com]

    @property
    def _moments(self) -> tuple[Vector, Vector] | None:
        if self.kind.loads is None:
            return None
        x = self._load("acting", 6)
        return Vector(x[:3]), Vector(x[3:])

    @property
    def _mass(self) -> Scalar:
        return self.system.mass()

    def _momenta(self, v: Triad, rest: Sequence[Scalar]) -> list[Scalar]:
        """Return the momenta of the directors, and of a centre of mass among the unknowns."""
        return [*_flat(self.body.momenta(v)), *(self._mass * x for x in rest)]

    # --- what it records ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Store the initial guess, and the momentum by which residuals are scaled."""
        self._act(0, "x", "v")
        h, v, rest = self.h, self._triad("v"), self._rest("v")
        momenta, forces = self._momenta(v, rest), self._forces(self._triad("x"))
        sizes = [*momenta, *(h * f for f in forces)]
        if self.method == "lagrange_dalembert":
            sizes = [p + (0.5 * h) * f for p, f in zip(momenta, forces, strict=True)]
            self._store("p", sizes)
        scale: Scalar = TINY
        for x in sizes:
            scale = maximum(scale, abs(x))
        self.program.store("scale", 0, 0, scale)
        self._store("guess", [*(h * x for x in [*_flat(v), *rest]), *(self.size - self.moving) * [0.0]])

    def residual(self, z: Part, result: Part) -> None:
        """Store the residuals of unknowns z; leave the loads at the midpoint in "acting"."""
        if self.kind.loads is not None and self.method != "lagrange_dalembert" and not self.kind.steady:
            h = self.h
            u = [z.load(self.program, k) for k in range(self.moving)]
            self._store("x_acting", [x + 0.5 * du for x, du in zip(self._load("x", self.moving), u, strict=True)])
            self._store("v_acting", [du / h for du in u])
            self._act(0, "x_acting", "v_acting", rigid=True)
        found = self.residuals([z.load(self.program, k) for k in range(self.size)])
        for k, r in enumerate(found):
            result.store(self.program, k, r)

    def correct(self) -> None:
        """Store Newton's correction of the unknowns, with constant loads."""
        z = self._load("unknowns", self.size)
        self._store("correction", self._solved(z, self.residuals(z)))

    def residuals(self, z: Sequence[Scalar]) -> list[Scalar]:
        """Return the residuals: momentum balance, scaled, then constraints; multipliers are scaled alike."""
        scale, h = self.program.load("scale", 0), self.h
        own, rest = [*z[:9], *(scale * x for x in z[self.moving :])], z[9 : self.moving]
        if self.method == "lagrange_dalembert":
            balance, constraints = chord(self.body, self._triad("x"), self._triad("p"), h, own)
            of_com = [self._mass * (u / h) - p for u, p in zip(rest, self._rest("p"), strict=True)]
        else:
            balance, constraints = midpoint(self.body, self._triad("x"), self._triad("v"), h, self._moments, own)
            on_com = self._load("acting", 6 + len(rest))[6:] if rest else []
            pulls = zip(rest, self._rest("v"), on_com, strict=True)
            of_com = [self._mass * ((2.0 / h) * u - 2.0 * v - h * a) for u, v, a in pulls]
        share = 1.0 / scale
        return [*(share * x for x in [*balance, *of_com]), *constraints]

    def end(self, newton: Newton) -> None:
        """Store the state at the end of the step; a centre of mass under gravity alone follows its parabola exactly."""
        program, h = self.program, self.h
        u, x, v = self._load("unknowns", self.moving), self._load("x", self.moving), self._load("v", self.moving)
        new = [a + b for a, b in zip(x, u, strict=True)]
        self._store("x_new", new)
        if self.method == "lagrange_dalembert":
            self._arrive()
        else:
            arrived = [(2.0 / h) * du - v_i for du, v_i in zip(u, v, strict=True)]
            self._store("v_acting", arrived)
            if self.method != "energy_momentum":
                middle = moved(triad_of(x), triad_of(new))
                self._to_tangent(_flat(self.body.momenta(triad_of(arrived))), 0.25 * cross(middle[0], middle[1]))
        lost = select(newton.failed, np.inf, 0.0)
        self._store("v_new", [y + lost for y in self._load("v_acting", self.moving)])
        if self.kind.floats and self.moving == 9:
            h = self.h
            for k, g in enumerate(self.system.gravity()):
                speed = program.load("v", 0, 9 + k)
                program.store("x_new", 0, 9 + k, program.load("x", 0, 9 + k) + h * speed + (0.5 * h * h) * g)
                program.store("v_new", 0, 9 + k, speed + h * g)

    def _arrive(self) -> None:
        """Store in "v_acting" the velocity at "x_new": that of the chord plus the impulse of half a step."""
        h, u = self.h, self._load("unknowns", self.moving)
        chord_rate = [du / h for du in u]
        self._store("p", self._momenta(triad_of(chord_rate), chord_rate[9:]))
        if self.kind.loads is None or self.kind.steady:
            self._act(1, "x_new", "v")
            self._settle(0.5)
            return
        self._settle(0.0)
        for _ in range(2):  # a load may depend on v: once more, or the order is 1
            self._act(1, "x_new", "v_acting")
            self._settle(0.5)

    def _settle(self, share: float) -> None:
        """Store in "v_acting" the velocity at "x_new" of momenta "p" plus the loads' impulse in a share of a step."""
        p, q = self._load("p", self.moving), self._triad("x_new")
        if share:
            p = [a + (share * self.h) * f for a, f in zip(p, self._forces(q), strict=True)]
        self._store("v_acting", [0.0] * 9 + [x / self._mass for x in p[9:]])
        self._to_tangent(p[:9], q[2])

    def _to_tangent(self, p: Sequence[Scalar], normal: Vector) -> None:
        """Store in "v_acting" the velocity of momenta p, projected to the tangent space at "x_new"."""
        zero = self._load("zeros", 9 + self.size - self.moving)
        residuals = on_tangent(self.body, self._triad("x_new"), triad_of(p), normal, zero)
        self._store("v_acting", [-x for x in self._solved(zero, residuals)[:9]])  # linear: a correction is the solution

    def _solved(self, z: Sequence[Scalar], residuals: Sequence[Scalar]) -> list[Scalar]:
        """Return J^-1 r with the Jacobian J of residuals r with respect to symbols z; may begin a new block."""
        n, program = len(residuals), self.program
        J, r = jacobian(z, residuals), list(residuals)
        if not self.kind.flat:
            return solution(J, r)
        self._store("saddle", [x for row in J for x in row])
        self._store("saddle_side", r)
        eliminate(program, 0, n, "saddle", "saddle_side", 1)
        return self._load("saddle_side", n)


def jacobian(z: Sequence[Scalar], residuals: Sequence[Scalar]) -> list[list[Scalar]]:
    """Return the derivatives of residuals with respect to the symbols z, by rows."""
    symbols = [x for x in z if isinstance(x, Symbol)]
    graph = symbols[0].graph
    outputs = [graph.position(r) for r in residuals]
    return [list(row) for row in zip(*(tangents(graph, outputs, {x.position: 1.0}) for x in symbols), strict=True)]


def solution(A: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    """Solve A x = b by elimination without pivoting; entries that are constant zeros cost nothing."""
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
