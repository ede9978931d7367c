"""A variational integrator for free bodies: Störmer-Verlet for translations, Moser-Veselov for rotations.

A variational integrator replaces the action integral by a sum over steps and takes the stationary point of that sum.
Its step is a symplectic map, so the energy of a conservative system oscillates without drift, and momenta that belong
to symmetries are conserved. For a rigid body the discrete Lagrangian is written on rotation matrices themselves: the
body turns by F within a step, and no chart or multiplier is needed.

A step is kick, drift, kick:

1. half of the impulse and of the moment's impulse, from the loads at the start;
2. drift: the centre moves along a straight line; the turn F = exp(f) solves ``skew(h Pi) = F J_d - J_d F^T``, three
   equations for each body, by Newton's method. Angular momentum stays the same in world axes;
3. the other half, from the loads at the end.

The functions of one body, `kicked`, `left_side`, `drifted` and `arrived`, compute on floats in `MoserVeselov.step`, and
are recorded for compiled loops in `turn` and `arrive`. With f = theta n, the equation of the turn reads
``sin(theta)/theta J f + (1 - cos theta)/theta^2 f x J f = h Pi``.
T. Lee, M. Leok, N. H. McClamroch (2005); J. Moser, A. P. Veselov (1991); see `MoserVeselov`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.steps.manifold import exp, quaternion_matrix
from rbdkit.formulations import System
from rbdkit.formulations.body_system import Central, Load
from rbdkit.formulations.free_bodies import FreeBodies
from rbdkit.integrators import newton
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve
from rbdkit.integrators.state import Stage, State
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector, cross, dot
from rbdkit.trace import Index, Moment, Newton, Part, Record, Scalar, maximum, newton_arrays, select, sin, sqrt

X, V, X_NEW, V_NEW, HALFWAY = Part("x"), Part("v"), Part("x_new"), Part("v_new"), Part("halfway")
Halfway = tuple[Matrix, Vector, Vector, Vector]
"""Pose after the drift, velocity of the centre in world axes, angular momentum in body axes."""
SOLVED = 1e-15
"""Tolerance of the residual, relative to the largest angular impulse."""


class MoserVeselov(OneStep):
    """The discrete Euler-Lagrange equations of rigid bodies on SO(3) x R^3: order 2, symplectic and symmetric.

    Each body turns by F = exp(f) within a step, with f from ``skew(h Pi + h^2/2 M) = F J_d - J_d F^T``, where Pi = J
    Omega, M is the moment and ``J_d = tr(J)/2 1 - J``; its centre moves as in the Störmer-Verlet method. Momentum and
    rotational energy of a free body are conserved to round-off; under conservative loads the energy oscillates without
    drift. Forces are evaluated at the ends of a step. T. Lee, M. Leok, N. H. McClamroch, A Lie group
    variational integrator for the attitude dynamics of a rigid body (2005); J. Moser, A. P. Veselov, Communications in
    Mathematical Physics 139 (1991).

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import MoserVeselov
    >>> q, v = rbd.library.tumbling_box_state(spin=(1.0, 2.0, 3.0))
    >>> model = rbd.library.tumbling_box()
    >>> motion = rbd.simulate(model, q, v, 0.5, 0.01, formulation="quaternion", integrator=MoserVeselov())
    >>> bool(abs(motion.energy_error()).max() < 1e-10)
    True
    """

    name: ClassVar[str] = "moser_veselov"
    order: ClassVar[int] = 2
    shared = frozenset({"sides"})
    conserves: ClassVar[tuple[str, ...]] = (
        "angular momentum", "linear momentum", "energy of free rotation", "energy, on average",
    )  # fmt: skip
    requires: ClassVar[type] = FreeBodies
    formulas: ClassVar[tuple[str, ...]] = (
        "U = v + h/2 force / m    Pi = J Omega + h/2 M\nsolve for f:  skew(h Pi) = F J_d - J_d F^T,  F = exp(f)",
        "Pi <- F^T Pi + h/2 M    U <- U + h/2 force / m    with the forces at the end",
        "R <- R F    r <- r + h U\nv <- U    Omega <- J^-1 Pi",
    )

    def step(self, system: System, state: State, h: float) -> State:
        assert isinstance(system, FreeBodies)
        J, frame, load = system.inertias, system.central(state.x, state.v), system.acting(state.t, state.x, state.v)
        moved, spin = kicked(J, frame, load, h)
        f, solved = _turn(J, h * frame[3], h * spin, state.t)
        halfway = drifted(frame, moved, spin, f, h)
        # loads may depend on velocities: those at the end are first estimated with the loads at the start
        for _ in range(2):
            x, v = system.placed(arrived(J, *halfway, load, h))
            load = system.acting(state.t + h, x, v)
        return State(state.t + h, x, v, solve=solved)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        end = self.step(system, state, h)
        u_rate, v_rate = system.displacement(state.x, end.x) / h, (end.v - state.v) / h
        return [Stage(at.t, at.x, at.v, u_rate, v_rate) for at in (state, end)]

    @staticmethod
    def record(system: Any, n: Index) -> None:
        """Record the step of all bodies together, since forces may depend on all of them."""
        program = system.program
        system.decide(Moment(program, n, 0), X, V)
        for body in system.bodies():
            turn(body, n)
        system.decide(Moment(program, n, 1), X_NEW, V_NEW)
        for body in system.bodies():
            arrive(body, n)

    @property
    def written_out(self) -> Record:
        """Function that records the step of one body under gravity alone; see `rbdkit.trace.Recordable`."""
        return turn

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Return the arrays that `record` reads and writes; see `rbdkit.trace.Recordable`."""
        return {"c": np.array([0.0, 1.0]), "impulse": np.zeros(nv), "halfway": np.zeros(nv), **newton_arrays(nv)}


# --- a body: on floats, of all bodies at once, and in a program -------------------------------------------------------


def kicked(J: Symmetric, frame: Central, load: Load, h: Scalar) -> tuple[Vector, Vector]:
    """Return the velocity of the centre, world axes, and the angular momentum, body axes, after half of the impulse."""
    R, _, U, Omega = frame
    fall, moment = load
    spin: Vector = J @ Omega
    return R @ U + (0.5 * h) * Vector(fall), spin if moment is None else spin + (0.5 * h) * moment


def left_side(J: Symmetric, f: Vector) -> Vector:
    """Return ``sin(theta)/theta J f + (1 - cos theta)/theta^2 f x J f``, the h Pi of a turn by f."""
    Jf = J @ f
    # never zero, so that both quotients have their limits at f = 0; 2 half^2 is (1 - cos theta) / theta^2 without
    # cancellation
    theta = sqrt(dot(f, f) + 1e-200)
    half = sin(0.5 * theta) / theta
    return (sin(theta) / theta) * Jf + (2.0 * half * half) * cross(f, Jf)


def drifted(frame: Central, moved: Vector, spin: Vector, f: Vector, h: Scalar) -> Halfway:
    """Return the pose after a turn by f, the velocity, and the angular momentum: the same vector in turned axes."""
    R, r, _, _ = frame
    F = quaternion_matrix(exp(f)[0])
    return R @ F, r + h * moved, moved, F.T @ spin


def arrived(J: Symmetric, R: Matrix, r: Vector, moved: Vector, spin: Vector, load: Load, h: Scalar) -> Central:
    """Return the state after the other half of the impulse."""
    fall, moment = load
    spin = spin if moment is None else spin + (0.5 * h) * moment
    return R, r, R.T @ (moved + (0.5 * h) * Vector(fall)), _solved(J, spin)


def _solved(J: Symmetric, b: Vector) -> Vector:
    """Return J^-1 b, by Cramer's rule."""
    rows = [J @ Vector([1.0, 0.0, 0.0]), J @ Vector([0.0, 1.0, 0.0]), J @ Vector([0.0, 0.0, 1.0])]
    across = cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])
    share = 1.0 / dot(rows[0], across[0])
    return Vector([share * dot(row, b) for row in across])


def _turn(J: Symmetric, guess: Vector, impulse: Vector, t: float) -> tuple[Vector, Solve]:
    """Solve for the turns f of bodies, each with h Pi = impulse, on floats."""

    def residual(f: NDArray) -> NDArray:
        return np.ravel(left_side(J, Vector(f.reshape(3, -1))) - impulse)

    tolerance, what = SOLVED * newton.largest(np.ravel(impulse), 1e-300), f"the turn of the step from t = {t:.6g} s"
    f, solved = newton.solve(residual, np.ravel(guess), tolerance=tolerance, what=what)
    return Vector(f.reshape(3, -1)), solved


# --- in a program -----------------------------------------------------------------------------------------------------


def turn(body: Any, n: Index) -> None:
    """Record the step of a body, with the forces at its start in place of those at its end (exact for gravity).

    The velocity of the centre and the angular momentum after the first half impulse are left in "halfway", from which
    `arrive` completes the step with other forces.
    """
    program, (first, _), moment = body.program, body.solved_together, Moment(body.program, n, 0)
    places = [first + k for k in range(3)]

    def angle(z: Part) -> Vector:
        return Vector([z.load(program, k) for k in places])

    def residual(z: Part, result: Part) -> None:
        gap = left_side(body.inertia(), angle(z)) - angle(Part("impulse"))
        for k, value in zip(places, gap, strict=True):
            result.store(program, k, value)

    def start() -> tuple[Symmetric, Central, Load]:
        return body.inertia(), body.central(X, V), body.acting(moment, X, V)

    J, frame, load = start()
    _, spin = kicked(J, frame, load, moment.h)
    largest: Scalar = 1e-300
    for k, f_k, g_k in zip(places, moment.h * frame[3], moment.h * spin, strict=True):
        program.store("guess", k, 0, f_k)
        program.store("impulse", k, 0, g_k)
        largest = maximum(largest, abs(g_k))
    program.store("tolerance", 0, 0, SOLVED * largest)
    newton = Newton(program, first, 3, residual, quick=0)
    newton.solve()

    J, frame, load = start()
    halfway = drifted(frame, *kicked(J, frame, load, moment.h), angle(Part("unknowns")), moment.h)
    for k, x in enumerate([*halfway[2], *halfway[3]]):
        HALFWAY.store(program, first + k, x)
    _leave(body, arrived(J, *halfway, load, moment.h), select(newton.failed, np.inf, 0.0))


def arrive(body: Any, n: Index) -> None:
    """Record the velocity of a body at the end of a step, with the forces there."""
    program, (first, _), end = body.program, body.solved_together, Moment(body.program, n, 1)
    R, r, _, turning = body.central(X_NEW, V_NEW)
    x = [HALFWAY.load(program, first + k) for k in range(6)]
    load = body.acting(end, X_NEW, V_NEW)
    _leave(body, arrived(body.inertia(), R, r, Vector(x[:3]), Vector(x[3:]), load, end.h), 0.0 * dot(turning, turning))


def _leave(body: Any, frame: Central, lost: Scalar) -> None:
    """Store the new state; lost : not finite where equations had no solution, which ends the run."""
    R, r, U, Omega = frame
    body.place((R, r, U, Omega + Vector([lost, 0.0, 0.0])), X_NEW, V_NEW)
