"""Symbolic block matrices: sums of noncommuting products, with what block elimination needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Symbol:
    """Named matrix or vector; the name is LaTeX. rows, columns : names of its dimensions, '6', 'n' or '1'."""

    latex: str
    rows: str = "6"
    columns: str = "6"

    @property
    def inverse(self) -> Inverse:
        return Inverse(Block((((self,), 1.0),)))

    def value(self, values: Mapping[str, NDArray]) -> NDArray:
        return values[self.latex]


@dataclass(frozen=True)
class Inverse:
    """The inverse of a square block, as one factor."""

    of: Block

    @property
    def rows(self) -> str:
        return self.of.shape[0]

    columns = rows

    @property
    def latex(self) -> str:
        return f"{self.of.latex}^{{-1}}" if self.of.factor else f"({self.of.latex})^{{-1}}"

    @property
    def inverse(self) -> Symbol | Inverse:
        return self.of.factor or Inverse(Block((((self,), 1.0),)))

    def value(self, values: Mapping[str, NDArray]) -> NDArray:
        return np.linalg.inv(self.of.value(values))


Product = tuple[Symbol | Inverse, ...]


@dataclass(frozen=True)
class Block:
    """Sum of products, as pairs of a product and its nonzero coefficient.

    The empty product is the identity of 6 x 6, the empty sum is zero.
    """

    terms: tuple[tuple[Product, float], ...] = ()

    @staticmethod
    def symbol(latex: str, rows: str = "6", columns: str = "6") -> Block:
        """Return the block that is a single `Symbol`."""
        return Block((((Symbol(latex, rows, columns),), 1.0),))

    @staticmethod
    def of(terms: Iterable[tuple[Product, float]]) -> Block:
        """Return the sum of terms, with like terms collected."""
        total: dict[Product, float] = {}
        for product, coefficient in terms:
            total[product] = total.get(product, 0.0) + coefficient
        return Block(tuple((product, x) for product, x in total.items() if x != 0.0))

    @property
    def factor(self) -> Symbol | Inverse | None:
        """The single factor that the block consists of, or None."""
        if len(self.terms) == 1 and len(self.terms[0][0]) == 1 and self.terms[0][1] == 1.0:
            return self.terms[0][0][0]
        return None

    @property
    def shape(self) -> tuple[str, str]:
        """Names of the dimensions; the zero block has those of the identity."""
        product = self.terms[0][0] if self.terms else ()
        return (product[0].rows, product[-1].columns) if product else ("6", "6")

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Block) -> Block:
        return Block.of([*self.terms, *other.terms])

    def __neg__(self) -> Block:
        return Block(tuple((product, -x) for product, x in self.terms))

    def __sub__(self, other: Block) -> Block:
        return self + -other

    def __matmul__(self, other: Block) -> Block:
        return Block.of((_reduced(a + b), x * y) for a, x in self.terms for b, y in other.terms)

    def inverse(self) -> Block:
        """Return the inverse of the block.

        Raises
        ------
        ZeroDivisionError
            If the block is zero or not square.
        """
        if not self.terms or self.shape[0] != self.shape[1]:
            raise ZeroDivisionError(f"the block {self.latex} has no inverse")
        product, coefficient = self.terms[0]
        if len(self.terms) == 1 and len(product) < 2:
            return Block(((tuple(factor.inverse for factor in product), 1.0 / coefficient),))
        sign = 1.0 if any(x > 0.0 for _, x in self.terms) else -1.0
        return Block((((Inverse(self if sign > 0.0 else -self),), sign),))

    def value(self, values: Mapping[str, NDArray]) -> NDArray:
        """Return the numerical matrix, given the values of all names by their LaTeX; the zero block gives 0."""
        total: NDArray = np.zeros(())
        for product, coefficient in self.terms:
            x: NDArray = np.eye(6) if not product else product[0].value(values)
            for factor in product[1:]:
                x = x @ factor.value(values)
            total = total + coefficient * x
        return total

    @property
    def latex(self) -> str:
        """The block as a LaTeX formula."""
        text = ""
        for product, x in self.terms:
            sign = "-" if x < 0.0 else " + " if text else ""
            number = "" if abs(x) == 1.0 and product else f"{abs(x):g}"
            text += sign + " ".join([number, *(factor.latex for factor in product)]).strip()
        return text or "0"

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"


ZERO = Block()
ONE = Block((((), 1.0),))


def _reduced(product: Product) -> Product:
    """Return the product without adjacent pairs of a matrix and its inverse."""
    kept: list[Symbol | Inverse] = []
    for factor in product:
        if kept and kept[-1] == factor.inverse:
            kept.pop()
        else:
            kept.append(factor)
    return tuple(kept)
