"""The canonical equation of motion H qdd + C = tau, of a model, of one body, and of several systems at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree
from rbdkit.spatial import body
from rbdkit.spatial.inertia import Inertia


@dataclass(frozen=True)
class EquationOfMotion:
    """H qdd + C = tau at one state (Featherstone 2008, Eq 3.1).

    Attributes
    ----------
    H : ndarray (n, n)
        Generalized inertia.
    C : ndarray (n,)
        Bias force.
    tau : ndarray (n,)
        Generalized force.

    Raises
    ------
    StateError
        If the shapes do not fit or a number is not finite.
    """

    H: NDArray
    C: NDArray
    tau: NDArray

    def __post_init__(self) -> None:
        n = len(self.C)
        if self.H.shape != (n, n) or self.tau.shape != (n,):
            raise StateError(f"H, C and tau of shapes {self.H.shape}, {self.C.shape}, {self.tau.shape} do not fit")
        if not all(np.isfinite(part).all() for part in (self.H, self.C, self.tau)):
            raise StateError("an equation of motion holds a number that is not finite; check q, qd, tau and f_ext")

    @property
    def n(self) -> int:
        """Number of equations, the degree of motion freedom."""
        return len(self.C)

    def acceleration(self) -> NDArray:
        """Return qdd = H^-1 (tau - C), shape (n,).

        Raises
        ------
        ModelError
            If H is singular: some motion has no inertia.
        """
        try:
            return np.linalg.solve(self.H, self.tau - self.C)
        except np.linalg.LinAlgError:
            raise ModelError("H is singular: a motion moves nothing that has inertia; see model.validate()") from None


def equation_of_motion(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> EquationOfMotion:
    """Return the equation of motion of a tree: H by `crba`, C by inverse dynamics at qdd = 0.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces.
    f_ext : ExternalForces, optional
        See `external_forces`; it goes into C.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If the model has loop joints, whose constraints are not part of the equation of a tree.
    """
    require_tree(model, "the equation of motion")
    return EquationOfMotion(
        crba(model, q, t=t).H, bias_force(model, q, qd, f_ext=f_ext, t=t), np.asarray(tau, dtype=float)
    )


def equation_of_body(
    inertia: Inertia, v: ArrayLike, f: ArrayLike, gravity: ArrayLike | None = None
) -> EquationOfMotion:
    """Return the equation of one free body, I a + p = f: spatial vectors as generalized coordinates (section 3.2).

    Parameters
    ----------
    v, f : array_like (6,)
        Velocity and applied force, in the coordinates of the inertia.
    gravity : array_like (3,), optional
        Acceleration of free fall in the same axes, m/s2.
    """
    p = body.bias_force(inertia, v, gravity=gravity)  # Eq 2.69
    return EquationOfMotion(inertia.matrix, p, np.asarray(f, dtype=float))


def collect(*systems: EquationOfMotion) -> EquationOfMotion:
    """Return several systems as one, without constraints between them (Featherstone 2008, Eq 3.10)."""
    from scipy.linalg import block_diag  # slow to load, and only this function needs it

    H = block_diag(*(system.H for system in systems)) if systems else np.zeros((0, 0))
    C = np.concatenate([np.zeros(0), *(system.C for system in systems)])
    tau = np.concatenate([np.zeros(0), *(system.tau for system in systems)])
    return EquationOfMotion(H, C, tau)
