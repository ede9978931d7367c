"""Spherical joint in exponential coordinates, with their rates as velocities (Sueda, section 2.4.8).

This is the form of the notes. Models use `rbdkit.ExponentialSpherical`, whose velocity is the angular velocity; that
does not change when the rotation vector is reparametrised.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError
from rbdkit.spatial import so3
from rbdkit.spatial.so3 import skew, unskew
from rbdkit.spatial.stumpff import stumpff

SMALL = 1.0
"""Length |q| below which series are used, rad: the printed formulas divide by |q|^2, twice, and lose digits there."""
NEAR = 1e-6
"""Distance from zero or a whole turn, rad, within which S has lost six digits."""


class ExponentialJoint(NamedTuple):
    """Rotation R, angular rows of the joint Jacobian S, and their rate; (3, 3) each: ``omega = S qdot``, in body axes.

    Examples
    --------
    >>> from rbdkit.algorithms.exponential_coordinates import ExponentialJoint
    >>> ExponentialJoint._fields
    ('R', 'S', 'Sdot')
    """

    R: NDArray
    S: NDArray
    Sdot: NDArray


def exponential_joint(q: NDArray, qdot: NDArray) -> ExponentialJoint:
    """Return the rotation, the joint Jacobian and its rate by the formulas of Gallego and Yezzi (Eqs 2.42 to 2.47).

    Parameters
    ----------
    q, qdot : ndarray (3,)
        Rotation vector, rad, and its rate, rad/s.

    Examples
    --------
    About one axis the rate is the angular velocity:

    >>> import numpy as np
    >>> from rbdkit.algorithms.exponential_coordinates import exponential_joint
    >>> exponential_joint(np.array([0.0, 0.0, 1.2]), np.zeros(3)).S[:, 2].round(12).tolist()
    [0.0, 0.0, 1.0]
    """
    R, e, I = so3.exp(q), np.eye(3), np.eye(3)  # Eq 2.42
    if q @ q < SMALL**2:
        return ExponentialJoint(R, *_from_series(q, qdot))
    d = 1.0 / (q @ q)
    B = [q[i] * skew(q) for i in range(3)]  # Eq 2.46
    C = [skew(skew(q) @ (I - R) @ e[i]) for i in range(3)]
    A = [(B[i] + C[i]) * d for i in range(3)]
    Rdot = sum((A[i] @ R * qdot[i] for i in range(3)), np.zeros((3, 3)))  # Eqs 2.43, 2.45
    S = np.array([unskew(R.T @ A[i] @ R) for i in range(3)]).T  # Eq 2.44
    ddot = -2.0 * (q @ qdot) * d**2  # Eq 2.47
    columns = []
    for i in range(3):
        Bdot = qdot[i] * skew(q) + q[i] * skew(qdot)
        Cdot = skew(skew(qdot) @ (I - R) @ e[i] - skew(q) @ Rdot @ e[i])
        Adot = (Bdot + Cdot) * d + (B[i] + C[i]) * ddot
        columns.append(unskew(Rdot.T @ A[i] @ R + R.T @ Adot @ R + R.T @ A[i] @ Rdot))
    return ExponentialJoint(R, S, np.array(columns).T)


def _from_series(q: NDArray, qdot: NDArray) -> tuple[NDArray, NDArray]:
    """Return S and its rate by Stumpff functions c_k of |q|, without cancellation: ``S = 1 - c_2 [q] + c_3 [q]^2``."""
    W, Wdot = skew(q), skew(qdot)
    c2, c3, c4, c5 = (stumpff(k, float(np.linalg.norm(q))) for k in (2, 3, 4, 5))
    # by d(|q|^2), c_k changes by (k c_(k+2) - c_(k+1)) / 2
    c2dot, c3dot = (2.0 * c4 - c3) * (q @ qdot), (3.0 * c5 - c4) * (q @ qdot)
    rate = c3dot * W @ W + c3 * (Wdot @ W + W @ Wdot) - c2dot * W - c2 * Wdot
    return np.eye(3) - c2 * W + c3 * W @ W, rate


def reparametrized(q: NDArray, qdot: NDArray) -> tuple[NDArray, NDArray]:
    """Return q and qdot, (3,) each, of the rotation vector that turns the other way round to the same rotation.

    The angular velocity is unchanged. Call it when |q| comes near 2 pi, where S loses its rank.

    Raises
    ------
    StateError
        If q is so near zero or a whole turn that one of the two vectors has no rate.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.exponential_coordinates import reparametrized
    >>> q, qdot = reparametrized(np.array([0.0, 0.0, 6.0]), np.array([0.0, 0.0, 2.0]))
    >>> q[2].round(6).item(), qdot[2].round(9).item()
    (-0.283185, 2.0)
    """
    length = float(np.linalg.norm(q))
    if length < NEAR or abs(length - 2.0 * np.pi) < NEAR:
        raise StateError(
            f"a rotation vector of length {length:.6g} has no other that goes on from it; change it earlier"
        )
    q_new = (1.0 - 2.0 * np.pi / length) * q
    S_prev, S = exponential_joint(q, qdot).S, exponential_joint(q_new, qdot).S
    return q_new, np.linalg.solve(S, S_prev @ qdot)
