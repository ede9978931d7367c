"""Work of prescribed joints through contacts: their motors carry the contact forces on the bodies that they move.

The energy balance of a run counts this work, since the contact forces themselves are internal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import rnea
from rbdkit.laws.scene import Scene


def driven_power(
    scene: Scene,
    t: float,
    q: NDArray,
    v: NDArray,
    pair: NDArray,
    point: NDArray,
    force: NDArray,
    push: NDArray | None = None,
) -> float:
    """Return the power of prescribed joints' motors against contact forces, W; or their work against impulses, J.

    A motor feels the contact forces on the bodies that it moves, and the inertia of bodies that hang on them and are
    accelerated by contacts. Both are linear in the forces, so they add to what motors do without contacts. Reactions
    of loops and constraints do work only where these depend on time (rheonomic): such a constraint counts as a motor,
    and so does a moving bound.

    Parameters
    ----------
    v : (nv,) velocities that satisfy the loops; for impulses those before or after, with the same result.
    pair : (m,) numbers of the pairs. point : (m, 3), m. force : (m, 3) on successors in world axes, N, or N s.
    push : (rows,) forces of all rows of unilateral constraints, N or N m, or impulses, N s or N m s.
    """
    pushes = push is not None and bool(push.any())
    if not scene.at_work or not (len(pair) or pushes):
        return 0.0
    model = scene.model
    f_ext, still = np.zeros((len(model.bodies), 6)), np.zeros(model.nv)
    wrench, bodies = np.concatenate([np.cross(point, force), force], axis=1), scene.pairs.bodies[pair]
    np.add.at(f_ext, bodies[:, 1], wrench)
    np.add.at(f_ext, bodies[:, 0], -wrench)
    f_ext[0] = 0.0
    pushed = np.zeros(model.nv)
    for body in np.flatnonzero(f_ext.any(axis=1)).tolist():
        pushed += scene.jacobian(t, q, body).T @ f_ext[body]
    closed, through = bool(model.loops or model.constraints), 0.0
    stopped = np.zeros(model.nv)
    if pushes:
        assert scene.stops is not None and push is not None
        rows = scene.stops.at(t, q, still)  # with the rates of gaps that time makes
        stopped, through = rows.K.T @ push, -float(rows.slip @ push)
    pushed += stopped
    vdot = scene.inverse(t, q).times(pushed[:, None])[:, 0]
    if scene.kernels is not None:
        if closed:
            through += float((scene.kernels.crba(q, t) @ vdot - pushed) @ v)
        if not scene.driven:
            return through
        motors = scene.kernels.motors
        return through + float(
            scene.kernels.driven.at(t)["driven_v"]
            @ (motors(q, still, vdot, f_ext, t) - motors(q, still, still, None, t))
        )
    loaded, free = rnea(model, q, still, vdot, f_ext=f_ext, t=t), rnea(model, q, still, still, t=t)
    if closed:
        through += float((loaded.tau - free.tau - stopped) @ v)
    moved = [i for i in model.outward if model.joints[i].nv == 0]
    return through + float(sum((loaded.f[i] - free.f[i]) @ model.joints[i].velocity(q, still, t) for i in moved))
