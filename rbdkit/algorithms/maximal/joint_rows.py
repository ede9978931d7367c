"""Joints as constraints between twists of bodies, from the adjoint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import body_frames
from rbdkit.joints.loop_form import loop_form
from rbdkit.model import Model
from rbdkit.model.places import Place, places
from rbdkit.model.requirements import require_no_constraints, require_no_mimics
from rbdkit.spatial import se3


@dataclass(frozen=True)
class MaximalBodies:
    """The bodies of a model with frames in the centres of mass along the principal axes, and its joints.

    Attributes
    ----------
    M : ndarray (n, 6, 6)
        Diagonal inertias, without the world.
    frames : ndarray (n + 1, 4, 4)
        Poses of these frames in rbdkit's body frames, the world first.
    joints : list of Place
        Those of the tree, then those that close loops.
    gravity : ndarray (3,)
        Acceleration of free fall.
    """

    M: NDArray
    frames: NDArray
    joints: list[Place]
    gravity: NDArray

    @property
    def n(self) -> int:
        """Number of bodies."""
        return len(self.M)


def maximal_bodies(model: Model) -> MaximalBodies:
    """Return the bodies and joints of a model, with or without loops; springs and dampers are left out.

    Parameters
    ----------
    model : Model
        Model without mimic joints and without constraint elements.

    Raises
    ------
    ModelError
        If the model has mimic joints or constraint elements.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.maximal import maximal_bodies
    >>> maximal_bodies(rbd.library.double_pendulum()).n
    2
    """
    require_no_mimics(model, "joints as constraints between bodies", "formulation 'joint'")
    require_no_constraints(model, "joints as constraints between bodies")
    frames, M = body_frames(model)
    return MaximalBodies(M[1:], frames, places(model, frames), np.array(model.gravity))


@dataclass(frozen=True)
class JointRows:
    """Constraints ``G Phi = v`` of all joints (Eqs 1.69, 1.70), with position errors and acceleration terms.

    Attributes
    ----------
    G : ndarray (m, 6 n)
        Constraint Jacobian on the twists of all bodies, each in its own frame.
    g : ndarray (m,)
        Position errors of the joints, rad and m, in the same rows.
    target : ndarray (m,)
        Right-hand side v, nonzero for prescribed joints only.
    drift : ndarray (m,)
        Right-hand side -G-dot Phi of ``G Phi-dot``.
    rows : dict
        Slice of each joint, by name.
    """

    G: NDArray
    g: NDArray
    target: NDArray
    drift: NDArray
    rows: dict[str, slice]


def joint_rows(bodies: MaximalBodies, E: NDArray, phi: NDArray, *, t: float = 0.0) -> JointRows:
    """Return the constraints of all joints at one state, closed or not (Sueda, Eqs 1.69, 1.70).

    The six rows of a rigid joint are combined by the constraint-force subspace T of the joint, ``T^T S = 0``, which
    drops those along which it moves. So this works for any joint.

    Parameters
    ----------
    bodies : MaximalBodies
        Bodies and joints.
    E : ndarray (n, 4, 4)
        World poses of the bodies.
    phi : ndarray (n, 6)
        Twists of the bodies.
    t : float, optional
        Time in s, for prescribed joints.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.maximal import joint_rows, maximal_bodies
    >>> bodies = maximal_bodies(rbd.library.double_pendulum())
    >>> joint_rows(bodies, np.tile(np.eye(4), (2, 1, 1)), np.zeros((2, 6))).G.shape
    (10, 12)
    """
    E = np.concatenate([np.eye(4)[None], E])  # the world first
    phi = np.concatenate([np.zeros((1, 6)), phi])
    parts, rows, first = [], {}, 0
    for joint in bodies.joints:
        k, i = joint.predecessor, joint.successor
        E_k, E_i = E[k] @ joint.predecessor_placement, E[i] @ joint.successor_placement
        pose = se3.inverse(E_k) @ E_i
        Ad_i = se3.adjoint(se3.inverse(joint.successor_placement))  # to the joint, from the body that owns it
        Ad_k = se3.adjoint(se3.inverse(pose) @ se3.inverse(joint.predecessor_placement))
        V = Ad_i @ phi[i]
        apart = V - Ad_k @ phi[k]  # Eq 1.69
        form = loop_form(joint.type, pose, apart, t)
        T_T = form.T.T
        G = np.zeros((len(T_T), len(E), 6))
        G[:, i] += T_T @ Ad_i
        G[:, k] -= T_T @ Ad_k
        parts.append(
            (
                G[:, 1:].reshape(len(T_T), 6 * bodies.n),
                form.delta,
                T_T @ form.sigma,
                T_T @ (form.c_J - se3.ad(apart) @ V),
            )
        )
        rows[joint.name] = slice(first, first + len(T_T))
        first += len(T_T)
    none = np.zeros(0)
    g, target, drift = (np.concatenate([none, *(part[j] for part in parts)]) for j in (1, 2, 3))
    return JointRows(
        np.concatenate([np.zeros((0, 6 * bodies.n)), *(part[0] for part in parts)]), g, target, drift, rows
    )
