"""Checks of the exercises in the notebook on fewer, mixed and softer coordinates (Sueda, sections 2.6, 2.7, 2.9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.algorithms.redmax import (
    bodies_at,
    hybrid_accelerations,
    hyper_reduced_equation,
    recursive_hybrid,
    reduced_equation,
)
from rbdkit.library.cuboids import cuboid_chain
from rbdkit_course.checks import checks
from rbdkit_course.sueda.returned import returned, same, worst
from rbdkit_course.verdict import Verdict, right, wrong

OWN = (hyper_reduced_equation, hybrid_accelerations, recursive_hybrid, reduced_equation)


@checks("S08-1")
def hyper_reduced(solve: Any) -> Verdict:
    """``solve(M_r, f_r, J)``: accelerations (m,) of coordinates with qd = J qd_R (Eqs 2.80 to 2.83)."""
    model = cuboid_chain(5)
    rng = np.random.default_rng(1)
    reduced = reduced_equation(bodies_at(model, rng.normal(size=5), np.zeros(5)))
    for J in (np.ones((5, 1)), rng.normal(size=(5, 2))):
        m = J.shape[1]
        found, fault = returned(solve, (reduced.M_r, reduced.f_r, J), "M_r, f_r, J", (m,), own=OWN)
        if fault:
            return wrong(fault)
        exact = np.linalg.solve(J.T @ reduced.M_r @ J, J.T @ reduced.f_r)
        if same(found[0], exact):
            continue
        free = np.linalg.solve(reduced.M_r, reduced.f_r)
        if same(found[0], np.linalg.lstsq(J, free, rcond=None)[0]):
            return wrong(
                "that takes the free accelerations and fits them. Joints are tied together by forces; the nearest "
                "motion is meant in the metric of M_r: J^T M_r J."
            )
        if same(found[0], J.T @ np.linalg.inv(reduced.M_r) @ J @ (J.T @ reduced.f_r)):
            return wrong("the inverse of J^T M_r J is not J^T M_r^-1 J: put the inertia together first, then divide.")
        return wrong(f"with {m} coordinates {worst(found[0], exact)}. Eq 2.83: J^T M_r J and J^T f_r.")
    return right("one more J, and the chain has as many freedoms as you like.")


@checks("S08-2")
def hybrid(solve: Any) -> Verdict:
    """``solve(M, f, prescribed, qdd)``: all accelerations, and the motor forces of the prescribed joints (Eq 2.106)."""
    model = cuboid_chain(4)
    rng = np.random.default_rng(2)
    reduced = reduced_equation(bodies_at(model, rng.normal(size=4), rng.normal(size=4)))
    M, f = reduced.M_r, reduced.f_r
    for prescribed, own in (([1], np.array([3.0])), ([0, 2], np.array([0.0, -40.0]))):
        k = len(prescribed)
        found, fault = returned(solve, (M, f, list(prescribed), own), "M, f, prescribed, qdd", (4,), (k,), own=OWN)
        if fault:
            return wrong(fault)
        motion, tau = found
        E = np.eye(4)[:, prescribed]
        exact = np.linalg.solve(np.block([[M, -E], [E.T, np.zeros((k, k))]]), np.concatenate([f, own]))
        name = f"with joints {[p + 1 for p in prescribed]} prescribed "
        if same(motion, exact[:4]) and same(tau, exact[4:]):
            continue
        if not same(motion[prescribed], own):
            return wrong(f"{name}these do not accelerate as they were told: {motion[prescribed].round(3).tolist()}.")
        if same(motion, exact[:4]) and same(tau, -exact[4:]):
            return wrong(f"{name}the motors push the wrong way: M qdd = f + tau, and your multiplier is on the left.")
        if same(motion, exact[:4]):
            return wrong(f"{name}all accelerations are right; of the motors {worst(tau, exact[4:])}.")
        untouched = np.linalg.solve(M, f)
        rest = [i for i in range(4) if i not in prescribed]
        if same(motion[rest], untouched[rest]):
            return wrong(f"{name}the other joints do not notice. They hang on the ones that are moved.")
        return wrong(f"{name}{worst(motion, exact[:4])}.")
    return right("some joints are told forces, some accelerations, and one system answers for all.")


@checks("S08-3")
def spring_slope(slope: Any) -> Verdict:
    """``slope(dx, K, L)``: df_0/dx_1 (3, 3) of the spring between two nodes (Eqs 2.85, 2.86), with dx = x_1 - x_0."""
    for dx, K, L, name in (
        (np.array([0.3, 0.4, 1.2]), 5.0, 1.3, "a spring at rest: "),
        (np.array([0.6, -0.8, 2.4]), 7.0, 1.5, "a stretched spring: "),
        (np.array([0.1, 0.2, 0.2]), 7.0, 0.5, "a compressed spring: "),
    ):
        found, fault = returned(slope, (dx, K, L), "dx, K, L", (3, 3))
        if fault:
            return wrong(fault)
        length = float(np.linalg.norm(dx))
        along, across = np.outer(dx, dx) / length**2, np.eye(3) - np.outer(dx, dx) / length**2
        tension = K * (length - L) / L**2
        exact = K / L**2 * along + tension / length * across
        if np.abs(found[0] - exact).max() <= 1e-7 * np.abs(exact).max():
            continue
        for value, why in (
            (-exact, "the sign: when node 1 moves away, node 0 is pulled after it."),
            (K / L**2 * along, "along the spring it is right; but a taut spring also resists being turned."),
            (exact * L, "K belongs to the strain (l - L)/L, and the force is the slope of the energy: 1/L twice."),
            (exact * L**2, "K belongs to the strain (l - L)/L, and the force is the slope of the energy: 1/L twice."),
            (K / L**2 * np.eye(3), "that is a spring of no length; this one has a direction."),
        ):
            if same(found[0], value):
                return wrong(f"{name}{why}")
        return wrong(f"{name}{worst(found[0], exact)}.")
    return right("K/L² along the spring, and the tension over the length across it.")
