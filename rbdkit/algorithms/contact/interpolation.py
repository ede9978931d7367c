"""Dense output of integration steps: the polynomial that a method fits (Featherstone 2008, section 11.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError


@dataclass(frozen=True, eq=False)
class DenseStep:
    """Integration step with dense output: y(delta) = y_0 + h sum of b_i(delta) k_i, delta from 0 to 1.

    Attributes
    ----------
    y_0 : ndarray (n,)
        State at the beginning of the step.
    h : float
        Step, s.
    k : ndarray (s, n)
        Rates of the stages.
    b : ndarray (s, degree)
        Coefficients of delta, delta^2, ... of each b_i; Eq 11.45 calls b_i' p.
    """

    y_0: NDArray
    h: float
    k: NDArray
    b: NDArray

    def at(self, delta: float) -> NDArray:
        """Return y (n,) at the fraction delta of the step (Eqs 11.46, 11.49, 11.51)."""
        powers = delta ** np.arange(1, self.b.shape[1] + 1)
        return self.y_0 + self.h * (self.b @ powers) @ self.k


def euler_step(f: Callable[[NDArray, float], NDArray], y_0: NDArray, t_0: float, h: float) -> DenseStep:
    """Return a step of Euler's method (Featherstone 2008, Eqs 11.47, 11.49).

    Parameters
    ----------
    f : callable
        Rate f(y, t).
    y_0 : ndarray (n,)
        State at the beginning of the step.
    t_0, h : float
        Initial time and step, s.
    """
    return DenseStep(y_0, h, np.array([f(y_0, t_0)]), np.array([[1.0]]))


def heun_step(f: Callable[[NDArray, float], NDArray], y_0: NDArray, t_0: float, h: float) -> DenseStep:
    """Return a step of Heun's method of second order (Featherstone 2008, Eqs 11.50, 11.51).

    Parameters
    ----------
    f : callable
        Rate f(y, t).
    y_0 : ndarray (n,)
        State at the beginning of the step.
    t_0, h : float
        Initial time and step, s.
    """
    k_1 = f(y_0, t_0)
    k_2 = f(y_0 + 2.0 / 3.0 * h * k_1, t_0 + 2.0 / 3.0 * h)
    return DenseStep(y_0, h, np.array([k_1, k_2]), np.array([[1.0, -0.75], [0.0, 0.75]]))


def polynomial_step(y_0: NDArray, h: float, places: ArrayLike, k: NDArray) -> DenseStep:
    """Return the step whose rate is the polynomial through given rates (Featherstone 2008, Eqs 11.45, 11.46).

    Parameters
    ----------
    y_0 : ndarray (n,)
        State at the beginning of the step.
    h : float
        Step, s.
    places : array_like (s,)
        Fractions of the step at which the rates were taken; all different.
    k : ndarray (s, n)
        Rates at these fractions.

    Raises
    ------
    StateError
        If places and rates do not fit, or two places are the same.
    """
    c = np.asarray(places, dtype=float)
    if c.ndim != 1 or len(c) != len(k) or len(set(c.tolist())) != len(c):
        raise StateError(f"{c.shape} places for {len(k)} rates: there must be one for each, all different")
    powers = np.arange(len(c))
    lagrange = np.linalg.inv(c[:, None] ** powers)  # row j: coefficients of delta^j of the polynomials that pick a rate
    return DenseStep(y_0, h, np.asarray(k, dtype=float), (lagrange / (powers[:, None] + 1.0)).T)
