"""Checks of the exercises in the notebook on derivatives of dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.derivatives import aba_derivatives, rnea_derivatives
from rbdkit.functions import aba, crba
from rbdkit.library import double_pendulum, random_tree
from rbdkit.model import Model
from rbdkit_course.answers import brief, call, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong

GRAVITY = 9.81
"""Gravity in the exercise on the leaning rod, m/s²."""


def _state(model: Model, rng: np.random.Generator) -> tuple[NDArray, NDArray, NDArray]:
    return model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


@checks("F07b-1")
def turned_around(function: Any) -> Verdict:
    """Exercise 1: a function of H and dtau_dq (n, n) that gives da_dq (n, n)."""
    rng = np.random.default_rng(5)
    for seed in range(3):
        model = random_tree(seed, bodies=4)
        q, v, tau = _state(model, rng)
        exact = aba_derivatives(model, q, v, tau)
        H, by_q = crba(model, q), rnea_derivatives(model, q, v, exact.a).dtau_dq
        answer, fault = call(function, H.copy(), by_q.copy(), own=(aba_derivatives,))
        if fault:
            return wrong(f"give a function of (H, dtau_dq): {fault}")
        found = numbers(answer, *exact.da_dq.shape)
        if found is None:
            return wrong(f"your function returns {brief(answer)}; it should be a matrix {exact.da_dq.shape}.")
        if np.allclose(found, exact.da_dq, rtol=1e-7, atol=1e-7):
            continue
        if np.allclose(found, -exact.da_dq, rtol=1e-7, atol=1e-7):
            return wrong("all of it has the wrong sign: the sum of both changes must vanish, because tau stays.")
        if np.allclose(found, -by_q) or np.allclose(found, by_q):
            return wrong("that is a torque per radian. The machine answers a missing torque by accelerating: H.")
        if np.allclose(found, -by_q @ np.linalg.inv(H), rtol=1e-7, atol=1e-7):
            return wrong("the factors are in the wrong order: rows of dtau_dq are torques, and H is to act on those.")
        return wrong(f"on a tree of {model.nv} freedoms it is off by up to {np.abs(found - exact.da_dq).max():.2g}.")
    return right(
        "one system with H for all columns; from inverse dynamics the derivatives of forward dynamics come free."
    )


@checks("F07b-2")
def best_step(answer: Any) -> Verdict:
    """Exercise 2: a step for central differences that gives da_dq of a double pendulum to 1e-8 of its size."""
    step = number(answer)
    if step is None or not 0.0 < step < 10.0:
        return wrong(f"{brief(answer)} is not a step in rad.")
    model, v, tau = double_pendulum(), np.array([1.0, -2.0]), np.zeros(2)
    worst = 0.0
    for q in np.random.default_rng(3).uniform(-3.0, 3.0, (40, 2)):
        exact = aba_derivatives(model, q, v, tau).da_dq
        right_end, left_end = (np.array([aba(model, q + s * step * e, v, tau) for e in np.eye(2)]) for s in (1, -1))
        found = (right_end - left_end).T / (2.0 * step)
        worst = max(worst, float(np.abs(found - exact).max() / np.abs(exact).max()))
    if worst < 1e-8:
        return right(
            f"in 40 poses no entry is off by more than {worst:.1e} of the largest. Curvature costs step², round-off "
            "10⁻¹⁶/step; both are small about the cube root of 10⁻¹⁶."
        )
    if step > 1e-5:
        return wrong(f"off by {worst:.1e}: at {step:.1g} rad the curve is no straight line. Take less.")
    return wrong(f"off by {worst:.1e}: two numbers that agree in most digits were subtracted. Take a longer step.")


@checks("F07b-3")
def state_matrix(function: Any) -> Verdict:
    """Exercise 3: a function of da_dq and da_dv (n, n) that gives A (2n, 2n) of the linear system in (q, v)."""
    rng = np.random.default_rng(8)
    model = random_tree(2, bodies=3)
    q, v, tau = _state(model, rng)
    d = aba_derivatives(model, q, v, tau)
    n, zero = model.nv, np.zeros((model.nv, model.nv))
    answer, fault = call(function, d.da_dq.copy(), d.da_dv.copy())
    if fault:
        return wrong(f"give a function of (da_dq, da_dv): {fault}")
    found = numbers(answer, 2 * n, 2 * n)
    if found is None:
        return wrong(f"your function returns {brief(answer)}; q and v together have {2 * n} numbers, so A is square.")
    if np.allclose(found, np.block([[zero, np.eye(n)], [d.da_dq, d.da_dv]])):
        return right("the upper half says that q changes with v, the lower one holds all of dynamics.")
    if np.allclose(found[:n], 0.0):
        return wrong("the upper half is empty, but q does change: its rate is v itself.")
    if np.allclose(found[n:], np.hstack([d.da_dv, d.da_dq])):
        return wrong("the two blocks below are exchanged: columns go as the state does, q first.")
    if np.allclose(found[:n], np.hstack([d.da_dq, d.da_dv])):
        return wrong("the halves are upside down: the first rows are the rate of q, the last those of v.")
    return wrong("rows are rates of (q, v), columns are q and v: which block says how v changes with q?")


@checks("F07b-4")
def leaning_rod(answer: Any, ball: float = 2.0) -> Verdict:
    """Exercise 4: the least stiffness (N m/rad) that keeps a ball on a rod of 0.5 m upright."""
    stiffness = number(answer)
    if stiffness is None:
        return wrong(f"{brief(answer)} is not a stiffness in N m/rad.")
    least = ball * GRAVITY * 0.5
    if abs(stiffness - least) <= 0.01 * least:
        return right(f"{least:.3g} N m/rad, the slope of the weight's moment. Less, and the sum of slopes tips over.")
    if abs(stiffness - 2.0 * least) <= 0.01 * least:
        return wrong("that leaves the length out: the moment of the weight is m g l sin q.")
    if abs(stiffness + least) <= 0.01 * least:
        return wrong("the spring pulls back and the weight pushes away; as a stiffness it is a positive number.")
    if abs(stiffness - least / GRAVITY) <= 0.01 * least / GRAVITY:
        return wrong("gravity is missing: kilograms are no newtons.")
    side = "the rod falls over" if stiffness < least else "it stands, but less would do"
    return wrong(f"with {stiffness:.3g} N m/rad {side}. Differentiate the moment of the weight at the top.")
