"""The operation counts of Table 10.1 (Featherstone 2008), as functions of the number n of joints.

They hold for GU(n), `rbdkit.library.general_unbranched`: chains of revolute joints with general geometry and inertias.
Sines and cosines are not counted; a division counts as a multiplication.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.trace import Operations

Algorithm = Literal["rnea", "crba", "factor_and_solve", "aba"]


@dataclass(frozen=True)
class Formula:
    """A row of Table 10.1: operation counts of one implementation as polynomials in n.

    Attributes
    ----------
    algorithm : Algorithm
        'rnea', 'crba', 'factor_and_solve' or 'aba'.
    mul, add : tuple of Fraction
        Coefficients of the polynomials in n, that of n^0 first, of multiplications and of additions.
    sources : tuple of int
        Numbers in the list of sources below the table.
    """

    algorithm: Algorithm
    mul: tuple[Fraction, ...]
    add: tuple[Fraction, ...]
    sources: tuple[int, ...]

    def operations(self, n: int) -> Operations:
        """Return the operation counts for n joints.

        Raises
        ------
        ModelError
            If n is not a whole number, 1 or more.
        """
        if not isinstance(n, int | np.integer) or n < 1:
            raise ModelError(f"n = {n!r}: the formulas count for chains of 1, 2, 3, ... joints")
        mul, add = (sum(c * int(n) ** k for k, c in enumerate(p)) for p in (self.mul, self.add))
        assert mul == int(mul) and add == int(add), "fractions of an operation"
        return Operations(mul=int(mul), add=int(add))

    def total(self, n: ArrayLike, addition: float = 1.0) -> NDArray:
        """Return the cost in multiplications, if an addition costs `addition` multiplications; n may be an array."""
        mul, add = (np.polynomial.Polynomial([float(c) for c in p]) for p in (self.mul, self.add))
        x = np.asarray(n, dtype=float)
        return np.asarray(mul(x) + addition * add(x))

    def __str__(self) -> str:
        return f"({_polynomial(self.mul)})m + ({_polynomial(self.add)})a"


def _row(algorithm: Algorithm, mul: tuple, add: tuple, *sources: int) -> Formula:
    """Return a row from coefficients in printed order, highest power first."""
    return Formula(algorithm, tuple(map(Fraction, mul[::-1])), tuple(map(Fraction, add[::-1])), sources)


def _polynomial(coefficients: tuple[Fraction, ...]) -> str:
    text = ""
    for k in reversed(range(len(coefficients))):
        c = coefficients[k]
        if c:
            power = "" if k == 0 else "n" if k == 1 else f"n^{k}"
            size = "" if abs(c) == 1 and k else str(abs(c)) if c.denominator == 1 or not k else f"({abs(c)})"
            sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
            text += f"{sign}{size}{power}"
    return text or "0"


TABLE_10_1 = (
    _row("rnea", (93, -108), (81, -100), 3),
    _row("rnea", (93, -69), (81, -66), 1, 3),
    _row("rnea", (130, -68), (101, -56), 6),
    _row("rnea", (150, -48), (131, -48), 8),
    _row("crba", (10, 22, -32), (6, 37, -43), 7, 14),
    _row("crba", (10, 31, -41), (6, 40, -46), 6),
    _row("crba", (10, 41, -51), (6, 52, -58), 9, 10),
    _row("crba", (11, 11, -42), ("11/2", "65/2", -54), 2, 4),
    _row("crba", (12, 56, -27), (7, 67, -53), 12),
    _row("factor_and_solve", ("1/6", "3/2", "-2/3", 0), ("1/6", 1, "-7/6", 0), 13),
    _row("aba", (224, -259), (205, -248), 11),
    _row("aba", (250, -222), (220, -198), 5),
    _row("aba", (300, -267), (279, -259), 6),
)
"""The rows in the order of the print; the first of each algorithm is the cheapest of long chains."""

SOURCES = {
    1: "Balafoutis et al. (1988)",
    2: "Balafoutis and Patel (1989)",
    3: "Balafoutis and Patel (1991), Algorithm 5.7",
    4: "Balafoutis and Patel (1991), Algorithm 6.2",
    5: "Brandl et al. (1988)",
    6: "Featherstone (1987)",
    7: "Featherstone (2005), Eq 20",
    8: "Hollerbach (1980)",
    9: "Lilly and Orin (1991)",
    10: "Lilly (1993)",
    11: "McMillan et al. (1995)",
    12: "Walker and Orin (1982), method 3",
    13: "Table 6.6 with Eq 6.28",
    14: "Eq 10.3",
}


def formulas(algorithm: Algorithm) -> tuple[Formula, ...]:
    """The rows of one algorithm.

    Raises
    ------
    ModelError
        If the table has no such algorithm.
    """
    rows = tuple(row for row in TABLE_10_1 if row.algorithm == algorithm)
    if not rows:
        known = ", ".join(dict.fromkeys(row.algorithm for row in TABLE_10_1))
        raise ModelError(f"Table 10.1 has no algorithm {algorithm!r}; it has {known}")
    return rows


def best(algorithm: Algorithm) -> Formula:
    """The first row of an algorithm, which Figs 10.4 and 10.5 are drawn with: the cheapest of long chains."""
    return formulas(algorithm)[0]


def cheapest(algorithm: Algorithm, n: int, addition: float = 1.0) -> Formula:
    """The cheapest row for n joints. For CRBA with n <= 32 this is not the first, but that of Balafoutis and Patel.

    Parameters
    ----------
    addition : float, optional
        What an addition costs, in multiplications.
    """
    return min(formulas(algorithm), key=lambda row: float(row.total(n, addition)))
