"""Centre of mass, momentum, and the matrices that map joint velocities to them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.kinematics import force_in_world, outward_pass
from rbdkit.algorithms.room import moving, running
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.body import mass, mass_moment
from rbdkit.spatial.body import momentum as body_momentum
from rbdkit.spatial.compact import fv
from rbdkit.spatial.read_numbers import shown
from rbdkit.spatial.vector3 import Vector, cross

About = Literal["world", "com"]
"""Reference point of angular momentum: the world origin or the centre of mass."""


def total_mass(model: Model) -> float:
    """Return the mass of all moving bodies, kg, without those welded to the world."""
    return float(sum(mass(model.I[i]) for i in moving(model)))


def center_of_mass(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """Return the centre of mass of the moving bodies in world coordinates, m; stacks allowed: (..., nq) -> (..., 3)."""
    return _center(model, outward_pass(model, q, None, t)[0], q)


def _center(model: Model, T: Any, like: NDArray) -> Any:
    """Return the centre of mass at poses T of the bodies. like : coordinates, a stack of them if T are stacks."""
    sums = running(model, like, mass=float, moment=Vector)
    for i in moving(model):
        sums.mass += mass(model.I[i])
        sums.moment += mass_moment(model.I[i], T[i])
    return sums.moment / _some_mass(model, sums.mass)


def center_of_mass_jacobian(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """Return J (3, nv) with (velocity of the centre of mass) = J v in world axes.

    The columns belong to the joints of the spanning tree; with loop joints, v must satisfy the loop constraints.
    Prescribed joints add their own velocity to J v.
    """
    return momentum_matrix(model, q, t=t)[3:] / _some_mass(model, total_mass(model))


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
    T, velocity = outward_pass(model, q, v, t)
    sums = running(model, q, h=fv)
    for i in model.outward:
        sums.h += force_in_world(T[i], body_momentum(model.I[i], velocity[i]))
    return _about_point(_center(model, T, q), sums.h) if _about_com(about) else sums.h


def _about_point(c: Any, h: Any) -> Any:
    """Return momenta (..., 6) about points (..., 3) in place of the world origin."""
    if isinstance(h, fv):
        return fv(h.n - cross(c, h.f), h.f)
    return np.concatenate([h[..., :3] - np.cross(c, h[..., 3:]), h[..., 3:]], axis=-1)


def _about_com(about: About) -> bool:
    if not isinstance(about, str) or about not in ("world", "com"):
        raise StateError(f"about={shown(about)} must be 'world' or 'com'")
    return about == "com"


def _some_mass(model: Model, mass: Any) -> Any:
    if isinstance(mass, float | np.ndarray) and np.any(mass <= 0.0):
        raise ModelError(f"model {model.name!r} has no moving mass, so no centre of mass")
    return mass  # as a symbol whatever it is: what runs the code looks at the result
