"""Forces where motion is given, motion where forces are."""

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
"""Share of an inertia that is left when others move along: below, something moves that has none."""


class HybridMotion(NamedTuple):
    """Accelerations and forces of all joints: those that were given and those that were found.

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
    """Hybrid dynamics: accelerations where forces are given, forces where accelerations are.

    Springs and dampers of the joints are not added.

    Parameters
    ----------
    model : Model
        A tree of bodies.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau, a : array_like (..., nv)
        Joint forces and accelerations. tau counts at the joints in `forward`, a at all others; what stands in the other
        entries does not matter, NaN is fine.
    forward : iterable of str or int
        Names (or numbers) of the joints that follow their forces; the others are driven.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and force elements that ask for it.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

    Returns
    -------
    HybridMotion
        ``a, tau = hybrid_dynamics(...)``, complete.

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
    """The same by compiled inertia matrices and inverse dynamics; None where the readable form has to look.

    free : (nv,) bool, the variables that follow their forces. (Featherstone 2008, section 9.2)
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
    """The values with zeros where they are not read, so that anything may stand there."""
    array = floats(values, lambda v: f"{name} is not an array of numbers: {v}", StateError)
    return np.where(read, array, 0.0) if array.shape[-1:] == read.shape else model.check_v(array, name)
