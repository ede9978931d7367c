"""Holzinger, Gerstmayr and Schöberl, unified local velocity coordinates: the formulas of sections 2 to 5.2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.local_velocity import Projection, gamma, integrated, quadrature
from rbdkit.spatial import so3
from rbdkit.spatial.so3 import skew
from rbdkit_course.errata.finding import Errors, Finding

SOURCE = "Holzinger, Gerstmayr, Schöberl"
CUBE = Projection.hexahedral()  # l1 = l2 = l3 = 1, as in the paper's section 4
N_T, N_R = np.array([0.7, -0.4, 1.1]), np.array([0.9, 1.2, -0.6])  # an incremental motion vector
W = np.array([0.8, -0.5, 1.3, 0.4, -1.1, 0.6])  # velocity coordinates
MASS, J = 1.7, np.diag([5.2988, 1.1775, 4.3568])


def largest(*differences: NDArray) -> float:
    """Return the largest absolute value of the entries of several arrays."""
    return max(float(np.abs(difference).max()) for difference in differences)


def eq_8() -> Errors:
    """Body-fixed angular velocity, from a rotation that turns with it."""
    Omega, R0, h = np.array([0.3, -0.8, 1.2]), so3.exp([0.5, 0.2, -0.9]), 1e-3
    R = [R0 @ so3.exp(k * h * Omega) for k in (-2, -1, 0, 1, 2)]
    R_dot = (R[0] - 8 * R[1] + 8 * R[3] - R[4]) / (12 * h)
    return Errors(largest(R_dot @ R0.T - skew(Omega)), largest(R0.T @ R_dot - skew(Omega)))


def inverse_tangent() -> NDArray:
    """T^-1 on SE(3) as the inverse of the series sum (-ad)^k / (k + 1)!, 40 terms: no closed form enters."""
    ad = np.block([[skew(N_R), skew(N_T)], [np.zeros((3, 3)), skew(N_R)]])
    term, T = np.eye(6), np.eye(6)
    for k in range(1, 40):
        term = -term @ ad / (k + 1)
        T = T + term
    return np.linalg.inv(T)


def eq_16() -> Errors:
    """The block that acts on rotations, against the series."""
    t, B, exact = np.linalg.norm(N_R), skew(N_R), inverse_tangent()[3:, 3:]
    cot = 1 / np.tan(t / 2)
    printed = np.eye(3) + B / 2 + (2 - cot) / 2 / t**2 * B @ B
    right = np.eye(3) + B / 2 + (2 - t * cot) / 2 / t**2 * B @ B
    return Errors(largest(printed - exact), largest(right - exact))


def eq_17_block(bracket: NDArray, k1: float, k2: float) -> float:
    """Return the largest difference of the coupling block, with this bracket and these factors, and the series."""
    t, B = np.linalg.norm(N_R), skew(N_R)
    block = skew(N_T) / 2 + k1 * bracket + k2 / t**4 * (N_R @ N_T) * B @ B
    return largest(block - inverse_tangent()[:3, 3:])


def eq_17_bracket() -> Errors:
    """All else right, the bracket printed or right."""
    t, A, B = np.linalg.norm(N_R), skew(N_T), skew(N_R)
    t_cot = t / np.tan(t / 2)
    k1, k2 = (2 - t_cot) / 2 / t**2, (t**2 / (1 - np.cos(t)) + t_cot - 4) / 2
    return Errors(eq_17_block(A @ B - B @ A, k1, k2), eq_17_block(A @ B + B @ A, k1, k2))


def eq_17_last_term() -> Errors:
    """All else right, the last factor printed or right."""
    t, A, B = np.linalg.norm(N_R), skew(N_T), skew(N_R)
    cot = 1 / np.tan(t / 2)
    k1, both = (2 - t * cot) / 2 / t**2, A @ B + B @ A
    printed, right = t**2 / (1 - np.cos(t)) + cot, t**2 / (1 - np.cos(t)) + t * cot - 4
    return Errors(eq_17_block(both, k1, printed / 2), eq_17_block(both, k1, right / 2))


def eq_33() -> Errors:
    """Acceleration of the point y as the derivative of R v(y) along a motion with w(t) = W + t W_dot."""
    W_dot, y, h = np.array([0.2, 0.9, -0.7, 1.4, 0.3, -0.5]), np.array([0.6, -1.3, 0.8]), 1e-3
    v = CUBE.N(y) @ W
    Omega, alpha = CUBE.twist(W)[3:], CUBE.twist(W_dot)[3:]

    def turned_velocity(t: float) -> NDArray:  # R(t) v(y, t), where Magnus' series gives R(t) to t^4
        R = so3.exp(t * Omega + t**2 / 2 * alpha + t**3 / 12 * np.cross(Omega, alpha))
        return R @ CUBE.N(y) @ (W + t * W_dot)

    back2, back, ahead, ahead2 = (turned_velocity(k * h) for k in (-2, -1, 1, 2))
    exact = (back2 - 8 * back + 8 * ahead - ahead2) / (12 * h)
    printed = CUBE.E(W) @ (CUBE.N(y) @ W_dot)  # and the first three terms vanish: N does not depend on time
    right = CUBE.N(y) @ W_dot + CUBE.E(W) @ v
    return Errors(largest(printed - exact), largest(right - exact))


def eq_36() -> Errors:
    """Rates of the three axes by velocities of points, against Eqs 37-39."""

    def v(y: NDArray) -> NDArray:
        return CUBE.N(y) @ W

    a, b, c = W[0] + W[1], W[4] + W[5], W[2] + W[3]
    e, e_dot = np.eye(3), np.array([[0, a, -b], [-a, 0, c], [b, -c, 0]]) / np.sqrt(2)
    return Errors(largest(v(e_dot) - v(np.zeros(3)) - e_dot), largest(v(e) - v(np.zeros(3)) - e_dot))


def eq_56() -> Errors:
    """Gamma of Eq 56 against the volume integral of Eq 49: the matrices, and their products with w."""
    integral = integrated(CUBE, W, *quadrature(MASS, J))[1]
    closed = gamma(CUBE, MASS, J, W)
    return Errors(largest(closed - integral), largest((closed - integral) @ W))


def eq_61_row_1() -> Errors:
    """The first row against the volume integral of Eq 49."""
    w1, w2, w3, w4, w5, w6 = W
    J11, J22, _ = np.diag(J)
    rest, b, c = MASS * (w1 + w2) * (w4 - w3) + MASS * (w5 - w6) * (w5 + w6), w3 + w4, w5 + w6
    exact = (integrated(CUBE, W, *quadrature(MASS, J))[1] @ W)[0] * 2 * np.sqrt(2)
    return Errors(abs(rest + (-J11 - J22) * b * c - exact), abs(rest + (-J11 + J22) * b * c - exact))


def eq_61_row_6() -> Errors:
    """The last row against the volume integral of Eq 49."""
    w1, w2, w3, w4, w5, w6 = W
    rest = MASS * (w1 - w2) * (w5 + w6) + (J[0, 0] - J[2, 2]) * (w1 + w2) * (w3 + w4)
    exact = (integrated(CUBE, W, *quadrature(MASS, J))[1] @ W)[5] * 2 * np.sqrt(2)
    return Errors(abs(rest + MASS * (w3**2 - w4**2) - exact), abs(rest - MASS * (w3**2 - w4**2) - exact))


def eq_78() -> Errors:
    """Eqs 73 to 77 with T2 printed or right, against the series."""
    t, A, B, zero = np.linalg.norm(N_R), skew(N_T), skew(N_R), np.zeros((3, 3))
    k1 = (1 - t / 2 / np.tan(t / 2)) / t**2
    k2 = N_R @ N_T / (2 * t**4) * (t**2 / (1 - np.cos(t)) + t / np.tan(t / 2) - 4)
    K = np.block([[k1 * np.eye(3), k2 * np.eye(3)], [zero, k1 * np.eye(3)]])
    start = np.eye(6) + np.block([[B, A], [zero, B]]) / 2
    printed = start + K @ np.block([[A @ B - B @ A, zero], [zero, B @ B]])
    right = start + K @ np.block([[B @ B, A @ B + B @ A], [zero, B @ B]])
    exact = inverse_tangent() @ CUBE.D.T
    return Errors(largest(printed @ CUBE.D.T - exact), largest(right @ CUBE.D.T - exact))


SERIES = "Compared with the inverse of the power series of the tangent operator, summed term by term. "

FINDINGS = (
    Finding(
        SOURCE, "Eq 8",
        r"$\tilde\Omega = \dot R R^T$", r"$\tilde\Omega = R^T \dot R$",
        "What is printed is the angular velocity in fixed axes; everywhere else in the paper it is that in body axes.",
        eq_8, margin=0.1, tolerance=1e-10, unit="rad/s",
    ),
    Finding(
        SOURCE, "Eq 16",
        r"$2 - \cot\frac{\lVert n_R\rVert}{2}$",
        r"$2 - \lVert n_R\rVert\cot\frac{\lVert n_R\rVert}{2}$",
        SERIES + "The factor in front of the bracket of Eq 17 lacks the same.",
        eq_16, margin=1e-2, tolerance=1e-14,
    ),
    Finding(
        SOURCE, "Eq 17, bracket",
        r"$[\tilde n_T, \tilde n_R]$, called the Lie bracket",
        r"$\tilde n_T\tilde n_R + \tilde n_R\tilde n_T$",
        SERIES + "The anticommutator is meant, as in Eq 78.",
        eq_17_bracket, margin=1e-2, tolerance=1e-14,
    ),
    Finding(
        SOURCE, "Eq 17, last term",
        r"$\frac{\lVert n_R\rVert^2}{1-\cos\lVert n_R\rVert} + \cot\frac{\lVert n_R\rVert}{2}$",
        r"$\frac{\lVert n_R\rVert^2}{1-\cos\lVert n_R\rVert} + \lVert n_R\rVert\cot\frac{\lVert n_R\rVert}{2} - 4$",
        SERIES + "Eq 77 has the same term, without the misprint. Only with the −4 does it stay finite at zero.",
        eq_17_last_term, margin=1e-2, tolerance=1e-14,
    ),
    Finding(
        SOURCE, "Eq 33",
        r"$(\dot N_1\dot w)\,e_1 + \dots + (N_1\dot w)\,\dot e_1 + \dots$",
        r"$(N_1\dot w)\,e_1 + \dots + (N_1 w)\,\dot e_1 + \dots$",
        "A dot too many in each line; Eq 35 has it right. Compared with the derivative of a velocity along a motion.",
        eq_33, margin=0.1, tolerance=1e-9, unit="m/s²",
    ),
    Finding(
        SOURCE, "Eq 36",
        r"$\dot e_i = v(\dot e_i) - v(0)$", r"$\dot e_i = v(e_i) - v(0)$",
        "The velocity of the tip of the axis, less that of its foot. The text below inserts $e_i$, and Eqs 37 to 39, "
        "which follow, are right.",
        eq_36, margin=0.1, tolerance=1e-14, unit="rad/s",
    ),
    Finding(
        SOURCE, "Eqs 49, 56",
        r"the integral $\Gamma$ is $D\,\mathrm{diag}(EJ_1, EJ_2)\,D^T$",
        r"$\Gamma w = D\,\mathrm{diag}(EJ_1, EJ_2)\,D^T w$",
        "The integral is skew-symmetric, Eq 56 is not. Only the products with $w$ agree, and only they enter the "
        "equations of motion: no harm is done until somebody compares the matrices, or differentiates them.",
        eq_56, margin=0.1, tolerance=1e-13,
    ),
    Finding(
        SOURCE, "Eq 61, row 1",
        r"$(-J_{11} - J_{22})(w_3 + w_4)$", r"$(-J_{11} + J_{22})(w_3 + w_4)$",
        "Compared with the integral of Eq 49.",
        eq_61_row_1, margin=0.1, tolerance=1e-13, unit="N",
    ),
    Finding(
        SOURCE, "Eq 61, row 6",
        r"$m(w_3^2 - w_4^2 + \dots)$", r"$m(-w_3^2 + w_4^2 + \dots)$",
        "Compared with the integral of Eq 49; the four rows between are right.",
        eq_61_row_6, margin=0.1, tolerance=1e-13, unit="N",
    ),
    Finding(
        SOURCE, "Eq 78",
        r"$\begin{bmatrix}[\tilde n_{13},\tilde n_{46}] & 0\\ 0 & \tilde n_{46}^2\end{bmatrix}$",
        r"$\begin{bmatrix}\tilde n_{46}^2 & \tilde n_{13}\tilde n_{46} + \tilde n_{46}\tilde n_{13}\\"
        r" 0 & \tilde n_{46}^2\end{bmatrix}$",
        SERIES + "The first column of blocks has slipped, and the bracket is the anticommutator again.",
        eq_78, margin=1e-2, tolerance=1e-14,
    ),
)  # fmt: skip
