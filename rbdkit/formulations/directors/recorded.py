"""A turning body on the arrays of a program, for compiled loops.

`RecordedTurningBody` is what integrators see when they record a step: the same functions as `Directors` and
`SplitEuler` have, on arrays of a program. A body has few numbers, so everything is written out, without loops. Three
things need more than arithmetic:

1. Linear systems (`rate`, `tangent_velocity`, Newton's corrections): the equations are written as a function that is
   linear in symbols, and the matrix is its derivative by these symbols (`_linear`), so no matrix is written by hand.
2. The rotation nearest to the directors, for loads that depend on the pose: an iteration (`_nearest`).
3. Loads: an evaluation leaves them in "acting"; derivatives of a residual read them there and hold them constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.steps.manifold import exp, jacobian_inverse, quaternion_matrix
from rbdkit.formulations.body_loads import Loads, loads_of
from rbdkit.formulations.directors.equations import Body, Triad, combined, dual_triad, flat, holds, on_tangent, triad_of
from rbdkit.formulations.directors.loads import TurningLoads, Wrenches, loaded_body
from rbdkit.formulations.formulation import Acting
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross, dot
from rbdkit.trace import (
    LARGEST,
    LARGEST_TURN,
    Backend,
    Executable,
    Lanes,
    Moment,
    Part,
    Prepared,
    Program,
    Record,
    Recordable,
    Scalar,
    arrays_of,
    available,
    compiling,
    derivatives,
    eliminate,
    executable,
    loop_arrays,
    maximum,
    over_time,
    select,
    solution,
)

if TYPE_CHECKING:
    from rbdkit.formulations.directors.turning import TurningBody

SIZES = {"inertia": 6, "weight": 9, "first_moment": 3, "gravity": 3, "mass": 1}
"""Parameters of a body, arrays "body_...": Euler inertia, upper triangle row by row; weights of the directors; first
moment; gravity; mass. "body_own": a of the constraint on twist; or J_perp (11, 12, 22), its inverse, J_par."""

MOST_TURNS, TURNED = 40, 1e-8
"""Corrections towards the nearest rotation, at most; and one so small that after it nothing is left but round-off."""


@dataclass(frozen=True)
class Kind:
    """Kind of a body: bodies of one kind share a program.

    split : Euler's equations on the sphere, or else directors with constraints. twists : whether the body may turn
    about d3. floats : whether its centre of mass moves. flat : whether it has no extension in some direction. loads :
    loads other than gravity, or None.
    """

    split: bool
    twists: bool
    floats: bool
    flat: bool = False
    loads: Loads | None = None

    @property
    def steady(self) -> bool:
        """Whether the loads do not depend on the state: moments about the pivot that are given as numbers."""
        loads = self.loads
        given = loads is None or (not loads.asks_joints and loads.own is None)
        return given and not self.floats


class RecordedTurningBody:
    """The `Recorded` whose x begin with the directors; see `TurningBody`."""

    def __init__(self, program: Program, kind: Kind) -> None:
        self.program, self.kind = program, kind
        more = 3 if kind.floats else 0
        self.nx, self.nv = 9 + more, (3 if kind.split else 9) + more
        self.solved_together = 0, self.nv
        self.in_registers = kind.loads is None or kind.steady
        # multipliers of the six products of directors, and of the constraint on twist
        self.unknowns = self.nv + (6 if kind.twists else 7)

    def coordinates(self) -> Iterator[int]:
        return iter(range(self.nx))

    def freedoms(self) -> Iterator[int]:
        return iter(range(self.nv))

    def move(self, x: Part, u: Part, result: Part) -> None:
        X, U = self._all(x, self.nx), self._all(u, self.nv)
        if not self.kind.split:
            self._put(result, [a + b for a, b in zip(X, U, strict=True)])
            return
        # Euler's equations are on rotations: the displacement is a rotation vector
        turn = Vector(U[:3])
        R = turned(X) @ quaternion_matrix(exp(turn)[0])
        far = select(dot(turn, turn) < LARGEST_TURN * LARGEST_TURN, 0.0, 2.0 * LARGEST)
        first, *rest = R.T.flat()
        self._put(result, [first + far, *rest, *(a + b for a, b in zip(X[9:], U[3:], strict=True))])

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        V = self._all(v, self.nv)
        if self.kind.split:
            V = [*jacobian_inverse(Vector(self._all(u, 3)), ZERO)[0](Vector(V[:3])), *V[3:]]
        self._put(result, V)

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        (self._split_rate if self.kind.split else self._director_rate)(moment, x, v, result)

    # --- what is known ------------------------------------------------------------------------------------------------

    def body(self) -> Body:
        """Return the body's parameters for the equations in directors."""
        xx, xy, xz, yy, yz, zz = self._given("inertia")
        E = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        return Body(E, triad_of(self._given("weight")), self.kind.twists, self.program.load("body_own", 0))

    def gravity(self) -> list[Scalar]:
        """Return the acceleration of free fall."""
        return self._given("gravity")

    def mass(self) -> Scalar:
        """Return the mass of the body, kg."""
        return self.program.load("body_mass", 0)

    def _given(self, name: str) -> list[Scalar]:
        return [self.program.load(f"body_{name}", 0, k) for k in range(SIZES[name])]

    def _all(self, part: Part, size: int) -> list[Scalar]:
        return [part.load(self.program, k) for k in range(size)]

    def _put(self, part: Part, values: list[Scalar]) -> None:
        for k, value in enumerate(values):
            part.store(self.program, k, value)

    def acting(self, moment: Moment, x: Part, v: Part) -> Wrenches | None:
        """Return the loads other than gravity, or None."""
        if self.kind.loads is None:
            return None
        if self.kind.split:
            A, W = turned(self._all(x, 9)), Vector(self._all(v, 3))
            R = A
        else:
            R = self._nearest(x)
            A = turned(self._all(x, 9))
            columns = triad_of(A.T.flat())
            # the sum of d_i x d_i' is twice the angular velocity of orthonormal directors, which they nearly are
            ways = (cross(d, rate) for d, rate in zip(columns, triad_of(self._all(v, 9)), strict=True))
            W = A.T @ (0.5 * sum(ways, ZERO))
        point = Vector(x.load(self.program, 9 + k) for k in range(3)) if self.kind.floats else None
        acting = TurningLoads(self.program, self.kind.loads)
        acting.turns(A, R, W, point, Vector(v.load(self.program, self.nv - 3 + k) for k in range(3)))
        acting.decide(moment)
        return acting.about(moment, A, R, point)

    def _nearest(self, x: Part) -> Matrix:
        """Return the rotation nearest to the directors, by Newton's method for the polar decomposition (Higham 1986).

        It is computed in "triad", whose last number is the last correction."""
        program = self.program

        def directors() -> list[Scalar]:
            return [program.load("triad", 0, k) for k in range(9)]

        if self.kind.steady:  # not used then
            return turned(self._all(x, 9))
        for k, d in enumerate(self._all(x, 9)):
            program.store("triad", 0, k, d)
        with program.loop(0, MOST_TURNS):
            change: Scalar = 0.0
            q = triad_of(directors())
            for k, (d, dual) in enumerate(zip(flat(q), flat(dual_triad(q)), strict=True)):
                # X <- (X + X^-T) / 2: the dual triad is the inverse transpose
                program.store("triad", 0, k, 0.5 * (d + dual))
                change = maximum(change, abs(d - dual))
            program.store("triad", 0, 9, change)
            program.break_if(program.load("triad", 0, 9) < TURNED)
        return turned(directors())

    # --- directors with constraints: the pieces of the equations, see `Directors` -------------------------------------

    def momentum(self, v: Part, result: Part) -> None:
        self._put(result, self._momentum(self._all(v, self.nv)))

    def generalized_force(self, moment: Moment, x: Part, v: Part, *more: Part) -> None:
        at, result = more if len(more) == 2 else (x, *more)
        self._act(moment, at, v)
        self.forces(x, result)

    def forces(self, x: Part, result: Part) -> None:
        """Store the generalised forces at x of gravity and of the loads in "acting", which were evaluated last."""
        M_m, falls = self._acting()
        q = triad_of(self._all(x, 9))
        self._put(result, [*flat(self.body().forces(q, M_m)), *(self.mass() * a for a in falls)])

    def separated(self, z: Part, u: Part, multipliers: Part) -> None:
        values = self._all(z, self.unknowns)
        self._put(u, values[: self.nv])
        self._put(multipliers, values[self.nv :])

    def joined(self, u: Part, *more: Part) -> None:
        n = self.unknowns - self.nv
        multipliers = self._all(more[0], n) if len(more) == 2 else n * [0.0]
        self._put(more[-1], [*self._all(u, self.nv), *multipliers])

    def reactions(self, x: Part, multipliers: Part, result: Part) -> None:
        z = self._all(multipliers, self.unknowns - self.nv)
        self._put(result, [*flat(self.body().reactions(triad_of(self._all(x, 9)), z)), *(self.nv - 9) * [0.0]])

    def constraints(self, x1: Part, x: Part, u: Part, result: Part) -> None:
        q1, q, u_q = (triad_of(self._all(part, 9)) for part in (x1, x, u))
        self._put(result, [*holds(q1), *self.body().twist(q, u_q)])

    def orthonormal(self, x: Part, result: Part) -> None:
        R = None if self.kind.loads is None else self._nearest(x)
        self._put(result, self._all(x, self.nx) if R is None else [*R.T.flat(), *self._all(x, self.nx)[9:]])

    def normal(self, x: Part, result: Part) -> None:
        d1, d2, _ = triad_of(self._all(x, 9))
        self._put(result, [*cross(d1, d2)])

    def tangent_velocity(self, x: Part, v: Part, *more: Part) -> None:
        self._to_tangent(x, self._momentum(self._all(v, self.nv)), more[0] if len(more) == 2 else None, more[-1])

    def velocity_after(self, x: Part, v: Part, impulse: Part, result: Part) -> None:
        p = zip(self._momentum(self._all(v, self.nv)), self._all(impulse, self.nv), strict=True)
        self._to_tangent(x, [a + b for a, b in p], None, result)

    def correction(self, z: list[Scalar], residuals: list[Scalar]) -> list[Scalar]:
        """Return J^-1 r with the Jacobian J of residuals r with respect to symbols z; may begin a new block."""
        return self._solved(derivatives(z, residuals), list(residuals))

    def _solved(self, J: list[list[Scalar]], r: list[Scalar]) -> list[Scalar]:
        """Return J^-1 r of a saddle-point system.

        Its leading block is the mass matrix up to small terms, so in order its pivots are positive, and the constraints
        follow as its Schur complement. The mass matrix of a flat body is singular: its equations exchange rows.
        """
        if not self.kind.flat:
            return solution(J, r)
        for array, values in (("saddle", [x for row in J for x in row]), ("saddle_side", r)):
            for k, x in enumerate(values):
                self.program.store(array, 0, k, x)
        eliminate(self.program, 0, len(r), "saddle", "saddle_side", 1)
        return [self.program.load("saddle_side", 0, k) for k in range(len(r))]

    def _linear(self, rows: Callable[[list[Scalar]], list[Scalar]], right_side: list[Scalar]) -> list[Scalar]:
        """Return nine numbers of directors for which rows, linear in these and the multipliers, are the right side."""
        z = [self.program.load("zeros", 0, k) for k in range(len(right_side))]  # symbols that nothing else depends on
        return self._solved(derivatives(z, rows(z)), right_side)[:9]

    def _momentum(self, v: list[Scalar]) -> list[Scalar]:
        return [*flat(self.body().momenta(triad_of(v))), *(self.mass() * x for x in v[9:])]

    def _to_tangent(self, x: Part, p: list[Scalar], normal: Part | None, result: Part) -> None:
        """Store the velocity of momenta p, projected to the tangent space at x."""
        q = triad_of(self._all(x, 9))
        for k, y in enumerate(p[9:], start=9):
            result.store(self.program, k, y / self.mass())
        along = q[2] if normal is None else Vector(self._all(normal, 3))
        rows = partial(on_tangent, self.body(), q, along)
        self._put(result, self._linear(rows, [*p[:9], *(self.unknowns - self.nv) * [0.0]]))

    def _act(self, moment: Moment, x: Part, v: Part) -> None:
        """Store in "acting" the moments at a state, and the acceleration of a floating centre of mass."""
        wrenches = self.acting(moment, x, v)
        if wrenches is not None:
            falls = self._falls(wrenches, triad_of(self._all(x, 9)))
            for k, y in enumerate([*wrenches.M, *wrenches.m, *falls]):
                self.program.store("acting", 0, k, y)

    def _acting(self) -> tuple[tuple[Vector, Vector] | None, list[Scalar]]:
        """Return what `_act` has stored: the moments, None without loads, and the acceleration."""
        if self.kind.loads is None:
            return None, self._falls(None, (ZERO, ZERO, ZERO))
        acting = [self.program.load("acting", 0, k) for k in range(self.nx - 3)]
        return (Vector(acting[:3]), Vector(acting[3:6])), acting[6:]

    def _falls(self, wrenches: Wrenches | None, q: Triad) -> list[Scalar]:
        """Return the acceleration of a floating centre of mass; empty for a pivoted body."""
        if not self.kind.floats:
            return []
        g = Vector(self.gravity())
        return list(g if wrenches is None else g + (1.0 / self.mass()) * (combined(wrenches.F, q) + wrenches.f))

    def _director_rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """Solve ``M qddot + C^T lambda = Q`` and ``C qddot = -C(qdot) qdot``, as `Directors.multipliers` does."""
        self._act(moment, x, v)
        body, q, v_q, (moments, _) = self.body(), triad_of(self._all(x, 9)), triad_of(self._all(v, 9)), self._acting()

        def rows(z: list[Scalar]) -> list[Scalar]:
            qddot = triad_of(z)
            pairs = zip(flat(body.momenta(qddot)), flat(body.reactions(q, z[9:])), strict=True)
            return [*(p + r for p, r in pairs), *body.rates(q, qddot)]

        bias = body.rates(v_q, v_q)  # the Jacobians are linear: their rates are H(qdot), G(qdot)
        self._put(result, self._linear(rows, [*flat(body.forces(q, moments)), *(-b for b in bias)]))
        for k, y in enumerate(self._acting()[1], start=9):
            result.store(self.program, k, y)

    # --- Euler's equations, split -------------------------------------------------------------------------------------

    def _split_rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """Evaluate Eq 51 along the directors, as `SplitEuler.rate` does."""
        acting = self.acting(moment, x, v)
        X, (W1, W2, W3) = self._all(x, 9), self._all(v, 3)
        R, q = turned(X), triad_of(X)
        J11, J12, J22, i11, i12, i22, J_par = (self.program.load("body_own", 0, k) for k in range(7))
        m = cross(Vector(self._given("first_moment")), R.T @ Vector(self.gravity()))
        m1, m2, m3 = m if acting is None else m + acting.M + R.T @ acting.m
        P1, P2, pi_par = J11 * W1 + J12 * W2, J12 * W1 + J22 * W2, J_par * W3
        # d3' = (W2, -W1, 0) along the directors
        # components along d1 and d2, which turn with W3 in their plane
        rate1, rate2 = m1 - pi_par * W2 + W3 * P2, m2 + pi_par * W1 - W3 * P1
        turning = [i11 * rate1 + i12 * rate2, i12 * rate1 + i22 * rate2]
        turning.append((m3 + P1 * W2 - P2 * W1) / J_par if self.kind.twists else 0.0 * W1)
        self._put(result, [*turning, *self._falls(acting, q)])


def turned(x: list[Scalar]) -> Matrix:
    """Return the directors as columns."""
    return Matrix.of(x[:9]).T


def motion(
    system: TurningBody,
    kind: Callable[[Loads | None], Kind],
    numbers: dict[str, NDArray],
    method: Recordable,
    times: NDArray,
    x: NDArray,
    v: NDArray,
    acts: Acting | None,
) -> Prepared:
    """Return a motion of a body, prepared for the batch runner. kind : gives the kind for loads. numbers : `SIZES`."""
    loop, steps, size = loop_arrays(times, x, v), len(times) - 1, 19
    room = {
        "saddle": np.zeros(size * size),
        "saddle_side": np.zeros(size),
        "zeros": np.zeros(size),
        "acting": np.zeros(9),
        "elimination": np.zeros(3),
        "triad": np.zeros(10),
    }
    loads, of_body = loads_of(system.model, acts), numbers
    loaded = None if loads is None else loaded_body(system.model, system.body, loads, acts, steps)
    if loaded is not None:
        room, of_body = room | loaded.arrays, of_body | loaded.numbers
    taken = {*loop, *room, *of_body} - {"elimination"}  # room of `eliminate`, for whoever calls it
    own = arrays_of(method, len(x), len(v), taken)
    counts = {"stages": len(own["c"])}
    if loaded is not None:
        counts |= loaded.counts
    return Prepared(
        steps,
        {**own, **room, **loop},
        of_body,
        {},
        counts,
        partial(_code, kind(loads), method.record, available()[0]),
        method.shared,
    )


@lru_cache(maxsize=32)
@compiling
def _code(kind: Kind, record: Record, backend: Backend, lanes: Lanes) -> Executable:
    program = Program("turning_body", lanes)
    over_time(RecordedTurningBody(program, kind), record)
    return executable(program, backend)
