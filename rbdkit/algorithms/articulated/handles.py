"""Articulated bodies with several handles, and their assembly by several joints at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.errors import ModelError, StateError

End = tuple[str, int]
"""Handle, named by the joint that will connect it, and 1 (predecessor) or 2 (successor side)."""

REDUNDANT = 1e-10
"""Eigenvalues of Y, scaled to a unit diagonal, below this fraction of the largest belong to redundant constraints."""
AGREE = 1e-6
"""Relative tolerance to which redundant constraints must demand the same acceleration."""


@dataclass(frozen=True, eq=False)
class Articulated:
    """Articulated body: ``a = Phi f + b`` of all its handles together (Featherstone 2008, Eq 7.4).

    Attributes
    ----------
    handles : tuple of End
        Names of the handles.
    Phi : ndarray (6 h, 6 h)
        Inverse inertia, symmetric and positive semidefinite.
    b : ndarray (6 h,)
        Bias accelerations, in common coordinates.
    """

    handles: tuple[End, ...]
    Phi: NDArray
    b: NDArray

    @staticmethod
    def rigid(handles: Sequence[End], Phi: NDArray, b: NDArray) -> Articulated:
        """Return a rigid body with any number of handles: all move alike, so every block is the body's own Phi."""
        h = len(handles)
        return Articulated(tuple(handles), np.tile(Phi, (h, h)), np.tile(b, h))

    def places(self, handles: Sequence[End]) -> NDArray:
        """Return the row indices of some handles in Phi and b."""
        return np.array([6 * self.handles.index(h) + k for h in handles for k in range(6)], dtype=int)


@dataclass(frozen=True, eq=False)
class Assembly:
    """Assembly of two articulated bodies, with the matrices that give the joint forces afterwards.

    Attributes
    ----------
    A, B : Articulated
        The two parts.
    joints : tuple of str
        Names of the connecting joints.
    body : Articulated
        The result, whose handles are those of A and B that remain open.
    W : ndarray
        T Y^+ T^T of Eq 7.63.
    beta : ndarray
        c - b_3 + b_2, the acceleration mismatch at the joints without constraint forces.
    repeated : int
        Number of redundant constraints.
    """

    A: Articulated
    B: Articulated
    joints: tuple[str, ...]
    body: Articulated
    W: NDArray
    beta: NDArray
    repeated: int

    def apart(self, f: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return the forces on the handles of A and B, and the constraint forces (6 j,), for forces f on the assembly.

        Eqs 7.61 and 7.62. The constraint force of each joint is the one that it exerts on its handle in B.
        """
        A, B = self.A, self.B
        one, two, three, four = _sets(A, B, self.joints)
        f_1, f_4 = f[: len(one)], f[len(one) :]
        drive = A.Phi[np.ix_(two, one)] @ f_1 - B.Phi[np.ix_(three, four)] @ f_4 + self.beta
        f_3 = self.W @ drive  # T lambda
        f_A, f_B = np.zeros(len(A.b)), np.zeros(len(B.b))
        f_A[one], f_A[two], f_B[three], f_B[four] = f_1, -f_3, f_3, f_4
        return f_A, f_B, f_3


def assemble(A: Articulated, B: Articulated, joints: Sequence[Connection]) -> Assembly:
    """Connect two articulated bodies by any number of joints at once (Featherstone 2008, Eqs 7.57-7.63).

    Parameters
    ----------
    A, B : Articulated
        The two parts; every joint has one of its handles in A and the other in B.
    joints : sequence of Connection
        The joints, without their active forces: these count as external forces, and are in b already.

    Raises
    ------
    StateError
        If redundant constraints demand different accelerations: the state does not close the loop.

    Notes
    -----
    Joints that close a loop may be redundant; then Y is singular, and W uses its pseudoinverse. The accelerations do
    not depend on that choice, but the joint forces do: of all possible ones the smallest are chosen.
    """
    turned = [joint if (joint.name, 1) in A.handles else joint.reversed() for joint in joints]
    names = tuple(joint.name for joint in joints)
    one, two, three, four = _sets(A, B, names)
    Phi_1, Phi_12, Phi_2 = (A.Phi[np.ix_(i, j)] for i, j in ((one, one), (one, two), (two, two)))
    Phi_3, Phi_34, Phi_4 = (B.Phi[np.ix_(i, j)] for i, j in ((three, three), (three, four), (four, four)))
    T, E, c = np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0)
    if turned:
        from scipy.linalg import block_diag  # slow to load, and only this function needs it

        T, E = block_diag(*(joint.T for joint in turned)), block_diag(*(joint.E for joint in turned))
        c = np.concatenate([joint.c_T for joint in turned])
    beta = c - B.b[three] + A.b[two]
    Y_inverse, repeated = _inverse(T.T @ (Phi_2 + Phi_3) @ T + E, T.T @ beta, names)
    W = T @ Y_inverse @ T.T
    Phi_14 = Phi_12 @ W @ Phi_34
    Phi = np.block([[Phi_1 - Phi_12 @ W @ Phi_12.T, Phi_14], [Phi_14.T, Phi_4 - Phi_34.T @ W @ Phi_34]])
    b = np.concatenate([A.b[one] - Phi_12 @ W @ beta, B.b[four] + Phi_34.T @ W @ beta])
    free = tuple(h for body in (A, B) for h in body.handles if h[0] not in names)
    return Assembly(A, B, names, Articulated(free, 0.5 * (Phi + Phi.T), b), W, beta, repeated)


def _sets(A: Articulated, B: Articulated, joints: Sequence[str]) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return the rows of handle sets 1 to 4: open and connected ones of A, connected and open ones of B."""
    ends = [1 if (name, 1) in A.handles else 2 for name in joints]
    two, three = [(n, e) for n, e in zip(joints, ends)], [(n, 3 - e) for n, e in zip(joints, ends)]
    for body, wanted in ((A, two), (B, three)):
        for handle in wanted:
            if handle not in body.handles:
                raise ModelError(
                    f"joint {handle[0]!r} must have one handle in each of the two bodies; their handles are "
                    f"{sorted(A.handles)} and {sorted(B.handles)}"
                )
    one, four = [h for h in A.handles if h not in two], [h for h in B.handles if h not in three]
    return A.places(one), A.places(two), B.places(three), B.places(four)


def _inverse(Y: NDArray, rhs: NDArray, joints: Sequence[str]) -> tuple[NDArray, int]:
    """Return Y^-1, or its pseudoinverse if constraints are redundant, and the number of these."""
    if not np.isfinite(Y).all():
        return np.full_like(Y, np.nan), 0  # a diverged state: the NaN tells
    size = np.sqrt(np.maximum(np.diag(Y), 0.0))
    size[size <= REDUNDANT * size.max(initial=0.0)] = 1.0
    values, vectors = np.linalg.eigh(Y / np.outer(size, size))
    keep = values > REDUNDANT * values.max(initial=0.0)
    asked = vectors.T @ (rhs / size)
    disagreement = np.abs(asked[~keep]).max(initial=0.0)
    if disagreement > AGREE * max(np.abs(asked).max(initial=0.0), np.abs(rhs / size).max(initial=0.0)):
        raise StateError(
            f"joints {', '.join(map(repr, joints))} repeat constraints but ask for accelerations that differ by "
            f"{disagreement:.3g}; give positions and velocities that close the loop"
        )
    half = vectors[:, keep] / np.sqrt(values[keep]) / size[:, None]
    return half @ half.T, int(np.sum(~keep))
