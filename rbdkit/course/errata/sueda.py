"""Sueda, "Rigid Body Dynamics Notes"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.course.errata.finding import Errors, Finding
from rbdkit.spatial import plucker, se3, so3
from rbdkit.spatial.fields import material_jacobian
from rbdkit.spatial.so3 import skew

SOURCE = "Sueda"
X1, X2 = np.array([0.4, -0.3, 0.5]), np.array([-0.2, 0.6, 0.1])  # a point of each of two bodies
E1, E2 = se3.exp([0.5, -0.2, 0.8, 0.3, 0.1, -0.4]), se3.exp([-0.3, 0.9, 0.2, 1.5, 0.7, 0.6])  # their poses


def slope(function: Callable[[float], NDArray], h: float = 1e-3) -> NDArray:
    """Derivative at zero by five points."""
    return np.asarray((function(-2 * h) - 8 * function(-h) + 8 * function(h) - function(2 * h)) / (12 * h))


def differences(function: Callable[[NDArray], NDArray], x: NDArray) -> NDArray:
    """Derivatives of a function at x along each coordinate, on the last axis."""

    def along(e: NDArray) -> NDArray:
        return slope(lambda s: function(x + s * e))

    return np.stack([along(e) for e in np.eye(len(x))], axis=-1)


def first_example_of_1_4() -> Errors:
    """Where the point (1, 0, 0) of a body goes that moves along x."""
    phi, start = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 1.0])
    velocity = slope(lambda t: se3.exp(t * phi) @ start)[:3]
    right = material_jacobian(start[:3]) @ phi
    return Errors(np.abs([0, 1, 0] - velocity).max(), np.abs(right - velocity).max())


def stretching(E1: NDArray, E2: NDArray) -> tuple[float, NDArray]:
    """Distance of the two points, and the row (12,) that takes the twists of both bodies to its rate (Eq 1.48)."""
    dx = (E2 @ [*X2, 1])[:3] - (E1 @ [*X1, 1])[:3]
    G1, G2 = material_jacobian(X1), material_jacobian(X2)
    length = float(np.linalg.norm(dx))
    return length, np.concatenate([-dx @ E1[:3, :3] @ G1, dx @ E2[:3, :3] @ G2]) / length


def between(E1: NDArray, E2: NDArray) -> NDArray:
    """Wrenches of a spring of no length and stiffness 1 between the two points (Eq 1.35)."""
    dx = (E2 @ [*X2, 1])[:3] - (E1 @ [*X1, 1])[:3]
    G1, G2 = material_jacobian(X1), material_jacobian(X2)
    return np.concatenate([G1.T @ E1[:3, :3].T @ dx, -G2.T @ E2[:3, :3].T @ dx])


def eq_1_37() -> Errors:
    """The stiffness matrix against differences of the wrenches along twists of both bodies."""

    def moved(u: NDArray) -> NDArray:
        return between(E1 @ se3.exp(u[:6]), E2 @ se3.exp(u[6:]))

    exact = differences(moved, np.zeros(12))
    (R1, p1), (R2, p2) = ((E[:3, :3], E[:3, 3]) for E in (E1, E2))
    A, B, R12 = skew(X1), skew(X2), R1.T @ R2
    a, b = skew(R1.T @ (p1 - R2 @ X2 - p2)), skew(R2.T @ (p2 - R1 @ X1 - p1))
    printed = np.block([
        [A @ a, A, A @ R12 @ B, -A @ R12],
        [a, np.eye(3), R12 @ B, -R12],
        [B @ R12.T @ A, -B @ R12.T, B @ b, B],
        [R12.T @ A, -R12.T, b, np.eye(3)],
    ])  # fmt: skip
    return Errors(np.abs(printed - exact).max(), np.abs(-printed - exact).max())


def eq_1_41() -> Errors:
    """Solution of the eight conditions with the third row at 1.8 and at 1.7, against the coefficients of Eq 1.42."""
    printed = [2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456,
               -2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874]  # fmt: skip

    def value(x: float) -> NDArray:
        return np.array([x**3, x**2, x, 1.0])

    def rate(x: float) -> NDArray:
        return np.array([3 * x**2, 2 * x, 1.0, 0.0])

    def off(x: float) -> float:
        none = np.zeros(4)
        left = np.array([value(1.0), value(1.3), none, rate(1.0), rate(1.3), none, value(1.3), rate(1.3)])
        right = np.array([none, none, value(x), none, none, rate(1.7), -value(1.3), -rate(1.3)])
        sides = np.array([0.0, 0.126110265892917, 1.0, 0.0, 1.07051016402631, 2.85714285714286, 0.0, 0.0])
        return float(np.abs(np.linalg.solve(np.hstack([left, right]), sides) - printed).max())

    return Errors(off(1.8), off(1.7))


def eq_1_56() -> Errors:
    """Derivative of f / |dx| by the twists, for a muscle with made-up curves, against differences."""
    f_opt, a, l_opt, v_max = 30.0, 0.6, 0.8, 5.0
    length, row = stretching(E1, E2)
    f_L, f_L_slope = np.exp(-length), -np.exp(-length)  # at this length; l_T = 0
    phi = np.array([0.3, -0.5, 0.2, 0.7, 0.1, -0.4, 0.6, 0.2, -0.8, 0.5, -0.1, 0.9])

    def f(phi: NDArray) -> NDArray:  # f_V = tanh, Eqs 1.38 and 1.49; f_P does not depend on the velocity
        return np.asarray(f_opt * a * f_L * np.tanh(row @ phi / (l_opt * v_max)) / length)

    exact = differences(f, phi)
    f_V_slope = 1 / np.cosh(row @ phi / (l_opt * v_max)) ** 2

    def by(curve: float) -> NDArray:  # d.R1 Gamma1, -d.R2 Gamma2 is a multiple of the row
        return f_opt * a * curve * f_V_slope / (l_opt * v_max * length) * row

    return Errors(np.abs(by(f_L_slope) - exact).max(), np.abs(by(f_L) - exact).max())


def eq_1_66() -> Errors:
    """Power of a spring and damper against what the spring takes up and the damper burns, by differences."""
    k, d, L = 3.0, 0.8, 1.1
    phi = np.array([0.3, -0.5, 0.2, 0.7, 0.1, -0.4, 0.6, 0.2, -0.8, 0.5, -0.1, 0.9])

    def stored(t: float) -> NDArray:
        length, _ = stretching(E1 @ se3.exp(t * phi[:6]), E2 @ se3.exp(t * phi[6:]))
        return np.array([length, k * (length - L) ** 2 / (2 * L)])

    length_rate, stored_rate = slope(stored)
    exact = -stored_rate - d * length_rate**2 / L
    length, row = stretching(E1, E2)
    printed = (k * (length - L) / L - d * length_rate / L) * row  # f_n is this row
    right = (-k * (length - L) / L - d * length_rate / L) * row
    return Errors(abs(printed @ phi - exact), abs(right @ phi - exact))


def eq_1_55() -> Errors:
    """Largest power, for twists of length 1, that the damping matrix of a muscle puts into the bodies."""
    length, row = stretching(E1, E2)
    c = 1.7  # f_opt a f_L f_V' / (l_opt v_max): all positive, f_V rises with the velocity
    left = -length * row  # Gamma1^T R1^T dx, -Gamma2^T R2^T dx
    D = np.outer(left, c / length * row)  # with the d of Eq 1.56
    printed, right = (max(0.0, -np.linalg.eigvalsh((each + each.T) / 2)[0]) for each in (D, -D))
    return Errors(printed, right)


def eq_1_84() -> Errors:
    """Velocity below the floor of a ball that falls on it; the impulse is that of Eq 1.83, solved by hand."""
    mass, N = 2.0, np.array([0.0, 0.0, 1.0])
    M, f = mass * np.eye(3), mass * np.array([0.3, 0.0, -4.0])  # f holds the momentum before the contact
    alpha = max(0.0, float(-(N @ f / mass) / (N @ N / mass)))  # the least of Eq 1.83
    printed, right = (np.linalg.solve(M, f + sign * N * alpha) for sign in (-1, 1))
    return Errors(max(0.0, -N @ printed), max(0.0, -N @ right))


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


def eq_2_66() -> Errors:
    """Derivatives of the cumulative basis of Eq 2.65 by differences."""
    B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
    q = 0.3

    def cumulative(x: NDArray) -> NDArray:
        return np.cumsum(x[::-1], axis=0)[::-1]

    exact = slope(lambda t: cumulative(B @ (q + t) ** np.arange(4)))
    printed = B[:, 1:] @ [1, 2 * q, 3 * q**2]
    return Errors(np.abs(printed - exact).max(), np.abs(cumulative(printed) - exact).max())


FINDINGS = (
    Finding(
        SOURCE, "section 1.4, first example",
        "`vworld = (0, 1, 0)`", "`vworld = (1, 0, 0)`",
        "The body moves along x without turning, and so do all of its points. The output is that of the second "
        "example.",
        first_example_of_1_4, margin=0.5, tolerance=1e-11, unit="m/s",
    ),
    Finding(
        SOURCE, "Eqs 1.37, 1.51",
        r"$K = k\begin{pmatrix}[x_1][R_1^T(p_1 - x_2)] & [x_1] & \dots\\ \vdots\end{pmatrix}$",
        "the same with a minus in front",
        "All sixteen blocks are those of $-\\partial f/\\partial E$; but Eq 1.30 has $M + hD - h^2K$ and Eq 1.33 "
        "gives $+\\partial f/\\partial E$. With the printed sign a spring makes the linearly implicit step less "
        "stable instead of more, and in Eq 1.50 the two terms of a muscle have opposite signs.",
        eq_1_37, margin=0.5, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eq 1.41, row 3, and the text above",
        r"$(1.8^3\ \ 1.8^2\ \ 1.8\ \ 1)$", r"$(1.7^3\ \ 1.7^2\ \ 1.7\ \ 1)$",
        "Only with 1.7, the end of the interval, are the coefficients of Eq 1.42 the solution. (The paragraph also "
        "calls this passive curve the active one, and the point where the two cubics meet is $x = 1.3$, not 1.0.)",
        eq_1_41, margin=1.0, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eqs 1.54, 1.55",
        r"$D = \partial f/\partial\Phi$", r"$D = -\partial f/\partial\Phi$",
        "Eq 1.30 adds $hD$ to the mass, and for viscous damping has $D = d\\,I$ with $d > 0$: that is minus the "
        "derivative. As printed, a muscle that resists stretching feeds the motion. The number is the most power that "
        "$-D$ gives to twists of length 1.",
        eq_1_55, margin=0.1, tolerance=1e-14, unit="W",
    ),
    Finding(
        SOURCE, "Eq 1.56",
        r"$f_{opt}\,a f_L' f_V'$", r"$f_{opt}\,a f_L f_V'$",
        "The length does not change with the velocity. Eq 1.64, the same for several segments, is right.",
        eq_1_56, margin=0.1, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eqs 1.65, 1.66",
        r"$f_s = k\frac{l-L}{L} - d\frac{\dot l}{L}$", r"$f_s = -k\frac{l-L}{L} - d\frac{\dot l}{L}$",
        "With $f_n$ as in Eq 1.66, which pulls body 2 along $+\\Delta x$, a stretched spring would push its ends "
        "further apart. The number is power that comes from nowhere. (Eqs 1.67 and 1.68 differentiate $f_s$ with two "
        "plus signs: like Eq 1.37 they are minus the derivatives of the force.)",
        eq_1_66, margin=0.1, tolerance=1e-9, unit="W",
    ),
    Finding(
        SOURCE, "Eq 1.84",
        r"$M\Phi + N^T\alpha = \tilde f$", r"$M\Phi - N^T\alpha = \tilde f$",
        "Eq 1.83 is the dual of Eq 1.79 with $N\\Phi\\ge 0$, so the impulse pushes along $+N$. As printed, contact "
        "doubles the velocity into the floor. (Eq 2.113 counts $N$ the other way round and is consistent in itself.)",
        eq_1_84, margin=0.1, tolerance=1e-14, unit="m/s",
    ),
    Finding(
        SOURCE, "Eq 2.56, entry (5, 2)",
        r"$-\dot q_2\,Q_2^{xy}$", r"$-\dot q_2\,Q_2^{yx}$",
        "It is the derivative of $Q_2^{yy}$. (Eq 2.52, which ends in $+\\dots - \\dot S_2$ on one line, means these "
        "two blocks of columns.)",
        eq_2_56, margin=0.1, tolerance=1e-11, unit="rad/s",
    ),
    Finding(
        SOURCE, "Eq 2.66",
        r"$\tilde B'$ from $B'(q) = \frac16(\dots)$", r"$\tilde B_i' = B_i' + \dots + B_4'$",
        "The matrices are the derivatives of $B$, without the tilde, and the sums of Eq 2.65 are still to be taken.",
        eq_2_66, margin=0.1, tolerance=1e-11,
    ),
)  # fmt: skip
