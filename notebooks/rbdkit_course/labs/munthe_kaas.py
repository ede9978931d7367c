"""Lab D: write a Munthe-Kaas step, and let its order be measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import so3
from rbdkit_course.answers import brief, call, numbers
from rbdkit_course.checks import checks
from rbdkit_course.labs.judging import Case, Planted, Task, close
from rbdkit_course.verdict import Verdict, right, wrong

MOMENTS = np.array([1.0, 2.0, 3.2])
"""Inertia of the body about its fixed point, kg m²."""
PULL = np.array([0.6, -0.4, 1.5])
"""Weight times the centre of mass, in the body, N m."""
START = so3.exp([0.3, -0.2, 0.5]), np.array([2.0, -1.0, 3.0])
"""Initial rotation matrix, and angular velocity in body coordinates, rad/s."""
DURATION = 1.0
STEPS = (20, 40, 80)

Rate = Callable[[NDArray, NDArray], NDArray]
State = tuple[NDArray, NDArray]

EXPONENTIAL_MISTAKES: Mapping[str, str] = {
    "transposed": "that turns the other way: the sign of the term with the sine.",
    "first order": "1 + φ̂ is only its beginning; the product with its transpose is not 1.",
    "half": "(1 - cos φ) is divided by φ², and the sine by φ.",
    "degrees": "φ is in radians.",
}

STEP_MISTAKES: Mapping[str, str] = {
    "no correction": (
        "the stages add up rates that live at different places. u' is not ω but ω + ½ u × ω + 1/12 u × (u × ω) + ...; "
        "without it the order is 2."
    ),
    "minus": "the sign of ½ u × ω. It is - for R' = ω̂ R (ω in the world) and + for R' = R ω̂ (ω in the body).",
    "from the left": "R exp(u), not exp(u) R: ω is in the body, so what is added stands on its side.",
    "old place": "each stage asks for f at R exp(u) of *that* stage, not at the R of the beginning.",
    "old rate": "each stage has its own angular velocity, ω + what has been added so far.",
    "weights": "the weights of RK4 are 1, 2, 2, 1, divided by 6.",
}


def falling(R: NDArray, w: NDArray) -> NDArray:
    """Return the angular acceleration of a heavy top by Euler's equation, with its weight along -z of the world."""
    return np.asarray((np.cross(PULL, -R[2]) - np.cross(w, MOMENTS * w)) / MOMENTS)


@checks("LD-1")
def exponential(my_exp: Callable[..., Any]) -> Verdict:
    """Stage 1: ``phi -> R``, the rotation by a vector; also by a tiny one, and by none."""

    def algorithm(planted: Planted, phi: NDArray) -> NDArray:
        if "first order" in planted:
            return np.eye(3) + so3.skew(phi)
        if "degrees" in planted:
            return np.asarray(so3.exp(np.deg2rad(phi)))
        if "half" in planted:
            angle, P = np.linalg.norm(phi), so3.skew(phi)
            return np.eye(3) if angle == 0.0 else np.eye(3) + np.sin(angle) / angle * P + (1.0 - np.cos(angle)) * P @ P
        R = np.asarray(so3.exp(phi))
        return R.T if "transposed" in planted else R

    rng = np.random.default_rng(2)
    cases = [Case(f"phi = {phi.round(2).tolist()}", (phi,)) for phi in rng.normal(size=(4, 3))]
    cases += [
        Case("phi = 0, no turn at all", (np.zeros(3),)),
        Case("a turn of 1e-9 rad", (np.array([0.0, 1e-9, 0.0]),)),
    ]
    task = Task("a matrix of three by three", cases, algorithm, EXPONENTIAL_MISTAKES, own=(so3.exp,))
    return task.verdict(my_exp, "a rotation for every vector, also where sin φ / φ would divide by zero.")


def step(planted: Planted, f: Rate, h: float, R: NDArray, w: NDArray) -> State:
    """One step of RK4 on the rotation group (Munthe-Kaas), with mistakes planted."""

    def rate(u: NDArray, omega: NDArray) -> NDArray:
        if "no correction" in planted:
            return omega
        sign = -1.0 if "minus" in planted else 1.0
        return np.asarray(omega + sign * 0.5 * np.cross(u, omega) + np.cross(u, np.cross(u, omega)) / 12.0)

    def at(u: NDArray) -> NDArray:
        return np.asarray(so3.exp(u) @ R if "from the left" in planted else R @ so3.exp(u))

    k, K = [w], [f(R, w)]
    for part in (0.5, 0.5, 1.0):
        u, w_ = h * part * k[-1], w + h * part * K[-1]
        K.append(f(R if "old place" in planted else at(u), w_))
        k.append(rate(u, w if "old rate" in planted else w_))
    b = np.array([1.0, 1.0, 1.0, 1.0]) / 4.0 if "weights" in planted else np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
    return at(h * b @ np.array(k)), w + h * b @ np.array(K)


@checks("LD-2")
def lie_euler(my_step: Callable[..., Any]) -> Verdict:
    """Stage 2: ``(f, h, R, w) -> (R, w)``, one step of Euler's method that stays on the group."""
    return _judged(my_step, 1, "one exponential a step, and R stays a rotation however long you go on")


@checks("LD-3")
def munthe_kaas(my_step: Callable[..., Any]) -> Verdict:
    """Stage 3: the same with four stages and order 4."""
    return _judged(my_step, 4, "a Munthe-Kaas method: halve the step and the error is a sixteenth")


def _judged(my_step: Callable[..., Any], order: int, praise: str) -> Verdict:
    errors = []
    for steps in STEPS:
        state, fault = _run(my_step, steps)
        if fault is not None:
            return wrong(fault)
        R, w = state
        off = float(np.abs(R.T @ R - np.eye(3)).max())
        if off > 1e-11:
            return wrong(
                f"after {steps} steps R is no rotation any more: RᵀR is off 1 by {off:.1e}. Add in the algebra, "
                "u = h k, and multiply in the group, R exp(u)."
            )
        R_, w_ = _exact()
        errors.append(max(np.abs(R - R_).max(), np.abs(w - w_).max()))
    measured = float(np.log2(errors[-2] / errors[-1])) if errors[-1] > 0.0 else np.inf
    text = (
        f"errors {', '.join(f'{e:.1e}' for e in errors)} with {', '.join(map(str, STEPS))} steps: order {measured:.2f}"
    )
    if abs(measured - order) < 0.3:
        return right(f"{text}. {praise}.")
    if measured > order:
        return wrong(f"{text}. That is a better method than was asked for: here the order should be {order}.")
    if order == 4:
        for some, said in STEP_MISTAKES.items():
            (R, w), _ = _run(lambda *x, some=some: step(frozenset([some]), *x), STEPS[0])
            (mine_R, mine_w), _ = _run(my_step, STEPS[0])
            if close(mine_R, R) and close(mine_w, w):
                return wrong(f"{text}. {said}")
    if measured < 0.5:
        return wrong(f"{text}: it goes somewhere else. Is it R exp(h ω), with ω in the body, and w + h f(R, w)?")
    return wrong(f"{text}, not {order}.")


def _run(my_step: Callable[..., Any], steps: int) -> tuple[State, str | None]:
    R, w = START[0].copy(), START[1].copy()
    for _ in range(steps):
        result, fault = call(my_step, falling, DURATION / steps, R.copy(), w.copy())
        if fault:
            return (R, w), fault
        pair = result if isinstance(result, tuple | list) and len(result) == 2 else (None, None)
        R_, w_ = numbers(pair[0], 3, 3), numbers(pair[1], 3)
        if R_ is None or w_ is None:
            return (R, w), f"it should return R, three by three, and w, three numbers; it returned {brief(result)}."
        R, w = R_, w_
    return (R, w), None


@cache
def _exact() -> State:
    """Solve by 'dop853' in quaternions and angular velocities, independently of the lab's code."""
    from scipy.integrate import solve_ivp

    from rbdkit.spatial import quaternion

    def rates(_: float, x: NDArray) -> NDArray:
        R = np.asarray(quaternion.to_matrix(x[:4] / np.linalg.norm(x[:4])))
        turning = quaternion.multiply(x[:4], np.array([0.0, *x[4:]]))
        return np.concatenate([0.5 * np.asarray(turning), falling(R, x[4:])])

    start = np.concatenate([quaternion.from_matrix(START[0]), START[1]])
    end = solve_ivp(rates, (0.0, DURATION), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return np.asarray(quaternion.to_matrix(end[:4] / np.linalg.norm(end[:4]))), end[4:]
