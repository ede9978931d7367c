"""A variational integrator in joint coordinates: the midpoint rule on the manifold of positions.

The discrete Lagrangian ``L_d(x_0, x_1) = h L(x_0 exp(u/2), u/h)`` takes the Lagrangian at the midpoint of the motion
``x_1 = x_0 exp(u)``. Its derivatives are the momenta at both ends of the step (Marsden and West 2001, position-momentum
form): ``p_0 = -D_1 L_d`` is solved for u, then ``p_1 = D_2 L_d`` is evaluated. A map that comes from one function L_d
like this is symplectic, also if the mass matrix depends on x; and it keeps the momenta of all symmetries that L_d has.

What a step hands on is the momentum, ``p = M(x) v``, for which the velocity of a state stands. That distinguishes it
from the implicit midpoint rule for velocities, whose energy may drift where inertia changes.

The derivatives need no derivative of L: by the equations of motion ``d/dt (M v) = dL/dx + Q``, so the forward dynamics
at the midpoint give the impulse h dp/dt there, and `_at_ends` moves momentum and half of the impulse to either node,
whose moving axes differ from those at the midpoint.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import Lagrangian
from rbdkit.integrators import newton
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve
from rbdkit.integrators.state import Stage, State

TOLERANCE = 4e-15
"""Tolerance of the residual, relative to the largest momentum or impulse: a few round-off errors."""
RELIEF = 10.0
"""Factor on the tolerance where corrections with a fixed Jacobian do not converge."""
PATIENCE = 8
"""Number of corrections with a fixed Jacobian before Newton's method computes new ones."""


class Variational(OneStep):
    """Discrete Lagrangian ``h L(x exp(u/2), u/h)`` of the displacement u between nodes; order 2, implicit, symmetric.

    In the position-momentum form (Marsden and West 2001): the state at a node stands for the momentum p = M(x) v, which
    the step maps to that of the next node. The map of (x, p) is symplectic also for a mass matrix that depends on x:
    the energy of regular motion of a conservative system fluctuates but does not drift, as long as steps resolve the
    motion (a rotation of half a radian in a step is too much). The momentum of a symmetry is conserved to round-off:
    linear and angular momentum of a floating model. Other forces, dampers among them, act with their midpoint values.

    Examples
    --------
    A satellite floats; its momentum is kept to round-off while its dish swings:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import Variational
    >>> model = rbd.library.satellite()
    >>> v = [0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 0.5]
    >>> motion = rbd.simulate(model, v0=v, duration=0.2, dt=0.01, integrator=Variational())
    >>> bool(np.ptp(rbd.momentum(model, motion.q, motion.v), axis=0).max() < 1e-9)
    True
    """

    name: ClassVar[str] = "variational"
    order: ClassVar[int] = 2
    conserves: ClassVar[tuple[str, ...]] = (
        "angular momentum",
        "linear momentum",
        "energy where inertia changes, on average",
        "the symplectic form",
    )
    requires: ClassVar[type] = Lagrangian
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for k1:  p = M(x) v is the momentum with which the step by h k1 begins\n"
        "xm = x * exp(1/2 h k1)    a1 = f(t + 1/2 h, xm, k1)",
        "x <- x * exp(h k1)\nv <- M(x)^-1 times the momentum with which the step ends",
    )

    def step(self, system: Lagrangian, state: State, h: float) -> State:
        v_m, solved = self._solve(system, state, h)
        x = system.move(state.x, h * v_m)
        _, arriving = _ends(system, state, h, v_m)
        return State(state.t + h, x, _velocities(system, x, arriving), solve=solved)

    def stages(self, system: Lagrangian, state: State, h: float) -> list[Stage]:
        v_m, _ = self._solve(system, state, h)
        t, x = state.t + 0.5 * h, system.move(state.x, 0.5 * h * v_m)
        return [Stage(t, x, v_m, v_m, system.rate(t, x, v_m))]

    @staticmethod
    def _solve(system: Lagrangian, state: State, h: float) -> tuple[NDArray, Solve]:
        """Return v_m = u / h of the step that leaves with the momentum M v, and the history of the solve."""
        vdot = system.rate(state.t, state.x, state.v)
        p, change = _momenta(system, state.x, state.v, vdot)

        def residual(v_m: NDArray) -> NDArray:
            leaving, _ = _ends(system, state, h, v_m)
            return leaving - p

        # a body at rest has no momentum to be accurate to, but an impulse
        largest = np.maximum(newton.largest(p, least=1e-300), newton.largest(h * change))
        what = f"the momentum of the step from t = {state.t:.6g} s"
        return newton.solve(
            residual, state.v + 0.5 * h * vdot, None, TOLERANCE * largest, what=what, patience=PATIENCE,
            last=state.solve, relief=RELIEF,
        )  # fmt: skip


def _ends(system: Lagrangian, state: State, h: float, v_m: NDArray) -> tuple[NDArray, NDArray]:
    """Return the momenta -D_1 L_d and D_2 L_d at the two nodes of a step, each in the moving axes of its node."""
    t, x = state.t + 0.5 * h, system.move(state.x, 0.5 * h * v_m)
    m, change = _momenta(system, x, v_m, system.rate(t, x, v_m))
    return _at_ends(system, h * v_m, m, h * change)


# --- for systems on numbers, by their matrices; a traced system has these functions itself ---------------------------


def _momenta(system: Any, x: NDArray, v: NDArray, vdot: NDArray) -> tuple[NDArray, NDArray]:
    """Return the momenta M(x) v, and their rate of change where v changes at the rate vdot."""
    if hasattr(system, "momenta"):
        return system.momenta(x, v, vdot)
    M = system.inertia(x)
    # d/dt (M v) by the product rule
    return M @ v, M @ vdot + system.inertia_slope(x, v) @ v


def _velocities(system: Any, x: NDArray, p: NDArray) -> NDArray:
    """Return the velocities v with ``M(x) v = p``."""
    return np.linalg.solve(system.inertia(x), p) if hasattr(system, "inertia") else system.velocities(x, p)


def _at_ends(system: Any, u: NDArray, m: NDArray, impulse: NDArray) -> tuple[NDArray, NDArray]:
    """Return the momenta at the two ends of the displacement u, from that at the midpoint and the impulse there.

    With A(u) the inverse right Jacobian, moving the nodes by d0 and d1 changes u by ``A(u) d1 - A(-u) d0`` and the
    middle by ``A(u/2)^-1 (A(-u/2) d0 + 1/2 du)``; the impulse has h ad_v^T M v, and h ad_v is the odd part of A(u),
    twice.
    """
    if hasattr(system, "at_ends"):
        return system.at_ends(u, m, impulse)

    def A(u: NDArray) -> NDArray:
        one = np.eye(len(u))
        return np.array([system.local_rate(u, e) for e in one]).reshape(one.shape).T

    # where velocities commute A is the identity, and the momenta are m - impulse / 2 and m + impulse / 2
    forth, back = A(u), A(-u)
    pull = np.linalg.solve(A(0.5 * u).T, impulse - (forth - back).T @ m)
    return back.T @ (m + 0.5 * pull) - A(-0.5 * u).T @ pull, forth.T @ (m + 0.5 * pull)
