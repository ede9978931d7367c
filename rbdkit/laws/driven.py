"""Work of prescribed joints through contacts: their motors carry what presses on the bodies that they move."""

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
    """Power of the motors of prescribed joints against contact forces, W; or their work, J, against impulses.

    A motor feels the forces on the bodies that it moves, and the inertia of what hangs on them and is pushed itself.
    Both are linear in the forces, so they come on top of what motors do without contacts. Reactions of loops and
    constraints do no work but what time does through them: what they take from the joints that move freely they give
    to motors, and what time moves in a constraint counts as a motor, and so does a bound that it moves.

    Parameters
    ----------
    v : (nv,) velocities that keep loops closed. Where impulses act, those before or after: it makes no difference.
    pair : (m,) numbers of pairs of bodies. point : (m, 3), m. force : (m, 3) on successors, N, or N s; in world axes.
    push : (rows,) of all rows of one-sided constraints, N or N m, or times s.
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
