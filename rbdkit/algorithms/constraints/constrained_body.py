"""One rigid body on a joint to the fixed base, by three methods (Featherstone 2008, section 3.6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.force_split import apparent
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.names import listed
from rbdkit.model.requirements import require_tree
from rbdkit.spatial.cross import cross_force


@dataclass(frozen=True)
class AttachedBody:
    """Body on a joint to the fixed base at one state, in body coordinates: input of the three methods.

    Attributes
    ----------
    I : ndarray (6, 6)
        Inertia.
    S : ndarray (6, n_f)
        Motion subspace.
    T : ndarray (6, 6 - n_f)
        Constraint-force subspace.
    v : ndarray (6,)
        Velocity.
    c : ndarray (6,)
        Acceleration at qdd = 0: Sdot qd, and for a prescribed joint the rate of its bias velocity.
    p : ndarray (6,)
        Bias force v x* I v - f_g.
    """

    I: NDArray
    S: NDArray
    T: NDArray
    v: NDArray
    c: NDArray
    p: NDArray


@dataclass(frozen=True)
class ConstrainedMotion:
    """Acceleration (6,) of a constrained body, and the constraint force f_c (6,) on it."""

    a: NDArray
    f_c: NDArray


def attached_body(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> AttachedBody:
    """Return the only body of a model at one state.

    Raises
    ------
    ModelError
        If the model does not have exactly one body apart from the world, on exactly one joint.
    """
    require_tree(model, "a body on one joint")
    if len(model.bodies) != 2:
        names = listed([body.name for body in model.bodies[1:]])
        raise ModelError(f"model {model.name!r} must have one body on one joint, but has {names or 'none'}")
    joint, I = model.joints[1], np.array(model.I[1])
    X_J, S, v_J, c_J = joint.calc(q, qd, t)
    X = X_J @ model.X_tree[1]
    f_g = I @ X @ np.concatenate([np.zeros(3), model.gravity])
    p = cross_force(v_J, I @ v_J) - f_g
    T = joint.type.constraint_subspace(joint.coordinates(q))
    return AttachedBody(I, S, T, v_J, c_J, p)  # v x v_J of Eq 3.40 is zero: the base rests


def apparent_inverse_inertia(I: NDArray, S: NDArray) -> NDArray:
    """Return Phi = S (S^T I S)^-1 S^T, (6, 6): from force to acceleration of a body that moves in S only (Eq 3.54).

    Exactly symmetric, positive semidefinite, of rank n_f; its range is S and its null space the complement of S.
    """
    Phi = S @ apparent(S.T @ I @ S, S.T)
    return 0.5 * (Phi + Phi.T)


def by_motion_subspace(
    I: NDArray, S: NDArray, f: NDArray, p: NDArray, c: NDArray
) -> tuple[ConstrainedMotion, NDArray, NDArray]:
    """Method 1: a = Phi f + b (Featherstone 2008, Eqs 3.47-3.55).

    Parameters
    ----------
    I : ndarray (6, 6)
        Inertia.
    S : ndarray (6, n_f)
        Motion subspace.
    f, p, c : ndarray (6,)
        Applied force, bias force and Sdot qd.

    Returns
    -------
    motion : acceleration and constraint force.
    Phi : (6, 6) apparent inverse inertia. b : (6,) bias acceleration.
    """
    Phi = apparent_inverse_inertia(I, S)  # Eq 3.54
    b = c - Phi @ (I @ c + p)  # Eq 3.55
    a = Phi @ f + b  # Eq 3.53
    return ConstrainedMotion(a, I @ a + p - f), Phi, b


def by_constraint_forces(
    I: NDArray, T: NDArray, f: NDArray, p: NDArray, Tdot_v: NDArray
) -> tuple[ConstrainedMotion, NDArray]:
    """Method 2: acceleration and constraint force from one symmetric system (Featherstone 2008, Eqs 3.56-3.60).

    Parameters
    ----------
    I : ndarray (6, 6)
        Inertia.
    T : ndarray (6, n_c)
        Constraint-force subspace.
    f, p : ndarray (6,)
        Applied and bias force.
    Tdot_v : ndarray (n_c,)
        Tdot^T v, which is -T^T Sdot qd.

    Returns
    -------
    motion : acceleration and constraint force. lam : (n_c,) constraint-force variables.

    Raises
    ------
    ModelError
        If the system is singular.
    """
    n_c = T.shape[1]
    A = np.block([[I, T], [T.T, np.zeros((n_c, n_c))]])
    try:
        x = np.linalg.solve(A, np.concatenate([f - p, -Tdot_v]))  # Eq 3.60
    except np.linalg.LinAlgError:
        raise ModelError("columns of T depend on each other, or the body lacks inertia where it can move") from None
    lam = -x[6:]
    return ConstrainedMotion(x[:6], T @ lam), lam  # Eq 3.57


def by_generalized_coordinates(I: NDArray, S: NDArray, p: NDArray, c: NDArray) -> tuple[NDArray, NDArray]:
    """Method 3: H = S^T I S and C = S^T (I Sdot qd + p) of H qdd + C = tau (Featherstone 2008, Eqs 3.61-3.64).

    Returns
    -------
    H : (n_f, n_f). C : (n_f,).
    """
    return S.T @ I @ S, S.T @ (I @ c + p)
