"""A spring with a rest length, and a damper beside it."""

from __future__ import annotations

import numpy as np

from rbdkit.algorithms.elastic.attached import Attached, PointForces, between, rate_of_length, row, wrenches
from rbdkit.algorithms.elastic.point_spring import sixteen_blocks


def spring_damper(
    one: Attached, two: Attached, k: float, L: float, d: float = 0.0, *, rate_by_pose: bool = True
) -> PointForces:
    """The tension ``k (l - L) / L + d v / L`` between two points (section 1.9.6).

    Parameters
    ----------
    one, two : Attached
        The points.
    k : float
        Tension for each unit of strain, N.
    L : float
        Rest length, m.
    d : float, optional
        Tension for each unit of strain rate, N s.
    rate_by_pose : bool, optional
        Whether K includes the derivative of the rate v by the poses, zero at rest; the notes omit it (Eq 1.67).

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import Attached, spring_damper
    >>> one, two = (Attached(np.eye(4), np.array([x, 0.0, 0.0])) for x in (0.0, 0.6))
    >>> spring_damper(one, two, 10.0, 0.5).f[3].round(12).item()
    2.0
    """
    dx, l = between(one, two)
    v, v_by_E, v_by_Phi = rate_of_length(one, two)
    f_s = k * (l - L) / L + d * v / L  # Eq 1.65 has - d v/L: a spring and a damper of one sign resist together
    f_n = wrenches(one, two, dx) / l  # Eq 1.66 has the other sign, with which a stretched spring pushes
    f_s_by_E = row(one, two, -k / L * dx / l) + (d / L * v_by_E if rate_by_pose else 0.0)  # Eq 1.67
    K_n1 = np.outer(wrenches(one, two, dx), row(one, two, dx / l**3))
    K_n2 = -sixteen_blocks(one, two) / l
    K = np.outer(f_n, f_s_by_E) + f_s * (K_n1 + K_n2)
    D = -np.outer(f_n, d / L * v_by_Phi)  # Eq 1.68
    return PointForces(f_s * f_n, K, D, 0.5 * k / L * (l - L) ** 2)
