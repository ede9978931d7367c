"""The discrete Lagrange-d'Alembert method for bodies in directors (Cortes and Martinez 2001)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.directors import Directors
from rbdkit.integrators.director_method import DirectorMethod
from rbdkit.integrators.state import Stage, State
from rbdkit.trace import Record


class LagrangeDAlembert(DirectorMethod):
    """Discrete Lagrangian (q_1 - q_0) . M (q_1 - q_0) / 2h, reactions at the nodes, no twist at the midpoint; order 2.

    In the position-momentum form: a step begins with the momentum p_0 = M qdot_0 on the tangent space, finds q_1, and
    ends with the part of M (q_1 - q_0) / h on the tangent space at q_1. Half of the load of a node acts before it and
    half after. Without the constraint on twist this is the discrete Euler-Lagrange (RATTLE) method.

    Free bodies conserve K at the nodes; the standard body also pi, the one without twist also Pi1 and Pi2. A step has
    no solution if the body turns too far: directors move along chords, so steady rotation at w needs
    ``sin(angle) = h w``, which ends at h w = 1.

    Parameters
    ----------
    tolerance : float, optional
        Of the residual, as of `DirectorMethod`.
    max_iterations : int, optional
        Of Newton's method in a step.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import LagrangeDAlembert
    >>> model, method = rbd.library.fixed_point_model(), LagrangeDAlembert()
    >>> motion = rbd.simulate(model, v0=[1, 2, 3], duration=0.2, dt=0.01, formulation="directors", integrator=method)
    >>> bool(abs(motion.energy_error()).max() < 1e-10)
    True
    """

    name = "lagrange_dalembert"
    order = 2
    times = (0.0, 1.0)
    conserves: ClassVar[tuple[str, ...]] = ("K", "pi", "Pi1", "Pi2", "angular momentum about the vertical")
    formulas: ClassVar[tuple[str, ...]] = (
        "p0 = M v + h/2 Q(t, q)\nsolve for q1:  M (q1 - q) / h = p0 - H(q)^T lambda,  h(q1) = 0",
        "v1 = tangent part of (q1 - q) / h + h/2 M^-1 Q(t + h, q1)",
        "q <- q1\nv <- v1",
    )

    def step(self, system: Directors, state: State, h: float) -> State:
        u, solved = self.solved(ChordEquations(system, state, h), state, h)
        t, x = state.t + h, state.x + u
        arriving = system.tangent_velocity(x, u / h)
        v = arriving
        for _ in range(1 + system.loaded):  # a load may depend on v: once more, or the order is 1
            v = system.velocity_after(x, arriving, 0.5 * h * system.generalized_force(t, x, v))
        return State(t, x, v, None, solved)

    def stages(self, system: Directors, state: State, h: float) -> list[Stage]:
        """Return the two nodes of the step."""
        new = self.step(system, state, h)
        rate = (new.x - state.x) / h
        return [Stage(s.t, s.x, s.v, rate, system.rate(s.t, s.x, s.v)) for s in (state, new)]

    @property
    def record(self) -> Record | None:
        """Function that records the step; see `rbdkit.trace.Recordable`."""
        return self.recorded("lagrange_dalembert")

    @property
    def written_out(self) -> None:
        """None: the step cannot be taken for parts of a system; see `rbdkit.trace.Recordable`."""
        return None


def half_step_energy(system: Directors, x: NDArray, h: float) -> NDArray:
    """Return the kinetic energy of the chords between states, (q_1 - q_0) / h.

    It is the method's energy at midpoints of steps; the energy of its states is the Hamiltonian at the nodes.

    Parameters
    ----------
    system : Directors
        The equations whose states these are.
    x : ndarray (n, 9)
        States a step apart.
    h : float
        The step, s.

    Returns
    -------
    ndarray (n - 1,)
        J.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import Directors
    >>> from rbdkit.integrators import half_step_energy
    >>> system = Directors(rbd.library.fixed_point_model())
    >>> half_step_energy(system, np.array([np.eye(3).ravel()] * 3), h=0.1).tolist()
    [0.0, 0.0]
    """
    return system.kinetic_energy(x[:-1], np.diff(x, axis=0) / h)


class ChordEquations:
    """Equations of one step for u = q_1 - q_0 and the multipliers, scaled by momentum and length.

    Attributes
    ----------
    guess : (15,) or (16,) initial guess of Newton's method: u = h qdot_0, no reactions.
    """

    def __init__(self, system: Directors, state: State, h: float) -> None:
        self.system, self.x, self.h = system, state.x, h
        impulse = 0.5 * h * system.generalized_force(state.t, state.x, state.v)
        self.momentum = system.M @ state.v + impulse
        self.scale = max(np.abs(self.momentum).max(), 1e-300)
        self.reactions = np.vstack([system.H(state.x), system.G(state.x)])
        self.guess = np.concatenate([h * state.v, np.zeros(len(self.reactions))])

    def residual(self, z: NDArray) -> NDArray:
        """Return the residual: M u / h - (p_0 + h Q_0 / 2) plus reactions at q_0, constraints at q_1, twist between."""
        u = z[: self.system.n]
        balance = (self.system.M @ u / self.h - self.momentum) / self.scale + z[self.system.n :] @ self.reactions
        twist = self.system.G(self.x + 0.5 * u) @ u
        return np.concatenate([balance, self.system.constraint_error(self.x + u), twist])

    def jacobian(self, z: NDArray) -> NDArray:
        """Return the derivative of the residual."""
        u, system = z[: self.system.n], self.system
        twist = system.G(self.x + 0.5 * u) + 0.5 * system.G_gradient(u)
        constraints = np.vstack([system.H(self.x + u), twist])
        k = len(constraints)
        return np.block([[system.M / (self.h * self.scale), self.reactions.T], [constraints, np.zeros((k, k))]])
