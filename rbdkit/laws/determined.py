"""Decide which contact forces of a recorded motion are determinate, and find the smallest forces where they are not.

Rigid bodies on more points than needed (a table on four legs) leave the shares of the points open: forces in the null
space of the Delassus matrix W move nothing. A solver returns one of many solutions, which depends on the order of the
points; as a result for users that is an accident. Therefore, for each recorded state:

1. Collect the points that carry force, and in time stepping those at rest that could.
2. Split them into groups that W couples.
3. For each group compute the null space of W by `least_shares`: the points that it involves are indeterminate, and
   their forces are replaced by the smallest ones with the same effect.
4. A pair's sum of normal forces may be determinate although each of its points is not; `_open_sums` tells.

This costs an eigenvalue problem for each state, so it runs when forces are first looked at, not in the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import JointSystem
from rbdkit.laws.log import SLIDES, Rows
from rbdkit.laws.model_pairs import pairs_of
from rbdkit.laws.near import Near, Pairs, frames
from rbdkit.laws.problem import Problem
from rbdkit.laws.scene import Scene
from rbdkit.laws.shares import Shares, least_shares
from rbdkit.laws.stops import NO_PLACE, stops_of
from rbdkit.model import Model
from rbdkit.model.one_sided import has_stops, without_stops

AT_LIMIT = 1e-6
"""Relative tolerance: friction that is this close to its limit counts as kinetic friction."""
TOUCHES = 1e-9
"""Largest gap at which a point counts as touching, as a part of the length of the model."""
RESTS = 1e-7
"""Largest normal speed at which a point counts as resting, as a part of the largest speed."""
MOST = 64
"""Largest group of coupled points whose shares are computed; in larger ones all points count as indeterminate."""


@dataclass(frozen=True, eq=False)
class Determined:
    """Determinacy of the contact forces in the states of a recorded motion.

    Parameters
    ----------
    model : Model
    t, q, v : ndarray (n,), (n, nq), (n, nv)
        Times, coordinates and velocities of the recorded states.
    ahead : bool
        Whether forces belong to the step that begins in a state (time stepping), so that sliding is judged by the
        velocity of the next state.
    """

    model: Model
    t: NDArray
    q: NDArray
    v: NDArray
    ahead: bool

    @cached_property
    def _scene(self) -> Scene:
        free = without_stops(self.model)
        pairs: Pairs | None = stops_of(self.model) if has_stops(self.model) else pairs_of(free)
        assert pairs is not None  # there would be no record
        return Scene(JointSystem(free), pairs)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_scene"}

    def of(self, k: int, rows: Rows, push: NDArray) -> tuple[NDArray, NDArray, set[int]]:
        """Return the smallest equivalent forces in state k, which are indeterminate, and pairs of indeterminate sums.

        Parameters
        ----------
        rows : pair, point, normal, gap and force of the m points of the state.
        push : (stops,) forces of the unilateral constraints, N or N m; in the result they lie along z.

        Returns
        -------
        (m + stops, 3) forces, N; (m + stops,) of bool; numbers of the pairs whose sum of normal forces is open.
        """
        arcs = self._scene.stops.arcs if len(push) and self._scene.stops is not None else np.ones(len(push))
        found, open_, pairs = self._of(k, rows, push / arcs)  # torques as forces at the arcs
        found[len(found) - len(push) :] *= arcs[:, None]
        return found, open_, pairs

    def _of(self, k: int, rows: Rows, push: NDArray) -> tuple[NDArray, NDArray, set[int]]:
        pair, point, normal, gap, given = rows
        found = np.concatenate([given, np.outer(push, NO_PLACE)])
        open_, pairs = np.zeros(len(found), dtype=bool), set[int]()
        if len(found) < 2 or not found.any():
            return found, open_, pairs
        scene, t, q = self._scene, float(self.t[k]), self.q[k]
        still, slot = np.zeros((len(found), 3)), np.zeros(len(found), dtype=int)
        if scene.stops is not None:
            pair = np.concatenate([pair, scene.stops.first + np.arange(len(push))])
            point = np.concatenate([point, still[: len(push)]])
            normal = np.concatenate([normal, np.tile(NO_PLACE, (len(push), 1))])
            # the record holds one force for each constraint; it acts through the row that is nearest to its bound
            slot[len(given) :], gaps = scene.stops.closest(t, q)
            gap = np.concatenate([gap, gaps])
        near = Near(pair, slot, gap, point, normal, still, still)
        J = scene.rows(t, q, near)
        v = self.v[min(k + 1, len(self.v) - 1)] if self.ahead else self.v[k]
        u = (J @ v + scene.carried(t, q, near)).reshape(-1, 3)
        holds = found.any(axis=1)
        if self.ahead:  # Gauss-Seidel may leave a resting point without a force although it could carry some
            holds |= (gap <= TOUCHES * scene.length) & (np.abs(u[:, 0]) <= RESTS * (scene.speed + np.abs(u).max()))
        own = np.flatnonzero(holds)
        if len(own) < 2:
            return found, open_, pairs
        near, u = near.of(own), u[own]
        J = J.reshape(-1, 3, J.shape[1])[own].reshape(-1, J.shape[1])
        W = J @ scene.inverse(t, q).times(J.T)
        W, axes = 0.5 * (W + W.T), frames(near.normal)
        lam, mu = np.einsum("ikj,ij->ik", axes, found[own]), scene.friction[near.pair]
        limit = np.hypot(lam[:, 1], lam[:, 2]) >= (1.0 - AT_LIMIT) * mu * lam[:, 0]
        speed, way = np.hypot(u[:, 1], u[:, 2]), np.zeros((len(own), 2))
        # friction at its limit on a point at rest is static: its share is free, so the point counts as sticking (way
        # zero)
        for i in np.flatnonzero(limit & (speed > SLIDES * scene.speed)):
            size = float(np.hypot(*lam[i, 1:]))
            # kinetic friction opposes sliding, so the recorded force has the direction, in time stepping that of the
            # solved step
            way[i] = -lam[i, 1:] / size if size > 0.0 else u[i, 1:] / speed[i]
        for island in Problem(W, np.zeros(len(W)), mu, ("",) * len(own), lam).islands():
            if len(island) < 2:
                continue
            if len(island) > MOST:
                # an eigenvalue problem of this size for each state would take longer than the run
                open_[own[island]] = True
                pairs |= set(near.pair[island].tolist())
                continue
            three = (3 * island[:, None] + np.arange(3)).ravel()
            shares = least_shares(W[np.ix_(three, three)], lam[island], mu[island], way[island])
            found[own[island]] = np.einsum("ik,ikj->ij", shares.lam, axes[island])
            open_[own[island]] = shares.indeterminate
            pairs |= _open_sums(shares, near.pair[island])
        return found, open_, pairs


def _open_sums(shares: Shares, pair: NDArray) -> set[int]:
    """Return the pairs whose sum of normal forces changes along the null space, so is indeterminate."""
    normal = shares.free[:, 0, :]
    return {int(p) for p in np.unique(pair) if np.abs(normal[pair == p].sum(axis=0)).max(initial=0.0) > 1e-6}
