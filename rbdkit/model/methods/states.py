"""Methods of `Model` for states: initial values, and motion and differences on the configuration manifold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.joints.joint_type import VectorJoint
from rbdkit.model.element_states import initial_states
from rbdkit.model.joint import Joint
from rbdkit.model.kept import kept
from rbdkit.model.methods.checks import aligned
from rbdkit.spatial.read_numbers import first_line, shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model


def neutral(self: Model) -> NDArray:
    """Coordinates at which every joint's frames coincide.

    Returns
    -------
    ndarray (nq,)

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.spherical_pendulum().neutral().tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    q = np.zeros(self.nq)
    for joint in self._independent:
        if type(joint.type).neutral is not VectorJoint.neutral:  # which is zero
            q[joint.q_slice] = joint.type.neutral()
    return q


def random_q(self: Model, rng: np.random.Generator | int | None = None) -> NDArray:
    """Random coordinates on the manifold, within limits where both bounds are finite.

    Parameters
    ----------
    rng : numpy.random.Generator or int, optional
        A NumPy generator or a seed.

    Returns
    -------
    ndarray (nq,)

    Raises
    ------
    StateError
        If `rng` is neither.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.spherical_pendulum()
    >>> q = model.random_q(0)
    >>> round(float(q @ q), 9)
    1.0
    """
    try:
        rng = np.random.default_rng(rng)
    except (TypeError, ValueError, OverflowError) as fault:
        raise StateError(f"rng {shown(rng)} is neither a NumPy generator nor a seed: {first_line(fault)}") from None
    q = np.zeros(self.nq)
    for joint in self._independent:
        own = joint.type.random(rng)
        lower, upper = np.asarray(joint.limits.lower), np.asarray(joint.limits.upper)
        bounded = np.isfinite(lower) & np.isfinite(upper)
        own[bounded] = rng.uniform(lower[bounded], upper[bounded])
        q[joint.q_slice] = own
    return q


def initial_z(self: Model, z0: Mapping[str, ArrayLike] | ArrayLike | None = None) -> NDArray:
    """Return the initial states of force elements, (nz,): the values of their fields, or as given.

    Parameters
    ----------
    z0 : mapping of str to array_like, or array_like (nz,), optional
        Values by the names of states, ``{"muscle.activation": 0.2}``, or all of them.

    Returns
    -------
    ndarray (nz,)

    Raises
    ------
    StateError
        If there is no such state, or a value is not finite or has another shape.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> seal = rbd.Maxwell("rod", "world", stiffness=20.0, damping=5.0, dashpot=0.01, at_b=(1.0, 0.0, 0.0))
    >>> _ = model.add_force("seal", seal)
    >>> model.z_names, model.initial_z().tolist(), model.initial_z({"seal.dashpot": 0.02}).tolist()
    (('seal.dashpot',), [0.01], [0.02])
    """
    return initial_states(self, z0)


def integrate(self: Model, q: ArrayLike, dv: ArrayLike) -> NDArray:
    """q moved along the constant velocity dv for one unit of time, on its manifold.

    Parameters
    ----------
    q : array_like (..., nq)
        Coordinates; stacks allowed.
    dv : array_like (..., nv)
        Displacement, rad and m.

    Returns
    -------
    ndarray (..., nq)

    Raises
    ------
    StateError
        If a shape is wrong, or a number is not finite or beyond the limits of `check_q` and `check_v`.

    Examples
    --------
    Half a turn of a ball joint about z:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.spherical_pendulum()
    >>> model.integrate(model.neutral(), [0, 0, np.pi]).round(9).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    return self.move(*aligned(self, ("q", q, "q_slice"), ("dv", dv, "v_slice")))


def move(self: Model, q: NDArray, dv: NDArray) -> NDArray:
    """Return q moved along dv, as `integrate` does but without checks; for integrators, which check the result."""
    q_added, v_added, others = kept(self, _added)
    if not others:
        return q + dv
    moved = np.empty_like(q)
    moved[..., q_added] = q[..., q_added] + dv[..., v_added]
    for joint in others:
        moved[..., joint.q_slice] = joint.type.integrate(q[..., joint.q_slice], dv[..., joint.v_slice])
    return moved


def difference(self: Model, q0: ArrayLike, q1: ArrayLike) -> NDArray:
    """Return the dv with ``integrate(q0, dv) = q1``.

    Parameters
    ----------
    q0, q1 : array_like (..., nq)
        Coordinates; stacks allowed.

    Returns
    -------
    ndarray (..., nv)
        rad and m.

    Raises
    ------
    StateError
        As `integrate` does.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.spherical_pendulum()
    >>> q = model.integrate(model.neutral(), [0.1, 0.2, 0.3])
    >>> model.difference(model.neutral(), q).round(9).tolist()
    [0.1, 0.2, 0.3]
    """
    return self.displacement(*aligned(self, ("q0", q0, "q_slice"), ("q1", q1, "q_slice")))


def displacement(self: Model, q0: NDArray, q1: NDArray) -> NDArray:
    """Return the dv from q0 to q1, as `difference` does but without checks."""
    q_added, v_added, others = kept(self, _added)
    if not others:
        return q1 - q0
    dv = np.empty((*q0.shape[:-1], self.nv))
    dv[..., v_added] = q1[..., q_added] - q0[..., q_added]
    for joint in others:
        dv[..., joint.v_slice] = joint.type.difference(q0[..., joint.q_slice], q1[..., joint.q_slice])
    return dv


def rate(self: Model, q: ArrayLike, v: ArrayLike) -> NDArray:
    """qdot = qdfn(model, q, v): rates of the coordinates as they are stored (Featherstone 2008, Eq 3.7).

    Parameters
    ----------
    q : array_like (..., nq)
        Coordinates; stacks allowed.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.

    Returns
    -------
    ndarray (..., nq)
        rad/s, m/s, and 1/s of quaternions.

    Raises
    ------
    StateError
        As `integrate` does.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.spherical_pendulum()
    >>> model.rate(model.neutral(), [0, 0, 2.0])[1:].tolist()
    [0.0, 0.0, 1.0]
    """
    q, v = aligned(self, ("q", q, "q_slice"), ("v", v, "v_slice"))
    qdot = np.empty_like(q)
    for joint in self._independent:
        qdot[..., joint.q_slice] = joint.type.rate(q[..., joint.q_slice], v[..., joint.v_slice])
    return qdot


def local_rate(self: Model, u: NDArray, v: NDArray) -> NDArray:
    """d/dt of u where ``q = integrate(q0, u)`` moves with velocity v; shape (nv,)."""
    du = v.copy()
    for joint in self._curved:
        du[joint.v_slice] = joint.type.local_rate(u[joint.v_slice]) @ v[joint.v_slice]
    return du


def _added(model: Model) -> tuple[NDArray, NDArray, list[Joint]]:
    """Numbers of the coordinates to which displacements are simply added, and of those; and the joints that turn."""
    kinds = [type(joint.type) for joint in model._independent]
    simple = [(kind.integrate, kind.difference) == (VectorJoint.integrate, VectorJoint.difference) for kind in kinds]
    added = [joint for joint, adds in zip(model._independent, simple, strict=True) if adds]
    q_added = [k for joint in added for k in range(joint.q_slice.start, joint.q_slice.stop)]
    v_added = [k for joint in added for k in range(joint.v_slice.start, joint.v_slice.stop)]
    others = [joint for joint, adds in zip(model._independent, simple, strict=True) if not adds]
    return np.array(q_added, dtype=int), np.array(v_added, dtype=int), others
