"""Apply an explicit motion constraint, qdd = G ydd + g, to an equation of motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.equation import EquationOfMotion
from rbdkit.errors import ModelError, StateError


@dataclass(frozen=True)
class ExplicitResult:
    """Result of `apply_explicit` and `apply_explicit_dual`.

    Attributes
    ----------
    ydd : ndarray (n - n_ic,)
        Acceleration in the independent variables.
    qdd : ndarray (n,)
        Acceleration in the original variables.
    tau_c : ndarray (n,)
        Constraint force.
    reduced : EquationOfMotion
        The equation H_G ydd + C_G = u in the new variables (Eq 3.21).
    """

    ydd: NDArray
    qdd: NDArray
    tau_c: NDArray
    reduced: EquationOfMotion


def project(equation: EquationOfMotion, G: NDArray, g: NDArray) -> EquationOfMotion:
    """Return H_G ydd + C_G = u, the projected equation of motion (Featherstone 2008, Eqs 3.20, 3.21)."""
    H, C, tau = equation.H, equation.C, equation.tau
    if G.shape != (equation.n, G.shape[-1]) or g.shape != (equation.n,):
        raise StateError(f"G and g of shapes {G.shape} and {g.shape} do not fit {equation.n} freedoms")
    return EquationOfMotion(G.T @ H @ G, G.T @ (C + H @ g), G.T @ tau)


def apply_explicit(equation: EquationOfMotion, G: NDArray, g: NDArray) -> ExplicitResult:
    """Return the accelerations by the projection method, and the constraint force.

    Parameters
    ----------
    equation : EquationOfMotion
        Equation of the system without the constraint.
    G : ndarray (n, n_y)
        Columns that span the allowed velocities, qd = G yd.
    g : ndarray (n,)
        Bias acceleration of qdd = G ydd + g.

    Raises
    ------
    StateError
        If shapes do not fit.
    ModelError
        If the projected inertia is singular: columns of G are dependent, or one of them moves no inertia.
    """
    reduced = project(equation, G, g)
    ydd = reduced.acceleration()
    qdd = G @ ydd + g  # Eq 3.11
    return ExplicitResult(ydd, qdd, equation.H @ qdd + equation.C - equation.tau, reduced)  # Eq 3.14


def apply_explicit_dual(equation: EquationOfMotion, G: NDArray, g: NDArray) -> ExplicitResult:
    """Return the accelerations and the constraint force from the dual system, which needs H^-1 (Eq 3.19).

    Raises
    ------
    ModelError
        If H or the dual system is singular.
    """
    n, n_y = G.shape
    reduced = project(equation, G, g)
    try:
        H_inverse = np.linalg.inv(equation.H)
        A = np.block([[H_inverse, G], [G.T, np.zeros((n_y, n_y))]])
        b = np.concatenate([H_inverse @ (equation.tau - equation.C) - g, np.zeros(n_y)])
        x = np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        raise ModelError("the dual system is singular: H has no inverse, or columns of G are dependent") from None
    # the first block row reads H^-1 tau_c + G ydd = H^-1 (tau - C) - g, which makes x[:n] minus the constraint force
    return ExplicitResult(x[n:], G @ x[n:] + g, -x[:n], reduced)
