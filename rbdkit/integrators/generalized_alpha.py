"""The generalized-alpha method on Lie groups, for constrained systems in their index-3 form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations import Holding, System
from rbdkit.formulations.constrained import ConstrainedSystem
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import solve
from rbdkit.integrators.rk4 import RK4
from rbdkit.integrators.state import Stage, State
from rbdkit.model.names import listed
from rbdkit.trace import Index, Moment, Newton, Part, Record, maximum, newton_arrays, select

TOLERANCE = 1e-12
"""Of Newton's method: constraints in rad and m, forces as a fraction of the largest."""
CLOSED = 1e-14
"""Of the compiled steps: what another correction would change of positions, as a share of the largest or of 1."""
QUICK = 10
"""So many corrections with the simple Jacobian are tried before the full one is computed by differences."""


@dataclass(frozen=True, eq=False)
class Memory:
    """What the method carries along: accelerations, the same averaged, and multipliers (minus the reactions)."""

    vdot: NDArray
    a: NDArray | None
    multipliers: NDArray


class GeneralizedAlpha(OneStep):
    """Order 2, implicit, with numerical damping that is chosen; constraints hold at the end of every step.

    After Bruels, Cardona and Arnold (2012). The motion moves along ``x_1 = x_0 exp(u)``; the equations of motion and
    g(x_1) = 0 are solved together for accelerations and multipliers, with a Jacobian of masses and constraints alone,
    which is quick; where that does not converge, with the full one.

    Parameters
    ----------
    rho : float, optional
        Spectral radius at infinite frequency, from 0 (what is faster than the step is damped out at once) to 1 (no
        damping).

    Raises
    ------
    SimulationError
        If rho is not from 0 to 1.

    Examples
    --------
    A linkage that is closed to round-off at the end of every step:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import GeneralizedAlpha
    >>> model = rbd.library.planar_four_bar()
    >>> motion = rbd.simulate(model, duration=0.05, dt=0.005, formulation="se3", integrator=GeneralizedAlpha(rho=0.8))
    >>> bool(motion.report.constraint_error < 1e-9)
    True
    """

    name = "generalized_alpha"
    order = 2
    conserves: ClassVar[tuple[str, ...]] = ("constraints",)
    requires: ClassVar[type] = ConstrainedSystem
    shared = frozenset({"sides", "alpha"})
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for vdot1, lambda:  M vdot1 + J^T lambda = Q(t + h, x1, v1),  g(x1) = 0\n"
        "(1 - alpha_m) a1 + alpha_m a = (1 - alpha_f) vdot1 + alpha_f vdot",
        "x <- x * exp(h v + h^2 ((1/2 - beta) a + beta a1))\nv <- v + h ((1 - gamma) a + gamma a1)",
    )

    def __init__(self, rho: float = 0.9) -> None:
        if not 0.0 <= rho <= 1.0:
            raise SimulationError(f"rho = {rho} of the generalized-alpha method must lie from 0 to 1")
        self.rho = rho
        self.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0)
        self.alpha_f = rho / (rho + 1.0)
        self.gamma = 0.5 + self.alpha_f - self.alpha_m
        self.beta = 0.25 * (self.gamma + 0.5) ** 2

    def init(self, system: System, t: float, x: NDArray, v: NDArray) -> State:
        assert isinstance(system, ConstrainedSystem)
        if isinstance(system, Holding) and (names := system.nonholonomic):
            raise SimulationError(
                f"integrator {self.name!r} steps positions, of which {listed(names)} say(s) nothing: constraints on "
                "velocities alone need another one, 'rk4' or 'rk4_projected'"
            )
        vdot, multipliers = system.index1(t, x, v).solve()
        return State(t, x, v, Memory(vdot, None, multipliers))

    def step(self, system: System, state: State, h: float) -> State:
        assert isinstance(system, ConstrainedSystem)
        step = _Step(self, system, state, h)
        what = f"the step from t = {state.t:g} s"
        try:
            z, how = solve(step.residual, step.guess, step.jacobian, TOLERANCE, QUICK, what)
        except ConvergenceError:  # stiff springs, or a long step: all derivatives are needed
            z, how = solve(step.residual, step.guess, None, TOLERANCE, what=what)
        x, v, a = step.end(z[: step.n])
        return State(step.t, x, v, Memory(z[: step.n], a, step.basis @ z[step.n :]), how)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        end = self.step(system, state, h)
        u_rate = system.displacement(state.x, end.x) / h
        return [Stage(end.t, end.x, end.v, u_rate, end.memory.vdot)]

    def starting(self, system: ConstrainedSystem, times: NDArray, x: NDArray, v: NDArray) -> dict[str, NDArray]:
        """Accelerations to begin with, and the averaged ones; see `rbdkit.formulations.system.Starting`."""
        first = _Step(self, system, self.init(system, float(times[0]), x, v), float(times[1] - times[0]))
        return {"vdot": np.array(first.vdot), "a": np.array(first.a)}

    @staticmethod
    def record(system: Any, n: Index) -> None:
        """The same step on the arrays of a program, without matrices.

        With M and J of the last iterate a correction gives the accelerations of the equations of motion there, under
        constraints that ask for those of the iterate less what closes the gaps: the recursion of `system.corrected`.
        The multipliers need not be known. Residuals are what a correction changes of positions; in a short step that
        is little, whatever the accelerations, so at least one is made.
        """
        program, (first, size), end = system.program, system.solved_together, Moment(system.program, n, 0)
        x, v, u, x_end, v_end, a_end, vdot, a, better = (
            Part(name) for name in ("x", "v", "u", "x_end", "v_end", "a_end", "vdot", "a", "better")
        )
        unknowns, slope = Part("unknowns"), Part("slope")
        for k in system.freedoms():
            program.store("guess", k, 0, vdot.load(program, k))
        with program.loop(0, 1):
            alpha_m, alpha_f, _, beta = (program.load("alpha", 0, k) for k in range(4))
            du_dvdot = end.h * end.h * beta * ((1.0 - alpha_f) / (1.0 - alpha_m))
            slope.store(program, 0, du_dvdot)
            program.store("closing", 0, 0, 1.0 / du_dvdot)
            program.store("tolerance", 0, 0, CLOSED)
        for k in system.coordinates():
            program.store("tolerance", 0, 0, maximum(program.load("tolerance", 0), CLOSED * abs(x.load(program, k))))

        def go_to_end(z: Part) -> None:
            for k in system.freedoms():
                alpha_m, alpha_f, gamma, beta = (program.load("alpha", 0, j) for j in range(4))
                h, a_0, v_0 = end.h, a.load(program, k), v.load(program, k)
                a_1 = (1.0 - alpha_f) * z.load(program, k) + alpha_f * vdot.load(program, k) - alpha_m * a_0
                a_1 = a_1 / (1.0 - alpha_m)
                a_end.store(program, k, a_1)
                u.store(program, k, h * (v_0 + h * ((0.5 - beta) * a_0 + beta * a_1)))
                v_end.store(program, k, v_0 + h * ((1.0 - gamma) * a_0 + gamma * a_1))
            system.move(x, u, x_end)

        def residual(z: Part, result: Part) -> None:
            go_to_end(z)
            system.corrected(end, x_end, v_end, z, better)
            for k in system.freedoms():
                change = z.load(program, k) - better.load(program, k)
                result.store(program, k, slope.load(program, 0) * change)

        newton = Newton(program, first, size, residual, QUICK, slope=slope, least=1)
        newton.solve()
        go_to_end(unknowns)
        for k in system.coordinates():
            program.store("x_new", k, 0, x_end.load(program, k))
        for k in system.freedoms():
            program.store("v_new", k, 0, select(newton.failed, np.inf, v_end.load(program, k)))
            vdot.store(program, k, unknowns.load(program, k))
            a.store(program, k, a_end.load(program, k))

    @property
    def written_out(self) -> Record:
        """The same; see `rbdkit.trace.Recordable`."""
        return self.record

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        return {
            "c": np.ones(1),
            "alpha": np.array([self.alpha_m, self.alpha_f, self.gamma, self.beta]),
            "slope": np.zeros(1),
            "x_end": np.zeros(nx),
            **{name: np.zeros(nv) for name in ("u", "v_end", "a_end", "vdot", "a", "better")},
            **newton_arrays(nv),
        }


class _Step:
    """The equations of one step; unknown are vdot (n,) and the multipliers of independent constraints."""

    def __init__(self, method: GeneralizedAlpha, system: ConstrainedSystem, state: State, h: float) -> None:
        self.method, self.system, self.state, self.h = method, system, state, h
        self.t, self.n = state.t + h, len(state.v)
        memory: Memory = state.memory
        self.vdot = memory.vdot
        self.a = self._averaged_acceleration() if memory.a is None else memory.a
        here = system.index1(state.t, state.x, state.v)
        self.basis = here.independent_rows
        self.force = float(max(np.abs(here.Q).max(), np.abs(here.M @ self.vdot).max(), 1e-9))
        self.guess = np.concatenate([self.vdot, self.basis.T @ memory.multipliers])
        average = (1.0 - method.alpha_f) / (1.0 - method.alpha_m)
        self.du_dvdot = h * h * method.beta * average

    def _averaged_acceleration(self) -> NDArray:
        """a stands for vdot a little later or earlier: from there the first step has order 2 in the multipliers too."""
        shift = (self.method.alpha_m - self.method.alpha_f) * self.h
        there = RK4().step(self.system, self.state, shift)
        return self.system.rate(there.t, there.x, there.v)

    def end(self, vdot: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """x, v and a at the end of the step."""
        m, h, v0 = self.method, self.h, self.state.v
        a = ((1.0 - m.alpha_f) * vdot + m.alpha_f * self.vdot - m.alpha_m * self.a) / (1.0 - m.alpha_m)
        u = h * (v0 + h * ((0.5 - m.beta) * self.a + m.beta * a))
        return self.system.move(self.state.x, u), v0 + h * ((1.0 - m.gamma) * self.a + m.gamma * a), a

    def residual(self, z: NDArray) -> NDArray:
        vdot, mu = z[: self.n], z[self.n :]
        try:
            x, v, _ = self.end(vdot)
        except FloatingPointError:
            return np.full_like(z, np.nan)
        e = self._equations = self.system.index1(self.t, x, v)
        balance = e.M @ vdot + e.J.T @ (self.basis @ mu) - e.Q
        return np.concatenate([balance / self.force, self.basis.T @ self.system.constraint_error(x, self.t)])

    def jacobian(self, z: NDArray) -> NDArray:
        """Without the change of forces and directions over a correction: convergence is linear, its rate of order h."""
        e = self._equations
        J = self.basis.T @ e.J
        A = np.zeros((len(z), len(z)))
        A[: self.n, : self.n], A[: self.n, self.n :] = e.M / self.force, J.T / self.force
        A[self.n :, : self.n] = J * self.du_dvdot
        return A
