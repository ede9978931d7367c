"""A muscle through any number of points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.algorithms.elastic.attached import Attached, PointForces, between, rate_of_length, row, wrenches
from rbdkit.algorithms.elastic.muscle import MuscleNumbers
from rbdkit.algorithms.elastic.point_spring import sixteen_blocks
from rbdkit.errors import ModelError


def muscle_path(points: Sequence[Attached], numbers: MuscleNumbers, *, rate_by_pose: bool = True) -> PointForces:
    """A muscle along straight lines through n points (section 1.9.5).

    Parameters
    ----------
    points : sequence of Attached
        Two or more, each with the pose of its body; several may be on one body, see `onto_bodies`.
    numbers, rate_by_pose
        As for `muscle`.

    Raises
    ------
    ModelError
        If there are less than two points.

    Examples
    --------
    Round a corner, which feels the sum of two pulls:

    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import Attached, MuscleNumbers, muscle_path
    >>> corner = [Attached(np.eye(4), np.array(x)) for x in ([0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0])]
    >>> muscle_path(corner, MuscleNumbers(10.0, 2.0, 1.0)).f[9:12].round(9).tolist()
    [10.0, 10.0, 0.0]
    """
    n = len(points)
    if n < 2:
        raise ModelError(f"a muscle runs through two points or more, not through {n}")
    l_MT, v = 0.0, 0.0
    f_n = np.zeros(6 * n)  # sum of the f_k, for a tension of 1
    K_n = np.zeros((6 * n, 6 * n))
    l_by_E, v_by_E, v_by_Phi = np.zeros((3, 6 * n))
    for k in range(n - 1):
        one, two, at = points[k], points[k + 1], slice(6 * k, 6 * k + 12)
        dx, l = between(one, two)
        v_k, v_k_by_E, v_k_by_Phi = rate_of_length(one, two)
        l_MT += l  # Eq 1.57
        v += v_k  # Eq 1.58
        f_n[at] += wrenches(one, two, dx) / l  # Eq 1.60
        K_k1 = np.outer(wrenches(one, two, dx), row(one, two, dx / l**3))
        K_k2 = -sixteen_blocks(one, two) / l
        K_n[at, at] += K_k1 + K_k2  # Eq 1.62
        l_by_E[at] -= row(one, two, dx / l)
        v_by_E[at] += v_k_by_E
        v_by_Phi[at] += v_k_by_Phi
    f, f_by_l, f_by_v, V = numbers.tension(l_MT, v)  # Eq 1.59
    f_by_E = f_by_l * l_by_E + (f_by_v * v_by_E if rate_by_pose else 0.0)  # Eq 1.63
    K = np.outer(f_n, f_by_E) + f * K_n  # Eq 1.61
    D = -np.outer(f_n, f_by_v * v_by_Phi)  # Eq 1.64, with the sign that Eq 1.30 needs
    return PointForces(f * f_n, K, D, V)
