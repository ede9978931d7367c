"""Checks of the exercises in the notebook on closed loops (Featherstone, chapter 8)."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops import ActuatedFreedoms, actuated_freedoms
from rbdkit.library import five_bar
from rbdkit.model import Model
from rbdkit_course.answers import brief, call, names, number, numbers, short, wholes
from rbdkit_course.checks import checks
from rbdkit_course.featherstone.four_bar import BARS, ROCKER, closed, dead_centres, drift, loop_terms
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

STEP, DURATION, WORST = 0.01, 5.0, 1e-4
"""Exercise 4: step and duration, s, and largest closure error, m."""
IN_LINE = (0.15, 0.05 * np.sqrt(11.0))
"""Exercise 5: position of the tip, m, with both forearms in line."""
EVEN = 2.0
"""Exercise 5: largest allowed ratio of the best to the worst driven direction."""


def shortest(solve: Callable[..., Any], *given: Any, times: int = 5) -> float:
    """Return the least of several times, ms, since other work of the computer can only add to it."""
    spent = []
    for _ in range(times):
        start = process_time()
        solve(*given)
        spent.append(process_time() - start)
    return 1e3 * min(spent)


@checks("F08-1")
def counted(answer: Any, N: float = 2) -> Verdict:
    """Exercise 1: n, n_c and r of N four-bar linkages in a row, upright, all joints hinges."""
    given = wholes(answer, 3)
    if given is None:
        return wrong(f"{brief(answer)} is not three whole numbers: n, n_c, r.")
    n, n_c, r = given
    loops = round(N)
    bars, rank = 2 * loops + 1, 2 * loops
    if given == (bars, 5 * loops, rank):
        return right(
            f"{bars} − {rank} = 1 freedom, and {5 * loops} − {rank} = {3 * loops} numbers in λ that nobody can know."
        )
    if n == bars + loops:
        close = "two" if loops == 2 else loops
        return wrong(f"{n} hinges there are, but {close} of them close loops; n counts those of the tree.")
    if n != bars:
        return wrong(f"n = {n}? {bars} bars move, each hangs on one hinge of the tree.")
    if n_c == 2 * loops:
        return wrong(
            f"n_c = {n_c} would be right in the plane. In space a hinge takes five freedoms of six, even there."
        )
    if n_c == loops:
        return wrong(f"a hinge leaves one freedom and takes five; there are {loops} loop joints.")
    if n_c != 5 * loops:
        return wrong(f"n_c = {n_c}? {loops} loop joints, and each is a hinge: 6 − 1 constraints.")
    if r == bars:
        return wrong(f"r = {r} leaves no freedom. Does the row of four-bars move, or does it not?")
    if r > rank:
        return wrong(f"r = {r} of {bars} columns? Of each hinge three rows are zero: the bars never leave their plane.")
    if r == loops + 1:
        return wrong(f"r = {r} when they lie flat. Upright no row of the plane repeats another one.")
    return wrong("r is off: each loop has two rows in the plane, shift x and shift z.")


@checks("F08-2")
def jacobian_by_hand(answer: Any) -> Verdict:
    """Exercise 2: a function of (crank, coupler, rocker), bars (2,) as they lie, that returns K (2, 3).

    Rows in other directions of the plane demand the same and are right; bars that are not turned are so by luck alone.
    """
    plain = True
    for phi in (0.5, 1.9, -2.4):
        q = closed(phi)
        bars = _bars(q)
        expected = loop_terms(q[None], np.zeros((1, 3)))[2][0]
        result, fault = call(answer, *(bar.copy() for bar in bars))
        if fault:
            return wrong(fault)
        K = numbers(result, 2, 3)
        if K is None:
            return wrong(f"it returned {brief(result)}; K has two rows and three columns.")
        crank, coupler, rocker = bars
        lying = np.stack([crank + coupler, coupler, -rocker], axis=1)
        if any(np.allclose(K[rows], sign * lying, atol=1e-9) for rows in ([0, 1], [1, 0]) for sign in (1, -1)):
            return wrong(
                "those are the bars as they lie, not how their ends move: turned by 1 rad/s, the end of (x, z) moves "
                "by (z, -x). That both rows together allow the same motions is luck: they stand for z and x, one with "
                "the other sign."
            )
        if _same_rows(K, expected):
            plain = plain and any(np.allclose(K[rows], s * expected) for rows in ([0, 1], [1, 0]) for s in (1, -1))
            continue
        return wrong(_fault_of(K, bars, expected))
    said = "the loop joint says two things in the plane, and K says them for every pose."
    other = " Yours are not the rates of the gap along x and z, but combinations of them, which demand the same."
    return right(said if plain else said + other)


@checks("F08-3")
def dead_angle(answer: Any, rocker: float = ROCKER) -> Verdict:
    """Exercise 3: an angle of the crank in degrees at which a motor at the rocker (its length in m) cannot drive it."""
    given = number(answer)
    if given is None:
        return wrong(f"{brief(answer)} is not an angle in degrees.")
    stretched, folded = np.degrees(dead_centres(rocker))
    off = [abs((given - angle + 180.0) % 360.0 - 180.0) for angle in (stretched, folded, -stretched, -folded)]
    if off[0] < 0.5:
        return right(f"{stretched:.2f}°: crank and coupler are stretched to 0.7 m. The other one is {folded:.2f}°.")
    if off[1] < 0.5:
        return right(f"{folded:.2f}°: coupler and crank lie on each other, 0.3 m. The other one is {stretched:.2f}°.")
    if min(off[2:]) < 0.5:
        return wrong("that is a dead centre of the crossed linkage; ours has its coupler's end above the base.")
    if abs((folded + 180.0 - given + 180.0) % 360.0 - 180.0) < 0.5:
        return wrong("the triangle is right; but folded the crank points away from the coupler's end: half a turn on.")
    if min(abs(given - x) for x in (*np.radians([stretched, folded]), np.radians(folded) + 2 * np.pi)) < 0.01:
        return wrong("right in rad; the answer is asked for in degrees.")
    return wrong(
        "the rocker does not move there for an instant. Crank and coupler must lie in line: a triangle with the base, "
        "the rocker, and 0.5 + 0.2 or 0.5 − 0.2 m."
    )


@checks("F08-4")
def time_constant(answer: Any) -> Verdict:
    """Exercise 4: a T_stab (s) that keeps the loop closed to 0.1 mm with steps of 10 ms."""
    T = number(answer)
    if T is None or not T > 0.0:
        return wrong(f"{brief(answer)} is not a time in s that is positive.")
    gap = drift(T, STEP, DURATION).gap[:, 0]
    worst = float(np.max(gap[len(gap) // 2 :]))
    if worst < WORST:
        return right(
            f"at most {1e6 * worst:.0f} µm, with {T / STEP:.2g} steps in T_stab. Its exact value hardly matters."
        )
    if not np.isfinite(worst):
        return wrong(
            f"with T_stab = {T / STEP:.2g} steps the linkage comes apart: the integrator cannot follow errors that "
            "fade that fast. Make T_stab longer."
        )
    if T > 3.0 * STEP:
        return wrong(f"the loop opens by up to {1e3 * worst:.2g} mm: errors come faster than they fade.")
    return wrong(f"the loop opens by up to {1e3 * worst:.2g} mm: T_stab that short makes the equations stiff.")


def arm_in_line() -> Model:
    """Exercise 5: a five-bar whose forearms lie in line at its neutral coordinates."""
    return five_bar(base=0.3, proximal=0.3, distal=0.4, tip=IN_LINE)


@checks("F08-5")
def two_motors(answer: Any) -> Verdict:
    """Exercise 5: names of two joints that drive the five-bar with its forearms in line."""
    model = arm_in_line()
    chosen = names(answer)
    known = [joint.name for joint in model.joints[1:]]
    if "tip" in chosen:
        return wrong("the tip is the loop joint; motors go to joints of the tree here.")
    if unknown := sorted(chosen - {*known}):
        return wrong(f"there is no joint {brief(unknown[0])}; there are {', '.join(known)}.")
    driven = actuated_freedoms(model, model.neutral(), [name for name in known if name in chosen])
    if len(chosen) < 2:
        return wrong("two freedoms need two motors; with fewer it is underactuated.")
    if len(chosen) > 2:
        return wrong(f"it works, but {len(chosen)} motors are redundant; two will do.")
    return _judged(chosen, driven)


@checks("F08-6")
def shared_torques(answer: Any) -> Verdict:
    """Exercise 6: a function (G_u, r, w) -> u with G_u^T u = r and the least sum of w u^2."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        G_u, r, w = rng.normal(size=(4, 2)), rng.normal(size=2), rng.uniform(0.3, 4.0, 4)
        result, fault = call(answer, G_u.copy(), r.copy(), w.copy())
        if fault:
            return wrong(fault)
        u = numbers(result, 4)
        if u is None:
            return wrong(f"it returned {brief(result)}; u has one number a motor, here four.")
        missing = np.abs(G_u.T @ u - r).max()
        best = weighted(G_u, r, w)
        if missing > 1e-8:
            plain = "; as many zeros as can be are not asked for" if np.count_nonzero(u) <= 2 else ""
            return wrong(f"G_u^T u misses r by {missing:.2g}: another motion comes out{plain}.")
        if np.abs(u - best).max() < 1e-7:
            continue
        for other, why in (
            (weighted(G_u, r, np.ones(4)), "that is the least sum of u²; the weights are not in it."),
            (weighted(G_u, r, 1.0 / w), "the weights are upside down: a large w is to make its u small."),
            (weighted(G_u, r, w**2), "that minimizes the sum of w² u²; take the root of w where you scale."),
        ):
            if np.abs(u - other).max() < 1e-7:
                return wrong(why)
        return wrong(
            f"the motion is right, but the sum of w u² is {w @ u**2:.4g} and could be {w @ best**2:.4g}. At the best "
            "u, w u is a combination of the columns of G_u."
        )
    return right("the motion is that of r, and no other torques do it with less. The rest is free: G_u^T u = 0.")


@checks("F08-7")
def slider_speed(draw: Any) -> Verdict:
    """Exercise 7: the function of a playground whose picture tells how fast a crosshead is, for 1 rad/s of its crank.

    It is called with the crank's angle, rad, and the length of the rod, m.
    """
    rng, cases = np.random.default_rng(8), []
    for _ in range(5):
        angle, rod = (float(x) for x in rng.uniform((0.3, 0.6), (1.2, 1.5)))
        c, s = 0.5 * np.cos(angle), 0.5 * np.sin(angle)
        along = float(np.sqrt(rod**2 - s**2))
        speed = float(-s - s * c / along)
        mistakes = {
            "so it would be if the rod stays level; it tilts as the crank turns.": -s,
            "the rod's part has the wrong sign: while the pin rises, the rod's way along x gets shorter.": -s
            + s * c / along,
            "that is its place, not the speed.": c + along,
            "it runs backwards: as the angle grows from 0, the crosshead comes nearer.": -speed,
        }
        cases.append(((angle, rod), speed, mistakes))
    return tells(
        draw,
        "speed",
        "m/s",
        cases,
        "a loop closure function by hand: q̇ = G ẏ with one number for the crosshead. The shorter the rod, the farther "
        "from the upright crank its greatest speed, towards cos q > 0.",
    )


def weighted(G_u: NDArray, r: NDArray, w: NDArray) -> NDArray:
    """Return the u (p,) with G_u^T u = r and the least sum of w u^2, by Lagrange multipliers."""
    p, m = G_u.shape
    matrix = np.block([[np.diag(w), G_u], [G_u.T, np.zeros((m, m))]])
    return np.asarray(np.linalg.solve(matrix, np.concatenate([np.zeros(p), r]))[:p])


def _judged(chosen: set[str], driven: ActuatedFreedoms) -> Verdict:
    if driven.rank < 2 and chosen == {"left_shoulder", "right_shoulder"}:
        return wrong(
            "the obvious choice, and here a dead one: with the forearms in line the shoulders cannot move the tip "
            "across them. Rank of G_u: 1."
        )
    if driven.rank < 2:
        return wrong("rank of G_u is 1: some motion of the tip needs neither of these joints to turn.")
    if driven.condition > EVEN:
        return wrong(
            f"they drive everything, but one direction {driven.condition:.1f} times worse than another; there is a "
            f"better pair (below {EVEN:g})."
        )
    values = short(driven.singular_values)
    return right(f"singular values of G_u: {values}. All directions are driven, and none much worse than another.")


def _bars(q: NDArray) -> list[NDArray]:
    """Return the vectors (2,) along crank, coupler and rocker at q, x and z in m."""
    angles = (q[0], q[0] + q[1], q[2])
    return [
        np.array([np.cos(a) * bar[0] + np.sin(a) * bar[1], np.cos(a) * bar[1] - np.sin(a) * bar[0]])
        for bar, a in zip(BARS, angles, strict=True)
    ]


def _same_rows(K: NDArray, expected: NDArray) -> bool:
    """Whether two matrices have the same row space, so that they express the same constraint."""
    return bool(np.linalg.matrix_rank(K, 1e-8) == 2 and np.linalg.matrix_rank(np.vstack([K, expected]), 1e-7) == 2)


def _fault_of(K: NDArray, bars: list[NDArray], expected: NDArray) -> str:
    """Explain the mistake in a student's K."""
    across = [np.array([bar[1], -bar[0]]) for bar in bars]
    crank, coupler, rocker = across
    columns = {
        "the crank carries the coupler: when it turns, both bars turn. Column 1 is off.": (crank, coupler, -rocker),
        "the rocker's end is what the coupler's end is compared with: its column has the other sign.": (
            crank + coupler, coupler, rocker,
        ),
        "column 2 is what the coupler's end does when only the hinge between crank and coupler turns; the crank does "
        "not move then.": (crank + coupler, crank + coupler, -rocker),
        "the crank's column has the coupler in it, but with the wrong sign.": (crank - coupler, coupler, -rocker),
    }  # fmt: skip
    for why, wrong_ones in columns.items():
        if _same_rows(K, np.stack(wrong_ones, axis=1)):
            return why
    if np.linalg.matrix_rank(K, 1e-8) < 2:
        return "its two rows say the same; the gap has an x and a z."
    motion = np.linalg.svd(expected)[2][-1]
    return (
        f"a motion that the loop allows, ({', '.join(f'{x:.3g}' for x in motion / motion[0])}) rad/s, opens yours. "
        "Turn one hinge at a time by 1 rad/s, and write down how coupler's end less rocker's end moves."
    )
