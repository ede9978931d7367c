"""Identification: an arm with friction that is measured, a load in its hand, and the checks of that notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.actuation import inverse_dynamics
from rbdkit.formats import load
from rbdkit.identification import ExcitingMotion, exciting_motion
from rbdkit.library import robot_file
from rbdkit.model import Model
from rbdkit_course.answers import brief, call, names, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong

DAMPING = (8.0, 8.0, 6.0, 1.5, 1.5, 1.0)
"""Of the joints of the real arm, N m s/rad."""
FRICTION = (4.0, 5.0, 3.0, 1.0, 1.0, 0.5)
"""Dry friction of its joints, N m."""
NOISE = (1.0, 1.5, 0.8, 0.3, 0.2, 0.1)
"""Standard deviation of its measured torques, N m."""
ENCODER = 2e-4
"""Standard deviation of its measured angles, rad."""
LOAD = 2.3
"""Mass in its hand in exercise 4, kg; it sits 0.1 m beyond the flange."""
FIELDS = ("mass", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


def real_arm() -> Model:
    """Return the arm that is measured: a UR5 as its file has it, with friction in its joints."""
    arm = load(robot_file("ur5_robot"))
    joints = [joint.name for joint in arm.joints if joint.nv]
    damping = {f"{name}.damping": value for name, value in zip(joints, DAMPING, strict=True)}
    friction = {f"{name}.friction": value for name, value in zip(joints, FRICTION, strict=True)}
    return arm.with_parameters({**damping, **friction})


def first_guess() -> Model:
    """Return what somebody thinks the arm is: no friction, and every link a third too light."""
    arm = load(robot_file("ur5_robot"))
    lighter = {f"{body.name}.mass": 0.67 * body.inertia.mass for body in arm.bodies[1:] if body.inertia is not None}
    return arm.with_parameters(lighter)


@dataclass(frozen=True)
class Measured:
    """Times (n,), angles (n, 6) and motor torques (n, 6), with noise."""

    t: NDArray
    q: NDArray
    tau: NDArray


def measure(motion: ExcitingMotion, seconds: float, rate: float = 50.0, seed: int = 0) -> Measured:
    """Measure angles and torques of the real arm in a motion, with the noise of encoders and current sensors."""
    rng, t = np.random.default_rng(seed), np.arange(round(seconds * rate)) / rate
    q, v, a = motion(t)
    tau = inverse_dynamics(real_arm(), q, v, a)
    return Measured(t, q + ENCODER * rng.normal(size=q.shape), tau + np.array(NOISE) * rng.normal(size=tau.shape))


def smooth(data: Measured, period: float, harmonics: int = 5) -> tuple[NDArray, NDArray, NDArray]:
    """Return q, v and a of a periodic motion: sines are fitted to its angles, and these are differentiated."""
    w = 2.0 * np.pi / period * np.arange(1, harmonics + 1)
    s, c = np.sin(np.outer(data.t, w)), np.cos(np.outer(data.t, w))
    rows = np.hstack([np.ones((len(data.t), 1)), s, c])
    found = np.linalg.lstsq(rows, data.q, rcond=None)[0]
    sine, cosine = found[1 : harmonics + 1], found[harmonics + 1 :]
    return rows @ found, (c * w) @ sine - (s * w) @ cosine, -(s * w**2) @ sine - (c * w**2) @ cosine


def with_load(seed: int = 4) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return q, v, a and measured torques (n, 6) of the real arm with a load of unknown mass in its hand."""
    arm = real_arm()
    hand = arm.body("wrist_3_link").inertia
    assert hand is not None
    mass = hand.mass + LOAD
    com = (hand.mass * hand.com + LOAD * np.array([0.0, 0.18, 0.02])) / mass
    loaded = arm.with_parameters({"wrist_3_link.mass": mass, "wrist_3_link.com": com})
    q, v, a = exciting_motion(arm, period=10.0, tries=5, seed=2)(np.arange(0.0, 10.0, 0.02))
    noise = np.array(NOISE) * np.random.default_rng(seed).normal(size=q.shape)
    return q, v, a, inverse_dynamics(loaded, q, v, a) + noise


@checks("ID-1")
def longer_record(answer: Any) -> Verdict:
    """Exercise 1: for how long (s) to record, in place of 10 s, so that all standard deviations are halved."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a number of seconds.")
    if abs(found - 40.0) < 1.0:
        return right("40 s: errors of means fall with the square root of the number of samples.")
    if abs(found - 20.0) < 0.5:
        return wrong("twice the samples make errors smaller by the square root of two only.")
    if abs(found - 10.0 * np.sqrt(2.0)) < 0.5:
        return wrong("that is the root of two times as long: it helps by its fourth root.")
    if 0.0 < found < 10.0:
        return wrong("a shorter record knows less.")
    return wrong(f"{found:.4g} s is off. Errors fall as one over the square root of the number of samples.")


@checks("ID-2")
def columns_of_a_pendulum(answer: Any) -> Verdict:
    """Exercise 2: a function (q, v, a) of the four columns of a pendulum's regressor, in any order."""
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, 40))
    value, fault = call(answer, q.copy(), v.copy(), a.copy())
    if fault:
        return wrong(fault)
    if value is None:
        return wrong("your function returns nothing; is there a return in it?")
    found = numbers(value, 40, 4)
    if found is None:
        shape = np.shape(value)
        turned = " Put the four vectors side by side, as columns: np.stack([...], axis=1)." if shape == (4, 40) else ""
        return wrong(f"for 40 samples it has to return an array of shape (40, 4), not {shape}.{turned}")
    wanted = {
        "a, for the inertia": a,
        "9.81 sin(q), for the first moment": 9.81 * np.sin(q),
        "v": v,
        "sign(v)": np.sign(v),
    }
    rank = int(np.linalg.matrix_rank(found))
    missing = []
    for name, column in wanted.items():
        left = column - found @ np.linalg.lstsq(found, column, rcond=None)[0]
        if np.linalg.norm(left) > 1e-8 * np.linalg.norm(column):
            missing.append(name)
    if not missing:
        return right("the torque is a sum of these columns, and least squares finds what stands before each.")
    usual = {
        "the angle counts from hanging: at q = 0 gravity has no lever, so sin and not cos.": np.cos(q),
        "for large angles sin(q) is not q.": q,
        "air drag goes with v |v|; the grease in a bearing goes with v.": v * np.abs(v),
        "dry friction does not grow with speed: it has its sign alone.": np.abs(v),
    }
    for words, column in usual.items():
        left = column - found @ np.linalg.lstsq(found, column, rcond=None)[0]
        if np.linalg.norm(left) < 1e-8 * np.linalg.norm(column):
            return wrong(words)
    if rank < 4:
        return wrong(f"two of the columns say the same (rank {rank}), and what is missing is {missing[0]}.")
    return wrong(f"no sum of these columns is {missing[0]}.")


@checks("ID-3")
def felt_by_the_first_joint(answer: Any) -> Verdict:
    """Exercise 3: parameters of the first link, which turns about the vertical, that joint torques depend on."""
    named = {name.strip().lower() for name in names(answer)}
    known = {field.lower() for field in FIELDS}
    if not named or not named <= known:
        return wrong(f"{brief(answer)} is no set of names out of {', '.join(FIELDS)}.")
    if named == {"izz"}:
        return right("it only turns about z, and gravity has no lever about a vertical axis.")
    if "izz" not in named:
        return wrong("turning it about z takes torque. What of the link does that torque depend on?")
    if "mass" in named:
        return wrong("nothing lifts it: its weight rests on the bearing, whatever the motors do.")
    if named & {"mx", "my", "mz"}:
        return wrong("first moments are felt by gravity or when the joint itself moves along; here neither is so.")
    return wrong("the axis is fixed in space and in the link, so it never turns about x or y.")


@checks("ID-4")
def load_in_the_hand(answer: Any) -> Verdict:
    """Exercise 4: the mass (kg) of what the hand holds, to 3 %."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a mass in kg.")
    hand = real_arm().body("wrist_3_link").inertia
    assert hand is not None
    if abs(found - LOAD) < 0.03 * LOAD:
        return right(f"{found:.3f} kg; it is {LOAD} kg.")
    if abs(found - LOAD - hand.mass) < 0.03 * LOAD:
        return wrong(f"{found:.3f} kg is hand and load together; the hand alone has {hand.mass:.3f} kg.")
    if abs(found - 1e3 * LOAD) < 30.0 * LOAD:
        return wrong("kilograms, please.")
    if found < 0.0:
        return wrong("a negative mass: is the difference the wrong way round? It is measured minus computed.")
    if abs(found - LOAD) < 0.5 * LOAD:
        return wrong(f"{found:.3f} kg is near, and not within 3 %. Is the friction of the joints in what you subtract?")
    return wrong(
        f"{found:.4g} kg is off. Subtract what the arm alone needs; the rest is the regressor of the last link."
    )
