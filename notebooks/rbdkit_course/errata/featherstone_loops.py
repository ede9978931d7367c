"""Featherstone, "Rigid Body Dynamics Algorithms" (2008): chapter 8, but for the findings in `featherstone`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import rnea
from rbdkit.algorithms.loops import loop_constraint
from rbdkit.functions import energy, forward_kinematics
from rbdkit.library import planar_four_bar
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.cross import crm
from rbdkit_course.errata.featherstone import SCAN, SOURCE, largest
from rbdkit_course.errata.finding import Errors, Finding

POSE = np.array([0.3, -0.2, 0.4])  # of the tree of a four-bar; it need not close


def table_8_3() -> Errors:
    """Forces that hold the spanning tree of a four-bar at rest, against the slope of its potential energy."""
    model, still, h = planar_four_bar(), np.zeros(3), 1e-3
    slopes = []
    for e in np.eye(3):
        V = [energy(model, POSE + k * h * e, still).potential for k in (-2, -1, 1, 2)]
        slopes.append((V[0] - 8 * V[1] + 8 * V[2] - V[3]) / (12 * h))

    def C(carried: bool) -> NDArray:
        f, found = np.zeros((4, 6)), np.zeros(3)
        poses = forward_kinematics(model, POSE).poses
        for i in model.outward:
            f[i, :] = model.I[i] @ np.concatenate([np.zeros(3), -poses[i, :3, :3].T @ model.gravity])
        for i in model.inward:
            found[i - 1] = model.joints[i].motion_subspace(POSE)[:, 0] @ f[i]
            if carried:
                X = plucker.from_pose(model.joints[i].pose(POSE))
                f[model.parent[i]] += X.T @ f[i]  # else f_i itself grows, which nobody reads any more
        return found

    return Errors(largest(C(False) - slopes), largest(C(True) - slopes))


def table_8_4_a_s() -> Errors:
    """The place of a pin against the other side of it while hinges turn steadily, by differences, against k."""
    model, h = planar_four_bar(), 1e-3
    (loop,), q = model.loops, model.neutral()
    p, s = loop.predecessor, loop.successor
    v = np.linalg.svd(loop_constraint(model, q, np.zeros(3)).K)[2][2]  # keeps the loop closed
    v *= 3.0 / v[0]

    def gap(t: float) -> NDArray:
        poses = forward_kinematics(model, q + t * v).poses
        far, near = poses[s] @ loop.successor_placement, poses[p] @ loop.joint.placement
        return far[:3, :3].T @ (far[:3, 3] - near[:3, 3])

    e = [gap(k * h) for k in (-2, -1, 0, 1, 2)]
    exact = -(-e[0] + 16 * e[1] - 30 * e[2] + 16 * e[3] - e[4]) / (12 * h**2)
    motion, poses = rnea(model, q, v, np.zeros(3)), forward_kinematics(model, q).poses
    from_p, from_s = (se3.adjoint(poses[i]) for i in (p, s))
    v_p, a_p, v_s, a_s = from_p @ motion.v[p], from_p @ motion.a[p], from_s @ motion.v[s], from_s @ motion.a[s]
    X_s = plucker.from_pose(poses[s] @ loop.successor_placement)

    def k(a_of_s: NDArray) -> NDArray:
        return -(X_s @ (a_of_s - a_p + crm(v_s) @ v_p))[3:]

    return Errors(largest(k(a_p) - exact), largest(k(a_s) - exact))


def section_8_8() -> Errors:
    """K x = k with dependent rows, both blocks written with Y: what a solution of the upper one leaves in the lower."""
    rng = np.random.default_rng(8)
    K_11, K_12, Y, k_1 = rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), rng.normal(size=(3, 3)), rng.normal(size=3)
    x_2 = rng.normal(size=2)
    x_1 = np.linalg.solve(K_11, k_1 - K_12 @ x_2)
    lower = Y @ K_11 @ x_1 + Y @ K_12 @ x_2
    return Errors(largest(lower[:, None] - Y @ K_11), largest(lower - Y @ k_1))


FINDINGS = (
    Finding(
        SOURCE, "Table 8.3, last loop",
        r"$f_i = f_i + {}^{\lambda(i)}X_i^* f_i$", r"$f_{\lambda(i)} = f_{\lambda(i)} + {}^{\lambda(i)}X_i^* f_i$",
        "What a body needs must reach its parent, as in Table 5.1. Forces that hold the spanning tree of a four-bar "
        "linkage up.",
        table_8_3, margin=0.1, tolerance=1e-9, unit="N m", doubt=SCAN,
    ),
    Finding(
        SOURCE, "Table 8.4, line of $a_s$",
        r"$a_s = {}^0X_{p(k)}\, a^{vp}_{p(k)}$", r"$a_s = {}^0X_{s(k)}\, a^{vp}_{s(k)}$",
        "The line of $a_p$ stands in the place of that of $a_s$, and that of $X_p$ stands twice. $k$ of a four-bar "
        "linkage in motion.",
        table_8_4_a_s, margin=0.1, tolerance=1e-9, unit="m/s²", doubt=SCAN,
    ),
    Finding(
        SOURCE, "section 8.8, after Eq 8.50",
        r"lower block of the right-hand side $Y K_{11}$", r"$Y k_1$",
        "$Y$ makes the lower rows of the upper ones, on both sides of the equation.",
        section_8_8, margin=0.1, tolerance=1e-12, doubt=SCAN,
    ),
)  # fmt: skip
