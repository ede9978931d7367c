"""A variational integrator for free bodies: Störmer-Verlet for translations, Moser-Veselov for rotations.

A variational integrator replaces the action integral by a sum over steps and takes the stationary point of that sum.
Its step is a symplectic map, so the energy of a conservative system oscillates without drift, and momenta that belong
to symmetries are conserved. For a rigid body the discrete Lagrangian is written on rotation matrices themselves: the
body turns by F within a step, and no chart or multiplier is needed.

A step is kick, drift, kick:

1. half of the impulse and of the moment's impulse, from the loads at the start;
2. drift: the centre moves along a straight line; the turn F = exp(f) solves ``skew(h Pi) = F J_d - J_d F^T``, three
   equations for each body, by Newton's method with its exact Jacobian. Angular momentum stays the same in world axes;
3. the other half, from the loads at the end.

`MoserVeselov.step` is the readable form for all bodies at once, `turn` and `arrive` record the same for one body in a
compiled loop. With f = theta n, the equation reads ``sin(theta)/theta J f + (1 - cos theta)/theta^2 f x J f = h Pi``.
T. Lee, M. Leok, N. H. McClamroch (2005); J. Moser, A. P. Veselov (1991); see `MoserVeselov`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from rbdkit.engine.steps.manifold import exp, quaternion_matrix
from rbdkit.formulations import System
from rbdkit.formulations.free_bodies import FreeBodies
from rbdkit.integrators import newton
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve
from rbdkit.integrators.state import Stage, State
from rbdkit.spatial import se3, so3
from rbdkit.spatial.stumpff import sinc, stumpff, versine
from rbdkit.spatial.vector3 import Symmetric, Vector, cross, dot
from rbdkit.trace import Index, Moment, Newton, Part, Record, Scalar, maximum, newton_arrays, select, sin, sqrt

X, V, X_NEW, V_NEW, HALFWAY = Part("x"), Part("v"), Part("x_new"), Part("v_new"), Part("halfway")
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
        H, v_L = system.frames(state.x), system.twists(state.x, state.v)
        force, moment = np.split(system.forces(state.t, state.x, state.v), 2, axis=-1)
        # in world axes, where a velocity stays the same while the body turns
        pushed = _world(H, v_L[:, :3] + 0.5 * h * force / system.mass[:, None])
        turning = _times(system.J, v_L[:, 3:]) + 0.5 * h * moment
        f, solved = _turns(system.J, h * turning, h * v_L[:, 3:], state.t)

        F = so3.exp(f)
        H_new = se3.pose(H[:, :3, :3] @ F, H[:, :3, 3] + h * pushed)
        # the same vector in world axes, so F^T times it in the axes of the turned body
        turning = _times(np.swapaxes(F, -1, -2), turning)
        x = system.place(H_new)
        # loads may depend on velocities: those at the end are first estimated with the loads at the start
        v = self._pushed(system, x, pushed, turning, 0.5 * h * _world(H, force), 0.5 * h * moment)
        force, moment = np.split(system.forces(state.t + h, x, v), 2, axis=-1)
        v = self._pushed(system, x, pushed, turning, 0.5 * h * _world(H_new, force), 0.5 * h * moment)
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

    @staticmethod
    def _pushed(
        system: FreeBodies, x: NDArray, velocity: NDArray, turning: NDArray, push: NDArray, twist: NDArray
    ) -> NDArray:
        """Return v at x, from a velocity in world axes plus the impulse push, and an angular momentum plus twist."""
        H = system.frames(x)
        U = _times(np.swapaxes(H[:, :3, :3], -1, -2), velocity + push / system.mass[:, None])
        Omega = np.linalg.solve(system.J, (turning + twist)[..., None])[..., 0]
        return system.set_twists(x, np.concatenate([U, Omega], axis=-1))


def _solved(J: Symmetric, b: Vector) -> Vector:
    """Return J^-1 b, by Cramer's rule."""
    rows = [J @ Vector([1.0, 0.0, 0.0]), J @ Vector([0.0, 1.0, 0.0]), J @ Vector([0.0, 0.0, 1.0])]
    across = cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])
    share = 1.0 / dot(rows[0], across[0])
    return Vector([share * dot(row, b) for row in across])


def _turns(J: NDArray, g: NDArray, guess: NDArray, t: float) -> tuple[NDArray, Solve]:
    """Solve ``skew(g) = F J_d - J_d F^T`` for f (n, 3): ``c_1 J f + c_2 f x J f = g`` with Stumpff functions of |f|."""
    n = len(J)

    def residual(flat: NDArray) -> NDArray:
        f = flat.reshape(n, 3)
        theta, Jf = np.linalg.norm(f, axis=-1, keepdims=True), _times(J, f)
        return (sinc(theta) * Jf + versine(theta) * np.cross(f, Jf) - g).ravel()

    def jacobian(flat: NDArray) -> NDArray:
        f = flat.reshape(n, 3)
        theta, Jf = np.linalg.norm(f, axis=-1)[:, None, None], _times(J, f)
        c1, c2, c3, c4 = (stumpff(k, theta) for k in (1, 2, 3, 4))
        radial = (c3 - c2) * Jf[..., None] + (2.0 * c4 - c3) * np.cross(f, Jf)[..., None]  # c_k' = t (k c_k+2 - c_k+1)
        # bodies turn independently of each other: a block of 3 x 3 each
        return scipy.linalg.block_diag(*(c1 * J + c2 * (so3.skew(f) @ J - so3.skew(Jf)) + radial * f[:, None, :]))

    scale = float(np.max(np.abs(g), initial=1e-300))
    what = f"the turn of the step from t = {t:.6g} s"
    f, solved = newton.solve(residual, guess.ravel(), jacobian, tolerance=SOLVED * scale, what=what)
    return f.reshape(n, 3), solved


def _world(H: NDArray, vectors: NDArray) -> NDArray:
    return _times(H[:, :3, :3], vectors)


def _times(matrices: NDArray, vectors: NDArray) -> NDArray:
    return (matrices @ vectors[..., None])[..., 0]


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
        f = angle(z)
        Jf = body.inertia() @ f
        # never zero, so that both quotients have their limits at f = 0; 2 half^2 is (1 - cos theta) / theta^2 without
        # cancellation
        theta = sqrt(dot(f, f) + 1e-200)
        half = sin(0.5 * theta) / theta
        left = (sin(theta) / theta) * Jf + (2.0 * half * half) * cross(f, Jf) - angle(Part("impulse"))
        for k, value in zip(places, left, strict=True):
            result.store(program, k, value)

    _, _, _, Omega = body.central(X, V)
    impulse = moment.h * _spin(body, moment)
    largest: Scalar = 1e-300
    for k, f_k, g_k in zip(places, moment.h * Omega, impulse, strict=True):
        program.store("guess", k, 0, f_k)
        program.store("impulse", k, 0, g_k)
        largest = maximum(largest, abs(g_k))
    program.store("tolerance", 0, 0, SOLVED * largest)
    newton = Newton(program, first, 3, residual, quick=0)
    newton.solve()

    R, r, U, _ = body.central(X, V)
    f, J, h = angle(Part("unknowns")), body.inertia(), moment.h
    fall, about = body.acting(moment, X, V)
    F = quaternion_matrix(exp(f)[0])
    pushed, turning = R @ U + (0.5 * h) * Vector(fall), F.T @ _spin(body, moment)
    for k, x in enumerate([*pushed, *turning]):
        HALFWAY.store(program, first + k, x)
    R_new = R @ F
    U_new = R_new.T @ (pushed + (0.5 * h) * Vector(fall))
    turned = turning if about is None else turning + (0.5 * h) * about
    # a failed solution leaves infinity in the velocities, which ends the run
    lost = select(newton.failed, np.inf, 0.0)
    Omega_new = _solved(J, turned) + Vector([lost, 0.0, 0.0])
    body.place((R_new, r + h * pushed, U_new, Omega_new), X_NEW, V_NEW)


def _spin(body: Any, moment: Moment) -> Vector:
    """Return the angular momentum after the first half impulse, in body axes."""
    _, _, _, Omega = body.central(X, V)
    _, about = body.acting(moment, X, V)
    spin: Vector = body.inertia() @ Omega
    return spin if about is None else spin + (0.5 * moment.h) * about


def arrive(body: Any, n: Index) -> None:
    """Record the velocity of a body at the end of a step, with the forces there."""
    program, (first, _), end = body.program, body.solved_together, Moment(body.program, n, 1)
    R, r, _, turning = body.central(X_NEW, V_NEW)
    fall, about = body.acting(end, X_NEW, V_NEW)
    x = [HALFWAY.load(program, first + k) for k in range(6)]
    lost = 0.0 * dot(turning, turning)  # not a number where equations had no solution
    spin = Vector(x[3:]) if about is None else Vector(x[3:]) + (0.5 * end.h) * about
    U = R.T @ (Vector(x[:3]) + (0.5 * end.h) * Vector(fall))
    body.place((R, r, U, _solved(body.inertia(), spin) + Vector([lost, 0.0, 0.0])), X_NEW, V_NEW)
