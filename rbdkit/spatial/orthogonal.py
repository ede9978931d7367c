"""Is a 3x3 matrix a rotation, and if not, which rotation is nearest?  (Offered to the user as part of `so3`.)"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial.read_numbers import floats

_EYE = np.eye(3)


def is_rotation(R: ArrayLike, tol: float = 1e-9) -> bool | NDArray:
    """Whether R R^T = 1 and det R = +1 to within `tol` (Sueda Eq 1.3); one answer for each matrix of a stack."""
    R = np.asarray(R, dtype=float)
    if R.shape[-2:] != (3, 3):
        return False
    if R.ndim == 2:
        return _is_rotation(R, tol)
    error = np.abs(R @ np.swapaxes(R, -1, -2) - _EYE).max(axis=(-1, -2))
    return (error <= tol) & (_determinant(R) > 0.0)


def check(R: ArrayLike, tol: float = 1e-6) -> NDArray:
    """R as a float array if it is a rotation matrix (or a stack of them).

    Raises
    ------
    StateError
        With the deviation from orthogonality and the determinant of the worst matrix.
    """
    R = floats(R, lambda v: f"a rotation matrix holds numbers, not {v}", StateError)
    if R.shape[-2:] != (3, 3):
        raise StateError(f"a rotation matrix has shape (3, 3) on its last axes, got {R.shape}.")
    if not np.all(is_rotation(R, tol)):
        worst = R.reshape(-1, 3, 3)[np.argmin(np.ravel(is_rotation(R, tol)))]
        error = np.abs(worst @ worst.T - _EYE).max()
        raise StateError(
            f"not a rotation matrix: R R^T differs from 1 by {error:.3g} and det R is {_determinant(worst):.6g}. "
            "If it is only a little off, so3.project(R) gives the nearest rotation."
        )
    return R


def project(M: ArrayLike) -> NDArray:
    """The rotation nearest to M in the sum of squares (orthogonal Procrustes by the singular value decomposition).

    R R^T = 1 to within 4 eps: rounding the elements of R costs eps, a last correction and the product R R^T, both sums
    of three terms, 1.5 eps each.
    """
    U, _, Vt = np.linalg.svd(np.asarray(M, dtype=float))
    U[..., :, 2] *= np.sign(_determinant(U @ Vt))[..., None]  # the smallest singular direction pays for det = +1
    R = U @ Vt  # off by the rounding of two factors and their product, more than 4 eps
    return R + 0.5 * R @ (_EYE - np.swapaxes(R, -1, -2) @ R)  # a Newton step, which squares what is missing


def _is_rotation(R: NDArray, tol: float) -> bool:
    """Answer for one matrix: models check every placement, and plain numbers are ten times as fast."""
    rows = R.tolist()
    for j, (a, b, c) in enumerate(rows):
        for k, (d, e, f) in enumerate(rows[j:]):
            if not abs(a * d + b * e + c * f - (k == 0)) <= tol:  # NaN too
                return False
    return bool(_determinant(R) > 0.0)


def _determinant(M: NDArray) -> NDArray:
    if M.ndim == 2:  # one by one, plain numbers are ten times as fast
        (a, b, c), (d, e, f), (g, h, i) = M.tolist()
        return np.asarray(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
    with np.errstate(invalid="ignore"):  # of NaN it is NaN, and the caller says so in words
        return np.linalg.det(M)
