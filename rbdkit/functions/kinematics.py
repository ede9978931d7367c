"""Where bodies and frames are, and how they move."""

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
    """Poses of all bodies in the world and, with joint velocities, their spatial velocities.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv), optional
        Joint velocities, rad/s and m/s.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

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
    """Jacobian of a body or frame: its velocity is ``J v``.

    Its columns belong to the joints of the spanning tree; where others close loops, v must fit these. Prescribed joints
    add their own velocity.

    Parameters
    ----------
    model : Model
        What moves.
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
        'auto' takes compiled kernels where there are any, 'book' the readable form.
    out : ndarray, optional
        Where the result is written, an array of floats of its shape in one piece that no argument shares; new memory if
        not given. After an error it may hold anything.
    threads : int, optional
        So many threads compute a large stack, each a part of it; the result is the same to the last bit. It is that of
        a single call but for the last digits: large stacks have code of their own, see "Stacks" in `rbdkit`.

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
    """The same in the readable form. (A function inside of a function would slow it down where it is not needed.)"""
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
    """Jdot v: the acceleration of a body or frame that velocity alone causes, when vdot = 0; without gravity.

    Where joints close loops, vdot = 0 is that of the joints of the spanning tree.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    frame : str
        Name of a body or frame.
    reference : {'body', 'world', 'aligned'}, optional
        Coordinates as of `jacobian`. In 'aligned' the linear part is the acceleration of the frame's origin as a point,
        in the other two that of a spatial acceleration.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

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
    """The same in the readable form."""
    return algorithms.bias_acceleration(model, q, v, frame, reference, t=t)


def center_of_mass(model: Model, q: ArrayLike, *, t: float = 0.0, backend: Backend = "auto") -> NDArray:
    """Centre of mass of the moving bodies; what is welded to the world does not count.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

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
