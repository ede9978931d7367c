"""Checks of the exercises in the notebook on chapter 1: the two questions of dynamics."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats import load
from rbdkit.functions import crba, rnea
from rbdkit.library import random_tree, robot_file
from rbdkit.model import Model
from rbdkit_course.answers import brief, call, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong

START, TURN = np.array([0.0, -1.2, 1.6, -0.8, 0.0, 0.0]), np.array([2.4, 0.9, -1.1, 1.2, 0.9, 3.0])
"""Initial pose of the notebook's arm, and the angles by which its joints turn, rad."""
TIME = 3.0
"""Duration of this motion, s."""
STRENGTH = 80.0
"""Largest torque of the shoulder motor in exercise 2, N m."""
LIFT = 1
"""The joint of that motor, which lifts the arm."""

TASKS = (
    ("FD", "nobody says how the doll is to fall: its motion is what is asked for"),
    ("ID", "the move is given, and its torques decide which motors will do"),
    ("ID", "the accelerations are given, torques are wanted"),
    ("ID", "the film tells the motion; what the knees bear is a force"),
    ("FD", "the torques are given by the controller; whether the robot falls is a motion"),
)
"""Problem that solves each of the tasks of exercise 1 (forward or inverse dynamics), and why."""


def arm() -> Model:
    """Return the arm of the notebook, a UR5."""
    return load(robot_file("ur5_robot"))


def path(t: float, duration: float = TIME) -> tuple[NDArray, NDArray, NDArray]:
    """Desired joint positions, velocities and accelerations at time t, (6,) each, in rad and s.

    From rest to rest: s^3 (10 - 15 s + 6 s^2) of `TURN`, where s is the part of the time that is over.
    """
    s = t / duration
    q = START + s**3 * (10 - 15 * s + 6 * s**2) * TURN
    qd = 30 * s**2 * (1 - s) ** 2 * TURN / duration
    qdd = 60 * s * (1 - s) * (1 - 2 * s) * TURN / duration**2
    return q, qd, qdd


@checks("F01-1")
def questions(answer: Any) -> Verdict:
    """Exercise 1: 'FD' or 'ID' for each of five tasks."""
    if isinstance(answer, str):
        answer = answer.replace(",", " ").split()
    if not isinstance(answer, Collection) or len(answer) != len(TASKS):
        return wrong(f"five answers are wanted, 'FD' or 'ID' each, in the order of the tasks; not {brief(answer)}.")
    given = [str(one).strip().upper() for one in answer]
    for k, (one, (wanted, why)) in enumerate(zip(given, TASKS, strict=True), 1):
        if one not in ("FD", "ID"):
            return wrong(f"task {k}: {brief(one)} is neither 'FD' nor 'ID'.")
        if one != wanted:
            return wrong(f"task {k}: {why}.")
    return right(
        "motion from forces is forward dynamics, forces from motion is inverse dynamics: what is given decides."
    )


@checks("F01-2")
def shortest_time(answer: Any) -> Verdict:
    """Exercise 2: the shortest time for the path in which the motor that lifts the arm is strong enough."""
    duration = number(answer)
    if duration is None or duration <= 0.0:
        return wrong(f"the time is one number of seconds above zero, not {brief(answer)}.")
    model = arm()
    strongest = _strongest(model, duration)
    if strongest > 1.01 * STRENGTH:
        still = _strongest(model, duration, gravity=False)
        if still <= 1.01 * STRENGTH:
            return wrong(
                f"to move the masses {still:.0f} N m would do, but the arm is heavy as well: with its weight the motor "
                f"must give {strongest:.0f} N m."
            )
        return wrong(f"in {duration:.3g} s the motor would have to give {strongest:.0f} N m, more than it can.")
    if strongest < 0.985 * STRENGTH:
        return wrong(f"that is safe, but not the shortest: the motor needs to give no more than {strongest:.1f} N m.")
    return right(
        f"{strongest:.1f} N m at most. Twice as fast takes four times the torque for the motion, and no more for the "
        "weight."
    )


def _strongest(model: Model, duration: float, gravity: bool = True) -> float:
    """Return the largest torque of the motor that lifts the arm on the path, N m."""
    points = [path(t, duration) for t in np.linspace(0.0, duration, 400)]
    q, v, vdot = (np.array(column) for column in zip(*points, strict=True))
    tau = rnea(model, q, v, vdot)
    if not gravity:
        tau = tau - rnea(model, q, 0.0 * v, 0.0 * v)
    return float(np.abs(tau[:, LIFT]).max())


@checks("F01-3")
def inertia_by_asking(function: Callable[..., Any]) -> Verdict:
    """Exercise 3: a function (model, q) that finds the inertia matrix by inverse dynamics alone."""
    for seed in (3, 4, 5):
        model = random_tree(seed, 4 + seed)
        q = model.random_q(seed)
        result, fault = call(function, model, q.copy(), own=(crba,))
        if fault:
            return wrong(fault)
        H, n = crba(model, q), model.nv
        found = numbers(result, n, n)
        if found is None:
            return wrong(f"of this tree H has {n} rows and {n} columns, one for each velocity, model.nv of them.")
        if not np.allclose(found, H, rtol=0, atol=1e-8 * np.abs(H).max()):
            return wrong(_what_is_wrong(model, q, found, H))
    return right("n + 1 questions, one for the weight and one for each column. Chapter 6 does better.")


def _what_is_wrong(model: Model, q: NDArray, found: NDArray, H: NDArray) -> str:
    """Explain the mistake in a matrix that is not H."""
    n, scale = model.nv, 1e-8 * np.abs(H).max()
    still = rnea(model, q, np.zeros(n), np.zeros(n))
    if np.allclose(found, H + still[:, None], atol=scale) or np.allclose(found, H + still, atol=scale):
        return "every column has the weight in it as well: what the joints bear when nothing accelerates comes off."
    if np.allclose(found, np.diag(np.diag(H)), atol=scale):
        return "only the diagonal is there; but a joint that accelerates is felt in the others, too."
    moved = np.array([rnea(model, q, e, np.zeros(n)) - still for e in np.eye(n)]).T
    if np.allclose(found, moved, atol=scale) or np.allclose(found, moved.T, atol=scale):
        return "these are the forces of unit velocities; H is what unit *accelerations* cost, at rest."
    k = int(np.argmax(np.abs(found - H).max(axis=0)))
    return f"column {k} is not what inverse dynamics asks for an acceleration of 1 of variable {k} alone."
