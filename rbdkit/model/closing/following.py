"""Coordinates that follow some of them, with loops closed all the way: what a hand does that turns a crank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.closing.assembly import bounds_of
from rbdkit.model.closing.closest import Residual, closest

if TYPE_CHECKING:
    from rbdkit.model.model import Model

STEP = 0.1
"""rad, or lengths of the model, from one closed pose to the next."""
JUMP = 0.7
"""So far the other joints may move meanwhile; further off is another way to put the same bodies together."""
SHORTEST = 1e-4
"""Of the way, where it is given up: there is a dead centre."""


def followed(model: Model, q: NDArray, target: NDArray, kept: NDArray, t: float = 0.0) -> tuple[NDArray, bool]:
    """Where a mechanism gets when some of its joints are led to where they are in `target`.

    Parameters
    ----------
    model : Model
        With loops, closed at q.
    q : ndarray (nq,)
        Where it is.
    target : ndarray (nq,)
        Coordinates of the joints that are led; the others are not looked at.
    kept : ndarray of bool (nv,)
        Velocity variables of the joints that are led.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    q : ndarray (nq,)
        Closed, at the target or as far on the way to it as loops let it go.
    arrived : bool
        Whether that is the target.
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
            done, at, step = ahead, found.q, min(2.0 * step, longest)
        elif step * length < SHORTEST:
            return at, False
        else:
            step *= 0.25
    return at, True
