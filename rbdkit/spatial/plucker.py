"""Plücker coordinate transforms X (6x6) of motion vectors, angular first (Featherstone section 2.8).

B_X_A takes motion vectors from A to B coordinates.  It is described by how frame A must be moved to coincide with
frame B: first shifted by r (in A coordinates), then turned, with E the 3x3 coordinate transform from A to B:

    B_X_A = rot(E) xlt(r) = [E 0; -E skew(r), E]            (Eq 2.24)

Note that E = R^T when R is the rotation matrix of B in A, so rx, ry, rz are the transposes of the active rotations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial.so3 import skew, unskew

_EYE = np.eye(3)


def rx(angle: float) -> NDArray:
    """E for a frame turned by `angle` (rad) about x (Table 2.2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def ry(angle: float) -> NDArray:
    """E for a frame turned by `angle` (rad) about y (Table 2.2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def rz(angle: float) -> NDArray:
    """E for a frame turned by `angle` (rad) about z (Table 2.2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def plucker(E: ArrayLike, r: ArrayLike) -> NDArray:
    """B_X_A = [E 0; -E skew(r), E] (Eq 2.24).

    Parameters
    ----------
    E : array (..., 3, 3)
        Coordinate transform of 3-D vectors from A to B.
    r : array (..., 3)
        Position of B's origin in A coordinates, m.

    Returns
    -------
    array (..., 6, 6)
    """
    E = np.asarray(E, dtype=float)
    B = -E @ skew(r)
    X = np.zeros(B.shape[:-2] + (6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = E
    X[..., 3:, :3] = B
    return X


def rot(E: ArrayLike) -> NDArray:
    """Rotation of the coordinate frame, [E 0; 0 E] (Table 2.2)."""
    return plucker(E, np.zeros(3))


def xlt(r: ArrayLike) -> NDArray:
    """Shift of the origin by r, [1 0; -skew(r) 1] (Table 2.2)."""
    return plucker(_EYE, r)


def rotx(angle: float) -> NDArray:
    """rot(rx(angle)) (Table 2.2)."""
    return rot(rx(angle))


def roty(angle: float) -> NDArray:
    """rot(ry(angle)) (Table 2.2)."""
    return rot(ry(angle))


def rotz(angle: float) -> NDArray:
    """rot(rz(angle)) (Table 2.2)."""
    return rot(rz(angle))


def inverse(X: ArrayLike) -> NDArray:
    """A_X_B = [E^T 0; skew(r) E^T, E^T] (Eq 2.26): each 3x3 block transposed, no linear solve."""
    if hasattr(X, "back"):
        return X.back  # of a `compact.plx`
    X = np.asarray(X, dtype=float)
    Y = np.zeros_like(X)
    Y[..., :3, :3] = Y[..., 3:, 3:] = np.swapaxes(X[..., :3, :3], -1, -2)
    Y[..., 3:, :3] = np.swapaxes(X[..., 3:, :3], -1, -2)
    return Y


def force(X: ArrayLike) -> NDArray:
    """The transform X* = X^-T = [E, -E skew(r); 0 E] of force vectors that goes with X (Eq 2.25)."""
    if hasattr(X, "star"):
        return X.star  # of a `compact.plx`
    X = np.asarray(X, dtype=float)
    Y = np.zeros_like(X)
    Y[..., :3, :3] = Y[..., 3:, 3:] = X[..., :3, :3]
    Y[..., :3, 3:] = X[..., 3:, :3]
    return Y


def split(X: ArrayLike) -> tuple[NDArray, NDArray]:
    """E (..., 3, 3) and r (..., 3) with X = plucker(E, r)."""
    X = np.asarray(X, dtype=float)
    E = X[..., :3, :3]
    return E.copy(), unskew(-np.swapaxes(E, -1, -2) @ X[..., 3:, :3])


def from_pose(T: ArrayLike) -> NDArray:
    """B_X_A from the pose T = A_T_B of frame B in frame A (Eq 2.28 is its inverse, B_T_A)."""
    T = np.asarray(T, dtype=float)
    if T.shape[-2:] != (4, 4):
        raise ValueError(f"a pose has shape (4, 4) on its last axes, got {T.shape}.")
    return plucker(np.swapaxes(T[..., :3, :3], -1, -2), T[..., :3, 3])


def to_pose(X: ArrayLike) -> NDArray:
    """Pose A_T_B of frame B in frame A from B_X_A."""
    E, r = split(X)
    T = np.zeros(E.shape[:-2] + (4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = np.swapaxes(E, -1, -2), r, 1.0
    return T


def to_velocity(X: ArrayLike) -> NDArray:
    """Velocity (..., 6) at which frame A comes to coincide with B in one unit of time, nearly: XtoV of Table A.2.

    It is invariant, v = X v, and exact for shifts; with a turn the error is of second order in the angle. The exact
    velocity is `se3.log` of the pose.

    Parameters
    ----------
    X : array (..., 6, 6)
        B_X_A.
    """
    X = np.asarray(X, dtype=float)
    return -np.concatenate([unskew(X[..., :3, :3]), unskew(X[..., 3:, :3])], axis=-1)  # the skew parts of both blocks
