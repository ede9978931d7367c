"""Trial motions for checking the force elements of loop joints: loops closed, tree joints ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.forces import BodyMotion
from rbdkit.spatial import se3, so3

if TYPE_CHECKING:
    from rbdkit.model.body import Loop
    from rbdkit.model.model import Model

Motion = Callable[[float], Callable[[int], BodyMotion]]


def trial_motion(model: Model, loops: Iterable[Loop], rng: np.random.Generator) -> Motion | None:
    """Return random motions of all bodies, a function of time about 0 that gives a function of the body number.

    Bodies move freely, except that one body of each loop joint moves by it, at random coordinates and velocities of
    the joint; the world is fixed. None if several loop joints would move one body.
    """
    free = {body: (so3.exp(rng.normal(size=3)), *rng.normal(size=(3, 3))) for body in range(1, len(model.bodies))}
    free[0] = (np.eye(3), *np.zeros((3, 3)))
    led: dict[int, tuple[Loop, NDArray, NDArray]] = {}
    for loop in loops:
        body = loop.successor or loop.predecessor
        if body in led or (loop.successor and loop.predecessor in led):
            return None
        led[body] = loop, loop.joint.type.random(rng), rng.normal(size=loop.joint.nv)

    def at(s: float) -> Callable[[int], BodyMotion]:
        def motion(body: int) -> BodyMotion:
            if body not in led:
                R, p, w, v = free[body]
                return BodyMotion(so3.exp(s * w) @ R, p + s * v, w, v)
            loop, q, qd = led[body]
            return _led(loop, loop.joint.type.integrate(q, s * qd), qd, motion)

        return motion

    return at


def _led(loop: Loop, q: NDArray, qd: NDArray, motion: Callable[[int], BodyMotion]) -> BodyMotion:
    """Motion of a loop joint's successor by that of the predecessor, or the other way round if that is the world."""
    type, X_P, X_S = loop.joint.type, loop.joint.placement, loop.successor_placement
    near = motion(loop.predecessor if loop.successor else 0)
    X = X_P @ type.pose(q) @ se3.inverse(X_S)
    forward = bool(loop.successor)
    T = se3.pose(near.R, near.p) @ (X if forward else se3.inverse(X))
    frame = T @ X_S if forward else se3.pose(near.R, near.p) @ X_S
    across = type.velocity(q, qd) * (1.0 if forward else -1.0)
    w, v = frame[:3, :3] @ across[:3], frame[:3, :3] @ across[3:]  # of the point where the successor's frame is
    w_own = near.w + w
    v_there = near.v + np.cross(near.w, frame[:3, 3] - near.p) + v
    return BodyMotion(T[:3, :3], T[:3, 3], w_own, v_there + np.cross(w_own, T[:3, 3] - frame[:3, 3]))
