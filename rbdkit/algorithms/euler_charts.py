"""Euler angles that switch their sequence of axes to avoid gimbal lock (Sueda, section 2.4.8).

This is the alternative to `exponential_coordinates` that the notes name; its price is that the current chart is part of
the state. Joints of models (`rbdkit.EulerAngles`) stay in one chart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.joints import EulerAngles
from rbdkit.spatial.read_numbers import numbers

OTHER = {"ZYX": "ZYZ", "ZYZ": "ZYX"}
"""The other chart. ZYX locks where the body's x axis lies along z, ZYZ where its z axis does: never both at once."""


class EulerChart(NamedTuple):
    """Rotation in one chart: the sequence of axes, the angles (3,) rad about these, and their rates (3,) rad/s.

    Examples
    --------
    >>> from rbdkit.algorithms.euler_charts import EulerChart
    >>> EulerChart._fields
    ('sequence', 'q', 'qdot')
    """

    sequence: str
    q: NDArray
    qdot: NDArray


def room_to_lock(sequence: str, q: NDArray) -> float:
    """Return the sine of the angle between the first and third axis; it is 0 at gimbal lock, where they are collinear.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.euler_charts import room_to_lock
    >>> room_to_lock("ZYX", np.zeros(3)), room_to_lock("ZYZ", np.zeros(3))
    (1.0, 0.0)
    """
    return float(abs(np.cos(q[1]) if sequence == "ZYX" else np.sin(q[1])))


def in_better_chart(sequence: str, q: ArrayLike, qdot: ArrayLike, keep: float = 0.5) -> EulerChart:
    """Return a rotation and its angular velocity in the chart to continue with, 'ZYX' or 'ZYZ'.

    Parameters
    ----------
    sequence : str
        Current sequence, 'ZYX' or 'ZYZ'.
    q, qdot : array_like (3,)
        Angles in rad and their rates in rad/s.
    keep : float, optional
        The chart is kept while its `room_to_lock` is larger; below 0.7, or the charts would switch to and fro.

    Raises
    ------
    StateError
        If the sequence is another one, or if the angles are at gimbal lock, where their rates are undetermined.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.euler_charts import in_better_chart
    >>> in_better_chart("ZYX", [0.3, 0.2, 0.1], [1.0, 0.0, 0.0]).sequence
    'ZYX'
    >>> near_lock = in_better_chart("ZYX", [0.3, 1.5, 0.1], [1.0, 0.0, 0.0])
    >>> near_lock.sequence, np.allclose(near_lock.qdot, [1.0, 0.0, 0.0])
    ('ZYZ', True)
    """
    if sequence not in OTHER:
        raise StateError(f"charts change between 'ZYX' and 'ZYZ', not from {sequence!r}")
    q, qdot = (
        numbers(x, (3,), lambda v, name=name: f"{name} {v} must be three finite numbers", StateError)  # type: ignore[misc]
        for x, name in ((q, "q"), (qdot, "qdot"))
    )
    room = room_to_lock(sequence, q)
    if room > keep:
        return EulerChart(sequence, q, qdot)
    if room == 0.0:
        raise StateError(f"the angles {q.tolist()} about {sequence} have locked; change the chart earlier")
    here, there = EulerAngles(sequence), EulerAngles(OTHER[sequence])
    q_new = there.project(here.pose(q))
    omega = here.motion_subspace(q)[:3] @ qdot  # Eq 2.30
    return EulerChart(there.sequence, q_new, np.linalg.solve(there.motion_subspace(q_new)[:3], omega))
