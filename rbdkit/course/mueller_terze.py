"""Checks of the exercises in the notebooks on the paper of Müller and Terze."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.course.verdict import Verdict, right, wrong
from rbdkit.simulation import lower_pair_table
from rbdkit.simulation.lower_pairs import PairDrift
from rbdkit.spatial import se3


def screw_step(move: Callable[[NDArray, NDArray], NDArray]) -> Verdict:
    """Exercise 1: a function (C, V) -> C exp(V) on SE(3), by any formula."""
    rng = np.random.default_rng(5)
    C, V = se3.random(rng), rng.normal(size=6)
    for case, twist in {"a general twist": V, "a pure translation": np.array([0, 0, 0, 1.0, 2.0, 3.0])}.items():
        try:
            found = np.asarray(move(C.copy(), twist.copy()), dtype=float)
        except Exception as fault:  # whatever a student's function raises
            return wrong(f"for {case} your function raises {type(fault).__name__}: {fault}")
        if found.shape != (4, 4):
            return wrong(f"for {case} your function returns an array of shape {found.shape}; a pose is (4, 4).")
        exact = C @ se3.exp(twist)
        if np.allclose(found, exact, rtol=0, atol=1e-8):
            continue
        if not np.isfinite(found).all():
            return wrong(f"for {case} the result is not finite: a division by the angle, which is zero here?")
        if np.allclose(found, se3.exp(twist) @ C, rtol=0, atol=1e-8):
            return wrong("that is exp(V) C: it moves along a twist in fixed axes. V is the body's, so exp goes right.")
        if np.allclose(found[:3, :3], exact[:3, :3], rtol=0, atol=1e-8):
            return wrong(f"for {case} the rotation is right and the position is not: see the second block of Eq 8.")
        return wrong(f"for {case} the rotation is off by {np.abs(found - exact)[:3, :3].max():.2g}: see Eq 9.")
    return right("C exp(V), also where nothing turns.")


def halving(answer: float) -> Verdict:
    """Exercise 2: by what the pivot's drift over a fixed time is divided when the step of RK4 is halved."""
    if not isinstance(answer, int | float | np.number) or not np.isfinite(answer):
        return wrong(f"{answer!r} is not a number.")
    if 13.0 <= answer <= 20.0:
        return right(f"{answer:g}, close to 2⁴: the drift is an error like any other, and RK4 has order 4.")
    if 26.0 <= answer <= 40.0:
        return wrong("2⁵ is what a single step gains; but there are twice as many of them.")
    if answer < 1.0:
        return wrong("the drift gets smaller: give the old one over the new one.")
    return wrong(f"{answer:g} would be order {np.log2(answer):.1f}; measure again, with steps between 0.5 and 2 ms.")


def closed_by_the_direct_product(answer: Iterable[str]) -> Verdict:
    """Exercise 3: the lower pairs to the ground that SO(3) x R3 keeps closed to round-off, as a set of names."""
    named = {answer} if isinstance(answer, str) else {str(name).lower() for name in answer}
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


def redundant_rows(answer: int) -> Verdict:
    """Exercise 4: how many constraints of a planar four-bar linkage of revolute joints follow from the others."""
    if not isinstance(answer, int | np.integer):
        return wrong(f"{answer!r} is not a whole number.")
    if answer == 3:
        return right("4 × 5 rows on 3 × 6 velocities, and one freedom is left: 20 - 17 = 3.")
    if answer == -2:
        return wrong("20 rows on 18 velocities would leave -2 freedoms; but the linkage moves, so how many rows count?")
    return wrong(f"not {answer}: count the rows, the velocities, and the freedoms that the linkage really has.")


@cache
def _to_the_ground() -> list[PairDrift]:
    return [row for row in lower_pair_table(0.05) if row.grounded]
