"""Free bodies with unit quaternions, moved by incremental rotation vectors."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.free_bodies import FreeBodies, finite
from rbdkit.formulations.quaternion.equations import EQUATIONS
from rbdkit.spatial import quaternion, so3


class QuaternionBodies(FreeBodies):
    """The `Formulation` whose x are a quaternion and a position of each body and whose v are (Omega, velocity).

    Omega is in body axes, the velocity of the centre of mass in world axes. The state moves by a rotation vector n and
    a shift: ``p = p0 exp(n)`` with ``n' = T_SO(3)^-1(n) Omega``: three equations, in place of four for the quaternion's
    rate with a norm condition. No quaternion is normalised: products of unit quaternions stay on the sphere. With
    ``"rk4"`` it is the method "f1" that Holzinger, Gerstmayr, Schöberl compare theirs against: Z. Terze, A. Müller,
    D. Zlatar, Singularity-free time integration of rotational quaternions using non-redundant ordinary differential
    equations, Multibody System Dynamics 38 (2016).

    Parameters
    ----------
    model : Model
        Free bodies.
    tau : callable, optional
        Joint forces as a function of (t, x, v), or None.
    f_ext : callable, optional
        External forces (bodies, 6) as a function of (t, x, v), or None.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> q, v = rbd.library.tumbling_box_state(spin=(1.0, 2.0, 3.0))
    >>> motion = rbd.simulate(rbd.library.tumbling_box(), q, v, duration=0.2, formulation="quaternion")
    >>> bool(np.abs(np.linalg.norm(motion.q[:, :4], axis=1) - 1.0).max() < 1e-13)
    True
    """

    name: ClassVar[str] = "quaternion"
    equations = EQUATIONS

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        wrench = self.forces(t, finite(x), finite(v))
        Omega = v.reshape(self.n, 6)[:, :3]
        moment = wrench[:, 3:] - np.cross(Omega, (self.J @ Omega[..., None])[..., 0])
        R = quaternion.to_matrix(x.reshape(self.n, 7)[:, :4])
        acceleration = (R @ wrench[:, :3, None])[..., 0] / self.mass[:, None]
        spin_rate = np.linalg.solve(self.J, moment[..., None])[..., 0]  # Euler's equations
        return np.concatenate([spin_rate, acceleration], axis=-1).ravel()

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        x, u = x.reshape(self.n, 7), finite(u).reshape(self.n, 6)
        p = quaternion.multiply(x[:, :4], quaternion.exp(u[:, :3]))
        return np.concatenate([p, x[:, 4:] + u[:, 3:]], axis=-1).ravel()

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        u, v = u.reshape(self.n, 6), v.reshape(self.n, 6)
        n_rate = (so3.right_jacobian_inverse(u[:, :3]) @ v[:, :3, None])[..., 0]
        return np.concatenate([n_rate, v[:, 3:]], axis=-1).ravel()

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        x0, x1 = x0.reshape(self.n, 7), x1.reshape(self.n, 7)
        turn = quaternion.log(quaternion.multiply(quaternion.conjugate(x0[:, :4]), x1[:, :4]))
        return np.concatenate([turn, x1[:, 4:] - x0[:, 4:]], axis=-1).ravel()

    def numbers(self) -> NDArray:
        upper = np.triu_indices(3)
        return np.hstack([self.J[:, *upper], np.linalg.inv(self.J)[:, *upper]])

    # --- state --------------------------------------------------------------------------------------------------------

    def place(self, H: NDArray) -> NDArray:
        x = np.concatenate([quaternion.from_matrix(H[..., :3, :3]), H[..., :3, 3]], axis=-1)
        return x.reshape(*x.shape[:-2], 7 * self.n)

    def frames(self, x: NDArray) -> NDArray:
        parts = x.reshape(*x.shape[:-1], self.n, 7)
        H = np.zeros((*parts.shape[:-1], 4, 4))
        H[..., :3, :3] = quaternion.to_matrix(parts[..., :4])
        H[..., :3, 3], H[..., 3, 3] = parts[..., 4:], 1.0
        return H

    def set_twists(self, x: NDArray, v_L: NDArray) -> NDArray:
        R = self.frames(x)[..., :3, :3]
        v = np.concatenate([v_L[..., 3:], (R @ v_L[..., :3, None])[..., 0]], axis=-1)
        return v.reshape(*v.shape[:-2], 6 * self.n)

    def twists(self, x: NDArray, v: NDArray) -> NDArray:
        parts = v.reshape(*v.shape[:-1], self.n, 6)
        R = self.frames(x)[..., :3, :3]
        U = (np.swapaxes(R, -1, -2) @ parts[..., 3:, None])[..., 0]
        return np.concatenate([U, parts[..., :3]], axis=-1)
