"""What `validate` has to say about loops."""

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
"""Singular values below this share of the largest one count as zero; singular poses are found to half the digits."""
STARTS, STEPS = 16, 40
"""Places to search from with one loop, fewer with more, and steps from each: what there is time for in passing."""
TRIES = 12
"""Directions to look in where the rank rises beside a pose; two where it does not."""
STEP = 0.05
"""rad and m, from a closed pose to others around it, where constraints hold that lose their hold there."""


def loop_findings(model: Model) -> list[Finding]:
    """A loop that cannot close, as a warning; constraints that are redundant wherever it is closed, as a note.

    It is no error, for a search may miss poses that there are; a motion asks for closed loops when it begins.
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
            break  # the same rank around: where it rises, branches of the motion meet, and each has its own
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
    """What to say where a constraint that was added stays further open than any loop."""
    held = Held(model, 0.0, length_of(model))
    found = max(held.worst(end.held), key=lambda own: own[0], default=None)
    sizes = np.linalg.norm(end.e.reshape(-1, 2, 3), axis=2)
    if found is None or not found[0] > widths(model, sizes).max(initial=0.0):
        return None
    message = (
        "no coordinates were found that fulfil it within the limits of the joints; at best it is off by "
        f"{found[2]:.3g} {found[1].unit}: check its lengths and what it is fixed to"
    )
    return Finding("warning", found[1].constraint, "constraint that cannot hold", message)


def _constraints(model: Model, q: NDArray) -> NDArray:
    """K (n_c, nv) where loops are closed (Featherstone 2008, Eq 8.17)."""
    X, J = LoopKinematics(model).poses_and_jacobians(q)
    rows = [
        loop_form(loop.joint.type, pose, np.zeros(6)).T.T @ jacobian
        for loop, pose, jacobian in zip(model.loops, X, J, strict=True)
    ]
    return np.concatenate(rows)


def _rank(K: NDArray) -> tuple[int, NDArray]:
    """Rank, and velocities that keep loops closed."""
    if not K.size:
        return 0, np.eye(K.shape[1])
    _, s, V = np.linalg.svd(K)
    rank = int(np.sum(s > RANK * s[0]))
    return rank, V[rank:]
