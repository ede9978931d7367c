"""Derivation of assembly formulas: five equations form a composite equation, which is eliminated block by block.

Given are five equations between the accelerations and forces of two handles, the joint between them and the resulting
handle; wanted is one equation between the force on that handle and its acceleration. The composite equation
``A x = r + g y`` has the wanted unknown on top of x and its partner y on the right (Featherstone 2008, section 7.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from numpy.typing import NDArray

from rbdkit.algorithms.articulated.blocks import ONE, ZERO, Block

D, Z = Block.symbol("D", "n", "n"), Block.symbol("z", "n", "1")


@dataclass(frozen=True)
class Equation:
    """Linear block equation ``sum of coefficient @ unknown = known``. small : whether its dimension is not six."""

    coefficients: Mapping[str, Block]
    known: Block = ZERO
    small: bool = False


@dataclass(frozen=True)
class Composite:
    """Composite equation ``A x = r + g y`` in blocks. x : names of the unknowns. y : name of the one on the right."""

    x: tuple[str, ...]
    y: str
    A: tuple[tuple[Block, ...], ...]
    r: tuple[Block, ...]
    g: tuple[Block, ...]

    @property
    def below_diagonal(self) -> int:
        """Number of nonzero blocks below the diagonal, which elimination has to clear."""
        return sum(bool(block) for k, row in enumerate(self.A) for block in row[:k])

    @property
    def latex(self) -> str:
        """The composite equation in LaTeX, as the book displays it."""
        A = _matrix([[block.latex for block in row] for row in self.A])
        x, r, g = (_matrix([[text] for text in column]) for column in (self.x, _texts(self.r), _texts(self.g)))
        return f"{A} {x} = {r} + {g} {self.y}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


@dataclass(frozen=True)
class Derivation:
    """Derivation of ``top = coefficient @ y + constant``, with its intermediate stages.

    Attributes
    ----------
    stages : tuple of Composite
        The composite equation, then its form after each column cleared below the diagonal.
    D, z : Block
        Diagonal block and right-hand side of the last row, ``D @ bottom = z + ...``; D is the only matrix that has to
        be inverted at the joint. The results refer to both by name.
    coefficient, constant : Block
        Coefficient and constant of the top unknown.
    bottom : tuple
        Coefficient and constant of the bottom unknown.
    """

    stages: tuple[Composite, ...]
    D: Block
    z: Block
    coefficient: Block
    constant: Block
    bottom: tuple[Block, Block]

    def value(self, values: Mapping[str, NDArray]) -> tuple[NDArray, NDArray]:
        """Return coefficient (6, 6) and constant (6,) in numbers; values : of all names in the given equations."""
        known = {**values, "D": self.D.value(values), "z": self.z.value(values)}
        return self.coefficient.value(known), self.constant.value(known)

    @property
    def latex(self) -> str:
        """The result and its abbreviations D and z, in LaTeX."""
        top, y, bottom = self.stages[0].x[0], self.stages[0].y, self.stages[0].x[-1]
        lines = [
            f"{top} &= \\left({self.coefficient.latex}\\right) {y} + {self.constant.latex}",
            f"{bottom} &= \\left({self.bottom[0].latex}\\right) {y} + {self.bottom[1].latex}",
            f"D &= {self.D.latex}",
            f"z &= {self.z.latex}",
        ]
        return "\\begin{aligned}" + " \\\\ ".join(lines) + "\\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


def derive(equations: Sequence[Equation], top: str, right: str, bottom: str) -> Derivation:
    """Solve five equations for the unknown `top` as a function of the unknown `right`.

    Parameters
    ----------
    equations : sequence of Equation
        The five equations; exactly one is small.
    top, right : str
        The two unknowns of the target equation.
    bottom : str
        The unknown whose dimension is not six.

    Raises
    ------
    ZeroDivisionError
        If elimination meets a zero pivot for every order of the equations.
    """
    composite = compose(equations, top, right, bottom)
    stages = [composite]
    for k in range(len(composite.x) - 1):
        if any(row[k] for row in composite.A[k + 1 :]):
            composite = _clear_column(composite, k)
            stages.append(composite)
    solved: dict[int, tuple[Block, Block]] = {len(composite.x) - 1: (D.inverse() @ composite.g[-1], D.inverse() @ Z)}
    for k in reversed(range(len(composite.x) - 1)):
        pivot, coefficient, constant = composite.A[k][k].inverse(), composite.g[k], composite.r[k]
        for j, (g_j, r_j) in sorted(solved.items()):
            coefficient, constant = coefficient - composite.A[k][j] @ g_j, constant - composite.A[k][j] @ r_j
        solved[k] = pivot @ coefficient, pivot @ constant
    return Derivation(
        tuple(stages), composite.A[-1][-1], composite.r[-1], *solved[0], bottom=solved[len(composite.x) - 1]
    )


def compose(equations: Sequence[Equation], top: str, right: str, bottom: str) -> Composite:
    """Return the composite equation by the five rules; the order that rule 5 leaves open is found by trying all."""
    names = [name for equation in equations for name in equation.coefficients]
    others = sorted(set(names) - {top, right, bottom})  # rules 1 to 3
    small = [equation for equation in equations if equation.small]
    large = [equation for equation in equations if not equation.small]
    candidates = [
        _composite([*rows, *small], (top, *x, bottom), right)  # rule 4
        for x in permutations(others)
        for rows in permutations(large)
    ]
    solvable = [c for c in candidates if _pivots(c)]
    if not solvable:
        raise ZeroDivisionError(f"these equations give no {top}: every order of them meets a zero pivot")
    return min(solvable, key=lambda c: (c.below_diagonal, sum(row[k].latex != "1" for k, row in enumerate(c.A))))


def _composite(rows: Sequence[Equation], x: tuple[str, ...], y: str) -> Composite:
    A, r, g = [], [], []
    for row, own in zip(rows, x, strict=True):
        full = [row.coefficients.get(name, ZERO) for name in x]
        turned = row.coefficients.get(own) == -ONE  # a row may change its sign to have 1 on the diagonal
        A.append(tuple(-block if turned else block for block in full))
        r.append(-row.known if turned else row.known)
        g.append(row.coefficients.get(y, ZERO) if turned else -row.coefficients.get(y, ZERO))
    return Composite(x, y, tuple(A), tuple(r), tuple(g))


def _pivots(composite: Composite) -> bool:
    """Return whether elimination meets no zero pivot and inverts only square blocks."""
    for k in range(len(composite.x) - 1):
        try:
            composite = _clear_column(composite, k)
        except ZeroDivisionError:
            return False
    return bool(composite.A[-1][-1])


def _clear_column(composite: Composite, k: int) -> Composite:
    """Subtract multiples of row k from the rows below, so that column k becomes zero there."""
    A, r, g = [list(row) for row in composite.A], list(composite.r), list(composite.g)
    pivot = A[k][k].inverse()
    for i in range(k + 1, len(A)):
        if A[i][k]:
            L = A[i][k] @ pivot
            A[i] = [a - L @ b for a, b in zip(A[i], A[k], strict=True)]
            A[i][k] = ZERO
            r[i], g[i] = r[i] - L @ r[k], g[i] - L @ g[k]
    return Composite(composite.x, composite.y, tuple(map(tuple, A)), tuple(r), tuple(g))


def _texts(blocks: Sequence[Block]) -> list[str]:
    return [block.latex for block in blocks]


def _matrix(rows: Sequence[Sequence[str]]) -> str:
    return "\\begin{bmatrix}" + " \\\\ ".join(" & ".join(row) for row in rows) + "\\end{bmatrix}"
