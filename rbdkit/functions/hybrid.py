"""Hybrid dynamics: some joints have given forces, the others given accelerations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine import Kernels
from rbdkit.errors import StateError
from rbdkit.functions.asking import (
    Backend,
    checked_state,
    chosen_kernels,
    on_bodies,
    require_apart,
    solved,
    with_inertia,
)
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import floats

if TYPE_CHECKING:
    from rbdkit import algorithms
    from rbdkit.algorithms import ExternalForces
else:
    from rbdkit.functions.readable import algorithms

SINGULAR = 1e-12
"""Smallest ratio of a Cholesky pivot to its diagonal entry; below it, a joint moves no inertia of its own."""


class HybridMotion(NamedTuple):
    """Accelerations and forces of all joints, given and computed ones together.

    Attributes
    ----------
    a : ndarray (..., nv)
        Accelerations, rad/s2 and m/s2.
    tau : ndarray (..., nv)
        Joint forces, N m and N.
    """

    a: NDArray
    tau: NDArray


def hybrid_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a: ArrayLike,
    forward: Iterable[str | int],
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> HybridMotion:
    """Return accelerations of joints with given forces, and forces of joints with given accelerations.

    Springs and dampers of the joints are not included.

    Parameters
    ----------
    model : Model
        A tree of bodies.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau, a : array_like (..., nv)
        Joint forces and accelerations. tau is read at the joints in `forward`, a at all others; the other entries are
        ignored and may be NaN.
    forward : iterable of str or int
        Names (or numbers) of the joints whose forces are given; the others have given accelerations.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and time-dependent force elements.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    HybridMotion
        ``a, tau = hybrid_dynamics(...)``, complete vectors.

    Raises
    ------
    StateError, ModelError
        If the state has the wrong shape or is off its manifold, a joint is unknown or closes a loop, or one in
        `forward` moves something without inertia.

    See Also
    --------
    rbdkit.algorithms.hybrid_aba : The algorithm to read.
    rbdkit.algorithms.hybrid_dynamics : The same for models with mimic joints.

    Notes
    -----
    Featherstone (2008), Tables 9.2 and 9.3.

    Examples
    --------
    A cart is pulled to the right with 3 m/s2 while the pendulum on it swings freely. How strong must the pull be?

    >>> import rbdkit as rbd
    >>> model = rbd.Model("crane")
    >>> cart = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), joint_name="rail")
    >>> ball = rbd.Inertia(1.0, com=[0, 0, -1])
    >>> load = model.add_body("load", "cart", rbd.Revolute("y"), inertia=ball, joint_name="pin")
    >>> a, tau = rbd.hybrid_dynamics(model, [0, 0], [0, 0], tau=[0, 0], a=[3, 0], forward=["pin"])
    >>> a.tolist(), tau.tolist()
    ([3.0, 3.0], [6.0, 0.0])
    """
    algorithms.require_tree(model, "hybrid dynamics")
    fd = algorithms.forward_joints(model, forward)
    driven = np.ones(model.nv, dtype=bool)
    driven[algorithms.split_variables(model, fd)[0]] = False
    tau, a = (_masked(model, x, where, name) for x, where, name in ((tau, ~driven, "tau"), (a, driven, "a")))
    q, v, tau, a = checked_state(with_inertia(model), q, v=v, tau=tau, a=a)
    if model.contact_rules:
        require_apart(model, q, "hybrid_dynamics", t)
    if (kernels := chosen_kernels(model, backend)) is not None:
        found = _hybrid(kernels, ~driven, q, v, tau, a, on_bodies(model, f_ext), t)
        if found is not None:
            return found
    algorithm = algorithms.hybrid_dynamics if model.mimics else algorithms.hybrid_aba

    def both(q: NDArray, v: NDArray, tau: NDArray, a: NDArray) -> NDArray:
        result = algorithm(model, q, v, tau, a, fd, f_ext=f_ext, t=t)
        return np.stack([result.qdd, result.tau])

    return HybridMotion(*np.moveaxis(solved(model, both, q, v, tau, a), -2, 0))


def _hybrid(
    kernels: Kernels, free: NDArray, q: NDArray, v: NDArray, tau: NDArray, a: NDArray, f_ext: NDArray | None, t: float
) -> HybridMotion | None:
    """Solve hybrid dynamics by compiled CRBA and RNEA (Featherstone 2008, section 9.2); None if H is singular.

    The readable form then finds the cause. free : (nv,) bool, variables with given forces.
    """
    ones, given = np.flatnonzero(free), np.where(free, 0.0, a)
    H = kernels.crba(q, t)[..., ones[:, None], ones]
    with np.errstate(all="ignore"):
        try:
            L = np.linalg.cholesky(H)
        except np.linalg.LinAlgError:
            return None
        left = np.diagonal(L, axis1=-2, axis2=-1) ** 2
        if not (left > SINGULAR * np.diagonal(H, axis1=-2, axis2=-1)).all():
            return None
        push = (tau - kernels.rnea(q, v, given, f_ext, t))[..., ones]
        given[..., ones] = np.linalg.solve(H, push[..., None])[..., 0]
        forces = np.where(free, tau, kernels.rnea(q, v, given, f_ext, t))
    return HybridMotion(given, forces) if np.isfinite(given).all() and np.isfinite(forces).all() else None


def _masked(model: Model, values: ArrayLike, read: NDArray, name: str) -> NDArray:
    """Return the values with zeros in entries that are not read, so that these may be anything."""
    array = floats(values, lambda v: f"{name} is not an array of numbers: {v}", StateError)
    return np.where(read, array, 0.0) if array.shape[-1:] == read.shape else model.check_v(array, name)
