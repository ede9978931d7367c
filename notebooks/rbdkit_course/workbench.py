"""Checks of the exercises in notebook 01, the workbench."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from rbdkit.formulations import JointSystem
from rbdkit.inspection import inspect
from rbdkit.integrators import INTEGRATORS
from rbdkit.library import double_pendulum, pendulum
from rbdkit.simulation import simulate
from rbdkit_course.answers import brief, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.parts import part
from rbdkit_course.verdict import Verdict, right, wrong

START, OVERSHOOT = 1.0, 0.01
"""Initial angle of the rod, rad; fraction of it by which the rod may overshoot."""
MASS, GRAVITY, SINKS = 1.0, 9.81, 3.0
"""Mass (kg) of the ball, gravity (m/s2), and final velocity (m/s)."""

PARTS = {
    "Arrow": "rbdkit.scene:Arrow",
    "Picture": "rbdkit.widgets:Picture",
    "Playground": "rbdkit.widgets:Playground",
    "Plot": "rbdkit.figures:Plot",
    "Slider": "rbdkit.widgets:Slider",
}
"""Names that the notebook imports from this module, and where each is defined."""

SETTLED = 0.02
"""Angle, rad, within which the rod counts as at rest."""


@checks("01-1")
def brake(answer: Any) -> Verdict:
    """Exercise 1: a damping (N m s/rad) that stops a rod quickly without letting it swing through."""
    damping = number(answer)
    if damping is None or damping < 0.0:
        return wrong(f"{brief(answer)} is not a damping; give a number of N m s/rad, zero or more.")
    past, settled = _settling(damping)
    if past > OVERSHOOT * START:
        return wrong(f"with {damping:.3g} N m s/rad the rod swings {past:.2g} rad to the other side; brake harder.")
    best = min(_quickest(), settled)
    if settled > 1.45 * best:
        return wrong(
            f"with {damping:.3g} N m s/rad it takes {settled:.2f} s to come within {SETTLED:g} rad of rest, where "
            f"{best:.2f} s would do; it creeps: brake more softly."
        )
    return right(
        f"{settled:.2f} s to rest, where {best:.2f} s is the best. For small swings 2 √(I m g d) = "
        f"{critical_damping():.3g} N m s/rad is the least damping without any overshoot; with a sixth less the rod "
        "swings through by less than the 1 % allowed, and is at rest sooner."
    )


@cache
def _quickest() -> float:
    """Return the shortest settling time (s) of all dampings with an allowed overshoot."""
    runs = [_settling(damping) for damping in np.linspace(0.75, 1.0, 11) * critical_damping()]
    return min(settled for past, settled in runs if past <= OVERSHOOT * START)


@checks("01-4")
def syrup(answer: Any, sinks: float = SINKS) -> Verdict:
    """Exercise 4: the resistance c (N s/m) with which a ball of 1 kg sinks with 3 m/s in the end."""
    c = number(answer)
    if c is None or c <= 0.0:
        return wrong(f"{brief(answer)} is no resistance; give a number of N s/m, more than zero.")
    speed = MASS * GRAVITY / c
    if abs(speed - sinks) > 0.01 * sinks:
        hint = "resist more" if speed > sinks else "resist less"
        if abs(c - sinks) < 1e-3:
            hint = "that is the speed itself: which two forces are equal when nothing changes any more?"
        return wrong(f"with {c:.3g} N s/m it sinks with {speed:.3g} m/s in the end; {hint}.")
    return right(f"{c:.4g} N s/m: in the end its weight, {MASS * GRAVITY:.4g} N, is all that the syrup has to bear.")


def critical_damping() -> float:
    """Return the critical damping of the rod's small swings, N m s/rad."""
    model = pendulum()
    inertia = model.bodies[1].inertia
    assert inertia is not None
    stiffness = inertia.mass * float(np.linalg.norm(model.gravity) * np.linalg.norm(inertia.com))
    return 2.0 * float(np.sqrt(model.I[1][1, 1] * stiffness))


def _settling(damping: float) -> tuple[float, float]:
    """Simulate the rod with a damping; return its overshoot (rad) and settling time (s)."""
    model = pendulum().with_parameters({"hinge.damping": damping})
    run = simulate(model, [START], duration=8.0, dt=5e-3, progress=False)
    away = np.flatnonzero(np.abs(run.q[:, 0]) > SETTLED)
    return float(max(0.0, -run.q[:, 0].min())), float(run.t[min(away[-1] + 1, len(run) - 1)])


@checks("01-2")
def hanging(upper: Any, lower: Any) -> Verdict:
    """Exercise 2: the forces (N) in the hinges of a double pendulum that hangs at rest."""
    model = double_pendulum()
    q = model.neutral()
    exact = [float(np.linalg.norm(inspect(model, rod, q)["f"][3:])) for rod in ("rod1", "rod2")]
    given = numbers([number(upper), number(lower)], 2)
    if given is None:
        return wrong(f"({brief(upper)}, {brief(lower)}) are not two numbers of newtons.")
    if np.allclose(np.abs(given), exact, rtol=0.01):
        if given[0] * given[1] < 0.0:
            return wrong("the numbers are right; but both hinges hold up, so both forces have the same sign.")
        return right(
            f"{exact[0]:.4g} N and {exact[1]:.4g} N: each hinge carries the weight of all that hangs below it."
        )
    if np.allclose(np.abs(given), exact[::-1], rtol=0.01):
        return wrong("these are the two forces, but the other way round: the upper hinge carries both rods.")
    if np.allclose(np.abs(given), exact[1], rtol=0.01):
        return wrong("the lower one is right; the upper hinge carries the lower rod as well.")
    if np.allclose(np.abs(given), np.array(exact) / 9.81, rtol=0.02):
        return wrong("these are masses in kg; a force is a mass times 9.81 m/s2.")
    return wrong("not these. Inspect 'rod1' and 'rod2' at model.neutral(): the last three numbers of f.")


@checks("01-3")
def evaluations(counts: Mapping[str, int]) -> Verdict:
    """Exercise 3: evaluations of the accelerations in a step of some integrators."""
    names = ("explicit_euler", "heun", "rk4", "rk5")
    if not isinstance(counts, Mapping) or set(counts) != set(names):
        return wrong(f"give a number for each of {', '.join(names)}.")
    model = pendulum()
    system = JointSystem(model)
    for name in names:
        method = INTEGRATORS[name]
        exact = len(method.stages(system, method.init(system, 0.0, model.neutral(), np.ones(1)), 0.1))
        found = number(counts[name])
        if found is None:
            return wrong(f"{brief(counts[name])} is not a number of evaluations of {name}.")
        if found != exact:
            more = "more" if exact > found else "fewer"
            return wrong(f"{name} makes {more} than {found:g}; count the stages of one step.")
    return right("1, 2, 4 and 6: up to order 4 a method can do with as many looks as its order, then it needs more.")


def __getattr__(name: str) -> Any:
    return part(name, __name__, PARTS)
