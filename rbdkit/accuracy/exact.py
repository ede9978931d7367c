"""Forward dynamics in multiple precision, the reference for errors of floating-point algorithms."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_independent_joints
from rbdkit.spatial.so3 import skew

_decimals = np.frompyfunc(Decimal, 1, 1)


def exact_acceleration(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, digits: int = 50, *, t: float = 0.0
) -> NDArray:
    """Return joint accelerations (nv,) that are exact to double precision, however ill-conditioned the problem is.

    The floats of the model, and of the joints' functions of q and qd (X_J, S, v_J, c_J), are taken as exact; everything
    after that, Tables 5.1 and 6.2 and the solution of Eq 6.1, is computed with `digits` decimal digits.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If the model has loops or mimic joints, or `digits` is less than a float has.
    StateError
        If q, qd or tau have the wrong shape or hold a number that is not finite.
    """
    require_independent_joints(model, "exact_acceleration", "forward_dynamics")
    if digits < 17:
        raise ModelError(f"digits = {digits!r}: a float has up to 17, take more")
    q, qd, tau = model.check_q(q), model.check_v(qd, "qd"), model.check_v(tau, "tau")
    with localcontext() as context:
        context.prec = digits
        H, C = _equation_of_motion(model, q, qd, t)
        return _solved(H, exact(tau) - C).astype(float)


def exact(numbers: NDArray) -> NDArray:
    """Convert floats to an array of exactly equal decimals."""
    return np.asarray(_decimals(np.asarray(numbers, dtype=float)), dtype=object)


def _equation_of_motion(model: Model, q: NDArray, qd: NDArray, t: float) -> tuple[NDArray, NDArray]:
    """Return H (nv, nv) and C (nv,) in decimals."""
    n, parent = len(model.bodies), model.parent
    X, S = [exact(np.eye(6))] * n, [exact(np.zeros((6, 0)))] * n
    v, a, f = ([exact(np.zeros(6))] * n for _ in range(3))
    Ic, H, C = [exact(I) for I in model.I], exact(np.zeros((model.nv, model.nv))), exact(np.zeros(model.nv))
    a[0] = exact(np.concatenate([np.zeros(3), -model.gravity]))
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        X_J, S_i, v_J, c_J = joint.calc(q, qd, t)
        X[i], S[i] = exact(X_J) @ exact(joint.X_tree), exact(S_i)
        v[i] = X[i] @ v[p] + exact(v_J)  # Eq 5.18
        a[i] = X[i] @ a[p] + exact(c_J) + _cross(v[i]) @ exact(v_J)  # Eq 5.19 with qdd = 0
        f[i] = Ic[i] @ a[i] - _cross(v[i]).T @ (Ic[i] @ v[i])  # Eq 5.9
    for i in model.inward:
        joint, p = model.joints[i], parent[i]
        C[joint.v_slice] = S[i].T @ f[i]  # Eq 5.11
        f[p] = f[p] + X[i].T @ f[i]  # Eq 5.20
        Ic[p] = Ic[p] + X[i].T @ Ic[i] @ X[i]  # Eq 6.17
        F = Ic[i] @ S[i]
        H[joint.v_slice, joint.v_slice] = S[i].T @ F + exact(np.diag(joint.armature))  # Eq 6.20
        j = i
        while parent[j] > 0:
            F, j = X[j].T @ F, parent[j]  # Eq 6.19
            H[joint.v_slice, model.joints[j].v_slice] = F.T @ S[j]
            H[model.joints[j].v_slice, joint.v_slice] = S[j].T @ F
    return H, C


def _cross(v: NDArray) -> NDArray:
    """Return the spatial cross-product operator v x, (6, 6), in decimals."""
    zero = exact(np.zeros((3, 3)))
    w, u = _skew(v[:3]), _skew(v[3:])
    return np.block([[w, zero], [u, w]])


def _skew(v: NDArray) -> NDArray:
    return sum((exact(skew(e)) * x for e, x in zip(np.eye(3), v, strict=True)), exact(np.zeros((3, 3))))


def _solved(H: NDArray, b: NDArray) -> NDArray:
    """Solve H x = b for a symmetric positive definite H, by Gaussian elimination."""
    H, b, n = H.copy(), b.copy(), len(b)
    for k in range(n):
        rows = [i for i in range(k + 1, n) if H[i, k] != 0]
        for i in rows:
            factor = H[i, k] / H[k, k]
            H[i, k:] -= factor * H[k, k:]
            b[i] -= factor * b[k]
    x = b
    for k in reversed(range(n)):
        x[k] = (x[k] - sum(H[k, k + 1 :] * x[k + 1 :], Decimal(0))) / H[k, k]
    return x
