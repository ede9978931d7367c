"""Checks of the exercises in the notebook on chapter 2: spatial vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import Inertia, Screw, plucker, screw, se3, so3
from rbdkit.spatial.fields import velocity_at
from rbdkit.spatial.rates import classical_acceleration
from rbdkit_course.answers import call, numbers, short
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

RADIUS, SPEED = 0.4, 2.0
"""The wheel of exercise 1 (m, m/s): it rolls along x, and touches the ground at (1, 0, 0)."""

TURNS, PULL = 2.0, 10.0
"""Exercise 4: angular velocity of the bolt about z, rad/s, and pull on the spanner, N."""

CRANK = Inertia.box([0.6, 0.1, 0.1], mass=2.0).transformed(se3.pose(position=[0.3, 0.0, 0.1]))
"""The body of exercise 5."""


@checks("F02-1")
def rolling_wheel(answer: Any, radius: float = RADIUS, speed: float = SPEED) -> Verdict:
    """Exercise 1: the spatial velocity at the origin of a wheel that rolls along x."""
    v = numbers(answer, 6)
    if v is None:
        return wrong("a spatial velocity is six numbers, angular part first: (ωx, ωy, ωz, vx, vy, vz).")
    turns = speed / radius
    exact = np.array([0.0, turns, 0.0, 0.0, 0.0, turns])
    if np.allclose(v, exact, atol=1e-6):
        return right(
            "the wheel turns about the line through the point that touches the ground, (1, 0, 0), parallel to y. At "
            "the origin a point of the wheel, if there were one, would go straight up."
        )
    if np.allclose(v, [*exact[3:], *exact[:3]], atol=1e-6):
        return wrong("the right numbers in the other order: here the angular part comes first.")
    if np.allclose(v, [0, turns, 0, speed, 0, 0], atol=1e-6):
        return wrong("the linear part is the velocity of the hub. It has to be that of the body point at the origin O.")
    if np.allclose(v[:3], -exact[:3], atol=1e-6):
        return wrong("that wheel turns backward: with ω along +y the top of the wheel moves along +x.")
    slip, hub = velocity_at(v, [1.0, 0.0, 0.0]), velocity_at(v, [1.0, 0.0, radius])
    return wrong(
        f"with these numbers the lowest point of the wheel has the velocity {short(slip)} and the hub "
        f"{short(hub)} m/s; they should have (0, 0, 0) and ({speed:g}, 0, 0)."
    )


@checks("F02-2")
def find_screw(function: Any) -> Verdict:
    """Exercise 2: a function from a twist (6,) to a point of its axis, a direction and the pitch."""
    rng = np.random.default_rng()
    for k in range(6):
        v = rng.normal(size=6)
        if k == 0:
            v[3:] = np.cross(rng.normal(size=3), v[:3])  # a pure rotation
        answer, fault = call(function, v.copy(), own=[screw.twist_screw])
        if fault:
            return wrong(fault)
        parts = _screw_parts(answer)
        if parts is None:
            return wrong("return three things: a point (3 numbers), a direction (3 numbers) and the pitch (one).")
        why = _screw_fault(v, *parts)
        if why:
            return wrong(f"for v = {short(v)} {why}.")
    return right("direction ω, pitch ω · v_O / |ω|², and ω × v_O / |ω|² is the point of the axis nearest to O.")


def _screw_fault(v: NDArray, point: NDArray, direction: NDArray, pitch: float) -> str:
    """Explain what is wrong with a screw for the twist v; '' if it is right."""
    w, v_O = v[:3], v[3:]
    if np.linalg.norm(np.cross(direction, w)) > 1e-6 * np.linalg.norm(w) * np.linalg.norm(direction):
        return f"the direction {short(direction)} is not parallel to ω"
    if not np.isclose(pitch, w @ v_O / (w @ w), rtol=1e-6, atol=1e-9):
        if np.isclose(pitch, w @ v_O / np.linalg.norm(w)):
            return f"the pitch {pitch:.4g} is not right: divide by |ω|², not |ω|"
        return f"the pitch {pitch:.4g} is not right: it is the part of v_O along ω, for a turn of one radian"
    off, mirrored = (np.linalg.norm(np.cross(velocity_at(v, P), w)) for P in (point, -point))
    small = 1e-6 * (1.0 + float(np.linalg.norm(v)) ** 2)
    if off > small:
        hint = (
            "try the cross product the other way around" if mirrored < small else "there the velocity must be along ω"
        )
        return f"the point {short(point)} is not on the axis: {hint}"
    return ""


def _screw_parts(answer: Any) -> tuple[NDArray, NDArray, float] | None:
    if isinstance(answer, Screw):
        answer = answer.point, answer.direction, answer.pitch
    try:
        point, direction, pitch = answer
    except (TypeError, ValueError):
        return None
    P, d, h = numbers(point, 3), numbers(direction, 3), numbers(pitch)
    return None if P is None or d is None or h is None or not d.any() else (P, d, float(h))


@checks("F02b-1")
def felt_acceleration(function: Any) -> Verdict:
    """Second half, exercise 1: a function of a, v (6,) and a point P (3,) that gives the point's acceleration (3,)."""
    rng = np.random.default_rng()
    for _ in range(4):
        a, v, P = rng.normal(size=6), rng.normal(size=6), rng.normal(size=3)
        answer, fault = call(function, a.copy(), v.copy(), P.copy(), own=[classical_acceleration])
        if fault:
            return wrong(fault)
        found = numbers(answer, 3)
        if found is None:
            return wrong("return three numbers, m/s².")
        exact, field = classical_acceleration(a, v, P)[3:], velocity_at(a, P)
        if np.allclose(found, field):
            return wrong(
                "that is the rate of the velocity at a place that stays; the point moves on: add ω × its velocity."
            )
        if np.allclose(found, field + np.cross(v[:3], np.cross(v[:3], P))):
            return wrong("the velocity of the point is v_O + ω × P, not ω × P: the origin moves too.")
        if np.allclose(found, a[3:] + np.cross(v[:3], v[3:])):
            return wrong("that is the point at the origin; this one is at P.")
        if not np.allclose(found, exact):
            return wrong(f"off by {np.abs(found - exact).max():.3g} m/s². Write r' = v_O + ω × P and differentiate it.")
    return right("a_O + ω' × P + ω × (v_O + ω × P): the field of a at P, and what comes from moving on through it.")


@checks("F02-3")
def force_transform(function: Any) -> Verdict:
    """Exercise 3: a function of E (3, 3) and r (3,) that gives X* (6, 6) from A to B, with B at r in A."""
    rng = np.random.default_rng()
    for _ in range(4):
        pose = se3.random(rng)
        E, r = pose[:3, :3].T, pose[:3, 3]
        X = plucker.plucker(E, r)
        answer, fault = call(function, E.copy(), r.copy(), own=[plucker.force, plucker.plucker])
        if fault:
            return wrong(fault)
        found = numbers(answer, 6, 6)
        if found is None:
            return wrong("return a matrix of six rows and six columns.")
        if np.allclose(found, plucker.force(X)):
            continue
        if np.allclose(found, X):
            return wrong("that is X, for motions. A force's moment changes with the origin, not its linear part.")
        if np.allclose(found, X.T):
            return wrong("the transpose alone leads back, from B to A: X* is the inverse of the transpose.")
        if np.allclose(found, np.block([[E, E @ so3.skew(r)], [np.zeros((3, 3)), E]])):
            return wrong("the sign of r is wrong: the moment about the new origin is n - r × f.")
        v, f = rng.normal(size=(2, 6))
        return wrong(
            f"power must not depend on the frame; with yours it goes from {v @ f:.3f} to {(X @ v) @ (found @ f):.3f} W."
        )
    return right("X* = [E, -E r×; 0, E], the inverse of the transpose of X, and power is the same in every frame.")


@checks("F02-4")
def spanner(draw: Any) -> Verdict:
    """Exercise 4: the function of a playground whose picture tells the power of a spanner on a bolt.

    It is called with the spanner's length (m), the tilt of the pull (rad) and the pitch of the bolt (m/rad).
    """
    rng, cases = np.random.default_rng(2), []
    for _ in range(5):
        length, tilt, pitch = (float(x) for x in rng.uniform((0.1, 0.2, 0.02), (0.4, 0.8, 0.08)))
        turning, sliding = TURNS * length * PULL * np.cos(tilt), TURNS * pitch * PULL * np.sin(tilt)
        mistakes = {
            "only what slides works here: the pull has a moment about O as well, r × f, and the bolt turns.": sliding,
            "only what turns works here: the bolt goes forward too, by its pitch for each radian.": turning,
            "the moment has the wrong sign: it is r × f, not f × r.": sliding - turning,
            "the power has the wrong sign: this pull helps the bolt on.": -turning - sliding,
        }
        cases.append(((length, tilt, pitch), turning + sliding, mistakes))
    return tells(
        draw,
        "power",
        "W",
        cases,
        "six products, one sum. Only two that have a partner count: the moment about the bolt works on its turning, "
        "the force along it on its sliding. At the point where you pull, the same power is f · v, without any moment.",
        hint="Is the moment above the force?",
    )


@checks("F02b-2")
def counterweight(mass: Any, place: Any) -> Verdict:
    """Second half, exercise 2: a point mass at a place (3,) that brings the crank's centre of mass to the origin."""
    m, c = numbers(mass), numbers(place, 3)
    if m is None or c is None or not m > 0.0:
        return wrong("give a mass in kg, larger than 0, and a place, three numbers in m.")
    total = (CRANK + Inertia(float(m), c, np.zeros((3, 3)))).matrix
    left = total[3:, :3]  # m c x, transposed: zero if the centre of mass is the origin
    if np.abs(left).max() < 1e-6:
        return right(
            "the blocks in the corners are gone: turning the crank about O takes no force, only a moment. Any mass "
            "does, if mass times distance is right: first moments add up, as everything in an inertia does."
        )
    if np.allclose(m * c, CRANK.mass * CRANK.com):
        return wrong("the right distance, on the wrong side: that doubles the first moment.")
    com = so3.unskew(left.T) / total[5, 5]
    return wrong(f"the centre of mass of both is at {short(com)} m. First moments add: m c of the two must cancel.")
