"""The first-order state equation ``dx/dt = f(t, x)``, for integrators of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces, external_forces
from rbdkit.algorithms.contact.apart import require_apart
from rbdkit.errors import StateError
from rbdkit.formulations.formulation import always
from rbdkit.formulations.joint import JointSystem
from rbdkit.model import Model
from rbdkit.model.closing import by, gaps
from rbdkit.model.kept import snapshot
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import floats

OFF = 1e-3
"""Largest deviation of a quaternion's norm from 1, and of loops from closure, that a good integration leaves."""


class StateEquation:
    """``dx/dt = FD_x(model, x, tau)`` with x = (q, v), as a function of (t, x) (Featherstone 2008, Eq 3.9).

    With states z of force elements, x = (q, v, z).

    Use it with `scipy.integrate.solve_ivp` and the like; `simulate` does not need it, and keeps quaternions normalised.

    Parameters
    ----------
    model : Model
        A tree, or one with loops; joints may mimic others or be prescribed.
    tau : array_like (nv,) or callable, optional
        Joint forces in addition to springs and dampers of the joints, or a function of (t, q, v); none if not given.
    f_ext : mapping of str to array_like (6,), array_like (bodies, 6) or callable, optional
        External forces in world coordinates, see `rbdkit.wrench`, or a function of (t, q, v) that gives them.

    Notes
    -----
    Loops are not stabilised, unlike in `simulate`: they open slowly by the integrator's errors.

    The stages of a general integrator leave the sphere of unit quaternions. The equation is evaluated at the nearest
    coordinates on it, so it is smooth around the sphere and methods keep their order; on the sphere, where the exact
    solution stays, it is Eq 3.9. `split` normalises a solution, and refuses one that is too far off.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from scipy.integrate import solve_ivp
    >>> model = rbd.library.spherical_pendulum()
    >>> equation = rbd.StateEquation(model)
    >>> start = equation.join(model.integrate(model.neutral(), [0.8, 0.0, 0.0]), [0.0, 0.0, 2.0])
    >>> run = solve_ivp(equation, (0.0, 1.0), start, method="DOP853", rtol=1e-10, atol=1e-10)
    >>> q, v = equation.split(run.y.T)
    >>> energy = rbd.energy(model, q, v).total
    >>> bool(np.ptp(energy) < 1e-7)
    True
    """

    def __init__(
        self,
        model: Model,
        tau: ArrayLike | Callable[[float, NDArray, NDArray], ArrayLike] | None = None,
        *,
        f_ext: ExternalForces | Callable[[float, NDArray, NDArray], ExternalForces] = None,
    ) -> None:
        require_model(model)
        self.model = model = snapshot(model)
        self._system = JointSystem(model, _torque(model, tau), _forces(model, f_ext))

    def __call__(self, t: float, x: ArrayLike) -> NDArray:
        """Return (qdot, vdot, zdot), shape (nq + nv + nz,), at x = (q, v, z); NaN where x is not finite.

        Raises
        ------
        StateError
            If x has the wrong shape, or a quaternion in it is zero.
        """
        x = floats(x, "x = {} must be numbers (nq + nv,)".format, StateError)
        if x.shape != (self._size,):
            raise StateError(self._needs(x))
        q, v = x[: self.model.nq], x[self.model.nq :]  # behind the velocities the states of force elements
        if not np.isfinite(x).all():
            return np.full_like(x, np.nan)  # so a step that is on trial only is taken back
        q = self._on_manifold(q)
        # this equation knows no contacts, so bodies must not touch
        if self.model.contact_rules:
            require_apart(self.model, q, "StateEquation", float(t))
        try:
            vdot = self._system.rate(float(t), q, v)
        except FloatingPointError:
            return np.full_like(x, np.nan)
        return np.concatenate([self.model.rate(q, v[: self.model.nv]), vdot])

    def join(self, q: ArrayLike, v: ArrayLike, z: ArrayLike | None = None) -> NDArray:
        """Concatenate x = (q, v, z), shape (..., nq + nv + nz), of coordinates, velocities and states of elements.

        Raises
        ------
        StateError
            If they do not fit.
        ModelError
            If force elements have states and z is not given.
        """
        parts = self.model.check_q(q), self.model.check_v(v), self.model.check_z(z)
        lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)

    def split(self, x: ArrayLike) -> tuple[NDArray, ...]:
        """Return q (..., nq), on its manifold, and v (..., nv) of x (..., nq + nv); also z (..., nz) if it has states.

        Raises
        ------
        StateError
            If x has the wrong shape, holds numbers that are not finite, is farther from the manifold than a good
            integration goes, or leaves loops as far open.
        """
        x = floats(x, "x = {} must be numbers (..., nq + nv)".format, StateError)
        if x.shape[-1:] != (self._size,):
            raise StateError(self._needs(x))
        nq, end = self.model.nq, self.model.nq + self.model.nv
        raw, v = x[..., :nq], self.model.check_v(x[..., nq:end])
        if not np.isfinite(raw).all():
            return self.model.check_q(raw), v  # raises, with the joint's name
        q = self._on_manifold(raw)
        off = float(np.abs(q - raw).max(initial=0.0))
        if off > OFF:
            raise StateError(
                f"x is off the manifold of q by {off:.3g}: a quaternion has lost its norm; "
                "integrate with smaller tolerances or steps"
            )
        for one in q.reshape(-1, nq) if self.model.loops else ():
            open_by = gaps(self.model, one)
            if open_by.max() > OFF:
                l = int(np.argmax(open_by.max(axis=1)))
                raise StateError(
                    f"x leaves loop joint {self.model.loops[l].joint.name!r} open by {by(*open_by[l])}; "
                    "integrate with smaller tolerances or steps, or take rbdkit.simulate, which keeps loops closed"
                )
        return (q, v, self.model.check_z(x[..., end:])) if self.model.nz else (q, v)

    @property
    def _size(self) -> int:
        return self.model.nq + self.model.nv + self.model.nz

    def _on_manifold(self, q: NDArray) -> NDArray:
        """Return q with normalised quaternions."""
        return self.model.check_q(self.model.integrate(q, np.zeros((*q.shape[:-1], self.model.nv))))

    def _needs(self, x: NDArray) -> str:
        nq, nv = self.model.nq, self.model.nv
        states = f" and {self.model.nz} of z" if self.model.nz else ""
        return (
            f"x has shape {x.shape}; model {self.model.name!r} needs ({self._size},): {nq} of q and {nv} of v{states}"
        )


def _torque(model: Model, tau: Any) -> Callable[[float, NDArray, NDArray], NDArray] | None:
    if tau is None:
        return None
    if callable(tau):
        return partial(_of_law, _vector, model, tau)
    return partial(always, _vector(model, tau))


def _of_law(read: Callable[[Model, Any], NDArray], model: Model, law: Any, t: float, q: NDArray, v: NDArray) -> NDArray:
    """Call a user's force function with copies of the state, which it cannot change, and check its result."""
    return read(model, law(t, q.copy(), v.copy()))


def _vector(model: Model, tau: ArrayLike) -> NDArray:
    array = model.check_v(tau, "tau")
    if array.ndim != 1:
        raise StateError(f"tau has shape {array.shape}; the state equation needs ({model.nv},)")
    return array


def _forces(model: Model, f_ext: Any) -> Callable[[float, NDArray, NDArray], NDArray] | None:
    if f_ext is None:
        return None
    if callable(f_ext):
        return partial(_of_law, _array, model, f_ext)
    return partial(always, _array(model, f_ext))


def _array(model: Model, f_ext: ExternalForces) -> NDArray:
    array = external_forces(model, f_ext)
    return np.zeros((len(model.bodies), 6)) if array is None else array
