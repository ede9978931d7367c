"""The woodpecker that pecks its way down a pole: impacts, friction and jamming that keep a motion alive."""

from __future__ import annotations

import numpy as np

from rbdkit.joints import Fixed, Prismatic, Revolute
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Geometry, Model, Sphere
from rbdkit.spatial import se3, so3
from rbdkit.spatial.inertia import Inertia

POLE, SLEEVE, HALF_HEIGHT = 0.0025, 0.0031, 0.0058
"""Radius of the pole, inner radius and half height of the sleeve, m."""


@ready
def woodpecker_toy(friction: float = 0.3) -> Start:
    """A sleeve with play on a pole, and a woodpecker on it by a spring (Glocker 1995): it moves in the x-z plane.

    The state is on the motion that comes back to itself, just before the beak strikes.

    Parameters
    ----------
    friction : float, optional
        Coulomb's coefficient at the pole.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.woodpecker_toy()
    >>> len(model.contact_pairs)  # four corners of the sleeve, and the beak
    5
    """
    edge = 2e-4  # radius of the rounded edges
    model = Model("woodpecker")
    wood = Geometry(
        Box((2.0 * POLE, 2.0 * POLE, 1.0)), se3.pose(position=[0.0, 0.0, -0.4]), (0.75, 0.6, 0.4), collide=True
    )
    model.add_body("pole", joint=Fixed(), geometry=wood)
    model.add_body("carriage", joint=Prismatic("z"))
    corners = [
        Geometry(Sphere(edge), se3.pose(position=[side * (SLEEVE + edge), 0.0, up * HALF_HEIGHT]), (0.5, 0.5, 0.5),
                 name=f"{'right' if side > 0 else 'left'} {'top' if up > 0 else 'bottom'}", collide=True)
        for side in (1.0, -1.0) for up in (1.0, -1.0)
    ]  # fmt: skip
    ring = [
        Geometry(
            Capsule(edge, 2.0 * HALF_HEIGHT), se3.pose(position=[side * (SLEEVE + edge), 0.0, 0.0]), (0.3, 0.3, 0.35)
        )
        for side in (1.0, -1.0)
    ]
    sleeve = Inertia(0.0003, np.zeros(3), 5e-9 * np.eye(3))
    model.add_body("sleeve", "carriage", Revolute("-y"), inertia=sleeve, geometry=[*corners, *ring])
    body = Geometry(Capsule(0.006, 0.02), se3.pose(position=[0.0, 0.0, 0.004]), (0.88, 0.28, 0.24), collide=False)
    along = se3.pose(so3.exp([0.0, np.pi / 2.0, 0.0]), [-0.0125, 0.0, 0.02])
    beak = [
        Geometry(Sphere(edge), se3.pose(position=[-0.0201 + edge, 0.0, 0.02]), (0.95, 0.74, 0.25), collide=True),
        Geometry(Capsule(0.0012, 0.014), along, (0.95, 0.74, 0.25)),
        Geometry(Sphere(0.005), se3.pose(position=[-0.002, 0.0, 0.02]), (0.2, 0.2, 0.2)),
    ]
    bird = Inertia(0.0045, np.array([0.015, 0.0, 0.0]), 7e-7 * np.eye(3))
    moved = [Geometry(g.shape, se3.pose(position=[0.015, 0.0, 0.0]) @ g.placement, g.color, collide=g.collide)
             for g in (body, *beak)]  # fmt: skip
    model.add_body("bird", "sleeve", Revolute("-y"), [0.010, 0.0, 0.0], bird, moved, stiffness=0.0056)
    model.add_contact("pole", "sleeve", friction=friction, restitution=0.0)
    model.add_contact("pole", "bird", friction=friction, restitution=0.5)
    # z, angle of the sleeve, of the bird against it; counterclockwise with x to the right and z up
    across = SLEEVE + edge
    jammed = np.arctan2(HALF_HEIGHT, across) - np.arccos((POLE + edge) / np.hypot(across, HALF_HEIGHT))  # edges touch
    return Start(model, np.array([0.0, jammed, -0.2788 - jammed]), np.array([-0.3411, 0.0, -7.4583]))
