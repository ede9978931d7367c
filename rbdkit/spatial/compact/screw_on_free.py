"""Axial screws on I^a, the inertia that is free about z: cheaper by what its zeros save (Featherstone, section A.4)."""

from __future__ import annotations

from rbdkit.spatial.compact import shift
from rbdkit.spatial.compact.axial import OTHERS, PLACE, AxialRotation
from rbdkit.spatial.compact.free_about_z import abi_z
from rbdkit.spatial.compact.inertias import abi
from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector


def about_z(E: AxialRotation, d: Scalar, inertia: abi_z) -> abi_z:
    """The screw about z keeps the zeros: 28m + 34a."""
    M, (H1, H2), (I11, I12, I22) = inertia.M, inertia.H, inertia.I
    M11, M12, M13, M22, M23, _ = M
    both = M12 * d
    Y11, Y12, Y13 = H1[0] + both, H1[1] + M22 * d, H1[2] + M23 * d  # H - r x M: 5m + 6a
    Y21, Y22, Y23 = H2[0] - M11 * d, H2[1] - both, H2[2] - M13 * d
    Z11 = I11 + (H1[1] + Y12) * d  # I - r x H^T + Y r x: 3m + 6a
    Z12 = I12 + (Y22 - H1[0]) * d
    Z22 = I22 - (H2[0] + Y21) * d

    total, difference = Y12 + Y21, Y22 - Y11  # E Y E^T without its last row: 8m + 10a
    alpha, beta = E.cs * total + E.ss * difference, E.cs * difference - E.ss * total
    row_1 = Vector((Y11 + alpha, Y12 + beta, E.c * Y13 + E.s * Y23))
    row_2 = Vector((Y21 + beta, Y22 - alpha, E.c * Y23 - E.s * Y13))

    difference = Z22 - Z11  # E Z E^T: 4m + 5a
    alpha = E.cs2 * Z12 + E.ss * difference
    return abi_z(E.symmetric(M), (row_1, row_2), (Z11 + alpha, E.cs * difference + E.cc_ss * Z12, Z22 - alpha))


def about_x_or_y(E: AxialRotation, d: Scalar, inertia: abi_z) -> abi:
    """The other screws fill the zeros: 32m + 28a. They turn first, which leaves the zeros more to save."""
    M, H = E.symmetric(inertia.M), _turned_corner(E, inertia)
    Y = shift.corner(E.axis, d, H, M)
    return abi(M, Y, shift.top(E.axis, d, _turned_top(E, inertia), H, Y))


def _turned_corner(E: AxialRotation, inertia: abi_z) -> Matrix:
    """E H E^T of the two rows p and k of H: 10m + 6a."""
    p, k, E = _rows(E)
    H, B = inertia.H, [[0.0] * 3 for _ in range(3)]
    Hpp, Hpz, Hkp, Hkz = H[p][p], H[p][2], H[k][p], H[k][2]
    alpha, beta = E.cs * Hpz - E.ss * Hpp, -(E.cs * Hpp + E.ss * Hpz)
    B[p][p], B[p][2], B[p][k] = Hpp + alpha, Hpz + beta, E.c * H[p][k]
    B[2][p], B[2][2], B[2][k] = beta, -alpha, -(E.s * H[p][k])
    B[k][p], B[k][2], B[k][k] = E.c * Hkp + E.s * Hkz, E.c * Hkz - E.s * Hkp, H[k][k]
    return Matrix(Vector(row) for row in B)


def _turned_top(E: AxialRotation, inertia: abi_z) -> Symmetric:
    """E I E^T of the elements pp, pk and kk of I: 4m + 1a."""
    p, k, E = _rows(E)
    xx, pk, yy = inertia.I
    pp, kk = (xx, yy) if p == 0 else (yy, xx)
    B = [0.0] * 6
    zz = E.ss * pp
    B[PLACE[p][p]], B[PLACE[p][2]], B[PLACE[2][2]] = pp - zz, -(E.cs * pp), zz
    B[PLACE[p][k]], B[PLACE[2][k]], B[PLACE[k][k]] = E.c * pk, -(E.s * pk), kk
    return Symmetric(B)


def _rows(E: AxialRotation) -> tuple[int, int, AxialRotation]:
    """Rows p and k that are not zero, k that of the screw's axis, and the rotation as one from p to z."""
    i, j, k = OTHERS[E.axis]
    return (i, k, E) if j == 2 else (j, k, E.inverse)
