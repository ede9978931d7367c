"""Findings of `validate` about loops: loops that cannot close, and redundant constraints.

The closure solver looks for a closed configuration from a few starting points. There the rank of the loop constraints
K is compared with the number of its rows. At a singular configuration the rank is lower than nearby, so closed
configurations around it are tried as well and the largest rank counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.loop_form import loop_form
from rbdkit.model.closing.assembly import assembled
from rbdkit.model.closing.closed import by, widths
from rbdkit.model.closing.closest import Bounds, Closest, closest
from rbdkit.model.closing.held import Held
from rbdkit.model.closing.length import length_of
from rbdkit.model.closing.loop_kinematics import LoopKinematics
from rbdkit.model.finding import Finding

if TYPE_CHECKING:
    from rbdkit.model.model import Model

RANK = 1e-7
"""Relative tolerance of singular values; the solver finds singular configurations only to half the digits."""
STARTS, STEPS = 16, 40
"""Starting points with one loop (fewer with more), and steps from each, so that validation stays quick."""
TRIES = 12
"""Directions tried around a configuration if the rank rises beside it; only two if it does not."""
STEP = 0.05
"""Distance to the neighbouring configurations, rad and m: far enough to leave a singular one."""


def loop_findings(model: Model) -> list[Finding]:
    """Return a warning for a loop that cannot close, or a note for constraints that are redundant where it is closed.

    It is a warning, not an error, for the search may miss a solution; simulations check closure when they start.
    """
    if not model.loops and not model.constraints:
        return []
    starts = max(1, STARTS // (len(model.loops) + len(model.constraints)) ** 2)
    end = assembled(model, model.neutral(), np.zeros(model.nv, dtype=bool), starts=starts, steps=STEPS)
    if not end.is_closed and (finding := _open_constraint(model, end)) is not None:
        return [finding]
    if not end.is_closed:
        sizes = np.linalg.norm(end.e.reshape(-1, 2, 3), axis=2)
        l = int(np.argmax(sizes.max(axis=1)))
        message = (
            "no coordinates were found that close all loops within the limits of the joints; at best it stays open by "
            f"{by(*sizes[l])}: check the lengths and placements of what it connects"
        )
        return [Finding("warning", model.loops[l].joint.name, "loop that cannot close", message)]
    if not model.loops:
        return []
    K = _constraints(model, end.q)
    at, motions = _rank(K)
    rank = at
    for k, motion in enumerate(np.random.default_rng(0).normal(size=(TRIES, len(motions))) @ motions):
        if not len(motions) or rank == len(K) or (k == 2 and rank == at):
            break  # same rank nearby; if it rises, branches of the motion meet here and each may have its own rank
        start = model.move(end.q, STEP * motion / np.abs(motion).max())
        near = closest(model, start, np.ones(model.nv, dtype=bool), Bounds(model, limited=False))
        rank = max(rank, _rank(_constraints(model, near.q))[0]) if near.is_closed else rank
    if rank == len(K):
        return []
    over = len(K) - rank
    message = (
        f"the constraints of {'its loop' if len(model.loops) == 1 else 'all loops'} are {len(K)}, and {over} of them "
        f"{'say' if over > 1 else 'says'} what others say: of so many loop forces nothing can be said. "
        "rbdkit.mobility(model) tells which, rbdkit.properly_constrained(model) goes without"
    )
    return [Finding("note", model.loops[0].joint.name, "redundant constraints", message)]


def _open_constraint(model: Model, end: Closest) -> Finding | None:
    """Return the warning for the constraint with the largest error; None if a loop joint has a larger one."""
    held = Held(model, 0.0, length_of(model))
    found = max(held.worst(end.held), key=lambda own: own[0], default=None)
    sizes = np.linalg.norm(end.e.reshape(-1, 2, 3), axis=2)
    if found is None or found[0] <= widths(model, sizes).max(initial=0.0):  # a gap that is no number is no less open
        return None
    message = (
        "no coordinates were found that fulfil it within the limits of the joints; at best it is off by "
        f"{found[2]:.3g} {found[1].unit}: check its lengths and what it is fixed to"
    )
    return Finding("warning", found[1].constraint, "constraint that cannot hold", message)


def _constraints(model: Model, q: NDArray) -> NDArray:
    """Return the loop constraint Jacobian K (n_c, nv) at closed loops (Featherstone 2008, Eq 8.17)."""
    X, J = LoopKinematics(model).poses_and_jacobians(q)
    rows = [
        loop_form(loop.joint.type, pose, np.zeros(6)).T.T @ jacobian
        for loop, pose, jacobian in zip(model.loops, X, J, strict=True)
    ]
    return np.concatenate(rows)


def _rank(K: NDArray) -> tuple[int, NDArray]:
    """Return the rank of K and a basis of its null space, the velocities that keep loops closed, one a row."""
    if not K.size:
        return 0, np.eye(K.shape[1])
    _, s, V = np.linalg.svd(K)
    rank = int(np.sum(s > RANK * s[0]))
    return rank, V[rank:]
