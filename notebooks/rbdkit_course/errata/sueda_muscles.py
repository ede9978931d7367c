"""Sueda, "Rigid Body Dynamics Notes": muscles (sections 1.9.4 and 1.9.5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial.fields import material_jacobian
from rbdkit.spatial.so3 import skew
from rbdkit_course.errata.finding import Errors, Finding
from rbdkit_course.errata.sueda import (
    E1,
    E2,
    PHI,
    SOURCE,
    X1,
    X2,
    between,
    blocks,
    by_poses,
    differences,
    gap,
    row,
    stretching,
)

F_OPT, ACTIVATION, L_OPT, V_MAX = 30.0, 0.6, 0.8, 5.0  # of a muscle with made-up curves:
# f_L = exp(-l), f_V = tanh(v), f_P = 0; no tendon


def tension(length: float, rate: float) -> float:
    """Eq 1.38 with these curves, N."""
    return float(F_OPT * ACTIVATION * np.exp(-length / L_OPT) * np.tanh(rate / (L_OPT * V_MAX)))


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


def eq_1_53() -> Errors:
    """Derivative of f / |dx| by the poses of two bodies that move, against differences."""

    def f(E1: NDArray, E2: NDArray) -> NDArray:
        length, toward = stretching(E1, E2)
        return np.asarray(tension(length, toward @ PHI) / length)

    exact = by_poses(f)
    (length, toward), dx = stretching(E1, E2), gap(E1, E2)
    rate = toward @ PHI
    f_L, f_V, f_V_slope = (
        np.exp(-length / L_OPT),
        np.tanh(rate / (L_OPT * V_MAX)),
        1 / np.cosh(rate / L_OPT / V_MAX) ** 2,
    )
    by_length = F_OPT * ACTIVATION * -f_L * f_V / L_OPT  # f_opt a f_L' f_V / l_opt
    printed = row((tension(length, rate) / length - by_length) / length**2 * dx, E1, E2)
    # v = u . (w2 - w1) with u = dx / |dx| and the velocities w of the points (Eq 1.48): both factors turn
    u, R1, R2 = dx / length, E1[:3, :3], E2[:3, :3]
    y1, y2 = (material_jacobian(x) @ phi for x, phi in ((X1, PHI[:6]), (X2, PHI[6:])))
    turned = row((R2 @ y2 - R1 @ y1 - rate * u) / length, E1, E2)
    velocities = np.concatenate([u @ R1 @ skew(y1), np.zeros(3), -u @ R2 @ skew(y2), np.zeros(3)])
    by_rate = F_OPT * ACTIVATION * f_L * f_V_slope / (L_OPT * V_MAX)
    right = printed + by_rate / length * (velocities - turned)
    return Errors(np.abs(printed - exact).max(), np.abs(right - exact).max())


def eq_1_55() -> Errors:
    """Largest power, for twists of length 1, that the damping matrix of a muscle puts into the bodies."""
    length, toward = stretching(E1, E2)
    c = 1.7  # f_opt a f_L f_V' / (l_opt v_max): all positive, f_V rises with the velocity
    D = np.outer(between(E1, E2), c / length * toward)  # with the d of Eq 1.56
    printed, right = (max(0.0, -np.linalg.eigvalsh((each + each.T) / 2)[0]) for each in (D, -D))
    return Errors(printed, right)


def eq_1_56() -> Errors:
    """Derivative of f / |dx| by the twists, against differences."""
    length, toward = stretching(E1, E2)
    exact = differences(lambda phi: np.asarray(tension(length, toward @ phi) / length), PHI)
    f_L, f_V_slope = np.exp(-length / L_OPT), 1 / np.cosh(toward @ PHI / (L_OPT * V_MAX)) ** 2

    def by(curve: float) -> NDArray:  # f_L' = -f_L
        return row(-F_OPT * ACTIVATION * curve * f_V_slope / (L_OPT * V_MAX * length**2) * gap(E1, E2), E1, E2)

    return Errors(np.abs(by(-f_L) - exact).max(), np.abs(by(f_L) - exact).max())


def eq_1_62() -> Errors:
    """Derivative of the wrenches of a muscle of tension 1 by the poses, against differences."""
    exact = by_poses(lambda E1, E2: between(E1, E2) / stretching(E1, E2)[0])
    length, dx = stretching(E1, E2)[0], gap(E1, E2)
    first, second = np.outer(between(E1, E2), row(dx / length**3, E1, E2)), blocks() / length
    return Errors(np.abs(first + second - exact).max(), np.abs(first - second - exact).max())


FINDINGS = (
    Finding(
        SOURCE, "Eq 1.41, row 3, and the text above",
        r"$(1.8^3\ \ 1.8^2\ \ 1.8\ \ 1)$", r"$(1.7^3\ \ 1.7^2\ \ 1.7\ \ 1)$",
        "Only with 1.7, the end of the interval, are the coefficients of Eq 1.42 the solution. (The paragraph also "
        "calls this passive curve the active one, and the point where the two cubics meet is $x = 1.3$, not 1.0. The "
        "coefficients of Eqs 1.44 and 1.46 are right.)",
        eq_1_41, margin=1.0, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eqs 1.53, 1.63, 1.67",
        r"$\mathbf d$ with $f_L'f_V + f_P'$ only", r"and the part of $f_L f_V'\,\partial\tilde v/\partial E$",
        "The rate $v$ of Eq 1.48 depends on the poses, through the direction of $\\Delta x$ and through both "
        "rotations; the printed derivative by $E$ holds it fixed. Nothing is missing while the bodies are at rest. In "
        "Eq 1.67 it is the damper's $\\dot l$. A program may well leave this part out of $K$, knowing that it does.",
        eq_1_53, margin=0.1, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eqs 1.54, 1.55, 1.64",
        r"$D = \partial f/\partial\Phi$", r"$D = -\partial f/\partial\Phi$",
        "Eq 1.30 adds $hD$ to the mass, and for viscous damping has $D = d\\,I$ with $d > 0$: that is minus the "
        "derivative. As printed, a muscle that resists stretching feeds the motion. Eq 1.68 has the sign that Eq 1.30 "
        "needs. The number is the most power that $-D$ gives to twists of length 1.",
        eq_1_55, margin=0.1, tolerance=1e-14, unit="W",
    ),
    Finding(
        SOURCE, "Eq 1.56",
        r"$f_{opt}\,a f_L' f_V'$", r"$f_{opt}\,a f_L f_V'$",
        "The length does not change with the velocity. Eq 1.64, the same for several segments, is right.",
        eq_1_56, margin=0.1, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eq 1.62",
        r"$K_k = K_{k1} + K_{k2}$", r"$K_k = K_{k1} - K_{k2}$",
        "$K_{k1}$ is the derivative of $1/\\lVert\\Delta x_k\\rVert$ times the wrench, and $K_{k2}$, with the blocks "
        "of Eq 1.37, minus that of the rest; so the sum is neither the derivative nor minus the derivative. "
        "Eq 1.61 adds it to a derivative. ($\\Delta x$ in $K_{k1}$ lacks the index $k$.)",
        eq_1_62, margin=0.1, tolerance=1e-9,
    ),
)  # fmt: skip
