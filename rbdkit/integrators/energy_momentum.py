"""Energy-momentum methods for bodies in directors (Gebhardt and Romero, section 5)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.directors import Directors
from rbdkit.formulations.directors.turning import orthonormal
from rbdkit.integrators.director_method import DirectorMethod
from rbdkit.integrators.state import Stage, State
from rbdkit.trace import Record


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
        u, solved = self.solved(MidpointEquations(system, state, h), state, h)
        return State(state.t + h, state.x + u, 2.0 * u / h - state.v, None, solved)

    def stages(self, system: Directors, state: State, h: float) -> list[Stage]:
        """Return the one evaluation, at the midpoint."""
        new = EnergyMomentum.step(self, system, state, h)
        x, v = 0.5 * (state.x + new.x), 0.5 * (state.v + new.v)
        return [Stage(state.t + 0.5 * h, x, v, v, (new.v - state.v) / h)]

    @property
    def record(self) -> Record | None:
        """Function that records the step; see `rbdkit.trace.Recordable`."""
        return self.recorded("energy_momentum")

    @property
    def written_out(self) -> None:
        """None: the step cannot be taken for parts of a system; see `rbdkit.trace.Recordable`."""
        return None


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
        d1, d2, _ = 0.5 * (state.x + new.x)[:9].reshape(3, 3)
        # the reaction of the step acts along d1 x d2 of the midpoint: only this direction leaves Pi1 and Pi2 unchanged
        v = system.tangent_velocity(new.x, new.v, normal=np.cross(d1, d2))
        return State(new.t, new.x, v, None, new.solve)

    @property
    def record(self) -> Record | None:
        """Function that records the step; see `rbdkit.trace.Recordable`."""
        return self.recorded("tangent_energy_momentum")


class MidpointEquations:
    """Equations of one step for u = q_1 - q_0 and the multipliers, scaled by momentum and length.

    Attributes
    ----------
    guess : (15,) or (16,) initial guess of Newton's method: u = h qdot_0, no reactions.
    """

    def __init__(self, system: Directors, state: State, h: float) -> None:
        self.system, self.state, self.h = system, state, h
        self.t = state.t + 0.5 * h
        self.guess = np.concatenate([h * state.v, np.zeros(6 + len(system.G(state.x)))])
        impulse = h * system.generalized_force(self.t, state.x, state.v)
        momentum = system.M @ state.v
        self.scale = max(np.abs(momentum).max(), np.abs(impulse).max(), 1e-300)

    def midpoint(self, u: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return q and qdot at the midpoint, and the directors there at which moments are evaluated."""
        q = self.state.x + 0.5 * u
        return q, u / self.h, orthonormal(q) if self.system.loaded else q

    def residual(self, z: NDArray) -> NDArray:
        """Return the residual of Eqs 86 and 92, with the momentum equation times h and divided by the momentum."""
        system, h, u = self.system, self.h, z[: self.system.n]
        q, v, at = self.midpoint(u)
        balance = 2.0 * system.M @ (v - self.state.v) - h * system.generalized_force(self.t, q, v, at)  # Eq 87b
        reaction = system.reaction_stiffness(z[system.n :]) @ q  # H_d = H(q), G_d = G(q): both are linear (Eqs 89, 93)
        twist = system.G(q) @ u  # Eq 94
        return np.concatenate([balance / self.scale + reaction, system.constraint_error(self.state.x + u), twist])

    def jacobian(self, z: NDArray) -> NDArray:
        """Return the derivative of the residual, with moments taken as independent of the state."""
        system, h, u = self.system, self.h, z[: self.system.n]
        q, v, at = self.midpoint(u)
        H, G = system.H(q), system.G(q)
        momentum = (2.0 / h * system.M - 0.5 * h * system.force_gradient(self.t, q, v, at)) / self.scale
        momentum = momentum + 0.5 * system.reaction_stiffness(z[system.n :])
        constraints = np.vstack([system.H(self.state.x + u), G + 0.5 * system.G_gradient(u)])
        corner = np.zeros((len(constraints), len(constraints)))
        return np.block([[momentum, np.vstack([H, G]).T], [constraints, corner]])
