"""Check and convert the external forces that users give, in world coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.methods.checks import LARGEST
from rbdkit.spatial.read_numbers import floats, shown, within
from rbdkit.trace import Symbol

ExternalForces = Mapping[str, ArrayLike] | ArrayLike | None


def wrench(
    force: ArrayLike = (0.0, 0.0, 0.0), point: ArrayLike = (0.0, 0.0, 0.0), couple: ArrayLike = (0.0, 0.0, 0.0)
) -> NDArray:
    """Return the spatial force of a force through a point and a couple, about the origin of the same coordinates.

    Parameters
    ----------
    force : array_like (3,), optional
        Force, N.
    point : array_like (3,), optional
        Where the force acts, m.
    couple : array_like (3,), optional
        Couple, N m.

    Returns
    -------
    ndarray (6,)
        Moment about the origin, then force (Featherstone 2008, Eq 2.8).

    Raises
    ------
    StateError
        If one of the three is not a vector of three finite numbers.

    Examples
    --------
    A weight of 10 N that hangs 2 m out on the x axis turns about y:

    >>> import rbdkit as rbd
    >>> rbd.wrench(force=[0, 0, -10], point=[2, 0, 0]).tolist()
    [0.0, 20.0, 0.0, 0.0, 0.0, -10.0]
    """
    f, p, n = _three(force, "force"), _three(point, "point"), _three(couple, "couple")
    moment = [n[i] + p[j] * f[k] - p[k] * f[j] for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]  # n + p x f
    return np.array([*moment, *f])


def external_forces(model: Model, f_ext: ExternalForces) -> Any:
    """Return f_ext as an array of shape (number of bodies, 6), or None if there is none.

    Parameters
    ----------
    f_ext : None; a mapping from body name to a spatial force; or an array of shape (number of bodies, 6), row 0 for the
        world. All in world coordinates about the world origin (as in section 5.3 of Featherstone 2008): see `wrench`.

    Raises
    ------
    StateError, ModelError
        If a shape is wrong, a number is not finite, or a body is unknown.
    """
    if f_ext is None or not isinstance(model, Model):
        return f_ext  # in traced code, where f_ext is already an array
    n = len(model.bodies)
    if isinstance(f_ext, Mapping):
        rows = np.zeros((n, 6))
        for name, force in f_ext.items():
            value = floats(force, partial("external force on body {!r}: {} is not a vector".format, name), StateError)
            if value.shape != (6,):
                raise StateError(
                    f"external force on body {name!r} has shape {value.shape}; give (6,): moment about the world "
                    "origin, then force, or make it with rbdkit.wrench(force, point)"
                )
            rows[model.body(name).index] += value
    else:
        rows = floats(f_ext, lambda v: f"f_ext {v} is neither a mapping from bodies to forces nor an array", StateError)
        if rows.shape != (n, 6):
            raise StateError(
                f"f_ext has shape {rows.shape}; model {model.name!r} needs ({n}, 6), "
                "one row a body with the world first"
            )
    if not within(rows, LARGEST):
        i = int(np.argwhere(~(np.abs(rows) <= LARGEST))[0, 0])
        raise StateError(
            f"external force on body {model.bodies[i].name!r} is not finite or beyond {LARGEST:g}: {rows[i]}"
        )
    return rows


def _three(value: ArrayLike, name: str) -> NDArray:
    single = isinstance(value, np.ndarray) and value.ndim == 0
    if isinstance(value, list | tuple | np.ndarray) and not single and any(isinstance(x, Symbol) for x in value):
        return np.asarray(value, dtype=object)  # a function of the state that is being traced

    def says(v: str) -> str:
        return f"{name} of a wrench must be three finite numbers, not {v}"

    array = floats(value, says, StateError)
    if array.shape != (3,) or not within(array, LARGEST):
        raise StateError(says(shown(value)))
    return array
