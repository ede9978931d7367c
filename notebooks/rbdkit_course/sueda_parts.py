"""Checks of the exercises in the notebook on forces, joints and flesh of Sueda's notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import elastic
from rbdkit.algorithms.elastic import Attached, point_spring
from rbdkit.forces.muscle_curves import passive_force_length
from rbdkit.joints import SplineCurve
from rbdkit.spatial import se3
from rbdkit_course.answers import brief, call, numbers
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong

NEAR = 1e-8
"""Tolerance for numbers of size one; loose enough for answers by finite differences."""


@checks("S04-1")
def spring_stiffness(K: Callable[..., Any]) -> Verdict:
    """``K(E1, x1, E2, x2, k)`` of a spring of no length between two points: df/dE of its wrenches, (12, 12)."""
    rng = np.random.default_rng(3)
    (E1, E2), (x1, x2), k = se3.random(rng, (2,)), rng.normal(size=(2, 3)), 7.0
    answer, fault = call(K, E1, x1, E2, x2, k, own=(point_spring, elastic.spring_damper))
    if fault:
        return wrong(f"give a function of (E1, x1, E2, x2, k): {fault}")
    found = numbers(answer, 12, 12)
    if found is None:
        return wrong(f"your function returns {brief(answer)}; K has twelve rows and columns.")
    exact = point_spring(Attached(E1, x1), Attached(E2, x2), k).K
    scale = np.abs(exact).max()

    def same(other: NDArray) -> bool:
        return bool(np.abs(found - other).max() < NEAR * scale)

    if same(exact):
        return right("all sixteen blocks, with the sign that makes the implicit step stable.")
    if same(-exact):
        return wrong("these are the sixteen blocks as printed, and they are -df/dE; M + h D - h² K needs df/dE.")
    if same(0.5 * (exact + exact.T)):
        return wrong("that is symmetrized; the derivative itself is not symmetric while the spring pulls.")
    if same(exact / k):
        return wrong("the stiffness k is missing.")
    worst = np.unravel_index(np.abs(found - exact).argmax(), exact.shape)
    return wrong(
        f"the entry of row {worst[0]}, column {worst[1]} is {found[worst]:.4g} and should be {exact[worst]:.4g}, "
        f"in block ({worst[0] // 3 + 1}, {worst[1] // 3 + 1})."
    )


@checks("S04-2")
def passive_curve(answer: Any) -> Verdict:
    """The eight coefficients of the passive curve, (a1, b1, c1, d1, a2, b2, c2, d2) or (2, 4), Eq 1.42."""
    found = numbers(answer, 8)
    if found is None:
        found = numbers(answer, 2, 4)
    if found is None:
        return wrong(f"give eight numbers, not {brief(answer)}.")
    exact = np.array(passive_force_length().coefficients)
    off = found.reshape(2, 4) - exact
    if np.abs(off).max() < 1e-6:
        return right("the coefficients of Eq 1.42.")
    if np.abs(off[0]).max() < 1e-6:
        end = float(np.polyval(found.reshape(2, 4)[1], 1.7))
        return wrong(
            f"the first cubic is right, the second is {end:.4f} at 1.7. Row 3 of Eq 1.41 is printed with 1.8: at which "
            "length shall the curve be 1?"
        )
    return wrong("the conditions do not hold: the first cubic begins at (1.0, 0) with slope 0.")


@checks("S04-3")
def spline_pose(Q: Callable[..., Any]) -> Verdict:
    """``Q(frames, q)``: pose on the cubic B-spline of four frames, Eq 2.67, with q from 0 to 1."""
    rng = np.random.default_rng(5)
    frames = [np.eye(4)]
    for _ in range(3):
        frames.append(frames[-1] @ se3.exp(rng.uniform(0.2, 0.9, 6)))
    given = np.array(frames)
    joint = SplineCurve(given)
    for q in (0.0, 0.4, 1.0):
        answer, fault = call(Q, given.copy(), q, own=(SplineCurve.pose,))
        if fault:
            return wrong(f"give a function of (frames, q): {fault}")
        found = numbers(answer, 4, 4)
        if found is None:
            return wrong(f"your function returns {brief(answer)}, not a pose (4, 4).")
        exact = joint.start @ joint.pose(np.array([q]))
        if np.abs(found - exact).max() < NEAR:
            continue
        R = found[:3, :3]
        if np.abs(R.T @ R - np.eye(3)).max() > 1e-6:
            return wrong(f"at q = {q:g} it is no pose: a weighted sum of rotations is none. Multiply exponentials.")
        if np.abs(found - given[0]).max() < NEAR:
            return wrong(
                "at q = 0 a B-spline is not at its first frame: B_2(0) = 5/6, as three functions are added up."
            )
        return wrong(
            f"at q = {q:g} it is off by {np.abs(found - exact).max():.3g}: are the functions cumulative (Eq 2.65)?"
        )
    return right("the spline joint of Lee and Terzopoulos.")
