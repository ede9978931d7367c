"""H^-1 applied to the columns of a matrix: the articulated-body algorithm at rest, linear in the number of links.

The factors U and D^-1 of forward dynamics serve all columns (Featherstone 2008, Eqs 7.43 to 7.49 without velocities).
In base coordinates there is no transformation between a link and its parent.
"""

from __future__ import annotations

from typing import Any

from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.sizes import FACTORS, TWIST
from rbdkit.spatial.compact import fv
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import WIDE, Scalar, Whole

# Where the vectors of a freedom stand in the array "factors": its axis S, U D^-1, and D^-1.
S, U_D, D_INV = 0, 6, 12


def factors_in_base(tree: LoopTree, base: Any, found: Any) -> None:
    """Write S, U D^-1 and D^-1 of each freedom in base coordinates to "factors". found : result of `aba`.

    A joint's freedoms are treated one by one, each with those before it released.
    """
    program = tree.program
    for i in tree.outward(abreast=True):
        D = found.D[i]
        for k, (axis, U) in enumerate(zip(base.X_0[i].back @ base.S[i], D.one_by_one(found.U[i]), strict=True)):
            D_inv = D.inverse[k]
            numbers = [*axis.flat(), *(x * D_inv for x in base.X_0[i].inv_apply(fv.of(U)).flat()), D_inv]
            for r, x in enumerate(numbers):
                program.store("factors", (i.v + k) * FACTORS, r, x)


def apply_inverse_inertia(tree: LoopTree, array: str, start: Whole, columns: Whole) -> None:
    """Replace X by H^-1 X, a matrix of nv rows that begins at `start`. columns : their number, a multiple of `WIDE`.

    Traverses the whole tree with `WIDE` columns before it takes the next ones, so that the data of links stay in cache.
    """
    program = tree.program

    def read(name: str, place: Whole) -> list[Scalar]:
        return [program.load(name, place, r * WIDE) for r in range(6)]

    def write(name: str, place: Whole, values: list[Scalar]) -> None:
        for r, x in enumerate(values):
            program.store(name, place, r * WIDE, x)

    def of_freedom(freedom: Whole, slot: int) -> list[Scalar]:
        return [program.load("factors", freedom, slot + r) for r in range(6)]

    # the outer loop takes `WIDE` columns at a time through the whole tree, the inner one is a SIMD register
    with program.loop(0, columns, WIDE) as first, program.loop(0, WIDE, wide=True) as c:
        here = start + first + c
        with program.loop(0, tree.n + 1) as link:
            write("p_columns", link * TWIST + c, [0.0] * 6)
        write("a_columns", c, [0.0] * 6)
        for i in tree.inward():
            p = read("p_columns", i.number * TWIST + c)
            for k in range(i.motion.nv):
                freedom, place = (i.v + k) * FACTORS, (i.v + k) * columns + here
                u = program.load(array, place) - _product(of_freedom(freedom, S), p)
                program.store(array, place, 0, u)
                p = [x + y * u for x, y in zip(p, of_freedom(freedom, U_D), strict=True)]
            above = i.parent.number * TWIST + c
            write("p_columns", above, [x + y for x, y in zip(read("p_columns", above), p, strict=True)])
        for i in tree.outward():
            a = read("a_columns", i.parent.number * TWIST + c)
            # the freedoms of a joint were released one after the other, and are solved in the opposite order
            for k in reversed(range(i.motion.nv)):
                freedom, place = (i.v + k) * FACTORS, (i.v + k) * columns + here
                u = program.load(array, place)
                x = program.load("factors", freedom, D_INV) * u - _product(of_freedom(freedom, U_D), a)
                program.store(array, place, 0, x)
                a = [y + s * x for y, s in zip(a, of_freedom(freedom, S), strict=True)]
            write("a_columns", i.number * TWIST + c, a)


def _product(a: list[Scalar], b: list[Scalar]) -> Scalar:
    """Return a . b in two independent halves, which the processor overlaps."""
    return dot(a[:3], b[:3]) + dot(a[3:], b[3:])
