"""The outward pass of inverse dynamics in base coordinates, from which derivatives are computed.

All bodies share these coordinates: sums over subtrees are plain sums, and what a joint does to the bodies beyond it
needs no transforms.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.room import from_base, room
from rbdkit.model import Model
from rbdkit.spatial import body, plucker
from rbdkit.spatial.compact import Coriolis, Subspace, fv, mv, rbi
from rbdkit.spatial.cross import cross_motion


class BaseMotion(NamedTuple):
    """Motion, inertias and forces of the bodies in base coordinates; row i belongs to body i.

    Attributes
    ----------
    X_0 : ndarray (n, 6, 6)
        Motion transforms from base to body coordinates.
    S : list of ndarray
        Motion subspaces in body coordinates, (6, nv_i) each.
    v, a : ndarray (n, 6)
        Velocities, and accelerations with ``a[0] = -gravity``.
    I, B : ndarray (n, 6, 6)
        Inertias and Coriolis matrices, see `rbdkit.spatial.body.coriolis`.
    f : ndarray (n, 6)
        Forces that the motion takes.
    f_x : ndarray (n, 6) or None
        External forces; None if there are none.
    """

    X_0: NDArray
    S: list[NDArray]
    v: NDArray
    a: NDArray
    I: NDArray
    B: NDArray
    f: NDArray
    f_x: NDArray | None


def base_motion(
    model: Model, q: NDArray, qd: NDArray, qdd: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> BaseMotion:
    """Return what the inward passes over a tree sum up (Featherstone 2008, Eqs 5.7 to 5.9).

    Parameters
    ----------
    q, qd, qdd, f_ext, t
        As for `rnea`.
    """
    parent, given = model.parent, external_forces(model, f_ext)
    X_0, (S, v, a, I, B, f) = from_base(model), room(model, Subspace, mv, mv, rbi, Coriolis, fv)
    f_x = None if given is None else room(model, fv)

    a[0] = [0.0, 0.0, 0.0, *-model.gravity]
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd, t)
        X_0[i] = X_J @ model.X_tree[i] @ X_0[p]
        to_base = plucker.inverse(X_0[i])
        v_J = to_base @ v_J
        v[i] = v[p] + v_J  # Eq 5.7
        a[i] = a[p] + to_base @ (S[i] @ qdd[joint.v_slice] + c_J) + cross_motion(v[p], v_J)  # Eq 5.8: v_J x v_J = 0
        I[i] = X_0[i].T @ model.I[i] @ X_0[i]  # Eq 2.66
        B[i] = body.coriolis(I[i], v[i])
        f[i] = body.force(I[i], a[i], v[i])  # Eq 5.9
        if f_x is not None:
            f_x[i] = given[i]
    return BaseMotion(X_0, S, v, a, I, B, f, f_x)
