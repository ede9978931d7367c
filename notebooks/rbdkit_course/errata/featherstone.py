"""Featherstone, "Rigid Body Dynamics Algorithms" (2008): chapters 5 to 10 and Appendix A."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import inverse_dynamics_delta
from rbdkit.costs import best
from rbdkit.functions import bias_force, crba, rnea
from rbdkit.library import chain_pendulum, random_tree, zigzag_chain
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.cross import crf, crm
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.so3 import skew
from rbdkit_course.errata.finding import Errors, Finding

SOURCE = "Featherstone"
V = np.array([0.8, -0.5, 1.3, 0.4, -1.1, 0.6])  # a spatial velocity
X = plucker.rotx(0.4) @ plucker.rotz(-0.9) @ plucker.xlt([0.3, -0.7, 0.5])


def largest(difference: NDArray) -> float:
    """Return the largest absolute value of the entries."""
    return float(np.abs(difference).max())


def eq_5_6() -> Errors:
    """Joint forces at rest without gravity by RNEA, against the sum of Eq 5.6."""
    model = chain_pendulum(4)
    model.gravity = np.zeros(3)
    q, qdd = np.array([0.3, -0.6, 0.4, 0.8]), np.array([1.0, -2.0, 0.5, 3.0])
    H, tau = crba(model, q), rnea(model, q, np.zeros(4), qdd)
    return Errors(largest(H.sum(axis=1) * qdd - tau), largest(H @ qdd - tau))


def after_eq_6_4() -> Errors:
    """Columns of H by ID_delta at qdot, and at q, against the composite rigid-body algorithm."""
    model, q, qd = chain_pendulum(3), np.array([0.3, -0.6, 0.4]), np.array([1.0, -2.0, 0.5])

    def columns(at: NDArray) -> NDArray:
        return np.column_stack([inverse_dynamics_delta(model, at, delta) for delta in np.eye(3)])

    return Errors(largest(columns(qd) - crba(model, q)), largest(columns(q) - crba(model, q)))


def example_8_1() -> Errors:
    """Transform of a cylindrical joint at angle 0.7 and length 0.4, against that of rotation and shift."""
    c, s, z = np.cos(0.7), np.sin(0.7), 0.4
    exact = (plucker.rotz(0.7) @ plucker.xlt([0, 0, z]))[3:, :3]
    printed, right = [[0, z, 0], [-z, 0, 0], [0, 0, 0]], [[-s * z, c * z, 0], [-c * z, -s * z, 0], [0, 0, 0]]
    return Errors(largest(np.array(printed) - exact), largest(np.array(right) - exact))


def table_8_4() -> Errors:
    """Acceleration of a loop's position error by Eq 8.36 with the table's k and k_stab, against the wanted decay."""
    error, rate, T_stab = 0.2, -0.3, 0.5  # along the one direction in which a single sliding body is held: K = 1
    decay = 1 / T_stab
    stabilization = 2 * decay * rate + decay**2 * error  # line 11 of the table, with alpha = beta
    k = 0.0 - stabilization  # line 12; nothing turns, so Eq 8.47 gives 0
    h = 1e-3
    e = [(error + (rate + decay * error) * t) * np.exp(-decay * t) for t in (-2 * h, -h, 0, h, 2 * h)]
    exact = (-e[0] + 16 * e[1] - 30 * e[2] + 16 * e[3] - e[4]) / (12 * h**2)  # e'' + 2 alpha e' + beta^2 e = 0
    return Errors(abs(k + stabilization - exact), abs(k - exact))


def eq_8_64() -> Errors:
    """Bias force of a free body, against the rate of its momentum while the velocity is constant."""
    inertia = Inertia(2.0, [0.1, -0.2, 0.3], np.diag([0.4, 0.7, 0.6])).matrix
    h, momentum = 1e-3, {}
    for k in (-2, -1, 1, 2):  # I v in coordinates that do not move, as the body turns and the observer does not
        X_k = plucker.from_pose(se3.exp(k * h * V))
        momentum[k] = X_k.T @ inertia @ V
    exact = (momentum[-2] - 8 * momentum[-1] + 8 * momentum[1] - momentum[2]) / (12 * h)
    return Errors(largest(crm(V) @ inertia @ V - exact), largest(crf(V) @ inertia @ V - exact))


def tables_9_5_and_9_6() -> Errors:
    """Bias force of a chain on moving joints with v_J x v_J, which is zero, and with v_i x v_J, against rbdkit's."""
    model = random_tree(3, bodies=6)
    model.gravity = np.zeros(3)
    q, v = model.random_q(1), np.linspace(-1.5, 2.0, model.nv)

    def C(with_cross: bool) -> NDArray:
        n = len(model.bodies)
        X, velocity, a, f = np.zeros((n, 6, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6))
        tau = np.zeros(model.nv)
        for i in model.outward:
            joint, up = model.joints[i], model.parent[i]
            X_J, _, v_J, c_J = joint.calc(q, v)
            X[i] = X_J @ model.X_tree[i]
            velocity[i] = X[i] @ velocity[up] + v_J
            a[i] = X[i] @ a[up] + c_J + (crm(velocity[i]) @ v_J if with_cross else crm(v_J) @ v_J)
            f[i] = model.I[i] @ a[i] + crf(velocity[i]) @ model.I[i] @ velocity[i]
        for i in model.inward:
            tau[model.joints[i].v_slice] = model.joints[i].motion_subspace(q).T @ f[i]
            f[model.parent[i]] += X[i].T @ f[i]
        return tau

    exact = bias_force(model, q, v)
    return Errors(largest(C(False) - exact), largest(C(True) - exact))


def section_10_2() -> Errors:
    """First acceleration under the rounded forces, computed; four digits are printed."""
    angles = np.deg2rad([75.0, -75.0] * 3)
    tau = np.array([126.0, 97.5, 70.0, 43.8, 21.9, 6.16])
    exact = np.linalg.solve(crba(zigzag_chain(), angles), tau)[0]
    return Errors(abs(0.6952 - exact), abs(0.6592 - exact))


def section_10_3() -> Errors:
    """The number of joints from which CRBA is the largest part, by the formulas that the figure shows."""
    rnea, crba, solve = (best(name).total(np.arange(2, 30)) for name in ("rnea", "crba", "factor_and_solve"))
    largest_from = 2 + int(np.flatnonzero((crba > rnea) & (crba > solve))[0])
    return Errors(abs(8 - largest_from), abs(6 - largest_from))


def table_a_4() -> Errors:
    """X^T I^A X by the blocks of the last row of the table, against the product of 6x6 matrices."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(6, 6))
    IA = A @ A.T
    I, H, M = IA[:3, :3], IA[:3, 3:], IA[3:, 3:]
    E, r = plucker.split(X)
    rx, M_new = skew(r), E.T @ M @ E

    def off(H_new: NDArray) -> float:
        corner = H_new + rx @ M_new
        top = E.T @ I @ E + rx @ H_new.T - corner @ rx
        return largest(np.block([[top, corner], [corner.T, M_new]]) - X.T @ IA @ X)

    return Errors(off(E.T @ M @ E), off(E.T @ H @ E))


def scrz() -> Errors:
    """The fourth component of X m, X a screw transform about z, against the product of matrices."""
    c, s, d = np.cos(0.7), np.sin(0.7), 0.4
    mx, my, _, mOx, mOy, _ = V
    exact = (plucker.rotz(0.7) @ plucker.xlt([0, 0, d]) @ V)[3]
    printed, right = (c * (first + my * d) + s * (mOy - mx * d) for first in (mOy, mOx))
    return Errors(abs(printed - exact), abs(right - exact))


SCAN = "the text is a scan read by machine, where a small sign, a star or an index is easily lost."

FINDINGS = (
    Finding(
        SOURCE, "Eq 5.6",
        r"$\sum_j H_{ij}\,\ddot q_i$", r"$\sum_j H_{ij}\,\ddot q_j$",
        "Joint forces of a chain at rest, by the recursive Newton-Euler algorithm.",
        eq_5_6, margin=0.1, tolerance=1e-12, unit="N m", doubt=SCAN,
    ),
    Finding(
        SOURCE, "section 6.1, after Eq 6.4",
        r"$\mathrm{ID}_\delta(\mathit{model}, \dot q, \delta_\alpha)$",
        r"$\mathrm{ID}_\delta(\mathit{model}, q, \delta_\alpha)$",
        "The inertia matrix depends on the position; Eq 6.4 itself has $q$.",
        after_eq_6_4, margin=0.1, tolerance=1e-13, unit="kg m²", doubt=SCAN,
    ),
    Finding(
        SOURCE, "Example 8.1",
        r"$\begin{bmatrix}0 & z\\ -z & 0\end{bmatrix}$", r"$\begin{bmatrix}-sz & cz\\ -cz & -sz\end{bmatrix}$",
        "What is printed is right for the angle 0 only. The result of the example, the formulas of Table 8.1, is not "
        "affected.",
        example_8_1, margin=0.1, tolerance=1e-15, unit="m",
    ),
    Finding(
        SOURCE, "Table 8.4, with Eqs 8.21, 8.36",
        r"$k$ and $k_{stab}$ of the table in $K\ddot q = k + k_{stab}$", r"$K\ddot q = k$ with this $k$",
        "The table's $k_{stab}$ has the sign opposite to that of Eq 8.22, and its $k_l$ contains it already. Nothing "
        "is wrong with the table as long as only $k$ is taken from it; put both into Eq 8.36, and the stabilization "
        "cancels to the last digit. The numbers are the error of the acceleration with which a gap closes.",
        table_8_4, margin=0.1, tolerance=1e-9, unit="m/s²",
    ),
    Finding(
        SOURCE, "Eq 8.64",
        r"$v\times I v$", r"$v\times^* I v$",
        "A momentum is a force vector. Compared with the rate of a momentum that is carried along.",
        eq_8_64, margin=0.1, tolerance=1e-9, unit="N, N m", doubt=SCAN,
    ),
    Finding(
        SOURCE, "Tables 9.5, 9.6",
        r"$c_J + v_J\times v_J$", r"$c_J + v_i\times v_J$",
        "A vector crossed with itself is zero, so the line as it stands has a term for nothing. Bias forces of a "
        "random tree.",
        tables_9_5_and_9_6, margin=0.1, tolerance=1e-10, unit="N, N m", doubt=SCAN,
    ),
    Finding(
        SOURCE, "section 10.2, first acceleration",
        "0.6952", "0.6592",
        "Two digits changed places; the other five accelerations agree to all printed digits. The right one is good "
        "to half a unit of its last digit.",
        section_10_2, margin=0.03, tolerance=5e-5, unit="rad/s²", doubt=SCAN,
    ),
    Finding(
        SOURCE, "section 10.3, on the second graph of Fig 10.4",
        "CRBA dominates from $n = 8$", "from $n = 6$",
        "By the cheapest rows of Table 10.1 for long chains, which give the other crossings of the text: 855 "
        "operations for CRBA against 836 for RNEA at $n = 6$.",
        section_10_3, margin=1.5, tolerance=1e-12, unit="joints",
        doubt="the number is read off a graph, where the two curves lie close together.",
    ),
    Finding(
        SOURCE, "Table A.4, last row",
        r"$H' = E^T M E$", r"$H' = E^T H E$",
        "Compared with the product $X^T I^A X$ of matrices.",
        table_a_4, margin=0.1, tolerance=1e-12, doubt=SCAN,
    ),
    Finding(
        SOURCE, "section A.4, the product with scrz, row 4",
        r"$c(m_{Oy} + m_y d) + s(m_{Oy} - m_x d)$", r"$c(m_{Ox} + m_y d) + s(m_{Oy} - m_x d)$",
        "In the vector on the left $m_{Ox}$ is missing, too: it has five entries.",
        scrz, margin=0.1, tolerance=1e-15, unit="m/s", doubt=SCAN,
    ),
)  # fmt: skip
