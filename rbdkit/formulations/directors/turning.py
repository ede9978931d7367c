"""Base of the formulations of one rotating body: poses, energy and moments.

The formulations of this folder describe one body that turns about a point: a pivot, or its centre of mass, if it
floats. They differ in the equations (`split`: Euler's equations on the sphere of d3, or directors with constraints) and
in whether the body may twist about d3. What follows from the directors in any case is here: the pose, moments and
forces about the point, energy, and which quantities are conserved when.

A floating body moves like a point mass and turns as about a pivot in its centre of mass; its centre is appended to x
and v, and nothing couples both but loads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.formulations.applied import obstacle
from rbdkit.formulations.directors import recorded
from rbdkit.formulations.directors.equations import holds, triad_of
from rbdkit.formulations.directors.fixed_point import fixed_point_body
from rbdkit.formulations.formulation import Acting, Force
from rbdkit.formulations.with_elements import stored_energy, with_elements
from rbdkit.model import Model
from rbdkit.model.kept import snapshot
from rbdkit.spatial import so3
from rbdkit.trace import Recordable, Run, run_motion

FLAT = 1e6
"""Condition number of the Euler inertia from which on a body counts as having no extension in some direction."""


class TurningBody:
    """Base of formulations whose x begin with the directors (d1, d2, d3) of a body, nine numbers.

    The body is pivoted or floats. If it floats, its centre of mass c follows in x, and the last three v are its
    velocity, both in world axes; c moves independently, and the body rotates about it as about a pivot.

    Parameters
    ----------
    model : one body on a spherical or free joint.
    tau : force of the joint as a function of (t, x, v), or None: moment in body axes, and for a free joint the force.
    f_ext : wrench (2, 6) on world and body as a function of (t, x, v), see `Formulation`; or None.

    Raises
    ------
    ModelError
        If the model is anything else.
    """

    name: ClassVar[str]
    split: ClassVar[bool]
    twists: ClassVar[bool]

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None) -> None:
        self.model = model = snapshot(model)
        self.body = fixed_point_body(model, self.name)
        self.tau = with_elements(self, tau)
        self.f_ext = f_ext

    @property
    def loaded(self) -> bool:
        """Whether there are loads other than gravity."""
        return self.tau is not None or self.f_ext is not None

    def spin(self, x: NDArray, v: NDArray) -> NDArray:
        """Return the convected angular velocity W (..., 3), body axes, rad/s."""
        raise NotImplementedError

    # --- compiled -----------------------------------------------------------------------------------------------------

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
        # a flat body has a singular mass matrix in directors, which needs pivoting
        flat = bool(np.linalg.cond(self.body.euler_inertia) > FLAT)
        kind = partial(recorded.Kind, self.split, self.twists, self.body.floats, flat)
        prepared = recorded.motion(self, kind, self._numbers(), method, times, x, v, acts)
        return run_motion(prepared, every, progress)

    def obstacle(self, acts: Acting | None) -> str:
        """Describe what prevents a compiled loop: Python functions as forces, or a subclass with other equations."""
        if "equations_recorded" not in vars(type(self)):
            return f"{type(self).__name__} has equations of its own, which are not recorded"
        return obstacle(self, acts)

    def _numbers(self) -> dict[str, NDArray]:
        """Return the parameters of the body for compiled loops, see `recorded.SIZES`."""
        body = self.body
        return {
            "body_inertia": body.euler_inertia[np.triu_indices(3)],
            "body_weight": body.weight.ravel(),
            "body_first_moment": body.first_moment,
            "body_gravity": body.gravity,
            "body_mass": np.array([body.mass]),
            "body_own": np.array(self._own_numbers()),
        }

    def _own_numbers(self) -> list[float]:
        """Return further parameters of the equations."""
        raise NotImplementedError

    # --- what acts ----------------------------------------------------------------------------------------------------

    def moments(self, t: float, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return the moments about the body's point, without gravity, N m.

        Returns
        -------
        M, m : (3,) components along the directors, of what turns with the body; and along the world's axes.
        """
        (M, _), (m, _) = self._acting(t, x, v)
        return M, m

    def _acting(self, t: float, x: NDArray, v: NDArray) -> tuple[tuple[NDArray, NDArray], tuple[NDArray, NDArray]]:
        """Return moment about the point and force on it, (M, F) along the directors and (m, f) in world axes."""
        M, F, m, f = np.zeros((4, 3))
        if self.tau is not None:
            tau = self.tau(t, x, v)
            M = tau[:3]
            if self.body.floats:
                F = tau[3:]
                # a joint force acts at the origin of the body frame, com away from the centre of mass
                M = M - np.cross(self.body.com, F)
        if self.f_ext is not None:
            wrench = self.f_ext(t, x, v)[1]
            f = wrench[3:]
            m = wrench[:3] - np.cross(self.point(x), f)
        return (M, F), (m, f)

    def convected_moment(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        """Return the total moment, with gravity, in body axes (3,), N m."""
        R = triad(x)
        M, m = self.moments(t, x, v)
        return M + R.T @ m + np.cross(self.body.first_moment, R.T @ self.body.gravity)

    def force_on_com(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        """Return the total force (3,) on a floating centre of mass, with gravity, world axes, N."""
        (_, F), (_, f) = self._acting(t, x, v)
        return triad(x) @ F + f + self.body.mass * self.body.gravity

    # --- where the body is --------------------------------------------------------------------------------------------

    def point(self, x: NDArray) -> NDArray:
        """Return the point that the body rotates about (..., 3): its pivot or its centre of mass, in the world."""
        if self.body.floats:
            return x[..., 9:]
        return np.broadcast_to(self.body.placement[:3, 3], (*x.shape[:-1], 3))

    def start(self, q: NDArray) -> NDArray:
        """Return the x of joint coordinates."""
        pose = self.body.placement @ self.model.joints[1].type.pose(q)
        R = pose[..., :3, :3]
        x = np.swapaxes(R, -1, -2).reshape(*q.shape[:-1], 9)
        return np.concatenate([x, pose[..., :3, 3] + R @ self.body.com], axis=-1) if self.body.floats else x

    def com_velocity(self, q: NDArray, v: NDArray) -> NDArray:
        """Return the velocity (..., 3) of the centre of mass, world axes, from joint coordinates and velocities."""
        R = self.body.placement[:3, :3] @ self.model.joints[1].type.pose(q)[..., :3, :3]
        return (R @ (v[..., 3:] + np.cross(v[..., :3], self.body.com))[..., None])[..., 0]

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        poses = np.zeros((*x.shape[:-1], 2, 4, 4))
        poses[...] = np.eye(4)
        poses[..., 1, :3, :3] = triad(x)
        poses[..., 1, :3, 3] = self.point(x) - (triad(x) @ self.body.com if self.body.floats else 0.0)
        return poses

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        velocities = np.zeros((*x.shape[:-1], 2, 6))
        velocities[..., 1, :3] = W = self.spin(x, v)
        if self.body.floats:
            along = (np.swapaxes(triad(x), -1, -2) @ v[..., -3:, None])[..., 0]
            velocities[..., 1, 3:] = along - np.cross(W, self.body.com)
        return velocities

    # --- what it keeps ------------------------------------------------------------------------------------------------

    def kinetic_energy(self, x: NDArray, v: NDArray) -> NDArray:
        """Return 1/2 W . J W (Eq 33), plus the kinetic energy of a floating centre of mass."""
        W = self.spin(x, v)
        turning = 0.5 * np.einsum("...i,ij,...j", W, self.body.J, W)
        return turning + 0.5 * self.body.mass * (v[..., -3:] ** 2).sum(axis=-1) if self.body.floats else turning

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        kinetic = self.kinetic_energy(x, v)
        falls = self.body.mass * (self.point(x) @ self.body.gravity)
        falls = falls + x[..., :9] @ np.outer(self.body.first_moment, self.body.gravity).ravel()
        return Energy(kinetic, -falls, stored_energy(self, x, v, t))

    def _kept(self, x: NDArray, v: NDArray, momenta: dict[str, NDArray]) -> dict[str, NDArray]:
        """Return K and momenta about the point while gravity has no moment about it; else the energy.

        Of a floating body in gravity, the energy too; without gravity, the linear momentum.
        """
        if self.model.acting:
            return {} if self.model.lossy else {"energy": self.energy(x, v).total}
        if self.body.weight.any():
            return {"energy": self.energy(x, v).total}
        if not self.body.floats:
            return {"K": self.kinetic_energy(x, v), **momenta}
        if self.body.gravity.any():
            return {"energy": self.energy(x, v).total, **momenta}
        return {"K": self.kinetic_energy(x, v), **momenta, "linear momentum": self.body.mass * v[..., -3:]}

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        """Return the six scalar products of directors minus 0 or 1 (Eq 63, with the rows of unit length)."""
        return np.stack(holds(triad_of(list(np.moveaxis(x, -1, 0)))), axis=-1)


def triad(x: NDArray) -> NDArray:
    """Return the directors, the first nine of x (..., n), as the columns of matrices (..., 3, 3)."""
    return np.swapaxes(x[..., :9].reshape(*x.shape[:-1], 3, 3), -1, -2)


def orthonormal(x: NDArray) -> NDArray:
    """Return x with its first nine numbers replaced by those of the nearest rotation."""
    return np.concatenate([so3.project(triad(x)).T.ravel(), x[9:]])
