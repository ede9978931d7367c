"""A formula as SymPy expressions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from rbdkit.formulas.formula import Argument, Formula
from rbdkit.formulas.in_python import flat_arguments
from rbdkit.formulas.on_library import required
from rbdkit.formulas.written import roundings


@dataclass(frozen=True, eq=False)
class SympyFunction:
    """An exported function as SymPy expressions, with the common subexpressions named, as `sympy.cse` gives them.

    Attributes
    ----------
    name : str
        Model and function.
    arguments : tuple of Argument
        In order.
    symbols : dict of str to list of sympy.Symbol
        Symbols by argument, named after coordinates, joints and parameters.
    replacements : list of (sympy.Symbol, sympy.Expr)
        Common subexpressions, each from symbols and those before it.
    reduced : list of sympy.Expr
        The entries of the result, row by row, in terms of these.
    shape : tuple of int
        Of the result.
    """

    name: str
    arguments: tuple[Argument, ...]
    symbols: dict[str, list[Any]]
    replacements: list[tuple[Any, Any]]
    reduced: list[Any]
    shape: tuple[int, ...]

    @cached_property
    def expression(self) -> Any:
        """The result in terms of the arguments alone: an expression, a matrix or an array; long for many joints."""
        sympy = required("sympy")
        known: dict[Any, Any] = {}
        for symbol, value in self.replacements:
            known[symbol] = value.xreplace(known)
        return self._shaped(sympy, [x.xreplace(known) for x in self.reduced])

    def __call__(self, *given: ArrayLike) -> Any:
        """Evaluate the function with numbers; the result is an expression, matrix or array of SymPy's floats."""
        sympy = required("sympy")
        numbers = flat_arguments(self.name, self.arguments, given)
        known: dict[Any, Any] = {}
        for argument, values in zip(self.arguments, numbers, strict=True):
            flat = values if isinstance(values, list) else [values]
            known |= zip(self.symbols[argument.name], map(sympy.Float, flat), strict=True)
        for symbol, value in self.replacements:
            known[symbol] = value.xreplace(known)
        return self._shaped(sympy, [x.xreplace(known) for x in self.reduced])

    def _shaped(self, sympy: Any, flat: list[Any]) -> Any:
        if self.shape == ():
            return flat[0]
        if len(self.shape) == 1:
            return sympy.Matrix(flat)
        return sympy.Matrix(*self.shape, flat) if len(self.shape) == 2 else sympy.Array(flat, self.shape)


def in_sympy(formula: Formula) -> SympyFunction:
    """Return a formula as expressions of SymPy."""
    sympy = required("sympy")
    symbols = {x.name: _symbols(sympy, x) for x in formula.arguments}
    taken = {x.name for own in symbols.values() for x in own}
    names = (name for name in sympy.numbered_symbols("x") if name.name not in taken)
    graph, outputs = formula.trace.graph, formula.trace.positions()
    values: dict[int, Any] = {}
    replacements: list[tuple[Any, Any]] = []
    operations = _operations(sympy)
    truths = {"less", "equal", "and", "or", "not"}
    uses: dict[int, int] = dict.fromkeys(outputs, 1)
    whole, live = roundings(graph, graph.live(outputs))
    for position in live:
        for operand in [whole[position]] if position in whole else graph.operands(position):
            uses[operand] = uses.get(operand, 0) + 1
    for position in live:
        operation, *operands = graph.nodes[position]
        if operation == "const":
            values[position] = sympy.Float(operands[0]) if operands[0] % 1 else sympy.Integer(int(operands[0]))
        elif operation == "load":
            values[position] = symbols[operands[0]][operands[2]]
        else:
            if position in whole:
                made = sympy.floor(values[whole[position]] + sympy.Rational(1, 2))
            else:
                made = operations[operation](*(values[k] for k in operands))
            # an angle, or what is used once, stays where it is
            if uses[position] > 1 and operation not in truths and not made.is_Atom:
                name = next(names)
                replacements.append((name, made))
                made = name
            values[position] = made
    reduced = [values[k] for k in outputs]
    return SympyFunction(formula.name, formula.arguments, symbols, replacements, reduced, formula.shape)


def _symbols(sympy: Any, argument: Argument) -> list[Any]:
    entries = argument.entries or tuple(f"{argument.name}{k}" for k in range(argument.size))
    if argument.name == "parameters":
        return [sympy.Symbol(entry, real=True) for entry in entries]
    if argument.name == "t":
        return [sympy.Symbol("t", real=True)]
    return [sympy.Symbol(f"{argument.name}_{entry}" if argument.entries else entry, real=True) for entry in entries]


def _operations(sympy: Any) -> dict[str, Any]:
    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
        "sqrt": sympy.sqrt,
        "sin": sympy.sin,
        "cos": sympy.cos,
        "copysign": lambda x, y: sympy.Piecewise((-sympy.Abs(x), y < 0), (sympy.Abs(x), True)),
        "less": lambda a, b: a < b,
        "equal": sympy.Eq,
        "and": sympy.And,
        "or": sympy.Or,
        "not": sympy.Not,
        "select": lambda condition, a, b: sympy.Piecewise((a, condition), (b, True)),
    }
