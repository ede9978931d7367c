"""Articulated-body inertia by projection onto handles: the operational-space inertia (section 7.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.jacobian import bias_acceleration, jacobian
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


@dataclass(frozen=True, eq=False)
class Projection:
    """Equation of motion ``a = Phi f + b`` of h handles.

    Vectors are in the coordinates of each handle. a are true accelerations; gravity is one of the forces in b.

    Attributes
    ----------
    handles : tuple of str
        Names of the handles.
    J : ndarray (6 h, nv)
        Stacked Jacobians of the handles.
    Jdot_qd : ndarray (6 h,)
        Stacked bias accelerations Jdot qd.
    H : ndarray (nv, nv)
        Joint-space inertia matrix.
    C : ndarray (nv,)
        Bias force minus tau: all joint-space forces except those on the handles.
    Phi : ndarray (6 h, 6 h)
        Articulated-body inverse inertia, with the blocks Phi_i and Phi_ij of Eq 7.4.
    b : ndarray (6 h,)
        Bias acceleration.
    """

    handles: tuple[str, ...]
    J: NDArray
    Jdot_qd: NDArray
    H: NDArray
    C: NDArray
    Phi: NDArray
    b: NDArray

    @property
    def freedom(self) -> int:
        """Number of degrees of freedom of the handles together: rank Phi = rank J (Eq 7.14)."""
        return int(np.linalg.matrix_rank(self.J)) if self.J.size else 0

    @property
    def IA(self) -> NDArray:
        """Articulated-body inertia (6 h, 6 h) (Eq 7.12); for several handles the inverse of the whole Phi.

        Raises
        ------
        ModelError
            If the handles have less than 6 h degrees of freedom.
        """
        if self.freedom < len(self.b):
            raise ModelError(
                f"handle(s) {', '.join(map(repr, self.handles))} have {self.freedom} degree(s) of freedom, "
                f"not {len(self.b)}, so there is no I^A; Phi and b are there always (Eq 7.3)"
            )
        I = np.linalg.inv(self.Phi)
        return 0.5 * (I + I.T)

    @property
    def pA(self) -> NDArray:
        """Bias force (6 h,) (Eq 7.13); raises as `IA` does."""
        return -self.IA @ self.b

    def block(self, i: str, j: str) -> NDArray:
        """Return Phi_ij (6, 6): the acceleration of handle i for a force on handle j (Eq 7.4)."""
        row, column = (6 * self.handles.index(name) for name in (i, j))
        return self.Phi[row : row + 6, column : column + 6]


def project_handles(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    handles: str | Sequence[str],
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> Projection:
    """Project the equation of motion of a model onto handles (Featherstone 2008, Eqs 7.5-7.14 and 7.4).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    handles : str or sequence of str
        Name of a body or frame, or several names.
    f_ext : ExternalForces, optional
        Further external forces on the bodies, in world coordinates.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If a handle is unknown or named twice, the model has a loop joint, or H is singular.
    """
    require_tree(model, "the projection on handles")
    names = (handles,) if isinstance(handles, str) else tuple(handles)
    if not names or len(set(names)) < len(names):
        raise ModelError(f"handles {names} must be one or more different bodies or frames")
    J = np.vstack([jacobian(model, q, name, t=t) for name in names])
    Jdot_qd = np.concatenate([bias_acceleration(model, q, qd, name, t=t) for name in names])
    H, C = crba(model, q, t=t).H, bias_force(model, q, qd, f_ext=f_ext, t=t) - tau
    try:
        L_inv_J_T, L_inv_C = (np.linalg.solve(np.linalg.cholesky(H), x) for x in (J.T, C))
    except np.linalg.LinAlgError:
        raise ModelError(
            f"the inertia matrix of model {model.name!r} is not positive definite; "
            "see model.validate() for the body that lacks inertia"
        ) from None
    Phi = L_inv_J_T.T @ L_inv_J_T  # Eq 7.9, symmetric to the last digit
    b = Jdot_qd - L_inv_J_T.T @ L_inv_C  # Eq 7.10
    return Projection(names, J, Jdot_qd, H, C, Phi, b)
