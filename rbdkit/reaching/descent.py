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
from rbdkit.reaching.single_descent import descend_from
from rbdkit.reaching.step_rules import (
    FAR,
    FLAT,
    HOPELESS,
    KAPPA,
    LARGEST_STEP,
    MINIMUM,
    MOST_FAR_STEPS,
    MOST_STEPS,
    NEAR,
    ROUND_OFF,
    SMALLEST_MU,
)
from rbdkit.reaching.targets import Target


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
        self.frames, self.units = np.array([frame for frame, _ in rows]), np.array([unit for _, unit in rows])
        self.scale = np.where(self.units == "rad", 1.0, 1.0 / length)
        self.weight = np.array([weights.get(frame, 1.0) for frame in self.frames])
        self._places = {frame: model.frame(frame) for frame in targets}
        self._row = self.scale * self.weight
        self._factor = self._row[:, None] * self.unit * free  # of A
        at = bounds.at.clip(0)  # where the coordinate of a velocity variable lies; joints on curved manifolds have none
        self._at, self._lower = at, np.where(bounds.at < 0, -np.inf, bounds.lower[at])
        self._upper = np.where(bounds.at < 0, np.inf, bounds.upper[at])

    def at(self, q: NDArray) -> tuple[NDArray, NDArray]:
        """Return the weighted errors e (..., m) and the matrices A (..., m, nv) at coordinates (..., nq)."""
        poses, parts = forward_kinematics(self.model, q, t=self.t).poses, []
        for frame, own in self.targets.items():
            place = self._places[frame]
            pose = poses[..., place.body, :, :] @ place.placement
            J = jacobian(self.model, q, frame, "aligned", t=self.t)
            parts += [target.error(pose, J) for target in own]
        e, A = parts[0] if len(parts) == 1 else (np.concatenate(x, axis=-k) for k, x in enumerate(zip(*parts), 1))
        return self._row * e, self._factor * A

    def missed(self, e: NDArray) -> NDArray:
        """Return the largest error (...), rad or characteristic lengths, of weighted errors (..., m)."""
        return np.abs(e / self.weight).max(axis=-1, initial=0.0)

    def blocked(self, q: NDArray, x: NDArray) -> NDArray:
        """Return which velocity variables (..., nv) are at a limit that a step x (..., nv) would cross."""
        own = q[..., self._at]
        low, high = own <= self._lower, own >= self._upper
        at_one: NDArray = low | high
        return low & (x < 0.0) | high & (x > 0.0) if at_one.any() else at_one


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
        Weighted errors there, rad and characteristic lengths.
    """
    if len(q) == 1 and aims.model.nv and len(aims.scale):
        end, error = descend_from(aims, q[0], patient)
        return end[None], error[None]
    return descend_all(aims, q, patient)


def descend_all(aims: Aims, q: NDArray, patient: bool) -> tuple[NDArray, NDArray]:
    """Take the steps of `descend` from all starting points at once."""
    ends, errors, q = q.copy(), np.empty((len(q), len(aims.scale))), q.copy()
    e, A = aims.at(q)
    rows, radius, size = np.arange(len(q)), np.full(len(q), LARGEST_STEP), _norm(e)
    for k in range(MOST_STEPS):
        x = _step(aims, q, e, A, np.maximum(KAPPA * np.minimum(size, 1.0) ** 2, SMALLEST_MU), radius)
        expected = size - _norm(e - np.einsum("nij,nj->ni", A, x))
        there = aims.bounds.within(aims.model.move(q, x * aims.unit))
        e_there, A_there = aims.at(there)
        gained = size - _norm(e_there)
        # along the curved valley of a nearly singular pose a long step is right once a second one leads back to it
        if (again := np.flatnonzero((size < FAR) & (size > ROUND_OFF) & (gained < 0.25 * expected))).size:
            e_2, A_2, mu = e_there[again], A_there[again], np.full(again.size, SMALLEST_MU)
            x_2 = _step(aims, there[again], e_2, A_2, mu, np.abs(x[again]).max(axis=1))
            there[again] = aims.bounds.within(aims.model.move(there[again], x_2 * aims.unit))
            e_there[again], A_there[again] = aims.at(there[again])
            gained = size - _norm(e_there)
        # at the end only what still gains digits goes on; elsewhere what is not at a minimum and has a way down
        near, far = aims.missed(e) <= NEAR, (size > FAR) & (not patient)
        stuck = (expected < np.where(far, FLAT, MINIMUM) * size) | (radius < HOPELESS) | far & (k >= MOST_FAR_STEPS)
        done = np.where(near, gained < 0.5 * size, stuck)
        better = (gained > 1e-4 * expected) & (~done | (gained > 0.0))
        q[better], e[better], A[better] = there[better], e_there[better], A_there[better]
        size, ratio = _norm(e), gained / np.maximum(expected, 1e-300)
        done |= size <= ROUND_OFF
        shorter, longer = 0.3 * np.abs(x).max(axis=1, initial=0.0), np.minimum(2.0 * radius, LARGEST_STEP)
        radius = np.where(ratio < 0.25, shorter, np.where(ratio > 0.75, longer, radius))
        ends[rows], errors[rows] = q, e
        if done.any():
            if done.all():
                break
            rows, q, e, A, radius, size = (x[~done] for x in (rows, q, e, A, radius, size))
    return ends, errors


def _norm(e: NDArray) -> NDArray:
    return np.sqrt(np.einsum("ni,ni->n", e, e))


def _step(aims: Aims, q: NDArray, e: NDArray, A: NDArray, mu: NDArray, radius: NDArray) -> NDArray:
    """Return damped steps (n, nv); coordinates that would cross a limit are fixed, and the rest is computed again.

    radius : (n,) of the trust region, which no coordinate leaves.
    """
    at_limit = np.zeros(A.shape[::2], dtype=bool)
    while True:
        U, s, V = np.linalg.svd(A, full_matrices=False)
        b, squares = s * np.einsum("nik,ni->nk", U, e), s * s
        while True:
            x = np.einsum("nkj,nk->nj", V, b / (squares + mu[:, None]))
            too_far = np.abs(x).max(axis=1, initial=0.0) > radius
            if not too_far.any():
                break
            mu = np.where(too_far, 4.0 * mu, mu)
        x[at_limit] = 0.0
        blocked = aims.blocked(q, x)
        if not blocked.any():
            return x
        at_limit |= blocked
        A = np.where(at_limit[:, None, :], 0.0, A)
