"""The discrete Lagrange-d'Alembert method for bodies in directors (Cortes and Martinez 2001).

A variational integrator takes the stationary point of a sum of discrete Lagrangians, here ``u . M u / 2h`` with the
chord u = q_1 - q_0. Holonomic constraints (orthonormal directors) hold at the nodes, with reactions along H(q) there;
without more this is the RATTLE method. A nonholonomic constraint such as "no twist" needs two things instead of one: a
discrete constraint on pairs of positions, here at the midpoint, and directions in which virtual displacements are free.
That is the discrete form of d'Alembert's principle. The map is not symplectic then, as the motion itself is not either.

A step begins with the momentum on the tangent space at q_0, solves for u and the multipliers by Newton's method, and
ends with the part of M u / h on the tangent space at q_1. Each node's load acts half before it and half after.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.directors import Directors
from rbdkit.integrators import newton
from rbdkit.integrators.director_method import DirectorMethod
from rbdkit.integrators.state import Stage, State


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
    conserves: ClassVar[tuple[str, ...]] = ("K", "pi", "Pi1", "Pi2", "angular momentum about the vertical")
    formulas: ClassVar[tuple[str, ...]] = (
        "p0 = M v + h/2 Q(t, q)\nsolve for q1:  M (q1 - q) / h = p0 - H(q)^T lambda,  h(q1) = 0",
        "v1 = tangent part of (q1 - q) / h + h/2 M^-1 Q(t + h, q1)",
        "q <- q1\nv <- v1",
    )

    def step(self, system: Directors, state: State, h: float) -> State:
        q_0, v_0 = state.x, state.v
        p = system.M @ v_0 + 0.5 * h * system.generalized_force(state.t, q_0, v_0)
        scale = newton.largest(p, least=1e-300)

        def residual(z: NDArray) -> NDArray:
            """Return M u / h - (p_0 + h Q_0 / 2) plus reactions at q_0, constraints at q_1, twist between."""
            u, multipliers = system.separated(z)
            balance = (1.0 / scale) * (system.M @ (u / h) - p) + system.reactions(q_0, multipliers)
            return system.joined(balance, system.constraints(system.move(q_0, u), system.move(q_0, 0.5 * u), u))

        def jacobian(z: NDArray) -> NDArray:
            """Return the derivative of the residual; recorded steps derive it."""
            u, _ = system.separated(z)
            twist = system.G(q_0 + 0.5 * u) + 0.5 * system.G_gradient(u)
            constraints = np.vstack([system.H(q_0 + u), twist])
            return system.saddle(system.M / (h * scale), system.constraint_jacobian(q_0), constraints)

        u, solved = self.solved(residual, jacobian, system, state, h)
        t, q = state.t + h, system.move(q_0, u)
        # the reaction at q_1 takes what M u / h has across the tangent space there
        arriving = system.tangent_velocity(q, u / h)
        v = arriving
        for _ in range(2):  # a load may depend on v: once more, or the order is 1
            v = system.velocity_after(q, arriving, 0.5 * h * system.generalized_force(t, q, v))
        return State(t, q, v, solve=solved)

    def stages(self, system: Directors, state: State, h: float) -> list[Stage]:
        """Return the two nodes of the step."""
        new = self.step(system, state, h)
        rate = (new.x - state.x) / h
        return [Stage(s.t, s.x, s.v, rate, system.rate(s.t, s.x, s.v)) for s in (state, new)]


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
