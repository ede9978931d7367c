"""Inverse dynamics in 3-D vectors: the recursive Newton-Euler equations as first published (Luh, Walker, Paul 1980).

An outward pass finds omega, omega_dot and the classical acceleration v_dot of each link's origin; Newton's and Euler's
equations at the centres of mass give F and N; an inward pass sums them to the joint forces. `rnea` is the same
algorithm in spatial vectors, where one spatial equation replaces two of these (Featherstone 2008, Tables 5.1 and 5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.errors import ModelError
from rbdkit.joints import Fixed, Prismatic, Revolute
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.inertia import Inertia


class Link(NamedTuple):
    """A body and its joint as the 3-D equations need them, in numbers, or in symbols to count operations.

    Attributes
    ----------
    parent : int
        Index of the parent body.
    kind : str
        'revolute', 'prismatic' or 'fixed'.
    z : ndarray (3,)
        Joint axis in link coordinates.
    E : ndarray (3, 3)
        Rotation from parent to link coordinates.
    r : ndarray (3,)
        Position of the link's origin in its parent.
    m, c, I_cm
        Mass, centre of mass, and rotational inertia about it, in link coordinates.
    """

    parent: int
    kind: str
    z: NDArray
    E: NDArray
    r: NDArray
    m: Any
    c: NDArray
    I_cm: NDArray


@dataclass(frozen=True)
class LuhWalkerPaulResult:
    """Result of `luh_walker_paul` in link coordinates; row i belongs to body i, and all but tau are (n, 3).

    Attributes
    ----------
    tau : ndarray (nv,)
        Joint forces.
    omega, v : ndarray
        Angular velocity, and linear velocity of the link's origin.
    omega_dot, v_dot : ndarray
        Angular acceleration, and classical acceleration of the origin, with ``v_dot[0] = -gravity``.
    F, N : ndarray
        Net force, and net moment about the centre of mass.
    f, n : ndarray
        Force and moment exerted through joint i.
    c : ndarray
        Centres of mass.
    """

    tau: NDArray
    omega: NDArray
    v: NDArray
    omega_dot: NDArray
    v_dot: NDArray
    F: NDArray
    N: NDArray
    f: NDArray
    n: NDArray
    c: NDArray

    @property
    def spatial(self) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Spatial vectors v, a, f^B, f, each (n, 6), by the correspondence at the foot of Table 5.2."""
        return (
            np.concatenate([self.omega, self.v], axis=1),
            np.concatenate([self.omega_dot, self.v_dot - np.cross(self.omega, self.v)], axis=1),
            np.concatenate([self.N + np.cross(self.c, self.F), self.F], axis=1),
            np.concatenate([self.n, self.f], axis=1),
        )


def luh_walker_paul(model: Model, q: NDArray, qd: NDArray, qdd: NDArray) -> LuhWalkerPaulResult:
    """Return the joint forces for given joint accelerations (Luh, Walker, Paul 1980; Featherstone 2008, Table 5.2).

    With loop joints these are the forces of the spanning tree, as if the loop joints transmitted nothing.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, qdd : ndarray (nv,)
        Joint velocities and accelerations.

    Raises
    ------
    ModelError
        If a joint is neither revolute nor prismatic nor fixed: 3-D equations need a case for every joint type.
    """
    given = links(model, q)
    rates, accelerations = np.zeros((2, len(model.bodies)))
    for i in model.outward:
        if model.joints[i].nv:
            rates[i], accelerations[i] = (model.joints[i].velocities(x)[0] for x in (qd, qdd))
    motion = outward(given, rates, accelerations, -model.gravity)
    F, N = body_forces(given, motion)
    f, n, along = inward(given, F, N)
    tau = np.zeros(model.nv)
    for i in model.outward:
        joint = model.joints[i]
        ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
        tau[joint.v_slice] += ratio * along[i] + rotor_inertia(joint) * qdd[joint.v_slice]
    v = linear_velocities(given, motion[0], rates)
    c = [link.c for link in given]
    arrays = (np.array(x, dtype=float) for x in (motion[0], v, *motion[1:], F, N, f, n, c))
    return LuhWalkerPaulResult(tau, *arrays)


def links(model: Model, q: NDArray) -> list[Link]:
    """Return the links of a model at coordinates q (nq,), body 0 first."""
    nothing = Link(-1, "fixed", np.zeros(3), np.eye(3), np.zeros(3), 0.0, np.zeros(3), np.zeros((3, 3)))
    found = [nothing]
    for body in model.bodies[1:]:
        kind = body.joint.type
        if kind.is_users_own or not isinstance(kind, Revolute | Prismatic | Fixed):
            raise ModelError(
                f"joint {body.joint.name!r} is {kind.known_as}, and the equations of Luh, Walker and Paul are "
                "for revolute and prismatic joints; rnea takes every joint"
            )
        E, r = plucker.split(body.joint.transform(q) @ body.joint.X_tree)
        I = Inertia.zero() if body.inertia is None else body.inertia
        z = np.zeros(3) if isinstance(kind, Fixed) else kind.axis
        found.append(Link(body.parent, kind.kind, z, E, r, I.mass, I.com, I.inertia_com))
    return found


Vectors = list[NDArray]
Motion = tuple[Vectors, Vectors, Vectors]
"""omega, omega_dot and v_dot of all links, each a list of (3,), the base first."""


def outward(links: Sequence[Link], qd: NDArray, qdd: NDArray, base: NDArray) -> Motion:
    """Return omega, omega_dot and v_dot of every link. qd, qdd : one number per link. base : v_dot of link 0.

    No equation contains the linear velocity: classical accelerations do not need it.
    """
    w, wd, vd = [np.zeros(3)], [np.zeros(3)], [base]
    for link, x, xx in zip(links[1:], qd[1:], qdd[1:], strict=True):
        p, E, r, z = link.parent, link.E, link.r, link.z
        w_p = E @ w[p]
        vd_i = E @ (vd[p] + np.cross(wd[p], r) + np.cross(w[p], np.cross(w[p], r)))
        if link.kind == "revolute":
            w.append(w_p + z * x)
            wd.append(E @ wd[p] + z * xx + np.cross(w_p, z * x))
        else:
            w.append(w_p)
            wd.append(E @ wd[p])
        if link.kind == "prismatic":
            vd_i = vd_i + z * xx + 2.0 * np.cross(w_p, z * x)
        vd.append(vd_i)
    return w, wd, vd


def linear_velocities(links: Sequence[Link], w: Vectors, qd: NDArray) -> Vectors:
    """Return the velocity v of every link's origin; no other equation needs it."""
    v = [np.zeros(3)]
    for link, x in zip(links[1:], qd[1:], strict=True):
        v_i = link.E @ (v[link.parent] + np.cross(w[link.parent], link.r))
        v.append(v_i + link.z * x if link.kind == "prismatic" else v_i)
    return v


def body_forces(links: Sequence[Link], motion: Motion) -> tuple[Vectors, Vectors]:
    """Return the net force F and the net moment N about the centre of mass of every link."""
    F, N = [np.zeros(3)], [np.zeros(3)]
    for link, w, wd, vd in zip(links[1:], *(x[1:] for x in motion), strict=True):
        F.append(link.m * (vd + np.cross(wd, link.c) + np.cross(w, np.cross(w, link.c))))
        N.append(link.I_cm @ wd + np.cross(w, link.I_cm @ w))
    return F, N


def inward(links: Sequence[Link], F: Vectors, N: Vectors) -> tuple[Vectors, Vectors, list[Any]]:
    """Return force f and moment n through every joint, and the component along its axis: Table 5.2 for a tree."""
    f, along = list(F), [0.0] * len(links)
    n = [N_i + np.cross(link.c, F_i) for link, F_i, N_i in zip(links, F, N, strict=True)]
    for i in range(len(links) - 1, 0, -1):
        link = links[i]
        along[i] = link.z @ (f[i] if link.kind == "prismatic" else n[i])
        f_p = link.E.T @ f[i]
        f[link.parent] = f[link.parent] + f_p
        n[link.parent] = n[link.parent] + link.E.T @ n[i] + np.cross(link.r, f_p)
    return f, n, along
