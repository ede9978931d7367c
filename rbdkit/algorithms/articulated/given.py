"""Equations from which the assembly formulas are derived, in interchangeable forms (Featherstone 2008, section 7.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.blocks import ONE, Block
from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.derivation import Derivation, Equation, derive
from rbdkit.algorithms.articulated.handle import Handle, InverseHandle

I_1, I_2, Phi_1, Phi_2 = (Block.symbol(name) for name in ("I_1", "I_2", r"\Phi_1", r"\Phi_2"))
p_1, p_2, b_1, b_2, c, T_a_tau = (
    Block.symbol(name, columns="1") for name in ("p_1", "p_2", "b_1", "b_2", "c", r"T_a\tau")
)
tau = Block.symbol(r"\tau", "n", "1")
S, T = (Block.symbol(name, columns="n") for name in ("S", "T"))
S_T, T_T = (Block.symbol(name, rows="n") for name in (r"S^{\mathsf T}", r"T^{\mathsf T}"))
QDD, LAMBDA = r"\ddot q", r"\lambda"

INERTIAS = (Equation({"f_1": ONE, "a_1": -I_1}, p_1), Equation({"f_2": ONE, "a_2": -I_2}, p_2))
"""Equations of motion of the two handles, Eqs 7.51 and 7.52."""
INVERSES = (Equation({"a_1": ONE, "f_1": -Phi_1}, b_1), Equation({"a_2": ONE, "f_2": -Phi_2}, b_2))
"""Inverted equations of motion of the two handles: change 1 of section 7.4."""
SUM = Equation({"f": ONE, "f_1": -ONE, "f_2": -ONE})
"""Force on the assembled handle, Eq 7.53."""
EXPLICIT = (Equation({"a_2": ONE, "a_1": -ONE, QDD: -S}, c), Equation({"f_2": S_T}, tau, small=True))
"""Joint in explicit form, by its motion subspace, Eqs 7.54 and 7.55."""
IMPLICIT = (Equation({"f_2": ONE, LAMBDA: -T}, T_a_tau), Equation({"a_2": T_T, "a_1": -T_T}, T_T @ c, small=True))
"""Joint in implicit form, by its constraint forces: change 2 of section 7.4."""


def standard() -> Derivation:
    """Derive f = I a_1 + p from inertias and motion subspaces (Featherstone 2008, Table 7.2)."""
    return derive([*INERTIAS, SUM, *EXPLICIT], "f", "a_1", QDD)


def variant_1() -> Derivation:
    """Derive a_1 = Phi f + b from inverse inertias and constraint forces (Featherstone 2008, Table 7.2)."""
    return derive([*INVERSES, SUM, *IMPLICIT], "a_1", "f", LAMBDA)


def variant_2() -> Derivation:
    """Derive f = I a_1 + p from inertias and constraint forces (Featherstone 2008, Table 7.2)."""
    return derive([*INERTIAS, SUM, *IMPLICIT], "f", "a_1", LAMBDA)


def fourth() -> Derivation:
    """Derive a_1 = Phi f + b from inverse inertias and motion subspaces: change 1 alone, which the book leaves out."""
    return derive([*INVERSES, SUM, *EXPLICIT], "a_1", "f", QDD)


def values(one: Handle, two: Handle, joint: Connection) -> dict[str, NDArray]:
    """Return the values of all names, from two handles with six degrees of freedom and a joint without rotors."""
    return joint_values(joint) | inverse_values(one.inverse("handle 1"), two.inverse("handle 2")) | {
        "I_1": one.I, "I_2": two.I, "p_1": one.p, "p_2": two.p,
    }  # fmt: skip


def inverse_values(one: InverseHandle, two: InverseHandle) -> dict[str, NDArray]:
    """Return the values of those names of variant 1 that belong to the handles, of any freedom."""
    return {r"\Phi_1": one.Phi, r"\Phi_2": two.Phi, "b_1": one.b, "b_2": two.b}


def joint_values(joint: Connection) -> dict[str, NDArray]:
    """Return the values of the names that belong to the joint."""
    return {
        "S": joint.S, r"S^{\mathsf T}": np.transpose(joint.S), "T": joint.T, r"T^{\mathsf T}": np.transpose(joint.T),
        "c": joint.c, r"\tau": joint.tau, r"T_a\tau": joint.f_a,
    }  # fmt: skip
