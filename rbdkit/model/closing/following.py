"""Continuation: move some joints to target coordinates with the loops closed all along, as a hand turns a crank.

The path is followed in small steps, each corrected by `closest`. A step is refused if the other joints jump, for then
the solver changed to another assembly mode; it is shortened until it succeeds or a dead centre is evident.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.closing.assembly import bounds_of
from rbdkit.model.closing.closest import Residual, closest

if TYPE_CHECKING:
    from rbdkit.model.model import Model

STEP = 0.1
"""Step of the driven joints between closed configurations, rad or characteristic lengths of the model."""
JUMP = 0.7
"""Largest motion of any joint in one step, in the same units; more than this means another assembly mode."""
SHORTEST = 1e-4
"""Step at which continuation gives up, in the same units: the mechanism is at a dead centre."""


def followed(model: Model, q: NDArray, target: NDArray, kept: NDArray, t: float = 0.0) -> tuple[NDArray, bool]:
    """Move some joints of a mechanism towards their coordinates in `target`, with all loops kept closed.

    Parameters
    ----------
    model : Model
        With loops, closed at q.
    q : ndarray (nq,)
        Starting coordinates.
    target : ndarray (nq,)
        Target coordinates of the driven joints; the other entries are not used.
    kept : ndarray of bool (nv,)
        Velocity variables of the driven joints.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    q : ndarray (nq,)
        Closed coordinates, at the target or as near to it as the loops allow on the way.
    arrived : bool
        Whether the target was reached.
    """
    residual, bounds = Residual(model, t), bounds_of(model, kept, True)
    unit = residual.unit[: model.nv]
    way = np.where(kept, model.displacement(q, target), 0.0)
    led = [joint for joint in model.joints[1:] if joint.nv and joint.mimic is None and kept[joint.v_slice].all()]
    length = float(np.abs(way / unit).max(initial=0.0))
    step = longest = min(1.0, STEP / max(length, 1e-12))
    done, at = 0.0, q
    while done < 1.0:
        ahead = min(1.0, done + step)
        start, there = at.copy(), target if ahead == 1.0 else model.move(q, ahead * way)
        for joint in led:
            start[joint.q_slice] = there[joint.q_slice]
        found = closest(model, start, ~kept, bounds, t, residual)
        if found.is_closed and np.abs(model.displacement(at, found.q) / unit).max() < JUMP:
            # longer steps again, as a narrow place may be behind
            done, at, step = ahead, found.q, min(2.0 * step, longest)
        elif step * length < SHORTEST:
            return at, False
        else:
            step *= 0.25
    return at, True
