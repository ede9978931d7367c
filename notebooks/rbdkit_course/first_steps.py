"""Checks of the exercises in notebook 00, first steps."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rbdkit.formats import to_json
from rbdkit.functions import crba, energy, gravity_force
from rbdkit.library import double_pendulum, small_swing_period
from rbdkit.model import Model
from rbdkit.simulation import SimulationWarning, simulate
from rbdkit_course.answers import brief, number
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong


@checks("00-1")
def period(seconds: Any, pendulum: Model) -> Verdict:
    """Exercise 1: the period of small swings of a pendulum, in seconds, to one per cent."""
    answer = number(seconds)
    if answer is None:
        return wrong(f"{brief(seconds)} is not a number of seconds.")
    exact = small_swing_period(pendulum)
    inertia = pendulum.bodies[1].inertia
    assert inertia is not None
    point_mass = 2.0 * np.pi * np.sqrt(np.linalg.norm(inertia.com) / np.linalg.norm(pendulum.gravity))
    if abs(answer - exact) < 0.01 * exact:
        return right(
            f"{answer:.4g} s; 2π √(I / (m g d)) is {exact:.4g} s, with I about the pivot and d to the centre of mass."
        )
    if abs(answer - 0.5 * exact) < 0.01 * exact:
        return wrong(
            f"{answer:.4g} s is half a period: between two passes through the bottom the rod has only swung one way."
        )
    if abs(answer - 2.0 * np.pi / exact) < 0.01 * exact:
        return wrong(f"{answer:.4g} looks like the angular frequency in rad/s; the period is 2π over it.")
    if abs(answer - point_mass) < 0.01 * exact:
        return wrong(f"{answer:.4g} s would be a point mass at the centre of mass; the rod also has to turn.")
    if answer > exact and answer < 1.3 * exact:
        return wrong(f"{answer:.4g} s is a little long: let it swing by 0.05 rad at most, a wide swing takes longer.")
    return wrong(
        f"{answer:.4g} s is off. Start at a small angle at rest and measure the time between two equal passes."
    )


@checks("00-2")
def longest_step(step: Any, pendulum: Model, q0: np.ndarray, duration: float = 5.0, tolerance: float = 1e-6) -> Verdict:
    """Exercise 2: a step (s), as long as possible to a factor of two, that keeps RK4's energy drift small."""
    answer = number(step)
    if answer is None or not 0.0 < answer <= duration:
        return wrong(f"{brief(step)} is not a step between 0 and {duration} s.")
    if answer < 1e-5:
        return wrong(f"{answer:.3g} s is far shorter than needed; try some milliseconds.")

    def drift(dt: float) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)  # steps too long are what this is about
            trajectory = simulate(pendulum, q0, duration=duration, dt=dt, progress=False)
        assert trajectory.report is not None
        return np.inf if trajectory.report.stopped else trajectory.report.energy_error

    own, doubled = drift(answer), drift(2.0 * answer)
    if own > tolerance:
        return wrong(
            f"with dt = {answer:.3g} s the energy drifts by {own:.2g} of its scale, more than {tolerance:g}; "
            "shorten the step."
        )
    if doubled <= tolerance:
        return wrong(
            f"dt = {answer:.3g} s is safe (drift {own:.2g}), but twice as long still is ({doubled:.2g}); be bolder."
        )
    factor = f", {doubled / own:.0f} times as much" if np.isfinite(doubled) and own > 0.0 else ""
    return right(
        f"drift {own:.2g} with {answer:.3g} s, and {doubled:.2g} with twice that{factor}: "
        "about 2⁴ to 2⁵, which is what order 4 does."
    )


@checks("00-3")
def two_rods(model: Model, length: float = 1.0, mass: float = 1.0) -> Verdict:
    """Exercise 3: two equal rods, one hanging from the other; any names, angles counted from wherever you like."""
    if not isinstance(model, Model):
        return wrong(f"{brief(model)} is not a Model.")
    if model.nv != 2:
        names = ", ".join(joint.name for joint in model.joints[1:]) or "none"
        return wrong(f"your model has {model.nv} freedoms; two hinges give 2. Its joints: {names}.")
    errors = [str(finding) for finding in model.validate() if finding.severity == "error"]
    if errors:
        return wrong(errors[0])
    twin = double_pendulum(length, mass)
    if to_json(model) == to_json(twin):
        return wrong("this is rbd.library.double_pendulum() itself; build one of your own, with two calls of add_body.")
    if model.nq != 2:
        return wrong("two hinges have two angles; your joints have other coordinates.")
    rest = _hanging(model)
    if rest is None:
        return wrong("nothing pulls your model down: give it its gravity, and the rods their mass.")
    # the same to one per cent, so that a thin rod, a box and a capsule all pass; zero and sign of both angles are free
    rng = np.random.default_rng(0)
    samples = rng.uniform(-np.pi, np.pi, (4, 2))
    heavier = 0.0
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        D = np.diag(signs)
        H = [crba(model, rest + D @ q) - D @ crba(twin, q) @ D for q in samples]
        weight = [gravity_force(model, rest + D @ q) - D @ gravity_force(twin, q) for q in samples]
        if np.abs(H).max() < 0.02 * mass * length**2:
            if np.abs(weight).max() < 0.05 * mass * length:
                return right("inertia matrix and weight agree with two rods at every pose tried.")
            heavier = float(np.abs(weight).max())
    if heavier:
        return wrong(
            f"the inertia matrix is right, but the weight is off by up to {heavier:.2g} N m: gravity is "
            f"{np.round(model.gravity, 3).tolist()} m/s², the rods swing about y."
        )
    hanging = crba(model, rest)
    expected = crba(twin, np.zeros(2))
    if np.isclose(hanging[1, 1], expected[1, 1], rtol=0.01) and not np.isclose(
        hanging[0, 0], expected[0, 0], rtol=0.01
    ):
        return wrong(
            "the lower rod is right by itself, but hangs from the wrong place: "
            f"its hinge belongs at the tip of the upper rod, placement=(0, 0, {-length:g})."
        )
    if np.isclose(hanging[1, 1], expected[1, 1] - mass * (0.5 * length) ** 2, rtol=0.02, atol=1e-3):
        return wrong("the lower rod turns about its own middle; its centre of mass belongs half a rod below the hinge.")
    return wrong(
        f"hanging at rest, the inertia matrix of your model is {np.round(hanging, 4).tolist()}, "
        f"that of two such rods {np.round(expected, 4).tolist()}."
    )


def _hanging(model: Model) -> NDArray | None:
    """The angles of two hinges at which the model hangs at rest, or None if it is at rest anywhere."""
    starts = [(a, b) for a in (0.0, 2.1, 4.2) for b in (0.0, 2.1, 4.2)]
    found = [
        minimize(lambda q: float(energy(model, q, np.zeros(2)).potential), start, jac=lambda q: gravity_force(model, q))
        for start in starts
    ]
    heights = [each.fun for each in found]
    return found[int(np.argmin(heights))].x if np.ptp([gravity_force(model, q) for q in starts]) > 1e-9 else None
