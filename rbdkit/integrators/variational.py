"""A variational integrator in joint coordinates: the midpoint rule on the manifold of positions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError
from rbdkit.formulations import Lagrangian
from rbdkit.integrators import newton
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve
from rbdkit.integrators.state import Stage, State
from rbdkit.trace import Index, Moment, Newton, Part, Record, maximum, newton_arrays, select

TOLERANCE = 4e-15
"""Of Newton's method, as a share of the largest momentum or impulse: some roundings."""
RELIEF = 10.0
"""Of that tolerance where corrections with an old Jacobian do not lead there."""
PATIENCE = 8
"""Corrections with an old Jacobian before Newton's method takes new ones."""

MOMENTA = ("momentum", "momentum_rate", "momentum_middle", "impulse", "momentum_before", "momentum_after")
"""Arrays of recorded steps."""


class Variational(OneStep):
    """Discrete Lagrangian ``h L(x exp(u/2), u/h)`` of the displacement u between nodes; order 2, implicit, symmetric.

    In the position-momentum form (Marsden and West 2001): the state at a node stands for the momentum p = M(x) v, which
    the step takes to that of the next node. The map of (x, p) is symplectic whatever the mass matrix does: the energy
    of regular motion of a conservative system wavers but does not drift, as long as steps resolve the motion (a turn of
    half a radian a step is too much). A symmetry of the model keeps its momentum to round-off: a model that floats
    freely its linear and angular momentum. Other forces, dampers among them, act with their value in the middle.

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
    shared = frozenset({"sides"})
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
        step = _Step(system, state, h)
        v_m, solved, jacobian = step.solve()
        x = system.move(state.x, h * v_m)
        v = np.linalg.solve(system.inertia(x), step.momenta(v_m)[1])
        return State(state.t + h, x, v, jacobian, solved)

    def stages(self, system: Lagrangian, state: State, h: float) -> list[Stage]:
        step = _Step(system, state, h)
        v_m, *_ = step.solve()
        x = step.middle(v_m)
        return [Stage(step.t, x, v_m, v_m, system.rate(step.t, x, v_m))]

    @staticmethod
    def record(system: Any, n: Index) -> None:
        """The same step on the arrays of a program, of a system with `momenta`, `velocities` and `at_ends`."""
        program, (first, size) = system.program, system.solved_together
        start, middle = Moment(program, n, 0), Moment(program, n, 1)
        x, v, u, x_middle, v_rate = (Part(name) for name in ("x", "v", "u", "x_middle", "v_rate"))
        p, unused, m, impulse, p_0, p_1 = (Part(name) for name in MOMENTA)

        def residual(z: Part, result: Part) -> None:
            for k in system.freedoms():
                u.store(program, k, 0.5 * middle.h * z.load(program, k))
            system.move(x, u, x_middle)
            system.rate(middle, x_middle, z, v_rate)
            system.momenta(x_middle, z, v_rate, m, impulse)
            for k in system.freedoms():
                u.store(program, k, middle.h * z.load(program, k))
                impulse.store(program, k, middle.h * impulse.load(program, k))
            system.at_ends(u, m, impulse, p_0, p_1)
            for k in system.freedoms():
                result.store(program, k, p_0.load(program, k) - p.load(program, k))

        system.rate(start, x, v, v_rate)
        system.momenta(x, v_rate, v_rate, m, unused)
        system.momenta(x, v, v_rate, p, unused)
        program.store("tolerance", 0, 0, 1e-300)
        for k in system.freedoms():
            program.store("guess", k, 0, v.load(program, k) + 0.5 * start.h * v_rate.load(program, k))
            largest = maximum(abs(p.load(program, k)), abs(start.h * m.load(program, k)))
            program.store("tolerance", 0, 0, maximum(program.load("tolerance", 0), TOLERANCE * largest))
        newton = Newton(program, first, size, residual, PATIENCE, relief=RELIEF)
        newton.solve()
        residual(Part("unknowns"), Part("residual"))  # leaves u and the momentum of the end
        system.move(x, u, Part("x_new"))
        system.velocities(Part("x_new"), p_1, Part("v_new"))
        for k in system.freedoms():
            v_new = Part("v_new")
            v_new.store(program, k, select(newton.failed, np.inf, v_new.load(program, k)))

    @property
    def written_out(self) -> Record:
        """The same; see `rbdkit.trace.Recordable`."""
        return self.record

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        room = {"x_middle": np.zeros(nx), **{name: np.zeros(nv) for name in ("u", "v_rate", *MOMENTA)}}
        return {"c": np.array([0.0, 0.5]), **room, **newton_arrays(nv)}


class _Step:
    """The equations of one step, for the velocity v_m = u / h."""

    def __init__(self, system: Lagrangian, state: State, h: float) -> None:
        self.system, self.state, self.h, self.t = system, state, h, state.t + 0.5 * h
        self.one = np.eye(len(state.v))
        M = system.inertia(state.x)
        self.p, self.rate = M @ state.v, system.rate(state.t, state.x, state.v)
        largest = np.abs([self.p, h * M @ self.rate]).max(initial=0.0)
        self.scale = max(float(largest), 1e-300)  # of momenta and impulses

    def middle(self, v_m: NDArray) -> NDArray:
        return self.system.move(self.state.x, 0.5 * self.h * v_m)

    def momenta(self, v_m: NDArray) -> tuple[NDArray, NDArray]:
        """The momenta -D_1 L_d and D_2 L_d at the two nodes, in the axes that move along with each.

        With A(u) the inverse right Jacobian, moving the nodes by d0 and d1 changes u by ``A(u) d1 - A(-u) d0`` and the
        middle by ``A(u/2)^-1 (A(-u/2) d0 + 1/2 du)``.
        """
        u, x = self.h * v_m, self.middle(v_m)
        M = self.system.inertia(x)
        m = M @ v_m
        forth, back = self._inverse_jacobian(u), self._inverse_jacobian(-u)
        # dL/dx with all other forces: d/dt (M v) = ad_v^T M v + dL/dx, and h ad_v is the odd part of A(u), twice
        change = M @ self.system.rate(self.t, x, v_m) + self.system.inertia_slope(x, v_m) @ v_m
        pull = np.linalg.solve(self._inverse_jacobian(0.5 * u).T, self.h * change - (forth - back).T @ m)
        p_0 = back.T @ (m + 0.5 * pull) - self._inverse_jacobian(-0.5 * u).T @ pull
        return p_0, forth.T @ (m + 0.5 * pull)

    def _inverse_jacobian(self, u: NDArray) -> NDArray:
        return np.array([self.system.local_rate(u, e) for e in self.one]).reshape(self.one.shape).T

    def solve(self) -> tuple[NDArray, Solve, NDArray | None]:
        """v_m, how it was found, and the Jacobian that served: that of an earlier step as long as it leads there."""
        v, memory = self.state.v, self.state.memory
        guess = v + 0.5 * self.h * self.rate

        def residual(v_m: NDArray) -> NDArray:
            return (self.momenta(v_m)[0] - self.p) / self.scale

        try:
            jacobian = newton.differences(residual, guess) if memory is None else memory / self.scale
            found = newton.solve(residual, guess, lambda _: jacobian, TOLERANCE, PATIENCE)
            return *found, jacobian * self.scale
        except (ConvergenceError, FloatingPointError):
            what = f"the momentum of the step from t = {self.state.t:.6g} s"
            return *newton.solve(residual, guess, tolerance=RELIEF * TOLERANCE, what=what), None
