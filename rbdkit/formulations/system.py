"""Interface between formulations and integrators: equations for a state (x, v) with x on a manifold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError


@runtime_checkable
class System(Protocol):
    """First-order equations ``x' = x . v``, ``v' = rate(t, x, v)``; "." is the motion of x along the velocity v.

    Integrators know a system through these three functions only, so every integrator runs on every formulation.
    """

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        """Return the accelerations vdot at one state."""
        ...

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        """Return x moved by the displacement u, on the manifold: for one unit of time at the constant velocity u."""
        ...

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        """Return du/dt where ``move(x0, u)`` moves with velocity v (dexp^-1)."""
        ...

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        """Return the displacement u with ``move(x0, u) = x1``."""
        ...


@runtime_checkable
class Lagrangian(System, Protocol):
    """An unconstrained system with kinetic energy ``v . M(x) v / 2`` and momentum M v."""

    def inertia(self, x: NDArray) -> NDArray:
        """Return the inertia matrix M (nv, nv), symmetric and positive definite."""
        ...

    def inertia_slope(self, x: NDArray, v: NDArray) -> NDArray:
        """Return the derivative of M v by x at fixed v, (nv, nv): column k for a displacement along velocity k."""
        ...


@runtime_checkable
class Projectable(System, Protocol):
    """A system that can project a state to its constraints."""

    def project(self, x: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray]:
        """Return the state close to (x, v) that obeys the constraints on position and velocity."""
        ...


@dataclass(frozen=True)
class StiffMatrices:
    """Inertia matrix, and the derivatives K = df/dx, D = -df/dv of passive forces f, at one state.

    Parameters
    ----------
    M : ndarray (nv, nv)
        Inertia matrix.
    K, D : ndarray (nv, nv)
        Derivatives of the generalised forces f by displacements, and minus those by velocities.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.Model("door")
    >>> _ = model.add_body("door", joint=rbd.Revolute("z"), inertia=rbd.Inertia(20.0), stiffness=4.0, damping=0.5)
    >>> found = rbd.formulations.JointSystem(model).stiffness(0.0, np.zeros(1), np.zeros(1))
    >>> found.K.tolist(), found.D.tolist()
    ([[-4.0]], [[0.5]])
    """

    M: NDArray
    K: NDArray
    D: NDArray

    def increment(self, s: float, r: NDArray, u: NDArray) -> NDArray:
        """Solve ``(M + s D - s^2 K) w = M r + K u`` for w; s is a step or a part of it, s.

        Raises
        ------
        SimulationError
            If the matrix has no inverse.
        """
        return solve_stiff(self.M + s * self.D - s * s * self.K, self.M @ r + self.K @ u)


@runtime_checkable
class Stiff(System, Protocol):
    """A system with stiffness and damping matrices; a recorded one has `stiffness`, or with constraints `increment`.

    K is approximate: twists of bodies count as fixed under displacements, and changes of directions are left out. So
    methods must keep their order with any K and D.
    """

    def stiffness(self, t: float, x: NDArray, v: NDArray) -> StiffMatrices:
        """Return M, K and D at one state."""
        ...


@runtime_checkable
class VelocityLevel(Stiff, Protocol):
    """A system whose accelerations can correct constraint errors of positions and velocities.

    A recorded one with constraints has `corrected`, too.
    """

    def corrected(
        self, t: float, x: NDArray, v: NDArray, vdot: NDArray, closing: float, moving: float = 0.0
    ) -> NDArray:
        """Return the accelerations a with ``M a + J^T lambda = Q``, ``J a = J vdot - closing g + moving sigma``.

        g are the constraint errors, and sigma the velocities of prescribed joints across the constraints. Without
        constraints, a is `rate`.
        """
        ...


@runtime_checkable
class Starting(Protocol):
    """A recorded method with memory from step to step, which has to be initialised."""

    def starting(self, system: Any, times: NDArray, x: NDArray, v: NDArray) -> dict[str, NDArray]:
        """Return the initial memory by array names, computed with a readable system at the state (x, v) at times[0]."""
        ...


def solve_stiff(A: NDArray, b: NDArray) -> NDArray:
    """Solve A w = b in a linearly implicit step.

    Raises
    ------
    SimulationError
        If the matrix has no inverse.
    """
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        raise SimulationError(
            "the matrix M + h D - h^2 K of the linearly implicit step is singular: a joint moves something without "
            "inertia, or forces grow with the displacement so fast that only a shorter step will do"
        ) from None
