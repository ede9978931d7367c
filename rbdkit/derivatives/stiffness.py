"""Stiffness and damping matrices of a model's force elements and joints, for linearly implicit steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.passive_derivatives import passive_derivatives
from rbdkit.algorithms.passive_force import joint_passive_force
from rbdkit.engine.links.element_slopes import slopes
from rbdkit.errors import StateError
from rbdkit.functions.asking import checked_state
from rbdkit.model import Model


@dataclass(frozen=True, eq=False)
class StiffnessAndDamping:
    """Forces on the bodies and joints of a model, with stiffness and damping matrices (Sueda Eqs 1.30, 2.79).

    Wrenches and twists of a body are in its own axes, angular part first, about its origin; body i begins at row
    ``6 (i - 1)``, the joints follow all bodies.

    Attributes
    ----------
    bodies : int
        Number n of bodies, without the world.
    f : ndarray (6 n + nv,)
        Wrenches on bodies, then joint forces.
    K, D : scipy.sparse.csr_array (6 n + nv, 6 n + nv)
        Stiffness df/dE by displacements of bodies and joints at constant twists and joint velocities, and damping
        -df/dPhi.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> _ = model.add_spring("band", "rod", "world", 20.0, 0.0, damping=3.0)
    >>> both = rbd.stiffness_and_damping(model, [0.0], [0.0])
    >>> both.K_m.diagonal().tolist(), both.D_m.diagonal().tolist()
    ([0.0, 0.0, 0.0, -20.0, -20.0, -20.0], [0.0, 0.0, 0.0, 3.0, 3.0, 3.0])
    """

    bodies: int
    f: NDArray
    K: scipy.sparse.csr_array
    D: scipy.sparse.csr_array

    @property
    def f_m(self) -> NDArray:
        """Wrenches on bodies, (6 n,)."""
        return self.f[: 6 * self.bodies]

    @property
    def f_r(self) -> NDArray:
        """Joint forces, (nv,)."""
        return self.f[6 * self.bodies :]

    @property
    def K_m(self) -> scipy.sparse.csr_array:
        """Stiffness of the bodies, the block (6 n, 6 n) of K."""
        return self.K[: 6 * self.bodies, : 6 * self.bodies]

    @property
    def D_m(self) -> scipy.sparse.csr_array:
        """Damping of the bodies, the block (6 n, 6 n) of D."""
        return self.D[: 6 * self.bodies, : 6 * self.bodies]

    @property
    def K_r(self) -> scipy.sparse.csr_array:
        """Stiffness of the joints, the block (nv, nv) of K."""
        return self.K[6 * self.bodies :, 6 * self.bodies :]

    @property
    def D_r(self) -> scipy.sparse.csr_array:
        """Damping of the joints, the block (nv, nv) of D."""
        return self.D[6 * self.bodies :, 6 * self.bodies :]

    def symmetrized(self) -> StiffnessAndDamping:
        """Return the matrices with (K + K^T) / 2 and (D + D^T) / 2, as by Baraff and Witkin (Sueda, section 1.9.2)."""
        return replace(
            self,
            K=scipy.sparse.csr_array(0.5 * (self.K + self.K.T)),
            D=scipy.sparse.csr_array(0.5 * (self.D + self.D.T)),
        )


def stiffness_and_damping(
    model: Model, q: ArrayLike, v: ArrayLike, *, z: ArrayLike | None = None, t: float = 0.0
) -> StiffnessAndDamping:
    """Return the passive forces on bodies and joints, with stiffness K and damping D (Sueda Eq 1.30).

    Derivatives are exact, of force elements and of springs, dampers and friction of joints. In these body coordinates
    each element fills few blocks. Loops and constraints are ignored: all bodies count as free.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (nq,)
        Coordinates, rad and m, on their manifold.
    v : array_like (nv,)
        Joint velocities, rad/s and m/s.
    z : array_like (nz,), optional
        States of force elements, required if the model has any; they are held constant.
    t : float, optional
        Time, s; for prescribed joints and force elements that ask for it.

    Returns
    -------
    StiffnessAndDamping
        f, sparse ``K = df/dE`` and ``D = -df/dPhi``, for the wrenches on all bodies in their own axes, followed by the
        joint forces.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If `model` is not a model, states of force elements are not given, or an element cannot be traced.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> _ = model.add_spring("band", "rod", "world", 20.0, 0.0)
    >>> rbd.stiffness_and_damping(model, [0.0], [0.0]).K.diagonal()[3:6].tolist()
    [-20.0, -20.0, -20.0]
    """
    q, qd = checked_state(model, q, v=v)
    z = model.check_z(z)
    if q.ndim != 1 or qd.ndim != 1 or z.ndim != 1:
        raise StateError("stiffness_and_damping takes one state; call it for each of a stack")
    n = len(model.bodies) - 1
    size, joints = 6 * n + model.nv, 6 * n + np.arange(model.nv)
    own = slopes(model, q, qd, z, t)
    f = own.f
    f[6 * n :] += joint_passive_force(model, q, qd)
    passive = passive_derivatives(model, q, qd)  # Eq 2.78
    rows, columns = np.repeat(joints, model.nv), np.tile(joints, model.nv)
    where = np.concatenate([own.rows, rows]), np.concatenate([own.columns, columns])
    K = scipy.sparse.coo_array((np.concatenate([own.K, passive.dtau_dq.ravel()]), where), shape=(size, size))
    D = scipy.sparse.coo_array((np.concatenate([own.D, -passive.dtau_dv.ravel()]), where), shape=(size, size))
    found = [scipy.sparse.csr_array(each) for each in (K, D)]
    for matrix in found:
        matrix.eliminate_zeros()
    return StiffnessAndDamping(n, f, *found)
