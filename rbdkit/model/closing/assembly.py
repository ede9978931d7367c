"""Assembly: find coordinates that close all loops by starting `closest` at the given point, then at random ones.

The closure equations are nonlinear and Gauss-Newton finds only the nearest minimum, which may be a local one that
leaves loops open. So further starting points are drawn around the given coordinates and around the neutral ones, with a
spread that grows from start to start; the seed is fixed, so a call always gives the same result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.closing.closest import MOST_STEPS, Bounds, Closest, Residual, closest
from rbdkit.model.closing.loop_kinematics import tree_poses

if TYPE_CHECKING:
    from rbdkit.model.model import Model

STARTS = 40
"""Number of starting points, the given one included, before loops count as impossible to close."""
AGREEING = 8
"""Number of starts that end at the same smallest closure error after which the search stops."""
SEED = 8
ALIKE = 1e-6
"""Smallest difference of body poses between two distinct solutions, rad or characteristic lengths of the model."""


def assembled(
    model: Model,
    q: NDArray,
    kept: NDArray,
    t: float = 0.0,
    limited: bool = True,
    starts: int = STARTS,
    steps: int = MOST_STEPS,
) -> Closest:
    """Return coordinates that close all loops, near the given ones if possible; else those with the smallest error.

    Parameters
    ----------
    model : Model
        With loops.
    q : ndarray (nq,)
        Starting coordinates.
    kept : ndarray of bool (nv,)
        Velocity variables of joints whose coordinates stay fixed.
    t : float, optional
        Time in s, for prescribed joints.
    limited : bool, optional
        Whether joint limits are enforced.
    starts : int, optional
        Largest number of starting points. All but the first are random, with a growing spread and a fixed seed.
    steps : int, optional
        Largest number of steps from each.

    Returns
    -------
    Closest
    """
    residual, bounds = Residual(model, t), bounds_of(model, kept, limited)
    best: Closest | None = None
    sizes: list[float] = []
    for start in starting_points(model, q, kept, residual.length, starts):
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


def assembled_modes(
    model: Model, q: NDArray, kept: NDArray, t: float, starts: int, limited: bool = True
) -> list[NDArray]:
    """Return all distinct closed configurations found from `starts` starting points, the nearest to q first.

    Two solutions count as the same if all body poses agree, even if joint angles differ by whole turns. Other
    arguments as in `assembled`.
    """
    residual, bounds = Residual(model, t), bounds_of(model, kept, limited)

    found: list[tuple[float, NDArray, NDArray]] = []
    for start in starting_points(model, q, kept, residual.length, starts):
        one = closest(model, start, ~kept, bounds, t, residual)
        if not one.is_closed:
            continue
        C = tree_poses(model, one.q, t)[:, :3]
        C[..., 3] /= residual.length
        # angles may differ by whole turns between equal poses: the nearer one is kept
        far = float(np.linalg.norm(model.displacement(q, one.q) / residual.unit[: model.nv]))
        same = next((k for k, (_, _, other) in enumerate(found) if np.abs(C - other).max() < ALIKE), None)
        if same is None:
            found.append((far, one.q, C))
        elif far < found[same][0]:
            found[same] = (far, one.q, C)
    return [own for _, own, _ in sorted(found, key=lambda one: one[0])]


def bounds_of(model: Model, kept: NDArray, limited: bool) -> Bounds:
    """Return the limits of all joints except the fixed ones (`kept`); infinite bounds unless `limited`."""
    bounds = Bounds(model, limited)
    fixed = np.zeros(model.nq, dtype=bool)
    for joint in model.joints[1:]:
        fixed[joint.q_slice] |= bool(joint.nv) and bool(kept[joint.v_slice].all())
    bounds.release(fixed)
    return bounds


def starting_points(model: Model, q: NDArray, kept: NDArray, length: float, count: int) -> list[NDArray]:
    """Return starting points: q, then random ones around it and around the neutral coordinates in turn.

    They are at most half a turn and two characteristic lengths away.
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
            # joints that are kept have their coordinates in all starting points
            neutral[joint.q_slice] = q[joint.q_slice]
    return [
        model.move((q, neutral)[k % 2], s * reach * rng.uniform(-1.0, 1.0, model.nv)) if k else q.copy()
        for k, s in enumerate(spread)
    ]


def _open(found: Closest, residual: Residual) -> float:
    """Return the norm of all closure errors, rad and characteristic lengths; inf if it is not finite."""
    size = float(np.hypot(np.linalg.norm(residual.row * found.e.ravel()), np.linalg.norm(found.held)))
    return size if np.isfinite(size) else np.inf
