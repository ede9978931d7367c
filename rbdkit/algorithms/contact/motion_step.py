"""Dense output of steps of a model's state, by displacements on its manifold (Featherstone 2008, section 11.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model


@dataclass(frozen=True, eq=False)
class MotionStep:
    """Step from (q_0, v_0) with dense output; q moves along a displacement, so quaternions stay of unit length.

    Attributes
    ----------
    model : Model
        The model.
    q_0 : ndarray (nq,)
        Coordinates at the beginning.
    v_0 : ndarray (nv,)
        Velocities at the beginning.
    h : float
        Step, s.
    w, a : ndarray (s, nv)
        Rates of the displacement and accelerations at the stages.
    b : ndarray (s, degree)
        Coefficients of delta, delta^2, ... of each, as in `DenseStep`.
    """

    model: Model
    q_0: NDArray
    v_0: NDArray
    h: float
    w: NDArray
    a: NDArray
    b: NDArray

    def at(self, delta: float) -> tuple[NDArray, NDArray]:
        """Return q and v at the fraction delta of the step (Eqs 11.46, 11.51)."""
        weights = self.h * (self.b @ delta ** np.arange(1, self.b.shape[1] + 1))
        return self.model.move(self.q_0, weights @ self.w), self.v_0 + weights @ self.a


def heun_motion(
    model: Model,
    acceleration: Callable[[NDArray, NDArray, float], NDArray],
    q: NDArray,
    v: NDArray,
    t: float,
    h: float,
) -> MotionStep:
    """Return a step of Heun's method for a model (Featherstone 2008, Eqs 11.50, 11.51), of second order on any joints.

    Parameters
    ----------
    acceleration : callable
        Acceleration qdd(q, v, t).
    q : ndarray (nq,)
        Coordinates.
    v : ndarray (nv,)
        Velocities.
    t, h : float
        Initial time and step, s.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.contact import heun_motion
    >>> model = rbd.Model("stone")
    >>> stone = model.add_body("stone", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    >>> step = heun_motion(model, lambda q, v, t: np.array([-10.0]), np.zeros(1), np.array([4.0]), 0.0, 0.2)
    >>> [part.round(9).tolist() for part in step.at(0.5)]
    [[0.35], [3.0]]
    """
    a_1 = acceleration(q, v, t)
    part = 2.0 / 3.0 * h
    v_2 = v + part * a_1
    a_2 = acceleration(model.move(q, part * v), v_2, t + part)
    return MotionStep(model, q, v, h, np.array([v, v_2]), np.array([a_1, a_2]), np.array([[1.0, -0.75], [0.0, 0.75]]))


def hermite_motion(
    model: Model, start: tuple[NDArray, NDArray, NDArray], end: tuple[NDArray, NDArray, NDArray], h: float
) -> MotionStep:
    """Return dense output for a step of any integrator: cubic displacement and velocity between two states.

    Parameters
    ----------
    start, end : tuple of ndarray
        q (nq,), v and qdd (nv,) at both ends of the step.
    h : float
        Step, s.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.contact import hermite_motion
    >>> model = rbd.Model("stone")
    >>> stone = model.add_body("stone", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    >>> ends = [tuple(np.array([x]) for x in state) for state in ((0.0, 4.0, -10.0), (0.6, 2.0, -10.0))]
    >>> float(hermite_motion(model, *ends, 0.2).at(0.5)[0][0].round(9))
    0.35
    """
    (q_0, v_0, a_0), (q_1, v_1, a_1) = start, end
    s = 1e-3 / (1.0 + float(np.abs(v_1).max(initial=0.0)))
    along = [model.difference(q_0, model.move(q_1, k * s * v_1)) for k in (-2, -1, 1, 2)]
    w_1 = (along[0] - 8.0 * along[1] + 8.0 * along[2] - along[3]) / (12.0 * s)  # rate of the displacement at the end
    b = np.array([[1.0, -2.0, 1.0], [0.0, 3.0, -2.0], [0.0, -1.0, 1.0]])
    w = np.array([v_0, model.difference(q_0, q_1) / h, w_1])
    return MotionStep(model, q_0, v_0, h, w, np.array([a_0, (v_1 - v_0) / h, a_1]), b)
