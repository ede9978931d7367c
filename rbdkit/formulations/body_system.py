"""Compiled loop over time of free bodies (`free_bodies`).

A formulation of free bodies consists of the functions of one body in `BodyEquations`: how it moves, what its velocity
variables are, its equations of motion. They are written once, in arithmetic: on floats for a state, on arrays for a
stack of states, and on symbols for a program. Here they become a program with a loop over the bodies.

There are two orders of the loops. Bodies under gravity alone do not feel each other, so each is stepped by itself, its
state in registers: `FreeBody` is the system of one body, and `FreeBodySystem.step` goes through them. With loads, which
may depend on all bodies (a spring between two), all bodies pass each stage together: `FreeBodySystem` is the system
then, and `FreeBodySystem.decide` evaluates the loads before the accelerations.

Methods that require `FreeBodies` (`MoserVeselov`) do not need the equations of motion, but central frames, loads and
inertia, which `FreeBody` gives as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.body_loads import BodyLoads, Loaded, Loads
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector, dot
from rbdkit.trace import (
    LARGEST,
    LARGEST_TURN,
    Backend,
    Executable,
    Index,
    Kept,
    Lanes,
    Moment,
    Part,
    Prepared,
    Program,
    Record,
    Recordable,
    Scalar,
    Whole,
    arrays_of,
    available,
    compiling,
    executable,
    loop_arrays,
    over_time,
    select,
)

Values = Sequence[Scalar]
Central = tuple[Matrix, Vector, Vector, Vector]
"""Rotation and position of a central frame, and its twist: linear and angular part along its axes."""
Load = tuple[Sequence[Scalar], Vector | None]
"""Acceleration of the centre of mass, in world axes, and the moment about it, in body axes; None without loads."""


@dataclass(frozen=True)
class BodyEquations:
    """Equations of motion of one body on scalars: floats or arrays of floats to compute, symbols to record.

    Attributes
    ----------
    name : name of the program.
    nx, numbers : sizes of its x and its parameters; its v has six elements.
    turn : place of the rotation vector in a displacement.
    move : (numbers, x, u) -> x moved by the displacement u; the last elements of x must be a position.
    local_rate : (numbers, u, v) -> rate of the displacement u of a body that moves with velocity v.
    rate : (numbers, fall, moment, x, v) -> rate of v; fall is the acceleration of the centre of mass in world axes,
        moment that about it in body axes, or None.
    displacement : (numbers, x0, x1) -> the u that moves x0 to x1.
    pose, place : x -> rotation R and position r of the central frame, and (R, r) -> x.
    twist, velocity : (numbers, R, v) -> twist of the central frame, along its axes, and (numbers, R, twist) -> v.
    inertia : (numbers) -> inertia about the centre of mass.
    """

    name: str
    nx: int
    numbers: int
    turn: int
    move: Callable[[Values, Values, Values], Values]
    local_rate: Callable[[Values, Values, Values], Values]
    rate: Callable[[Values, Values, Vector | None, Values, Values], Values]
    displacement: Callable[[Values, Values, Values], Values]
    pose: Callable[[Values], tuple[Matrix, Vector]]
    place: Callable[[Matrix, Vector], Values]
    twist: Callable[[Values, Matrix, Values], mv]
    velocity: Callable[[Values, Matrix, mv], Values]
    inertia: Callable[[Values], Symmetric]

    def central(self, numbers: Values, x: Values, v: Values) -> Central:
        """Return pose and twist of the central frame."""
        R, r = self.pose(x)
        V = self.twist(numbers, R, v)
        return R, r, V.v, V.omega


def of_rows(x: Values) -> tuple[Matrix, Vector]:
    """Return rotation and position of the twelve numbers of a pose [R r], row by row."""
    return Matrix(Vector(x[k : k + 3]) for k in (0, 4, 8)), Vector(x[3::4])


def flat(R: Matrix, r: Vector) -> list[Scalar]:
    """Return the twelve numbers of a pose [R r], row by row."""
    return [x for row, shift in zip(R, r, strict=True) for x in (*row, shift)]


class FreeBody:
    """The `StraightLine` system of body i, one of several in the same arrays."""

    def __init__(self, bodies: FreeBodySystem, i: Index) -> None:
        self.program, self.equations, self.nx, self.nv = bodies.program, bodies.equations, bodies.nx, bodies.nv
        self.loads, self.i = bodies.loads, i
        self._numbers = i * self.equations.numbers
        x, v = i * self.equations.nx, i * 6
        self._x = [x + k for k in range(self.equations.nx)]
        self._v = [v + k for k in range(6)]
        self.solved_together = v, 6

    def coordinates(self) -> Iterator[Whole]:
        return iter(self._x)

    def freedoms(self) -> Iterator[Whole]:
        return iter(self._v)

    def move(self, x: Part | Kept, u: Part | Kept, result: Part | Kept) -> None:
        own, step = self.equations, self._load(u, self._v)
        moved = list(own.move(self.numbers(), self._load(x, self._x), step))
        turn = step[own.turn : own.turn + 3]
        # a turn this large means that the motion has diverged: a position beyond `LARGEST` ends the run
        far = select(dot(turn, turn) < LARGEST_TURN * LARGEST_TURN, 0.0, 2.0 * LARGEST)
        self._store(result, self._x, [*moved[:-1], moved[-1] + far])

    def local_rate(self, u: Part | Kept, v: Part | Kept, result: Part | Kept) -> None:
        rate = self.equations.local_rate(self.numbers(), self._load(u, self._v), self._load(v, self._v))
        self._store(result, self._v, rate)

    def rate(self, moment: Moment, x: Part | Kept, v: Part | Kept, result: Part | Kept) -> None:
        own, state = self.equations, (self._load(x, self._x), self._load(v, self._v))
        self._store(result, self._v, own.rate(self.numbers(), *self.acting(moment, x, v), *state))

    # --- for methods that require `FreeBodies` ------------------------------------------------------------------------

    def central(self, x: Part | Kept, v: Part | Kept) -> Central:
        """Return pose and twist of the central frame."""
        return self.equations.central(self.numbers(), self._load(x, self._x), self._load(v, self._v))

    def acting(self, moment: Moment, x: Part | Kept, v: Part | Kept) -> Load:
        """Return what acts on the body; loads must have been evaluated by `FreeBodySystem.decide`."""
        if self.loads is None:
            return self.gravity(), None
        pushed, about = self.loads.on(self.i, moment, *self.central(x, v)[:2])
        return [g + a for g, a in zip(self.gravity(), pushed, strict=True)], about

    def place(self, frame: Central, x: Part, v: Part) -> None:
        """Store in x and v the state with a given central frame."""
        R, r, U, Omega = frame
        self._store(x, self._x, self.equations.place(R, r))
        self._store(v, self._v, self.equations.velocity(self.numbers(), R, mv(Omega, U)))

    def inertia(self) -> Symmetric:
        """Return the inertia about the centre of mass, along the axes of the central frame."""
        return self.equations.inertia(self.numbers())

    def gravity(self) -> list[Scalar]:
        """Return the acceleration of free fall."""
        return [self.program.load("gravity", 0, k) for k in range(3)]

    # --- inside -------------------------------------------------------------------------------------------------------

    def numbers(self) -> list[Scalar]:
        """Return the parameters of the body, see `FreeBodies.numbers`."""
        return [self.program.load("numbers", self._numbers, k) for k in range(self.equations.numbers)]

    def _load(self, part: Part | Kept, places: Sequence[Index]) -> list[Scalar]:
        return [part.load(self.program, k) for k in places]

    def _store(self, part: Part | Kept, places: Sequence[Index], values: Values) -> None:
        for k, value in zip(places, values, strict=True):
            part.store(self.program, k, value)


class FreeBodySystem:
    """The `Recorded` system of free bodies, which are coupled by their loads only.

    loads : loads other than gravity, or None.
    """

    def __init__(self, program: Program, equations: BodyEquations, loads: Loads | None = None) -> None:
        self.program, self.equations = program, equations
        self.loads = None if loads is None else BodyLoads(program, loads)
        self.n = program.count("bodies")
        self.nx, self.nv = self.n * equations.nx, self.n * 6
        self.solved_together = 0, self.nv

    def step(self, record: Record, n: Index) -> None:
        """Record step n of every body separately."""
        for body in self.bodies():
            record(body, n)

    def bodies(self) -> Iterator[FreeBody]:
        """Yield each body, in a loop of the program."""
        with self.program.loop(0, self.n) as i:
            yield FreeBody(self, i)

    def move(self, x: Part, u: Part, result: Part) -> None:
        for body in self.bodies():
            body.move(x, u, result)

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        for body in self.bodies():
            body.local_rate(u, v, result)

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        self.decide(moment, x, v)
        for body in self.bodies():
            body.rate(moment, x, v, result)

    def decide(self, moment: Moment, x: Part, v: Part) -> None:
        """Evaluate the loads at a state, before they act on the bodies."""
        if self.loads is not None:
            for body in self.bodies():
                # all bodies before any load: a force element may read several
                self.loads.place(body.i, *body.central(x, v))
            self.loads.decide(moment)

    def coordinates(self) -> Iterator[Whole]:
        return self._each(self.equations.nx)

    def freedoms(self) -> Iterator[Whole]:
        return self._each(6)

    def _each(self, size: int) -> Iterator[Whole]:
        with self.program.loop(0, self.n) as i:
            yield from (i * size + k for k in range(size))


def motion(
    equations: BodyEquations,
    method: Recordable,
    numbers: NDArray,
    gravity: NDArray,
    times: NDArray,
    x: NDArray,
    v: NDArray,
    loaded: Loaded | None = None,
) -> Prepared:
    """Return a motion of free bodies, prepared for the batch runner.

    Parameters
    ----------
    equations : equations of one body.
    method : integrator.
    numbers : (n, equations.numbers) parameters of the bodies.
    gravity : (3,) m/s2.
    times : (steps + 1,) s.
    x, v : (n nx,), (n nv,) initial state.
    loaded : loads other than gravity, or None.
    """
    loop, given = loop_arrays(times, x, v), {"numbers": np.ascontiguousarray(numbers).ravel()}
    room: dict[str, NDArray] = {} if loaded is None else loaded.arrays
    own = arrays_of(method, len(x), len(v), {*loop, *room, *(loaded.numbers if loaded else ()), "numbers", "gravity"})
    counts = {"bodies": len(numbers), "stages": len(own["c"])}
    # None for methods that need all bodies at once, as adaptive ones, whose step depends on every body
    of_each = method.written_out
    if loaded is not None:
        given, counts, of_each = given | loaded.numbers, counts | loaded.counts, None
        if "landing" in own:
            # a table of forces has a kink at each recorded time, where adaptive steps have to end
            own["landing"][:] = float(counts.get("tau_step", 0) > 0)
    return Prepared(
        len(times) - 1,
        {**own, **room, **loop},
        given | {"gravity": np.array(gravity, dtype=float)},
        {},
        counts,
        partial(_code, equations, loaded and loaded.loads, of_each, method.record, available()[0]),
        method.shared,
    )


@lru_cache(maxsize=32)
@compiling
def _code(
    equations: BodyEquations,
    loads: Loads | None,
    of_each: Record | None,
    of_all: Record,
    backend: Backend,
    lanes: Lanes,
) -> Executable:
    """Compile the loop over time: with separate steps of each body, if the method has such, else of all together."""
    program = Program(equations.name, lanes)
    bodies = FreeBodySystem(program, equations, loads)
    over_time(bodies, of_all if of_each is None else lambda system, n: bodies.step(of_each, n))
    return executable(program, backend)
