"""Expression graphs: symbols that record the arithmetic done to them, simplified as it is recorded.

A `Symbol` is a number that is not known yet: a position in a `Graph`, whose nodes are tuples of an operation and the
positions of its operands. Arithmetic on symbols adds nodes at the end, so operands always stand before their users;
passes over a graph are therefore plain loops, forwards (values, tangents) or backwards (dead code, adjoints).

With ``simplify=True`` equal expressions are one node (hash-consing), and the rules of Featherstone (2008), section 10.4
are applied as the nodes are made: constants are folded, ``x * 0``, ``x * 1``, ``x + 0`` disappear, copies never arise,
and code that no output needs is never emitted (`Graph.live`). Since this happens while recording, the large graph of an
unsimplified algorithm never exists.

Zeros in rbdkit's algorithms are structural: a joint axis has a zero component, and everything that is multiplied by it
vanishes. Zeros in a user's functions are numbers: in an `exact` graph, ``0 / x`` and ``0 * x`` are NaN wherever IEEE
754 says so, and a `signed` one keeps the signs of zeros in sums and products, which `signed_zeros.settled` drops again
where nothing depends on them. No mode keeps the sign of a NaN.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, Union

import numpy as np

from rbdkit.trace.lines import Line, is_checked, line_here

Scalar = Union[float, "Symbol"]
"""Type of the numbers in traced functions: a float or a symbol."""

COMMUTATIVE = {"add", "mul", "equal", "and", "or"}
LOGIC = {"and", "or", "not"}
"""Operations on conditions; a number among their operands counts as true where it is not zero."""
CONDITIONS = {"less", "equal"} | LOGIC
"""Operations with conditions as results. All others take and give numbers; a condition as an operand is 1 or 0."""
LEAVES = {"const", "load"}
"""Operations whose operands are not nodes: ("const", value) and ("load", array, index, offset)."""


class Graph:
    """A directed acyclic graph of expressions, its nodes in order of creation: operands stand before their users.

    Parameters
    ----------
    simplify : False records every operation as executed, to count the operations of an unsimplified algorithm.
    exact : whether zeros are numbers with IEEE 754 rules (0 * x may be NaN), not the structure of a mechanism.
    signed : whether sums and products that are zero have the sign that IEEE 754 says.

    Attributes
    ----------
    words : function (symbol, format) that gives the text of a symbol in f-strings; None for the default text.
    nodes : list of ``(operation, operand, ...)``; operands are positions in this list. Operations: add, sub, mul, div,
        neg, copysign, sqrt, sin, cos, less, equal, and, or, not, select, and the leaves const and load.
    scalars : names of the arguments that are plain Python numbers, not elements of arrays.
    lines : source lines of nodes and of stores of a `Block`, in code that is checked; else None.
    for_sign : nodes that were recorded as they are for the sign of a zero alone.
    pivots : divisions by what has any sign where it is zero.
    matrices : function (ufunc, a, b) for sums and products of matrices with known structure, or None; see `Roomy`.
    """

    def __init__(self, simplify: bool = True, exact: bool = False, signed: bool = False) -> None:
        self.simplify, self.exact, self.signed = simplify, exact, signed
        self.for_sign: set[int] = set()
        self.pivots: set[int] = set()
        self.nodes: list[tuple] = []
        self.scalars: frozenset[str] = frozenset()
        self.words: Callable[[Symbol, str], str] | None = None
        self.lines: dict[Hashable, Line | None] | None = {} if is_checked() else None
        self.matrices: Callable[[np.ufunc, Any, Any], Any] | None = None
        self._known: dict[tuple, int] = {}
        self._finite: list[bool] = []
        self._refused = ""

    @contextmanager
    def exactly(self, exact: bool) -> Iterator[None]:
        """Switch `exact` on or off for what is recorded inside."""
        before, self.exact = self.exact, exact
        try:
            yield
        finally:
            self.exact = before

    @contextmanager
    def without_signs(self) -> Iterator[None]:
        """Record what does its own for the signs of zeros, or has none, inside."""
        before, self.signed = self.signed, False
        try:
            yield
        finally:
            self.signed = before

    def refuse(self, why: str) -> NoReturn:
        """Raise `TypeError`: the code needs the value of a symbol, which is not known yet."""
        self._refused = self._refused or why
        raise TypeError(why)

    def require_not_refused(self) -> None:
        """Raise a refusal again that the traced function has caught: with numbers it would take another path."""
        if self._refused:
            raise TypeError(self._refused)

    def node(self, operation: str, *operands: object) -> Symbol:
        """Return the node with this operation and these operands (hash-consing); add it if there is none."""
        key = (operation, *operands)
        kind = Condition if operation in CONDITIONS else Symbol
        if not self.simplify and operation not in LEAVES:
            self.nodes.append(key)
            self.note(len(self.nodes) - 1)
            return kind(self, len(self.nodes) - 1)
        position = self._known.get(key)
        if position is None:
            position = self._known[key] = len(self.nodes)
            self.nodes.append(key)
            if self.lines is not None:
                self.note(position)
        return kind(self, position)

    def note(self, what: Hashable) -> None:
        """Store the source line that records a node or a store, in code that is checked."""
        if self.lines is not None:
            self.lines[what] = line_here()

    def load(self, array: str, index: object, offset: int) -> Symbol:
        """Return the leaf that reads element ``index + offset`` of an array of the program."""
        return self.node("load", array, index, offset)

    def position(self, value: Scalar) -> int:
        """Return the position of a symbol of this graph, or of a constant, which is added if new."""
        if isinstance(value, Symbol):
            self._check_own(value)
            return value.position
        if isinstance(value, SignedZero) and value.sign.graph is self:
            return self._for_sign("copysign", 0.0, value.sign).position
        number = float(value) + 0.0  # -0.0 becomes 0.0, so that both are one constant
        return self.node("const", math.nan if math.isnan(number) else number).position  # and one of all NaN

    def _check_own(self, symbol: Symbol) -> None:
        if symbol.graph is not self:
            raise ValueError(
                f"{symbol!r} belongs to another graph: a value must be loaded again in the block that uses it"
            )

    def apply(self, operation: str, *values: Scalar) -> Symbol:
        """Record an operation on numbers and symbols without simplification (but with hash-consing)."""
        operands = [self.position(value) for value in values]
        if operation == "select":
            operands[0] = self._condition(operands[0])
            operands[1:] = map(self.number, operands[1:])
        else:
            operands = [*map(self._condition if operation in LOGIC else self.number, operands)]
        if self.simplify and operation in COMMUTATIVE:
            # a + b and b + a become one node
            operands.sort()
        return self.node(operation, *operands)

    def number(self, position: int) -> int:
        """Return the position of a node as a number: 1 or 0 for a condition."""
        if self.nodes[position][0] not in CONDITIONS:
            return position
        return self.node("select", position, self.position(1.0), self.position(0.0)).position

    def _condition(self, position: int) -> int:
        """Return the position of a node as a condition: for a number, that it is not zero."""
        if self.nodes[position][0] in CONDITIONS:
            return position
        zero = self.position(0.0)
        return self.node("not", self.node("equal", *sorted((position, zero))).position).position

    def operands(self, position: int) -> tuple[int, ...]:
        """Return the positions of the operands of a node."""
        operation, *operands = self.nodes[position]
        return () if operation in LEAVES else tuple(operands)

    def live(self, outputs: Iterable[int]) -> list[int]:
        """Return the positions of all nodes that the outputs need, in order: dead-code elimination."""
        needed = bytearray(len(self.nodes))
        for position in outputs:
            needed[position] = 1
        # operands stand before their users, so one pass from the end finds all that is needed
        for position in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[position]
            if needed[position] and node[0] not in LEAVES:
                for operand in node[1:]:
                    needed[operand] = 1
        return [position for position, is_needed in enumerate(needed) if is_needed]

    def _negated(self, value: Scalar) -> Symbol | None:
        """Return x if the value is recorded as -x, else None."""
        if isinstance(value, Symbol):
            self._check_own(value)
            node = self.nodes[value.position]
            if node[0] == "neg":
                return Symbol(self, node[1])
        return None

    def add(self, a: Scalar, b: Scalar) -> Scalar:
        """a + b."""
        if self.simplify:
            if _is(a, 0.0) or _is(b, 0.0):
                zero, x = (a, b) if _is(a, 0.0) else (b, a)
                return self._for_sign("add", x, zero) if self.signed and not _is_minus_zero(zero) else x
            if (minus_b := self._negated(b)) is not None:
                # a + (-b) = a - b: the change of sign, which a processor would compute, disappears
                return self.sub(a, minus_b)
            if (minus_a := self._negated(a)) is not None:
                return self.sub(b, minus_a)
        return self.apply("add", a, b)

    def sub(self, a: Scalar, b: Scalar) -> Scalar:
        """a - b."""
        if self.simplify:
            if _is(b, 0.0):
                return self.add(a, -(b + 0.0 if isinstance(b, int) else b)) if self.signed else a  # -0 is for floats
            if _is(a, 0.0):
                return self._for_sign("sub", a, b) if self.signed and not _is_minus_zero(a) else self.neg(b)
            if (minus_b := self._negated(b)) is not None:
                return self.add(a, minus_b)
            if (minus_a := self._negated(a)) is not None:
                # -a - b is 0, and -(a + b) is -0, where they cancel
                return self._for_sign("sub", a, b) if self.signed else self.neg(self.add(minus_a, b))
        return self.apply("sub", a, b)

    def _for_sign(self, operation: str, *values: Scalar) -> Symbol:
        """Record an operation as it is, because its simpler form has another sign where it is zero."""
        found = self.apply(operation, *values)
        self.for_sign.add(found.position)
        return found

    def mul(self, a: Scalar, b: Scalar) -> Scalar:
        """a * b."""
        if self.simplify:
            if _is(a, 0.0) or _is(b, 0.0):
                return self._nothing_of(a, b) if _is(a, 0.0) else self._nothing_of(b, a)
            if not isinstance(a, Symbol):
                # a constant stands second, so that the rules below need to look for it in one place only
                a, b = b, a
            if not isinstance(b, Symbol):
                if b == 1.0:
                    return a
                if b < 0.0:
                    # signs move outwards, to where sums and differences absorb them
                    return self.neg(self.mul(a, -b))
            minus_a, minus_b = self._negated(a), self._negated(b)
            if minus_a is not None and minus_b is not None:
                return self.mul(minus_a, minus_b)
            if minus_a is not None:
                return self.neg(self.mul(minus_a, b))
            if minus_b is not None:
                return self.neg(self.mul(a, minus_b))
        return self.apply("mul", a, b)

    def div(self, a: Scalar, b: Scalar) -> Scalar:
        """a / b."""
        if self.simplify:
            if _is(a, 0.0):
                if self.signed and (isinstance(a, SignedZero) or _is_minus_zero(a)):
                    return self._part_of(b) * (a.sign_alone if isinstance(a, SignedZero) else -1.0)
                return self._part_of(b) if self.exact else 0.0
            if _is(b, 1.0):
                return a
            # the graph has one constant for 0 and -0 (see `position`), so the sign is taken out
            if self.exact and _is_minus_zero(b):
                return self.neg(self.apply("div", a, 0.0))
        return self.apply("div", a, b)

    def _nothing_of(self, zero: Scalar, x: Scalar) -> Scalar:
        """Return 0 * x: zero, or in an `exact` graph NaN where x is infinite or NaN."""
        if not self.exact or not isinstance(x, Symbol):
            return 0.0
        nothing: Scalar = 0.0
        if self.signed:
            sign = self.mul(zero.sign_alone, x) if isinstance(zero, SignedZero) else x
            nothing = SignedZero(self.neg(sign) if _is_minus_zero(zero) else sign)
        if self._is_finite(x.position):
            return nothing
        return self.select(self.apply("less", abs(x), math.inf), nothing, math.nan)

    def _part_of(self, x: Scalar) -> Scalar:
        """Return 0 / x in an `exact` graph: zero with the sign of x, NaN where x is 0 or NaN.

        Written with `select`, to which no later simplification applies.
        """
        size = abs(x)
        return self.select(self.apply("less", 0.0, size), self.apply("copysign", 0.0, x), math.nan)

    def _is_finite(self, position: int) -> bool:
        """Whether a node is finite for all finite arguments, overflow aside."""
        # `_finite` grows along with the nodes, so each of them is examined once
        for operation, *operands in self.nodes[len(self._finite) : position + 1]:
            if operation == "const":
                found = math.isfinite(operands[0])
            elif operation == "div":
                # 0 / 0 and x / 0 are not finite, and only of a constant is it known that it is not 0
                by = self.nodes[operands[1]]
                found = self._finite[operands[0]] and by[0] == "const" and by[1] != 0.0
            else:
                # of the other operations, a root alone (of a negative number) makes NaN of finite operands
                found = operation == "load" or (operation != "sqrt" and all(self._finite[k] for k in operands))
            self._finite.append(found)
        return self._finite[position]

    def neg(self, a: Scalar) -> Scalar:
        """-a."""
        if self.simplify:
            if not isinstance(a, Symbol):
                return -a
            if (minus_a := self._negated(a)) is not None:
                return minus_a
        return self.apply("neg", a)

    def select(self, condition: bool | Symbol, a: Scalar, b: Scalar) -> Scalar:
        """Return a where the condition holds, else b; both are computed."""
        if self.simplify and isinstance(condition, bool):
            return a if condition else b
        if isinstance(a, TRUTHS) and isinstance(b, TRUTHS):
            # a choice between truth values is logic, and has to remain a condition
            return self.either(self.both(condition, a), self.both(self.opposite(condition), b))
        if self.exact and self.simplify and (_is_minus_zero(a) or _is_minus_zero(b)):  # -0 is 0 as a constant
            if _is(a, 0.0) and _is(b, 0.0):
                return SignedZero(
                    self.select(condition, *(x if isinstance(x, SignedZero) else math.copysign(1.0, x) for x in (a, b)))
                )
            return self.neg(self.select(condition, -a, -b))
        return self.apply("select", condition, a, b)

    def both(self, a: bool | Symbol, b: bool | Symbol) -> bool | Symbol:
        """Whether both conditions hold."""
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Symbol):
                return other if one else False
        return self.apply("and", a, b)

    def either(self, a: bool | Symbol, b: bool | Symbol) -> bool | Symbol:
        """Whether one of two conditions holds, or both."""
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Symbol):
                return True if one else other
        return self.apply("or", a, b)

    def opposite(self, a: bool | Symbol) -> bool | Symbol:
        """Whether a condition does not hold."""
        return self.apply("not", a) if isinstance(a, Symbol) else not a


def _is(value: Scalar, number: float) -> bool:
    return not isinstance(value, Symbol) and value == number


def _is_minus_zero(value: Scalar) -> bool:
    """Whether a number is known to be -0."""
    return _is(value, 0.0) and not isinstance(value, SignedZero) and math.copysign(1.0, value) < 0.0


def no_words(symbol: Symbol, form: str) -> NoReturn:
    """Refuse to format a symbol as text: `Graph.words` while a function is traced, which might branch on the text."""
    raise TypeError("a symbol has no value yet that could be formatted as a text")


class Symbol:
    """A number that is not known yet: the value of one node of a graph.

    Arithmetic, comparisons and NumPy's functions of one number (`numpy.sin`, `numpy.exp`, ...) work on symbols, alone
    and as elements of object arrays. Code cannot branch on one: use `select`.
    """

    __slots__ = ("graph", "position")

    def __init__(self, graph: Graph, position: int) -> None:
        self.graph = graph
        self.position = position

    def __add__(self, other: Scalar) -> Scalar:
        return self.graph.add(self, other) if isinstance(other, NUMBERS) else NotImplemented

    def __radd__(self, other: Scalar) -> Scalar:
        return self.graph.add(other, self)

    def __sub__(self, other: Scalar) -> Scalar:
        return self.graph.sub(self, other) if isinstance(other, NUMBERS) else NotImplemented

    def __rsub__(self, other: Scalar) -> Scalar:
        return self.graph.sub(other, self)

    def __mul__(self, other: Scalar) -> Scalar:
        return self.graph.mul(self, other) if isinstance(other, NUMBERS) else NotImplemented

    def __rmul__(self, other: Scalar) -> Scalar:
        return self.graph.mul(other, self)

    def __truediv__(self, other: Scalar) -> Scalar:
        return self.graph.div(self, other) if isinstance(other, NUMBERS) else NotImplemented

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return self.graph.div(other, self)

    def __neg__(self) -> Scalar:
        return self.graph.neg(self)

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Scalar:
        if self.graph.exact:
            return self.graph.apply("copysign", self, 1.0)  # of zeros with a sign, too; in mechanics slopes at 0 count
        return self.graph.select(self < 0.0, -self, self)

    def __pow__(self, exponent: Scalar) -> Scalar:
        return _power(self, exponent) if isinstance(exponent, NUMBERS) else NotImplemented

    def __rpow__(self, base: Scalar) -> Scalar:
        return _power(base, self)

    def __mod__(self, other: Scalar) -> Any:
        return np.remainder(self, other)  # type: ignore[call-overload]

    def __rmod__(self, other: Scalar) -> Any:
        return np.remainder(other, self)  # type: ignore[call-overload]

    def __floordiv__(self, other: Scalar) -> Any:
        return np.floor_divide(self, other)  # type: ignore[call-overload]

    def __rfloordiv__(self, other: Scalar) -> Any:
        return np.floor_divide(other, self)  # type: ignore[call-overload]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from rbdkit.trace.arrays import apply  # which needs this class

        return apply(ufunc, method, *inputs, **options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        from rbdkit.trace.arrays import told  # which needs this class

        return told(function, inputs, options)

    def clip(self, low: Any, high: Any, out: None = None) -> Any:
        """Limit the symbol to the interval from low to high; `numpy.clip` calls it."""
        x: Any = self
        return np.minimum(np.maximum(x, low), high)

    def __eq__(self, other: object) -> NoReturn:
        self.graph.refuse("whether symbols are equal is not known before they have values; use rbdkit.trace.equal")

    def __hash__(self) -> int:
        self.graph.refuse(
            "a set or a dictionary would ask for the value of a symbol, which is not known yet; use rbdkit.trace.select"
        )

    def __lt__(self, other: Scalar) -> Symbol:
        return self.graph.apply("less", self, other)

    def __gt__(self, other: Scalar) -> Symbol:
        return self.graph.apply("less", other, self)

    # not the opposite of ">": of NaN neither holds

    def __le__(self, other: Scalar) -> Symbol:
        return self.graph.apply("or", self < other, self.graph.apply("equal", self, other))

    def __ge__(self, other: Scalar) -> Symbol:
        return self.graph.apply("or", self > other, self.graph.apply("equal", self, other))

    def sin(self) -> Symbol:
        """Sine; `numpy.sin` calls it."""
        return self.graph.apply("sin", self)

    def cos(self) -> Symbol:
        """Cosine; `numpy.cos` calls it."""
        return self.graph.apply("cos", self)

    def sqrt(self) -> Symbol:
        """Square root; `numpy.sqrt` calls it."""
        return self.graph.apply("sqrt", self)

    def __bool__(self) -> NoReturn:
        self.graph.refuse("a traced function cannot branch on a symbol, its value is not known yet; use numpy.where")

    def __float__(self) -> NoReturn:
        raise TypeError(  # NumPy asks for it to find out what it has, and goes on without
            "a symbol has no value yet; use numpy.sin, numpy.cos, numpy.sqrt in place of those of math, "
            "numpy.zeros_like of an argument in place of numpy.zeros, and numpy.interp or a table of samples in place "
            "of what asks for numbers, such as splines of SciPy"
        )

    def __format__(self, form: str) -> str:
        return super().__format__(form) if self.graph.words is None else self.graph.words(self, form)

    def __repr__(self) -> str:
        if self.graph.words is no_words:
            no_words(self, "")
        operation, *operands = self.graph.nodes[self.position]
        return f"<Symbol {self.position}: {operation} {', '.join(map(str, operands))}>"


class SignedZero(float):
    """A zero with the sign of a symbol, such as 0 * x: a number that is known, up to its sign.

    Arithmetic and `copysign` keep the sign; NumPy's functions of one number take it for 0.

    Attributes
    ----------
    sign : symbol with the sign of the zero.
    """

    sign: Symbol

    def __new__(cls, sign: Any) -> Any:
        """Return a zero with the sign of a symbol, a plain one with that of a number."""
        if not isinstance(sign, Symbol):
            return math.copysign(0.0, sign)
        zero = super().__new__(cls, 0.0)
        zero.sign = sign
        return zero

    @property
    def sign_alone(self) -> Symbol:
        """1 or -1."""
        return self.sign.graph.apply("copysign", 1.0, self.sign)

    def __neg__(self) -> Any:
        return SignedZero(-self.sign)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, SignedZero):  # negative where both are
            return SignedZero(self.sign.graph.select(self.sign_alone < 0.0, other.sign, self.sign_alone))
        # IEEE 754: x + -0 is x for zeros of both signs, and zeros of opposite signs add up to +0
        return self if _is_minus_zero(other) else super().__add__(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, float | int) else super().__sub__(other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, SignedZero):
            return SignedZero(self.sign_alone * other.sign_alone)
        # 0 times infinity or NaN is NaN, which float computes
        if isinstance(other, float | int) and math.isfinite(other):
            return -self if math.copysign(1.0, other) < 0.0 else self
        return super().__mul__(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, float | int) and other != 0.0 and not math.isnan(other):
            return self * math.copysign(1.0, other)
        return super().__truediv__(other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.sign.graph.div(other, self) if isinstance(other, float | int) else super().__rtruediv__(other)


class Condition(Symbol):
    """A truth value that is not known yet: the result of a comparison. In arithmetic it behaves like `numpy.bool_`."""

    __slots__ = ()

    def number(self) -> Symbol:
        """Return 1 where the condition holds, else 0."""
        return Symbol(self.graph, self.graph.number(self.position))

    def _with(self, ufunc: np.ufunc, *operands: Any) -> Any:
        """Apply an arithmetic ufunc: by NumPy's rules with known truth values and whole numbers, else as 1 or 0."""
        if all(isinstance(x, (*TRUTHS, int, np.integer)) for x in operands):
            return of_conditions(ufunc, *operands)
        if not all(isinstance(x, NUMBERS) for x in operands):
            return NotImplemented
        return ARITHMETIC[ufunc](*(x.number() if isinstance(x, Condition) else x for x in operands))

    def __add__(self, other: Any) -> Any:
        return self._with(np.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._with(np.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._with(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with(np.subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._with(np.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._with(np.multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._with(np.true_divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(np.true_divide, other, self)

    def __pow__(self, other: Any) -> Any:
        return self._with(np.power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._with(np.power, other, self)

    def __mod__(self, other: Any) -> Any:
        return self._with(np.remainder, self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._with(np.remainder, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._with(np.floor_divide, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._with(np.floor_divide, other, self)

    def __and__(self, other: Any) -> Any:
        return of_conditions(np.bitwise_and, self, other) if isinstance(other, TRUTHS) else NotImplemented

    def __or__(self, other: Any) -> Any:
        return of_conditions(np.bitwise_or, self, other) if isinstance(other, TRUTHS) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return of_conditions(np.bitwise_xor, self, other) if isinstance(other, TRUTHS) else NotImplemented

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        return of_conditions(np.invert, self)

    def __neg__(self) -> Any:
        return of_conditions(np.negative, self)

    def __pos__(self) -> Any:
        return of_conditions(np.positive, self)

    def __abs__(self) -> Any:
        return self


TRUTHS = (Condition, bool, np.bool_)
"""Types of truth values, known or not."""
ARITHMETIC: dict[np.ufunc, Callable[..., Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.true_divide: operator.truediv,
    np.power: operator.pow, np.remainder: operator.mod, np.floor_divide: operator.floordiv,
}  # fmt: skip
"""Python operators of NumPy's arithmetic ufuncs."""
OF_TRUTH: dict[np.ufunc, Callable[..., bool | Symbol]] = {
    np.add: Graph.either, np.bitwise_or: Graph.either, np.logical_or: Graph.either, np.maximum: Graph.either,
    np.multiply: Graph.both, np.bitwise_and: Graph.both, np.logical_and: Graph.both, np.minimum: Graph.both,
    np.invert: Graph.opposite, np.logical_not: Graph.opposite,
}  # fmt: skip
"""Logical operations that NumPy's ufuncs perform on truth values."""
OTHERWISE_IN_PYTHON = {np.add, np.subtract, np.negative, np.positive, np.invert}
"""Operators that differ between Python's and NumPy's truth values: True + True is 2 in Python and True in NumPy."""


def of_conditions(ufunc: np.ufunc, *operands: Any) -> Any:
    """Apply a ufunc to conditions, truth values and whole numbers, by a table of NumPy's results for all cases.

    Raises
    ------
    TypeError
        If NumPy refuses them, if its result has less than double precision, or if Python's own truth values would give
        another result and these may be such.
    """
    unknown = [x for x in operands if isinstance(x, Condition)]
    graph = unknown[0].graph
    logical = all(isinstance(x, TRUTHS) for x in operands)
    if logical and ufunc in OTHERWISE_IN_PYTHON and any(_of_plain_numbers(x) for x in unknown):
        raise TypeError(
            f"numpy.{ufunc.__name__} of a condition is something else in Python than in NumPy, and this one may be of "
            "either; multiply it by 1.0 if a number is meant, or use numpy.logical_or, numpy.logical_not"
        )
    if logical and ufunc in OF_TRUTH:
        return OF_TRUTH[ufunc](graph, *operands)
    cases = {}
    with np.errstate(all="ignore"):
        # NumPy itself is asked for each of the few combinations: types and results are then right by construction
        for case in itertools.product((True, False), repeat=len(unknown)):
            values = iter(case)
            cases[case] = ufunc(*(np.bool_(next(values)) if isinstance(x, Condition) else x for x in operands))
    kind = np.asarray(next(iter(cases.values()))).dtype
    if kind not in (np.bool_, np.float64, np.int64):
        raise TypeError(
            f"numpy.{ufunc.__name__} of a condition is computed in {kind} by NumPy; multiply the condition by 1.0 first"
        )
    found = _by_cases(graph, unknown, {case: float(value) for case, value in cases.items()})
    # the value is 1.0 or 0.0, and has to become a condition again
    return graph.apply("less", 0.5, found) if kind == np.bool_ else found


def _by_cases(graph: Graph, conditions: Sequence[Condition], values: Mapping[tuple[bool, ...], float]) -> Scalar:
    """Return the value of the case that applies, as nested selections over the conditions."""
    if not conditions:
        return values[()]
    first, *others = conditions
    holds, does_not = (
        _by_cases(graph, others, {case[1:]: x for case, x in values.items() if case[0] is way}) for way in (True, False)
    )
    return graph.select(first, holds, does_not)


def _of_plain_numbers(condition: Condition) -> bool:
    """Whether a condition depends on plain Python numbers only, not on elements of arrays."""
    nodes = condition.graph.nodes
    leaves = [nodes[k] for k in condition.graph.live([condition.position]) if nodes[k][0] == "load"]
    return all(leaf[1] in condition.graph.scalars for leaf in leaves)


NUMBERS = (Symbol, float, int, np.number, np.bool_)
"""Types that operators of symbols accept; any other operand, such as an array, gets the chance to handle the symbol."""


def _power(x: Scalar, y: Scalar) -> Scalar:
    from rbdkit.trace.exponentials import power  # which needs symbols

    with (x if isinstance(x, Symbol) else y).graph.without_signs():  # type: ignore[union-attr]
        return power(*(0.0 if isinstance(z, SignedZero) else z for z in (x, y)))
