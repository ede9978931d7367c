"""Table of all formulations by all integrators on three mechanisms, and checks of the exercises on it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rbdkit.errors import RbdkitError
from rbdkit.formulations import FORMULATIONS
from rbdkit.integrators import INTEGRATORS
from rbdkit.library import heavy_top, planar_four_bar, spherical_double_pendulum
from rbdkit.library.mueller_terze import Start
from rbdkit.simulation import SimulationWarning, Trajectory, simulate
from rbdkit.widgets.table import Table
from rbdkit_course.answers import brief, names, number
from rbdkit_course.checks import checks
from rbdkit_course.parts import part
from rbdkit_course.verdict import Verdict, right, wrong

PARTS = {
    "every_pair": "rbdkit_course.stepping_pictures.every_pair:every_pair",
}
"""Names that the notebook imports from this module, and where each is defined."""


@dataclass(frozen=True)
class Machine:
    """A mechanism of the table: model with initial state, duration (s) and step (s)."""

    start: Callable[[], Start]
    duration: float
    step: float


def _four_bar() -> Start:
    model = planar_four_bar()
    return Start(model, model.neutral(), np.zeros(model.nv))


MACHINES = {
    "heavy top": Machine(lambda: heavy_top((0.0, 0.0, -9.81)), 0.2, 1e-3),
    "double pendulum": Machine(spherical_double_pendulum, 0.5, 5e-4),
    "four-bar": Machine(_four_bar, 0.5, 2e-3),
}
"""A body with a fixed point, a chain, a closed loop."""

MEASURES = {"error": "of the poses at the end", "energy": "largest drift, J", "gap": "how far joints come open"}
CLOSED = 1e-12
"""Closure error, m or rad, below which a joint counts as closed to round-off."""
SECONDS, GAP, DRIFT, BOLD = 2.0, 1e-6, 1e-2, 4e-3
"""Exercise 3: duration (s), largest closure error (m) and energy drift (J) of the four-bar, a step (s) that meets them.
"""


@dataclass(frozen=True)
class Measured:
    """Errors of one run, or why there is no run: refused by rbdkit, or stopped early."""

    error: float = np.nan
    energy: float = np.nan
    gap: float = np.nan
    refused: str = ""
    stopped: str = ""

    def said(self, what: str) -> str | None:
        """Format one error for a cell of the table; None if the run was refused."""
        if self.refused:
            return None
        return "stops" if self.stopped else f"{getattr(self, what):.0e}"


def run(machine: str, formulation: str, integrator: str, step: float, duration: float | None = None) -> Trajectory:
    """Simulate a mechanism from its initial state, in a formulation, with the given step (s)."""
    chosen = MACHINES[machine]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # poor methods are part of the comparison
        return simulate(
            *chosen.start(),
            duration=chosen.duration if duration is None else duration,
            dt=step,
            formulation=formulation,
            integrator=integrator,
            progress=False,
        )


@cache
def truth(machine: str) -> Trajectory:
    """Return the reference motion: in joint coordinates, by RK5 with a tenth of the table's step."""
    return run(machine, "joint", "rk5", 0.1 * MACHINES[machine].step)


@cache
def measured(machine: str, formulation: str, integrator: str, step: float | None = None) -> Measured:
    """Run one formulation with one integrator on a mechanism, and measure its errors."""
    try:
        motion = run(machine, formulation, integrator, MACHINES[machine].step if step is None else step)
    except RbdkitError as refusal:
        return Measured(refused=str(refusal))
    total = motion.energy().total
    return Measured(
        float(np.abs(motion.poses()[-1] - truth(machine).poses()[-1]).max()),
        float(np.abs(total - total[0]).max()),
        float(np.abs(motion.constraint_error()).max(initial=0.0)),
        stopped=motion.report.stopped if motion.report else "",
    )


def takes(machine: str) -> dict[str, str]:
    """Return for each formulation the message with which it refuses a mechanism, or '' if it accepts it."""
    return {name: measured(machine, name, "rk4").refused for name in FORMULATIONS}


def one_table(machine: str, what: str = "error") -> Table:
    """Tabulate errors of all integrators (rows) in all formulations that accept a mechanism (columns).

    Parameters
    ----------
    machine : str
        'heavy top', 'double pendulum' or 'four-bar'.
    what : str, optional
        'error' of the poses at the end, drift of the 'energy', or 'gap' (closure error) of the joints. A dash marks a
        pair that does not exist, where the integrator needs something that the formulation does not have.
    """
    columns = [name for name, why in takes(machine).items() if not why]
    found = {i: [measured(machine, f, i).said(what) for f in columns] for i in INTEGRATORS}
    rows = {i: cells for i, cells in found.items() if any(cells)}
    h = MACHINES[machine].step
    return Table(["", *columns], rows, f"{machine}, h = {1e3 * h:g} ms: {what}, {MEASURES[what]}")


@checks("I2-1")
def always_closed(answer: Any) -> Verdict:
    """Exercise 1: names of formulations in which the pivot of the top stays closed by explicit Euler, steps of 8 ms."""
    named = names(answer)
    gaps = _gaps_of_the_top()
    if not named:
        return wrong(f"{brief(answer)} names no formulation; write a set of names, as they stand above the table.")
    if unknown := named - set(gaps):
        return wrong(f"{', '.join(sorted(unknown))}: does not stand above the top's table.")
    exact = {name for name, gap in gaps.items() if gap < CLOSED}
    if extra := named - exact:
        name = min(extra)
        return wrong(f"{name} comes open by {gaps[name]:.0e}.")
    if missing := exact - named:
        return wrong(f"right so far; there {'is one' if len(missing) == 1 else f'are {len(missing)}'} more.")
    return right("where the pivot is no equation at all, and where what it allows is a subgroup: joint or screw.")


@checks("I2-2")
def steps_enough(answer: Any) -> Verdict:
    """Exercise 2: how many steps of RK4 it takes to have the double pendulum's end within 1e-9; to 15 %."""
    count = number(answer)
    if count is None or count < 1:
        return wrong(f"{brief(answer)} is not a number of steps.")
    exact, known, error = _needed()
    if abs(count - exact) < 0.15 * exact:
        return right(f"{exact} are enough. One run and its order told it: n (error / 1e-9)^(1/4).")
    if abs(count - known * error / 1e-9) < 0.15 * known * error / 1e-9:
        return wrong(f"{count:.4g} would be right for order 1: RK4 gains sixteenfold when the steps are doubled.")
    if abs(count - known * (error / 1e-9) ** 0.5) < 0.15 * known * (error / 1e-9) ** 0.5:
        return wrong(f"{count:.4g} would be right for order 2.")
    if count < exact:
        return wrong(f"{count:.4g} steps leave an error of more than 1e-9.")
    return wrong(f"{count:.4g} steps are more than needed: what does the order say?")


@checks("I2-3")
def closed_and_bold(answer: Any) -> Verdict:
    """Exercise 3: (formulation, integrator, step) for the four-bar that keeps loop and energy with a long step."""
    if not isinstance(answer, tuple | list) or len(answer) != 3 or not all(isinstance(x, str) for x in answer[:2]):
        return wrong(f"{brief(answer)} is not a formulation, an integrator and a step in seconds.")
    formulation, integrator, step = str(answer[0]), str(answer[1]), number(answer[2])
    if formulation not in FORMULATIONS or integrator not in INTEGRATORS:
        return wrong(f"{formulation!r} and {integrator!r}: one of them does not stand in the table.")
    if step is None or not 1e-4 <= step <= SECONDS:
        return wrong(f"{brief(answer[2])} is not a step between 1e-4 and {SECONDS} s.")
    try:
        motion = run("four-bar", formulation, integrator, step, SECONDS)
    except RbdkitError as refusal:
        return wrong(f"rbdkit refuses: {refusal}")
    if motion.report and motion.report.stopped:
        return wrong(f"it stops: {motion.report.stopped}")
    gap = float(np.abs(motion.constraint_error()).max())
    total = motion.energy().total
    drift = float(np.abs(total - total[0]).max())
    told = f"the loop opens by {gap:.0e}, the energy drifts by {drift:.0e} J"
    if gap > GAP and drift > DRIFT:
        return wrong(f"{told}: neither is kept.")
    if gap > GAP:
        return wrong(f"{told}. What closes a loop that has drifted?")
    if drift > DRIFT:
        return wrong(f"{told}. The loop is closed, but what moves in it is not right.")
    if step < BOLD:
        return wrong(f"{told}: good, but steps of {1e3 * BOLD:g} ms could do it, too.")
    return right(f"{told}, by steps of {1e3 * step:g} ms.")


@cache
def _gaps_of_the_top() -> dict[str, float]:
    columns = [name for name, why in takes("heavy top").items() if not why]
    return {name: measured("heavy top", name, "explicit_euler", 8e-3).gap for name in columns}


@cache
def _needed() -> tuple[int, int, float]:
    """Return the steps that reach an error of 1e-9 (found by bisection), and steps and error of one known run."""
    duration = MACHINES["double pendulum"].duration

    def error(steps: int) -> float:
        return measured("double pendulum", "joint", "rk4", duration / steps).error

    known = 1000
    few, many = known, 64 * known
    while many - few > 0.02 * few:
        middle = (few + many) // 2
        few, many = (few, middle) if error(middle) < 1e-9 else (middle, many)
    return many, known, error(known)


def __getattr__(name: str) -> Any:
    return part(name, __name__, PARTS)
