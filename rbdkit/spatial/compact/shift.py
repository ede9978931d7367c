"""Shift of the origin by d along a coordinate axis: what it adds to vectors and inertias (Featherstone, A.4)."""

from __future__ import annotations

from rbdkit.spatial.compact.axial import OTHERS, places
from rbdkit.spatial.compact.inertias import rbi
from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector


def at_origin(axis: str, d: Scalar, moved: Vector, constant: Vector) -> Vector:
    """v - r x omega of a motion, n - r x f of a force: 2m + 2a."""
    i, j, _ = OTHERS[axis]
    out = list(moved)
    out[i], out[j] = moved[i] + constant[j] * d, moved[j] - constant[i] * d
    return Vector(out)


def rigid(axis: str, d: Scalar, inertia: rbi, m_d: Scalar | None = None) -> rbi:
    """y = h - m r and Z = I + r x h x + y x r x: 4m + 6a; 3m + 6a with the product m d at hand, kg m."""
    i, j, k = OTHERS[axis]
    ii, _, ik, jj, jk, _ = places(axis)
    h, y, Z = inertia.h, list(inertia.h), list(inertia.I)
    y[k] = h[k] - (inertia.m * d if m_d is None else m_d)
    turned = (h[k] + y[k]) * d
    Z[ii], Z[jj] = Z[ii] - turned, Z[jj] - turned
    Z[ik], Z[jk] = Z[ik] + h[i] * d, Z[jk] + h[j] * d
    return rbi(inertia.m, Vector(y), Symmetric(Z))


def corner(axis: str, d: Scalar, H: Matrix, M: Symmetric) -> Matrix:
    """Y = H - r x M: 5m + 6a."""
    i, j, k = OTHERS[axis]
    ii, ij, ik, jj, jk, _ = places(axis)
    Y = [list(row) for row in H]
    both = M[ij] * d
    Y[i][i], Y[i][j], Y[i][k] = H[i][i] + both, H[i][j] + M[jj] * d, H[i][k] + M[jk] * d
    Y[j][i], Y[j][j], Y[j][k] = H[j][i] - M[ii] * d, H[j][j] - both, H[j][k] - M[ik] * d
    return Matrix(Vector(row) for row in Y)


def top(axis: str, d: Scalar, I: Symmetric, H: Matrix, Y: Matrix) -> Symmetric:
    """Z = I - r x H^T + Y r x: 5m + 8a."""
    i, j, k = OTHERS[axis]
    ii, ij, ik, jj, jk, _ = places(axis)
    Z = list(I)
    Z[ii], Z[jj] = I[ii] + (H[i][j] + Y[i][j]) * d, I[jj] - (H[j][i] + Y[j][i]) * d
    Z[ij] = I[ij] + (Y[j][j] - H[i][i]) * d
    Z[ik], Z[jk] = I[ik] + H[k][j] * d, I[jk] - H[k][i] * d
    return Symmetric(Z)
