"""Products with r x that a transformed inertia is made of, without their zeros and repetitions (Table A.4)."""

from __future__ import annotations

from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector


def cross_cross(a: Vector, b: Vector) -> Symmetric:
    """Lower triangle of a x b x, which is b a^T - (a . b) 1: 6m + 3a."""
    (ax, ay, az), (bx, by, bz) = a, b
    x, y, z = ax * bx, ay * by, az * bz
    return Symmetric((-(y + z), ax * by, ax * bz, -(x + z), ay * bz, -(x + y)))


def cross_symmetric(r: Vector, M: Symmetric) -> Matrix:
    """R x M: 15m + 9a, as three of the eighteen products occur twice with another sign."""
    (x, y, z), (xx, xy, xz, yy, yz, zz) = r, M
    a, b, c = x * yz, y * xz, z * xy
    return Matrix(
        (
            Vector((b - c, y * yz - z * yy, y * zz - z * yz)),
            Vector((z * xx - x * xz, c - a, z * xz - x * zz)),
            Vector((x * xy - y * xx, x * yy - y * xy, a - b)),
        )
    )


def crossed(r: Vector, H: Matrix, Y: Matrix) -> Symmetric:
    """Lower triangle of -r x H^T + Y r x, with common factors taken out: 15m + 18a."""
    x, y, z = r
    (H11, H12, H13), (H21, H22, H23), (H31, H32, _) = H
    (_, Y12, Y13), (Y21, Y22, Y23), (Y31, Y32, Y33) = Y
    return Symmetric(
        (
            z * (H12 + Y12) - y * (H13 + Y13),
            z * (Y22 - H11) + x * H13 - y * Y23,
            y * (H11 - Y33) - x * H12 + z * Y32,
            x * (H23 + Y23) - z * (H21 + Y21),
            x * (Y33 - H22) + y * H21 - z * Y31,
            y * (H31 + Y31) - x * (H32 + Y32),
        )
    )
