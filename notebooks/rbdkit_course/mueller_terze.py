"""Checks of the exercises in the notebooks on the paper of Müller and Terze."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.library import heavy_top
from rbdkit.simulation import lower_pair_table, simulate
from rbdkit.simulation.lower_pairs import PairDrift
from rbdkit.spatial import se3
from rbdkit_course.answers import brief, call, names, number, numbers, whole
from rbdkit_course.checks import checks
from rbdkit_course.parts import part
from rbdkit_course.verdict import Verdict, right, wrong

PARTS = {
    "Baumgarte": "rbdkit.formulations:Baumgarte",
    "GeneralizedAlpha": "rbdkit.integrators:GeneralizedAlpha",
    "INTEGRATORS": "rbdkit.integrators:INTEGRATORS",
    "Projected": "rbdkit.integrators:Projected",
    "RungeKutta": "rbdkit.integrators:RungeKutta",
    "SE3": "rbdkit.formulations:SE3",
    "SO3xR3": "rbdkit.formulations:SO3xR3",
    "floating_pair": "rbdkit.library:floating_pair",
    "heavy_top": "rbdkit.library:heavy_top",
    "plt": "matplotlib.pyplot",
    "se3": "rbdkit.spatial.se3",
    "so3": "rbdkit.spatial.so3",
    "spherical_double_pendulum": "rbdkit.library:spherical_double_pendulum",
    "three_bar_linkage": "rbdkit.library:three_bar_linkage",
    "which_opens": "rbdkit_course.stepping_pictures.open_joints:which_opens",
    "your_own_top": "rbdkit_course.stepping_pictures.open_joints:your_own_top",
}
"""Names that notebooks import from this module, and where each is defined."""


@checks("MT01-1")
def screw_step(move: Callable[[NDArray, NDArray], NDArray]) -> Verdict:
    """Notebook 1, exercise 1: a function (C, V) -> C exp(V) on SE(3), by any formula."""
    rng = np.random.default_rng(5)
    C, V = se3.random(rng), rng.normal(size=6)
    for case, twist in {"a general twist": V, "a pure translation": np.array([0, 0, 0, 1.0, 2.0, 3.0])}.items():
        exact = C @ se3.exp(twist)
        answer, fault = call(move, C.copy(), twist.copy(), own=[se3.exp])
        if fault:
            return wrong(f"for {case}: {fault}")
        found = numbers(answer, 4, 4)
        if found is None:
            return wrong(
                f"for {case} your function returns {brief(answer)}; a pose is 4 x 4 finite numbers. A division by the "
                "angle, which may be zero?"
            )
        if np.allclose(found, exact, rtol=0, atol=1e-8):
            continue
        if np.allclose(found, se3.exp(twist) @ C, rtol=0, atol=1e-8):
            return wrong("that is exp(V) C: it moves along a twist in fixed axes. V is the body's, so exp goes right.")
        if np.allclose(found[:3, :3], exact[:3, :3], rtol=0, atol=1e-8):
            return wrong(f"for {case} the rotation is right and the position is not: see the second block of Eq 8.")
        return wrong(f"for {case} the rotation is off by {np.abs(found - exact)[:3, :3].max():.2g}: see Eq 9.")
    return right("C exp(V), also where nothing turns.")


@checks("MT01-2")
def halving(factor: Any) -> Verdict:
    """Notebook 1, exercise 2: by what the pivot's drift after 0.5 s shrinks when RK4's step goes from 1 to 0.5 ms."""
    answer = number(factor)
    if answer is None:
        return wrong(f"{brief(factor)} is not a number.")
    exact = _gain()
    if answer == 16.0:
        return wrong("2⁴ is what the order promises. What did you measure, to two decimals?")
    if abs(answer - exact) < 0.01 * exact:
        return right(f"{exact:.2f}, close to 2⁴: the drift is an error like any other, and RK4 has order 4.")
    if 13.0 <= answer <= 20.0:
        return wrong(
            f"{answer:g} is close, but the drift after half a second shrinks by another number. Compare the last "
            "values of the constraint error."
        )
    if 26.0 <= answer <= 40.0:
        return wrong("2⁵ is what a single step gains; but there are twice as many of them.")
    if answer < 1.0:
        return wrong("the drift gets smaller: give the old one over the new one.")
    return wrong(f"{answer:g} would be order {np.log2(answer):.1f}; measure again, with steps between 0.5 and 2 ms.")


@checks("MT02-1")
def closed_by_the_direct_product(answer: Any) -> Verdict:
    """Notebook 2, exercise 1: the lower pairs to the ground that SO(3) x R3 keeps closed, as a set of names."""
    named = names(answer)
    rows = _to_the_ground()
    exact = {row.joint for row in rows if row.so3xr3.constraint < 1e-13}
    if unknown := named - {row.joint for row in rows}:
        return wrong(f"{', '.join(sorted(unknown))}: not in the table; it has {', '.join(row.joint for row in rows)}.")
    if extra := named - exact:
        name = sorted(extra)[0]
        return wrong(f"a {name} joint drifts: the reference point goes round the axis in chords.")
    if missing := exact - named:
        return wrong(f"right so far; there {'is one' if len(missing) == 1 else f'are {len(missing)}'} more.")
    return right("where nothing turns, or where the positions allowed are a plane, a straight step stays.")


@checks("MT02-2")
def redundant_rows(rows: Any) -> Verdict:
    """Notebook 2, exercise 2: how many constraints of a planar four-bar of hinges follow from the others."""
    answer = whole(rows)
    if answer is None:
        return wrong(f"{brief(rows)} is not a whole number.")
    if answer == 3:
        return right("4 × 5 rows on 3 × 6 velocities, and one freedom is left: 20 - 17 = 3.")
    if answer == -2:
        return wrong("20 rows on 18 velocities would leave -2 freedoms; but the linkage moves, so how many rows count?")
    return wrong(f"not {answer}: count the rows, the velocities, and the freedoms that the linkage really has.")


@cache
def _gain() -> float:
    """Return the ratio of the pivot's drift after half a second with steps of 1 ms to that with 0.5 ms."""
    ends = [
        simulate(*heavy_top(), 0.5, h, formulation="so3xr3", progress=False).constraint_error()[-1]
        for h in (1e-3, 5e-4)
    ]
    return float(np.linalg.norm(ends[0]) / np.linalg.norm(ends[1]))


@cache
def _to_the_ground() -> list[PairDrift]:
    return [row for row in lower_pair_table(0.05) if row.grounded]


def __getattr__(name: str) -> Any:
    return part(name, __name__, PARTS)
