"""An arm with the geometry that most industrial robots have: each axis at a right angle to the one before."""

from __future__ import annotations

import numpy as np

from rbdkit.joints import Prismatic, Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def right_angle_arm(joints: str = "RRRRRR", length: float = 0.3, seed: int = 0) -> Model:
    """A chain of hinges (R) and slides (P) about and along z: the first upright, each at a right angle to the last.

    Parameters
    ----------
    joints : str, optional
        A letter for each.
    length : float, optional
        Of the links, along their x, m.
    seed : int, optional
        Of the inertias, of which no number is zero.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.right_angle_arm("RRP")
    <Model 'arm RRP': 3 bodies, 3 moving joints, nq=3, nv=3, ...>
    """
    rng = np.random.default_rng(seed)
    model, parent = Model(f"arm {joints}"), "world"
    for k, letter in enumerate(joints):
        turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        placement = se3.pose(turn if k % 2 else turn.T, [length, 0.0, 0.0]) if k else np.eye(4)
        at = se3.pose(se3.random(rng)[:3, :3], [0.5 * length, *rng.uniform(-0.05, 0.05, 2)])
        inertia = Inertia.box(rng.uniform(0.1, 0.4, 3), mass=float(rng.uniform(0.5, 3.0))).transformed(at)
        bar = Geometry(Box((length, 0.06, 0.06)), se3.pose(position=[0.5 * length, 0.0, 0.0]))
        kind = Prismatic("z") if letter == "P" else Revolute("z")
        parent = model.add_body(f"link{k + 1}", parent, kind, placement, inertia, bar).name
    return model
