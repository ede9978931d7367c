"""Centre-of-mass update for joints whose velocities are given in rotating body axes, so that free flight is straight.

A free joint's velocity is expressed in body axes, which turn, so its components change even if no force acts. An Euler
step that takes this change as constant gains energy and bends the path. Here the step splits: the centre of mass of
what the joint carries moves along a straight line in the axes at the beginning, the rotation takes a gyroscopic step
(`steadied`: linearised midpoint rule, no energy gain), and the new velocity is expressed in the axes at the end.
"""

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
    """Yield the first velocity index of each primitive joint of these kinds, alone or as part of a composite joint.

    Compiled code steps a composite joint primitive by primitive: a ball that slides in a cylinder takes the gyroscopic
    step there as well.
    """
    for joint in model.joints:
        for piece in joint.type.simplified().pieces(lambda _: Piece("of its own formulas", np.eye(3))) or ():
            if piece.motion in kinds:
                yield joint.v_slice.start + piece.v


class Straight:
    """Centre-of-mass update and gyroscopic step of a model's free, planar and spherical joints.

    In a step the centre of mass of all that a free or planar joint carries moves straight along the axes at the
    beginning; the resulting velocity is then expressed in the axes at the end.
    """

    def __init__(self, model: Model) -> None:
        self._free = [*_starts(model, "free", "free_successor")]
        self._balls = [*_starts(model, "spherical")]
        self._planar = [*_starts(model, "planar", "planar_successor")]
        # rotors add to the diagonal of H, but they are neither mass nor inertia of the bodies that a joint carries
        self._armature = np.zeros(model.nv)
        for joint in model.joints:
            self._armature[joint.v_slice] += rotor_inertia(joint)  # a mimic joint's turns with its master

    def coms(self, H: NDArray) -> dict[int, NDArray]:
        """Return the centre of mass of what each free and planar joint carries, (3,), m, in the joint's moving axes.

        The keys are the joints' first velocity indices. H : inertia matrix (nv, nv), from which masses and first
        moments are read.
        """
        # a free joint's block of H is the spatial inertia of all that it carries, [[I, m c~], [-m c~, m 1]]: c stands
        # in m c~
        mass = np.diag(H) - self._armature
        coms = {k: np.array([-H[k + 1, k + 5], H[k, k + 5], -H[k, k + 4]]) / mass[k + 3] for k in self._free}
        return coms | {k: np.array([H[k, k + 2], -H[k, k + 1], 0.0]) / mass[k + 1] for k in self._planar}

    def seen_still(self, v: NDArray, v_rate: NDArray, coms: dict[int, NDArray]) -> NDArray:
        """Return v_rate (nv,) without the part that only comes from the rotation of the axes."""
        still = v_rate.copy()
        # the centre of mass has velocity linear + w x com; its components change by -w x that velocity as the axes turn
        for k, (w, linear) in self._twists(v):
            still[self._linear(k)] += np.cross(w, linear + np.cross(w, coms[k]))[: self._size(k)]
        return still

    def steadied(self, v: NDArray, v_new: NDArray, H: NDArray, h: float) -> NDArray:
        """Return the velocities v_new (nv,) of an Euler step h from v, corrected so that tumbling gains no energy."""
        found = v_new.copy()
        H = H - np.diag(self._armature)
        for start, size in [(k, 6) for k in self._free] + [(k, 3) for k in self._balls]:
            own, inertia = slice(start, start + size), H[start : start + size, start : start + size].tolist()
            found[own] = steadied(v[own].tolist(), found[own].tolist(), inertia, h)
        return found

    def bent(self, u: NDArray, coms: dict[int, NDArray]) -> NDArray:
        """Return the u (nv,) with which ``move(q, u)`` moves the centres of mass along straight lines.

        The exponential map of a twist moves a point on a helix; the linear part is corrected by the inverse left
        Jacobian of the rotation.
        """
        found = u.copy()
        for k, (w, linear) in self._twists(u):
            # path of the joint's origin if the centre of mass moves straight while the body turns about it
            step = linear + np.cross(w, coms[k]) + coms[k] - so3.exp(w) @ coms[k]
            found[self._linear(k)] = (so3.left_jacobian_inverse(w) @ step)[: self._size(k)]
        return found

    def after(self, u: NDArray, v: NDArray, coms: dict[int, NDArray]) -> NDArray:
        """Express velocities v (nv,), given in the axes before a displacement u, in the axes after it."""
        found = v.copy()
        turns = dict(self._twists(u))
        for k, (w, linear) in self._twists(v):
            about = np.cross(w, coms[k])
            found[self._linear(k)] = (so3.exp(-turns[k][0]) @ (linear + about) - about)[: self._size(k)]
        return found

    def _twists(self, v: NDArray) -> list[tuple[int, tuple[NDArray, NDArray]]]:
        """Return the first velocity index of each free and planar joint, with its angular and linear velocity (3,)."""
        free = [(k, (v[k : k + 3], v[k + 3 : k + 6])) for k in self._free]
        planar = [(k, (np.array([0.0, 0.0, v[k]]), np.array([v[k + 1], v[k + 2], 0.0]))) for k in self._planar]
        return free + planar

    def _size(self, k: int) -> int:
        return 3 if k in self._free else 2

    def _linear(self, k: int) -> slice:
        return slice(k + 3, k + 6) if k in self._free else slice(k + 1, k + 3)
