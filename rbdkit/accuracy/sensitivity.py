"""Sensitivity of accelerations to small errors of the joint forces (Featherstone 2008, section 10.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.rnea import rnea
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


@dataclass(frozen=True, eq=False)
class Response:
    """Desired accelerations and forces, and the applied forces and resulting accelerations.

    Attributes
    ----------
    H : ndarray (nv, nv)
        Joint-space inertia matrix.
    qdd_d, tau_d : ndarray (nv,)
        Desired accelerations and the forces that they require.
    tau_a, qdd_a : ndarray (nv,)
        Applied forces and the resulting accelerations.
    """

    H: NDArray
    qdd_d: NDArray
    tau_d: NDArray
    tau_a: NDArray
    qdd_a: NDArray

    @property
    def condition(self) -> float:
        """Condition number of H in the 2-norm: the upper bound of the amplification in that norm."""
        return float(np.linalg.cond(self.H))

    @property
    def force_error(self) -> float:
        """Largest relative error of a force."""
        return largest_relative(self.tau_a, self.tau_d)

    @property
    def acceleration_error(self) -> float:
        """Largest relative error of an acceleration."""
        return largest_relative(self.qdd_a, self.qdd_d)

    @property
    def amplification(self) -> float:
        """Ratio of the errors of accelerations and forces; NaN if the forces are exact."""
        return self.acceleration_error / self.force_error if self.force_error else float("nan")


def largest_relative(found: NDArray, wanted: NDArray) -> float:
    """Return the largest relative error of an entry; infinite where an entry should be zero and is not."""
    off = np.abs(found - wanted)
    errors = np.divide(off, np.abs(wanted), out=np.where(off > 0.0, np.inf, 0.0), where=wanted != 0.0)
    return float(np.max(errors, initial=0.0))


def rounded(values: ArrayLike, digits: int = 3) -> NDArray:
    """Round each number to the given number of significant digits."""
    values = np.asarray(values, dtype=float)
    return np.array([float(f"{x:.{digits - 1}e}") for x in values.ravel()]).reshape(values.shape)


def response(
    model: Model,
    q: ArrayLike,
    wanted: ArrayLike,
    applied: Callable[[NDArray], NDArray] = rounded,
    *,
    t: float = 0.0,
) -> Response:
    """Compute the accelerations from rest that result if the forces for desired accelerations are applied imperfectly.

    Parameters
    ----------
    q : array_like (nq,)
        Coordinates.
    wanted : array_like (nv,)
        Accelerations.
    applied : callable, optional
        Function from exact forces (nv,) to those that the actuators apply; rounds to three digits if not given.
    t : float, optional
        Time in s, for prescribed joints, which are not at rest.

    Raises
    ------
    StateError, ModelError
        If q or wanted do not fit the model, the forces as applied do not fit either, or joints close loops.
    """
    require_tree(model, "the response to forces")
    q, qdd_d = model.check_q(q), model.check_v(wanted, "wanted")
    rest = np.zeros(model.nv)
    tau_d = rnea(model, q, rest, qdd_d, t=t).tau
    tau_a = np.asarray(applied(tau_d), dtype=float)
    if tau_a.shape != tau_d.shape:
        raise StateError(f"applied made forces of shape {tau_a.shape} from {tau_d.shape}; it must keep the shape")
    H = crba(model, q, t=t).H
    qdd_a = qdd_d + np.linalg.solve(H, tau_a - tau_d)
    return Response(H, qdd_d, tau_d, tau_a, qdd_a)


def noise_fan(
    model: Model, q: ArrayLike, wanted: ArrayLike, noise: float, samples: int = 50, seed: int = 0, *, t: float = 0.0
) -> NDArray:
    """Return accelerations from rest (samples, nv) under forces with relative errors, uniform in [-noise, noise].

    Parameters
    ----------
    model, q, wanted, t
        As for `response`.
    """
    rng = np.random.default_rng(seed)
    exact = response(model, q, wanted, applied=lambda tau: tau, t=t)
    errors = exact.tau_d * rng.uniform(-noise, noise, (samples, model.nv))
    return exact.qdd_d + np.linalg.solve(exact.H, errors.T).T
