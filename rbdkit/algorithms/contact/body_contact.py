"""Frictionless contact of a rigid body with a fixed surface, at one or several points (sections 11.1 and 11.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.solvers.active_set import active_set
from rbdkit.spatial.cross import cross_force


@dataclass(frozen=True, eq=False)
class SingleContact:
    """Solution of a single contact, by inspection.

    Attributes
    ----------
    M, d : float
        Coefficients of zeta' = M lam + d.
    lam : float
        Contact force, N.
    zeta_rate : float
        Separation acceleration, m/s2; lam or zeta' is zero.
    f_c, a : ndarray (6,)
        Contact force and acceleration of the body.
    """

    M: float
    d: float
    lam: float
    zeta_rate: float
    f_c: NDArray
    a: NDArray


def single_contact(I: NDArray, v: NDArray, f: NDArray, n: NDArray, n_rate: NDArray) -> SingleContact:
    """Return force and acceleration at one frictionless contact, in closed form (Featherstone 2008, Eqs 11.1-11.10).

    Parameters
    ----------
    I : ndarray (6, 6)
        Inertia of the body, in the coordinates of the vectors.
    v, f : ndarray (6,)
        Velocity, with n . v = 0, and the sum of all other forces.
    n, n_rate : ndarray (6,)
        Contact normal and its rate.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.contact import single_contact

    A ball of 2 kg on the floor weighs on it with 2 g:

    >>> up = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    >>> round(single_contact(2.0 * np.eye(6), np.zeros(6), -2.0 * 9.81 * up, up, np.zeros(6)).lam, 9)
    19.62
    """
    free = np.linalg.solve(I, f - cross_force(v, I @ v))
    M = float(n @ np.linalg.solve(I, n))  # Eq 11.8
    d = float(n @ free + n_rate @ v)  # Eq 11.9
    lam = 0.0 if d >= 0.0 else -d / M  # Eq 11.10
    f_c = n * lam  # Eq 11.1
    return SingleContact(M, d, lam, max(d, 0.0), f_c, free + np.linalg.solve(I, f_c))  # Eq 11.6


@dataclass(frozen=True, eq=False)
class BodyContacts:
    """Equation of several contacts of one body, zeta' = M lam + d.

    Attributes
    ----------
    N, N_rate : ndarray (6, n_c)
        Normals and their rates.
    M : ndarray (n_c, n_c)
        Inverse inertia in contact space.
    d : ndarray (n_c,)
        Separation accelerations without contact forces.
    free : ndarray (6,)
        Acceleration without contact forces.
    I : ndarray (6, 6)
        Inertia of the body.
    names : tuple of str
        Names of the contacts.
    """

    N: NDArray
    N_rate: NDArray
    M: NDArray
    d: NDArray
    free: NDArray
    I: NDArray
    names: tuple[str, ...]

    def solve(self) -> tuple[NDArray, NDArray, NDArray]:
        """Return lam (n_c,), zeta' (n_c,) and the acceleration a (6,), which is unique even if lam is not.

        Raises
        ------
        InfeasibleError
            If no forces keep the body out of the surface, as for a disc in a narrowing slot (Example 11.1).
        """
        found = active_set(self.M, self.d, self.names)  # Eq 11.18
        return found.lam, found.zeta, self.free + np.linalg.solve(self.I, self.N @ found.lam)  # Eq 11.19


def body_contacts(I: NDArray, v: NDArray, f: NDArray, contacts: Sequence[PointContact]) -> BodyContacts:
    """Return M and d of a body on a fixed surface (Featherstone 2008, Eqs 11.15-11.22).

    Parameters
    ----------
    I : ndarray (6, 6)
        Inertia in world coordinates, like the contacts.
    v, f : ndarray (6,)
        Velocity, and the sum of all other forces.
    contacts : sequence of PointContact
        Contacts; the body is the successor of each.
    """
    N = np.column_stack([np.zeros((6, 0)), *(contact.n for contact in contacts)])  # Eq 11.15
    N_rate = np.column_stack([np.zeros((6, 0)), *(contact.n_rate for contact in contacts)])
    free = np.linalg.solve(I, f - cross_force(v, I @ v))
    M = N.T @ np.linalg.solve(I, N)  # Eq 11.21
    d = N.T @ free + N_rate.T @ v  # Eq 11.22
    return BodyContacts(N, N_rate, 0.5 * (M + M.T), d, free, I, tuple(contact.name for contact in contacts))
