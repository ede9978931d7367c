"""Joint torques as users give them, made into a function of (t, q, v)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces, external_forces
from rbdkit.errors import SimulationError, StateError
from rbdkit.formulations import Force
from rbdkit.model import Model
from rbdkit.simulation.variables import variable_name

Torque = ArrayLike | Callable[[float, NDArray, NDArray], ArrayLike] | None


@dataclass(frozen=True)
class Drive:
    """Applied joint forces.

    function : of (t, q, v); where held forces jump, it gives the value after the jump.
    values : (nv,), (steps, nv) or (steps + 1, nv) as given, or None if they are a function.
    held : (steps, nv), row k acting during step k, or None if the forces are not held over steps.
    zero : whether there are none.
    law : the function that was given, if one was.
    """

    function: Force
    values: NDArray | None = None
    held: NDArray | None = None
    zero: bool = False
    law: Callable[[float, NDArray, NDArray], ArrayLike] | None = None

    def during(self, k: int) -> Force:
        """The joint forces as step k has them: without the jump at its end."""
        if self.held is None:
            return self.function
        row = self.held[min(k, len(self.held) - 1)]
        return lambda t, q, v: row


def drive(model: Model, tau: Torque, times: NDArray) -> Drive:
    """The applied joint forces.

    Parameters
    ----------
    tau : None (zero); (nv,) constant; (steps, nv), row k held during step k; (steps + 1, nv), samples at the step times
        with straight lines between them; or a function of (t, q, v) that returns (nv,).
    times : (steps + 1,) times of the steps, s.

    Raises
    ------
    StateError, SimulationError
        If a shape is wrong or a number is not finite.
    """
    if tau is None:
        zero = np.zeros(model.nv)
        return Drive(lambda t, q, v: zero, zero, zero=True)
    if callable(tau):
        return Drive(_checked(model, tau), law=tau)
    values = model.check_v(tau, "tau")
    steps = len(times) - 1
    if values.ndim == 1:
        return Drive(lambda t, q, v: values, values)
    if values.shape == (steps, model.nv):
        return Drive(lambda t, q, v: values[_step_at(times, t)], values, held=values)
    if values.shape == (steps + 1, model.nv):
        return Drive(lambda t, q, v: _between(times, values, t), values)
    raise SimulationError(
        f"tau has shape {values.shape}; give ({model.nv},) for a constant, ({steps}, {model.nv}) held over each of the "
        f"{steps} steps, ({steps + 1}, {model.nv}) sampled at the step times, or a function of (t, q, v)"
    )


def external_drive(
    model: Model, f_ext: ExternalForces | Callable[[float, NDArray, NDArray], ExternalForces]
) -> Force | None:
    """The external forces as a function of (t, q, v) that returns (number of bodies, 6), or None."""
    if callable(f_ext):
        function = f_ext
        zero = np.zeros((len(model.bodies), 6))

        def forces(t: float, q: NDArray, v: NDArray) -> NDArray:
            rows = external_forces(model, function(t, q, v))
            return zero if rows is None else rows

        return forces
    rows = external_forces(model, f_ext)
    return None if rows is None else lambda t, q, v: rows


def _checked(model: Model, function: Callable[[float, NDArray, NDArray], ArrayLike]) -> Force:
    def tau(t: float, q: NDArray, v: NDArray) -> NDArray:
        values = np.array(function(t, q, v), dtype=float)  # a copy: the function may return the same array again
        if values.shape != (model.nv,):
            raise StateError(
                f"tau(t, q, v) returned shape {values.shape} at t = {t:.6g} s; model {model.name!r} needs ({model.nv},)"
            )
        if not np.isfinite(values).all():
            k = int(np.argmin(np.isfinite(values)))
            joint = variable_name(model, k)
            raise StateError(f"tau(t, q, v) returned {values[k]} for joint {joint} at t = {t:.6g} s")
        return values

    return tau


def _between(times: NDArray, values: NDArray, t: float) -> NDArray:
    k = _step_at(times, t)
    s = (t - times[k]) / (times[k + 1] - times[k])
    return (1.0 - s) * values[k] + s * values[k + 1]


def _step_at(times: NDArray, t: float) -> int:
    """Number of the step in which t lies; where two meet, the second one."""
    return min(max(int(np.searchsorted(times, t, side="right")) - 1, 0), len(times) - 2)
