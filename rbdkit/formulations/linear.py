"""Linear systems, and linearisation of any system about one of its states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.system import System


class LinearSystem:
    """The linear system ``x' = v``, ``v' = K x + C v`` on a vector space.

    Parameters
    ----------
    K, C : ndarray (n, n)
        Matrices, 1/s2 and 1/s.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.formulations import LinearSystem
    >>> oscillator = LinearSystem(K=np.array([[-4.0]]), C=np.zeros((1, 1)))
    >>> oscillator.rate(0.0, np.array([0.5]), np.array([0.0])).tolist()
    [-2.0]
    """

    def __init__(self, K: NDArray, C: NDArray) -> None:
        self.K = K
        self.C = C

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        return self.K @ x + self.C @ v

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        return x + u

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        return v

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return x1 - x0

    def inertia(self, x: NDArray) -> NDArray:
        return np.eye(len(x))

    def inertia_slope(self, x: NDArray, v: NDArray) -> NDArray:
        return np.zeros((len(x), len(x)))

    @property
    def matrix(self) -> NDArray:
        """Matrix of the first-order system in (x, v), shape (2n, 2n)."""
        n = len(self.K)
        matrix = np.eye(2 * n, k=n)
        matrix[n:, :n], matrix[n:, n:] = self.K, self.C
        return matrix


class TangentSystem(LinearSystem):
    """Matrix-free linearisation of a system about a state: products are central differences of its rate.

    A product takes two evaluations, whatever the number of variables.

    Parameters
    ----------
    system : System
        The system to linearise.
    t : float
        Time, s.
    x, v : ndarray
        The state.
    step : float, optional
        Step of the differences, as a displacement in rad or m.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import JointSystem, TangentSystem
    >>> hanging = TangentSystem(JointSystem(rbd.library.pendulum()), 0.0, np.zeros(1), np.zeros(1))
    >>> float(hanging.rate(0.0, np.array([1.0]), np.array([0.0]))[0].round(3))
    -14.705
    """

    def __init__(self, system: System, t: float, x: NDArray, v: NDArray, step: float = 1e-6) -> None:
        self._system, self._state, self._step = system, (t, x, v), step
        self._speed = max(1.0, float(np.max(np.abs(v), initial=0.0)))

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        largest = max(float(np.max(np.abs(x), initial=0.0)), float(np.max(np.abs(v), initial=0.0)) / self._speed)
        if largest == 0.0:
            return np.zeros_like(v)
        # the same displacement whatever the size of x and v, as products are linear in them and differences are not
        s, (at, x0, v0), system = self._step / largest, self._state, self._system
        forth = system.rate(at, system.move(x0, s * x), v0 + s * v)
        return (forth - system.rate(at, system.move(x0, -s * x), v0 - s * v)) / (2.0 * s)


def linearize(system: System, t: float, x: NDArray, v: NDArray, step: float = 1e-6) -> LinearSystem:
    """Linearise a system about a state, by central differences of its rate.

    Parameters
    ----------
    system : System
        The system to linearise.
    t : float
        Time, s.
    x, v : ndarray
        The state.
    step : float, optional
        Step of the differences, as a displacement in rad or m.

    Returns
    -------
    LinearSystem

    Examples
    --------
    How fast does a hanging pendulum swing? As fast as `rbdkit.library.small_swing_period` says:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import JointSystem, linearize
    >>> model = rbd.library.pendulum()
    >>> near = linearize(JointSystem(model), 0.0, np.zeros(1), np.zeros(1))
    >>> period = 2 * np.pi / np.sqrt(-near.K[0, 0])
    >>> float(period.round(6)) == round(rbd.library.small_swing_period(model), 6)
    True
    """
    n = len(v)
    K, C = np.empty((n, n)), np.empty((n, n))
    for k in range(n):
        e = np.zeros(n)
        e[k] = step
        K[:, k] = (system.rate(t, system.move(x, e), v) - system.rate(t, system.move(x, -e), v)) / (2.0 * step)
        # of a fast coordinate a step of fixed size would drown in round-off
        e[k] = step * max(1.0, abs(v[k]))
        C[:, k] = (system.rate(t, x, v + e) - system.rate(t, x, v - e)) / (2.0 * e[k])
    return LinearSystem(K, C)
