"""Internal states of force elements, such as the activation of a muscle: their layout in the state vector z."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.forces import ForceElement
from rbdkit.model.kept import kept
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import floats, shown, within

if TYPE_CHECKING:
    from rbdkit.model.force import Force
    from rbdkit.model.model import Model

LARGEST_STATE = 1e100
"""Largest magnitude of a state; squares of larger numbers may overflow."""


class StatePlaces(NamedTuple):
    """Layout of the state vector z (nz,) of the force elements of a model.

    Attributes
    ----------
    slices : dict of str to slice
        Slice of z of each state, by its name, 'muscle.activation'.
    entries : tuple of str
        Name of each entry: that of the state, with an index if it is a vector, 'seal.stretch[0]'.
    scalar : frozenset of str
        Names of the states that are single numbers.
    units : tuple of str
        Unit of each entry, empty if unknown.
    """

    slices: dict[str, slice]
    entries: tuple[str, ...]
    scalar: frozenset[str]
    units: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of entries, nz."""
        return len(self.entries)

    def of(self, force: Force, z: NDArray | Any) -> dict[str, Any]:
        """Return the states of an element by field name, from z (nz,)."""
        found = {}
        for name in force.element.states:
            full = f"{force.name}.{name}"
            own = z[self.slices[full]]
            found[name] = own[0] if full in self.scalar else own
        return found

    def at_present(self, force: Force, z: NDArray | Any) -> ForceElement:
        """Return the element with its state fields set from z (nz,)."""
        return force.element.on_symbols(self.of(force, z)) if force.element.states else force.element

    def put(self, force: Force, values: Mapping[str, Any], z: NDArray) -> None:
        """Write the values or rates of an element's states to their entries of z."""
        for name, value in values.items():
            z[self.slices[f"{force.name}.{name}"]] = value


def state_places(model: Model) -> StatePlaces:
    """Return the layout of the states of a model's force elements."""
    return kept(model, _places)


def _places(model: Model) -> StatePlaces:
    slices: dict[str, slice] = {}
    entries: list[str] = []
    units: list[str] = []
    scalar = set()
    for force in model.forces:
        for name, value in force.element.initial_states().items():
            full, n = f"{force.name}.{name}", np.size(value)
            slices[full] = slice(len(entries), len(entries) + n)
            entries += [full] if np.ndim(value) == 0 else [f"{full}[{k}]" for k in range(n)]
            units += [force.element.units.get(name, "")] * n
            if np.ndim(value) == 0:
                scalar.add(full)
    return StatePlaces(slices, tuple(entries), frozenset(scalar), tuple(units))


def initial_states(model: Model, given: Mapping[str, ArrayLike] | ArrayLike | None = None, what: str = "z0") -> NDArray:
    """Return the initial states of all force elements, (nz,): the values of their fields, or as given.

    Parameters
    ----------
    given : values by the names of states, such as 'muscle.activation', or all of them in an array (nz,).
    what : name of the argument, for messages.

    Raises
    ------
    StateError
        If there is no such state, or a value is not finite or has another shape.
    """
    places = state_places(model)
    z = np.zeros(places.size)
    for force in model.forces:
        places.put(force, force.element.initial_states(), z)
    if given is None:
        return z
    if not isinstance(given, Mapping):
        given = check_states(model, given, what)
        if given.ndim > 1:
            raise StateError(f"{what} has shape {given.shape}; a motion begins in one state, ({places.size},)")
        return given.copy()
    for name, value in given.items():
        if name not in places.slices:
            hint = did_you_mean(str(name), places.slices)
            raise StateError(f"{what}: {shown(name)} is no state of a force of model {model.name!r}{hint}")
        array = floats(value, lambda v, n=name: f"{what}[{n!r}] is not an array of numbers: {v}", StateError)  # type: ignore[misc]
        part = places.slices[name]
        shape = () if name in places.scalar else (part.stop - part.start,)
        if array.shape != shape:
            raise StateError(f"{what}[{name!r}] has shape {array.shape}; the state has {shape}")
        z[part] = array
    return check_states(model, z, what)


def check_states(model: Model, z: ArrayLike | None, what: str = "z") -> NDArray:
    """Return states of force elements as an array of floats (..., nz), checked.

    Raises
    ------
    StateError
        If the shape is wrong, or a number is not finite or beyond 1e100.
    ModelError
        If none are given although the model has states.
    """
    places = state_places(model)
    if z is None:
        if places.size:
            raise states_unknown(model.name, places.slices)
        return np.zeros(0)
    array = floats(z, lambda v: f"{what} is not an array of numbers: {v}", StateError)
    if array.shape[-1:] != (places.size,):
        names = f": {', '.join(places.entries)}" if places.size else ", for no force of it has states of its own"
        raise StateError(f"{what} has shape {array.shape}; model {model.name!r} needs ({places.size},){names}")
    if not within(array, LARGEST_STATE):
        place = tuple(np.argwhere(~(np.abs(array) <= LARGEST_STATE))[0])
        raise StateError(f"{what} of {places.entries[place[-1]]!r} is {array[place]:g}; it must be finite, up to 1e100")
    return array


def split_states(model: Model, w: NDArray, nv: int | None = None) -> tuple[NDArray, NDArray | None]:
    """Split the vector w (..., nv + nz) of a formulation into velocities and states; states are None if nz = 0.

    nv : number of the formulation's velocities; that of the joints if not given.

    Raises
    ------
    StateError
        If w has another length.
    """
    nz, nv = state_places(model).size, model.nv if nv is None else nv
    if not nz:
        return w, None
    if w.shape[-1] != nv + nz:
        raise StateError(
            f"the velocities of a state have shape {w.shape}; model {model.name!r} needs ({nv + nz},), {nv} velocities "
            f"and the states {', '.join(state_places(model).entries)} behind them"
        )
    return w[..., :nv], w[..., nv:]


def with_zeros(model: Model, v: NDArray) -> NDArray:
    """Return velocities (..., nv) with nz zeros appended, for the states of force elements."""
    nz = state_places(model).size
    return np.concatenate([v, np.zeros((*v.shape[:-1], nz))], axis=-1) if nz else v


def states_unknown(model: str, states: Iterable[str]) -> ModelError:
    """Return the error of a function that needs the states of force elements and was given none."""
    return ModelError(
        f"what the forces of model {model!r} do depends on states of their own, {', '.join(map(repr, states))}; give "
        "them as z=..., an array like Model.initial_z(). A function that takes no z cannot tell what they do"
    )


def require_no_states(model: Model, who: str) -> None:
    """Raise `ModelError` if force elements have states. who : the function that does not support them."""
    if slices := state_places(model).slices:
        raise ModelError(
            f"forces of model {model.name!r} have states of their own, {', '.join(map(repr, slices))}, of which {who} "
            "knows nothing"
        )
