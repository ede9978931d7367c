"""Derivatives of forward dynamics, from those of inverse dynamics.

Differentiating ``ID(q, qd, FD(q, qd, tau)) = tau`` gives dFD = H^-1 (dtau - dID) with dID at fixed qdd: one recursion
for dID and one factorisation of H, in place of a differentiated ABA (Jain and Rodriguez 1993, Carpentier and Mansard
2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.force_elements import element_derivatives
from rbdkit.algorithms.forward_dynamics import forward_dynamics_crba
from rbdkit.algorithms.parameter_derivatives import rnea_parameter_derivatives
from rbdkit.algorithms.passive_derivatives import passive_derivatives
from rbdkit.algorithms.passive_force import passive_force
from rbdkit.algorithms.rnea_derivatives import rnea_derivatives
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


@dataclass(frozen=True)
class ForwardDynamicsDerivatives:
    """Derivatives of joint accelerations: rows belong to accelerations, columns to the variables of differentiation.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Joint accelerations.
    dqdd_dq, dqdd_dv, dqdd_dtau : ndarray
        (nv, nv); dqdd_dtau is the inverse of H.
    """

    qdd: NDArray
    dqdd_dq: NDArray
    dqdd_dv: NDArray
    dqdd_dtau: NDArray


def forward_dynamics_derivatives(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    passive: bool = True,
) -> ForwardDynamicsDerivatives:
    """Return the derivatives of the joint accelerations by q, qd and tau.

    ``ID(q, qd, FD(q, qd, tau)) = tau`` holds for every q and qd, so ``H dqdd = dtau - dID`` (Jain and Rodriguez 1993,
    Carpentier and Mansard 2018).

    Parameters
    ----------
    q, qd, tau, f_ext, t
        As in `forward_dynamics`; `rnea_derivatives` defines d/dq.
    passive : bool, optional
        Whether passive forces act: springs, dampers and force elements.
    """
    require_tree(model, "the derivative of forward dynamics")
    qdd = forward_dynamics_crba(model, q, qd, tau + passive * passive_force(model, q, qd, t=t), f_ext=f_ext, t=t)
    d = rnea_derivatives(model, q, qd, qdd, f_ext=f_ext, t=t)
    by_q, by_v = -d.dtau_dq, -d.dtau_dv
    if passive:
        own = passive_derivatives(model, q, qd)
        of_elements = element_derivatives(model, q, qd, t=t)
        by_q, by_v = by_q + own.dtau_dq + of_elements[0], by_v + own.dtau_dv + of_elements[1]
    solved = np.linalg.solve(d.dtau_da, np.hstack([by_q, by_v, np.eye(model.nv)]))
    return ForwardDynamicsDerivatives(qdd, *np.split(solved, 3, axis=1))


def forward_dynamics_parameter_derivatives(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    passive: bool = True,
) -> dict[str, NDArray]:
    """Return derivatives of accelerations by each parameter, by name; shapes as in `rnea_parameter_derivatives`.

    Derivatives by the rest position of a spring are along its velocities: (nv, nv of the joint).
    """
    require_tree(model, "the derivative of forward dynamics")
    if passive and model.acting:
        raise ModelError(
            f"the readable form knows no derivatives by parameters where force elements act: "
            f"{', '.join(repr(force.name) for force in model.acting)}; let compiled code find them, which needs "
            "joints that neither follow others nor move as time says, or take aba_gradient, in which they do not act"
        )
    qdd = forward_dynamics_crba(model, q, qd, tau + passive * passive_force(model, q, qd, t=t), f_ext=f_ext, t=t)
    forces = {name: -x for name, x in rnea_parameter_derivatives(model, q, qd, qdd, f_ext=f_ext, t=t).items()}
    if passive:
        forces |= passive_derivatives(model, q, qd).parameters
    H = rnea_derivatives(model, q, qd, qdd, f_ext=f_ext, t=t).dtau_da
    return {name: np.linalg.solve(H, x.reshape(model.nv, -1)).reshape(x.shape) for name, x in forces.items()}
