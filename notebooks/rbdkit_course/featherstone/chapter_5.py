"""Checks of the exercises in the notebook on chapter 5: inverse dynamics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import rnea
from rbdkit.algorithms.closed_form import closed_form
from rbdkit.algorithms.luh_walker_paul import body_forces as body_forces
from rbdkit.algorithms.luh_walker_paul import inward as inward
from rbdkit.algorithms.luh_walker_paul import outward as outward
from rbdkit.functions import aba, gravity_force
from rbdkit.library import double_pendulum, pendulum
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.model import Model
from rbdkit.trace import trace
from rbdkit_course.answers import call, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

JOINTS = 8
"""Number of joints of the chain in exercise 1."""


def arm() -> Model:
    """Return the arm of exercises 2 and 3."""
    return right_angle_arm("RRR", length=0.4, seed=5)


POSE, RATES, ACCELERATIONS = np.array([0.3, -0.5, 1.0]), np.array([3.0, 0.0, -4.0]), np.array([0.0, 10.0, 0.0])
"""State of the arm in exercises 2 and 3, rad, rad/s, rad/s²."""


@checks("F05-1")
def velocities(answer: Callable[..., Any]) -> Verdict:
    """Exercise 1: the velocities of a chain from axes s (n, 6) and rates qd (n,), with as little work as can be."""
    rng = np.random.default_rng(1)
    s, qd = rng.normal(size=(JOINTS, 6)), rng.normal(size=JOINTS)
    expected = np.cumsum(s * qd[:, None], axis=0)
    result, fault = call(answer, s.copy(), qd.copy())
    if fault:
        return wrong(fault)
    found = numbers(result, JOINTS, 6)
    if found is None:
        return wrong(f"for {JOINTS} joints it should return {JOINTS} rows of six finite numbers, the body velocities.")
    if not np.allclose(found, expected, atol=1e-12):
        if np.allclose(found, s * qd[:, None]):
            return wrong("these are the velocities across the joints; each body also has that of the body before it.")
        k = int(np.argmax(np.abs(found - expected).max(axis=1) > 1e-12)) + 1
        return wrong(f"v{k} is not v{k - 1} + s{k} q̇{k} (with v0 = 0).")
    try:
        counted = trace(lambda S, rates: answer(S, rates), (JOINTS, 6), JOINTS, simplify=False).operations()
    except Exception:  # an array made for floats, np.zeros((n, 6)) or np.array(s, float), takes no symbols
        return right(
            "the velocities are right. Whether with the least work cannot be seen: arrays made for floats take no "
            "symbols to count with. np.zeros_like(s) in place of np.zeros((n, 6)) does, if you want to know."
        )
    best = 6 * (2 * JOINTS - 1)
    if counted.total <= best + 12:  # some begin with a velocity of zero
        return right(f"{counted} for {JOINTS} joints: n scalings and n additions of six numbers, linear in n.")
    return wrong(f"right, but it takes {counted}; {best} operations are enough if each sum starts from the last one.")


@checks("F05-2")
def holding_torques(answer: Any) -> Verdict:
    """Exercise 2: what the joints of the arm must do to hold it still at `POSE`."""
    model = arm()
    exact = gravity_force(model, POSE)
    tau = numbers(answer, 3)
    if tau is None:
        return wrong("three torques in N m, please.")
    if np.allclose(tau, exact, atol=2e-3 * np.abs(exact).max()):
        return right("RNEA with all velocities and accelerations zero; what is left of it are Eqs 5.12 and 5.13.")
    if np.allclose(tau, exact, atol=2e-2 * np.abs(exact).max()):
        return wrong("that is nearly it, but rounded too much: give a digit more of each torque.")
    if np.allclose(tau, -exact, atol=2e-3 * np.abs(exact).max()):
        return wrong("that is what gravity does to the joints; the motors must do the opposite.")
    if np.allclose(tau, rnea(model, POSE, RATES, ACCELERATIONS).tau, atol=1e-2):
        return wrong(
            "these torques also produce the motion. An arm that is held still has neither rates nor accelerations."
        )
    return wrong("not the torques that balance gravity. Which inputs of rnea must be zero, and which one must stay?")


@checks("F05-3")
def bearing_load(answer: Any) -> Verdict:
    """Exercise 3: the moment that the bearing of the second joint takes up in motion, N m, without the motor's."""
    result = rnea(arm(), POSE, RATES, ACCELERATIONS)
    moment, axis = result.f[2, :3], result.S[2][:3, 0]
    across, whole = float(np.linalg.norm(np.cross(axis, moment))), float(np.linalg.norm(moment))
    x = number(answer)
    if x is None:
        return wrong("one number, in N m.")
    if abs(x - across) < 2e-3 * across:
        return right(
            f"of |n| = {whole:.3f} N m, τ = {axis @ moment:.3f} N m is the motor's; {across:.3f} the bearing's."
        )
    if abs(x - whole) < 2e-3 * whole:
        return wrong(
            "that is the whole moment across the joint. The part along the axis is the motor's, not the bearing's."
        )
    if abs(abs(x) - abs(float(axis @ moment))) < 2e-3:
        return wrong("that is the part along the axis: the motor's torque. The bearing takes the rest.")
    if abs(x - float(np.linalg.norm(result.f[2, 3:]))) < 2e-3 * x:
        return wrong("that is the size of the force, in N. The first three numbers of f are the moment.")
    return wrong(
        "take f of body 2 from the result of rnea; its first three numbers are the moment, S says along which axis."
    )


@checks("F05-4")
def coriolis_coefficient(answer: Callable[..., Any], mass: float = 1.0) -> Verdict:
    """Exercise 4: C_112 of the double pendulum of two rods of 1 m and a mass (kg) each, a function of q_2."""
    model = double_pendulum(mass=mass)
    angles = np.array([-2.0, -0.4, 0.0, 0.7, 1.9])
    exact = np.array([closed_form(model, np.array([0.3, q2])).C[0, 0, 1] for q2 in angles])
    results = [call(answer, float(q2)) for q2 in angles]
    if fault := next((fault for _, fault in results if fault), ""):
        return wrong(fault)
    found = numbers([number(result) for result, _ in results], len(angles))
    if found is None:
        return wrong("for an angle q2 your function should return one finite number.")
    if np.allclose(found, exact, atol=2e-3):
        return right("-m l (l/2) sin q2. The torque is twice that times q̇1 q̇2, for C_121 is the same.")
    if np.allclose(found, 2.0 * exact, atol=2e-3):
        return wrong("twice as much: in Eq 5.6 the pair q̇1 q̇2 comes with C_112 and with C_121, half each.")
    if np.allclose(found, -exact, atol=2e-3):
        return wrong("the right size with the wrong sign: H_11 shrinks when the elbow bends from q2 = 0.")
    if not np.ptp(found):
        return wrong("it depends on q2: C_112 is half the slope of H_11 with q2.")
    return wrong("not C_112. H_11 is a constant plus m l² cos q2; half its derivative by q2 is what you want.")


@checks("F05-5")
def spatial_acceleration(answer: Callable[..., Any]) -> Verdict:
    """Exercise 5: spatial acceleration from angular velocity, velocity of the origin, and the rates of both."""
    w, v, wd, vd = np.random.default_rng(3).normal(size=(4, 3))
    result, fault = call(answer, w.copy(), v.copy(), wd.copy(), vd.copy())
    if fault:
        return wrong(fault)
    found = numbers(result, 6)
    if found is None:
        return wrong("it should return six finite numbers, the angular part first.")

    def close(linear: NDArray) -> bool:
        return np.allclose(found, np.concatenate([wd, linear]), atol=1e-12)

    if close(vd - np.cross(w, v)):
        return right("what is new at a fixed point of space, not what the passing particle feels: no w × v.")
    if close(vd):
        return wrong("that is the classical acceleration of the origin. Does a body that turns steadily accelerate?")
    if close(vd + np.cross(w, v)):
        return wrong("the sign of w × v: the particle's acceleration is the larger one on a circle.")
    if np.allclose(found, np.concatenate([vd - np.cross(w, v), wd]), atol=1e-12):
        return wrong("the right numbers; the angular part comes first in this book.")
    return wrong("the angular part stays; from the linear part something of w and v must go.")


@checks("F05-6")
def bearing(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells the force on the bearing of a rod that swings.

    It is called with the rod's angle, rad, and its speed, rad/s.
    """
    model = pendulum()
    gravity, half = np.array([0.0, 0.0, -9.81]), 0.5  # m, to the middle of the rod
    rng, cases = np.random.default_rng(5), []
    for _ in range(5):
        angle, speed = (float(x) for x in rng.uniform((0.3, 2.0), (1.3, 6.0)))
        speeding = float(aba(model, [angle], [speed], [0.0])[0])
        out = np.array([-np.sin(angle), 0.0, -np.cos(angle)])
        along, inward = half * speeding * np.array([-np.cos(angle), 0.0, np.sin(angle)]), -half * speed**2 * out

        def size(a: NDArray) -> float:
            return float(np.linalg.norm(a - gravity))

        mistakes = {
            "the rod speeds up, but it is on a circle, too: its centre has the acceleration r q̇² towards the "
            "bearing.": size(along),
            "that goes round at one speed; gravity makes it faster or slower, and q̈ is known.": size(inward),
            "so the rod flies apart: on a circle the acceleration points to the middle.": size(along - inward),
            "that is a rod at rest.": size(np.zeros(3)),
        }
        cases.append(((angle, speed), size(along + inward), mistakes))
    return tells(
        draw,
        "force on the bearing",
        "N",
        cases,
        "at the lowest point m g + m l/2 q̇²: three times the weight at √(4 g/l) = 6.26 rad/s. The force of a bearing "
        "is no part of tau, and the recursion computes it on the way.",
    )
