"""The equation of motion of a handle, in its two forms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError

REGULAR = 1e-12
"""Reciprocal condition number, after scaling to a unit diagonal, below which a matrix counts as singular."""


class Handle(NamedTuple):
    """Equation of motion ``f = I a + p`` of a handle (Featherstone 2008, Eq 7.2).

    I : (6, 6) articulated-body inertia. p : (6,) bias force.
    """

    I: NDArray
    p: NDArray

    def inverse(self, name: str = "the handle") -> InverseHandle:
        """Solve the equation for the acceleration; `name` is for the error message.

        Raises
        ------
        ModelError
            If I is singular.
        """
        Phi = inverse_inertia(self.I, name)
        return InverseHandle(Phi, -Phi @ self.p)


class InverseHandle(NamedTuple):
    """Inverse equation of motion ``a = Phi f + b`` of a handle, which always exists (Featherstone 2008, Eq 7.3).

    Attributes
    ----------
    Phi : ndarray (6, 6)
        Articulated-body inverse inertia.
    b : ndarray (6,)
        Bias acceleration.
    """

    Phi: NDArray
    b: NDArray

    def inverse(self, name: str = "the handle") -> Handle:
        """Solve the equation for the force.

        Raises
        ------
        ModelError
            If the handle has less than six degrees of freedom.
        """
        if not regular(self.Phi):
            raise ModelError(f"{name} has less than six degrees of freedom, so no inertia; use its Phi and b (Eq 7.3)")
        I = np.linalg.inv(self.Phi)
        I = 0.5 * (I + I.T)
        return Handle(I, -I @ self.b)


def inverse_inertia(I: NDArray, name: str) -> NDArray:
    """Return I^-1, exactly symmetric.

    Raises
    ------
    ModelError
        If I is singular; the message names the body and the remedy.
    """
    if not regular(I):
        raise ModelError(
            f"{name} has no inverse inertia: without mass, or without rotational inertia, as a point mass or a thin "
            "rod. The standard formulas do without: use rbdkit.aba, or give the body some inertia"
        )
    Phi = np.linalg.inv(I)
    return 0.5 * (Phi + Phi.T)


def regular(A: NDArray) -> bool:
    """Return whether a symmetric matrix is positive definite beyond round-off, whatever the units of its rows."""
    size = np.diag(A)
    if len(A) == 0 or not np.isfinite(A).all():
        return True  # a diverged state is reported by NaN in the result, not as singular
    if not np.all(size > 0.0):
        return False
    scale = np.sqrt(size)
    values = np.linalg.eigvalsh(A / np.outer(scale, scale))
    return bool(values[0] > REGULAR * values[-1])
