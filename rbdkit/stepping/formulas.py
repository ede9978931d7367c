"""Formulas of an integrator as text: one line for each of its stages and one for the step."""

from __future__ import annotations

from fractions import Fraction
from inspect import getdoc

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.integrators import CrouchGrossman, Integrator, MuntheKaas, Projected


def formulas_of(method: Integrator, stages: int) -> tuple[str, ...]:
    """Return lines of text: the stages, then the step. In them "x * exp(u)" is x moved by the displacement u.

    A method may give its own as ``formulas``, one line more than it has stages; for tableaus they are written here; for
    any other method its docstring is quoted.
    """
    if isinstance(method, Projected):
        *inner, last = formulas_of(method.method, stages)
        return (*inner, f"{last}\nthen the nearest x, v with g(x) = 0 and J v = 0")
    own = getattr(method, "formulas", None)
    if own is not None and len(own) == stages + 1:
        return tuple(own)
    if isinstance(method, MuntheKaas):
        return _munthe_kaas(np.asarray(method.A), np.asarray(method.b))
    if isinstance(method, CrouchGrossman):
        return _crouch_grossman(np.asarray(method.A), np.asarray(method.b))
    said = (getdoc(type(method)) or type(method).__name__).split("\n\n")[0].replace("\n", " ")
    return (*(f"k{i + 1}, a{i + 1}: an evaluation inside the step" for i in range(stages)), said)


def _munthe_kaas(A: NDArray, b: NDArray) -> tuple[str, ...]:
    lines = ["k1 = v    a1 = f(t, x, v)"]
    for i, row in enumerate(A[1:], start=2):
        moved = f"u{i} = {_sum(row, 'k')}    v{i} = v + {_sum(row, 'a')}"
        lines.append(f"{moved}\nk{i} = dexp_inv(u{i}) v{i}    a{i} = f({_time(row)}, x * exp(u{i}), v{i})")
    return (*lines, f"x <- x * exp({_sum(b, 'k')})\nv <- v + {_sum(b, 'a')}")


def _crouch_grossman(A: NDArray, b: NDArray) -> tuple[str, ...]:
    lines = []
    for i, row in enumerate(A, start=1):
        x, dv = _moves(row), _sum(row, "a")
        v = "v" if dv == "0" else f"v + {dv}"
        lines.append(f"k{i} = {v}\na{i} = f({_time(row)}, {x}, k{i})")
    return (*lines, f"x <- {_moves(b)}\nv <- v + {_sum(b, 'a')}")


def _moves(weights: ArrayLike) -> str:
    moves = [f" * exp({_term(w)}h k{j})" for j, w in enumerate(np.asarray(weights), start=1) if w != 0.0]
    return "x" + "".join(moves)


def _sum(weights: ArrayLike, name: str) -> str:
    terms = [(float(w), f"{name}{j}") for j, w in enumerate(np.asarray(weights), start=1) if w != 0.0]
    if not terms:
        return "0"
    if len(terms) == 1:
        return f"{_term(terms[0][0])}h {terms[0][1]}"
    inner = "".join(
        f"{' - ' if w < 0.0 else ' + ' if k else ''}{_term(abs(w))}{label}" for k, (w, label) in enumerate(terms)
    )
    return f"h ({inner.strip()})"


def _time(row: ArrayLike) -> str:
    c = float(np.sum(row))
    return "t" if c == 0.0 else f"t + {_term(c)}h"


def _term(weight: float) -> str:
    """Write a factor as people do: as a fraction where it is a simple one, as nothing for 1."""
    if weight == 1.0:
        return ""
    fraction = Fraction(weight).limit_denominator(400)
    close = abs(float(fraction) - weight) <= 1e-14 * abs(weight)
    return f"{fraction} " if close else f"{weight:.4g} "
