"""Whether a motion begins with closed loops, and with velocities that keep them closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.errors import StateError
from rbdkit.formulations.constrained.joint_constraints import JointConstraints, places
from rbdkit.model import Model

OPEN = 1e-6
"""rad and m, rad/s and m/s: from here on a loop counts as open, or as opening."""
HELP = (
    "Close it first, from a start that is near: `system = rbdkit.formulations.SE3(model)`, then "
    "`q0, v0 = system.joint_state(*system.project(*system.state(q0, v0)))`, once more if it was far"
)


def require_closed(model: Model, q: NDArray, v: NDArray) -> None:
    """Check that the loop joints of a model hold at a state q (nq,), v (nv,) at t = 0.

    Raises
    ------
    StateError
        If one of them is open, or is being opened by v; with its name and by how much, in rad and m.
    """
    n = len(model.bodies)
    kinematics = forward_kinematics(model, q, v)
    assert kinematics.velocities is not None
    constraints = JointConstraints(places(model, np.zeros((n, 4, 4)) + np.eye(4))[n - 1 :], n)
    relative = constraints.relative(kinematics.poses, kinematics.velocities)
    slip = constraints.velocity_and_acceleration(relative, 0.0)[1]
    speed = max(1.0, float(np.max(np.abs(kinematics.velocities))))
    for what, verb, per, errors, allowed in (
        ("q0", "leaves", "", constraints.position(kinematics.poses), OPEN),
        ("v0", "opens", "/s", slip, OPEN * speed),
    ):
        if not errors.size or np.max(np.abs(errors)) <= allowed:
            continue
        worst = int(np.argmax(np.abs(errors)))
        k = next(i for i, rows in enumerate(constraints.rows) if rows.start <= worst < rows.stop)
        joint, own = constraints.joints[k], errors[constraints.rows[k]]
        turns = np.abs(joint.type.constraint_subspace(joint.type.neutral())[:3]).sum(axis=0) > 0.5
        by = [
            f"{np.linalg.norm(x):.3g} {unit}{per}" for x, unit in ((own[turns], "rad"), (own[~turns], "m")) if x.any()
        ]
        state = f"loop joint {joint.name!r} open by" if verb == "leaves" else f"loop joint {joint.name!r} by"
        raise StateError(f"{what} {verb} {state} {' and '.join(by)}. {HELP}")
