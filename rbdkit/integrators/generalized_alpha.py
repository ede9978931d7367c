"""The generalized-alpha method on Lie groups, for constrained systems in their index-3 form.

Newmark's method integrates velocities and positions with a quadrature of the accelerations. Generalized-alpha (Chung
and Hulbert 1993) puts averaged accelerations a in place of vdot, with a recurrence
``(1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) vdot_1 + alpha_f vdot_0``: frequencies that steps do not resolve are
damped, by the spectral radius rho, while the order remains 2. Constraints on positions that are not differentiated
(index 3) need such damping: without it, errors of the multipliers oscillate and do not decay. On Lie groups positions
move along an exponential, ``x_1 = x_0 exp(u)`` (Bruels, Cardona and Arnold 2012); the rest is as in vector spaces.

The unknown of a step is vdot at its end. A correction evaluates the constrained equations of motion at the last
iterate, with accelerations that close its position errors, so its Jacobian is nearly a multiple of the identity, see
`GeneralizedAlpha`.
"""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.formulations import Holding, System
from rbdkit.formulations.constrained import ConstrainedSystem
from rbdkit.integrators import newton
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.rk4 import RK4
from rbdkit.integrators.state import Stage, State
from rbdkit.model.names import listed

CLOSED = 1e-14
"""Tolerance of a step: largest change of positions by another correction, relative to the largest position or to 1."""
QUICK = 10
"""Number of corrections with the approximate Jacobian before the full one is computed by differences."""


class GeneralizedAlpha(OneStep):
    """Order 2, implicit, with adjustable numerical damping; constraints hold at the end of every step.

    After Bruels, Cardona and Arnold (2012). A step goes to ``x_1 = x_0 exp(u)``, where g(x_1) = 0 and the equations of
    motion hold. A correction uses M and J of the last iterate: it solves the equations of motion there, under
    constraints on the accelerations that close the position errors; multipliers are eliminated. If that does not
    converge, Newton's method with all derivatives follows. The residual is the change of positions by a correction. In
    a short step it is small whatever the accelerations are, so at least one correction is made.

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
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for vdot1, lambda:  M vdot1 + J^T lambda = Q(t + h, x1, v1),  g(x1) = 0\n"
        "(1 - alpha_m) a1 + alpha_m a = (1 - alpha_f) vdot1 + alpha_f vdot",
        "x <- x * exp(h v + h^2 ((1/2 - beta) a + beta a1))\nv <- v + h ((1 - gamma) a + gamma a1)",
    )

    def __init__(self, rho: float = 0.9) -> None:
        if not 0.0 <= rho <= 1.0:
            raise SimulationError(f"rho = {rho} of the generalized-alpha method must lie from 0 to 1")
        self.rho = rho
        # Chung and Hulbert (1993): rho determines both; gamma gives order 2, and beta damps high frequencies most
        self.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0)
        self.alpha_f = rho / (rho + 1.0)
        self.share = (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
        self.gamma = 0.5 + self.alpha_f - self.alpha_m
        self.beta = 0.25 * (self.gamma + 0.5) ** 2

    def init(self, system: System, t: float, x: NDArray, v: NDArray) -> State:
        if isinstance(system, Holding) and (names := system.nonholonomic):
            raise SimulationError(
                f"integrator {self.name!r} steps positions, of which {listed(names)} say(s) nothing: constraints on "
                "velocities alone need another one, 'rk4' or 'rk4_projected'"
            )
        return State(t, x, v)

    def begin(self, system: ConstrainedSystem, state: State, h: float) -> tuple[NDArray, ...]:
        """Return the accelerations vdot, and the averaged ones a.

        a approximates the acceleration at t + (alpha_m - alpha_f) h; with that initial value, the first step has order
        2 in the reactions, too.
        """
        there = RK4().step(system, state, (self.alpha_m - self.alpha_f) * h)
        return system.rate(state.t, state.x, state.v), system.rate(there.t, there.x, there.v)

    def step(self, system: ConstrainedSystem, state: State, h: float) -> State:
        vdot_0, a_0 = state.memory or self.begin(system, state, h)
        t, x_0, v_0, du_dvdot = state.t + h, state.x, state.v, h * h * self.beta * self.share

        def end(vdot: NDArray) -> tuple[NDArray, NDArray, NDArray]:
            a = self.share * vdot + (self.alpha_f * vdot_0 - self.alpha_m * a_0) / (1.0 - self.alpha_m)
            u = h * (v_0 + h * ((0.5 - self.beta) * a_0 + self.beta * a))
            return system.move(x_0, u), v_0 + h * ((1.0 - self.gamma) * a_0 + self.gamma * a), a

        def residual(vdot: NDArray) -> NDArray:
            x, v, _ = end(vdot)
            # as a change of positions, so that the tolerance is one of positions whatever the step
            return du_dvdot * (vdot - system.corrected(t, x, v, vdot, 1.0 / du_dvdot))

        what, tolerance = f"the step from t = {state.t:g} s", CLOSED * newton.largest(x_0, least=1.0)
        vdot, solved = newton.solve(
            residual, vdot_0, None, tolerance, what=what, patience=QUICK, slope=du_dvdot, least=1
        )
        x, v, a = end(vdot)
        return State(t, x, v, (vdot, a), solved)

    def stages(self, system: ConstrainedSystem, state: State, h: float) -> list[Stage]:
        end = self.step(system, state, h)
        return [Stage(end.t, end.x, end.v, system.displacement(state.x, end.x) / h, end.memory[0])]
