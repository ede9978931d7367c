"""Coordinates that close all loops, from anywhere: `closest` from the given start, then from others around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.closing.closest import MOST_STEPS, Bounds, Closest, Residual, closest
from rbdkit.model.closing.loop_kinematics import tree_poses

if TYPE_CHECKING:
    from rbdkit.model.model import Model

STARTS = 40
"""Steps are taken from so many places, the given one first, before a loop counts as one that cannot close."""
AGREEING = 8
"""If so many starts end equally open, and none less, the rest are not tried."""
SEED = 8
ALIKE = 1e-6
"""rad, or lengths of the model, by which the bodies of two different solutions differ at least."""


def assembled(
    model: Model,
    q: NDArray,
    kept: NDArray,
    t: float = 0.0,
    limited: bool = True,
    starts: int = STARTS,
    steps: int = MOST_STEPS,
) -> Closest:
    """Coordinates that close all loops, near to those given if there are such; or the least open ones that were found.

    Parameters
    ----------
    model : Model
        With loops.
    q : ndarray (nq,)
        Where to begin.
    kept : ndarray of bool (nv,)
        Velocity variables of joints that keep their coordinates.
    t : float, optional
        Time in s, for prescribed joints.
    limited : bool, optional
        Whether limits hold.
    starts : int, optional
        How many places to begin at. From the second on they are random, and the further off the later; always the same.
    steps : int, optional
        How many may be taken from each.

    Returns
    -------
    Closest
    """
    residual, bounds = Residual(model, t), bounds_of(model, kept, limited)
    best: Closest | None = None
    sizes: list[float] = []
    for start in _starts(model, q, kept, residual.length, starts):
        found = closest(model, start, ~kept, bounds, t, residual, steps)
        if found.is_closed:
            return found
        sizes.append(_open(found, residual))
        if best is None or sizes[-1] < _open(best, residual):
            best = found
        if np.sum(np.array(sizes) < 1.001 * min(sizes)) >= AGREEING:
            break
    assert best is not None
    return best


def assembled_modes(model: Model, q: NDArray, kept: NDArray, t: float, starts: int) -> list[NDArray]:
    """All different solutions that steps from so many starts lead to, the nearest to q first; as `assembled`.

    Two are the same if all bodies are at the same places, with whatever turns of their joints.
    """
    residual, bounds = Residual(model, t), bounds_of(model, kept, True)

    found: list[tuple[float, NDArray, NDArray]] = []
    for start in _starts(model, q, kept, residual.length, starts):
        one = closest(model, start, ~kept, bounds, t, residual)
        if not one.is_closed:
            continue
        C = tree_poses(model, one.q, t)[:, :3]
        C[..., 3] /= residual.length
        far = float(np.linalg.norm(model.displacement(q, one.q) / residual.unit[: model.nv]))
        same = next((k for k, (_, _, other) in enumerate(found) if np.abs(C - other).max() < ALIKE), None)
        if same is None:
            found.append((far, one.q, C))
        elif far < found[same][0]:
            found[same] = (far, one.q, C)
    return [own for _, own, _ in sorted(found, key=lambda one: one[0])]


def bounds_of(model: Model, kept: NDArray, limited: bool) -> Bounds:
    """The limits of all joints but those that keep their coordinates; none at all if they do not hold."""
    bounds = Bounds(model, limited)
    fixed = np.zeros(model.nq, dtype=bool)
    for joint in model.joints[1:]:
        fixed[joint.q_slice] |= bool(joint.nv) and bool(kept[joint.v_slice].all())
    bounds.release(fixed)
    return bounds


def _starts(model: Model, q: NDArray, kept: NDArray, length: float, count: int) -> list[NDArray]:
    """Places to begin at: q, then random ones around it and around the neutral coordinates in turn.

    These are half a turn and two lengths away at most.
    """
    rng = np.random.default_rng(SEED)
    reach = np.zeros(model.nv)
    for joint in model.joints[1:]:
        reach[joint.v_slice] = [2.0 * length if unit == "m/s" else np.pi for unit in joint.type.v_units]
    reach[kept] = 0.0
    spread = np.minimum(1.0, np.arange(count) / 10.0)
    neutral = model.neutral()
    for joint in model.joints[1:]:
        if joint.nv and kept[joint.v_slice].all():
            neutral[joint.q_slice] = q[joint.q_slice]
    return [
        model.move((q, neutral)[k % 2], s * reach * rng.uniform(-1.0, 1.0, model.nv)) if k else q.copy()
        for k, s in enumerate(spread)
    ]


def _open(found: Closest, residual: Residual) -> float:
    size = float(np.hypot(np.linalg.norm(residual.row * found.e.ravel()), np.linalg.norm(found.held)))
    return size if np.isfinite(size) else np.inf
