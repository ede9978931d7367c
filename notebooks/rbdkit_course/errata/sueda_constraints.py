"""Sueda, "Rigid Body Dynamics Notes": constraints and reactions (sections 2.8 to 2.12)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import se3
from rbdkit.spatial.fields import material_jacobian
from rbdkit_course.errata.finding import Errors, Finding
from rbdkit_course.errata.sueda import E1, E2, PHI, SOURCE, X1, X2, slope

M = np.array([[3.0, 0.5, 0.2], [0.5, 2.0, 0.4], [0.2, 0.4, 1.5]])  # an inertia matrix
G = np.array([[1.0, -0.5, 2.0]])  # a constraint G qdd = b
F, TARGET = np.array([1.0, -2.0, 0.5]), np.array([4.0])  # forces, and b


def directions(a: NDArray) -> NDArray:
    """v1, v2 of Eq 2.94, (2, 3), at right angles to the axis a."""
    v2 = np.cross(a, np.eye(3)[np.abs(a).argmin()])
    v2 = v2 / np.linalg.norm(v2)
    return np.array([np.cross(v2, a) / np.linalg.norm(a), v2])


def eq_2_97() -> Errors:
    """Rate of G_m along a motion, times the velocities, where the bodies slide along the axis, against differences."""
    axis = np.array([0.48, -0.6, 0.64])  # in body A
    A, points = PHI[:6], [material_jacobian(X1), material_jacobian(X2)]
    apart = E1[:3, :3] @ (points[0] @ A - 0.8 * axis)  # the velocity that point B must have to slide at 0.8 m/s
    B = PHI[6:].copy()
    B[3:] += E2[:3, :3].T @ apart - points[1] @ B

    def G_m(t: float) -> NDArray:
        R_A, R_B = ((E @ se3.exp(t * twist))[:3, :3] for E, twist in ((E1, A), (E2, B)))
        return directions(R_A @ axis) @ np.hstack([R_A @ points[0], -R_B @ points[1]])

    velocities, v = np.concatenate([A, B]), directions(E1[:3, :3] @ axis)
    exact = slope(lambda t: G_m(t) @ velocities)
    rates = [E[:3, :3] @ np.cross(twist[:3], each @ twist) for E, twist, each in zip((E1, E2), (A, B), points)]
    printed = v @ (rates[0] - rates[1])
    v_rate = np.cross(E1[:3, :3] @ A[:3], v)  # carried along by body A
    right = printed + v_rate @ np.hstack([E1[:3, :3] @ points[0], -E2[:3, :3] @ points[1]]) @ velocities
    return Errors(np.abs(printed - exact).max(), np.abs(right - exact).max())


def after_eq_2_106() -> Errors:
    """Acceleration under the computed torque, put into the equation of motion without the constraint."""
    matrix = np.block([[M, G.T], [G, np.zeros((1, 1))]])
    multiplier = np.linalg.solve(matrix, np.concatenate([F, TARGET]))[3:]
    reached = [G @ np.linalg.solve(M, F + sign * G.T @ multiplier) for sign in (1, -1)]
    return Errors(*(float(np.abs(each - TARGET).max()) for each in reached))


def eq_2_117() -> Errors:
    """Power of the joints' reaction forces in permitted motions of two hinged bodies; ideal joints do no work."""
    hinges, offset = ([0.6, 0.0, 0.8, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]), se3.pose(None, [0.4, -0.2, 0.3])
    q, q_rate, gravity, h = np.array([0.5, -0.8]), np.array([2.0, 3.0]), np.array([0.0, 0.0, -9.81]), 0.01
    inertia = np.kron(np.eye(2), np.diag([0.3, 0.5, 0.4, 2.0, 2.0, 2.0]))

    def poses(q: NDArray) -> list[NDArray]:
        first = se3.exp(np.array(hinges[0]) * q[0]) @ offset
        return [first, first @ offset @ se3.exp(np.array(hinges[1]) * q[1]) @ offset]

    def J(q: NDArray) -> NDArray:
        def column(e: NDArray) -> NDArray:
            rates = slope(lambda t: np.array(poses(q + t * e)))
            return np.concatenate([se3.unbracket(se3.inverse(E) @ rate) for E, rate in zip(poses(q), rates)])

        return np.column_stack([column(e) for e in np.eye(2)])

    J_mr, J_rate = J(q), slope(lambda t: J(q + t * q_rate))
    twists = (J_mr @ q_rate).reshape(2, 6)
    f = np.concatenate([
        se3.ad(twist).T @ inertia[:6, :6] @ twist + np.concatenate([np.zeros(3), 2.0 * E[:3, :3].T @ gravity])
        for E, twist in zip(poses(q), twists)
    ])  # fmt: skip
    unconstrained = J_mr @ q_rate + h * np.linalg.solve(inertia, f)
    solved = np.linalg.solve(J_mr.T @ inertia @ J_mr, J_mr.T @ (f - inertia @ J_rate @ q_rate))
    printed = J_mr @ (q_rate + h * solved)
    right = printed + h * J_rate @ q_rate
    reactions = [inertia @ (each - unconstrained) / h for each in (printed, right)]
    return Errors(*(float(np.abs(J_mr.T @ each).max()) for each in reactions))


def eq_2_119() -> Errors:
    """Work in the hinge of a bar that lies on the floor with its other end, by the force of the hinge; it does none."""
    h, half = 0.01, 0.5  # a bar of 2 kg and 1 m: turning, rising
    inertia, weight = np.diag([2.0 / 12.0, 2.0]), np.array([0.0, -2.0 * 9.81])
    J, end = np.array([1.0, half]), np.array([half, 1.0])  # about the hinge; how the other end rises
    free = h * weight  # momenta
    alpha = -(end @ np.linalg.solve(inertia, free)) / (end @ np.linalg.solve(inertia, end))
    unconstrained = np.linalg.solve(inertia, free + alpha * end)
    printed = -inertia @ unconstrained / h  # the bar stays at rest
    lam = -(J @ free) / (J @ end)  # what the floor gives in the reduced problem
    right = -(free + lam * end) / h
    return Errors(abs(float(J @ printed)), abs(float(J @ right)))


def eq_2_118() -> Errors:
    """The force of the contact impulses by f = -N^T alpha / h, against the reaction force they are to produce."""
    h, N, mass = 0.01, np.diag([1.0, 2.0, 0.5]) + 0.3, np.diag([2.0, 3.0, 1.5])
    reaction = np.array([4.0, -1.0, 2.0])
    matrix = N @ np.linalg.solve(mass, N.T) + 1e-13 * np.eye(3)
    alpha = h * np.linalg.solve(matrix, N @ np.linalg.solve(mass, reaction))
    return Errors(*(float(np.abs(-N.T @ each / h - reaction).max()) for each in (alpha, -alpha)))


def eq_2_122() -> Errors:
    """Violation of the constraint under the force G^T lambda of Eq 2.124."""
    free = np.linalg.solve(M, F)
    sides = np.concatenate([np.zeros(3), TARGET - G @ free])
    multiplier = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((1, 1))]]), sides)[3:]
    reached = [G @ np.linalg.solve(M, F + G.T @ each) for each in (multiplier, -multiplier)]
    return Errors(*(float(np.abs(each - TARGET).max()) for each in reached))


def eq_2_127() -> Errors:
    """How far C qdd is below its bound under the force of Eq 2.124, with the least of Eq 2.127 for either bound."""
    free = np.linalg.solve(M, F)
    stiffness, violation = float((G @ np.linalg.solve(M, G.T))[0, 0]), float((TARGET - G @ free)[0])
    least = violation / stiffness  # of the quadratic without a bound; the constraint is violated: it is positive
    forces = [G[0] * bounded for bounded in (min(least, 0.0), max(least, 0.0))]
    return Errors(*(max(0.0, float((TARGET - G @ np.linalg.solve(M, F + each))[0])) for each in forces))


FINDINGS = (
    Finding(
        SOURCE, "Eq 2.97",
        r"$\dot G_m$ with $v_1$, $v_2$ fixed",
        r"and $\dot v_i^T(R_A\Gamma\ \ {-R_B}\Gamma)$, $\dot v_i = \omega_A\times v_i$",
        "The text calls the two rotations the only factors that depend on time; but $v_1$, $v_2$ are at right angles "
        "to a hinge that turns with body A. It makes no difference as long as the points do not separate along the "
        "hinge, as in the planar four-bar linkage of the text. In a loop that is not planar they may, since Eq 2.95 "
        "leaves this direction free.",
        eq_2_97, margin=0.1, tolerance=1e-9, unit="m/s²",
    ),
    Finding(
        SOURCE, "section 2.9, after Eq 2.106",
        r"${}^p\tau = {}^pG_r^T\,{}^p\lambda$", r"${}^p\tau = -{}^pG_r^T\,{}^p\lambda$",
        "The first row of Eq 2.106 is $M_r\\ddot q_r = f_r - \\bar G_r^T\\lambda$; after Eq 1.73 the sign is right. "
        "The number is by how much the joint misses its prescribed acceleration under the computed torque.",
        after_eq_2_106, margin=0.1, tolerance=1e-14, unit="rad/s²",
    ),
    Finding(
        SOURCE, "Eqs 2.117, 2.119",
        r"$\dot q_m^{con\beta} = J_{mr}(\dot q_r^{prev} + h\dots)$",
        r"$J_{mr}(\dots) + h\,\dot J_{mr}\dot q_r^{prev}$",
        "At the end of the step the Jacobian is another one. Without its change $f_\\alpha$ is not the reaction force: "
        "it does work. And line 26 of Algorithm 8 adds it to $f_r$, so that the quadratic velocity vector counts "
        "twice, friction or not. (In the text that was read the dot of $\\dot J_{mr}$ is lost in Eqs 2.117, 2.119 and "
        "2.120; the check has it.)",
        eq_2_117, margin=0.1, tolerance=1e-12, unit="N m",
    ),
    Finding(
        SOURCE, "Eq 2.118",
        r"$\alpha = h\,(N_i M_i^{-1}N_i^T + \epsilon I)^{-1}\dots$", r"$\alpha = -h\,(\dots)^{-1}\dots$",
        "From $f_\\alpha = -N^T\\alpha/h$ (Eqs 2.115, 2.116). $\\alpha$ may have either sign, as the text says; the "
        "bounds $\\pm\\mu\\alpha$ of Eq 2.114 then need $\\lvert\\alpha\\rvert$, or no $\\beta$ is left. The number is "
        "the force by which the impulses miss the reaction.",
        eq_2_118, margin=0.1, tolerance=1e-10, unit="N",
    ),
    Finding(
        SOURCE, "Eq 2.119, line 10 with external constraints",
        r"$f_\alpha = \frac1h M_m(J_{mr}\dot q_r^{con\beta} - \dot q_m^{unc\beta})$, both under $C_m$, $G_m$",
        r"$\dot q_m^{unc\beta}$ of Eq 2.117, less $(C_m^T\lambda_c + G_m^T\lambda)/h$ of the reduced program",
        "Loose bodies lean on external constraints with other forces than jointed ones do, so the difference of both "
        "motions holds more than the joints' forces: that of a bar between hinge and floor would do work in the hinge. "
        "The number is that work for a turn of 1 rad.",
        eq_2_119, margin=0.1, tolerance=1e-12, unit="N m",
    ),
    Finding(
        SOURCE, "Eq 2.122",
        r"unknowns $(\partial\ddot q_r,\ \lambda)$", r"unknowns $(\partial\ddot q_r,\ -\lambda)$",
        "Block elimination gives Eq 2.123 with the other sign on one side. Eqs 2.123 and 2.124 fit each other, and "
        "give the right force. The number is by how much the constraint is missed with the multiplier of Eq 2.122.",
        eq_2_122, margin=0.1, tolerance=1e-14, unit="rad/s²",
    ),
    Finding(
        SOURCE, "Eq 2.127",
        r"$\lambda_c \le 0$", r"$\lambda_c \ge 0$",
        "With this objective and the force $\\bar A_r^T\\lambda$ of Eq 2.124, a constraint pushes where $\\lambda_c$ "
        "is positive. As printed a violated constraint stays without a force. ($\\lambda_c\\le 0$ belongs to the sign "
        "of Eq 2.122, and then the linear term of the objective needs a minus.)",
        eq_2_127, margin=0.1, tolerance=1e-14, unit="rad/s²",
    ),
)  # fmt: skip
