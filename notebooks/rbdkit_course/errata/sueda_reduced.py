"""Sueda, "Rigid Body Dynamics Notes": joints in reduced coordinates (section 2.4)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import plucker, se3, so3
from rbdkit_course.errata.finding import Errors, Finding
from rbdkit_course.errata.sueda import E1, E2, SOURCE, slope

B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6  # cubic B-spline, Eq 2.61


def eq_2_56() -> Errors:
    """S-dot of the planar free joint against differences of its S (Eq 2.55)."""
    q, q_rate = 0.7, 1.3
    S1, S2 = np.eye(6)[:, 3:5], np.eye(6)[:, 2:3]

    def S(t: float) -> NDArray:
        return np.hstack([plucker.rotz(q + t * q_rate) @ S1, S2])

    exact, Q = slope(S), so3.exp([0.0, 0.0, q])
    printed = np.zeros((6, 3))
    printed[3:5, :2] = q_rate * np.array([[Q[0, 1], Q[1, 1]], [-Q[0, 0], -Q[0, 1]]])
    right = printed.copy()
    right[4, 1] = -q_rate * Q[1, 0]
    return Errors(np.abs(printed - exact).max(), np.abs(right - exact).max())


def algorithm_3() -> Errors:
    """dS/dq of a spline joint, against differences of its S, which themselves agree with those of Q."""
    frames = [E1, E1 @ se3.exp([0.5, -0.2, 0.8, 1.0, 0.3, -0.6]), E2, E2 @ se3.exp([-0.9, 0.6, 0.4, 0.5, -1.2, 0.3])]
    delta = [se3.log(se3.inverse(a) @ b) for a, b in pairwise(frames)]  # of frames 2, 3, 4

    def S_and_slope(q: float, last: int) -> tuple[NDArray, NDArray]:
        powers = [[1, q, q**2, q**3], [0, 1, 2 * q, 3 * q**2], [0, 0, 2, 6 * q]]
        basis = [np.cumsum((B @ each)[::-1])[::-1][1:] for each in powers]  # Eq 2.65 and its derivatives
        S, S_slope = delta[0] * basis[1][0], delta[0] * basis[2][0]
        for c, b, b_1, b_2, factor in zip(delta[1:], basis[0][1:], basis[1][1:], basis[2][1:], basis[last][1:]):
            Ad, ad = se3.adjoint(se3.exp(-c * b)), se3.ad(S)
            S = c * b_1 + Ad @ S
            S_slope = c * b_2 + Ad @ (S_slope + ad @ c * factor)
        return S, S_slope

    exact = slope(lambda t: S_and_slope(0.3 + t, 0)[0])
    printed, right = (S_and_slope(0.3, last)[1] for last in (0, 1))
    return Errors(np.abs(printed - exact).max(), np.abs(right - exact).max())


FINDINGS = (
    Finding(
        SOURCE, "Eq 2.56, entry (5, 2)",
        r"$-\dot q_2\,Q_2^{xy}$", r"$-\dot q_2\,Q_2^{yx}$",
        "It is the derivative of $Q_2^{yy}$. (Eq 2.52, which ends in $+\\dots - \\dot S_2$ on one line, means these "
        "two blocks of columns.)",
        eq_2_56, margin=0.1, tolerance=1e-11, unit="rad/s",
    ),
    Finding(
        SOURCE, "Algorithm 3, line 10",
        r"$\mathrm{ad}_i\,\Delta C_i\,\tilde B_i(q)$", r"$\mathrm{ad}_i\,\Delta C_i\,\tilde B_i'(q)$",
        "The adjoint of line 7 changes at the rate $\\tilde B_i'$. Line 16 of Algorithm 4, the same for a surface, "
        "has the derivative $\\partial f_j$ in this place, and is right.",
        algorithm_3, margin=0.01, tolerance=1e-10,
        doubt="a prime is easily lost; but the other four of this loop are there.",
    ),
)  # fmt: skip
