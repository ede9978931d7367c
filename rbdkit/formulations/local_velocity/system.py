"""Free bodies in unified local velocity coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.formulations.formulation import Force
from rbdkit.formulations.free_bodies import FreeBodies, finite
from rbdkit.formulations.local_velocity import tangent
from rbdkit.formulations.local_velocity.equations import EQUATIONS
from rbdkit.formulations.local_velocity.mass_matrix import mass_matrix
from rbdkit.formulations.local_velocity.projection import Projection
from rbdkit.model import Model
from rbdkit.spatial import se3


class LocalVelocity(FreeBodies):
    """The `Formulation` whose x are the poses H of the central frames and whose v are the w of all bodies.

    With the Runge-Kutta-Munthe-Kaas method ``"rk4"`` it is the scheme of Eqs 82-87 of Holzinger, Gerstmayr, Schöberl,
    the incremental motion vector n beginning every step at zero and the loads taken at the poses of the stages.
    x holds the upper three rows of each H, v the six w of each body.

    Parameters
    ----------
    model, tau, f_ext
        See `FreeBodies`.
    projection : Projection or mapping of str to Projection, optional
        Six points and directions for all bodies, or by body name, with the hexahedral one of unit lengths for those
        not named. Points are counted from the centre of mass.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> q, v = rbd.library.tumbling_box_state(spin=(1.0, 2.0, 3.0))
    >>> motion = rbd.simulate(rbd.library.tumbling_box(), q, v, duration=0.2, formulation="local_velocity")
    >>> bool(abs(motion.energy_error()).max() < 1e-9)
    True
    """

    name: ClassVar[str] = "local_velocity"
    equations = EQUATIONS

    def __init__(
        self,
        model: Model,
        tau: Force | None = None,
        f_ext: Force | None = None,
        projection: Projection | Mapping[str, Projection] | None = None,
    ) -> None:
        super().__init__(model, tau, f_ext)
        self.projections = _each(model, projection)
        self.D = np.array([p.D for p in self.projections])
        self.D_inverse = np.array([p.D_inverse for p in self.projections])
        self.M = np.array([mass_matrix(*body) for body in zip(self.projections, self.mass, self.J, strict=True)])
        self.M_inverse = np.linalg.inv(self.M)

    # --- equations ----------------------------------------------------------------------------------------------------

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        Q = np.swapaxes(self.D_inverse, -1, -2) @ self.forces(t, finite(x), finite(v))[..., None]  # Eq 53
        return (self.M_inverse @ (Q - self.gamma_w(v)[..., None])).ravel()  # Eq 79

    def gamma_w(self, v: NDArray) -> NDArray:
        """Return the quadratic velocity term Gamma w (n, 6) of Eq 51 with Gamma from Eq 56."""
        v_L = self._apply(self.D_inverse, v)
        U, Omega = v_L[:, :3], v_L[:, 3:]
        momentum = np.concatenate([self.mass[:, None] * U, (self.J @ Omega[..., None])[..., 0]], axis=-1)
        turning = np.concatenate([np.cross(Omega, momentum[:, :3]), np.cross(Omega, momentum[:, 3:])], axis=-1)
        return (np.swapaxes(self.D_inverse, -1, -2) @ turning[..., None])[..., 0]

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        n = self._apply(self.D_inverse, finite(u))
        return self.place(self.frames(x) @ tangent.exp(n))  # Eq 81

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        n = self._apply(self.D_inverse, u)
        n_dot = tangent.inverse(n) @ self._apply(self.D_inverse, v)[..., None]  # Eqs 11, 72
        return (self.D @ n_dot).ravel()

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        n = tangent.log(se3.inverse(self.frames(x0)) @ self.frames(x1))
        return (self.D @ n[..., None]).ravel()

    def numbers(self) -> NDArray:
        parts = [self.D_inverse, self.M_inverse @ np.swapaxes(self.D_inverse, -1, -2)]
        upper = self.J[:, *np.triu_indices(3)]
        sizes = [*(part.reshape(self.n, 36) for part in parts), self.mass[:, None], upper, self.D.reshape(self.n, 36)]
        return np.hstack(sizes)

    # --- state --------------------------------------------------------------------------------------------------------

    def place(self, H: NDArray) -> NDArray:
        return H[..., :3, :].reshape(*H.shape[:-3], 12 * self.n)

    def frames(self, x: NDArray) -> NDArray:
        H = np.zeros((*x.shape[:-1], self.n, 4, 4))
        H[..., :3, :] = x.reshape(*x.shape[:-1], self.n, 3, 4)
        H[..., 3, 3] = 1.0
        return H

    def set_twists(self, x: NDArray, v_L: NDArray) -> NDArray:
        return (self.D @ v_L[..., None]).reshape(*v_L.shape[:-2], 6 * self.n)

    def twists(self, x: NDArray, v: NDArray) -> NDArray:
        return self._apply(self.D_inverse, v)

    def _apply(self, matrices: NDArray, v: NDArray) -> NDArray:
        """Multiply a matrix for each body (n, 6, 6) by its part of v (..., 6 n), to (..., n, 6)."""
        return (matrices @ v.reshape(*v.shape[:-1], self.n, 6, 1))[..., 0]


def _each(model: Model, projection: Projection | Mapping[str, Projection] | None) -> tuple[Projection, ...]:
    """Return the projection of each body."""
    if isinstance(projection, Mapping):
        for name in projection:
            model.body(name)
        return tuple(projection.get(body.name, Projection.hexahedral()) for body in model.bodies[1:])
    if not isinstance(projection, Projection | None):
        raise ModelError(f"projection {projection!r} is not a Projection; make one with Projection(points, directions)")
    return (projection or Projection.hexahedral(),) * (len(model.bodies) - 1)
