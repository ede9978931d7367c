"""Gebhardt and Romero, "The rotating rigid body model based on a non-twisting frame"."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import Directors, SplitEuler
from rbdkit.formulations.directors.turning import triad
from rbdkit.library import fixed_point_model
from rbdkit.spatial import so3, twist
from rbdkit_course.errata.finding import Errors, Finding

SOURCE = "Gebhardt and Romero"
Q = np.array([0.5, -0.1, 0.7, 0.5])  # attitude of the body, a unit quaternion
W = np.array([1.2, -0.7, 0.9])  # its angular velocity, body axes, rad/s


def eq_24() -> Errors:
    """How far the rotated d1, d2, d3 are from a triad."""
    R, psi = so3.exp([0.3, -0.8, 0.5]), 0.8
    d1, d2 = R[:, 0], R[:, 1]

    def off(second: NDArray) -> float:
        rotated = np.column_stack([np.cos(psi) * d1 + np.sin(psi) * d2, second, R[:, 2]])
        return float(np.abs(rotated - twist.twisted(R, psi)).max())

    return Errors(off(-np.sin(psi) * d1 + np.cos(psi) * d1), off(-np.sin(psi) * d1 + np.cos(psi) * d2))


def eq_30() -> Errors:
    """The parts of w in space pulled back one by one, against W."""
    R, e3 = so3.exp([0.3, -0.8, 0.5]), np.array([0.0, 0.0, 1.0])
    w, d3 = R @ W, R[:, 2]
    W_par = w @ d3
    W_perp = R.T @ (w - W_par * d3)
    return Errors(np.abs(W_perp + W_par * d3 - W).max(), np.abs(W_perp + W_par * e3 - W).max())


def eq_51() -> Errors:
    """Rate of pi_par along a free motion, where pi itself stands still, by differences of pi . d3."""
    system, h = SplitEuler(fixed_point_model()), 1e-3
    x, v = system.state(Q, W)
    pi_perp, pi_par = system.momentum(x, v)
    pi, d3, d3_rate = pi_perp + pi_par * x[6:9], x[6:9], system.d3_rate(x, v)
    w, w_rate = triad(x) @ v, triad(x) @ system.rate(0.0, x, v)

    def pi_par_at(t: float) -> float:  # d3 is carried along by w + t w_rate, to t^4
        turned = so3.exp(t * w + t**2 / 2 * w_rate - t**3 / 12 * np.cross(w, w_rate)) @ d3
        return float(pi @ turned)

    exact = (pi_par_at(-2 * h) - 8 * pi_par_at(-h) + 8 * pi_par_at(h) - pi_par_at(2 * h)) / (12 * h)
    return Errors(abs(-pi_perp @ d3_rate - exact), abs(pi_perp @ d3_rate - exact))


def eq_63() -> Errors:
    """Second derivative of the squared lengths of the directors with three constraints, and with six."""
    system = Directors(fixed_point_model())
    x, v = system.state(Q, W)
    lengths, bias = system.H(x)[3:], system.H(v)[3:] @ v
    C, zero = system.H(x)[:3], np.zeros((3, 3))
    matrix = np.block([[system.M, C.T], [C, zero]])
    printed = np.linalg.solve(matrix, np.concatenate([np.zeros(9), -system.H(v)[:3] @ v]))[:9]
    right = system.rate(0.0, x, v)
    return Errors(np.abs(lengths @ printed + bias).max(), np.abs(lengths @ right + bias).max())


def eq_103() -> Errors:
    """What is left of Eq 103 a step, as steps become short, for a director and a momentum along made-up curves."""
    d, d_rate = np.array([0.6, 0.0, 0.8]), np.array([0.4, -0.9, -0.3])
    p, p_rate = np.array([1.2, -0.5, 0.7]), np.array([-0.3, 0.8, 1.1])

    def difference(h: float) -> float:  # the left side less the first two terms of the right one
        d_1, p_1 = so3.exp(h * np.cross(d, d_rate)) @ d, p + h * p_rate
        return float(d @ p_1 - d_1 @ p - (d_1 @ p_1 - d @ p))

    h = 1e-3
    exact = (difference(-2 * h) - 8 * difference(-h) + 8 * difference(h) - difference(2 * h)) / (12 * h)
    return Errors(abs(2 * d_rate @ p - exact), abs(-2 * d_rate @ p - exact))


def eq_110() -> Errors:
    """Work of the momenta of the directors on the variation, against Pi2."""
    system = Directors(fixed_point_model())
    x, v = system.state(Q, W)
    d1, d2, d3 = x.reshape(3, 3)
    p, Pi2 = system.M @ v, (system.body.J @ W)[1]
    printed, right = np.concatenate([-d3, 0 * d1, d2]), np.concatenate([-d3, 0 * d1, d1])
    return Errors(abs(printed @ p - Pi2), abs(right @ p - Pi2))


FINDINGS = (
    Finding(
        SOURCE, "Eq 24",
        r"$d_2^\psi = -\sin\psi\,d_1 + \cos\psi\,d_1$", r"$d_2^\psi = -\sin\psi\,d_1 + \cos\psi\,d_2$",
        "The printed vector is neither of unit length nor at right angles to $d_1^\\psi$.",
        eq_24, margin=0.1, tolerance=1e-14,
    ),
    Finding(
        SOURCE, "Eqs 30, 39",
        r"$W = W_\perp + W_\parallel\,d_3$", r"$W = W_\perp + W_\parallel\,D_3$",
        "The convected vectors live in the reference configuration: their third axis is $D_3 = \\Lambda^T d_3$. In Eq "
        "39 the same for $\\Pi$.",
        eq_30, margin=0.1, tolerance=1e-14, unit="rad/s",
    ),
    Finding(
        SOURCE, "Eqs 51b, 69b, 71b, 75",
        r"$\dot\pi_\parallel + \pi_\perp\cdot\dot d_3 = 0$", r"$\dot\pi_\parallel - \pi_\perp\cdot\dot d_3 = 0$",
        "Eq 53 of the proof has $+\\,\\dot\\pi_\\perp\\cdot d_3$, which is right; moving the dot over to the other "
        "factor changes the sign, since $\\pi_\\perp\\cdot d_3 = 0$ throughout. Compared with a difference of "
        "$\\pi\\cdot d_3$, π constant.",
        eq_51, margin=0.1, tolerance=1e-9, unit="N m",
    ),
    Finding(
        SOURCE, "Eq 63",
        r"$h = (d_2\cdot d_3,\ d_1\cdot d_3,\ d_1\cdot d_2)$",
        r"and $\frac12(d_i\cdot d_i - 1)$, $i = 1, 2, 3$",
        "Enough on $S^2\\times S^2\\times S^2$, where the paper puts the directors. But its equations move them as "
        "vectors in space, and there they stretch at once without the rows of unit length. The numbers are how fast "
        "that begins.",
        eq_63, margin=0.1, tolerance=1e-12, unit="1/s²",
    ),
    Finding(
        SOURCE, "Eq 103, first line",
        r"$+h(\dot d_{3,n}\cdot\pi^2_{n+1} + \dots)$", r"$-h(\dot d_{3,n}\cdot\pi^2_{n+1} + \dots)$",
        "Eqs 101 and 102 are to be subtracted. The proof survives: by Eq 104 the bracket is small.",
        eq_103, margin=0.1, tolerance=1e-9,
    ),
    Finding(
        SOURCE, "Eq 110",
        r"$\frac h2(-d_3 \dots,\ 0,\ d_2 \dots)$", r"$\frac h2(-d_3 \dots,\ 0,\ d_1 \dots)$",
        "A turn about $d_2$ moves $d_3$ towards $d_1$. Only then is the work of the momenta on it $\\Pi^2$.",
        eq_110, margin=0.1, tolerance=1e-12, unit="kg m²/s",
    ),
)  # fmt: skip
