"""What a formulation hands to an integrator: equations on a state (x, v) with x on a manifold."""

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
        """vdot at one state."""
        ...

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        """x moved by the displacement u: along the constant velocity u for one unit of time. Stays on the manifold."""
        ...

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        """du/dt where ``move(x0, u)`` moves with velocity v."""
        ...

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        """The u with ``move(x0, u) = x1``."""
        ...


@runtime_checkable
class Lagrangian(System, Protocol):
    """A system with the kinetic energy ``v . M(x) v / 2`` and no constraints, which knows its momentum M v."""

    def inertia(self, x: NDArray) -> NDArray:
        """M (nv, nv), symmetric and positive."""
        ...

    def inertia_slope(self, x: NDArray, v: NDArray) -> NDArray:
        """How M v changes with x while the numbers v stay, (nv, nv): column k where x moves along the k-th velocity."""
        ...


@runtime_checkable
class Projectable(System, Protocol):
    """A system with constraints that can move a state to where they hold."""

    def project(self, x: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray]:
        """The state close to (x, v) that obeys the constraints on position and velocity."""
        ...


@dataclass(frozen=True)
class StiffMatrices:
    """At one state: the inertia matrix, and K = df/dx, D = -df/dv of what acts by itself, along the velocities.

    Parameters
    ----------
    M : ndarray (nv, nv)
        Inertia matrix.
    K, D : ndarray (nv, nv)
        Slopes of the forces f, by displacements and by velocities.

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
        """The w with ``(M + s D - s^2 K) w = M r + K u``, for a step or a part of it of s seconds.

        Raises
        ------
        SimulationError
            If the matrix has no inverse.
        """
        return solve_stiff(self.M + s * self.D - s * s * self.K, self.M @ r + self.K @ u)


@runtime_checkable
class Stiff(System, Protocol):
    """A system that knows how stiff it is; a recorded one has `stiffness`, or with constraints `increment`.

    K is that of displacements that leave the twists of bodies alone, and leaves out what changes of directions. Methods
    must keep their order with any K and D.
    """

    def stiffness(self, t: float, x: NDArray, v: NDArray) -> StiffMatrices:
        """M, K and D at one state."""
        ...


@runtime_checkable
class VelocityLevel(Stiff, Protocol):
    """A system whose accelerations can be those that make up for what is wrong with positions and velocities.

    A recorded one that has constraints has `corrected`, too.
    """

    def corrected(
        self, t: float, x: NDArray, v: NDArray, vdot: NDArray, closing: float, moving: float = 0.0
    ) -> NDArray:
        """The accelerations a of ``M a + J^T lambda = Q`` under ``J a = J vdot - closing g + moving sigma``.

        With gaps g, and the velocities sigma that time alone makes across the constraints. Without constraints, `rate`.
        """
        ...


@runtime_checkable
class Starting(Protocol):
    """A recorded method that carries more than the state from step to step, which it has to begin with."""

    def starting(self, system: Any, times: NDArray, x: NDArray, v: NDArray) -> dict[str, NDArray]:
        """That, by the names of its arrays, found by the readable form of a system at the state (x, v) at times[0]."""
        ...


def solve_stiff(A: NDArray, b: NDArray) -> NDArray:
    """A^-1 b of a linearly implicit step.

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
