"""Centre of mass, momentum, and the matrices that map joint velocities to them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.read_numbers import shown

About = Literal["world", "com"]
"""Reference point of angular momentum: the world origin or the centre of mass."""


def total_mass(model: Model) -> float:
    """Return the mass of all moving bodies, kg, without those welded to the world."""
    return float(sum(model.I[i][5, 5] for i in _moving(model)))


def center_of_mass(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """Return the centre of mass of the moving bodies in world coordinates, m; stacks allowed: (..., nq) -> (..., 3)."""
    poses = forward_kinematics(model, q, t=t).poses
    moment = np.zeros((*q.shape[:-1], 3))
    for i in _moving(model):
        body = model.bodies[i]
        if body.inertia is not None:
            moment += body.inertia.mass * (poses[..., i, :3, :3] @ body.inertia.com + poses[..., i, :3, 3])
    return moment / _some_mass(model)


def center_of_mass_jacobian(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """Return J (3, nv) with (velocity of the centre of mass) = J v in world axes.

    The columns belong to the joints of the spanning tree; with loop joints, v must satisfy the loop constraints.
    Prescribed joints add their own velocity to J v.
    """
    return momentum_matrix(model, q, t=t)[3:] / _some_mass(model)


def momentum_matrix(model: Model, q: NDArray, about: About = "world", *, t: float = 0.0) -> NDArray:
    """Return the momentum matrix A (6, nv): (spatial momentum) = A v, in world axes.

    The columns belong to the joints of the spanning tree; with loop joints, v must satisfy the loop constraints. The
    momentum due to prescribed joints is added to A v.

    Parameters
    ----------
    about : reference point of the angular part: the world origin, or the centre of mass (then A is the centroidal
        momentum matrix).

    Notes
    -----
    Each column is the momentum of the subtree that one freedom moves at unit rate: ``X* Ic S`` (Featherstone 2008,
    Eq 6.19, transformed to the base).
    """
    result, parent = crba(model, q, t=t), model.parent
    A = np.zeros((6, model.nv))
    for i in model.outward:
        F, j = result.Ic[i] @ result.S[i], i
        while j > 0:
            F = result.X[j].T @ F
            j = parent[j]
        A[:, model.joints[i].v_slice] += F
    if _about_com(about):
        A = plucker.force(plucker.xlt(center_of_mass(model, q, t=t))) @ A
    return A


def momentum(model: Model, q: NDArray, v: NDArray, about: About = "world", *, t: float = 0.0) -> NDArray:
    """Return the spatial momentum of all bodies (Featherstone 2008, Eqs 2.58-2.60).

    In world axes: angular (kg m2/s) about the world origin or the centre of mass, then linear (kg m/s). Stacks allowed:
    (..., nq), (..., nv) -> (..., 6).
    """
    kinematics = forward_kinematics(model, q, v, t=t)
    h = np.zeros((*q.shape[:-1], 6))
    for i in _moving(model):
        h_i = kinematics.velocities[..., i, :] @ model.I[i]  # type: ignore[index]
        R, p = kinematics.poses[..., i, :3, :3], kinematics.poses[..., i, :3, 3]
        linear = (R @ h_i[..., 3:, None])[..., 0]
        h[..., 3:] += linear
        h[..., :3] += (R @ h_i[..., :3, None])[..., 0] + np.cross(p, linear)
    if _about_com(about):
        h[..., :3] -= np.cross(center_of_mass(model, q, t=t), h[..., 3:])
    return h


def _moving(model: Model) -> list[int]:
    """Return the indices of the bodies that at least one joint moves."""
    return [i for i in model.outward if any(not model.joints[j].type.is_fixed for j in model.support(i))]


def _about_com(about: About) -> bool:
    if not isinstance(about, str) or about not in ("world", "com"):
        raise StateError(f"about={shown(about)} must be 'world' or 'com'")
    return about == "com"


def _some_mass(model: Model) -> float:
    mass = total_mass(model)
    if mass <= 0.0:
        raise ModelError(f"model {model.name!r} has no moving mass, so no centre of mass")
    return mass
