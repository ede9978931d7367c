"""How a joint's coordinates change when it moves: the tangents that derivatives with respect to q are taken along.

q moves as ``move(q, u)`` at u = 0, so nv tangents span what q can do, however many numbers it has. For a quaternion
they are the turns about the axes of the moved frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rbdkit.engine.steps.motion import Motion
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.trace import Scalar, Trace, jacobian, replay, trace


def rates(motion: Motion, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """For each freedom, qdot (nq numbers) at unit velocity."""
    if not motion.curved:
        return [[float(i == k) for i in range(motion.nq)] for k in range(motion.nv)]
    values = replay(_of_move(motion.name), lambda leaf: q[leaf[3]] if leaf[1] == "q" else 0.0)
    return [values[k :: motion.nv] for k in range(motion.nv)]


@cache
def _of_move(name: str) -> Trace:
    """d move(q, u) / du, shape (nq, nv)."""
    motion = MOTIONS[name]
    return jacobian(trace(motion.move, motion.nq, motion.nv, names=("q", "u")), "u")
