"""Linear system of linearly implicit steps, ``(M + h D - h^2 K) w = M r + K u``, inside a program."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace import Kept, Part, Program, Scalar, Whole, eliminate


def store_matrix(program: Program, nv: Whole, h: Callable[[], Scalar]) -> None:
    """Store M + h D - h^2 K in "stiff_sum", from "stiff_M" and "stiff_KD", whose rows hold K and then -D.

    h : gives the factor in the open block: the step or a part of it, s.
    """
    with program.loop(0, nv) as i:
        row = i * nv
        K_row = row * 2
        with program.loop(0, nv) as j:
            place, K = row + j, K_row + j
            minus_D, s = K + nv, h()
            total = program.load("stiff_M", place) - s * program.load("stiff_KD", minus_D)
            program.store("stiff_sum", place, 0, total - s * s * program.load("stiff_KD", K))


def solve_in_program(program: Program, nv: Whole, r: Part | Kept, u: Part | Kept, result: Part) -> None:
    """Record the solution of ``stiff_sum x = M r + K u``; x is left in the result."""
    with program.loop(0, nv) as i:
        row = i * nv
        K_row = row * 2
        result.store(program, i, 0.0)
        with program.loop(0, nv) as j:
            place = row + j
            # a copy, which elimination overwrites: later stages solve with the same matrix
            program.store("stiff_A", place, 0, program.load("stiff_sum", place))
            term = program.load("stiff_M", place) * r.load(program, j)
            term = term + program.load("stiff_KD", K_row + j) * u.load(program, j)
            result.store(program, i, result.load(program, i) + term)
    eliminate(program, 0, nv, "stiff_A", result.array, 1)


def stiff_arrays(nv: int) -> dict[str, NDArray]:
    """Return the work arrays of these functions, for nv velocities."""
    matrices = {name: np.zeros(nv * nv) for name in ("stiff_M", "stiff_sum", "stiff_A")}
    return {**matrices, "stiff_x": np.zeros(nv), "stiff_KD": np.zeros(2 * nv * nv), "elimination": np.zeros(3)}
