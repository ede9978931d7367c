"""Assembly of two articulated bodies by the standard formulas (Featherstone 2008, section 7.2.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.handle import Handle
from rbdkit.algorithms.joint_solve import solve_joint


def assemble(one: Handle, two: Handle, joint: Connection) -> Handle:
    """Return the equation of handle 1 after a joint has connected handle 2 to it (Featherstone 2008, Eqs 7.15-7.20).

    Parameters
    ----------
    one, two : Handle
        Equations ``f_i = I_i a_i + p_i`` before the assembly, in the coordinates of the joint.
    joint : Connection
        From handle 1 to handle 2.

    Raises
    ------
    ModelError
        If S^T I_2 S is singular: the joint moves something that has no inertia along its motion.
    """
    (I_1, p_1), (I_2, p_2), S, c = one, two, joint.S, joint.c
    U = I_2 @ S
    D = _apparent_inertia(two, joint)
    I = I_1 + I_2 - U @ solve_joint(D, U.T, joint.name)  # Eq 7.19
    z = joint.tau - S.T @ (I_2 @ c + p_2)
    p = p_1 + p_2 + I_2 @ c + U @ solve_joint(D, z, joint.name)  # Eq 7.20
    return Handle(I, p)


def propagate(two: Handle, joint: Connection) -> Handle:
    """Return I^a and p^a: handle 2 as handle 1 feels it through the joint (Featherstone 2008, Eqs 7.23, 7.24).

    This is the equation of a massless handle on the near side of the joint; added to that of handle 1 it completes the
    assembly. ``I^a S = 0`` if the joint has no rotor.
    """
    (I_2, p_2), S = two, joint.S
    U = I_2 @ S
    D = _apparent_inertia(two, joint)
    I = I_2 - U @ solve_joint(D, U.T, joint.name)  # Eq 7.23
    p = p_2 + I @ joint.c + U @ solve_joint(D, joint.tau - S.T @ p_2, joint.name)  # Eq 7.24
    return Handle(I, p)


def joint_acceleration(two: Handle, joint: Connection, a_1: NDArray) -> NDArray:
    """Return qdd (nv,) from the acceleration of handle 1 (Featherstone 2008, Eq 7.18)."""
    I_2, p_2 = two
    rhs = joint.tau - joint.S.T @ (I_2 @ (a_1 + joint.c) + p_2)
    return solve_joint(_apparent_inertia(two, joint), rhs, joint.name)


def _apparent_inertia(two: Handle, joint: Connection) -> NDArray:
    """Return D = S^T I_2 S plus rotor inertia, the inertia that tau accelerates."""
    return joint.S.T @ two.I @ joint.S + np.diag(joint.rotor)
