"""Featherstone, "Rigid Body Dynamics Algorithms" (2008): chapters 2 and 4."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import Free, Planar
from rbdkit.joints.joint_type import JointType
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import crm
from rbdkit.spatial.so3 import skew
from rbdkit_course.errata.featherstone import SCAN, SOURCE, V, largest
from rbdkit_course.errata.finding import Errors, Finding

Q, ALPHA = np.array([0.7, 0.9, -0.4]), np.array([1.3, 0.5, -0.8])  # of a planar joint: coordinates, velocities


def spatial_cross() -> Errors:
    """The displayed 6x6 matrix with its fourth row printed or right, against v x."""
    rows = crm(V).copy()
    rows[3, :3] = [0, -V[5], V[1]]
    right = crm(V).copy()
    right[3, :3] = [0, -V[5], V[4]]
    exact = np.block([[skew(V[:3]), np.zeros((3, 3))], [skew(V[3:]), skew(V[:3])]])
    return Errors(largest(rows - exact), largest(right - exact))


def off(joint: JointType, q: NDArray, alpha: NDArray, q_rate: NDArray) -> float:
    """Return the largest difference of dX_J/dt and -(S alpha) x X_J when the coordinates move at q_rate."""

    def X(t: float) -> NDArray:
        return joint.transform(q + t * q_rate)

    h = 1e-3
    X_rate = (X(-2 * h) - 8 * X(-h) + 8 * X(h) - X(2 * h)) / (12 * h)
    v_J = joint.motion_subspace(q) @ alpha
    return float(np.abs(X_rate + crm(v_J) @ joint.transform(q)).max())


def planar_by(translation: str, rates: Callable[[float, float], list[list[float]]]) -> float:
    """Return the difference `off` for a planar joint with qdot = rates(cos q1, sin q1) @ alpha."""
    return off(Planar("z", translation), Q, ALPHA, np.array(rates(np.cos(Q[0]), np.sin(Q[0]))) @ ALPHA)


def table_4_1_planar() -> Errors:
    """Translation in F_s coordinates."""
    _, q2, q3 = Q
    printed = planar_by("successor", lambda c, s: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    right = planar_by("successor", lambda c, s: [[1, 0, 0], [q3, 1, 0], [-q2, 0, 1]])
    return Errors(printed, right)


def example_4_5() -> Errors:
    """Translation in F_p coordinates."""
    _, q2, q3 = Q
    printed = planar_by("predecessor", lambda c, s: [[1, 0, 0], [-q3, c, -s], [q2, s, c]])
    right = planar_by("predecessor", lambda c, s: [[1, 0, 0], [0, c, -s], [0, s, c]])
    return Errors(printed, right)


def table_4_1_free() -> Errors:
    """Unit quaternion, and the translation t in F_s coordinates."""
    joint = Free("successor")
    q, alpha = np.array([0.5, -0.1, 0.7, 0.5, 0.9, -0.4, 0.6]), np.array([1.3, 0.5, -0.8, 0.2, 0.7, -1.1])
    quaternion_rate, w, v, t = joint.rate(q, alpha)[:4], alpha[:3], alpha[3:], q[4:]
    printed, right = (np.concatenate([quaternion_rate, t_rate]) for t_rate in (v, v - np.cross(w, t)))
    return Errors(off(joint, q, alpha, printed), off(joint, q, alpha, right))


def table_4_2() -> Errors:
    """T^T S of a rack and pinion (Example 4.6) seen from the other end; constraint forces do no work, so it is 0."""
    q, r = 0.8, 0.4
    c, s = np.cos(q), np.sin(q)
    S = np.array([0, 0, 1, r * c, -r * s, 0])
    T = np.eye(6)[:, [0, 1, 5, 3, 4]]
    T[2, 3:] = -r * c, r * s  # so that T^T S = 0
    p_X_s = plucker.inverse(plucker.rotz(q) @ plucker.xlt([r * q, 0, 0]))
    reversed_S = -p_X_s @ S
    printed, right = (-transform @ T for transform in (p_X_s, plucker.force(p_X_s)))
    return Errors(np.abs(printed.T @ reversed_S).max(), np.abs(right.T @ reversed_S).max())


def eq_3_19() -> Errors:
    """Constraint force between 1 kg, pulled with 4 N, and 3 kg tied to it: both gain 1 m/s2, so (-3, 3) N."""
    H_inverse, G = np.diag([1.0, 1.0 / 3.0]), np.ones((2, 1))
    saddle = np.block([[H_inverse, G], [G.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(saddle, np.array([4.0, 0.0, 0.0]))[:2]
    exact = np.array([-3.0, 3.0])
    return Errors(np.abs(solution - exact).max(), np.abs(-solution - exact).max())


WHY = "The numbers are how far the transform moves from where $v_J = S\\alpha$ would take it."

FINDINGS = (
    Finding(
        SOURCE, "section 2.16, the displayed $v\\times$",
        r"row 4: $(0,\ -v_{Oz},\ \omega_y, \dots)$", r"row 4: $(0,\ -v_{Oz},\ v_{Oy}, \dots)$",
        "The lower left block is $v_O\\times$, as the line itself says.",
        spatial_cross, margin=0.1, tolerance=1e-15, doubt=SCAN,
    ),
    Finding(
        SOURCE, "Eq 3.19 and the displays before and after it",
        r"unknowns $(\tau_c,\ \ddot y)$", r"unknowns $(-\tau_c,\ \ddot y)$",
        "One step of elimination in Eq 3.18 leaves $-H^{-1}\\tau_c + G\\ddot y$. The accelerations are right either "
        "way; the constraint force gets the wrong sign.",
        eq_3_19, margin=1.0, tolerance=1e-14, unit="N",
        doubt="the scan loses minus signs; here it would have to be the same one in three displays.",
    ),
    Finding(
        SOURCE, "Table 4.1, planar joint",
        r"$S$ constant, $\dot q = \alpha$",
        r"$\dot q_2 = \alpha_2 + q_3\alpha_1$, $\dot q_3 = \alpha_3 - q_2\alpha_1$",
        WHY + " The translation is in $F_s$ coordinates, and these turn: the table's constant $S$ belongs to the "
        "velocity of the point, not to the rates of its coordinates.",
        table_4_1_planar, margin=0.3, tolerance=1e-10,
    ),
    Finding(
        SOURCE, "Table 4.1, 6-DoF joint",
        r"$S = 1$, $(\dot q_5, \dot q_6, \dot q_7) = v$", r"$\dot t = v - \omega\times t$, $t = (q_5, q_6, q_7)$",
        WHY + " The book prints rates for the quaternion only (Eq 4.13); for the rest it assumes "
        "$\\dot q = \\alpha$, and then the same happens as with the planar joint.",
        table_4_1_free, margin=0.3, tolerance=1e-10,
    ),
    Finding(
        SOURCE, "Example 4.5",
        r"$\dot q = \begin{bmatrix}1&0&0\\ -q_3&c_1&-s_1\\ q_2&s_1&c_1\end{bmatrix}\alpha$",
        r"$\dot q = \begin{bmatrix}1&0&0\\ 0&c_1&-s_1\\ 0&s_1&c_1\end{bmatrix}\alpha$",
        WHY + " The printed matrix would be right for $\\alpha = {}^s\\dot q$, but then $S$ is not the constant of "
        "Table 4.1, and the two cannot be used together.",
        example_4_5, margin=0.3, tolerance=1e-10,
    ),
    Finding(
        SOURCE, "Table 4.2",
        r"$-{}^pX_s\,T$", r"$-{}^pX_s^*\,T$",
        "$T$ is a subspace of forces. For the joints of Table 4.1 the motion transform gives the right subspace by "
        "luck; a rack and pinion (Example 4.6) shows the difference. The number is work done by constraint forces.",
        table_4_2, margin=0.1, tolerance=1e-14, doubt=SCAN,
    ),
)  # fmt: skip
