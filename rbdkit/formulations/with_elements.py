"""Force elements in formulations that take the forces of joints as a function of their states."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import element_force, element_power
from rbdkit.formulations.formulation import Force
from rbdkit.formulations.joint_state import joint_state
from rbdkit.model import Model


class Placed(Protocol):
    """What knows where the bodies of a model are."""

    model: Model

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray: ...
    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray: ...


def with_elements(system: Placed, tau: Force | None) -> Force | None:
    """The joint forces of a function, and what the force elements of the model do along the joints."""
    model = system.model
    if not model.acting:
        return tau

    def both(t: float, x: NDArray, v: NDArray) -> NDArray:
        own = element_force(model, *joint_state(model, system.poses(x, t), system.velocities(x, v, t)), t=t)
        return own if tau is None else own + np.asarray(tau(t, x, v), dtype=float)

    return both


def stored_energy(system: Placed, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
    """Energy in the force elements of the model, J; stacks allowed: (..., nx) -> (...)."""
    if not system.model.acting:
        return np.zeros(x.shape[:-1])
    q, qd = joint_state(system.model, system.poses(x, t), system.velocities(x, v, t))
    return element_power(system.model, q, qd, t=t)[0]
