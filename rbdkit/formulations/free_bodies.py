"""Base of the formulations of freely moving bodies, each with its centre of mass as reference point.

About its centre of mass a free body has no coupling between rotation and translation: the centre moves like a point,
and Euler's equations turn the body. Formulations differ in how they describe the pose (quaternion, matrix) and which
velocities they use; all that is written as functions of one body, see `rbdkit.formulations.body_system`, and this class
makes of them a `Formulation` of all bodies: conversion from joint coordinates, energy, momentum, compiled runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.errors import ModelError
from rbdkit.formulations.applied import obstacle
from rbdkit.formulations.body_loads import joint_force_at_centre, loaded_by, loads_of, wrench_at_centre
from rbdkit.formulations.body_system import BodyEquations, Central, Load, Values, flat, motion, of_rows
from rbdkit.formulations.formulation import Acting, Force
from rbdkit.formulations.with_elements import stored_energy, with_elements
from rbdkit.joints import Free
from rbdkit.model import Model
from rbdkit.model.force import inner
from rbdkit.model.kept import snapshot
from rbdkit.spatial import se3
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import Symmetric, Vector
from rbdkit.trace import LARGEST, Recordable, Run, run_motion

FEW = 4
"""Bodies that are computed one by one, on floats."""


class FreeBodies:
    """Base of the formulations of bodies on free joints from the world, under gravity, tau and external forces.

    The state may have any form from which the poses of the central frames follow: frames along the body axes with the
    origin in the centre of mass. Twists ``v_L = (U, Omega)`` are those of that frame in body coordinates, the linear
    part first.

    Parameters
    ----------
    model : bodies on free joints from the world.
    tau : applied joint forces as a function of (t, x, v), or None: (moment, force) on each body at its frame's origin.
    f_ext : external forces as a function of (t, x, v), or None.

    Attributes
    ----------
    mass, com, J : (n,) kg, (n, 3) m in the body frame, (n, 3, 3) kg m^2 about the centre of mass.
    equations : the equations of one body, which are computed on stacks of floats, and recorded for compiled loops.
    numbers : (n, equations.numbers) the parameters that these take.

    Raises
    ------
    ModelError
        If a body does not move freely, is held by a spring, damper or rotor, or has no inertia in some direction.
    """

    name: ClassVar[str]
    equations: ClassVar[BodyEquations]
    numbers: NDArray

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None) -> None:
        _require_free(model, self.name)
        self.model, self.f_ext = snapshot(model), f_ext
        self.tau = with_elements(self, tau)
        inertias = [body.inertia for body in model.bodies[1:] if body.inertia is not None]
        self.n = len(inertias)
        self.mass = np.array([inertia.mass for inertia in inertias])
        self.com = np.array([inertia.com for inertia in inertias])
        self.J = np.array([inertia.inertia_com for inertia in inertias])
        self._lightness_and_com = np.column_stack([1.0 / self.mass, self.com]).ravel()

    def compiled_run(
        self,
        method: Recordable,
        times: NDArray,
        x: NDArray,
        v: NDArray,
        every: int,
        progress: Callable[[float], object],
        acts: Acting | None = None,
    ) -> Run | None:
        """Run in one compiled loop; None if there is an `obstacle`."""
        if self.obstacle(acts):
            return None
        loads = loads_of(self.model, acts)
        loaded = None if loads is None else loaded_by(self.model, loads, acts, len(times) - 1)
        prepared = motion(self.equations, method, self.numbers, self.model.gravity, times, x, v, loaded)
        return run_motion(prepared, every, progress)

    def obstacle(self, acts: Acting | None) -> str:
        """Describe untraced forces or force elements that prevent a compiled loop; empty if nothing does."""
        return obstacle(self, acts)

    # --- the equations on stacks of floats ----------------------------------------------------------------------------

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        loads, rate = self._loads(t, finite(x), finite(v)), self.equations.rate
        return self._each(lambda numbers, x, v, *loads: rate(numbers, *self._acting(x, *loads), x, v), x, v, *loads)

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        return self._each(self.equations.move, x, finite(u))

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        return self._each(self.equations.local_rate, finite(u), v)

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return self._each(self.equations.displacement, x0, x1)

    def place(self, H: NDArray) -> NDArray:
        """Return the x (..., nx) of central frames with the poses H (..., n, 4, 4)."""
        rows = H[..., :3, :].reshape(*H.shape[:-3], 12 * self.n)
        return self._each(lambda _, row: self.equations.place(*of_rows(row)), rows)

    def frames(self, x: NDArray) -> NDArray:
        """Return the poses H (..., n, 4, 4) of the central frames."""
        H = np.zeros((*x.shape[:-1], self.n, 4, 4))
        rows = self._each(lambda _, x: flat(*self.equations.pose(x)), x)
        H[..., :3, :] = rows.reshape(*x.shape[:-1], self.n, 3, 4)
        H[..., 3, 3] = 1.0
        return H

    def set_twists(self, x: NDArray, v_L: NDArray) -> NDArray:
        """Return the v (..., nv) of bodies with the twists v_L (..., n, 6)."""
        own, u = self.equations, v_L.reshape(*v_L.shape[:-2], 6 * self.n)
        return self._each(lambda k, x, u: own.velocity(k, own.pose(x)[0], mv.of([*u[3:], *u[:3]])), x, u)

    def twists(self, x: NDArray, v: NDArray) -> NDArray:
        """Return the twists v_L (..., n, 6) of the central frames."""
        own = self.equations
        angular_first = self._each(lambda k, x, v: own.twist(k, own.pose(x)[0], v).flat(), x, v)
        # `mv` has the angular part first, v_L the linear one
        return np.roll(angular_first.reshape(*v.shape[:-1], self.n, 6), 3, axis=-1)

    def forces(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        """Return force and moment (n, 6) about the centre of mass on each body, in body coordinates."""
        fall, moment = self.acting(t, x, v)
        _, own_x = self._columns(x)
        force = self.mass * (self.equations.pose(own_x)[0].T @ Vector(fall))
        return np.column_stack([*force, *(3 * [np.zeros(self.n)] if moment is None else moment)])

    # --- all bodies at once, for methods that do not need the equations of motion -------------------------------------

    @property
    def inertias(self) -> Symmetric:
        """Inertia of the bodies about their centres of mass."""
        return self.equations.inertia(*self._columns())

    def central(self, x: NDArray, v: NDArray) -> Central:
        """Return poses and twists of the central frames."""
        return self.equations.central(*self._columns(finite(x), finite(v)))

    def acting(self, t: float, x: NDArray, v: NDArray) -> Load:
        """Return what acts on the bodies."""
        _, *given = self._columns(x, *self._loads(t, x, v))
        return self._acting(*given)

    def placed(self, frame: Central) -> tuple[NDArray, NDArray]:
        """Return the state (x, v) with given central frames."""
        R, r, U, Omega = frame
        x, v = self.equations.place(R, r), self.equations.velocity(self._columns()[0], R, mv(Omega, U))
        return np.array(x).ravel(order="F"), np.array(v).ravel(order="F")

    def _columns(self, *stacks: NDArray) -> list[Any]:
        """Return the parameters of the bodies, and stacks, with the bodies as last axis."""
        return [x.reshape(self.n, -1).T for x in (self.numbers, *stacks)]

    def _loads(self, t: float, x: NDArray, v: NDArray) -> tuple[NDArray, ...]:
        """Return 1 / mass and centre of mass, external and joint force of each body; nothing without forces."""
        if self.f_ext is None and self.tau is None:
            return ()
        none = np.zeros(6 * self.n)
        f_ext = none if self.f_ext is None else self.f_ext(t, x, v)[1:].ravel()
        return self._lightness_and_com, f_ext, none if self.tau is None else self.tau(t, x, v)

    def _acting(self, x: Values, *loads: Values) -> Load:
        """Return the acceleration of a centre of mass, world axes, and the moment about it, body axes; see `_loads`."""
        gravity = Vector(self.model.gravity.tolist())
        if not loads:
            return gravity, None
        (lightness, *com), f_ext, tau = loads
        R, r = self.equations.pose(x)
        (outer, outer_moment), (force, moment) = wrench_at_centre(R, r, f_ext), joint_force_at_centre(R, com, tau)
        return gravity + lightness * (outer + force), outer_moment + moment

    def _each(self, equation: Callable[..., Values], *stacks: NDArray) -> NDArray:
        """Evaluate an equation of the numbers of a body on stacks (..., k n) of all bodies, to (..., l n).

        The equation gets floats, body by body, where there are few, and else arrays (k, ..., n): these cost as much for
        one body as for some.
        """
        lead = stacks[0].shape[:-1]
        parts = [x.reshape(*x.shape[:-1], self.n, -1) for x in (self.numbers.ravel(), *stacks)]
        # floats are faster than arrays of few elements
        if not lead and self.n <= FEW:
            return np.array([equation(*body) for body in zip(*(x.tolist() for x in parts), strict=True)]).ravel()
        values = equation(*(np.moveaxis(x, -1, 0) for x in parts))
        found = np.empty((*lead, self.n, len(values)))
        for k, value in enumerate(values):
            found[..., k] = value
        return found.reshape(*lead, -1)

    # --- what it says of the model ------------------------------------------------------------------------------------

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        H = np.stack([joint.pose(q) for joint in self.model.joints[1:]], axis=-3)
        # central frames: along the body's axes, with the origin in the centre of mass
        H[..., :3, 3] += (H[..., :3, :3] @ self.com[:, :, None])[..., 0]
        twist = v.reshape(*v.shape[:-1], self.n, 6)
        # from the origin of the body frame to the centre of mass
        U = twist[..., 3:] + np.cross(twist[..., :3], self.com)
        x = self.place(H)
        return x, self.set_twists(x, np.concatenate([U, twist[..., :3]], axis=-1))

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        H = self.frames(x)
        poses = np.empty((*H.shape[:-3], self.n + 1, 4, 4))
        poses[..., 0, :, :] = np.eye(4)
        poses[..., 1:, :, :] = H @ se3.pose(position=-self.com)
        return poses

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        v_L = self.twists(x, v)
        U, Omega = v_L[..., :3], v_L[..., 3:]
        velocities = np.zeros((*v_L.shape[:-2], self.n + 1, 6))
        velocities[..., 1:, :3] = Omega
        velocities[..., 1:, 3:] = U - np.cross(Omega, self.com)
        return velocities

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        v_L = self.twists(x, v)
        U, Omega = v_L[..., :3], v_L[..., 3:]
        spin = np.einsum("...ni,nij,...nj->...", Omega, self.J, Omega)
        kinetic = 0.5 * (np.einsum("...ni,n,...ni->...", U, self.mass, U) + spin)
        downward = self.frames(x)[..., :3, 3] @ self.model.gravity
        return Energy(kinetic, -downward @ self.mass, stored_energy(self, x, v, t))

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return the energy; without gravity also the momentum, in world axes, its angular part about the origin."""
        kept = {} if self.model.lossy else {"energy": self.energy(x, v).total}
        if not self.model.gravity.any() and inner(self.model):
            linear, angular = self.momenta(x, v)
            kept |= {"angular momentum": angular.sum(axis=-2), "linear momentum": linear.sum(axis=-2)}
        return kept

    def momenta(self, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return linear momentum, and angular momentum about the origin, of each body (..., n, 3), world axes."""
        H, v_L = self.frames(x), self.twists(x, v)
        R, p = H[..., :3, :3], H[..., :3, 3]
        linear = self.mass[:, None] * (R @ v_L[..., :3, None])[..., 0]
        spin = (R @ self.J @ v_L[..., 3:, None])[..., 0]
        return linear, spin + np.cross(p, linear)

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        return np.zeros((*x.shape[:-1], 0))


def finite(values: NDArray) -> NDArray:
    """Return the values if all are below `LARGEST`; raise FloatingPointError if the state has diverged."""
    if not np.all(np.abs(values) < LARGEST):
        raise FloatingPointError("the state is not finite any more")
    return values


def _require_free(model: Model, formulation: str) -> None:
    if len(model.bodies) == 1:
        raise ModelError(f"model {model.name!r} has no bodies; add one with add_body(name, joint=Free(), inertia=...)")
    if model.loops:
        raise _unsuited(formulation, f"loop joint {model.loops[0].joint.name!r} ties two bodies together")
    if model.constraints:
        raise _unsuited(formulation, f"constraint {model.constraints[0].name!r} holds")
    for body in model.bodies[1:]:
        joint = body.joint
        if type(joint.type) is not Free or body.parent != 0:
            parent = model.bodies[body.parent].name
            raise _unsuited(formulation, f"body {body.name!r} hangs on {parent!r} by a {joint.type.known_as} joint")
        for what in ("stiffness", "damping", "armature"):
            if getattr(joint, what).any():
                raise _unsuited(
                    formulation, f"joint {joint.name!r} has the {what} {getattr(joint, what)}; apply it by tau or f_ext"
                )
        if body.inertia is None or not (body.inertia.mass > 0.0 and body.inertia.principal().moments[0] > 0.0):
            raise _unsuited(formulation, f"body {body.name!r} has no mass, or no inertia about some axis")


def _unsuited(formulation: str, why: str) -> ModelError:
    return ModelError(
        f"formulation {formulation!r} is for bodies that move freely from the world, but {why}; other formulations, "
        "'joint' among them, know joints"
    )
