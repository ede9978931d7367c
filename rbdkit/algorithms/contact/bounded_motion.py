"""Accelerations under contacts, joint limits and loops, by one quadratic program (Sueda, Eqs 2.104, 2.105).

Gauss's principle: of all accelerations that satisfy the constraints, the true ones minimise the deviation from the free
motion in the norm of H. Unilateral rows are inequalities of the program, and their multipliers are the forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.contact_equation import contact_equation
from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.solvers.quadratic_program import quadratic_program
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model


@dataclass(frozen=True, eq=False)
class BoundedMotion:
    """Accelerations under unilateral constraints, with the forces of these.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Accelerations.
    names : tuple of str
        Names of the active bounds: contacts, and limits as 'hinge below' or 'hinge above'.
    lam : ndarray (m,)
        Forces of the bounds, N or N m, none negative.
    """

    qdd: NDArray
    names: tuple[str, ...]
    lam: NDArray


def limit_rows(model: Model, q: NDArray, qd: NDArray, *, tol: float = 1e-9) -> tuple[NDArray, tuple[str, ...]]:
    """Return C_r (m, nv), a row for each joint limit that is reached and not being left (Eq 2.104).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    tol : float, optional
        Distance that counts as reached, rad or m, and speed that counts as zero, rad/s or m/s.

    Returns
    -------
    tuple
        C_r, and the name of each row.

    Raises
    ------
    StateError
        If a joint is beyond its limit, or moves towards it: that needs an impulse first.
    ModelError
        If a joint of several coordinates has limits.
    """
    rows, names = [], []
    for joint in model.joints:
        limits = joint.limits
        bounds = ((np.ravel(limits.lower), 1.0, "below"), (np.ravel(limits.upper), -1.0, "above"))
        if not any(np.isfinite(bound).any() for bound, _, _ in bounds):
            continue
        if joint.nq != 1 or joint.nv != 1:
            raise ModelError(f"joint {joint.name!r} has limits and {joint.nq} coordinates; only those of one are known")
        x, speed = float(joint.coordinates(q)[0]), float(joint.velocities(qd)[0])
        for bound, sign, side in bounds:
            distance = sign * (x - float(bound[0]))
            if distance > tol:
                continue
            name = f"{joint.name} {side}"
            if distance < -tol:
                raise StateError(f"joint {joint.name!r}: q = {x:.6g} is {side} its limit {bound[0]:.6g}; move it back")
            if sign * speed < -tol:
                raise StateError(f"joint {joint.name!r} runs into its limit with {speed:.6g}; apply an impulse first")
            if sign * speed <= tol:
                row = np.zeros(model.nv)
                row[joint.v_slice] = sign * (1.0 if joint.mimic is None else joint.mimic.multiplier)
                rows.append(row)
                names.append(name)
    return np.vstack([np.zeros((0, model.nv)), *rows]), tuple(names)


def bounded_motion(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    contacts: Sequence[PointContact] = (),
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    tol: float = 1e-9,
) -> BoundedMotion:
    """Minimize ``1/2 qdd^T H qdd - qdd^T f`` under joint limits, contacts and loops (Sueda, Eqs 2.104, 2.105).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    contacts : sequence of PointContact, optional
        Contacts in this state, none approaching.
    f_ext : ExternalForces, optional
        External forces, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    tol : float, optional
        Distance at which a limit counts as reached, rad or m.

    Raises
    ------
    InfeasibleError
        If bounds contradict each other; the message names them.
    StateError
        If a joint is beyond its limit or runs into it.
    ModelError
        If the model has constraint elements, a body is not in it, or a joint of several coordinates has limits.

    Examples
    --------
    A trap door that lies on its stop:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.contact import bounded_motion
    >>> model = rbd.Model("trap door")
    >>> leaf = rbd.Inertia(2.0, [0.5, 0.0, 0.0])
    >>> door = model.add_body("door", joint=rbd.Revolute("y"), inertia=leaf, limits=rbd.Limits(upper=0.0))
    >>> found = bounded_motion(model, np.zeros(1), np.zeros(1), np.zeros(1))
    >>> found.names, float(round(found.lam[0], 9))
    (('door_joint above',), 9.81)
    """
    C_r, limits = limit_rows(model, q, qd, tol=tol)
    equation = contact_equation(model, q, qd, tau, contacts, f_ext=f_ext, t=t)
    C = np.vstack([equation.T.T, C_r])  # Eq 2.104, C_m J_mr first
    c = np.concatenate([-equation.Tdot_qd, np.zeros(len(C_r))])
    G, f = equation.G, equation.tau - equation.C
    names = (*equation.names, *limits)
    found = quadratic_program(  # Eq 2.105 in ydd, the independent accelerations
        G.T @ equation.H @ G, G.T @ (f - equation.H @ equation.g), C=C @ G, c=c - C @ equation.g, names=names
    )
    return BoundedMotion(G @ found.x + equation.g, names, found.lam)
