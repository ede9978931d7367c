"""Checks of the exercises in the notebook on chapter 6: inertia-matrix methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rbdkit.algorithms.sparse import (
    depths,
    expand_parents,
    solve_LT,
    sparse_costs,
    sparsity_pattern,
)
from rbdkit.functions import crba, jacobian
from rbdkit.library import double_pendulum
from rbdkit.library.parent_arrays import branched_parents, random_parents
from rbdkit.trace import trace
from rbdkit_course.answers import brief, call, number, whole, wholes
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

FREEDOMS = (6, 2, 0, 1, 3, 1)
"""Freedoms of the joints of the robot in exercise 2; joint 3 is a weld."""

ROWS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 10, 11, 8)
"""The expanded parent array of that robot, counted from 1 as in the book."""

JOINTS = 60
"""Number of joints of the machine in exercise 4."""


@checks("F06-1")
def tree_with_filled_entries(parents: Any, pairs: float = 8) -> Verdict:
    """Exercise 1: a parent array of seven bodies, one on the base, whose H has `pairs` nonzeros above its diagonal."""
    lam = wholes(parents, 7)
    if lam is None:
        return wrong("a parent array of seven bodies holds seven whole numbers: λ(1), ..., λ(7), with 0 for the base.")
    for i, p in enumerate(lam, 1):
        if not 0 <= p < i:
            return wrong(f"λ({i}) = {p}: the parent of body {i} must be the base, 0, or a body with a smaller number.")
    if lam.count(0) > 1:
        return wrong(f"{lam.count(0)} bodies stand on the base; let it carry a single one.")
    found = int(np.triu(sparsity_pattern(expand_parents(lam)), 1).sum())
    d = depths(expand_parents(lam))
    if found == pairs:
        return right(
            f"depths {d}: each body has d - 1 ancestors, and each ancestor gives an entry above the diagonal, so there "
            f"are {found}, and 7 + 2 · {found} = {7 + 2 * found} in all. Every regular numbering has as many."
        )
    hint = "closer to the base" if found > pairs else "further from the base"
    return wrong(
        f"this tree fills {found} entries above the diagonal, not {pairs:g}: its depths are {d}. Hang a body {hint}."
    )


@checks("F06-2")
def parents_of_the_rows(answer: Any) -> Verdict:
    """Exercise 2: parents of bodies whose joints with `FREEDOMS` have the expanded parent array `ROWS`."""
    bodies = len(FREEDOMS)
    lam = wholes(answer, bodies)
    if lam is None:
        return wrong(f"λ is a list of {bodies} whole numbers, the parents of the bodies 1 to {bodies}; 0 is the base.")
    for i, p in enumerate(lam, 1):
        if not 0 <= p < i:
            return wrong(f"λ({i}) = {p}: the parent is a body, no variable: one before body {i}, or 0 for the base.")
    if 3 not in lam:
        return wrong("nothing hangs on body 3. H cannot tell whether something does, but the exercise says so.")
    start = 1
    for i, (p, n) in enumerate(zip(lam, FREEDOMS, strict=True), 1):
        before = expand_parents(lam[:i], (*FREEDOMS[: i - 1], 1))[-1] + 1
        if n and before != ROWS[start - 1]:
            weld = f" Body 3 has no variable of its own; it passes on that of body {lam[2]}." if p == 3 else ""
            return wrong(f"on body {p}, variable {start} would follow variable {before}, not {ROWS[start - 1]}.{weld}")
        start += n
    return right(
        "a joint's first variable follows the last one of the body that carries it, and a weld passes on what came "
        "before it. As a weld has no row of its own, four robots share this array; yours is one of them."
    )


@checks("F06-3")
def solve_transposed(function: Any) -> Verdict:
    """Exercise 3: a function (L, x, lam) that overwrites x by L^-T x, sees no zero and wastes no operation."""
    if not callable(function):
        return wrong(f"{brief(function)} is not a function; write `def my_solve(L, x, lam): ...`")
    for seed in range(6):
        lam = expand_parents(random_parents(8, seed, 0.7))
        verdict = _solves(function, lam, seed)
        if verdict is not None:
            return verdict
    lam = expand_parents(branched_parents(10))
    try:
        counted = trace(lambda L, x: _overwritten(function, L, x, lam), (10, 10), 10, simplify=False).operations()
    except Exception:  # an array made for floats, np.array(x, float), takes no symbols
        return right(
            "it leaves the zeros alone and solves. How many operations it takes cannot be seen: a copy made for floats "
            "takes no symbols to count with. Overwrite the x that you are given, if you want to know."
        )
    needed = sparse_costs(lam, "ltl").solve
    if counted.total > needed.total:
        return wrong(f"right numbers, but {counted} where {needed} would do: some of it is done more than once.")
    return right(f"it leaves the zeros alone, works in place and takes {counted}, the count of Table 6.6.")


def _solves(function: Callable[..., Any], lam: tuple[int, ...], seed: int) -> Verdict | None:
    """Return None if the function solves a system with NaN in place of zeros, else a verdict that says why not."""
    n, rng = len(lam), np.random.default_rng(seed)
    filled = np.tril(sparsity_pattern(lam))
    L = np.where(filled, rng.uniform(0.5, 1.5, (n, n)) + 2.0 * np.eye(n), np.nan)
    x = rng.normal(size=n)
    left = x.copy()
    result, fault = call(function, L.copy(), left, lam, own=[solve_LT])
    if fault:
        return wrong(f"on a tree with λ = {lam}: {fault}")
    exact = np.linalg.solve(np.where(filled, L, 0.0).T, x)
    try:
        found = np.asarray(left if result is None else result, dtype=float)
    except (TypeError, ValueError):
        return wrong(f"x has {n} numbers, but the result is {brief(result)}.")
    if found.shape != (n,):
        return wrong(f"x has {n} numbers, but the result has shape {found.shape}.")
    if np.allclose(found, exact, rtol=1e-9, atol=1e-12):
        return None
    if np.isnan(found).any():
        return wrong("NaN: a place between two branches was read. Walk with j = lam[j]; do not try every j.")
    if np.allclose(found, np.linalg.solve(np.where(filled, L, 0.0), x), rtol=1e-9):
        return wrong("this is L⁻¹x. For L⁻ᵀx go from the last row to the first, and subtract as soon as x[i] is known.")
    if np.allclose(found, x):
        return wrong("x is as it was. Begin with the last row: x[i] = x[i] / L[i, i], then tell its ancestors.")
    return wrong(f"not the solution of Lᵀy = x for λ = {lam}: off by {np.max(np.abs(found - exact)):.3g}.")


def _overwritten(function: Callable[..., Any], L: Any, x: Any, lam: Sequence[int]) -> Any:
    """Return the function's result, or the x that it overwrote if it returns None."""
    result = function(L, x, lam)
    return x if result is None else result


@checks("F06-4")
def limbs(answer: Any, factor: int = 100) -> Verdict:
    """Exercise 4: the fewest equal limbs on the base for which L^T D L is `factor` times cheaper than for a chain."""
    k = whole(answer)
    if k is None or not 1 <= k <= JOINTS or JOINTS % k:
        return wrong(f"{brief(answer)} is not a number of limbs that {JOINTS} joints can share evenly.")
    work = {k: limb_work(k) for k in range(1, JOINTS + 1) if JOINTS % k == 0}
    enough = [k for k in work if factor * work[k] <= work[1]]
    if work[k] == 0:
        return wrong(f"{k} limbs of one joint each leave nothing to do: H is diagonal. Do fewer limbs do it?")
    if k not in enough:
        return wrong(f"{k} limbs leave {work[k]} of {work[1]} operations, {work[1] / work[k]:.3g} times fewer.")
    if k > min(enough):
        return wrong(f"{k} limbs are more than enough: {work[1] / work[k]:.4g} times fewer. Do fewer limbs do it?")
    return right(
        f"{work[1]} operations become {work[k]}, {work[1] / work[k]:.4g} times fewer: each limb costs about its length "
        "cubed, so k limbs cost k · (1/k)³ = 1/k² of the chain."
    )


def limb_work(k: int) -> int:
    """Count the operations of the L^T D L factorization for k equal chains on the base."""
    joints = JOINTS // k
    chain = tuple(range(-1, joints - 1))
    return k * sparse_costs(chain, "ltdl").factorization.total


@checks("F06-5")
def uncoupled_angle(given: Any) -> Verdict:
    """Exercise 5: an angle of the second hinge of the double pendulum at which H12 is zero, rad."""
    angle = number(given)
    if angle is None:
        return wrong(f"{brief(given)} is not an angle in radians.")
    model = double_pendulum()
    H12 = _h12(angle, model)
    if abs(H12) < 2e-3:
        return right(
            f"H12 = {H12:.1e} kg m². The force that starts the second rod acts on a line 2/3 of its length from its "
            "hinge, and here this line meets the first hinge: no moment about it. A zero of this pose, not of the tree."
        )
    if abs(_h12(np.radians(angle), model)) < 2e-3:
        return wrong("right in degrees; the model takes radians.")
    if abs(_h12(angle + np.pi, model)) < 2e-3:
        return wrong("half a turn off: with the angle 0 the second rod hangs on in the direction of the first.")
    if abs(np.cos(angle)) < 1e-3:
        return wrong(
            f"H12 = {H12:.3f}: at a right angle the second rod's force still has a lever arm about the first hinge."
        )
    return wrong(f"H12 = {H12:.3f} kg m². Where does the blue arrow of the picture cross the second rod?")


@checks("F06-6")
def hand(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells what mass a push feels at the end of an arm.

    It is called with the two angles of the double pendulum, rad.
    """
    model, rng, cases = double_pendulum(), np.random.default_rng(6), []
    model.add_frame("hand", "rod2", [0.0, 0.0, -1.0])
    for _ in range(5):
        q = (float(rng.uniform(-3.0, 3.0)), float(rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 2.5)))
        H, J = crba(model, q), jacobian(model, q, "hand", "aligned")[[3, 5]]
        response = J @ np.linalg.solve(H, J.T)
        mistakes = {
            "H takes accelerations to forces; here is a force, and its acceleration is asked for.": float(
                1.0 / (J @ H @ J.T)[0, 0]
            ),
            "that is the mass of a hand that is held to a straight line along x; this one may give way across.": float(
                np.linalg.inv(response)[0, 0]
            ),
            "that is the acceleration by 1 N; the mass is 1 N by it.": float(response[0, 0]),
            "there is no inertia in it: J Jᵀ knows lengths alone.": float(1.0 / (J @ J.T)[0, 0]),
        }
        cases.append((q, float(1.0 / response[0, 0]), mistakes))
    return tells(
        draw,
        "mass along x",
        "kg",
        cases,
        "a mass that depends on direction and pose. The inverse of J H⁻¹ Jᵀ is called the inertia in operational "
        "space; where the curve is a line, a push along the arm meets a wall.",
    )


def _h12(angle: float, model: Any) -> float:
    return float(np.asarray(crba(model, [0.0, angle]))[0, 1])
