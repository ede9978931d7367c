"""Joint forces of the actuators of a model for given controls."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.functions.asking import checked_state
from rbdkit.model import Model
from rbdkit.model.controls import check_u, drives, own_controls
from rbdkit.model.leading_axes import common_axes
from rbdkit.trace import Symbols


def actuator_force(
    model: Model, q: ArrayLike, v: ArrayLike, u: ArrayLike | Mapping[str, float] | None = None
) -> NDArray:
    """Return the joint forces of all actuators of a model for given controls.

    Parameters
    ----------
    model : Model
        The mechanism, with actuators; see `Model.add_motor`.
    q : array_like (..., nq)
        Coordinates, rad and m; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    u : array_like (..., nu) or mapping of str to float, optional
        Controls in the order of `Model.u_names`, or by these names; the actuators' own if not given.

    Returns
    -------
    ndarray (..., nv)
        N m and N.

    Raises
    ------
    StateError
        If a vector has the wrong shape or is not finite, q is off its manifold, a control is out of its range, or there
        is no actuator of that name.
    ModelError
        If the model has no actuators, or one drives a joint that closes a loop.

    See Also
    --------
    passive_force : The forces of all force elements, actuators with their own controls among them.

    Examples
    --------
    A position servo holds a pendulum by 20 N m/rad:

    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> _ = model.add_servo("hinge", kp=20.0)
    >>> rbd.actuator_force(model, [0.1], [0.0], [0.4]).round(12).tolist()
    [6.0]
    """
    q, v = checked_state(model, q, v=v)
    controls = own_controls(model) if u is None else u
    if not any(isinstance(x, Symbols) for x in (q, v, controls)):
        controls = check_u(model, controls)
        lead = common_axes({"q": q, "v": v, "u": controls})
        q, v, controls = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (q, v, controls))
    return drives(model).joint_forces(controls, q, v)
