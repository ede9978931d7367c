"""Uniform cubic splines: bases of one segment, and weights of the controls along several (Sueda Eqs 2.61-2.66)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial.read_numbers import shown

BASES: dict[str, NDArray] = {
    "b_spline": np.array([[1.0, -3.0, 3.0, -1.0], [4.0, 0.0, -6.0, 3.0], [1.0, 3.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]])
    / 6.0,  # Eq 2.61
    "catmull_rom": np.array(
        [[0.0, -1.0, 2.0, -1.0], [2.0, 0.0, -5.0, 3.0], [0.0, 1.0, 4.0, -3.0], [0.0, 0.0, -1.0, 1.0]]
    )
    / 2.0,
    "bezier": np.array([[1.0, -3.0, 3.0, -1.0], [0.0, 3.0, -6.0, 3.0], [0.0, 0.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]]),
}
"""Coefficients of the basis functions: a row for each of the four controls of a segment, columns 1, q, q^2, q^3."""
STEP = {"b_spline": 1, "catmull_rom": 1, "bezier": 3}
"""Offset in controls from one segment to the next."""


def require_basis(basis: object, kind: str) -> str:
    """Return the name of a basis; raises `ModelError` if it is unknown. kind : joint type, for the message."""
    if not isinstance(basis, str) or basis not in BASES:
        raise ModelError(f"basis {shown(basis)} of a {kind} joint must be one of {', '.join(map(repr, BASES))}")
    return basis


def segments_of(controls: int, basis: str, kind: str) -> int:
    """Return the number of segments for a number of controls.

    Raises
    ------
    ModelError
        If it is not a whole number.
    """
    segments, left = divmod(controls - 4, STEP[basis])
    if controls < 4 or left:
        needs = "4, 7, 10, ..." if basis == "bezier" else "4 or more"
        raise ModelError(f"{controls} controls of a {kind} joint with basis {basis!r}; it takes {needs}")
    return segments + 1


def weights(q: Any, controls: int, basis: str, order: int = 0, cumulative: bool = False) -> list[Any]:
    """Return the weight of each control at q, from 0 to the number of segments; beyond, continued along the tangent.

    Parameters
    ----------
    q : array (..., 1), of numbers or symbols.
    order : 0, or 1 and 2 for derivatives by q.
    cumulative : whether to return cumulative weights, of differences of controls as in Eq 2.64; the first is 1.

    Returns
    -------
    list, one for each control, of the shape of q
    """
    n = segments_of(controls, basis, "spline")
    inside = np.clip(q, 0.0, float(n))
    beyond = q - inside
    found: list[Any] = [0.0] * controls
    for segment in range(n):
        # local coordinate, which stays at the ends of the segment elsewhere
        s = np.clip(inside - segment, 0.0, 1.0)
        here = _here(inside, segment, n)
        for k, row in enumerate(BASES[basis]):
            value = _derivative(row, s, order)
            if order == 0:
                value = value + beyond * _derivative(row, s, 1)
            elif order == 2:
                value = np.where(beyond == 0.0, value, 0.0 * value)
            control = STEP[basis] * segment + k
            found[control] = found[control] + here * value
    if not cumulative:
        return found
    sums, total = [], 0.0
    for weight in reversed(found):
        total = total + weight  # Eq 2.65
        sums.append(total)
    return sums[::-1]


def _here(inside: Any, segment: int, n: int) -> Any:
    """Return 1 within a segment, 0 elsewhere; a knot belongs to the segment after it, the last one to the last."""
    begun = 1.0 if segment == 0 else np.where(inside < float(segment), 0.0 * inside, 1.0 + 0.0 * inside)
    if segment == n - 1:
        return begun
    return begun - np.where(inside < float(segment + 1), 0.0 * inside, 1.0 + 0.0 * inside)


def _derivative(row: NDArray, s: Any, order: int) -> Any:
    a, b, c, d = row.tolist()
    if order == 0:
        return ((d * s + c) * s + b) * s + a
    if order == 1:
        return (3.0 * d * s + 2.0 * c) * s + b  # Eq 2.66
    return 6.0 * d * s + 2.0 * c
