"""Checks of the exercises in the notebook on chapter 3: equations of motion and constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.algorithms.constraints import split_force
from rbdkit.joints import Helical, Revolute
from rbdkit.library.pinion_hinge import LENGTH, pinion_hinge
from rbdkit.library.rolling_sphere import circle_on_turntable as circle_on_turntable
from rbdkit.library.rolling_sphere import resting_place as resting_place
from rbdkit.library.rolling_sphere import turn_of_circle as turn_of_circle
from rbdkit.spatial import Inertia, se3, so3, subspace
from rbdkit.spatial.fields import point_force
from rbdkit_course.answers import call, numbers, short
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

PITCH = 0.2
ROPE_AT, ROPE_ALONG = 0.9, np.array([0.6, 0.8, 0.0])
BALL = 0.5


@checks("F03-1")
def sweet_spot(answer: Any) -> Verdict:
    """Exercise 1: where on the beam, m from the hinge, a push across it is not felt in the hinge."""
    x = numbers(answer)
    if x is None:
        return wrong("give one number, the distance from the hinge in m.")
    inertia = pinion_hinge().bodies[1].inertia
    assert inertia is not None
    S = Revolute("y").motion_subspace(np.zeros(1))
    _, f_c = split_force(point_force([0.0, 0.0, 1.0], [float(x), 0.0, 0.0]), inertia.matrix, S)
    felt = float(f_c[5])
    if abs(felt) < 0.005:
        return right(
            f"a push of 1 N there leaves {abs(felt):.1g} N for the hinge. The place is I / (m c): for a thin rod two "
            "thirds of its length. Players call it the sweet spot, books the centre of percussion."
        )
    if np.isclose(x, LENGTH / 2):
        return wrong("pushed at its centre of mass a free beam would not turn; this one must, and the hinge makes it.")
    side = "pushes back against yours" if felt > 0 else "has to help you along"
    return wrong(
        f"of a push of 1 N at {float(x):.3g} m the hinge feels {abs(felt):.3f} N: it {side}. Where is f_c zero?"
    )


@checks("F03-2")
def screw_constraints(answer: Any, pitch: float = PITCH) -> Verdict:
    """Exercise 2: T, shape (6, 5), of a helical joint about z with a pitch (m)."""
    T = numbers(answer, 6, 5)
    if T is None:
        found = numbers(answer, 5, 6)
        return wrong(
            "give a matrix of 6 rows and 5 columns" + ("; yours is its transpose." if found is not None else ".")
        )
    S = Helical("z", pitch=pitch).motion_subspace(np.zeros(1))
    if subspace.dimension(T) < 5:
        return wrong(f"the columns span only {subspace.dimension(T)} dimensions; a joint of one freedom bears five.")
    power = np.abs(S.T @ T).max() / np.abs(T).max()
    if power < 1e-9:
        return right(
            "no force in the range of T does work on the screw. Any five independent columns of the kind will do."
        )
    mirrored = Helical("z", pitch=-pitch).motion_subspace(np.zeros(1))
    if np.abs(mirrored.T @ T).max() < 1e-9 * np.abs(T).max():
        return wrong("check the sign in the last column: the moment and the force must do opposite work, h f + n = 0.")
    if subspace.same(T, np.eye(6)[:, [0, 1, 3, 4, 5]]):
        return wrong("that is the hinge. On a screw a force along the axis drives: it can only be borne with a moment.")
    return wrong(f"some column does work on the motion (0, 0, 1, 0, 0, {pitch:g}): S.T @ T = {short((S.T @ T)[0])}.")


@checks("F03-3")
def rope(answer: Any, at: float = ROPE_AT) -> Verdict:
    """Exercise 3: T_a of a rope at (`at`, 0, 0) along (0.6, 0.8, 0) that pulls a door on a hinge about z."""
    T_a = numbers(answer, 6)
    if T_a is None:
        return wrong("T_a of a joint with one freedom is six numbers: moment about the origin, then force.")
    force = point_force(ROPE_ALONG, [at, 0.0, 0.0])
    exact = force / force[2]
    if np.allclose(T_a, exact, atol=1e-3):
        return right(
            "the rope's force, scaled so that its moment about the hinge is 1: to make a torque of 1 N m it pulls with "
            f"{1 / force[2]:.3f} N, and all but the torque of it goes into the hinge."
        )
    if np.allclose(T_a, [0, 0, 1, 0, 0, 0], atol=1e-6):
        return wrong("a pure torque moves the door in the same way, but it is not what a rope exerts: ask the hinge.")
    if subspace.same(T_a[:, None], force[:, None]):
        return wrong(f"the right line, but T_a · S = {T_a[2]:.3f} and it must be 1 (Eq 3.35).")
    if abs(T_a[2] - 1.0) < 1e-6:
        return wrong(
            "its moment about the hinge is 1, as it must be; but the force is not along the rope, through "
            f"({at:g}, 0, 0)."
        )
    return wrong("write the rope's force of 1 N as a spatial force, r × f and f, and divide by its moment about z.")


@checks("F03-4")
def quarter_turn(moves: Any, radius: float = BALL) -> Verdict:
    """Exercise 4: straight ways (dx, dy), m, that bring a ball (its radius in m) home, turned by 90° about z."""
    ways = numbers(moves, -1, 2)
    if ways is None or not len(ways):
        return wrong("give a list of pairs (dx, dy) in m.")
    R, place = np.eye(3), np.zeros(2)
    for way in ways:
        R = so3.exp(np.array([-way[1], way[0], 0.0]) / radius) @ R
        place = place + way
    if np.linalg.norm(place) > 1e-3:
        return wrong(f"the ball ends at ({place[0]:.3f}, {place[1]:.3f}), not where it began.")
    turn = np.degrees(so3.log(R))
    if np.linalg.norm(turn[:2]) < 1.0 and abs(abs(turn[2]) - 90.0) < 1.0:
        return right(
            f"turned by {turn[2]:+.1f}° about the vertical, with {len(ways)} straight ways. No motion that is allowed "
            "turns the ball about the vertical, and yet it gets there: that is what nonholonomic means."
        )
    if np.linalg.norm(turn) < 1e-6:
        return wrong("home, and just as it was: you rolled back what you rolled.")
    return wrong(
        f"home, turned by {np.linalg.norm(turn):.1f}° about {short(turn / np.linalg.norm(turn))}. A quarter of the "
        "circumference out, some way across, and the quarter back: that turns the ball about the vertical by the way "
        "across, but not at home yet. Do another one that comes back."
    )


@checks("F03-5")
def push_on_a_joint(function: Any) -> Verdict:
    """Exercise 5: a function of I (6, 6), S (6, m) and f (6,) that gives the acceleration (6,) of a body at rest."""
    rng = np.random.default_rng()
    for m in (1, 2, 3, 6):
        I = Inertia.box(rng.uniform(0.2, 0.6, 3), mass=1.5).transformed(se3.random(rng)).matrix
        S, f = rng.normal(size=(6, m)), rng.normal(size=6)
        answer, fault = call(function, I.copy(), S.copy(), f.copy())
        if fault:
            return wrong(fault)
        a = numbers(answer, 6)
        if a is None:
            return wrong("return six numbers, the spatial acceleration.")
        exact = S @ np.linalg.solve(S.T @ I @ S, S.T @ f)
        if np.allclose(a, exact, rtol=1e-6, atol=1e-9):
            continue
        if np.allclose(a, np.linalg.solve(I, f)):
            return wrong("that is the free body: the joint is not in it.")
        if np.allclose(a, np.linalg.lstsq(S.T, S.T @ np.linalg.solve(I, f), rcond=None)[0]) or np.allclose(
            a, S @ np.linalg.lstsq(S, np.linalg.solve(I, f), rcond=None)[0]
        ):
            return wrong(
                "you projected the free acceleration onto S as if motions had lengths and right angles. With another "
                "unit of length the result is another one; project the force instead."
            )
        out = subspace.dimension(np.column_stack([S, a])) > m
        return wrong("the acceleration is not in S." if out else f"in S, but off by {np.abs(a - exact).max():.3g}.")
    return right("S (SᵀIS)⁻¹ Sᵀ f: forces are projected by S, and no metric of motions was asked for.")


@checks("F03-6")
def leaning_door(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells how a door turns that is pushed at its handle.

    It is called with how far the hinge leans, rad, and the height of the handle, m.
    """
    plate = Inertia.box([0.9, 0.04, 2.0], mass=20.0)
    I = plate.transformed(se3.pose(position=[0.45, 0.0, 0.0])).matrix
    rng, cases = np.random.default_rng(3), []
    for _ in range(5):
        lean, height = (float(x) for x in rng.uniform((0.2, 0.2), (0.7, 0.9)))
        S = np.array([np.sin(lean), 0.0, np.cos(lean), 0.0, 0.0, 0.0])
        f = point_force(np.array([0.0, 20.0, 0.0]), [0.8, 0.0, height])
        turns = float(S @ f / (S @ I @ S))
        mistakes = {
            "that is a door which hung on nothing, as seen along its hinge. The hinge answers with a force; see both "
            "sides of f + f_c = I a along S.": float(S @ np.linalg.solve(I, f)),
            "the door turns about its hinge, and that is its inertia about the door's middle.": float(
                S @ f / (S[:3] @ plate.inertia_com @ S[:3])
            ),
            "it turns the wrong way round: the moment about the origin is r × f.": -turns,
        }
        cases.append(((lean, height), turns, mistakes))
    return tells(
        draw,
        "turns with",
        "rad/s²",
        cases,
        "the force of the hinge drops out of Sᵀ f = Sᵀ I S q̈. Where the hinge leans outward, a high handle is nearer "
        "to its axis: the moment is smaller, and a low one has the longer lever.",
    )
