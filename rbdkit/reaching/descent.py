"""Damped Gauss-Newton steps (Levenberg-Marquardt) towards targets, from many starting points at once.

A step x of the joints solves ``(A^T A + mu 1) x = A^T e`` by the singular values of A, with ``mu = kappa |e|^2``: far
away steps are short where an arm is nearly stretched, at the end they are Newton's, also at singular poses (Fan and
Yuan 2005). mu grows until x lies within a trust region, whose radius follows the ratio of the actual to the predicted
decrease. A coordinate at a limit that the step would cross keeps its place while the others move. Angles are in rad,
lengths in characteristic lengths of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.functions import forward_kinematics, jacobian
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.closest import Bounds
from rbdkit.reaching.targets import Target

REACHED = 1e-10
"""Error, rad or characteristic lengths, up to which a target counts as reached; steps go on while they gain digits."""
ROUND_OFF = 1e-14
"""Error below which no further step is taken."""
MOST_STEPS, MOST_FAR_STEPS = 100, 40
"""Steps from one starting point; and steps after which it is given up if it is still `FAR`."""
FAR = 1e-3
"""Error, rad or characteristic lengths, up to which steps go on slowly, as they do at singular poses."""
MINIMUM = 1e-12
"""Share of an error that a step must be expected to gain, else it is at its minimum."""
FLAT = 1e-3
"""Share of a larger error that a step must be expected to gain; to start elsewhere costs less."""
KAPPA = 1e-3
LARGEST_STEP = 1.0
"""Of a coordinate, rad or characteristic lengths: the first radius of the trust region, and the largest."""
HOPELESS = 1e-10
"""Radius at which no step goes downhill any more."""


class Aims:
    """The targets of frames of a model: by how much they are missed, all rows in rad and characteristic lengths.

    Parameters
    ----------
    model : Model
        A tree.
    targets : mapping of str to sequence of Target
        What each frame is to do.
    weights : mapping of str to float
        Of frames; rows of others count once.
    free : ndarray of bool (nv,)
        Which velocity variables may move.
    bounds : Bounds
        Limits of the coordinates.
    t : float
        Time, s.
    """

    def __init__(
        self,
        model: Model,
        targets: Mapping[str, Sequence[Target]],
        weights: Mapping[str, float],
        free: NDArray,
        bounds: Bounds,
        t: float,
    ) -> None:
        self.model, self.targets, self.free, self.bounds, self.t = model, targets, free, bounds, t
        self.length = length = length_of(model)
        self.unit = np.ones(model.nv)
        for joint in model.joints[1:]:
            self.unit[joint.v_slice] = [length if unit == "m/s" else 1.0 for unit in joint.type.v_units]
        rows = [(frame, unit) for frame, own in targets.items() for one in own for unit in one.units]
        self.scale = np.array([1.0 if unit == "rad" else 1.0 / length for _, unit in rows])
        self.weight = np.array([weights.get(frame, 1.0) for frame, _ in rows])
        self.frames, self.units = np.array([frame for frame, _ in rows]), np.array([unit for _, unit in rows])

    def at(self, q: NDArray) -> tuple[NDArray, NDArray]:
        """Return the errors e (n, m) and the matrices A (n, m, nv) at coordinates (n, nq)."""
        kinematics, parts = forward_kinematics(self.model, q, t=self.t), []
        for frame, own in self.targets.items():
            pose, J = kinematics.pose(frame), jacobian(self.model, q, frame, "aligned", t=self.t)
            parts += [target.error(pose, J) for target in own]
        e = self.scale * np.concatenate([e for e, _ in parts], axis=-1)
        A = self.scale[:, None] * np.concatenate([A for _, A in parts], axis=-2) * (self.unit * self.free)
        return e, A

    def blocked(self, q: NDArray, x: NDArray) -> NDArray:
        """Return which velocity variables (n, nv) are at a limit that a step x (n, nv) would cross."""
        at, bounds = self.bounds.at.clip(0), self.bounds
        low, high = q[:, at] <= bounds.lower[at], q[:, at] >= bounds.upper[at]
        return (bounds.at >= 0) & ((low & (x < 0.0)) | (high & (x > 0.0)))


def descend(aims: Aims, q: NDArray, patient: bool = False) -> tuple[NDArray, NDArray]:
    """Take steps from each of the starting points until targets are reached or nothing gets nearer.

    Parameters
    ----------
    aims : Aims
        What is to be reached.
    q : ndarray (n, nq)
        Starting points, within the limits.
    patient : bool, optional
        Whether to go on to the minimum where the targets seem to be out of reach.

    Returns
    -------
    q : ndarray (n, nq)
        Where the steps end.
    e : ndarray (n, m)
        Errors there, rad and characteristic lengths.
    """
    ends, errors, q = q.copy(), np.empty((len(q), len(aims.scale))), q.copy()
    e, A = aims.at(q)
    rows, radius = np.arange(len(q)), np.full(len(q), LARGEST_STEP)
    for k in range(MOST_STEPS):
        r, B = aims.weight * e, aims.weight[:, None] * A
        size = np.linalg.norm(r, axis=1)
        x = _step(aims, q, r, B, np.maximum(KAPPA * np.minimum(size, 1.0) ** 2, 1e-20), radius)
        expected = size - np.linalg.norm(r - np.einsum("nij,nj->ni", B, x), axis=1)
        there = aims.bounds.within(aims.model.move(q, x * aims.unit))
        e_there, A_there = aims.at(there)
        gained = size - np.linalg.norm(aims.weight * e_there, axis=1)
        better = gained > 1e-4 * expected
        # at the end only what still gains digits goes on; elsewhere what is not at a minimum and has a way down
        near, far = np.abs(e).max(axis=1) <= REACHED, (size > FAR) & (not patient)
        done = near & (gained < 0.5 * size) | ~near & (
            (expected < np.where(far, FLAT, MINIMUM) * size) | (radius < HOPELESS) | far & (k >= MOST_FAR_STEPS)
        )
        better &= ~done | (gained > 0.0)
        q[better], e[better], A[better] = there[better], e_there[better], A_there[better]
        done |= np.abs(e).max(axis=1) <= ROUND_OFF
        ratio = gained / np.maximum(expected, 1e-300)
        length = np.abs(x).max(axis=1, initial=0.0)
        radius = np.where(
            ratio < 0.25, 0.3 * length, np.where(ratio > 0.75, np.minimum(2.0 * radius, LARGEST_STEP), radius)
        )
        ends[rows], errors[rows] = q, e
        if done.all():
            break
        if done.any():
            rows, q, e, A, radius = (x[~done] for x in (rows, q, e, A, radius))
    return ends, errors


def _step(aims: Aims, q: NDArray, r: NDArray, B: NDArray, mu: NDArray, radius: NDArray) -> NDArray:
    """Return damped steps (n, nv); coordinates that would cross a limit are fixed, and the rest is computed again.

    radius : (n,) of the trust region, which no coordinate leaves.
    """
    at_limit = np.zeros(B.shape[::2], dtype=bool)
    while True:
        U, s, V = np.linalg.svd(np.where(at_limit[:, None, :], 0.0, B), full_matrices=False)
        b, damping = np.einsum("nik,ni->nk", U, r), mu.copy()
        while True:
            x = np.einsum("nkj,nk->nj", V, s / (s**2 + damping[:, None]) * b)
            too_far = np.abs(x).max(axis=1, initial=0.0) > radius
            if not too_far.any():
                break
            damping[too_far] *= 4.0
        x[at_limit] = 0.0
        blocked = aims.blocked(q, x)
        if not blocked.any():
            return x
        at_limit |= blocked
