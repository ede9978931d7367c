"""Checks of the exercises in the notebook on chapter 4: modelling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.graph import ConnectivityGraph
from rbdkit.spatial import se3
from rbdkit_course.answers import brief, call, number, numbers, wholes
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

LEGS = 6
"""Number of legs of the platform in exercise 1."""

ALONG_X, ALONG_Y = 0.25, 0.1
"""Position of the frame in exercise 3, m."""

SUN, PLANET = 0.3, 0.1
"""Radii of the gears of exercise 4, m."""

NEAR = 1e-2
"""Tolerance of exercise 3, m or rad: 1.57 counts as a quarter turn."""

STEP, SPIN, STEPS = 0.02, 3.0, 500
"""Exercise 5: step (s), angular velocity (rad/s), and number of steps."""


def platform_on_legs(legs: int) -> ConnectivityGraph:
    """Build a platform on legs: each a cylinder on a universal joint, a rod that slides in it, a ball joint on top."""
    joints = []
    for k in range(1, legs + 1):
        joints += [
            (f"universal{k}", "world", f"cylinder{k}"),
            (f"slide{k}", f"cylinder{k}", f"rod{k}"),
            (f"ball{k}", f"rod{k}", "platform"),
        ]
    return ConnectivityGraph(joints)


@checks("F04-1")
def loops_of_the_platform(answer: Any, legs: float = LEGS) -> Verdict:
    """Exercise 1: how many independent kinematic loops the platform on its legs has."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a number.")
    n = round(legs)
    graph = platform_on_legs(n)
    if found == graph.N_L:
        return right(
            f"{graph.N_J} joints and {graph.N_B} moving bodies: N_L = {graph.N_L}. One leg makes the platform part of "
            "a tree; each further leg closes one loop."
        )
    if found == n:
        return wrong(f"{n} legs, but the first one closes nothing: it only hangs the platform on the ground.")
    if found == n * (n - 1) // 2:
        return wrong(
            f"{found:g} pairs of legs make {found:g} cycles, but most of them are sums of others: not independent."
        )
    if found == n - 2:
        return wrong(f"{3 * n} joints, and {2 * n + 2} bodies if the ground counts; but N_B leaves the fixed base out.")
    return wrong("count the moving bodies and the joints of one leg, multiply by the legs, add the platform: Eq 4.1.")


@checks("F04-2")
def tree_of_wishes(answer: Any) -> Verdict:
    """Exercise 2: parents of six bodies with mu(0) = {1}, |nu(2)| = 4, |kappa(6)| = 3 and three tips."""
    found = wholes(answer, 6)
    if found is None:
        return wrong("the parent array holds six whole numbers, lambda(1) to lambda(6); the base is 0.")
    parents = [-1, *found]
    for i in range(1, 7):
        if not 0 <= parents[i] < i:
            return wrong(f"lambda({i}) = {parents[i]} is not one of 0, ..., {i - 1}: parents come first (rule 3).")
    support = [set[int]()]
    for i in range(1, 7):
        support.append(support[parents[i]] | {i})
    children = [j for j in range(1, 7) if parents[j] == 0]
    if children != [1]:
        return wrong(f"mu(0) is {set(children)}, not {{1}}: only body 1 may be a child of the base.")
    carried = [i for i in range(1, 7) if 2 in support[i]]
    if len(carried) != 4:
        return wrong(f"nu(2) = {set(carried)} has {len(carried)} bodies, not four; body 2 itself is one of them.")
    if len(support[6]) != 3:
        return wrong(f"kappa(6) = {support[6]} has {len(support[6])} joints, not three; joint 6 is one of them.")
    tips = [i for i in range(1, 7) if i not in parents]
    if len(tips) != 3:
        return wrong(f"the bodies without children are {tips}: {len(tips)} of them, not three.")
    return right("all four wishes at once. The array of six numbers says all that there is to say about the tree.")


def target_pose(x: float = ALONG_X, y: float = ALONG_Y) -> NDArray:
    """Return the pose of frame F_1 in F_0 in exercise 3: z_1 along y_0, origin at (x, y, 0), m."""
    return np.array([[0.0, -1.0, 0.0, x], [0.0, 0.0, 1.0, y], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


@checks("F04-3")
def four_parameters(answer: Any, x: float = ALONG_X, y: float = ALONG_Y) -> Verdict:
    """Exercise 3: a, alpha, d, theta from F_0 to F_1; any four numbers that lead there."""
    found = numbers(answer, 4)
    if found is None:
        return wrong("give four numbers: a (m), alpha (rad), d (m), theta (rad).")
    target = target_pose(x, y)

    def leads_there(*parameters: float) -> bool:
        return np.allclose(_dh(*parameters), target, atol=NEAR)

    if leads_there(*found):
        rounded = not np.allclose(_dh(*found), target, atol=1e-6)
        return right(
            f"tilt by -90° about x_0, {x:g} m along it; then a turn by 90° about the new z, which is y_0, {y:g} m "
            "along it." + (" (With np.pi / 2 in place of decimals it is exact.)" if rounded else "")
        )
    a, alpha, d, theta = found
    if leads_there(a, np.radians(alpha), d, np.radians(theta)):
        return wrong("right, but in degrees: angles are in radians here.")
    if leads_there(a, -alpha, d, theta) or leads_there(a, -alpha, -d, theta):
        return wrong("alpha has the wrong sign: a positive turn about x takes y to z, and z to -y.")
    if leads_there(d, alpha, a, theta):
        return wrong("a and d are exchanged: a goes along x_0, d along z_1.")
    if leads_there(a, theta, d, alpha):
        return wrong("alpha and theta are exchanged: alpha turns about x_0, theta about z_1.")
    off = _dh(*found)
    if np.allclose(off[:3, 2], target[:3, 2], atol=NEAR):
        return wrong(f"z_1 points the right way; but x_1 is {_short(off[:3, 0])} or the origin {_short(off[:3, 3])}.")
    return wrong(f"z_1 comes out as {_short(off[:3, 2])}; it should be {_short(target[:3, 2])}. Begin with alpha.")


@checks("F04-4")
def planet_subspace(function: Any) -> Verdict:
    """Exercise 4: S(q) of a planet gear that rolls round a sun: q the angle of the arm, six numbers in planet axes."""
    for q in (0.0, 0.7, -1.9):
        found, fault = call(function, q)
        if fault:
            return wrong(fault)
        S = numbers(found, 6)
        if S is None:
            return wrong(f"at q = {q} it returns {brief(found)}; it should be six numbers, the angular part first.")
        exact, in_sun_axes, pose = _planet(q)
        if np.allclose(S, exact, atol=1e-6):
            continue
        if np.allclose(S, in_sun_axes, atol=1e-6):
            return wrong("right in the axes of the sun, at the sun's centre; S is wanted in the axes of the planet.")
        if np.isclose(S[2], SUN / PLANET, atol=1e-6):
            return wrong("R/r turns are what the planet makes as seen from the arm; the arm itself turns once more.")
        if not np.isclose(S[2], exact[2], atol=1e-6):
            return wrong(f"at q = {q} the planet turns {S[2]:.4g} times as fast as the arm; it should be 1 + R/r.")
        if np.allclose(S[3:], pose[:3, :3] @ exact[3:], atol=1e-6):
            return wrong(
                "the velocity of the planet's centre is right in the axes of the sun: turn it by -(1 + R/r) q."
            )
        return wrong(
            f"at q = {q} its linear part is {_short(S[3:])}; by differences of the pose it is {_short(exact[3:])}."
        )
    return right(
        "S changes with q: this joint has a velocity-product term. With R to infinity it becomes the rack and pinion."
    )


@checks("F04-5")
def norm_after(answer: Any, spin: float = SPIN) -> Verdict:
    """Exercise 5: the norm of a quaternion after many Euler steps without renormalization, to a part in a thousand."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a number.")
    half = 0.5 * STEP * spin
    exact = (1.0 + half**2) ** (STEPS / 2)
    if abs(found - exact) < 1e-3 * exact:
        return right(
            f"each step goes along the tangent and lengthens p by √(1 + (hω/2)²): {exact:.4f} after {STEPS} of them. "
            f"The arm behind the joint is drawn {100 * (exact**2 - 1):.0f} % out of shape."
        )
    if abs(found - (1.0 + half**2) ** STEPS) < 2e-3 * exact:
        return wrong("that is the square of the norm: p grows by the root of 1 + (hω/2)² in each step.")
    if abs(found - (1.0 + (STEP * spin) ** 2) ** (STEPS / 2)) < 2e-3 * exact:
        return wrong("the rate of p is half of ω (Eq 4.13): its length is ω/2, not ω.")
    if abs(found - 1.0) < 1e-3:
        return wrong(
            "in exact time it would stay 1, as the rate is at right angles to p; a step of Euler leaves the sphere."
        )
    return wrong("in one step p moves at right angles to itself, by h ω/2: Pythagoras gives its new length.")


@checks("F04-6")
def tip_of_the_frame(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells how high the tip of a link is.

    It is called with the tilt alpha and the turn theta, rad, and the way d along the tilted axis, m.
    """
    rng, cases = np.random.default_rng(4), []
    for _ in range(5):
        alpha, theta, d = (float(x) for x in rng.uniform((0.3, 0.4, 0.2), (1.3, 1.4, 0.6)))
        swing, rise = 0.3 * np.sin(alpha) * np.sin(theta), d * np.cos(alpha)
        mistakes = {
            "that is the tilt and the turn the other way round: first about z, then about an x that has turned.": d,
            "the tip is on the other side: alpha tilts z towards -y, as a turn about x does.": rise - swing,
            "the way along the axis is missing.": swing,
        }
        cases.append(((alpha, theta, d), swing + rise, mistakes))
    return tells(
        draw,
        "height of the tip",
        "m",
        cases,
        "what is done first stands on the left. Without a tilt the axis is upright, and theta lifts nothing.",
    )


def _dh(a: float, alpha: float, d: float, theta: float) -> NDArray:
    """Return Craig's matrix (4, 4) of Denavit-Hartenberg parameters."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array(
        [[ct, -st, 0.0, a], [st * ca, ct * ca, -sa, -sa * d], [st * sa, ct * sa, ca, ca * d], [0.0, 0.0, 0.0, 1.0]]
    )


def _planet(q: float) -> tuple[NDArray, NDArray, NDArray]:
    """Return S in planet axes, the same velocity in sun axes about the sun's centre, and the planet's pose."""
    arm, turns = SUN + PLANET, 1.0 + SUN / PLANET
    c, s = np.cos(turns * q), np.sin(turns * q)
    center = arm * np.array([np.cos(q), np.sin(q), 0.0])
    pose = se3.pose(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), center)
    omega = np.array([0.0, 0.0, turns])
    speed = arm * np.array([-np.sin(q), np.cos(q), 0.0])
    in_planet = np.concatenate([omega, pose[:3, :3].T @ speed])
    return in_planet, np.concatenate([omega, speed - np.cross(omega, center)]), pose


def _short(x: NDArray) -> str:
    return "(" + ", ".join(f"{value + 0.0:.4g}" for value in np.round(x, 6)) + ")"
