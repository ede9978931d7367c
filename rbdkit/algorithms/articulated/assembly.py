"""Two articulated bodies joined into one: the standard formulas."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.handle import Handle
from rbdkit.algorithms.joint_solve import solve_joint


def assemble(one: Handle, two: Handle, joint: Connection) -> Handle:
    """The equation of handle 1 after handle 2 was joined to it (Featherstone 2008, Eqs 7.15-7.20).

    Parameters
    ----------
    one, two : Handle
        ``f_i = I_i a_i + p_i`` of the handles before, in the coordinates of the joint.
    joint : Connection
        From handle 1 to handle 2.

    Raises
    ------
    ModelError
        If the joint moves something without inertia in the direction in which it moves it.
    """
    (I_1, p_1), (I_2, p_2), S, c = one, two, joint.S, joint.c
    U = I_2 @ S
    D = _apparent_inertia(two, joint)
    I = I_1 + I_2 - U @ solve_joint(D, U.T, joint.name)  # Eq 7.19
    z = joint.tau - S.T @ (I_2 @ c + p_2)
    p = p_1 + p_2 + I_2 @ c + U @ solve_joint(D, z, joint.name)  # Eq 7.20
    return Handle(I, p)


def propagate(two: Handle, joint: Connection) -> Handle:
    """Handle 2 as handle 1 feels it through the joint: I^a and p^a (Featherstone 2008, Eqs 7.23, 7.24).

    A massless handle at the far end of the joint has this equation; glued to handle 1 it completes the assembly.
    ``I^a S = 0`` if the joint has no rotor.
    """
    (I_2, p_2), S = two, joint.S
    U = I_2 @ S
    D = _apparent_inertia(two, joint)
    I = I_2 - U @ solve_joint(D, U.T, joint.name)  # Eq 7.23
    p = p_2 + I @ joint.c + U @ solve_joint(D, joint.tau - S.T @ p_2, joint.name)  # Eq 7.24
    return Handle(I, p)


def joint_acceleration(two: Handle, joint: Connection, a_1: NDArray) -> NDArray:
    """qdd (nv,) from the acceleration of handle 1 (Featherstone 2008, Eq 7.18)."""
    I_2, p_2 = two
    rhs = joint.tau - joint.S.T @ (I_2 @ (a_1 + joint.c) + p_2)
    return solve_joint(_apparent_inertia(two, joint), rhs, joint.name)


def _apparent_inertia(two: Handle, joint: Connection) -> NDArray:
    """What tau moves: S^T I_2 S and the rotor."""
    return joint.S.T @ two.I @ joint.S + np.diag(joint.rotor)
