"""Argument checks of the functions on (model, q, v, ...), choice of the backend, and loops over stacks of states."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine import Kernels, kernels_for
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.idle import require_inertia_somewhere
from rbdkit.model.kept import checked_twin
from rbdkit.model.leading_axes import common_axes
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import shown
from rbdkit.trace import Symbols, checked, symbols

if TYPE_CHECKING:
    from rbdkit import algorithms
    from rbdkit.algorithms import ExternalForces
else:
    from rbdkit.functions.readable import algorithms

Backend = Literal["auto", "book", "checked"]
"""Compiled code, the readable form, or compiled code that checks indices and numbers, which is slow: see
`rbdkit.errors.CheckError`."""


def with_inertia(model: Model) -> Model:
    """Return the model; raise ModelError if an inertia has numbers that are not finite or overflow.

    Raises
    ------
    ModelError
        Names the body with that inertia.
    """
    if getattr(model, "senseless", None) is not None:
        body = model.body(str(model.senseless))
        raise ModelError(
            f"body {body.name!r} of model {model.name!r} cannot be computed with, see model.validate(): {body.inertia}"
        )
    return model


def resisting(model: Model) -> Model:
    """Return the model if all inertias are usable and every joint moves some inertia in some pose.

    Raises
    ------
    ModelError
        Names the joint that moves no inertia, and its body; or as `with_inertia`.
    """
    with_inertia(model)
    if isinstance(model, Model):  # what is none is refused where the state is checked
        require_inertia_somewhere(model)
    return model


def require_apart(model: Model, q: NDArray, what: str, t: float) -> None:
    """Raise an error if bodies touch at a state, on behalf of an algorithm `what` that ignores contacts."""
    from rbdkit.algorithms.contact import apart  # which models without contacts never need

    apart.require_apart(model, q, what, t)


def on_bodies(model: Model, f_ext: ExternalForces) -> NDArray | None:
    """Return f_ext as an array (bodies, 6), or None if there is none; see `rbdkit.algorithms.external_forces`."""
    return None if f_ext is None else algorithms.external_forces(model, f_ext)


def chosen_kernels(model: Model, backend: Backend) -> Kernels | None:
    """Return the compiled kernels of a model, or None if there are none or ``backend="book"``."""
    if type(backend) is str and backend == "auto" and isinstance(model, Model):
        return kernels_for(model) if model.senseless is None else None  # they would multiply its numbers out
    if not isinstance(backend, str) or backend not in ("auto", "book", "checked"):
        raise StateError(f"backend {shown(backend)} must be 'auto' or 'book', or 'checked'")
    require_model(model)
    if backend == "book" or model.senseless is not None:
        return None
    with checked():
        return kernels_for(checked_twin(model))


def checked_state(model: Model, q: ArrayLike, **vectors: ArrayLike) -> list[NDArray]:
    """Check q and joint vectors, and broadcast them to common leading axes."""
    try:
        checked = [model.check_q(q), *(model.check_v(values, name) for name, values in vectors.items())]
    except AttributeError:
        require_model(model)
        raise
    if any(type(array) is Symbols for array in checked):
        checked = [symbols(array) for array in checked]
    lead = checked[0].shape[:-1]
    if all(array.shape[:-1] == lead for array in checked):
        return checked
    lead = common_axes(dict(zip(("q", *vectors), checked, strict=True)))
    return [np.broadcast_to(array, (*lead, array.shape[-1]), subok=True) for array in checked]


def with_states(model: Model, z: ArrayLike | None, *state: NDArray) -> tuple[NDArray | None, list[NDArray]]:
    """Check states z of force elements and broadcast z and a checked state to common leading axes.

    z is returned as None if the model has no such states.
    """
    if z is None and not model.nz:
        return None, [*state]
    own = model.check_z(z)
    lead = common_axes({"q": state[0], "z": own})
    state = tuple(x if x.shape[:-1] == lead else np.broadcast_to(x, (*lead, x.shape[-1])) for x in state)
    return (np.broadcast_to(own, (*lead, own.shape[-1])) if model.nz else None), [*state]


def solved(model: Model, function: Callable[..., NDArray], *state: NDArray) -> NDArray:
    """Evaluate a function at every state of a stack; raise StateError if the result is not finite."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        values = each(function, *state)
    if not np.isfinite(values).all():
        k = int(np.argwhere(~np.isfinite(values))[0, -1])
        joint = next(j.name for j in model.joints if j.v_slice.start <= k < j.v_slice.stop)
        raise StateError(
            f"the equations of motion of model {model.name!r} have no finite solution here, first at joint {joint!r}: "
            "a force is too large for what it moves, or an inertia too small; see model.validate()"
        )
    return values


def each(function: Callable[..., NDArray], *arrays: NDArray) -> NDArray:
    """Evaluate a function at every state of a stack."""
    lead = arrays[0].shape[:-1]
    if any(type(array) is Symbols for array in arrays):
        raise TypeError(
            "only compiled algorithms can be recorded, and here is none: the model has no kernels, or \
backend='book' asks for the readable form"
        )
    if not lead:
        return function(*arrays)
    if 0 in lead:
        raise StateError(f"an empty stack of states, {lead}, has no result in the readable form; give at least one")
    rows = zip(*(array.reshape(-1, array.shape[-1]) for array in arrays), strict=True)
    results = np.array([function(*row) for row in rows])
    return results.reshape(*lead, *results.shape[1:])
