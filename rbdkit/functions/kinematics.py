"""Kinematics: poses, velocities, Jacobians, bias accelerations, and the centre of mass."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine import at_one_state
from rbdkit.engine.steps.sizes import REFERENCES
from rbdkit.functions.asking import (
    Backend,
    checked_state,
    chosen_kernels,
    each,
    with_inertia,
)
from rbdkit.model import Model
from rbdkit.results import handed, into
from rbdkit.trace import Symbols

if TYPE_CHECKING:
    from rbdkit import algorithms
    from rbdkit.algorithms.jacobian import Reference
else:
    from rbdkit.functions.readable import algorithms


def forward_kinematics(
    model: Model, q: ArrayLike, v: ArrayLike | None = None, *, t: float = 0.0, backend: Backend = "auto"
) -> algorithms.Kinematics:
    """Return the poses of all bodies in the world and, if joint velocities are given, their spatial velocities.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv), optional
        Joint velocities, rad/s and m/s.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    rbdkit.algorithms.Kinematics
        ``poses`` (..., bodies, 4, 4), ``velocities`` (..., bodies, 6) in body coordinates or None, and those of a body
        or frame by name, ``pose(frame)`` and ``velocity(frame)``.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If `model` is not a model.

    Examples
    --------
    Where is the tip of the lower rod, when both rods are level?

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> tip = model.add_frame("tip", "rod2", [0, 0, -1])
    >>> np.abs(rbd.forward_kinematics(model, [np.pi / 2, 0]).pose("tip")[:3, 3].round(9)).tolist()
    [2.0, 0.0, 0.0]
    """
    found = at_one_state(model, "poses", backend, q) if v is None else at_one_state(model, "kinematics", backend, q, v)
    if found is not None:
        return algorithms.Kinematics(model, found, None) if v is None else algorithms.Kinematics(model, *found)
    kernels = chosen_kernels(model, backend)
    q, v = (model.check_q(q), None) if v is None else checked_state(model, q, v=v)
    if kernels is not None:
        return algorithms.Kinematics(model, *kernels.forward_kinematics(q, v, t))
    return algorithms.forward_kinematics(model, q, v, t=t)


def jacobian(
    model: Model,
    q: ArrayLike,
    frame: str,
    reference: Reference = "body",
    *,
    t: float = 0.0,
    backend: Backend = "auto",
    out: NDArray | None = None,
    threads: int = 1,
) -> NDArray:
    """Return the Jacobian J of a body or frame, whose velocity is ``J v``.

    The columns belong to the joints of the spanning tree; with loops, v must satisfy these. The velocity due to
    prescribed joints comes in addition.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    frame : str
        Name of a body or frame.
    reference : {'body', 'world', 'aligned'}, optional
        Coordinates of the velocity: 'body', the frame's own axes and the velocity of its origin; 'world', world axes
        and the velocity of the point that passes the world origin; 'aligned', world axes and the velocity of the
        frame's origin, what a camera in the world sees.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.
    out : ndarray, optional
        Output buffer, a contiguous array of floats of the result's shape that shares no memory with an argument; new
        memory if not given. After an error its content is undefined.
    threads : int, optional
        Number of threads that share a large stack of states; the result does not depend on it, to the last bit. It may
        differ from that of single calls in the last digits, as large stacks have their own code: see "Stacks" in
        `rbdkit`.

    Returns
    -------
    ndarray (..., 6, nv)
        The angular part in the first three rows.

    Raises
    ------
    StateError
        If q has the wrong shape, is not finite, or is off its manifold; or if there is no such reference.
    ModelError
        If there is no such body or frame.

    Notes
    -----
    Featherstone (2008), Eqs 2.18 and 4.6.

    Examples
    --------
    A hanging rod of 1 m that turns with 1 rad/s about y: its tip moves with 1 m/s against x.

    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> tip = model.add_frame("tip", "rod", [0, 0, -1])
    >>> J = rbd.jacobian(model, [0.0], "tip", "aligned")
    >>> J.shape, J[[1, 3], 0].tolist()
    ((6, 1), [1.0, -1.0])
    """
    if type(frame) is type(reference) is str and reference in REFERENCES:
        found = at_one_state(model, f"jacobian_{reference}", backend, q, frame=frame)
        if found is not None:
            return found if out is None and threads == 1 else handed(found, out, threads, np.asarray(q))
    if (
        (kernels := chosen_kernels(model, backend)) is not None
        and isinstance(reference, str)
        and reference in REFERENCES
    ):
        place, q = model.frame(frame), model.check_q(q)
        result = into(out, threads, (*q.shape[:-1], 6, model.nv), q)
        return kernels.jacobian(q, place.body, place.placement, reference, t, result)
    (q,) = checked_state(model, q)
    into(out, threads, (*q.shape[:-1], 6, model.nv), q)
    return handed(each(partial(_book_jacobian, model, frame, reference, t), q), out, threads)


def _book_jacobian(model: Model, frame: str, reference: Reference, t: float, q: NDArray) -> NDArray:
    """Evaluate `jacobian` at one state by the readable form (no closure, which every fast call would have to make)."""
    return algorithms.jacobian(model, q, frame, reference, t=t)


def bias_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    reference: Reference = "body",
    *,
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """Return Jdot v, the acceleration of a body or frame that velocity alone causes, at vdot = 0, without gravity.

    With loops, vdot is that of the joints of the spanning tree.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    frame : str
        Name of a body or frame.
    reference : {'body', 'world', 'aligned'}, optional
        Coordinates as for `jacobian`. In 'aligned' the linear part is the acceleration of the frame's origin as a
        point; in the other two it is that of a spatial acceleration.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    ndarray (..., 6)
        Angular part first, rad/s2 and m/s2.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold; or if there is no such reference.
    ModelError
        If there is no such body or frame.

    Notes
    -----
    Featherstone (2008), Eq 2.57 and section 2.11.

    Examples
    --------
    The tip of a rod of 1 m that turns with 3 rad/s is drawn to the pivot with 9 m/s2:

    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> tip = model.add_frame("tip", "rod", [0, 0, -1])
    >>> rbd.bias_acceleration(model, [0.0], [3.0], "tip", "aligned").tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 9.0]
    """
    if type(frame) is type(reference) is str and reference in REFERENCES:
        found = at_one_state(model, f"bias_acceleration_{reference}", backend, q, v, frame=frame)
        if found is not None:
            return found
    q, v = state = checked_state(model, q, v=v)
    if (
        (kernels := chosen_kernels(model, backend)) is not None
        and isinstance(reference, str)
        and reference in REFERENCES
    ):
        place = model.frame(frame)
        return kernels.bias_acceleration(q, v, place.body, place.placement, reference, t)
    return each(partial(_book_bias_acceleration, model, frame, reference, t), *state)


def _book_bias_acceleration(
    model: Model, frame: str, reference: Reference, t: float, q: NDArray, v: NDArray
) -> NDArray:
    """Evaluate `bias_acceleration` at one state by the readable form."""
    return algorithms.bias_acceleration(model, q, v, frame, reference, t=t)


def center_of_mass(model: Model, q: ArrayLike, *, t: float = 0.0, backend: Backend = "auto") -> NDArray:
    """Return the centre of mass of the moving bodies; bodies fixed to the world do not count.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    ndarray (..., 3)
        In world coordinates, m.

    Raises
    ------
    StateError
        If q has the wrong shape, is not finite, or is off its manifold.
    ModelError
        If nothing that moves has mass.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.center_of_mass(rbd.library.double_pendulum(), [0.0, 0.0]).tolist()
    [0.0, 0.0, -1.0]
    """
    if (found := at_one_state(model, "center_of_mass", backend, q)) is not None:
        return found
    (q,) = checked_state(with_inertia(model), q)
    if (kernels := chosen_kernels(model, backend)) is not None:
        center = kernels.center_of_mass(q, t)
        if type(center) is Symbols or np.isfinite(center).all():
            return center  # else nothing that moves has mass, and the readable form says so
    return algorithms.center_of_mass(model, q, t=t)
