"""Checks of coordinates, velocities and element states on input: numbers, of the right shape, within limits."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.model.element_states import check_states
from rbdkit.model.leading_axes import common_axes
from rbdkit.spatial.read_numbers import FLOAT, floats, within

if TYPE_CHECKING:
    from rbdkit.model.model import Model

FARTHEST = 1e15
"""The largest coordinate: beyond, neighbouring floats are more than an eighth of a radian or metre apart."""

LARGEST = 1e100
"""The largest velocity, acceleration or force: products of two of them and of a model's numbers are still finite."""

Part = Literal["q_slice", "v_slice"]
"""What a vector holds, coordinates or velocities: the slice of it that belongs to a joint."""
_TOO_FAR = {
    "q_slice": "so far out neighbouring numbers are too far apart to say where the joint is",
    "v_slice": "with it the equations of motion would overflow",
}


def check_q(self: Model, q: ArrayLike, name: str = "q") -> NDArray:
    """q as a float array of shape (..., nq).

    Raises
    ------
    StateError
        If they are not numbers, the shape is wrong, a number is not finite or beyond 1e15 (the joint is named), or
        q is off its manifold (with the norm of the quaternion). At 1e15 rad neighbouring floats are an eighth of a
        radian apart: beyond, an angle says no more where the joint is.
    """
    array = _check_vector(self, q, name, "q_slice")
    for joint in self._curved if array.dtype != object else ():  # symbols have no values yet
        try:
            joint.type.check(array[..., joint.q_slice])
        except StateError as fault:
            raise StateError(f"{name} of joint {joint.name!r}: {fault}") from fault
    return array


def check_v(self: Model, v: ArrayLike, name: str = "v") -> NDArray:
    """v, a or tau as a float array of shape (..., nv), none beyond 1e100; raises `StateError` like `check_q`."""
    return _check_vector(self, v, name, "v_slice")


def check_z(self: Model, z: ArrayLike | None, name: str = "z") -> NDArray:
    """z as a float array of shape (..., nz).

    Raises
    ------
    StateError
        If the shape is wrong, or a number is not finite or beyond 1e100.
    ModelError
        If it is None and force elements have states.
    """
    return check_states(self, z, name)


def aligned(self: Model, *vectors: tuple[str, ArrayLike, Part]) -> list[NDArray]:
    """Return vectors, each given by name, values and kind, checked and broadcast to common leading axes."""
    arrays = [_check_vector(self, values, name, part) for name, values, part in vectors]
    if len({array.shape[:-1] for array in arrays}) == 1:
        return arrays
    lead = common_axes({vector[0]: array for vector, array in zip(vectors, arrays, strict=True)})
    return [np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]


def _check_vector(self: Model, values: ArrayLike, name: str, part: Part) -> NDArray:
    """Coordinates or velocities as a float array, none of them beyond its limit."""
    size, limit = (self.nq, FARTHEST) if part == "q_slice" else (self.nv, LARGEST)
    if (
        type(values) is ndarray
        and values.dtype is FLOAT
        and values.shape == (size,)
        and hypot(*values.tolist()) <= limit  # the fastest check that all are finite and not too large
    ):
        return values
    try:
        array = _sized(self, name, values, size)
    except StateError:
        if (on_symbols := _symbols_among(values)) is None:
            raise
        return _of_size(self, name, on_symbols, size)
    if not within(array, limit):
        place = tuple(np.argwhere(~(np.abs(array) <= limit))[0])
        k, value = place[-1], array[place]
        joint = next(j.name for j in self.joints if getattr(j, part).start <= k < getattr(j, part).stop)
        where = f"{name}[{', '.join(map(str, place))}] (joint {joint!r})"
        raise StateError(
            f"{where} is beyond {limit:g}: {value:g}; {_TOO_FAR[part]}"
            if np.isfinite(value)
            else f"{where} is not finite: {value}"
        )
    return array


def _sized(self: Model, name: str, values: ArrayLike, size: int) -> NDArray:
    """The values as a float array of shape (..., size)."""
    return _of_size(self, name, floats(values, lambda v: f"{name} is not an array of numbers: {v}", StateError), size)


def _of_size(self: Model, name: str, array: NDArray, size: int) -> NDArray:
    """The array, if its shape is (..., size)."""
    if array.shape[-1:] != (size,):
        raise StateError(
            f"{name} has shape {array.shape}; model {self.name!r} needs ({size},), or (..., {size}) for a stack"
        )
    return array


def _symbols_among(values: Any) -> NDArray | None:
    """The values as an array of symbols, if there are some among them."""
    from rbdkit.trace import symbolic  # which most models never need

    return symbolic(values)
