"""Hybrid dynamics in reduced coordinates by one linear system, at acceleration and at velocity level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.constraints import Rows
from rbdkit.algorithms.redmax.reduced_equation import reduced_equation
from rbdkit.errors import ModelError


@dataclass(frozen=True)
class HybridSolution:
    """Result of `hybrid_accelerations` or `hybrid_velocities`.

    Attributes
    ----------
    motion : ndarray (nv,)
        Accelerations, or velocities after the step.
    tau : ndarray (k,)
        Forces for the prescribed velocities, averaged over a step, in the given order.
    reactions : ndarray (m,)
        Multipliers of the other rows; ``-G^T reactions`` are forces, or impulses of a step.
    """

    motion: NDArray
    tau: NDArray
    reactions: NDArray


def hybrid_accelerations(
    bodies: Bodies, prescribed: list[int], qdd: NDArray, others: Rows | None = None
) -> HybridSolution:
    """Return accelerations if some of them are prescribed (Sueda, Eq 2.106).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.
    prescribed : list of int
        Indices of the prescribed velocities.
    qdd : ndarray (k,)
        Prescribed accelerations.
    others : Rows, optional
        Further constraints.

    Raises
    ------
    ModelError
        If rows are dependent, or a free motion moves no inertia.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, hybrid_accelerations
    >>> arm = bodies_at(rbd.library.double_pendulum(), np.array([0.3, 0.4]), np.zeros(2))
    >>> hybrid_accelerations(arm, [1], np.array([2.0])).motion[1].round(12).item()
    2.0
    """
    reduced, rows = reduced_equation(bodies), Rows.none(bodies) if others is None else others
    wanted = [*qdd, *rows.wanting(bodies, np.zeros(bodies.nv))]
    return _solve(reduced.M_r, reduced.f_r, prescribed, rows.matrix(bodies), np.array(wanted), 1.0)


def hybrid_velocities(
    bodies: Bodies, prescribed: list[int], h: float, *, qdd: NDArray | None = None, qd: NDArray | None = None,
    others: NDArray | None = None,
) -> HybridSolution:  # fmt: skip
    """Return velocities after a step with some accelerations or velocities prescribed (Sueda, Eq 2.107).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.
    prescribed : list of int
        Indices of the prescribed velocities.
    h : float
        Step, s.
    qdd, qd : ndarray (k,)
        Prescribed accelerations, or prescribed velocities after the step: exactly one of the two.
    others : ndarray (m, nv), optional
        Rows G of further constraints ``G q-dot = 0``.

    Raises
    ------
    ModelError
        If both or none of qdd and qd are given, rows are dependent, or a free motion moves no inertia.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, hybrid_velocities
    >>> arm = bodies_at(rbd.library.double_pendulum(), np.array([0.3, 0.4]), np.ones(2))
    >>> hybrid_velocities(arm, [1], 0.01, qdd=np.array([2.0])).motion[1].round(12).item()
    1.02
    """
    if (qdd is None) == (qd is None):
        raise ModelError("give the accelerations qdd of the prescribed velocities, or the velocities qd: one of them")
    reduced = reduced_equation(bodies)
    own = h * np.asarray(qdd) + bodies.qd[prescribed] if qd is None else np.asarray(qd)
    G = np.zeros((0, bodies.nv)) if others is None else np.atleast_2d(others)
    right = reduced.M_r @ bodies.qd + h * reduced.f_r
    return _solve(reduced.M_r, right, prescribed, G, np.concatenate([own, np.zeros(len(G))]), h)


def _solve(M: NDArray, f: NDArray, prescribed: list[int], G: NDArray, wanted: NDArray, h: float) -> HybridSolution:
    rows = np.vstack([np.eye(len(f))[prescribed], G])
    A = np.block([[M, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    try:
        solution = np.linalg.solve(A, np.concatenate([f, wanted]))
    except np.linalg.LinAlgError:
        raise ModelError(
            "what is prescribed and the other rows depend on each other, or something without inertia is free to move"
        ) from None
    motion, multipliers = np.split(solution, [len(f)])
    k = len(prescribed)
    return HybridSolution(motion, -multipliers[:k] / h, multipliers[k:])  # minus: Eq 2.106 has it on the left
