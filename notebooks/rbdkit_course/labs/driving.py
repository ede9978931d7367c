"""Simulate a mechanism by a student's own forward dynamics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.simulation import Trajectory
from rbdkit_course.answers import brief, call, numbers


def moved_by(
    my_fd: Callable[..., Any], model: Model, q: ArrayLike, v: ArrayLike, duration: float = 5.0, dt: float = 5e-3
) -> Trajectory:
    """Simulate a mechanism without motors, with accelerations from a student's function.

    Parameters
    ----------
    my_fd : callable
        ``(model, q, qd, tau) -> qdd``.
    model : Model
        A model whose coordinates are angles and lengths, so that their rates are the velocities.
    q, v : array_like (nv,)
        Initial coordinates (rad and m) and velocities (rad/s and m/s).
    duration, dt : float, optional
        Duration and step of the classical Runge-Kutta method, s.

    Raises
    ------
    StateError
        If the function stops, or does not return one number for each freedom.
    """
    if model.nq != model.nv:
        raise StateError(
            f"{model.name!r} has coordinates that are not angles and lengths (nq = {model.nq}, nv = {model.nv})"
        )
    tau = np.zeros(model.nv)

    def rate(x: NDArray) -> NDArray:
        result, fault = call(my_fd, model, x[: model.nv].copy(), x[model.nv :].copy(), tau.copy())
        qdd = None if fault else numbers(result[0] if isinstance(result, tuple) else result, model.nv)
        if qdd is None:
            raise StateError(
                fault or f"your function should return {model.nv} accelerations; it returned {brief(result)}"
            )
        return np.concatenate([x[model.nv :], qdd])

    x = np.concatenate([np.asarray(q, dtype=float), np.asarray(v, dtype=float)])
    rows = [x]
    for _ in range(round(duration / dt)):
        k1 = rate(x)
        k2 = rate(x + 0.5 * dt * k1)
        k3 = rate(x + 0.5 * dt * k2)
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(x + dt * k3))
        rows.append(x)
    states = np.array(rows)
    t = dt * np.arange(len(rows))
    return Trajectory(model, t, states[:, : model.nv], states[:, model.nv :], np.zeros((len(rows), model.nv)))
