"""Accelerations in the neighbourhood of a state, in as many coordinates as there are freedoms."""

from __future__ import annotations

from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from rbdkit.engine import kernels_for
from rbdkit.errors import StateError
from rbdkit.functions import crba, forward_dynamics
from rbdkit.model import Model
from rbdkit.model.closing import length_of, require_closed
from rbdkit.model.closing.rank import arcs_of

STEP = 1e-3
"""Displacement, in arcs and rad/s, of differences of fourth order: their error is 3e-14 of the fifth derivative, and
that of round-off 1e-13."""
RANK = 1e-7
"""Smallest part of a row that counts as independent of others, relative to the largest; loops are closed to 1e-10."""
NOTHING = 1e-9
"""Size of a row, relative to the largest, up to which it is zero but for round-off, and holds nothing."""
PREFERRED = 1e3
"""How much larger a velocity without input may be before one with input depends on others in its place."""
NEWTON = 6
"""Newton steps that close loops after a displacement; the error squares in each, from 1e-6."""


class Near:
    """A model near a state (q, v) under joint forces tau.

    Attributes
    ----------
    independent : velocities that determine all others. basis : (nv, d) displacements of all joints for these.
    a : accelerations at the state; zero if forces do not matter (``forces=False``).
    """

    def __init__(
        self,
        model: Model,
        q: NDArray,
        v: NDArray,
        tau: NDArray,
        inputs: tuple[int, ...],
        t: float,
        forces: bool = True,
    ) -> None:
        self.model, self.q, self.v, self.tau, self.inputs, self.t = model, q, v, tau, inputs, t
        self.tied = bool(model.loops or model.constraints)
        self.independent, self.basis = np.arange(model.nv), np.eye(model.nv)
        if self.tied:
            kernels = kernels_for(model)
            if kernels is None or kernels.rows is None:
                raise StateError(
                    f"the constraints of model {model.name!r} are not compiled, which linearize needs: "
                    f"{kernels.why_not if kernels is not None else 'see rbdkit.engine.backend(model)'}"
                )
            require_closed(model, q, v, t)
            self.kernels = kernels
            self.arcs = arcs_of(model, length_of(model))
            self._choose(kernels.constraint_rows(q, v, t).K)
        self.a = self._accelerations(q, v, tau) if forces else np.zeros(model.nv)

    def _choose(self, K: NDArray) -> None:
        """Choose the independent velocities, those with inputs first, and rows that hold the others."""
        n = self.model.nv
        scale = self.arcs.copy()
        scale[[k for k in range(n) if k not in self.inputs]] *= PREFERRED
        size = np.linalg.norm(K * self.arcs, axis=1)
        self.size = np.where(size > NOTHING * size.max(initial=0.0), size, max(1.0, size.max(initial=0.0)))
        rows = K * self.arcs / self.size[:, None]
        rank = int(np.sum((s := np.linalg.svd(rows, compute_uv=False)) > RANK * s.max(initial=0.0)))
        dependent = qr(rows * (scale / self.arcs), mode="r", pivoting=True)[1][:rank]
        self.dependent = np.sort(dependent)
        self.independent = np.setdiff1d(np.arange(n), dependent)
        self.basis = self.basis_at(K)

    def basis_at(self, K: NDArray) -> NDArray:
        """Return the displacements (nv, d) of all joints for the independent ones, where constraint rows are K."""
        n, d = self.model.nv, len(self.independent)
        basis = np.zeros((n, d))
        basis[self.independent, np.arange(d)] = 1.0
        basis[self.dependent] = -self._solved(K, K[:, self.independent])
        return basis

    def moved(self, away: NDArray) -> NDArray:
        """Return coordinates after displacements (d,) of the independent joints; the others close the loops."""
        step = self.basis @ away
        q = self.model.move(self.q, step)
        for _ in range(NEWTON if self.tied else 0):
            rows = self.kernels.constraint_rows(q, self.v, self.t)
            step[self.dependent] -= self._solved(rows.K, rows.gap)
            q = self.model.move(self.q, step)
        return q

    def _solved(self, K: NDArray, right: NDArray) -> NDArray:
        """Return the displacements of the dependent joints that give the right side, by all rows at once."""
        D = K[:, self.dependent] * self.arcs[self.dependent] / self.size[:, None]
        found = np.linalg.lstsq(D, (right.T / self.size).T, rcond=None)[0]
        return np.asarray((found.T * self.arcs[self.dependent]).T)

    def _accelerations(self, q: NDArray, v: NDArray, tau: NDArray) -> NDArray:
        return forward_dynamics(self.model, q, v, tau, t=self.t)

    def slopes(self) -> tuple[NDArray, NDArray]:
        """Return the derivatives (d, d) of the independent accelerations by displacements and velocities."""
        d = len(self.independent)
        steps = self.arcs[self.independent] if self.tied else np.ones(d)
        found: list[NDArray] = []
        for k in range(2 * d):
            values = []
            for factor in (2.0, 1.0, -1.0, -2.0):
                moved = np.zeros(2 * d)
                moved[k] = factor * STEP * steps[k % d]
                values.append(self._at(moved[:d], moved[d:]))
            # (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h
            found.append((8.0 * (values[1] - values[2]) - (values[0] - values[3])) / (12.0 * STEP * steps[k % d]))
        slopes = np.array(found).reshape(2 * d, d).T
        return slopes[:, :d], slopes[:, d:]

    def _at(self, away: NDArray, faster: NDArray) -> NDArray:
        """Return the independent accelerations after displacements, with closed loops, and with other velocities."""
        q, v = self.moved(away), self.v.copy()
        v[self.independent] += faster
        if self.tied:
            rows = self.kernels.constraint_rows(q, v, self.t)
            v[self.dependent] -= self._solved(rows.K, rows.slip)
        return self._accelerations(q, v, self.tau)[self.independent]

    def turning(self) -> NDArray:
        """Return the derivative (d, d) of the rates of displacements by displacements: on curved manifolds these turn.

        Two states that move with equal velocities in their own axes come apart by ``delta' = -v x delta``, twice what
        `local_rate` has for one that moves away from a point; the even terms of that series cancel, and there are no
        other odd ones.
        """
        turns = np.zeros((self.model.nv, self.model.nv))
        if self.v.any() and self.model.nq != self.model.nv:
            for k in range(self.model.nv):
                u = np.zeros(self.model.nv)
                u[k] = 0.05
                there, back = self.model.local_rate(u, self.v), self.model.local_rate(-u, self.v)
                turns[:, k] = (there - back) / 0.05
        return np.asarray((turns @ self.basis)[self.independent])

    def by_force(self) -> NDArray:
        """Return the derivative (d, m) of the independent accelerations by the inputs, in which they are linear."""
        found = np.zeros((len(self.independent), len(self.inputs)))
        size = max(1.0, float(np.abs(self.tau).max(initial=0.0)))
        for k, place in enumerate(self.inputs):
            more, less = self.tau.copy(), self.tau.copy()
            more[place] += size
            less[place] -= size
            there, back = self._accelerations(self.q, self.v, more), self._accelerations(self.q, self.v, less)
            found[:, k] = (there - back)[self.independent] / (2.0 * size)
        return found

    def constraint_force(self) -> NDArray:
        """Return the joint forces (nv,) of loops, constraints and held contacts at the state."""
        free = self._tree
        acting = crba(free, self.q, t=self.t) @ (self.a - forward_dynamics(free, self.q, self.v, self.tau, t=self.t))
        return np.asarray(acting)

    @cached_property
    def _tree(self) -> Model:
        tree = copy(self.model)
        tree.loops, tree.constraints = (), ()
        return tree
