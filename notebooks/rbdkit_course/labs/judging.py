"""Judge a student's own algorithm on many mechanisms, and name its mistake.

A wrong algorithm is compared with the right one into which mistakes were planted, one at a time and two at a time. The
mistake whose numbers are those of the student *on every machine* is the one that is named.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rbdkit.algorithms
import rbdkit.functions
from rbdkit_course.answers import brief, call, numbers
from rbdkit_course.verdict import Verdict, right, wrong

Planted = frozenset[str]
NOTHING: Planted = frozenset()
LIBRARY = tuple(
    found
    for module in (rbdkit.functions, rbdkit.algorithms)
    for name in module.__all__
    if isinstance(found := getattr(module, name), types.FunctionType)
)
"""Functions that a student's algorithm may not call: all public ones of the library."""
CLOSE = 1e-8
"""Tolerance relative to the largest number: far above the round-off of all machines of the labs, far below mistakes."""


@dataclass(frozen=True)
class Case:
    """A machine in a state, as the student's function gets it.

    Attributes
    ----------
    name : str
        Its name, for sentences with "on ...".
    arguments : tuple
        Arguments of the function, which gets copies.
    """

    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Task:
    """A function that the student is to write, and how to judge it.

    Attributes
    ----------
    returns : str
        Description of the result, for the message to those whose function returns something else.
    cases : sequence of Case
        Cases on which it is tried, the simple ones first.
    algorithm : callable
        ``(planted, *arguments) -> array``: the right algorithm, with the mistakes named in `planted` put in.
    mistakes : mapping
        Explanation of each mistake that can be planted, the likelier ones first.
    exact : callable, optional
        Independent computation of the right result; ``algorithm`` without mistakes if not given.
    own : sequence of callable, optional
        Functions that may not be called.
    where : callable, optional
        ``(case, index) -> str``: words for the joint or body that a number of the result belongs to.
    """

    returns: str
    cases: Sequence[Case]
    algorithm: Callable[..., NDArray]
    mistakes: Mapping[str, str]
    exact: Callable[..., NDArray] | None = None
    own: Sequence[Callable[..., Any]] = LIBRARY
    where: Callable[[Case, tuple[int, ...]], str] | None = None

    def fault(self, function: Any) -> Verdict | None:
        """Return None if the function is right in all cases, else a verdict that explains what is wrong."""
        found: list[NDArray] = []
        exact: list[NDArray] = []
        for case in self.cases:
            result, fault = call(function, *map(_copied, case.arguments), own=self.own)
            if fault:
                return wrong(f"on {case.name}: {fault}")
            exact.append(np.asarray((self.exact or self._unspoilt)(*case.arguments), dtype=float))
            if result is None:
                return wrong(f"on {case.name} it returns nothing: is its last line, `return`, forgotten?")
            answer = _answer(result, exact[-1].shape)
            if answer is None and _not_finite(result):
                return wrong(
                    f"on {case.name} there is a NaN or an infinite number in it: is something divided by zero?"
                )
            if answer is None:
                return wrong(f"on {case.name} it should return {self.returns}; it returned {brief(result)}.")
            found.append(answer)
        bad = [k for k in range(len(exact)) if not close(found[k], exact[k])]
        if not bad:
            return None
        if named := self._named(found, exact):
            return wrong(f"on {self.cases[bad[0]].name}: {named}")
        if not any(answer.any() for answer in found):
            return wrong("there is nothing but zeros yet: write it, and run both cells again.")
        return wrong(self._place(self.cases[bad[0]], found[bad[0]], exact[bad[0]]))

    def verdict(self, function: Any, praise: str) -> Verdict:
        """Return a verdict with the praise if the function is right in all cases, else one that explains the fault."""
        fault = self.fault(function)
        return right(praise) if fault is None else fault

    def _unspoilt(self, *arguments: Any) -> NDArray:
        return self.algorithm(NOTHING, *arguments)

    def _named(self, found: Sequence[NDArray], right: Sequence[NDArray]) -> str:
        """Explain the mistake, or the two mistakes, that give all the numbers found; '' if none do."""
        for together in (1, 2):
            for some in combinations(self.mistakes, together):
                if self._explains(frozenset(some), found, right):
                    return " And: ".join(self.mistakes[each] for each in some)
        return ""

    def _explains(self, planted: Planted, found: Sequence[NDArray], right: Sequence[NDArray]) -> bool:
        differs = False
        for case, answer, exact in zip(self.cases, found, right, strict=True):
            try:
                with np.errstate(all="ignore"):
                    spoilt = np.asarray(self.algorithm(planted, *case.arguments), dtype=float)
            except (ArithmeticError, np.linalg.LinAlgError):  # two mistakes together may leave nothing to compute
                return False
            if not close(answer, spoilt):
                return False
            differs |= not close(spoilt, exact)
        return differs

    def _place(self, case: Case, found: NDArray, right: NDArray) -> str:
        """Describe the first wrong number of a result."""
        off = np.abs(found - right) > CLOSE * max(1.0, float(np.abs(right).max()))
        k = tuple(int(x) for x in np.argwhere(off)[0]) if off.ndim else ()
        whose = f" ({self.where(case, k)})" if self.where else ""
        name = f"number {k[0]}" if len(k) == 1 else f"entry {k}" if k else "it"
        known = [f"{int((~off).sum())} of {off.size} numbers are right"] if off.size > 1 and not off.all() else []
        digits = next((n for n in range(5, 17) if f"{found[k]:.{n}g}" != f"{right[k]:.{n}g}"), 17)
        told = f"on {case.name} {name}{whose} is {found[k]:.{digits}g}, and should be {right[k]:.{digits}g}"
        doubt = " Does it stop too early, or is a number given with few digits?" if digits > 5 else ""
        return "; ".join([told, *known]) + "." + doubt


def close(found: NDArray, exact: NDArray) -> bool:
    """Whether two results agree but for rounding."""
    if not np.isfinite(found).all():
        return False
    return bool(np.abs(found - exact).max(initial=0.0) <= CLOSE * max(1.0, float(np.abs(exact).max(initial=0.0))))


def _not_finite(result: Any) -> bool:
    try:
        return not bool(np.isfinite(np.asarray(result, dtype=float)).all())
    except (TypeError, ValueError):
        return False


def _copied(argument: Any) -> Any:
    """Copy an array, so that the student's function may overwrite it."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def _answer(result: Any, shape: tuple[int, ...]) -> NDArray | None:
    """Read the result, or the first of several: a student's function may return more than was asked for."""
    found = numbers(result, *shape)
    return numbers(result[0], *shape) if found is None and isinstance(result, tuple) and result else found
