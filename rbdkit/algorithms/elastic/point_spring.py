"""A spring of no length between two points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.elastic.attached import Attached, PointForces, wrenches
from rbdkit.spatial.so3 import skew


def point_spring(one: Attached, two: Attached, k: float, d: float = 0.0) -> PointForces:
    """Forces k dx that pull two points together (section 1.9.3).

    Parameters
    ----------
    one, two : Attached
        The points.
    k : float
        N/m.
    d : float, optional
        Of a damper that resists every motion of the points against each other, N s/m; beyond the notes.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import Attached, point_spring
    >>> one, two = (Attached(np.eye(4), np.array([x, 0.0, 0.0])) for x in (0.0, 0.5))
    >>> spring = point_spring(one, two, 20.0)
    >>> spring.V, spring.f[[3, 9]].tolist()
    (2.5, [10.0, -10.0])
    """
    dx = two.position - one.position
    force = k * dx + d * (two.velocity - one.velocity)
    f = wrenches(one, two, force)  # Eq 1.35
    V = 0.5 * k * float(dx @ dx)  # Eq 1.36
    B = np.concatenate([one.R @ one.Gamma, -two.R @ two.Gamma], axis=1)
    turned = np.zeros((12, 12))  # of the damper: its wrenches turn with the bodies, and velocities with R
    for k0, point, sign in ((0, one, 1.0), (6, two, -1.0)):
        turned[k0 : k0 + 6, k0 : k0 + 3] = sign * d * point.Gamma.T @ skew(point.R.T @ (two.velocity - one.velocity))
        turned[:, k0 : k0 + 3] += sign * d * B.T @ point.R @ skew(point.Gamma @ point.phi)
    return PointForces(f, -k * sixteen_blocks(one, two) + turned, d * B.T @ B, V)


def sixteen_blocks(one: Attached, two: Attached) -> NDArray:
    """The blocks of Eqs 1.37, 1.51, 1.62 and 1.67, (12, 12): minus the derivative of the wrenches of dx."""
    x1, x2 = skew(one.x), skew(two.x)
    R12 = one.R.T @ two.R
    R21 = R12.T
    a = skew(one.R.T @ (one.p - two.position))
    b = skew(two.R.T @ (two.p - one.position))
    I = np.eye(3)
    return np.block([
        [x1 @ a, x1, x1 @ R12 @ x2, -x1 @ R12],
        [a, I, R12 @ x2, -R12],
        [x2 @ R21 @ x1, -x2 @ R21, x2 @ b, x2],
        [R21 @ x1, -R21, b, I],
    ])  # fmt: skip
