"""Jacobians by the parameters of a model, and the regressor of the inertial parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces
from rbdkit.derivatives.gradients import forward_dynamics_gradient, rnea_gradient
from rbdkit.derivatives.stacks import each, independent
from rbdkit.functions.asking import Backend, checked_state, resisting, with_inertia
from rbdkit.model import Model


def rnea_parameter_jacobian(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> dict[str, NDArray]:
    """Return the derivatives of the joint forces of `rnea` by each parameter of the model.

    With loops these are derivatives of the forces of the spanning tree, see `rnea`.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
    f_ext, t, backend : optional
        As for `rnea`.

    Returns
    -------
    dict of str to ndarray (..., nv, *shape of the parameter)
        By the names of ``model.parameters``; parameters without influence are left out.

    Raises
    ------
    StateError, ModelError
        As `rnea` does.

    Examples
    --------
    Two balls hang on each other; both strings are level. One more kilogram below counts at both joints:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.Model("two balls", gravity=(0, 0, -10))
    >>> ball = rbd.Inertia(1.0, com=[0, 0, -1])
    >>> upper = model.add_body("upper", joint=rbd.Revolute("y"), inertia=ball)
    >>> lower = model.add_body("lower", "upper", rbd.Revolute("y"), placement=[0, 0, -1], inertia=ball)
    >>> by = rbd.rnea_parameter_jacobian(model, [np.pi / 2, 0.0], [0.0, 0.0], [0.0, 0.0])
    >>> by["lower.mass"].round(9).tolist()
    [20.0, 10.0]
    """
    q, v, a = (x[..., None, :] for x in checked_state(with_inertia(model), q, v=v, a=a))
    return rnea_gradient(model, q, v, a, np.eye(model.nv), f_ext=f_ext, t=t, backend=backend).parameters


def forward_dynamics_parameter_jacobian(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> dict[str, NDArray]:
    """Return the derivatives of the accelerations of `forward_dynamics` by each parameter of the model.

    Parameters
    ----------
    model : Model
        A tree of bodies.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces without springs and dampers, N m and N.
    f_ext, t, backend : optional
        As for `forward_dynamics`.

    Returns
    -------
    dict of str to ndarray (..., nv, *shape of the parameter)
        By the names of ``model.parameters``; parameters without influence are left out.

    Raises
    ------
    StateError, ModelError
        As `forward_dynamics` does.

    Examples
    --------
    How does the fall of a stone change with gravity?

    >>> import rbdkit as rbd
    >>> model = rbd.Model("stone")
    >>> stone = model.add_body("stone", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0))
    >>> by = rbd.forward_dynamics_parameter_jacobian(model, [0.0], [0.0], [0.0])
    >>> by["gravity"].tolist()
    [[0.0, 0.0, 1.0]]
    """
    q, v, tau = (x[..., None, :] for x in checked_state(resisting(model), q, v=v, tau=tau))
    return forward_dynamics_gradient(model, q, v, tau, np.eye(model.nv), f_ext=f_ext, t=t, backend=backend).parameters


def inertial_regressor(
    model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """Return the regressor Y of ``rnea = Y pi``, which is linear in the inertial parameters, for their identification.

    pi are the ``ten_parameters`` of each body's inertia; rotors and external forces are not included. With loops Y is
    that of the spanning tree, see `rnea`.

    Parameters
    ----------
    model : Model
        The model; its inertias do not matter.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    ndarray (..., nv, bodies, 10)
        Entries of the world, body 0, are zero.

    Raises
    ------
    StateError, ModelError
        As `rnea` does.

    Notes
    -----
    Atkeson, An and Hollerbach (1986).

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model, q, v, a = rbd.library.double_pendulum(), [0.3, -0.5], [1.0, 2.0], [3.0, -1.0]
    >>> Y = rbd.inertial_regressor(model, q, v, a)
    >>> pi = np.array([np.zeros(10), *(body.inertia.ten_parameters for body in model.bodies[1:])])
    >>> Y.shape, np.allclose(np.tensordot(Y, pi, 2), rbd.rnea(model, q, v, a), rtol=1e-12)
    ((2, 3, 10), True)
    """
    state = checked_state(with_inertia(model), q, v=v, a=a)
    if (kernels := independent(model, backend)) is not None:
        rows = [x[..., None, :] for x in state]
        q, v, a, w = checked_state(with_inertia(model), rows[0], v=rows[1], a=rows[2], weights=np.eye(model.nv))
        return kernels.inertial_gradient(kernels.rnea_gradient(q, v, a, w).by_link)
    return each(lambda q, v, a: [algorithms.inertial_regressor(model, q, v, a, t=t)], *state)[0]
