"""Steps of joints whose velocities are told along axes that turn: bodies without forces fly straight."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.engine.contact.spinning import steadied
from rbdkit.joints.piece import Piece
from rbdkit.model import Model
from rbdkit.spatial import so3


def _starts(model: Model, *kinds: str) -> Iterator[int]:
    """Where the velocities begin of simple joints of these kinds, alone or in a chain that a joint consists of.

    Compiled code steps such a chain joint by joint: a ball that slides in a cylinder takes the gyroscopic step there.
    """
    for joint in model.joints:
        for piece in joint.type.simplified().pieces(lambda _: Piece("of its own formulas", np.eye(3))) or ():
            if piece.motion in kinds:
                yield joint.v_slice.start + piece.v


class Straight:
    """The free and planar joints of a model, whose axes turn during a step.

    Their velocities change even where nothing acts. In a step that takes that change for constant, what flies and spins
    gains speed, and its way is bent. So in a step the centre of mass of all that such a joint carries goes straight,
    along the axes at its beginning, and the velocity it leads to is told along those at its end.
    """

    def __init__(self, model: Model) -> None:
        self._free = [*_starts(model, "free", "free_successor")]
        self._balls = [*_starts(model, "spherical")]
        self._planar = [*_starts(model, "planar", "planar_successor")]
        self._armature = np.zeros(model.nv)
        for joint in model.joints:
            self._armature[joint.v_slice] += rotor_inertia(joint)  # a mimic joint's turns with its master

    def coms(self, H: NDArray) -> dict[int, NDArray]:
        """For each of these joints, by its first velocity, the centre of mass of what it carries, in moved axes.

        H : inertia matrix (nv, nv).
        """
        mass = np.diag(H) - self._armature
        coms = {k: np.array([-H[k + 1, k + 5], H[k, k + 5], -H[k, k + 4]]) / mass[k + 3] for k in self._free}
        return coms | {k: np.array([H[k, k + 2], -H[k, k + 1], 0.0]) / mass[k + 1] for k in self._planar}

    def seen_still(self, v: NDArray, v_rate: NDArray, coms: dict[int, NDArray]) -> NDArray:
        """How fast v (nv,) changes while bodies stay where they are."""
        still = v_rate.copy()
        for k, (w, linear) in self._twists(v):
            still[self._linear(k)] += np.cross(w, linear + np.cross(w, coms[k]))[: self._size(k)]
        return still

    def steadied(self, v: NDArray, v_new: NDArray, H: NDArray, h: float) -> NDArray:
        """Velocities (nv,) after Euler's step h from v, without the energy that what tumbles gains in it."""
        found = v_new.copy()
        H = H - np.diag(self._armature)
        for start, size in [(k, 6) for k in self._free] + [(k, 3) for k in self._balls]:
            own, inertia = slice(start, start + size), H[start : start + size, start : start + size].tolist()
            found[own] = steadied(v[own].tolist(), found[own].tolist(), inertia, h)
        return found

    def bent(self, u: NDArray, coms: dict[int, NDArray]) -> NDArray:
        """The u (nv,) with which ``move(q, u)`` turns and moves the centres of mass straight, as u says."""
        found = u.copy()
        for k, (w, linear) in self._twists(u):
            step = linear + np.cross(w, coms[k]) + coms[k] - so3.exp(w) @ coms[k]
            found[self._linear(k)] = (so3.left_jacobian_inverse(w) @ step)[: self._size(k)]
        return found

    def after(self, u: NDArray, v: NDArray, coms: dict[int, NDArray]) -> NDArray:
        """The numbers (nv,) after a displacement u of what turns and moves these centres of mass as v before it."""
        found = v.copy()
        turns = dict(self._twists(u))
        for k, (w, linear) in self._twists(v):
            about = np.cross(w, coms[k])
            found[self._linear(k)] = (so3.exp(-turns[k][0]) @ (linear + about) - about)[: self._size(k)]
        return found

    def _twists(self, v: NDArray) -> list[tuple[int, tuple[NDArray, NDArray]]]:
        """First velocities of these joints, with angular and linear parts."""
        free = [(k, (v[k : k + 3], v[k + 3 : k + 6])) for k in self._free]
        planar = [(k, (np.array([0.0, 0.0, v[k]]), np.array([v[k + 1], v[k + 2], 0.0]))) for k in self._planar]
        return free + planar

    def _size(self, k: int) -> int:
        return 3 if k in self._free else 2

    def _linear(self, k: int) -> slice:
        return slice(k + 3, k + 6) if k in self._free else slice(k + 1, k + 3)
