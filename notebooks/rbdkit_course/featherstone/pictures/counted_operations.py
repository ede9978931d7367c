"""Operations of spatial arithmetic in several representations, executed on symbols, counted and listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rbdkit.errors import StateError
from rbdkit.spatial.compact import AxialRotation, AxialScrew, Matrix, Symmetric, abi, abi_z, fv, mv, plx, rbi, rotation
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Operations, Trace, trace

MATRICES, COMPACT, ABOUT_X, ABOUT_Z = WAYS = ("matrices", "compact", "screw about x", "screw about z")
"""Representations. For operations on 3x3 matrices the first is the plain product, and a screw only its rotation."""

Function = Callable[..., Any]


def _square(name: str, n: int) -> tuple[str, ...]:
    return tuple(f"{name}{i}{j}" for i in range(1, n + 1) for j in range(1, n + 1))


def _lower(name: str) -> tuple[str, ...]:
    return tuple(f"{name}{p}" for p in ("11", "21", "31", "22", "32", "33"))


def _screw(axis: str) -> Function:
    return lambda x: AxialScrew(AxialRotation(axis, *x[:6]), x[6])


def _matrix(x: Any) -> Matrix:
    return Matrix.of(x.tolist())


KINDS: dict[str, tuple[tuple[str, ...], Function]] = {
    "v": (("ωx", "ωy", "ωz", "vx", "vy", "vz"), lambda x: x),
    "X": (_square("X", 6), lambda x: x.reshape(6, 6)),
    "A": (_square("A", 6), lambda x: x.reshape(6, 6)),
    "mv": (("ωx", "ωy", "ωz", "vx", "vy", "vz"), mv.of),
    "fv": (("nx", "ny", "nz", "fx", "fy", "fz"), fv.of),
    "plx": ((*_square("E", 3), "rx", "ry", "rz"), plx.of),
    "rbi": (("m", "hx", "hy", "hz", *_lower("I")), rbi.of),
    "abi": ((*_lower("M"), *_square("H", 3), *_lower("I")), abi.of),
    "abi_z": ((*_lower("M"), *_square("H", 3)[:6], "I11", "I21", "I22"), abi_z.of),
    ABOUT_X: (("c", "s", "cs", "s²", "2cs", "c²−s²", "d"), _screw("x")),
    ABOUT_Z: (("c", "s", "cs", "s²", "2cs", "c²−s²", "d"), _screw("z")),
    "E": (_square("E", 3), _matrix),
    "A3": (_square("A", 3), _matrix),
    "lt": (_lower("A"), lambda x: Symmetric(x.tolist())),
}
"""Names of the scalars of each argument, in the order in which they are stored, and what is made of them."""


@dataclass(frozen=True)
class Way:
    """One way to do an operation. kinds : types of its arguments. printed : its cost in the book."""

    function: Function
    kinds: tuple[str, ...]
    printed: str


def _applied(kind: str, printed: str, screws: str, on_screws: str = "") -> dict[str, Way]:
    """Ways of X v or X^T I X in compact form. printed : cost with a general transform. screws : with axial screws."""
    word = "apply" if kind in ("mv", "fv") else "inv_apply"
    prices = dict(zip((ABOUT_X, ABOUT_Z), screws.split("; "), strict=True))

    def function(X: Any, x: Any) -> Any:
        return getattr(X, word)(x)

    ways = {COMPACT: Way(function, ("plx", kind), printed)}
    return ways | {about: Way(function, (about, on_screws or kind), price) for about, price in prices.items()}


def _of_matrices(function: Function, *kinds: str, printed: str) -> dict[str, Way]:
    return {MATRICES: Way(function, kinds, printed)}


def _product(A: Any, B: Any) -> Any:
    return A @ B


_TIMES_VECTOR = _of_matrices(_product, "X", "v", printed="36m + 30a")
_BOTH_SIDES = _of_matrices(lambda X, A: X.T @ A @ X, "X", "A", printed="432m + 360a")
_TURNED = _of_matrices(lambda E, A: E @ A @ E.T, "E", "A3", printed="54m + 36a")

CATALOGUE: dict[str, dict[str, Way]] = {
    "X v": _TIMES_VECTOR | _applied("mv", "24m + 18a", "10m + 6a; 10m + 6a"),
    "X* f": _TIMES_VECTOR | _applied("fv", "24m + 18a", "10m + 6a; 10m + 6a"),
    "Xᵀ I X": _BOTH_SIDES | _applied("rbi", "52m + 56a", "16m + 15a; 16m + 15a"),
    "Xᵀ Iᴬ X": _BOTH_SIDES | _applied("abi", "137m + 137a", "38m + 40a; 38m + 40a"),
    "Xᵀ Iᵃ X": _BOTH_SIDES | _applied("abi", "137m + 137a", "32m + 28a; 28m + 34a", "abi_z"),
    "X₁ X₂": _of_matrices(_product, "X", "A", printed="216m + 180a")
    | {COMPACT: Way(_product, ("plx", "plx"), "33m + 24a")},
    "v · f": _of_matrices(dot, "v", "v", printed="6m + 5a")
    | {COMPACT: Way(lambda v, f: v.dot(f), ("mv", "fv"), "6m + 5a")},
    "v × w": _TIMES_VECTOR | {COMPACT: Way(lambda v, w: v.cross(w), ("mv", "mv"), "18m + 12a")},
    "v ×* f": _TIMES_VECTOR | {COMPACT: Way(lambda v, f: v.cross(f), ("mv", "fv"), "18m + 12a")},
    "I v": _TIMES_VECTOR | {COMPACT: Way(_product, ("rbi", "mv"), "24m + 18a")},
    "Iᴬ v": _TIMES_VECTOR | {COMPACT: Way(_product, ("abi", "mv"), "36m + 30a")},
    "E F": _of_matrices(_product, "E", "A3", printed="27m + 18a")
    | {COMPACT: Way(rotation.product, ("E", "A3"), "24m + 15a")},
    "E A Eᵀ": _TURNED
    | {COMPACT: Way(rotation.rotate, ("E", "A3"), "40m + 39a")}
    | {w: Way(lambda X, A: X.E.general(A), (w, "A3"), "12m + 12a") for w in (ABOUT_X, ABOUT_Z)},
    "E A Eᵀ, A = Aᵀ": _TURNED
    | {COMPACT: Way(rotation.rotate_symmetric, ("E", "lt"), "28m + 29a")}
    | {w: Way(lambda X, A: X.E.symmetric(A), (w, "lt"), "8m + 7a") for w in (ABOUT_X, ABOUT_Z)},
}
"""Operations by name, each with its ways by representation."""


@dataclass(frozen=True)
class Counted:
    """Record of an operation that was executed. lines : 'mul' or 'add' with the assignment as text, in order."""

    operations: Operations
    lines: tuple[tuple[str, str], ...]


@lru_cache(maxsize=64)
def counted(operation: str, way: str) -> Counted:
    """Execute an operation of the catalogue on symbols.

    Raises
    ------
    StateError
        If it cannot be done this way.
    """
    ways = CATALOGUE[operation]
    if way not in ways:
        raise StateError(f"no transform in {operation}, so no screw can stand for it: choose {' or '.join(ways)}.")
    function, kinds = ways[way].function, ways[way].kinds
    names = [f"{k}" for k in range(len(kinds))]
    sizes = [len(KINDS[kind][0]) for kind in kinds]

    def run(*arguments: Any) -> Any:
        result = function(*(KINDS[kind][1](x) for kind, x in zip(kinds, arguments, strict=True)))
        flat = getattr(result, "flat", None)
        return flat() if callable(flat) else result

    found = trace(run, *sizes, names=names, simplify=False)
    return Counted(found.operations(), _lines(found, [_own(kinds, k) for k in range(len(kinds))]))


def _own(kinds: tuple[str, ...], k: int) -> tuple[str, ...]:
    """Return the names of the scalars of argument k; those of a second of the same kind have a prime."""
    labels = KINDS[kinds[k]][0]
    taken = {label for kind in kinds[:k] for label in KINDS[kind][0]}
    return tuple(f"{label}′" if label in taken else label for label in labels)


def _lines(found: Trace, labels: list[tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    """Write the operations as assignments t1 = ..., t2 = ...; a change of sign is written where it is used."""
    lines: list[tuple[str, str]] = []
    text: dict[int, str] = {}
    for position, (operation, *operands) in enumerate(found.graph.nodes):
        if operation == "load":
            text[position] = labels[int(operands[0])][operands[2]]
        elif operation == "const":
            text[position] = f"{operands[0]:g}"
        elif operation == "neg":
            text[position] = f"(−{text[operands[0]]})"
        else:
            sign = {"mul": "·", "add": "+", "sub": "−"}[operation]
            text[position] = f"t{len(lines) + 1}"
            terms = f" {sign} ".join(text[operand] for operand in operands)
            lines.append(("mul" if operation == "mul" else "add", f"{text[position]} = {terms}"))
    return tuple(lines)
