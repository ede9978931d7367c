"""What small errors of the joint forces do to the accelerations (Featherstone 2008, section 10.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import crba, rnea
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


@dataclass(frozen=True, eq=False)
class Response:
    """Accelerations that were wanted, and those that the forces as applied bring about; all (nv,), H (nv, nv).

    Attributes
    ----------
    qdd_d, tau_d : ndarray
        Wanted accelerations and the forces that they need.
    tau_a, qdd_a : ndarray
        Forces as they are applied and the accelerations that follow.
    """

    H: NDArray
    qdd_d: NDArray
    tau_d: NDArray
    tau_a: NDArray
    qdd_a: NDArray

    @property
    def condition(self) -> float:
        """Condition number of H in the 2-norm: the largest amplification there can be, measured in that norm."""
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
        """How many times as large the error of the accelerations is as that of the forces; NaN if these are exact."""
        return self.acceleration_error / self.force_error if self.force_error else float("nan")


def largest_relative(found: NDArray, wanted: NDArray) -> float:
    """The largest error of an entry relative to the entry; infinite where it should be zero and is not."""
    off = np.abs(found - wanted)
    errors = np.divide(off, np.abs(wanted), out=np.where(off > 0.0, np.inf, 0.0), where=wanted != 0.0)
    return float(np.max(errors, initial=0.0))


def rounded(values: ArrayLike, digits: int = 3) -> NDArray:
    """Numbers rounded to significant digits, each on its own."""
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
    """From rest: ask for accelerations, apply the forces imperfectly, see what happens.

    Parameters
    ----------
    q : array_like (nq,)
        Coordinates.
    wanted : array_like (nv,)
        Accelerations.
    applied : callable, optional
        Makes of the exact forces (nv,) those that the actuators apply; three significant digits if not given.
    t : float, optional
        Time in s, for prescribed joints, which do not rest.

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
    """(samples, nv) accelerations from rest under forces with relative errors, uniform in [-noise, noise].

    Parameters
    ----------
    model, q, wanted, t
        As of `response`, which says what it refuses.
    """
    rng = np.random.default_rng(seed)
    exact = response(model, q, wanted, applied=lambda tau: tau, t=t)
    errors = exact.tau_d * rng.uniform(-noise, noise, (samples, model.nv))
    return exact.qdd_d + np.linalg.solve(exact.H, errors.T).T
