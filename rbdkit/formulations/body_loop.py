"""The loop over time of bodies that move on their own, compiled: Runge-Kutta-Munthe-Kaas methods on scalars."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Run, Tableau
from rbdkit.engine.steps.stepping import LARGEST, LARGEST_TURN
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Backend, Executable, Index, Program, Scalar, Whole, available, executable, select

CHUNK = 0.05
"""Seconds of computing between two looks at the world outside."""
Values = Sequence[Scalar]


@dataclass(frozen=True)
class BodyEquations:
    """Equations of one body on scalars, to be traced.

    Attributes
    ----------
    name : of the program. nx, nv, numbers : how many numbers its x, its v, and what describes it have.
    turn : where the three numbers of the rotation begin in a displacement.
    move : (x, u) -> x moved by the displacement u.
    rates : (numbers, gravity, x, u, v) -> the rates of u and v, where x has been moved by u since the step began.
    """

    name: str
    nx: int
    nv: int
    numbers: int
    turn: int
    move: Callable[[Values, Values], Values]
    rates: Callable[[Values, Values, Values, Values, Values], tuple[Values, Values]]


def run(
    equations: BodyEquations,
    tableau: Tableau,
    numbers: NDArray,
    gravity: NDArray,
    times: NDArray,
    x: NDArray,
    v: NDArray,
    every: int,
    progress: Callable[[float], object],
) -> Run:
    """Steps of an explicit Runge-Kutta method under gravity alone, each with displacements from its beginning.

    Parameters
    ----------
    numbers : (n, equations.numbers). x, v : (n nx,), (n nv,) the state. times : (steps + 1,) s.
    every : record every so many steps, and the last. progress : is told the fraction done.
    """
    A, b = tableau
    code = program_of(equations, tuple(map(tuple, A)), tuple(b), available()[0])
    arrays = {"numbers": np.ascontiguousarray(numbers), "gravity": np.array(gravity, dtype=float), "sum": np.zeros(1)}
    return drive(code, arrays, {"bodies": len(numbers)}, times, x, v, every, progress)


def drive(
    code: Executable,
    own: Mapping[str, NDArray],
    counts: Mapping[str, int],
    times: NDArray,
    x: NDArray,
    v: NDArray,
    every: int,
    progress: Callable[[float], object],
) -> Run:
    """Run code like that of `program_of`, some steps at a time.

    Parameters
    ----------
    own, counts : its arrays and counts besides those of the state and of the loop over time.
    """
    steps, rows = len(times) - 1, 3 + (len(times) - 1) // every
    at, xs, vs = np.zeros(rows, dtype=int), np.empty((rows, len(x))), np.empty((rows, len(v)))
    arrays = {
        **own,
        "times": np.ascontiguousarray(times, dtype=float),
        "x": np.array(x, dtype=float),
        "v": np.array(v, dtype=float),
        "x_new": np.empty(len(x)),
        "v_new": np.empty(len(v)),
        "done": np.zeros(1),
    }
    xs[0], vs[0] = x, v
    done, kept, chunk, finite, interrupted = 0, 1, 1, True, False
    try:
        while done < steps and finite:
            whole = (steps - done) // every
            records, stride = (min(whole, chunk), every) if whole else (1, steps - done)
            now = {**counts, "first": done, "records": records, "every": stride}
            begun = time.perf_counter()
            code.bind({**arrays, "x_record": xs[kept:], "v_record": vs[kept:]}, now)()
            taken = int(arrays["done"][0])
            finite, full = taken == records * stride, taken // stride
            at[kept : kept + full] = done + stride * np.arange(1, full + 1)
            done, kept = done + taken, kept + full
            chunk = 2 * chunk if time.perf_counter() - begun < 0.5 * CHUNK else chunk
            progress(done / steps)
    except KeyboardInterrupt:
        interrupted = done < steps
    if at[kept - 1] != done:
        at[kept], xs[kept], vs[kept] = done, arrays["x"], arrays["v"]
        kept += 1
    return Run(done, at[:kept], xs[:kept], vs[:kept], not finite, interrupted)


@lru_cache(maxsize=32)
def program_of(
    equations: BodyEquations, A: tuple[tuple[float, ...], ...], b: tuple[float, ...], backend: Backend
) -> Executable:
    """Code that takes ``records * every`` steps from the state "x", "v" and writes down every so many states.

    It stops before the first state that is not finite and leaves the last finite one. "done" counts the steps.
    """
    program = Program(equations.name)
    bodies, every = program.count("bodies"), program.count("every")
    program.store("done", 0, 0, 0.0)
    with program.loop(0, program.count("records")) as record:
        with program.loop(0, every) as k:
            program.store("sum", 0, 0, 0.0)
            with program.loop(0, bodies) as body:
                step(program, equations, A, b, record * every + program.count("first") + k, body)
            program.leave_if(select(program.load("sum", 0) < LARGEST * LARGEST, 0.0, 1.0) > 0.5)
            for name, size in (("x", equations.nx), ("v", equations.nv)):
                _copy(program, f"{name}_new", name, bodies, size, 0)
            program.store("done", 0, 0, program.load("done", 0) + 1.0)
        for name, size in (("x", equations.nx), ("v", equations.nv)):
            _copy(program, name, f"{name}_record", bodies, size, record * (bodies * size))
    return executable(program, backend)


def step(
    program: Program,
    equations: BodyEquations,
    A: Sequence[Sequence[float]],
    b: Sequence[float],
    number: Index,
    body: Index,
) -> None:
    """A step of one body, written to "x_new", "v_new"; the squares of the new state are added to "sum"."""
    numbers = _load(program, "numbers", body * equations.numbers, equations.numbers)
    gravity = _load(program, "gravity", 0, 3)
    x, v = (_load(program, name, body * size, size) for name, size in (("x", equations.nx), ("v", equations.nv)))
    h = program.load("times", number, 1) - program.load("times", number, 0)
    rates: list[tuple[Values, Values]] = []

    def ahead(weights: Sequence[float]) -> tuple[Values, Values]:
        u: list[Scalar] = [0.0] * len(v)
        v_sum = list(v)
        for weight, (u_rate, v_rate) in zip(weights, rates, strict=False):
            if weight != 0.0:
                u = [a + (h * weight) * r for a, r in zip(u, u_rate, strict=True)]
                v_sum = [a + (h * weight) * r for a, r in zip(v_sum, v_rate, strict=True)]
        return u, v_sum

    for row in A:
        u, v_i = ahead(row)
        rates.append(equations.rates(numbers, gravity, equations.move(x, u), u, v_i))
    u, v_new = ahead(b)
    turn = u[equations.turn : equations.turn + 3]
    far = select(dot(turn, turn) < LARGEST_TURN * LARGEST_TURN, 0.0, 2.0 * LARGEST * LARGEST)
    total = program.load("sum", 0) + far
    for name, values in (("x_new", equations.move(x, u)), ("v_new", v_new)):
        for k, value in enumerate(values):
            program.store(name, body * len(values), k, value)
            total = total + value * value
    program.store("sum", 0, 0, total)


def _load(program: Program, array: str, place: Whole, size: int) -> list[Scalar]:
    return [program.load(array, place, k) for k in range(size)]


def _copy(program: Program, source: str, target: str, bodies: Index, size: int, start: Whole) -> None:
    """Copy the numbers of all bodies to another array, from a place on."""
    with program.loop(0, bodies) as body:
        for k in range(size):
            program.store(target, body * size + start, k, program.load(source, body * size, k))
