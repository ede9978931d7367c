"""A turning body on the arrays of a program: the equations of this folder on scalars, for compiled loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.steps.manifold import exp, jacobian_inverse, quaternion_matrix
from rbdkit.formulations.applied import own_forces_of
from rbdkit.formulations.body_loads import Loads, loads_of
from rbdkit.formulations.directors.equations import Body, Triad, combined, triad_of
from rbdkit.formulations.directors.loads import TurningLoads, loaded_body
from rbdkit.formulations.formulation import Acting
from rbdkit.model import Model
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
    eliminate,
    executable,
    loop_arrays,
    over_time,
    select,
)

if TYPE_CHECKING:
    from rbdkit.formulations.directors.turning import TurningBody

EULER, WEIGHT, FIRST_MOMENT, COM, GRAVITY, MASS, TWIST, SPLIT, NUMBERS = 0, 6, 15, 18, 21, 24, 25, 26, 33
"""Where the given numbers begin: Euler inertia (xx, xy, yy, zz, xz, yz); weights of the directors; first moment; centre
of mass of a floating body; gravity; mass; a of the constraint on twist; J_perp (11, 12, 22), its inverse, J_par."""


@dataclass(frozen=True)
class Kind:
    """What is written out for itself.

    split : Euler's equations on the sphere, or else directors with constraints. twists, floats : whether it does.
    loaded : whether moments act besides gravity that are given as numbers. loads : all other kinds of what acts.
    """

    split: bool
    twists: bool
    floats: bool
    loaded: bool
    loads: Loads | None = None


class RecordedTurningBody:
    """The `Recorded` whose x begin with the directors; see `TurningBody`."""

    def __init__(self, program: Program, kind: Kind) -> None:
        self.program, self.kind = program, kind
        more = 3 if kind.floats else 0
        self.nx, self.nv = 9 + more, (3 if kind.split else 9) + more
        self.solved_together = 0, self.nv

    def coordinates(self) -> Iterator[int]:
        return iter(range(self.nx))

    def freedoms(self) -> Iterator[int]:
        return iter(range(self.nv))

    def move(self, x: Part, u: Part, result: Part) -> None:
        X, U = self._all(x, self.nx), self._all(u, self.nv)
        if not self.kind.split:
            self._put(result, [a + b for a, b in zip(X, U, strict=True)])
            return
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
        """The body as the equations in directors have it."""
        xx, xy, yy, zz, xz, yz = self._given(EULER, 6)
        E = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        (a,) = self._given(TWIST, 1)
        return Body(E, triad_of(self._given(WEIGHT, 9)), self.kind.twists, a)

    def gravity(self) -> list[Scalar]:
        """Acceleration of free fall."""
        return self._given(GRAVITY, 3)

    def _given(self, first: int, size: int) -> list[Scalar]:
        return [self.program.load("numbers", 0, first + k) for k in range(size)]

    def _all(self, part: Part, size: int) -> list[Scalar]:
        return [part.load(self.program, k) for k in range(size)]

    def _put(self, part: Part, values: list[Scalar]) -> None:
        for k, value in enumerate(values):
            part.store(self.program, k, value)

    def acting(self, moment: Moment, x: Part, v: Part) -> tuple[Vector | None, Vector | None]:
        """Moment about the body's point and force on it, along the directors."""
        if self.kind.loads is not None:
            return self._loaded(self.kind.loads, moment, x, v)
        if not self.kind.loaded:
            return None, None
        tau = [moment.scheduled("tau", k) for k in range(6 if self.kind.floats else 3)]
        M = Vector(tau[:3])
        if not self.kind.floats:
            return M, None
        F = Vector(tau[3:])
        return M - cross(Vector(self._given(COM, 3)), F), F

    def _loaded(self, loads: Loads, moment: Moment, x: Part, v: Part) -> tuple[Vector, Vector | None]:
        """The same of laws, external forces and force elements."""
        X, V = self._all(x, self.nx), self._all(v, self.nv)
        R, W = turned(X), Vector(V[:3])
        if not self.kind.split:
            ways = (cross(d, rate) for d, rate in zip(triad_of(X), triad_of(V), strict=True))
            W = R.T @ (0.5 * sum(ways, ZERO))
        point = Vector(X[9:]) if self.kind.floats else None
        acting = TurningLoads(self.program, loads)
        acting.turns(R, W, point, Vector(V[-3:]))
        acting.decide(moment)
        M, F = acting.about(moment, R, point)
        return M, F if self.kind.floats else None

    def _falls(self, q: Triad, F: Vector | None) -> list[Scalar]:
        """Acceleration of a floating centre of mass."""
        if not self.kind.floats:
            return []
        g, (mass,) = Vector(self._given(GRAVITY, 3)), self._given(MASS, 1)
        return list(g if F is None else g + (1.0 / mass) * combined(F, q))

    # --- directors with constraints -----------------------------------------------------------------------------------

    def _director_rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """``M qddot + C^T lambda = Q`` and ``C qddot = -C(qdot) qdot``, as `Directors.multipliers` has them."""
        program = self.program
        M, F = self.acting(moment, x, v)
        q, v_q = triad_of(self._all(x, 9)), triad_of(self._all(v, 9))
        fall = self._falls(q, F)
        size, body = 9 + self._rows, self.body()
        matrix: dict[tuple[int, int], Scalar] = {}
        for i in range(3):
            for j in range(3):
                for k in range(3):
                    matrix[3 * i + k, 3 * j + k] = body.E[i][j]
        for row, own in enumerate(self._constraints(q), start=9):
            for column, c in enumerate(own):
                matrix[row, column] = matrix[column, row] = c
        for i in range(size):
            for j in range(size):
                program.store("saddle", 0, i * size + j, matrix.get((i, j), 0.0))
        bias = [sum((c * y for c, y in zip(own, flat(v_q), strict=True)), 0.0) for own in self._constraints(v_q)]
        for k, y in enumerate([*flat(body.forces(q, M)), *(-b for b in bias)]):
            program.store("saddle_side", 0, k, y)
        for k, y in enumerate(fall):
            program.store("fall", 0, k, y)
        eliminate(program, 0, size, "saddle", "saddle_side", 1)
        self._put(result, [program.load("saddle_side", k) for k in range(9)])
        for k in range(len(fall)):
            result.store(program, 9 + k, program.load("fall", k))

    @property
    def _rows(self) -> int:
        return 6 if self.kind.twists else 7

    def _constraints(self, q: Triad) -> list[list[Scalar]]:
        """Rows of H(q) and G(q)."""
        d1, d2, d3 = q
        rows = [(ZERO, d3, d2), (d3, ZERO, d1), (d2, d1, ZERO), (d1, ZERO, ZERO), (ZERO, d2, ZERO), (ZERO, ZERO, d3)]
        if not self.kind.twists:
            (a,) = self._given(TWIST, 1)
            rows.append(((1.0 - a) * d2, -a * d1, ZERO))
        return [flat(row) for row in rows]

    # --- Euler's equations, split -------------------------------------------------------------------------------------

    def _split_rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """Eq 51 along the directors, as `SplitEuler.rate` has it."""
        M, F = self.acting(moment, x, v)
        X, (W1, W2, W3) = self._all(x, 9), self._all(v, 3)
        R, q = turned(X), triad_of(X)
        J11, J12, J22, i11, i12, i22, J_par = self._given(SPLIT, 7)
        m = cross(Vector(self._given(FIRST_MOMENT, 3)), R.T @ Vector(self._given(GRAVITY, 3)))
        m1, m2, m3 = m if M is None else m + M
        P1, P2, pi_par = J11 * W1 + J12 * W2, J12 * W1 + J22 * W2, J_par * W3
        # d3' = (W2, -W1, 0) along the directors
        rate1, rate2 = m1 - pi_par * W2 + W3 * P2, m2 + pi_par * W1 - W3 * P1
        turning = [i11 * rate1 + i12 * rate2, i12 * rate1 + i22 * rate2]
        turning.append((m3 + P1 * W2 - P2 * W1) / J_par if self.kind.twists else 0.0 * W1)
        self._put(result, [*turning, *self._falls(q, F)])


def turned(x: list[Scalar]) -> Matrix:
    """The directors as columns."""
    return Matrix.of(x[:9]).T


def flat(vectors: Triad) -> list[Scalar]:
    """Nine numbers."""
    return [x for vector in vectors for x in vector]


def obstacle(system: TurningBody, acts: Acting | None) -> str:
    """What of the forces compiled loops do not know."""
    if system.model.acting and own_forces_of(system.model) is None:
        return "the engine does not know all that the force elements act on"
    given = system.f_ext is not None or (system.tau is not None and not system.model.acting)
    return "tau or f_ext is a Python function" if acts is None and given else ""


def more_loads(model: Model, acts: Acting | None) -> Loads | None:
    """What acts, unless that is nothing, or moments of the joint that are given as numbers."""
    if not model.acting and (acts is None or (acts.f_ext is None and isinstance(acts.tau, np.ndarray))):
        return None
    return loads_of(model, acts)


def motion(
    system: TurningBody,
    kind: Callable[[bool, Loads | None], Kind],
    numbers: NDArray,
    method: Recordable,
    times: NDArray,
    x: NDArray,
    v: NDArray,
    acts: Acting | None,
) -> Prepared:
    """A motion of a body through given times. kind : of a body, from what acts on it. numbers : (33,)."""
    loop, steps, size = loop_arrays(times, x, v), len(times) - 1, 16
    room = {
        "saddle": np.zeros(size * size),
        "saddle_side": np.zeros(size),
        "fall": np.zeros(3),
        "elimination": np.zeros(3),
    }
    loads, of_body = more_loads(system.model, acts), {"numbers": numbers}
    loaded = None if loads is None else loaded_body(system.model, system.body, loads, acts, steps)
    if loaded is not None:
        room, of_body = room | loaded.arrays, of_body | loaded.numbers
    taken = {*loop, *room, *of_body, "tau"} - {"elimination"}  # room of `eliminate`, for whoever calls it
    own = arrays_of(method, len(x), len(v), taken)
    counts = {"stages": len(own["c"])}
    if loaded is not None:
        counts |= loaded.counts
    elif acts is not None:
        assert isinstance(acts.tau, np.ndarray)
        held = 0 if acts.tau.ndim == 1 else acts.tau.shape[1]
        room["tau"] = np.ascontiguousarray(acts.tau, dtype=float)
        counts |= {"tau_step": held, "tau_next": held if len(acts.tau) == steps + 1 else 0}
    return Prepared(
        steps,
        {**own, **room, **loop},
        of_body,
        {},
        counts,
        partial(_code, kind(acts is not None and loaded is None, loads), method.record, available()[0]),
        method.shared,
    )


@lru_cache(maxsize=32)
def _code(kind: Kind, record: Record, backend: Backend, lanes: Lanes) -> Executable:
    program = Program("turning_body", lanes)
    over_time(RecordedTurningBody(program, kind), record)
    return executable(program, backend)
