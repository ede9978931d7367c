"""Checks of the exercises in the notebook on properties of integrators (stability, order, area), in one dimension."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.library import pendulum, small_swing_period
from rbdkit_course.answers import brief, call, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.parts import part
from rbdkit_course.verdict import Verdict, right, wrong

PARTS = {
    "carried_area": "rbdkit_course.stepping_pictures.carried_area:carried_area",
    "ellipj": "scipy.special:ellipj",
    "plt": "matplotlib.pyplot",
    "warnings": "warnings",
}
"""Names that the notebook imports from this module, and where each is defined."""

State = tuple[float, float]


@checks("I1-1")
def longest_stable_step(seconds: Any) -> Verdict:
    """Exercise 1: the longest step, in seconds, with which symplectic Euler keeps small swings small; to 1 %."""
    answer = number(seconds)
    if answer is None:
        return wrong(f"{brief(seconds)} is not a number of seconds.")
    period = small_swing_period(pendulum())
    omega = 2.0 * np.pi / period
    exact = 2.0 / omega

    def near(value: float) -> bool:
        return abs(answer - value) < 0.01 * value

    if near(exact):
        return right(f"h ω = 2, so h = T/π = {exact:.4g} s: a little more than three steps a swing.")
    if near(2.0**1.5 / omega):
        return wrong(f"{answer:.4g} s is what RK4 bears, h ω = 2√2. Symplectic Euler bears less.")
    if near(1.0 / omega):
        return wrong(f"{answer:.4g} s is h ω = 1, and it still holds: how large may the trace of the step become?")
    if near(2.0) or near(2.0 / omega**2):
        return wrong(f"{answer:.4g}: the step times ω is what counts, and ω is {omega:.4g} rad/s here.")
    if near(period):
        return wrong(f"{answer:.4g} s is a whole swing: in one step it cannot be seen at all.")
    if answer < exact:
        return wrong(f"with {answer:.4g} s small swings stay small, but a longer step does it, too.")
    return wrong(f"with {answer:.4g} s small swings grow; shorten the step.")


@checks("I1-2")
def leapfrog(my_step: Callable[..., Any]) -> Verdict:
    """Exercise 2: a step ``(f, x, p, h) -> (x, p)`` of ``x'' = f(x)``, of order 2, that keeps areas."""

    def force(x: float) -> float:
        return float(-np.sin(x))

    fault = _fault(my_step, force)
    if fault:
        return wrong(fault)
    errors = []
    for steps in (50, 100, 200):
        state = (1.0, 0.3)
        for _ in range(steps):
            state = _stepped(my_step, force, state, 2.0 / steps)
        errors.append(float(np.hypot(*(np.array(state) - _end()))))
    if not np.all(np.isfinite(errors)):
        return wrong("its numbers grow beyond all bounds.")
    order = float(np.log2(errors[-2] / errors[-1])) if errors[-1] > 1e-14 else np.inf
    before = float(np.log2(errors[-3] / errors[-2])) if errors[-1] > 1e-14 else np.inf
    if errors[-1] > 0.05 or abs(order - before) > 0.5:  # a wrong method may come near by chance
        order = 0.0
    gain = _area_gain(my_step, force, (1.0, 0.3), 0.3)
    kept = abs(gain - 1.0) < 1e-8  # the gain comes from difference quotients, which have about nine digits
    told = f"order {order:.2f}, and one step with h = 0.3 changes areas by the factor {gain:.4f}"
    if order < 0.7:
        return wrong(f"it goes somewhere else: errors {errors[0]:.1e}, {errors[1]:.1e}, {errors[2]:.1e}.")
    if abs(order - 1.0) < 0.3:
        if kept:
            return wrong(f"{told}: that is symplectic Euler. Half of the push before, half of it after.")
        if gain > 1.04:  # 1 + h² cos 1
            return wrong(f"{told}: that is explicit Euler.")
        return wrong(
            f"{told}. Position has its second-order term, and velocity has not: it takes the force at *both* ends."
        )
    if abs(order - 2.0) < 0.3:
        if kept:
            return right(f"{told}: exactly none. Two halves of a push with a drift between them.")
        return wrong(
            f"{told}: of the right order, but areas are not kept. Push and drift in turn, each with what is new."
        )
    return wrong(f"{told}; here the order should be 2.") if not kept else right(f"{told}: more than was asked for.")


@checks("I1-3")
def kept_quantity(my_energy: Callable[..., Any]) -> Verdict:
    """Exercise 3: a function ``(x, p, h)`` that symplectic Euler keeps exactly on ``x'' = -x``."""
    steps = (0.1, 0.5, 1.0)

    def value(x: float, p: float, h: float) -> float:
        result, _ = call(my_energy, x, p, h)
        found = numbers(result)
        return float(found) if found is not None else np.nan

    result, fault = call(my_energy, 1.0, 0.5, 0.1)
    if fault:
        return wrong(fault)
    if numbers(result) is None:
        return wrong(f"it should return one number; it returned {brief(result)}.")
    for h in steps:
        x, p = 1.0, 0.4
        first, others = value(x, p, h), []
        apart = value(1.7, 0.4, h), value(1.0, -1.1, h)
        for _ in range(40):
            p -= h * x
            x += h * p
            others.append(value(x, p, h))
        if not np.all(np.isfinite([first, *others, *apart])):
            return wrong(f"with h = {h} it is not a number everywhere.")
        scale = max(abs(first), abs(apart[0]), abs(apart[1]))
        if max(abs(each - first) for each in apart) < 1e-9 * scale or scale == 0.0:
            return wrong("it is the same for different states: everything keeps a constant.")
        spread = float(np.ptp([first, *others])) / scale
        if spread > 1e-9:
            return wrong(_why_not(value, h, spread))
    return right("½p² + ½x² - ½h x p, or a function of it: an ellipse that leans, on which the method stays for ever.")


def _why_not(value: Callable[[float, float, float], float], h: float, spread: float) -> str:
    """Explain the mistake in a quantity that symplectic Euler does not keep, by its coefficient of x p."""
    told = f"with h = {h} it changes by {100 * spread:.2g} % in 40 steps"
    unit = value(1.0, 0.0, h)
    mixed = (value(1.0, 1.0, h) - unit - value(0.0, 1.0, h)) / unit if unit else 0.0  # of x p, relative to that of x²
    if abs(mixed) < 1e-9:
        return f"{told}: that is the true energy, which this method does not keep. A term with x p is missing."
    if abs(mixed - h) < 1e-9:
        return f"{told}: the sign of the term with x p."
    if abs(mixed + 2 * h) < 1e-9 or abs(mixed + 0.5 * h) < 1e-9:
        return f"{told}: the term with x p is off by a factor of two."
    return f"{told}. Put a x² + b x p + p² in, before the step and after, and compare."


def _fault(my_step: Callable[..., Any], force: Callable[[float], float]) -> str:
    result, fault = call(my_step, force, 1.0, 0.3, 0.1)
    if fault:
        return fault
    found = numbers(result, 2)
    return "" if found is not None else f"it should return x and p, two numbers; it returned {brief(result)}."


def _stepped(my_step: Callable[..., Any], force: Callable[[float], float], state: State, h: float) -> State:
    result, _ = call(my_step, force, *state, h)
    found = numbers(result, 2)
    return (np.nan, np.nan) if found is None else (float(found[0]), float(found[1]))


def _area_gain(my_step: Callable[..., Any], force: Callable[[float], float], state: State, h: float) -> float:
    """Return the factor by which a step changes areas: the determinant of its Jacobian, by central differences."""
    small = 1e-5
    columns = []
    for k in range(2):
        ends = [_stepped(my_step, force, tuple(np.array(state) + s * small * np.eye(2)[k]), h) for s in (1, -1)]
        columns.append((np.array(ends[0]) - ends[1]) / (2 * small))
    return float(np.linalg.det(np.array(columns)))


@cache
def _end() -> NDArray:
    """Solve ``x'' = -sin x`` from (1, 0.3) for two seconds by SciPy's DOP853; return the final (x, x')."""
    from scipy.integrate import solve_ivp

    run = solve_ivp(lambda _, y: [y[1], -np.sin(y[0])], (0, 2), [1.0, 0.3], method="DOP853", rtol=1e-13, atol=1e-13)
    return np.asarray(run.y[:, -1])


def __getattr__(name: str) -> Any:
    return part(name, __name__, PARTS)
