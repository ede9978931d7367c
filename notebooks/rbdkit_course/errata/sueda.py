"""Sueda, "Rigid Body Dynamics Notes": points, springs and the linearly implicit step (sections 1.4 to 1.9.3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import se3
from rbdkit.spatial.fields import material_jacobian
from rbdkit.spatial.so3 import skew
from rbdkit_course.errata.finding import Errors, Finding

SOURCE = "Sueda"
X1, X2 = np.array([0.4, -0.3, 0.5]), np.array([-0.2, 0.6, 0.1])  # a point of each of two bodies
E1, E2 = se3.exp([0.5, -0.2, 0.8, 0.3, 0.1, -0.4]), se3.exp([-0.3, 0.9, 0.2, 1.5, 0.7, 0.6])  # their poses
PHI = np.array([0.3, -0.5, 0.2, 0.7, 0.1, -0.4, 0.6, 0.2, -0.8, 0.5, -0.1, 0.9])  # their twists


def slope(function: Callable[[float], NDArray], h: float = 1e-3) -> NDArray:
    """Derivative at zero by five points."""
    return np.asarray((function(-2 * h) - 8 * function(-h) + 8 * function(h) - function(2 * h)) / (12 * h))


def differences(function: Callable[[NDArray], NDArray], x: NDArray) -> NDArray:
    """Derivatives of a function at x along each coordinate, on the last axis."""

    def along(e: NDArray) -> NDArray:
        return slope(lambda s: function(x + s * e))

    return np.stack([along(e) for e in np.eye(len(x))], axis=-1)


def by_poses(function: Callable[[NDArray, NDArray], NDArray]) -> NDArray:
    """Derivatives of a function of the two poses by twists of both bodies, in their own coordinates."""
    return differences(lambda u: function(E1 @ se3.exp(u[:6]), E2 @ se3.exp(u[6:])), np.zeros(12))


def gap(E1: NDArray, E2: NDArray) -> NDArray:
    """From the first point to the second, in the world."""
    return np.asarray(E2[:3, :3] @ X2 + E2[:3, 3] - E1[:3, :3] @ X1 - E1[:3, 3])


def row(d: NDArray, E1: NDArray, E2: NDArray) -> NDArray:
    """(d^T R1 Gamma1, -d^T R2 Gamma2), the row of Eqs 1.52, 1.55, 1.62 to 1.64, 1.67 and 1.68."""
    return np.concatenate([d @ E1[:3, :3] @ material_jacobian(X1), -d @ E2[:3, :3] @ material_jacobian(X2)])


def stretching(E1: NDArray, E2: NDArray) -> tuple[float, NDArray]:
    """Distance of the two points, and the row (12,) that takes the twists of both bodies to its rate (Eq 1.48)."""
    dx = gap(E1, E2)
    length = float(np.linalg.norm(dx))
    return length, -row(dx / length, E1, E2)


def between(E1: NDArray, E2: NDArray) -> NDArray:
    """Wrenches of a spring of no length and stiffness 1 between the two points (Eq 1.35)."""
    return row(gap(E1, E2), E1, E2)


def blocks() -> NDArray:
    """The sixteen blocks of Eq 1.37 without k, which stand in Eqs 1.51, 1.62 and 1.67, too."""
    (R1, p1), (R2, p2) = ((E[:3, :3], E[:3, 3]) for E in (E1, E2))
    A, B, R12 = skew(X1), skew(X2), R1.T @ R2
    a, b = skew(R1.T @ (p1 - R2 @ X2 - p2)), skew(R2.T @ (p2 - R1 @ X1 - p1))
    return np.block([
        [A @ a, A, A @ R12 @ B, -A @ R12],
        [a, np.eye(3), R12 @ B, -R12],
        [B @ R12.T @ A, -B @ R12.T, B @ b, B],
        [R12.T @ A, -R12.T, b, np.eye(3)],
    ])  # fmt: skip


def first_example_of_1_4() -> Errors:
    """Where the point (1, 0, 0) of a body goes that moves along x."""
    phi, start = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 1.0])
    velocity = slope(lambda t: se3.exp(t * phi) @ start)[:3]
    right = material_jacobian(start[:3]) @ phi
    return Errors(np.abs([0, 1, 0] - velocity).max(), np.abs(right - velocity).max())


def eq_1_30() -> Errors:
    """Acceleration of a mass on a spring-damper as the step becomes short, against that of the damped oscillation."""
    m, k, d, L, x, v = 2.0, 3.0, 0.8, 1.1, 0.3, -0.7  # x: how far it is stretched
    K, D, force = -k / L, d / L, -k * x / L - d * v / L

    def velocity(h: float, momentum: float) -> float:
        return (m * v + h * (force + momentum)) / (m + h * D - h**2 * K)

    decay = D / (2 * m)
    w = np.sqrt(-K / m - decay**2)
    exact = slope(lambda t: np.exp(-decay * t) * (v * np.cos(w * t) - (decay * v - K / m * x) / w * np.sin(w * t)))

    def off(momentum: float) -> float:
        return abs(float(slope(lambda h: np.asarray(velocity(h, momentum))) - exact))

    return Errors(off(0.0), off(D * v))


def eq_1_37() -> Errors:
    """The stiffness matrix against differences of the wrenches along twists of both bodies."""
    exact = by_poses(between)
    return Errors(np.abs(blocks() - exact).max(), np.abs(-blocks() - exact).max())


FINDINGS = (
    Finding(
        SOURCE, "section 1.4, first example",
        "`vworld = (0, 1, 0)`", "`vworld = (1, 0, 0)`",
        "The body moves along x without turning, and so do all of its points. The output is that of the second "
        "example.",
        first_example_of_1_4, margin=0.5, tolerance=1e-11, unit="m/s",
    ),
    Finding(
        SOURCE, "Eq 1.30, with a damper",
        r"$f$ is the sum of all forces", r"$f + D\Phi^{(k)}$, that is, without the part that is in $D$",
        "Linearized, the force at the end of the step is $f - D(\\Phi^{(k+1)} - \\Phi^{(k)}) + \\dots$. If a damper or "
        "muscle is in $f$ (Eqs 1.38, 1.66) and in $D$ (Eqs 1.55, 1.68), it damps twice, however short the step is. "
        "Viscous damping (section 1.9.1, \"no contribution to the right-hand side\") and Eq 2.77 are right. The "
        "numbers are the error of the acceleration at $h = 0$.",
        eq_1_30, margin=0.1, tolerance=1e-10, unit="m/s²",
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
)  # fmt: skip
