"""Rotations and twists as manifolds, on scalars and without branches, for the motion of curved joints.

The formulas are those of `rbdkit.spatial`, made branch-free: short series and tiny numbers under square roots take the
place of cases for small angles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross, dot
from rbdkit.trace import Scalar, cos, polynomial, select, sin, sqrt

# e of `half_cotangent` in powers of t^2: |B_2k| / (2k)! for k = 2, 3, ...
HALF_COTANGENT = [
    1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600, 3617 / 10670622842880000,
    43867 / 5109094217170944000, 174611 / 802857662698291200000,
]  # fmt: skip
ARCTANGENT = [(-1.0) ** k / (2 * k + 1) for k in range(13)]
"""Coefficients of arctan(x)/x in powers of x^2, to round-off for x < tan(pi/16)."""


def quaternion_matrix(q: Sequence[Scalar]) -> Matrix:
    """Return the rotation matrix, body to fixed coordinates, of a unit quaternion (the transpose of Eq 4.12)."""
    w, x, y, z = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz, wx, wy, wz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2, w * x2, w * y2, w * z2
    return Matrix.of(
        [1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)]
    )


def quaternion_product(p: Sequence[Scalar], q: Sequence[Scalar]) -> list[Scalar]:
    """Return p q: first the rotation q, then p."""
    p0, p_v, q0, q_v = p[0], Vector(p[1:]), q[0], Vector(q[1:])
    return [p0 * q0 - dot(p_v, q_v), *(p0 * q_v + q0 * p_v + cross(p_v, q_v))]


def from_matrix(R: Matrix) -> list[Scalar]:
    """Return the unit quaternion of R with p0 >= 0; see `rbdkit.spatial.quaternion.from_matrix`."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    a, b, c, d, e, f = zy - yz, xz - zx, yx - xy, xy + yx, zx + xz, yz + zy
    rows = [
        [1 + xx + yy + zz, a, b, c],
        [a, 1 + xx - yy - zz, d, e],
        [b, d, 1 - xx + yy - zz, f],
        [c, e, f, 1 - xx - yy + zz],
    ]
    # row k is 4 p_k p: each gives the quaternion, the one with the largest |p_k| with least cancellation
    best, largest = rows[0], rows[0][0]
    for k in range(1, 4):
        better = rows[k][k] > largest
        best = [select(better, new, old) for new, old in zip(rows[k], best, strict=True)]
        largest = select(better, rows[k][k], largest)
    size = sqrt(dot(best, best))
    scale = select(best[0] < 0.0, -1.0, 1.0) / size
    return [scale * x for x in best]


def exp(w: Vector) -> tuple[list[Scalar], Callable[[Vector], Vector]]:
    """Return the quaternion of a rotation vector w, and its left Jacobian: the mean effect of the rotation."""
    t = sqrt(dot(w, w) + 1e-200)  # makes s 0.5 at w = 0, and changes no digit of a larger angle
    s = sin(0.5 * t) / t
    c2, c3 = 2.0 * s * s, (1.0 - sin(t) / t) / (t * t)
    return [cos(0.5 * t), *(s * w)], lambda v: v + c2 * cross(w, v) + c3 * cross(w, cross(w, v))


def turned(q: Sequence[Scalar], r: Sequence[Scalar]) -> list[Scalar]:
    """Return q r, normalised."""
    product = quaternion_product(q, r)
    n = 1.0 / sqrt(dot(product, product))
    return [n * x for x in product]


def log(q: Sequence[Scalar]) -> Vector:
    """Return the rotation vector of a unit quaternion, with an angle from 0 to pi."""
    # q and -q are one rotation: that by the smaller angle
    flip = select(q[0] < 0.0, -1.0, 1.0)
    w, v = flip * q[0], flip * Vector(q[1:])
    for _ in range(3):  # halve the angle until the series converges fast
        w, v = sqrt(0.5 + 0.5 * w), (0.5 / sqrt(0.5 + 0.5 * w)) * v
    # tan of an eighth of the half angle: hence the 16 below
    tangent = (1.0 / w) * v
    return (16.0 * polynomial(ARCTANGENT, dot(tangent, tangent))) * tangent


def half_cotangent(t2: Scalar) -> tuple[Scalar, Scalar]:
    """Return d and e of ``(t/2) cot(t/2) = 1 - d t^2``, ``d = 1/12 + e t^2``, for t^2 of an angle below 2 pi."""
    # both sides are computed, and the closed form may not divide by 0
    large = select(t2 < 1.0, 1.0, t2)
    t = sqrt(large)
    closed = ((1.0 - 0.5 * t * cos(0.5 * t) / sin(0.5 * t)) / large - 1.0 / 12.0) / large
    e = select(t2 < 1.0, polynomial(HALF_COTANGENT, t2), closed)
    return 1.0 / 12.0 + e * t2, e


def jacobian_inverse(w: Vector, v: Vector) -> tuple[Callable[[Vector], Vector], Callable[[Vector], Vector]]:
    """Return J and D of the inverse right Jacobian [[J, 0], [D, J]] of exp of SE(3) at the twist (w, v).

    J alone is that of SO(3). The transposes are the same blocks at (-w, -v).
    """
    d, e = half_cotangent(dot(w, w))
    k = dot(w, v) * (d * d - 3.0 * e)

    def J(x: Vector) -> Vector:
        return x + 0.5 * cross(w, x) + d * cross(w, cross(w, x))

    def D(x: Vector) -> Vector:
        return 0.5 * cross(v, x) + d * (cross(w, cross(v, x)) + cross(v, cross(w, x))) + k * cross(w, cross(w, x))

    return J, D


def local_rate(n: mv, V: mv) -> mv:
    """Return the rate n' of a body that moves with the twist V at ``C exp(n)``: T^-1(n) V of SE(3), in body axes."""
    d, e = half_cotangent(dot(n.omega, n.omega))
    a = n.cross(V)
    b = n.cross(a)
    rate = V + 0.5 * a + d * b
    return mv(rate.omega, rate.v + (dot(n.omega, n.v) * (d * d - 3.0 * e)) * b.omega)


def displacement(R: Matrix, p: Vector) -> tuple[Vector, Vector]:
    """Return the logarithm of a pose, as a twist of the frame that it moves."""
    w = log(from_matrix(R))
    return w, jacobian_inverse(-w, ZERO)[0](p)
