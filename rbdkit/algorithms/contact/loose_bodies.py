"""Bodies of a tree without joints, and contact Jacobians on their twists (Sueda, sections 1.10, 1.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.jacobian import bias_acceleration, jacobian
from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_no_elements, require_tree
from rbdkit.spatial.cross import cross_force
from rbdkit.spatial.fields import material_jacobian


@dataclass(frozen=True, eq=False)
class LooseBodies:
    """All bodies without the world at one state; twists and wrenches in body coordinates, six numbers per body.

    Attributes
    ----------
    names : tuple of str
        Names of the bodies.
    poses : ndarray (n, 4, 4)
        Poses in the world.
    M : ndarray (6 n, 6 n)
        Inertias, a block for each.
    phi : ndarray (6 n,)
        Twists.
    f : ndarray (6 n,)
        Coriolis forces, gravity and external forces: M phi' = f for a free body (Eqs 1.21, 1.22).
    J : ndarray (6 n, nv)
        Jacobian: phi = J qd (Eq 2.1), plus the motion of prescribed joints.
    drift : ndarray (6 n,)
        phi' at qdd = 0, J-dot qd (Eq 2.2).
    """

    names: tuple[str, ...]
    poses: NDArray
    M: NDArray
    phi: NDArray
    f: NDArray
    J: NDArray
    drift: NDArray

    def pushed(self, h: float) -> NDArray:
        """Return f-tilde = M phi + h f, (6 n,): the momenta after a step without constraints (text before Eq 1.71)."""
        return self.M @ self.phi + h * self.f

    def normal_rows(self, contacts: Sequence[PointContact]) -> NDArray:
        """Return N (m, 6 n) such that N phi are the separation velocities (Eqs 1.76, 1.78); the world has no columns.

        Raises
        ------
        ModelError
            If a contact refers to an unknown body.
        """
        return self._rows(contacts, [contact.normal[None] for contact in contacts], 1)

    def tangent_rows(self, contacts: Sequence[PointContact], along: NDArray | None = None) -> NDArray:
        """Return T (2 m, 6 n): T phi are velocities of successors against predecessors along two tangents.

        along : (m, 3) first tangents, unit vectors in world axes perpendicular to the normals; arbitrary if not given.

        Raises
        ------
        ModelError
            As in `normal_rows`.
        """
        if along is None:
            return self._rows(contacts, [tangents(contact.normal) for contact in contacts], 2)
        both = [np.array([u, np.cross(contact.normal, u)]) for contact, u in zip(contacts, along, strict=True)]
        return self._rows(contacts, both, 2)

    def _rows(self, contacts: Sequence[PointContact], directions: Sequence[NDArray], k: int) -> NDArray:
        rows = np.zeros((k * len(contacts), 6 * len(self.names)))
        for i, (contact, along) in enumerate(zip(contacts, directions, strict=True)):
            for body, sign in ((contact.successor, 1.0), (contact.predecessor, -1.0)):
                if body == "world":
                    continue
                if body not in self.names:
                    raise ModelError(f"contact {contact.name!r}: there is no body {body!r}; there are {self.names}")
                j = self.names.index(body)
                R, r = self.poses[j, :3, :3], self.poses[j, :3, 3]
                Gamma = material_jacobian(R.T @ (contact.point - r))
                rows[k * i : k * i + k, 6 * j : 6 * j + 6] += sign * along @ R @ Gamma  # Eqs 1.76, 1.78
        return rows


def tangents(normal: NDArray) -> NDArray:
    """Return two unit vectors (2, 3) that form a right-handed frame with a unit normal (3,)."""
    axis = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = np.cross(axis, normal)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def loose_bodies(model: Model, q: NDArray, qd: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0) -> LooseBodies:
    """Return the bodies of a tree at one state, without the forces of its joints.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    f_ext : ExternalForces, optional
        External forces, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If the model has loop joints, force elements, rotors or bodies without mass.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.contact import loose_bodies
    >>> arm = loose_bodies(rbd.library.double_pendulum(), np.zeros(2), np.array([1.0, 0.0]))
    >>> arm.J.shape, bool(np.allclose(arm.J @ [1.0, 0.0], arm.phi))
    ((12, 2), True)
    """
    require_tree(model, "the equation of loose bodies")
    require_no_elements(model, "the equation of loose bodies")
    for body in model.bodies[1:]:
        if body.inertia is None or body.inertia.mass <= 0.0:
            raise ModelError(f"body {body.name!r} has no mass, and without its joint nothing says how it moves")
        if np.any(body.joint.armature):
            raise ModelError(f"joint {body.joint.name!r} has armature, inertia of the joint that no loose body has")
    kinematics = forward_kinematics(model, q, qd, t=t)
    given = external_forces(model, f_ext)
    bodies = model.bodies[1:]
    n = len(bodies)
    M, phi, f, drift = np.zeros((6 * n, 6 * n)), np.zeros(6 * n), np.zeros(6 * n), np.zeros(6 * n)
    J = np.zeros((6 * n, model.nv))
    for i, body in enumerate(bodies):
        rows, pose = slice(6 * i, 6 * i + 6), kinematics.pose(body.name)
        R, r = pose[:3, :3], pose[:3, 3]
        v, I = kinematics.velocity(body.name), model.I[body.index]
        M[rows, rows], phi[rows] = I, v
        f[rows] = I @ np.concatenate([np.zeros(3), R.T @ model.gravity]) - cross_force(v, I @ v)
        if given is not None:
            outer = given[body.index]
            f[rows] += np.concatenate([R.T @ (outer[:3] - np.cross(r, outer[3:])), R.T @ outer[3:]])
        J[rows] = jacobian(model, q, body.name, t=t)
        drift[rows] = bias_acceleration(model, q, qd, body.name, t=t)
    return LooseBodies(
        tuple(body.name for body in bodies), np.stack([kinematics.pose(body.name) for body in bodies]), M, phi, f, J,
        drift,
    )  # fmt: skip
