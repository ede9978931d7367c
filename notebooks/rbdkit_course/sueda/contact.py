"""Checks of the exercises in the notebook on contact and friction (Sueda, sections 1.11, 1.13, 2.11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.algorithms.solvers import active_set, lemke, quadratic_program
from rbdkit.spatial import se3
from rbdkit.spatial.fields import material_jacobian
from rbdkit_course.answers import short
from rbdkit_course.checks import checks
from rbdkit_course.sueda.returned import returned, same, worst
from rbdkit_course.verdict import Verdict, right, wrong

OWN = (active_set, lemke, quadratic_program)
GOOD = 1e-6
"""Tolerance for results of size one, m/s or N s; Gauss-Seidel iteration need not converge fully."""


@checks("S07-1")
def normal_row(N: Any) -> Verdict:
    """``N(E, x, n)``: the row (6,) with N phi the speed along n of the point of a body that is at x in the world."""
    rng = np.random.default_rng(6)
    E, x, n = se3.random(rng), rng.normal(size=3), np.array([0.0, 0.6, 0.8])
    found, fault = returned(N, (E, x, n), "E, x, n", (6,), own=(material_jacobian,))
    if fault:
        return wrong(fault)
    R, at = E[:3, :3], E[:3, :3].T @ (x - E[:3, 3])
    exact = n @ R @ material_jacobian(at)
    for value, why in (
        (n @ R @ material_jacobian(x), "x is given in the world; Gamma wants the point in the body, R^T (x - p)."),
        (n @ R @ material_jacobian(R @ at), "turn the arm into the body: R^T (x - p)."),
        (n @ R @ material_jacobian(-at), "the angular part has the wrong sign: Gamma = ([x]^T 1)."),
        (
            n @ material_jacobian(at),
            "Gamma phi is a velocity in the axes of the body; n is in the world's, so turn it.",
        ),
        (-exact, "that is the speed against n: parting counts positive."),
    ):
        if same(found[0], value) and not same(value, exact):
            return wrong(why)
    if same(found[0], exact):
        return right("six numbers for one place of contact; tangents go by the same function.")
    return wrong(f"{worst(found[0], exact)}.")


@checks("S07-2")
def contact_impulses(solve: Any) -> Verdict:
    """``solve(A, b)``: alpha >= 0 with A alpha + b >= 0, and one of both zero at every contact (Eq 1.83)."""
    rng = np.random.default_rng(9)
    N = rng.normal(size=(5, 4))
    for A, b, name in (
        (np.array([[2.0]]), np.array([-3.0]), "one contact, pressed on: "),
        (np.array([[2.0]]), np.array([3.0]), "one contact that parts: "),
        (np.array([[1.0, -0.6], [-0.6, 1.0]]), np.array([-1.0, 0.5]), "two contacts that see each other: "),
        (N @ N.T, rng.normal(size=5), "five contacts, one too many: "),
    ):
        found, fault = returned(solve, (A, b), "A, b", b.shape, own=OWN)
        if fault:
            return wrong(f"{name}{fault}")
        alpha = found[0]
        speed = A @ alpha + b
        late = np.maximum(np.linalg.lstsq(A, -b, rcond=None)[0], 0.0)
        if same(alpha, late) and min(speed.min(), -np.abs(alpha * speed).max()) < -GOOD:
            return wrong(f"{name}cut off at the end is too late: the other contacts have counted on that pull.")
        if alpha.min() < -GOOD:
            return wrong(f"{name}alpha = {short(alpha)} pulls; contacts only push.")
        if speed.min() < -GOOD:
            return wrong(f"{name}with alpha = {short(alpha)} bodies sink in, at {-speed.min():.3g} m/s. More sweeps?")
        if np.abs(alpha * speed).max() > GOOD:
            return wrong(f"{name}with alpha = {short(alpha)} a contact pushes and parts at once.")
    return right("never a pull, never a sinking in, never both at once.")


@checks("S07-3")
def friction_impulses(solve: Any) -> Verdict:
    """``solve(B, c, limit)``: beta within +-limit that makes beta^T B beta / 2 + beta^T c least (Eq 2.114)."""
    rng = np.random.default_rng(8)
    T = rng.normal(size=(4, 5))
    for B, c, limit, name in (
        (np.eye(2), np.array([0.3, -0.2]), np.ones(2), "loads that friction can hold: "),
        (np.eye(2), np.array([3.0, -0.2]), np.ones(2), "a load that is too much for it: "),
        (np.array([[2.0, 1.5], [1.5, 2.0]]), np.array([-3.0, 0.0]), np.array([0.5, 2.0]), "two that see each other: "),
        (T @ T.T, rng.normal(size=4), np.zeros(4), "contacts that carry nothing: "),
        (T @ T.T, rng.normal(size=4), np.array([0.1, 0.2, 0.3, 0.4]), "two contacts with two tangents each: "),
    ):
        found, fault = returned(solve, (B, c, limit), "B, c, limit", c.shape, own=OWN)
        if fault:
            return wrong(f"{name}{fault}")
        beta = found[0]
        if (np.abs(beta) - limit).max() > GOOD:
            return wrong(f"{name}beta = {short(beta)} is more than {short(limit)}.")
        slip = B @ beta + c
        free = np.abs(beta) < limit - GOOD
        if free.any() and np.abs(slip[free]).max() > GOOD:
            return wrong(
                f"{name}where friction is not at its limit {np.abs(slip[free]).max():.3g} m/s of slip are left."
            )
        against = slip * np.sign(beta)
        if (~free & (limit > 0)).any() and against[~free & (limit > 0)].max() > GOOD:
            return wrong(f"{name}friction pushes the way it slips; it acts against the slip.")
    return right("the same sweep as before, with two walls instead of one.")
