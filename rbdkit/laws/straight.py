"""Steps of joints whose velocities are told along axes that turn: bodies without forces fly straight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.spinning import steadied
from rbdkit.joints import Free, Planar, Spherical
from rbdkit.model import Model
from rbdkit.spatial import so3


class Straight:
    """The free and planar joints of a model, whose axes turn during a step.

    Their velocities change even where nothing acts. In a step that takes that change for constant, what flies and spins
    gains speed, and its way is bent. So a step is taken along the axes at its beginning, in which the origin goes
    straight, and the velocity it leads to is told along those at its end.
    """

    def __init__(self, model: Model) -> None:
        self._free = [joint.v_slice.start for joint in model.joints if type(joint.type) is Free]
        self._balls = [joint.v_slice.start for joint in model.joints if type(joint.type) is Spherical]
        self._planar = [joint.v_slice.start for joint in model.joints if type(joint.type) is Planar]

    def seen_still(self, v: NDArray, v_rate: NDArray) -> NDArray:
        """How fast v (nv,) changes as seen along axes that stand still."""
        still = v_rate.copy()
        for k in self._free:
            still[k + 3 : k + 6] += np.cross(v[k : k + 3], v[k + 3 : k + 6])
        for k in self._planar:
            still[k + 1 : k + 3] += v[k] * np.array([-v[k + 2], v[k + 1]])
        return still

    def steadied(self, v: NDArray, v_new: NDArray, H: NDArray, h: float) -> NDArray:
        """Velocities (nv,) after Euler's step h from v, without the energy that what tumbles gains in it."""
        found = v_new.copy()
        for start, size in [(k, 6) for k in self._free] + [(k, 3) for k in self._balls]:
            own, inertia = slice(start, start + size), H[start : start + size, start : start + size].tolist()
            found[own] = steadied(v[own].tolist(), found[own].tolist(), inertia, h)
        return found

    def bent(self, u: NDArray) -> NDArray:
        """The u (nv,) with which ``move(q, u)`` goes the straight way u."""
        found = u.copy()
        for k in self._free:
            found[k + 3 : k + 6] = so3.left_jacobian_inverse(u[k : k + 3]) @ u[k + 3 : k + 6]
        for k in self._planar:
            way = so3.left_jacobian_inverse(np.array([0.0, 0.0, u[k]])) @ np.array([u[k + 1], u[k + 2], 0.0])
            found[k + 1 : k + 3] = way[:2]
        return found

    def after(self, u: NDArray, v: NDArray) -> NDArray:
        """v (nv,), told along the axes before a displacement u, along those after it."""
        found = v.copy()
        for k in self._free:
            found[k + 3 : k + 6] = so3.exp(-u[k : k + 3]) @ v[k + 3 : k + 6]
        for k in self._planar:
            found[k + 1 : k + 3] = so3.exp(np.array([0.0, 0.0, -u[k]]))[:2, :2] @ v[k + 1 : k + 3]
        return found
