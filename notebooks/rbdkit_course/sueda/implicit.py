"""Checks of the exercises in the notebook on steps for stiff forces (Sueda, sections 1.9 and 2.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax import implicit_velocities, implicit_velocities_by_cg
from rbdkit_course.checks import checks
from rbdkit_course.sueda.returned import returned, same, worst
from rbdkit_course.verdict import Verdict, right, wrong


@checks("S05-1")
def mass_on_spring(step: Any) -> Verdict:
    """``step(x, v, k, d, m, h)``: x and v after a linearly implicit Euler step of a mass on a spring (Eq 2.77)."""
    for x, v, k, d, m, h in (
        (0.3, -0.7, 50.0, 0.0, 2.0, 0.1),
        (0.3, 0.5, 50.0, 4.0, 2.0, 0.1),
        (1.0, 0.0, 1e9, 1e4, 1.0, 0.1),
    ):
        found, fault = returned(step, (x, v, k, d, m, h), "x, v, k, d, m, h", (), ())
        if fault:
            return wrong(fault)
        new = (m * v - h * k * x) / (m + h * d + h**2 * k)
        got_x, got_v = float(found[0]), float(found[1])
        case = f"with k = {k:g}, d = {d:g}, h = {h:g} "
        if abs(got_v - new) <= 1e-10 * max(1e-3, abs(new)):
            if abs(got_x - (x + h * new)) <= 1e-10:
                continue
            if abs(got_x - (x + h * v)) <= 1e-10:
                return wrong(f"{case}v is right; x goes on along the new velocity.")
            return wrong(f"{case}v is right, x = {got_x:.6g} and should be x + h v = {x + h * new:.6g}.")
        for value, why in (
            (v + h * (-k * x - d * v) / m, "that is the explicit step, with the force of now."),
            ((m * v - h * k * x - h * d * v) / (m + h * d + h**2 * k), "implicit damping is not on the right."),
            ((m * v - h * k * x) / (m + h * d + h * k), "with k it is h squared: an h for x, an h for v."),
            ((m * v - h * k * x) / (m + h * d - h**2 * k), "the force falls as x grows: + h² k (Eq 2.77)."),
            (m * v / (m + h * d + h**2 * k), "the spring's force of now, -k x, is missing on the right."),
        ):  # fmt: skip
            if abs(got_v - value) <= 1e-10 * abs(value):
                return wrong(f"{case}{why}")
        return wrong(f"{case}v = {got_v:.6g} and should be {new:.6g}.")
    return right("one division, and no spring is too stiff for it.")


@checks("S05-2")
def velocities(step: Any) -> Verdict:
    """``step(M, K, D, f, v, h)``: velocities after a step; f are all forces, damping among them (Eqs 1.30, 2.79)."""
    rng = np.random.default_rng(3)
    M, K, D, f, v, h = _symmetric(rng), -9.0 * _symmetric(rng), _symmetric(rng), *rng.normal(size=(2, 4)), 0.1
    own = (implicit_velocities, implicit_velocities_by_cg)
    found, fault = returned(step, (M, K, D, f, v, h), "M, K, D, f, v, h", (4,), own=own)
    if fault:
        return wrong(fault)
    A, b = M + h * D - h**2 * K, M @ v + h * (f + D @ v)
    for matrix, side, why in (
        (A, b, ""),
        (A, M @ v + h * f, "f contains -D v already, and A says it again: give it back on the right, + h D v."),
        (M + h * D + h**2 * K, b, "K is df/dx here, as in Eq 1.30: minus h² K."),
        (M + h * D + h**2 * K, M @ v + h * f, "K is df/dx here, as in Eq 1.30: minus h² K. And see what f contains."),
        (M - h * D - h**2 * K, b, "D is -df/dv: plus h D."),
        (M, M @ v + h * f, "that is the explicit step."),
        (M + h * D - h * K, b, "with K it is h squared."),
    ):
        if same(found[0], np.linalg.solve(matrix, side)):
            return wrong(why) if why else right("the step of Baraff and Witkin, which made cloth cheap.")
    return wrong(f"{worst(found[0], np.linalg.solve(A, b))}.")


@checks("S05-3")
def two_stages(step: Any) -> Verdict:
    """``step(f, J, y, h)``: a step of order 2 for y' = f(y) with J = df/dy, which forgets what is infinitely stiff."""

    def end(rate: Callable[[NDArray], NDArray], slope: NDArray, y: NDArray, h: float, n: int) -> tuple[NDArray, str]:
        for _ in range(n):
            found, fault = returned(step, (rate, slope, y, h), "f, J, y, h", y.shape)
            if fault:
                return y, fault
            y = found[0]
        return y, ""

    A = np.array([[0.0, 1.0], [-2.0, -0.5]])
    start = np.array([1.0, 0.3])

    def rate(y: NDArray) -> NDArray:
        return A @ y + np.array([0.0, -0.4 * y[0] ** 3])

    exact, _ = _runge_kutta(rate, start, 400)
    errors = []
    for n in (21, 41):  # odd: a sign that each step turns comes back after an even number
        last, fault = end(rate, A, start, 1.0 / n, n)
        if fault:
            return wrong(fault)
        errors.append(float(np.linalg.norm(last - exact)))
    order = np.log(errors[0] / max(errors[1], 1e-300)) / np.log(41 / 21)
    stiff, fault = end(lambda y: -1e9 * y, np.array([[-1e9]]), np.ones(1), 1.0, 1)
    if fault:
        return wrong(fault)
    if order < 1.7:
        return wrong(
            f"half the step makes the error {2.0**order:.2f} times smaller; 4 times is wanted. Is the "
            "second stage f at y + h k1, with -2 k1 beside it?"
        )
    if errors[1] > 0.1 * float(np.linalg.norm(exact)):
        return wrong(f"with 41 steps it is off by {errors[1]:.2g}, and ends somewhere else: is a sign turned?")
    if abs(stiff[0]) > 1e-3:
        return wrong(
            f"of a motion that is infinitely fast {stiff[0]:.3g} is left after a step, and nothing should be: "
            "γ = 1 - 1/√2, in both stages."
        )
    return right(f"half the step, {2.0**order:.1f} times less error; and what is too fast to see is gone.")


def _runge_kutta(rate: Callable[[NDArray], NDArray], y: NDArray, n: int) -> tuple[NDArray, int]:
    h = 1.0 / n
    for _ in range(n):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(y + h * k3))
    return y, n


def _symmetric(rng: np.random.Generator) -> NDArray:
    B = rng.normal(size=(4, 4))
    return B @ B.T + np.eye(4)
