"""How loops stay closed in a simulation of joint coordinates, and how well they did."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops import Baumgarte
from rbdkit.errors import SimulationError
from rbdkit.formulations import JointSystem, System
from rbdkit.formulations.joint_loops import ClosedJointSystem, asks_for_velocities
from rbdkit.integrators import Adaptive, Integrator, Projected
from rbdkit.laws import Law
from rbdkit.simulation.formulated import Maker

TIME_CONSTANT = 0.5
"""In which loop errors die out where a method chooses its steps: a part of the time of a fall over the length of the
model, or of a way of that length."""
CLOSED = 1e-9
"""rad or m up to which what a projection leaves is called closed; see `rbdkit.formulations.constrained.rank_loss`."""


def stabilised(method: Integrator | Adaptive, book: bool, ordinary: float = 1.0) -> tuple[Maker, Integrator | Adaptive]:
    """The system and the method that keep loops closed: where steps are given, each of them ends with closed loops.

    book : whether readable code is asked for. ordinary : time of an ordinary motion, s, for methods that choose steps.

    Raises
    ------
    SimulationError
        If the method finds new velocities at once.
    """
    if isinstance(method, Adaptive):
        pulled = Baumgarte.of_time(TIME_CONSTANT * ordinary)
        return partial(JointSystem, book=book, baumgarte=pulled), method
    if asks_for_velocities(method):
        raise SimulationError(
            f"integrator {method.name!r} knows loops and constraints as those between bodies only; take "
            "formulation='maximal' with 'velocity_euler' or 'linearly_implicit_euler', or another integrator"
        )
    plain = method.requires is System and not isinstance(method, Projected)
    return partial(JointSystem, book=book), _projected(method) if plain else method  # type: ignore[arg-type]


@lru_cache(maxsize=32)
def _projected(method: Any) -> Projected:
    """One object for each method: runs by it are seen to be alike."""
    return Projected(method)


def loop_notes(system: ClosedJointSystem, worst: NDArray, method: Integrator | Adaptive | Law) -> list[str]:
    """By how much the loops were open at most, in angles and in lengths, and what closed them.

    worst : (m,) what each residual was at most.
    """
    angle, length = largest_errors(system, worst)
    what = " and ".join(name for name in ("loops", "constraints") if getattr(system.model, name))
    if "constraints" in method.conserves:
        kept = max(angle, length) < CLOSED
        how = "closed at the end of every step" if kept else "not closed at the end of every step, as they should be"
    elif system.baumgarte is not None:
        how = f"pulled back by Baumgarte's terms, alpha = {system.baumgarte.alpha:g} 1/s"
    else:
        how = "not stabilised"
    return [f"{what} are {how}; open by at most {angle:.2g} rad and {length:.2g} m"]


def largest_errors(system: ClosedJointSystem, worst: NDArray) -> tuple[float, float]:
    """Of the largest residuals (m,) of loops and constraints the largest angle, rad, and the largest other one, m."""
    T = [place.type.constraint_subspace(place.type.neutral()) for place in system.constraints.joints]
    turns = np.concatenate([np.zeros(0, dtype=bool), *(np.abs(own[:3]).sum(axis=0) > 0.5 for own in T)])
    units = [*np.where(turns, "rad", "m"), *(row.unit for row in (() if system.held is None else system.held.rows))]
    angle, length = (worst[[own == unit for own in units]] for unit in ("rad", "m"))
    return float(angle.max(initial=0.0)), float(length.max(initial=0.0))
