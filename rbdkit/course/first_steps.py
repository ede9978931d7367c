"""Checks of the exercises in notebook 00, first steps."""

from __future__ import annotations

import numpy as np

from rbdkit.course.verdict import Verdict, right, wrong
from rbdkit.functions import crba, gravity_force
from rbdkit.library import double_pendulum, small_swing_period
from rbdkit.model import Model
from rbdkit.simulation import simulate


def period(answer: float, pendulum: Model) -> Verdict:
    """Exercise 1: the period of small swings of a pendulum, in seconds, to one per cent."""
    if not isinstance(answer, int | float | np.floating | np.integer) or not np.isfinite(answer):
        return wrong(f"{answer!r} is not a number of seconds.")
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


def longest_step(
    answer: float, pendulum: Model, q0: np.ndarray, duration: float = 5.0, tolerance: float = 1e-6
) -> Verdict:
    """Exercise 2: a step (s), as long as possible to a factor of two, that keeps RK4's energy drift small."""
    if not isinstance(answer, int | float | np.floating) or not 0.0 < answer <= duration:
        return wrong(f"{answer!r} is not a step between 0 and {duration} s.")
    if answer < 1e-5:
        return wrong(f"{answer:.3g} s is far shorter than needed; try some milliseconds.")

    def drift(dt: float) -> float:
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


def two_rods(model: Model, length: float = 1.0, mass: float = 1.0) -> Verdict:
    """Exercise 3: two equal rods, one hanging from the other; any names, either sense of rotation."""
    if not isinstance(model, Model):
        return wrong(f"{model!r} is not a Model.")
    if model.nv != 2:
        names = ", ".join(joint.name for joint in model.joints[1:]) or "none"
        return wrong(f"your model has {model.nv} freedoms; two hinges give 2. Its joints: {names}.")
    errors = [str(finding) for finding in model.validate() if finding.severity == "error"]
    if errors:
        return wrong(errors[0])
    twin = double_pendulum(length, mass)
    # the same to one per cent, so that a thin rod, a box and a capsule all pass; signs of the two angles are free
    rng = np.random.default_rng(0)
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        D = np.diag(signs)
        samples = [rng.uniform(-np.pi, np.pi, 2) for _ in range(4)]
        if all(
            np.allclose(crba(model, D @ q), D @ crba(twin, q) @ D, rtol=0.01, atol=0.01 * mass * length**2)
            and np.allclose(
                gravity_force(model, D @ q), D @ gravity_force(twin, q), rtol=0.01, atol=0.05 * mass * length
            )
            for q in samples
        ):
            return right("inertia matrix and weight agree with two rods at every pose tried.")
    hanging = crba(model, np.zeros(2))
    expected = crba(twin, np.zeros(2))
    if np.isclose(hanging[1, 1], expected[1, 1], rtol=0.01) and not np.isclose(
        hanging[0, 0], expected[0, 0], rtol=0.01
    ):
        return wrong(
            "the lower rod is right by itself, but hangs from the wrong place: "
            "its hinge belongs at the tip of the upper rod, placement=(0, 0, -1)."
        )
    if np.isclose(hanging[1, 1], expected[1, 1] - mass * (0.5 * length) ** 2, rtol=0.02, atol=1e-3):
        return wrong("the lower rod turns about its own middle; its centre of mass belongs half a rod below the hinge.")
    return wrong(
        f"the inertia matrix of your model in the hanging pose is {np.round(hanging, 4).tolist()}, "
        f"that of two such rods {np.round(expected, 4).tolist()}."
    )
