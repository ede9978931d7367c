"""Checks of the exercises in the notebook on chapter 10: accuracy and efficiency."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.accuracy import Run, adaptive_run, response
from rbdkit.costs import branching
from rbdkit.library import turret_pendulum, zigzag_angles, zigzag_chain
from rbdkit.trace import trace
from rbdkit_course.answers import brief, call, number, numbers, wholes
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

BODIES, CHILDREN = 12, 2
"""Number of bodies of the tree in exercise 3, and largest number of children of a body."""
TOLERANCES = np.geomspace(1e-2, 1e-9, 15)
START, DURATION, ERROR = ([0.0, 1.0], [0.15, 0.0]), 3.0, 1e-3
"""Exercise 5: initial state of the turret, duration (s), and largest error at the end (rad)."""


@checks("F10-1")
def own_acceleration(function: Any) -> Verdict:
    """Exercise 1: a function (c, v_C, f_C) that gives a_O of a planar body with unit inertia, to the last digit."""
    worst = 0.0
    for c in ((0.5, -0.3), (3e3, -1e4), (1e6, 3e5)):
        v, f = np.array([1.0, 0.3, -0.7]), np.array([1.1, -1.2, 0.9])
        answer, fault = call(function, np.array(c), v.copy(), f.copy())
        if fault:
            return wrong(fault)
        a = numbers(answer, 3)
        if a is None:
            return wrong(f"a_O is three finite numbers, (angular, x, y); your function returned {brief(answer)}.")
        off = _seen_at_centre(a, c) - np.array([f[0], f[1] + v[2], f[2] - v[1]])  # v turns with 1 rad/s
        if np.abs(off).max() > 0.1 and np.hypot(*c) < 1.0:
            return wrong(
                f"with C at {c} the acceleration is off by {np.abs(off).max():.2g}, which is no round-off. At C the "
                "equation is a = f - v x* v, because the inertia is 1; then shift the result to O with v_O's rule."
            )
        worst = max(worst, float(np.abs(off).max()) / max(1.0, float(np.hypot(*c))))
    if worst > 1e-13:
        return wrong(
            f"right, but digits go: {worst:.1g} is lost for each metre of distance. Solve the equation where it is "
            "well conditioned, and move the solution instead of the inertia."
        )
    return right(
        f"off by {worst:.1g} for each metre, which the last digit of a_O itself costs: the error grows with |c| and "
        "not with its square. Body coordinates do this all the time."
    )


def _seen_at_centre(a: NDArray, c: tuple[float, float]) -> NDArray:
    """Compute the acceleration of C from a_O, exactly."""
    (w, ax, ay), (x, y) = map(Fraction, a.tolist()), map(Fraction, c)
    return np.array([float(part) for part in (w, ax - w * y, ay + w * x)])


@checks("F10-2")
def worst_error(error: Any, percent: float = 1.0) -> Verdict:
    """Exercise 2: an error of the six forces, with `percent` of their 2-norm, that spoils the accelerations most."""
    delta = numbers(error, 6)
    if delta is None:
        return wrong("an error of the forces is six finite numbers, N m.")
    exact = response(zigzag_chain(), zigzag_angles(), np.ones(6), applied=lambda tau: tau)
    allowed, length = 0.01 * percent * float(np.linalg.norm(exact.tau_d)), float(np.linalg.norm(delta))
    if length == 0.0:
        return wrong("no error, no harm.")
    if length > 1.001 * allowed:
        return wrong(f"its norm is {length:.3g} N m; {percent:g} % of the forces are {allowed:.3g} N m.")
    eigenvalues = np.linalg.eigvalsh(exact.H)
    effect = float(np.linalg.norm(np.linalg.solve(exact.H, delta)))
    most = allowed / float(eigenvalues[0])
    if effect > 0.99 * most:
        ratio = effect / float(np.linalg.norm(exact.qdd_d))
        return right(
            f"the accelerations change by {effect:.2f} rad/s², {ratio:.1f} times what was wanted. It is the "
            f"eigenvector of the smallest eigenvalue, {eigenvalues[0]:.4f}: neighbours pull against each other, which "
            "hardly moves any mass."
        )
    if effect < 1.05 * length / float(eigenvalues[-1]):
        return wrong(
            "this error does the least harm of all: it goes where the inertia is greatest. Take the other end."
        )
    scale = "" if length > 0.99 * allowed else f" Also, you may use all of {allowed:.3g} N m."
    return wrong(
        f"the accelerations change by {effect:.2f} rad/s², {100 * effect / most:.0f} % of what is possible. For which "
        f"direction is |H⁻¹ x| largest?{scale}"
    )


@checks("F10-3")
def cheapest_tree(parents: Any) -> Verdict:
    """Exercise 3: parents of 12 bodies, one on the base, two children at most, for which CRBA costs least."""
    tree = wholes(parents, BODIES)
    if tree is None:
        return wrong(f"a parent array of {BODIES} bodies holds {BODIES} whole numbers, 0 for the base.")
    for i, p in enumerate(tree, 1):
        if not 0 <= p < i:
            return wrong(f"λ({i}) = {p}: the parent of body {i} is the base, 0, or a body with a smaller number.")
    if tree.count(0) != 1:
        return wrong(f"{tree.count(0)} bodies stand on the base; only the first may.")
    crowded = [p for p in set(tree) if p and tree.count(p) > CHILDREN]
    if crowded:
        return wrong(f"body {crowded[0]} has {tree.count(crowded[0])} children; {CHILDREN} are allowed.")
    cost, least = branching(tree).crba, _least(BODIES)
    if cost.total == least:
        return right(
            f"{cost}, {cost.total} in all, where a chain takes {branching(range(BODIES)).crba.total}. Flat, but not to "
            "the last twig: two bodies at the end of a branch are cheaper one after the other than side by side, since "
            "a second child needs the more expensive transform."
        )
    return wrong(
        f"{cost}, {cost.total} in all; {least} is possible. Every body pays for each of its ancestors but one, so keep "
        "ways short. But a fork costs 15m + 15a and a more expensive transform: is every fork worth it?"
    )


@lru_cache(maxsize=64)
def _least(n: int) -> int:
    """Find the least cost of a subtree of n bodies below its root, by trying every split (Eq 10.12)."""
    if n == 1:
        return 0
    single = _least(n - 1) + 75 + 32 * (n - 1)
    pairs = [
        _least(a) + 75 + 32 * a + _least(n - 1 - a) + 105 + 42 * (n - 1 - a)
        for a in range((n - 1) // 2, n - 1)
        if a > 0
    ]
    return min([single, *pairs])


@checks("F10-4")
def beat_the_simplifier(function: Any) -> Verdict:
    """Exercise 4: (v, I) to s . (v x I v) for a principal inertia I and s = e3, in three operations."""
    rng = np.random.default_rng(10)
    for _ in range(4):
        v, I = rng.normal(size=3), rng.uniform(1.0, 2.0, 3)
        answer, fault = call(function, v.copy(), I.copy())
        if fault:
            return wrong(fault)
        found = numbers(answer)
        exact = float(np.cross(v, I * v)[2])
        if found is None:
            return wrong(f"the torque is one number; your function returned {brief(answer)}.")
        if np.isclose(found, -exact, rtol=1e-9):
            return wrong("the sign is the other way round: v x I v, not I v x v.")
        if not np.isclose(found, exact, rtol=1e-9):
            return wrong(f"for v = {v.round(3)} and I = {I.round(3)} it gives {float(found):.4g}, not {exact:.4g}.")
    try:
        counted = trace(function, 3, 3, simplify=False).operations()
    except Exception as fault:  # whatever a student's function does
        return wrong(f"right numbers, but it does not run on symbols, so nothing can be counted: {fault}")
    if counted.total > 3:
        return wrong(f"right, with {counted}. The simplifier needs 4m + 1a; what do its two products have in common?")
    return right(
        f"{counted}. Factoring out a common product is not among the four rules: it takes a search, and searches "
        "among thousands of lines take their time."
    )


@checks("F10-5")
def boldest_tolerance(answer: Any) -> Verdict:
    """Exercise 5: a tolerance for `adaptive_run` that ends within 1e-3 rad, with few evaluations."""
    found = number(answer)
    if found is None or not 1e-13 < found < 1.0:
        return wrong(f"{brief(answer)} is not a tolerance between 1e-13 and 1.")
    run = _turret(found)
    off = _off(run)
    if off > ERROR:
        return wrong(f"with {found:.1g} the end is off by {off:.2g} rad, more than {ERROR:g}. Ask for more.")
    cheapest = _fewest()
    if run.evaluations > 1.3 * cheapest:
        return wrong(
            f"off by {off:.1g} rad with {run.evaluations} evaluations: good, but {cheapest} are enough. Be bolder."
        )
    return right(
        f"off by {off:.1g} rad with {run.evaluations} evaluations. The tolerance is for one step: errors of all steps "
        "add up, and the motion stretches them, so it says little about the end."
    )


@checks("F10-6")
def lost_digits(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells how many digits an inertia loses on a far way.

    It is called with the distance and the radius of a ball of 1 kg, m.
    """
    rng, cases = np.random.default_rng(10), []
    for _ in range(5):
        distance, radius = (float(x) for x in rng.uniform((3.0, 0.03), (90.0, 0.3)))
        ratio = (0.4 * radius**2 + distance**2) / (0.4 * radius**2)
        mistakes = {
            "these are lengths; what is subtracted goes with their squares, and a ball's inertia is 2/5 m r².": float(
                np.log10(distance / radius)
            ),
            "what is large does not matter, but how large it is compared with what is left of it.": float(
                np.log10(distance**2)
            ),
            "that is the natural logarithm; digits are counted by the one to the base 10.": float(np.log(ratio)),
        }
        cases.append(((distance, radius), float(np.log10(ratio)), mistakes))
    return tells(
        draw,
        "digits lost",
        "",
        cases,
        "twice the digits of the ratio of lengths, and 0.4 more. Twelve are gone at 32 km: r √0.4 times a million.",
    )


def _turret(tolerance: float) -> Run:
    return adaptive_run(turret_pendulum(), *START, DURATION, tolerance, points=2)


@lru_cache(maxsize=1)
def _end() -> NDArray:
    return adaptive_run(turret_pendulum(), *START, DURATION, 1e-12, "dop853", points=2).q[-1]


def _off(run: Run) -> float:
    return float(np.abs(run.q[-1] - _end()).max())


@lru_cache(maxsize=1)
def _fewest() -> int:
    """Return the evaluations of the cheapest run that is accurate enough, over tolerances half a decade apart."""
    runs = [_turret(float(tolerance)) for tolerance in TOLERANCES]
    return min(run.evaluations for run in runs if _off(run) <= ERROR)
