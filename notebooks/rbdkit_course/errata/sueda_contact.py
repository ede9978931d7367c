"""Sueda, "Rigid Body Dynamics Notes": spring-dampers and contact (sections 1.9.6 to 1.13)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import se3
from rbdkit.spatial.fields import material_jacobian
from rbdkit_course.errata.finding import Errors, Finding
from rbdkit_course.errata.sueda import E1, E2, PHI, SOURCE, X1, between, blocks, by_poses, gap, row, slope, stretching


def eq_1_66() -> Errors:
    """Power of a spring and damper against what the spring takes up and the damper burns, by differences."""
    k, d, L = 3.0, 0.8, 1.1

    def stored(t: float) -> NDArray:
        length, _ = stretching(E1 @ se3.exp(t * PHI[:6]), E2 @ se3.exp(t * PHI[6:]))
        return np.array([length, k * (length - L) ** 2 / (2 * L)])

    length_rate, stored_rate = slope(stored)
    exact = -stored_rate - d * length_rate**2 / L
    length, f_n = stretching(E1, E2)
    printed = (k * (length - L) / L - d * length_rate / L) * f_n
    right = (-k * (length - L) / L - d * length_rate / L) * f_n
    return Errors(abs(printed @ PHI - exact), abs(right @ PHI - exact))


def eq_1_67() -> Errors:
    """Derivative of the wrenches of a spring by the poses, against differences; the better of both signs counts."""
    k, L = 3.0, 1.1

    def f(E1: NDArray, E2: NDArray) -> NDArray:  # Eq 1.66 without the damper
        length, f_n = stretching(E1, E2)
        return k * (length - L) / L * f_n

    exact, (length, f_n), dx = by_poses(f), stretching(E1, E2), gap(E1, E2)
    f_s, first = k * (length - L) / L, np.outer(f_n, row(-k / L * dx / length, E1, E2))
    K_n1, K_n2 = np.outer(between(E1, E2), row(dx / length**3, E1, E2)), blocks() / length

    def off(K: NDArray) -> float:
        return float(min(np.abs(K - exact).max(), np.abs(K + exact).max()))

    return Errors(off(first + f_s * (K_n1 + K_n2)), off(first + f_s * (K_n2 - K_n1)))


def eq_1_75() -> Errors:
    """Velocity of a point of a body whose twist changes, against differences of its place."""
    phi, phi_rate = PHI[:6], PHI[6:]
    exact = slope(lambda t: (E1 @ se3.exp(t * phi + t**2 / 2 * phi_rate))[:3] @ [*X1, 1])
    printed, right = (E1[:3, :3] @ material_jacobian(X1) @ each for each in (phi_rate, phi))
    return Errors(np.abs(printed - exact).max(), np.abs(right - exact).max())


def eq_1_82() -> Errors:
    """By what share a gap grows in a step of Eqs 1.27 and 1.29, at acceleration level; 0 if it shrinks."""
    h = 0.01

    def growth(rate: float) -> float:
        g, g_rate, before = 1.0, 0.0, 1.0
        for _ in range(40):
            before = g
            g_rate += h * (-2.0 * rate * g_rate - rate**2 * g)  # what the second line makes of G q'' + G' q'
            g += h * g_rate
        return max(0.0, abs(g / before) - 1.0)

    return Errors(growth(1.0 / h), growth(0.5 / h))


def eq_1_84() -> Errors:
    """Velocity below the floor of a ball that falls on it; the impulse is that of Eq 1.83, solved by hand."""
    mass, N = 2.0, np.array([0.0, 0.0, 1.0])
    M, f = mass * np.eye(3), mass * np.array([0.3, 0.0, -4.0])  # f holds the momentum before the contact
    alpha = max(0.0, float(-(N @ f / mass) / (N @ N / mass)))  # the least of Eq 1.83
    printed, right = (np.linalg.solve(M, f + sign * N * alpha) for sign in (-1, 1))
    return Errors(max(0.0, -N @ printed), max(0.0, -N @ right))


FINDINGS = (
    Finding(
        SOURCE, "Eqs 1.65, 1.66",
        r"$f_s = k\frac{l-L}{L} - d\frac{\dot l}{L}$", r"$f_s = -k\frac{l-L}{L} - d\frac{\dot l}{L}$",
        "With $f_n$ as in Eq 1.66, which pulls body 2 along $+\\Delta x$, a stretched spring would push its ends "
        "further apart. The number is power that comes from nowhere. (Eqs 1.67 and 1.68 differentiate $f_s$ with two "
        "plus signs; Eq 2.86, the same spring between two nodes, is right.)",
        eq_1_66, margin=0.1, tolerance=1e-9, unit="W",
    ),
    Finding(
        SOURCE, "Eq 1.67",
        r"$f_s\,(K_{n1} + K_{n2})$", r"$f_s\,(K_{n2} - K_{n1})$",
        "$f_n$ has the sign opposite to that of Eq 1.60, and so the blocks of Eq 1.37 fit and the outer product does "
        "not. As printed $K$ is neither the derivative of the force nor minus the derivative: the number is the "
        "smaller distance. The right one is the derivative of a spring that pulls along $+f_n$, as Eq 1.66 has it; "
        "with the sign of the force mended, minus that goes into Eq 1.30.",
        eq_1_67, margin=0.1, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eq 1.75",
        r"$\dot x = R\,\Gamma\,\dot\phi$", r"$\dot x = R\,\Gamma\,\phi$",
        "A dot too many, as Eqs 1.12 and 1.76 show.",
        eq_1_75, margin=0.1, tolerance=1e-10, unit="m/s",
    ),
    Finding(
        SOURCE, "Eq 1.82, second line, and the text below",
        r"$\alpha = \beta = 1/h$", r"$\alpha = \beta = 1/(2h)$, or less",
        "At velocity level $\\gamma = 1/h$ closes a gap in one step. At acceleration level, with the steps of "
        "Eqs 1.27 and 1.29, gaps grow by $(1+\\sqrt 5)/2$ a step: $-2\\alpha h$ turns the rate around, and "
        "$-\\beta^2$ adds to it.",
        eq_1_82, margin=0.5, tolerance=1e-12,
        doubt="the sentence may have the first line alone in mind.",
    ),
    Finding(
        SOURCE, "Eq 1.84",
        r"$M\Phi + N^T\alpha = \tilde f$", r"$M\Phi - N^T\alpha = \tilde f$",
        "Eq 1.83 is the dual of Eq 1.79 with $N\\Phi\\ge 0$, so the impulse pushes along $+N$. As printed, contact "
        "doubles the velocity into the floor. (Eq 2.113 counts $N$ the other way round and is consistent in itself.)",
        eq_1_84, margin=0.1, tolerance=1e-14, unit="m/s",
    ),
)  # fmt: skip
