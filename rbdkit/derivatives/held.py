"""Derivatives of accelerations of models with loops and constraints, whose forces follow the state.

The accelerations a and the constraint forces lambda solve ``H a - K^T lambda = tau + passive - C`` and ``K a = k``
(Featherstone 2008, Eq 8.36). Differentiating both gives equations with the same matrix for da and dlambda (Carpentier,
Budhiraja and Mansard 2021):

    H da - K^T dlambda = dtau + d(passive) - d(H a + C) + d(K^T) lambda
    K da               = dk - dK a

Those of H a + C and of passive forces are exact; how K and k depend on the state is found by differences of sixth
order, which leave about 1e-12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces, loops
from rbdkit.engine import Kernels
from rbdkit.errors import StateError
from rbdkit.functions.asking import Backend, chosen_kernels
from rbdkit.functions.terms import passive_force, rnea
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.rank import arcs_of, independent_rows, row_limit

STEP = 3e-3
"""Displacement of differences, in arcs: the rest of sixth order and round-off are both 1e-13."""
STEP_OF_VELOCITIES = 1e-2
"""Of velocities, rad/s and lengths of the model a second: k is quadratic in them, of which differences are exact."""
STENCIL = ((1.0, 45.0), (-1.0, -45.0), (2.0, -9.0), (-2.0, 9.0), (3.0, 1.0), (-3.0, -1.0))
"""Places and weights of the first derivative, times 60 steps."""


def held_dynamics_derivatives(
    model: Model,
    q: NDArray,
    v: NDArray,
    tau: NDArray,
    by_q: NDArray,
    by_v: NDArray,
    H: NDArray,
    a: NDArray,
    *,
    f_ext: ExternalForces,
    t: float,
    backend: Backend,
) -> list[NDArray]:
    """Return the derivatives of a by q, v and tau at one state of a model with loops or constraints.

    Parameters
    ----------
    by_q, by_v, H : ndarray (nv, nv)
        Derivatives of the joint forces of the spanning tree at a, by q, v and a.
    a : ndarray (nv,)
        Accelerations of `forward_dynamics`.
    """
    rows = _Rows(model, q, v, t, chosen_kernels(model, backend))
    passive = algorithms.passive_derivatives(model, q, v)
    own_q, own_v = algorithms.element_derivatives(model, q, v, t=t)
    missing = rnea(model, q, v, a, f_ext=f_ext, t=t, backend=backend) - tau - passive_force(model, q, v, t=t)
    slopes = rows.slopes(missing, a)
    nv, m = model.nv, len(rows.K)
    matrix = np.block([[H, -rows.K.T], [rows.K, np.zeros((m, m))]])
    right = np.zeros((nv + m, 3 * nv))
    right[:, : 2 * nv] = slopes
    right[:nv, :nv] += passive.dtau_dq + own_q - by_q
    right[:nv, nv : 2 * nv] += passive.dtau_dv + own_v - by_v
    right[:nv, 2 * nv :] = np.eye(nv)
    try:
        return np.split(np.linalg.solve(matrix, right)[:nv], 3, axis=1)
    except np.linalg.LinAlgError:
        raise StateError(
            f"the accelerations of model {model.name!r} have no derivatives in this state: a motion that its loops and "
            "constraints allow moves nothing with inertia"
        ) from None


class _Rows:
    """Independent rows of ``K a = k`` about one state, scaled to arcs; which they are is decided there."""

    def __init__(self, model: Model, q: NDArray, v: NDArray, t: float, kernels: Kernels | None) -> None:
        self.model, self.q, self.v, self.t = model, q, v, t
        self.kernels = kernels if kernels is not None and kernels.rows is not None else None
        self.length = length_of(model)
        self.arcs = arcs_of(model, self.length)
        if self.kernels is not None:
            assert self.kernels.rows is not None
            at = self.kernels.constraint_rows(q, v, t)
            K, size, gap = at.K, self.kernels.rows.sizes, float(at.openness)
        else:
            constraint = self._readable(q, v)
            K, size = constraint.K, constraint.per_row**-2.0
            gap = float(np.abs(constraint.per_row * constraint.delta).max(initial=0.0)) / constraint.length
        self.kept = independent_rows(K * self.arcs, size, row_limit(gap)) > 0.0
        self.per_row = 1.0 / np.sqrt(size[self.kept])
        self.K = self.per_row[:, None] * K[self.kept]

    def _readable(self, q: NDArray, v: NDArray) -> loops.LoopConstraint:
        own = loops.loop_constraint(self.model, q, v, t=self.t)
        return loops.with_elements(own, self.model, q, v, t=self.t)

    def _at(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return K (n, m, nv) and k (n, m) at n states."""
        if self.kernels is not None:
            at = self.kernels.constraint_rows(q, v, self.t)
            K, k = at.K, at.k
        else:
            each = [self._readable(*state) for state in zip(q, v, strict=True)]
            K, k = np.array([x.K for x in each]), np.array([x.k for x in each])
        return self.per_row[:, None] * K[:, self.kept], self.per_row * k[:, self.kept]

    def slopes(self, force: NDArray, a: NDArray) -> NDArray:
        """Return the derivatives (nv + m, 2 nv) of ``K^T lambda``, at constant lambda, and of ``k - K a``, by q and v.

        force : of the constraints on the joints, ``K^T lambda`` (nv,). a : accelerations.
        """
        nv = self.model.nv
        multipliers = np.linalg.lstsq((self.K * self.arcs).T, force * self.arcs, rcond=None)[0]
        steps = np.concatenate([STEP * self.arcs * self.length, STEP_OF_VELOCITIES * self.arcs * self.length])
        unit = np.eye(2 * nv) * steps
        moved = np.concatenate([place * unit for place, _ in STENCIL])
        q = np.broadcast_to(self.q, (len(moved), len(self.q)))
        K, k = self._at(self.model.move(q, moved[:, :nv]), self.v + moved[:, nv:])
        values = np.concatenate([np.swapaxes(K, 1, 2) @ multipliers, k - K @ a], axis=1)
        weights = np.array([weight for _, weight in STENCIL])
        summed = np.tensordot(weights, values.reshape(len(STENCIL), 2 * nv, -1), 1)
        return np.asarray((summed / (60.0 * steps[:, None])).T)
