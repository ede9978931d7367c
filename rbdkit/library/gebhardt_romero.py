"""The three cases of Gebhardt and Romero, "The rotating rigid body model based on a non-twisting frame", section 6."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints import Spherical
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import numbers

INERTIA = np.array([[3.0, -1.0 / 7.0, 0.0], [-1.0 / 7.0, 4.0, 0.0], [0.0, 0.0, 5.0]])
"""Convected inertia of all three cases, kg m2 (Eq 111)."""


@ready
def fixed_point_model(inertia: ArrayLike = INERTIA, name: str = "body with a fixed point") -> Model:
    """One body on a spherical joint at its centre of mass, without gravity; the frame "d3" is the tip of its director.

    Parameters
    ----------
    inertia : array_like (3, 3), optional
        Body axes, kg m2.
    name : str, optional
        Of the model.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.fixed_point_model()
    >>> rbd.forward_kinematics(model, model.neutral()).pose("d3")[:3, 3].tolist()
    [0.0, 0.0, 1.0]
    """
    J = numbers(inertia, (3, 3), "fixed_point_model: inertia = {} must be a matrix (kg m2)".format)
    model = Model(name, gravity=(0.0, 0.0, 0.0))
    second_moments = np.diagonal(0.5 * np.trace(J) * np.eye(3) - J)
    size = 1.1 * np.sqrt(np.maximum(second_moments, 1e-6) / np.max(second_moments))
    shapes = (
        Geometry(Box(tuple(size))),
        Geometry(Capsule(0.03, 1.0), se3.pose(position=[0.0, 0.0, 0.5])),  # d3
    )
    model.add_body("body", joint=Spherical(), inertia=Inertia(1.0, inertia_com=J), geometry=shapes)
    model.add_frame("d3", "body", (0.0, 0.0, 1.0))
    return model


@dataclass(frozen=True)
class Case:
    """One of the cases: an ordinary model, its initial state, and the moment that acts.

    Attributes
    ----------
    name : str
        'case 1', ...
    W0 : tuple
        (3,) initial angular velocity, body axes, rad/s.
    moment : tuple
        (3,) N m, the largest moment along the directors; it acts times `pulse`.
    duration, step : float
        s, as in the paper.
    """

    name: str
    W0: tuple[float, float, float]
    moment: tuple[float, float, float]
    duration: float = 5.0
    step: float = 0.005

    @cached_property
    def model(self) -> Model:
        return fixed_point_model(name=f"Gebhardt and Romero, {self.name}")

    @property
    def q0(self) -> NDArray:
        return self.model.neutral()

    @property
    def v0(self) -> NDArray:
        return np.array(self.W0)

    def tau(self, t: float, q: object = None, v: object = None) -> NDArray:
        """The moment at a time, along the directors, N m (Eqs 113, 115, 118)."""
        return pulse(t) * np.array(self.moment)

    def samples(self, step: float) -> NDArray | None:
        """The moment at the times of steps, (steps + 1, 3), as `simulate` takes it; None without a moment.

        Straight lines between the samples are the moment itself if the corners of the pulse are among the times.
        """
        if not any(self.moment):
            return None
        times = step * np.arange(round(self.duration / step) + 1)
        return np.array([self.tau(t) for t in times])

    def momentum(self, t: float) -> NDArray:
        """Pi (3,), the momentum along the directors of the body without twist: Pi(0) plus the moment's integral."""
        return INERTIA @ self.v0 + impulse(t) * np.array(self.moment)

    def kinetic_energy(self, t: float) -> float:
        """K of the body without twist, J, in closed form: 1/2 Pi . J^-1 Pi."""
        Pi = self.momentum(t)
        return float(0.5 * Pi @ np.linalg.solve(INERTIA, Pi))


def pulse(t: float) -> float:
    """The triangle f(t): up from 0 to 1 in half a second, down in the next (Eq 116)."""
    return max(0.0, 1.0 - abs(2.0 * t - 1.0))


def impulse(t: float) -> float:
    """Integral of `pulse` from 0 to t, s."""
    if t < 0.5:
        return t * t
    return 0.5 - (1.0 - t) ** 2 if t < 1.0 else 0.5


CASES = (
    Case("case 1", (6.0, -18.0, 0.0), (0.0, 0.0, 0.0)),  # Eqs 112, 113
    Case("case 2", (0.0, 0.0, 0.0), (-2472.5, -1075.0, 0.0)),  # Eqs 114, 115
    Case("case 3", (1.5, 4.5, 0.0), (-1236.25, -537.5, 0.0)),  # Eqs 117, 118
)
