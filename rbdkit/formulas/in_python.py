"""A formula as Python source that needs the standard library alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.atomic_write import write_file
from rbdkit.errors import StateError
from rbdkit.formulas.formula import Argument, Formula
from rbdkit.formulas.written import assignments
from rbdkit.spatial.read_numbers import floats

EXPRESSIONS = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "neg": "-{}",
    "sqrt": "sqrt({})", "sin": "sin({})", "cos": "cos({})", "copysign": "copysign({}, {})",
    "less": "{} < {}", "equal": "{} == {}", "and": "{} and {}", "or": "{} or {}", "not": "not {}",
    "select": "{1} if {0} else {2}",
}  # fmt: skip
# where a choice is made both sides are computed, and the one that is not taken may divide by zero
WITH_CHOICES = EXPRESSIONS | {"div": "_divide({}, {})", "sqrt": "_root({})"}
HELPERS = '''

def _divide(a, b):
    """a / b, and infinity or NaN where b is zero, as in other languages."""
    return a / b if b else (a * copysign(inf, b) if a else nan)


def _root(x):
    """The square root, NaN of negative numbers."""
    return sqrt(x) if x >= 0.0 else nan
'''


@dataclass(frozen=True, eq=False)
class PythonSource:
    """An exported function as Python source.

    Call it with numbers or lists, as the source would be called; it returns an array, while the function in the source
    returns a flat list, or a number.

    Attributes
    ----------
    name : str
        Of the function.
    source : str
        A module that imports from `math` alone.
    arguments : tuple of Argument
        In order.
    shape : tuple of int
        Of the result.
    """

    name: str
    source: str
    arguments: tuple[Argument, ...]
    shape: tuple[int, ...]

    @cached_property
    def _function(self) -> Callable[..., Any]:
        scope: dict[str, Any] = {}
        exec(compile(self.source, f"<{self.name}>", "exec"), scope)
        found: Callable[..., Any] = scope[self.name]
        return found

    def __call__(self, *given: ArrayLike) -> Any:
        """Evaluate the function."""
        return np.array(self._function(*flat_arguments(self.name, self.arguments, given))).reshape(self.shape)

    def save(self, path: str | Path) -> Path:
        """Write the source to a file and return its path."""
        write_file(path, self.source)
        return Path(path)


def flat_arguments(name: str, arguments: tuple[Argument, ...], given: tuple[ArrayLike, ...]) -> list[Any]:
    """Return arguments as flat lists and numbers, checked.

    Raises
    ------
    StateError
        If there are too many or too few, or one has another shape.
    """
    if len(given) != len(arguments):
        names = ", ".join(x.name for x in arguments)
        raise StateError(f"{name} takes {names}; it was given {len(given)} arguments")
    found: list[Any] = []
    for argument, value in zip(arguments, given, strict=True):
        array = floats(value, f"{argument.name} {{}} is no array of numbers".format, StateError)
        if array.shape != argument.shape:
            raise StateError(f"{argument.name} has shape {array.shape}; {name} takes {argument.shape}")
        found.append(array.ravel().tolist() if argument.shape else float(array))
    return found


def in_python(formula: Formula) -> PythonSource:
    """Write a formula in Python."""
    scalars = {x.name for x in formula.arguments if x.shape == ()}
    choices = any(node[0] == "select" for node in formula.trace.graph.nodes)
    lines, results = assignments(
        formula,
        WITH_CHOICES if choices else EXPRESSIONS,
        number=repr,
        element=lambda name, k: name if name in scalars else f"{name}[{k}]",
    )
    entries = [
        f"    {x.name}: {', '.join(f'{k} {_in_docstring(entry)}' for k, entry in enumerate(x.entries)) or x.shape}"
        for x in formula.arguments
    ]
    result = results[0] if formula.shape == () else f"[{', '.join(results)}]"
    source = "\n".join([
        f'"""{formula.about.capitalize()}; written by rbdkit."""',
        "",
        "from math import copysign, cos, inf, nan, sin, sqrt",
        *(HELPERS.splitlines() if choices else []),
        "",
        "",
        f"def {formula.name}({', '.join(x.name for x in formula.arguments)}):",
        f'    """Return the {formula.about}; shape {formula.shape}, row by row.',
        "",
        *entries,
        '    """',
        *(f"    {name} = {text}" for name, text in lines),
        f"    return {result}",
    ])  # fmt: skip
    return PythonSource(formula.name, source + "\n", formula.arguments, formula.shape)


def _in_docstring(name: str) -> str:
    """Return a name that does not end the text around it."""
    return name.replace("\\", "\\\\").replace('"', '\\"')
