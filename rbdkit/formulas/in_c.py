"""A formula as C: a header and a source file, C99, without allocation or state."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from rbdkit.atomic_write import write_file
from rbdkit.formulas.formula import Argument, Formula
from rbdkit.formulas.written import assignments, roundings

EXPRESSIONS = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "neg": "-{}",
    "sqrt": "sqrt({})", "sin": "sin({})", "cos": "cos({})", "copysign": "copysign({}, {})",
    "less": "{} < {}", "equal": "{} == {}", "and": "({} != 0) && ({} != 0)", "or": "({} != 0) || ({} != 0)",
    "not": "!{}", "select": "{} ? {} : {}", "round": "rint({})",
}  # fmt: skip
RESERVED = frozenset({
    "auto", "break", "case", "char", "const", "continue", "copysign", "cos", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "result", "return",
    "rint", "short", "signed", "sin", "sizeof", "sqrt", "static", "struct", "switch", "typedef", "union", "unsigned",
    "void", "volatile", "while",
})  # fmt: skip
"""Names that arguments cannot have in C; they get an underscore."""


@dataclass(frozen=True, eq=False)
class CSource:
    """An exported function as C99.

    Attributes
    ----------
    name : str
        Of the function, and of the files.
    header, source : str
        Text of the two files.
    arguments : tuple of Argument
        In order; the result is the last argument of the C function, row by row.
    shape : tuple of int
        Of the result.
    """

    name: str
    header: str
    source: str
    arguments: tuple[Argument, ...]
    shape: tuple[int, ...]

    def save(self, folder: str | Path = ".") -> tuple[Path, Path]:
        """Write ``name.h`` and ``name.c`` into a folder and return their paths."""
        header, source = Path(folder, f"{self.name}.h"), Path(folder, f"{self.name}.c")
        write_file(header, self.header)
        write_file(source, self.source)
        return header, source


def in_c(formula: Formula) -> CSource:
    """Write a formula in C."""
    scalars = {x.name for x in formula.arguments if x.shape == ()}
    own = {x.name: f"{x.name}_" if x.name in RESERVED else x.name for x in formula.arguments}
    lines, results = assignments(
        formula,
        EXPRESSIONS,
        number=_number,
        element=lambda name, k: own[name] if name in scalars else f"{own[name]}[{k}]",
    )
    graph = formula.trace.graph
    truths = {"less", "equal", "and", "or", "not"}
    live = [graph.nodes[k][0] for k in roundings(graph, graph.live(formula.trace.positions()))[1]]
    kinds = ["int" if operation in truths else "double" for operation in live if operation not in ("const", "load")]
    size = math.prod(formula.shape)
    parameters = [
        f"double {own[x.name]}" if x.shape == () else f"const double {own[x.name]}[{x.size}]" for x in formula.arguments
    ]
    signature = f"void {formula.name}({', '.join([*parameters, f'double result[{size}]'])})"
    what = [
        f" * {own[x.name]}: {', '.join(f'{k} {_in_comment(entry)}' for k, entry in enumerate(x.entries))}"
        for x in formula.arguments
        if x.entries
    ]
    header = "\n".join([
        f"/* {formula.about.capitalize()}; written by rbdkit.",
        " *",
        *what,
        f" * result: shape {formula.shape}, row by row",
        " */",
        f"#ifndef {formula.name.upper()}_H",
        f"#define {formula.name.upper()}_H",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"{signature};",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ])  # fmt: skip
    source = "\n".join([
        f'#include "{formula.name}.h"',
        "",
        "#include <math.h>",
        "",
        signature,
        "{",
        *(f"    const {kind} {name} = {text};" for kind, (name, text) in zip(kinds, lines, strict=True)),
        *(f"    result[{k}] = {text};" for k, text in enumerate(results)),
        "}",
    ])  # fmt: skip
    return CSource(formula.name, header + "\n", source + "\n", formula.arguments, formula.shape)


def _in_comment(name: str) -> str:
    """Return a name that neither ends nor begins a comment."""
    return name.replace("*/", "* /").replace("/*", "/ *")


def _number(x: float) -> str:
    if math.isnan(x):
        return "NAN"
    if math.isinf(x):
        return "INFINITY" if x > 0.0 else "(-INFINITY)"
    return repr(x) if x >= 0.0 else f"({x!r})"
