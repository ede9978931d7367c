"""Checks of the exercises in the notebook on gears and dynamic equivalence, sections 9.6 and 9.7."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbdkit.algorithms.equivalence import base_parameters, exchanged
from rbdkit.algorithms.equivalence.exchange import table_9_7
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.model import Model
from rbdkit_course.answers import call, number, numbers, whole
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

WRIST_RATIO = 40.0
"""Gear ratio of the wrist in exercise 1."""
LOAD, ROTOR = 0.4, 1e-4
"""Inertias of exercise 2, kg m²."""
CRANK = 0.3
"""Radius of the crank of exercise 3, m."""
FREE_JOINTS = "RRPR"
"""The arm of exercise 5."""


def elbow_arm() -> Model:
    """Return the arm of exercise 4, with two hinges."""
    return right_angle_arm("RR", length=0.4, seed=8)


@checks("F09b-1")
def wrist(answer: Any, ratio: float = WRIST_RATIO) -> Verdict:
    """Exercise 1: G of a wrist with q = (pitch, roll, motor 1, motor 2) and y = (pitch, roll)."""
    exact = np.array([[1.0, 0.0], [0.0, 1.0], [ratio, ratio], [ratio, -ratio]])
    G = numbers(answer, 4, 2)
    if G is None:
        if numbers(answer, 2, 4) is not None:
            return wrong("that is a 2 × 4 matrix. q = G y has four joints on the left: G has four rows.")
        return wrong("G has a row for each of the four joints and a column for each of the two independent variables.")
    if np.allclose(G, exact):
        return right("both motors turn for a pitch, against each other for a roll, so both always share the work.")
    if not np.allclose(G[:2], np.eye(2)):
        return wrong("pitch and roll are y themselves: the first two rows are the identity.")
    if np.allclose(G[2:], exact[2:] / ratio):
        return wrong(f"the signs are right; each motor makes {ratio:g} turns for one of the wrist.")
    if np.allclose(G[2:], exact[2:] / 2.0) or np.allclose(G[2:], exact[2:] / (2.0 * ratio)):
        return wrong("the half belongs to the way back, from the motors to the wrist.")
    if np.allclose(np.abs(G[2:]), np.abs(exact[2:])):
        return wrong("the sizes are right; look at the signs: roll is what makes the motors differ.")
    return wrong(f"row 3 says how far motor 1 turns for pitch and for roll: motor 1 = {ratio:g} (pitch + roll).")


@checks("F09b-2")
def best_ratio(answer: Any, load: float = LOAD) -> Verdict:
    """Exercise 2: the gear ratio with which a motor of given torque accelerates a load (kg m2) the most."""
    x = number(answer)
    exact = float(np.sqrt(load / ROTOR))
    if x is None or x <= 0.0:
        return wrong("a positive number, please: turns of the rotor for one of the load.")
    if abs(x - exact) < 0.07 * exact:
        return right(
            f"ρ² I = J, ρ = {exact:.1f}: load and rotor weigh the same for the motor. Half of its torque moves itself. "
            "The top is flat: seven per cent to either side cost a quarter of a per cent."
        )
    if abs(x - exact**2) < 0.02 * exact**2:
        return wrong("J/I is ρ²: the inertia goes with the square of the ratio.")
    share = x * ROTOR * load / (load + x**2 * ROTOR) / (0.5 * exact * ROTOR)
    why = "the rotor is most of what is moved" if x > exact else "the motor's torque reaches the load too weak"
    return wrong(f"with {x:g} the load gets {100 * share:.3g} % of the best acceleration: {why}.")


@checks("F09b-3")
def crank_bias(answer: Callable[..., Any], radius: float = CRANK) -> Verdict:
    """Exercise 3: g of a slide that follows a crank, q2 = radius sin y (m), as a function of y and its rate."""
    states = [(0.4, 2.0), (-1.1, 3.0), (2.5, -1.5), (1.2, 0.0)]
    exact = np.array([-radius * np.sin(y) * yd**2 for y, yd in states])
    results = [call(answer, y, yd) for y, yd in states]
    if fault := next((fault for _, fault in results if fault), ""):
        return wrong(fault)
    found = numbers([number(result) for result, _ in results], len(states))
    if found is None:
        return wrong("for y and ẏ your function should return one finite number, in m/s².")
    if np.allclose(found, exact, atol=1e-6):
        return right("what the slide does while the crank keeps its speed; at rest it is zero.")
    if np.allclose(found, -exact, atol=1e-6):
        return wrong("the sign: at y = 90° the slide is at its far end and is about to come back.")
    if np.allclose(found, [radius * np.cos(y) * yd for y, yd in states], atol=1e-6):
        return wrong("that is G ẏ, the velocity of the slide; g is Ġ ẏ, a part of its acceleration.")
    if np.allclose(found, [-radius * np.sin(y) * yd for y, yd in states], atol=1e-6):
        return wrong("that is Ġ; one ẏ is missing: g = Ġ ẏ.")
    return wrong("differentiate G = r cos y by time and multiply by ẏ.")


@checks("F09b-4")
def lighter_forearm(answer: Any) -> Verdict:
    """Exercise 4: ten numbers that leave the forearm of `elbow_arm` with half its mass, and the motion as it was."""
    model = elbow_arm()
    I_delta = numbers(answer, 10)
    if I_delta is None:
        return wrong("ten finite numbers: m, the first moment (3), and Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the origin.")
    half = 0.5 * float(model.I[2][5, 5])
    B = table_9_7(model.joints[2].type)
    outside = I_delta - B @ (np.linalg.pinv(B) @ I_delta)
    if np.abs(outside).max() > 1e-6 * max(1.0, float(np.abs(I_delta).max())):
        if np.allclose(I_delta[:4], np.array([1.0, *model.bodies[2].inertia.com]) * half, rtol=1e-3):  # type: ignore[union-attr]
            return wrong(
                "you took half of the forearm where it is. That mass swings; only what lies on the axis may go."
            )
        return wrong("this changes the motion: only particles on the hinge, the z axis of the forearm, go unnoticed.")
    if abs(I_delta[0] - half) > 1e-3 * half:
        return wrong(
            f"the motion stays, but the forearm keeps {2 * half - I_delta[0]:.3f} kg; half of it is {half:.3f}."
        )
    there = exchanged(model, "link2", I_delta).bodies[2].inertia
    built = there is not None and not there.findings()
    remark = "and one could even build it" if built else "though no such body can be built: the motion does not care"
    return right(f"{half:.3f} kg changed sides at the elbow, {remark}.")


@checks("F09b-5")
def identifiable(answer: Any) -> Verdict:
    """Exercise 5: how many combinations of inertia parameters of an arm RRPR can be measured, first axis upright."""
    exact = base_parameters(right_angle_arm(FREE_JOINTS)).rank
    found = whole(answer)
    if found is None:
        return wrong("a whole number, please.")
    if found == exact:
        return right(f"{exact} of 40. The others are lost at the first hinge, or shared by neighbours.")
    if found == 40:
        return wrong("four bodies have forty numbers, but not all of them can be told apart.")
    if found == 40 - 3 * 3 - 6:
        return wrong("you have taken off what each joint lets pass; the upright first hinge hides more of its body.")
    return wrong("start from 40, take 3 for each hinge and 6 for the slide, then ask what the first body ever does.")


@checks("F09b-6")
def geared_load(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells how fast a motor of 0.5 N m speeds up a load.

    It is called with the gear's ratio and the inertia of the load, kg m²; the rotor has 0.002 kg m².
    """
    tau, rotor = 0.5, 0.002
    rng, cases = np.random.default_rng(9), []
    for _ in range(5):
        ratio, load = (float(x) for x in rng.uniform((20.0, 0.5), (60.0, 4.0)))
        felt = load + ratio**2 * rotor
        mistakes = {
            "the rotor turns faster than the load, and takes its part of the torque.": ratio * tau / (load + rotor),
            "the gear makes speeds smaller and the torque larger: times the ratio.": tau / felt,
            "the ratio counts twice: for the rotor's acceleration, and for the torque that this takes.": ratio
            * tau
            / (load + ratio * rotor),
            "that is the acceleration at the motor.": ratio**2 * tau / felt,
        }
        cases.append(((ratio, load), ratio * tau / felt, mistakes))
    return tells(
        draw,
        "load speeds up with",
        "rad/s²",
        cases,
        "ρ τ = (I_l + ρ² I_r) q̈. Fifty to one for this load: there rotor and load take the same share of the torque.",
    )
