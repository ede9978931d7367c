"""Chains and trees of cuboids 10 x 1 x 1 cm of density 1 g/cm3, as in the scenes of Sueda's notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Revolute
from rbdkit.library.ready import ready, require_joints
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def cuboid_chain(links: int = 5, joints: Sequence[JointType] | JointType | None = None, cgs: bool = False) -> Model:
    """Cuboids end to end along x, hanging by the first joint; gravity is 980 cm/s2 down.

    Parameters
    ----------
    links : int, optional
        How many.
    joints : JointType or sequence of JointType, optional
        Between them, the same for all or in turn; hinges about y if not given.
    cgs : bool, optional
        Whether numbers are in cm, g and s, as in the notes; then energies are in erg, 1e-7 J, and forces in dyn,
        1e-5 N. In SI units if not.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If there is no link, or no joint.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> chain = rbd.library.cuboid_chain(2, cgs=True)
    >>> chain.mass, rbd.simulate(chain, duration=0.1).energy().total[0].item()  # two cuboids of 10 g
    (20.0, 0.0)
    """
    return cuboid_tree([k - 1 for k in range(links)], joints, cgs)


@ready
def cuboid_tree(
    parents: Sequence[int], joints: Sequence[JointType] | JointType | None = None, cgs: bool = False
) -> Model:
    """Cuboids that each hang by one end on the far end of their parent; children of one parent stand like a fan.

    Parameters
    ----------
    parents : sequence of int
        Number of the parent of each cuboid, from 0; -1 for the world. Parents come before their children.
    joints, cgs
        As for `cuboid_chain`.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If there is no link, no joint, or a parent does not come before its child.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.cuboid_tree([-1, 0, 0]).parent
    (-1, 0, 1, 1)
    """
    require_joints(joints)
    types = [joints] if isinstance(joints, JointType) else [Revolute("y")] if joints is None else list(joints)
    if not types or not len(parents):
        raise ModelError("a chain of cuboids needs one link or more, and a joint")
    cm = 1.0 if cgs else 0.01
    size = np.array([10.0, 1.0, 1.0]) * cm
    solid = Inertia.box(size, density=1.0 if cgs else 1000.0)
    inertia = Inertia(solid.mass, [0.5 * size[0], 0.0, 0.0], solid.inertia_com)
    shape = Geometry(Box(tuple(size)), se3.pose(position=[0.5 * size[0], 0.0, 0.0]))
    model = Model(f"{len(parents)} cuboids", gravity=(0.0, 0.0, -980.0 * cm))
    for k, parent in enumerate(parents):
        if not -1 <= parent < k:
            raise ModelError(f"cuboid {k} hangs on {parent}; a parent is -1 or comes before its child")
        siblings = [i for i in range(k) if parents[i] == parent]
        angle = 0.5 * (-1.0) ** len(siblings) * ((len(siblings) + 1) // 2)  # a fan
        place = np.eye(4)
        place[:3, :3] = [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
        place[0, 3] = size[0] if parent >= 0 else 0.0
        above = f"rigid{parent + 1}" if parent >= 0 else "world"
        model.add_body(f"rigid{k + 1}", above, types[k % len(types)], place, inertia, shape)
    return model
