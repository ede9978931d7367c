"""Energy-momentum methods for bodies in directors (Gebhardt and Romero, section 5).

A body in directors has a constant mass matrix, with constraints that keep the directors orthonormal and, for the body
without twist, a constraint on velocities. With such equations the midpoint rule conserves energy exactly if constraint
forces do no discrete work: the Jacobian in ``H_d^T lambda`` must be a discrete gradient, that is, satisfy
``H_d (q_1 - q_0) = h(q_1) - h(q_0)``. The constraints are quadratic in q, so the Jacobian at the mean of both ends,
H((q_0 + q_1) / 2), has this property (Eqs 89, 93), and nothing else must be averaged.

A step is Newton's method on the displacement u and the multipliers, with positions constrained at its end and twist at
its middle. The velocity follows from ``(v_0 + v_1) / 2 = u / h``, which is not exactly tangent to the constraints where
loads act; `TangentEnergyMomentum` projects it.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.directors import Directors
from rbdkit.integrators import newton
from rbdkit.integrators.director_method import DirectorMethod
from rbdkit.integrators.state import Stage, State


class EnergyMomentum(DirectorMethod):
    """Midpoint rule with constraint Jacobians averaged over the step; order 2; Newton's method in each step.

    It conserves K and pi of the standard body, K, Pi1 and Pi2 of the body without twist (Eqs 91, 95), for any step. The
    velocity follows from ``(qdot_0 + qdot_1) / 2 = (q_1 - q_0) / h``, so a load takes it off the tangent space by
    O(h^2), with alternating sign; `TangentEnergyMomentum` projects it back.

    Loads are evaluated at the midpoint: at t + h/2, along the mean directors, and as forces that do the work of the
    moment in a rotation of these (`Directors.generalized_force`).

    Parameters
    ----------
    tolerance : float, optional
        Of the residual, as of `DirectorMethod`.
    max_iterations : int, optional
        Of Newton's method in a step.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import EnergyMomentum
    >>> model, method = rbd.library.fixed_point_model(), EnergyMomentum()
    >>> motion = rbd.simulate(model, v0=[1, 2, 3], duration=0.2, dt=0.01, formulation="directors", integrator=method)
    >>> bool(abs(motion.energy_error()).max() < 1e-10)
    True
    """

    name = "energy_momentum"
    order = 2
    conserves: ClassVar[tuple[str, ...]] = ("K", "pi", "Pi1", "Pi2", "energy", "angular momentum about the vertical")
    formulas: ClassVar[tuple[str, ...]] = (
        "v1 = 2 (q1 - q) / h - v\nsolve for q1:  M (v1 - v) / h = Q(middle) - H(mean)^T lambda,  h(q1) = 0",
        "q <- q1\nv <- v1",
    )

    def step(self, system: Directors, state: State, h: float) -> State:
        t, q_0, v_0 = state.t + 0.5 * h, state.x, state.v
        # residuals are relative to the momentum, or to the impulse of a body at rest: one tolerance for bodies of any
        # size
        p, impulse = system.M @ v_0, h * system.generalized_force(t, q_0, v_0)
        scale = np.maximum(newton.largest(p, least=1e-300), newton.largest(impulse))

        def residual(z: NDArray) -> NDArray:
            """Return the residual of Eqs 86 and 92, the momentum equation times h and divided by the momentum."""
            u, multipliers = system.separated(z)
            q, v = system.move(q_0, 0.5 * u), u / h
            force = system.generalized_force(t, q, v, system.orthonormal(q))
            balance = 2.0 * (system.M @ (v - v_0)) - h * force  # Eq 87b
            reactions = system.reactions(q, multipliers)  # H_d = H(q), G_d = G(q): both are linear (Eqs 89, 93)
            return system.joined((1.0 / scale) * balance + reactions, system.constraints(system.move(q_0, u), q, u))

        def jacobian(z: NDArray) -> NDArray:
            """Return the derivative, with moments taken as independent of the state; recorded steps derive it."""
            u, multipliers = system.separated(z)
            # directors and centre stand in a vector space: moving is adding, also half way
            q = q_0 + 0.5 * u
            force_gradient = system.force_gradient(t, q, u / h, system.orthonormal(q))
            momentum = (2.0 / h * system.M - 0.5 * h * force_gradient) / scale
            # reactions change with q at the midpoint, which moves by half of u
            momentum = momentum + 0.5 * system.reaction_stiffness(multipliers)
            twist = system.G(q) + 0.5 * system.G_gradient(u)  # of Eq 94
            return system.saddle(momentum, system.constraint_jacobian(q), np.vstack([system.H(q_0 + u), twist]))

        u, solved = self.solved(residual, jacobian, system, state, h)
        return State(state.t + h, system.move(q_0, u), 2.0 * u / h - v_0, solve=solved)

    def stages(self, system: Directors, state: State, h: float) -> list[Stage]:
        """Return the one evaluation, at the midpoint."""
        new = EnergyMomentum.step(self, system, state, h)
        x, v = 0.5 * (state.x + new.x), 0.5 * (state.v + new.v)
        return [Stage(state.t + 0.5 * h, x, v, v, (new.v - state.v) / h)]


class TangentEnergyMomentum(EnergyMomentum):
    """The energy-momentum method with each new velocity put back on the tangent space by the reactions of the step.

    For the body without twist. Its Pi1 and Pi2 then change by the moment's impulse and by nothing else: under moments
    that are functions of time along the directors they are exact to round-off at every step, and after the load has
    gone Pi1, Pi2 and K are constant. A standard body keeps pi, but K only to O(h^2).

    Parameters
    ----------
    tolerance : float, optional
        Of the residual, as of `DirectorMethod`.
    max_iterations : int, optional
        Of Newton's method in a step.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import TangentEnergyMomentum
    >>> model, method = rbd.library.fixed_point_model(), TangentEnergyMomentum()
    >>> form = "non_twisting_directors"
    >>> motion = rbd.simulate(model, v0=[1, 2, 0], duration=0.2, dt=0.01, formulation=form, integrator=method)
    >>> {"Pi1", "Pi2"} <= set(motion.invariants())
    True
    """

    name = "tangent_energy_momentum"
    conserves: ClassVar[tuple[str, ...]] = ("pi", "Pi1", "Pi2")
    formulas: ClassVar[tuple[str, ...]] = (EnergyMomentum.formulas[0], "q <- q1\nv <- tangent part of v1")

    def step(self, system: Directors, state: State, h: float) -> State:
        new = super().step(system, state, h)
        # the displacement is h times the mean velocity: half of it leads to the midpoint
        middle = system.move(state.x, 0.25 * h * (state.v + new.v))
        # the reaction of the step acts along d1 x d2 of the midpoint: only this direction leaves Pi1 and Pi2 unchanged
        v = system.tangent_velocity(new.x, new.v, system.normal(middle))
        return State(new.t, new.x, v, solve=new.solve)
