"""Linearly implicit Euler step in reduced coordinates, directly and by preconditioned conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.inverse_inertia import InverseInertia
from rbdkit.algorithms.redmax.jacobian_products import jacobian_product, transposed_product
from rbdkit.algorithms.redmax.reduced_equation import reduced_equation
from rbdkit.algorithms.redmax.stiffness import Stiffness
from rbdkit.errors import ConvergenceError, ModelError


def implicit_velocities(bodies: Bodies, stiffness: Stiffness, h: float) -> NDArray:
    """Return the velocities (nv,) after a linearly implicit Euler step (Sueda, Eqs 1.30, 2.79).

    ``(M_r + J^T (h D_m - h^2 K_m) J + h D_r - h^2 K_r) qd_new = M_r qd + h f_r + h D qd``. The last term
    removes linear damping from the explicit forces, which contain it already (Eq 2.76); nonlinear remainders stay. As
    in the notes, K contains neither the rate of J times the forces nor derivatives of Coriolis forces and gravity.

    Parameters
    ----------
    bodies : Bodies
        The tree at one state, with its passive forces.
    stiffness : Stiffness
        K and D at that state.
    h : float
        Step in s.

    Raises
    ------
    ModelError
        If the matrix is singular.

    Examples
    --------
    A damper that would overturn an explicit step only stops the rod:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, implicit_velocities
    >>> from rbdkit.derivatives import stiffness_at
    >>> model = rbd.library.pendulum().with_parameters({"hinge.damping": 1e9, "gravity": np.zeros(3)})
    >>> rod = bodies_at(model, np.zeros(1), np.ones(1))
    >>> bool(abs(implicit_velocities(rod, stiffness_at(model, rod, np.zeros(1)), 0.01)[0]) < 1e-5)
    True
    """
    reduced = reduced_equation(bodies)
    K, D = stiffness.along(bodies)
    A = reduced.M_r + h * D - h**2 * K
    try:
        return np.linalg.solve(A, reduced.M_r @ bodies.qd + h * (reduced.f_r + D @ bodies.qd))
    except np.linalg.LinAlgError:
        raise ModelError("the matrix of the linearly implicit step is singular; model.validate() may say why") from None


@dataclass(frozen=True)
class Iterated:
    """Velocities (nv,) found by conjugate gradients, and the number of iterations."""

    qd: NDArray
    iterations: int


def implicit_velocities_by_cg(
    bodies: Bodies,
    stiffness: Stiffness,
    h: float,
    *,
    preconditioned: bool = True,
    rtol: float = 1e-12,
    most: int = 1000,
) -> Iterated:
    """Return the step of `implicit_velocities` without forming a matrix (Sueda, section 2.13).

    Products with J and its transpose are those of Algorithms 5 and 6, the preconditioner is Algorithm 10: an iteration
    takes linear time. Conjugate gradients need symmetric K and D, so these are symmetrised.

    Parameters
    ----------
    bodies, stiffness, h
        As in `implicit_velocities`.
    preconditioned : bool, optional
        Whether Algorithm 10 is used as preconditioner.
    rtol : float, optional
        Relative residual of the solution.
    most : int, optional
        Largest number of iterations.

    Raises
    ------
    ConvergenceError
        If that residual is not reached.
    ModelError
        If joints share velocities, or one of them moves no inertia.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, implicit_velocities_by_cg
    >>> from rbdkit.derivatives import stiffness_at
    >>> arm = rbd.library.double_pendulum()
    >>> here = bodies_at(arm, np.array([0.3, 0.4]), np.ones(2))
    >>> implicit_velocities_by_cg(here, stiffness_at(arm, here, np.array([0.3, 0.4])), 0.01).iterations
    1
    """
    stiffness, nv, count = stiffness.symmetrised(), bodies.nv, 6 * bodies.n
    added, rounds = stiffness.implicit(h), 0

    def of_bodies(y: NDArray) -> NDArray:
        """Return M_m y."""
        return (bodies.M[1:] @ y.reshape(-1, 6, 1)).ravel()

    def matrix(x: NDArray) -> NDArray:
        y = jacobian_product(bodies, x)[0]
        both = added @ np.concatenate([y, x])
        return transposed_product(bodies, of_bodies(y) + both[:count]) + bodies.rotors * x + both[count:]

    qd = bodies.qd
    y = jacobian_product(bodies, qd)[0]
    damped = stiffness.D @ np.concatenate([y, qd])
    wrenches = of_bodies(y - h * bodies.stacked(bodies.drift)) + h * (bodies.stacked(bodies.f_m) + damped[:count])
    right = transposed_product(bodies, wrenches) + bodies.rotors * qd + h * (bodies.f_r + damped[count:])
    inverse = InverseInertia(bodies, stiffness, h).times if preconditioned else None

    def counted(_: NDArray) -> None:
        nonlocal rounds
        rounds += 1

    M = None if inverse is None else LinearOperator((nv, nv), matvec=inverse)
    found, left = cg(
        LinearOperator((nv, nv), matvec=matrix), right, x0=qd, rtol=rtol, maxiter=most, M=M, callback=counted
    )
    if left:
        raise ConvergenceError(
            f"conjugate gradients did not solve the step of {h:g} s in {most} iterations; take a shorter one"
        )
    return Iterated(found, rounds)
