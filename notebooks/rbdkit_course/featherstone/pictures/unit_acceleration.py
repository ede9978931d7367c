"""One joint accelerates: every joint between it and the base transmits the same force (section 6.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import UnitAcceleration, forward_kinematics, unit_acceleration
from rbdkit.library.candelabra import candelabra
from rbdkit.model import Model
from rbdkit.scene import Arrow, scene_of, triple
from rbdkit.scene.palette import GROUND, LINES, SPATIAL
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

RODS = (0, 1, 2, 2, 4, 4, 5, 5, 6, 6)
"""A trunk of two, a branch to the left, and one to the right that forks twice."""

LONGEST = 0.27
"""Length of the longest arrow, m."""


def unit_acceleration_playground(model: Model | None = None) -> Playground:
    """A tree of rods at rest, one joint of which gets an acceleration of 1 rad/s².

    Parameters
    ----------
    model : Model, optional
        Of hinges; a candelabra of ten rods if not given.
    """
    tree = candelabra(RODS) if model is None else model
    names = tuple(joint.name for joint in tree.joints[1:])

    def draw_tree(joint: str, angle: float, sway: float) -> Picture:
        return draw(tree, joint, angle, sway)

    return Playground(
        "One joint accelerates",
        [
            Slider("joint", "", 0, len(names) - 1, min(3, len(names) - 1), "the one that accelerates", choices=names),
            Slider("angle", "rad", -2.0, 2.0, 0.5, "of this joint"),
            Slider("sway", "rad", -0.6, 0.6, 0.1, "of all other joints"),
        ],
        draw_tree,
        scene_of(tree, trails=[]),
        height=430,
    )


def draw(model: Model, joint: str, angle: float, sway: float) -> Picture:
    """Forces and moments at all joints while one accelerates from rest."""
    moving = model.joint(joint)
    q = np.full(model.nq, sway)
    q[moving.q_slice] = angle
    found = unit_acceleration(model, q, moving.v_slice.start)
    poses = forward_kinematics(model, q).poses
    places = poses[:, :3, 3]
    i = found.joint
    before, after = model.support(i)[:-1], model.subtree(i)
    force = np.linalg.norm(found.f[i, 3:])
    readout = [
        (f"force through {joint}", f"{force:.3f} N"),
        *((f"… through {model.joints[j].name}", f"{np.linalg.norm(found.f[j, 3:]):.3f} N") for j in before[::-1]),
        *((f"H{j},{i}: moment at {model.joints[j].name}", f"{found.tau[j - 1]:+.4f} N m") for j in (*before, i)),
    ]
    return Picture(
        poses=poses,
        arrows=arrows(found, places, before, after),
        readout=readout,
        note="Orange: the force through each joint, red: its moment about the joint, an entry of H. From the base up "
        "to the moving joint it is one and the same force; blue, it stands on its line of action. Grey: the smaller "
        "forces further out.",
    )


def arrows(found: UnitAcceleration, places: NDArray, before: Sequence[int], after: Sequence[int]) -> list[Arrow]:
    """Draw forces and moments at the joints, whose places (n, 3) are in world coordinates."""
    strongest = max(float(np.linalg.norm(found.f[1:, 3:], axis=1).max()), 1e-12)
    moments = {j: found.f[j, :3] - np.cross(places[j], found.f[j, 3:]) for j in (*before, *after)}
    largest = max(*(float(np.linalg.norm(moment)) for moment in moments.values()), 1e-12)
    drawn = []
    for j, moment in moments.items():
        own = j in before or j == found.joint
        straight = LONGEST / strongest * found.f[j, 3:]
        drawn.append(Arrow(0, triple(places[j]), triple(straight), SPATIAL["force"][1] if own else GROUND))
        if own:
            turning = LONGEST / largest * moment
            drawn.append(Arrow(0, triple(places[j]), triple(turning), SPATIAL["force"][0], "turning"))
    straight = LONGEST / strongest * found.f[found.joint, 3:]
    start = on_the_line(found.f[found.joint], places[found.joint])
    drawn.append(Arrow(0, triple(start), triple(straight), LINES[0]))
    return [arrow for arrow in drawn if np.linalg.norm(arrow.vector) > 1e-6]


def on_the_line(f: NDArray, point: NDArray) -> NDArray:
    """Return the point nearest to a given one on the axis of a spatial force (6,)."""
    force = f[3:]
    moment = f[:3] - np.cross(point, force)
    return point + np.cross(force, moment) / max(float(force @ force), 1e-300)
