"""Force elements in formulations that take joint forces as a function of the state."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import element_force, element_power
from rbdkit.formulations.formulation import Force
from rbdkit.formulations.joint_state import joint_state
from rbdkit.model import Model


class Placed(Protocol):
    """A system that gives poses and velocities of the bodies of a model."""

    model: Model

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray: ...
    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray: ...


def with_elements(system: Placed, tau: Force | None) -> Force | None:
    """Return a joint-force function that adds the force elements of the model to tau; tau itself if there are none."""
    model = system.model
    if not model.acting:
        return tau

    def both(t: float, x: NDArray, v: NDArray) -> NDArray:
        own = element_force(model, *joint_state(model, system.poses(x, t), system.velocities(x, v, t)), t=t)
        return own if tau is None else own + np.asarray(tau(t, x, v), dtype=float)

    return both


def stored_energy(system: Placed, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
    """Return the energy stored in force elements of the model, J; stacks allowed: (..., nx) -> (...)."""
    if not system.model.acting:
        return np.zeros(x.shape[:-1])
    q, qd = joint_state(system.model, system.poses(x, t), system.velocities(x, v, t))
    return element_power(system.model, q, qd, t=t)[0]
