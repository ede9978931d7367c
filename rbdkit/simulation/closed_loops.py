"""Constraint stabilisation in joint coordinates: projection after each step, or Baumgarte's method, and notes on it.

Integrators with fixed steps are wrapped in `Projected`: each step ends with a projection onto the closed loops, which
leaves no drift. Adaptive integrators from SciPy cannot be interrupted that way; there Baumgarte terms pull errors back.
"""

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
from rbdkit.simulation.choices import Maker

TIME_CONSTANT = 0.5
"""Time constant of Baumgarte's method for adaptive integrators, as a part of the time of a fall over the length of the
model (or of a motion over that length)."""
CLOSED = 1e-9
"""Residual up to which a projected loop counts as closed, rad or m; see
`rbdkit.formulations.constrained.rank_loss`."""


def stabilised(method: Integrator | Adaptive, book: bool, ordinary: float = 1.0) -> tuple[Maker, Integrator | Adaptive]:
    """Return a system and an integrator that keep loops closed: by projection, or Baumgarte's method if adaptive.

    book : whether to use the readable form. ordinary : time scale of the motion, s, for Baumgarte's method.

    Raises
    ------
    SimulationError
        If the method solves for velocities itself (velocity-level methods know maximal coordinates only).
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
    """Return the projected form of a method, the same object each time, so that compiled runs can be reused."""
    return Projected(method)


def loop_notes(system: ClosedJointSystem, worst: NDArray, method: Integrator | Adaptive | Law) -> list[str]:
    """Return notes on the largest loop-closure errors, in angles and lengths, and on what closed the loops.

    worst : (m,) largest absolute value of each residual, rad or m.
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
    """Return the largest angle, rad, and the largest length, m, among residuals (m,) of loops and constraints."""
    T = [place.type.constraint_subspace(place.type.neutral()) for place in system.constraints.joints]
    turns = np.concatenate([np.zeros(0, dtype=bool), *(np.abs(own[:3]).sum(axis=0) > 0.5 for own in T)])
    units = [*np.where(turns, "rad", "m"), *(row.unit for row in (() if system.held is None else system.held.rows))]
    angle, length = (worst[[own == unit for own in units]] for unit in ("rad", "m"))
    return float(angle.max(initial=0.0)), float(length.max(initial=0.0))
