"""Linkages of six bars and six hinges that move though a count of their constraints says that they are rigid.

Six hinges take 30 freedoms of five moving bodies; that one freedom is left is due to the dimensions. One row of the
constraints says what the others say already, and it does so only where the loop is closed.
"""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Revolute
from rbdkit.library.bars import add_bar, require_lengths
from rbdkit.library.ready import ready
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def rectangular_bricard(a: float = 1.0, b: float = 1.0, c: float = 1.0) -> Model:
    """Bricard's linkage along six edges of a box, every hinge at right angles to both of its bars; gravity along -y.

    At ``neutral`` the loop is closed: from the origin the bars go along x, -y, z, -x, y, and the ground leads back
    along -z. Bars have 1 kg a metre. With three edges of 1 m it is a common benchmark of redundant constraints.

    Parameters
    ----------
    a, b, c : float, optional
        Edges of the box along x, y and z, m. Opposite bars are equal.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If one of them is not a positive number.

    Examples
    --------
    A count says that it cannot move: five hinges in the tree, and five constraints of the hinge that closes the loop.

    >>> import rbdkit as rbd
    >>> model = rbd.library.rectangular_bricard()
    >>> model.nv - sum(6 - loop.joint.nv for loop in model.loops)
    0
    """
    require_lengths(a=a, b=b, c=c)
    model = Model("rectangular Bricard linkage", gravity=(0.0, -9.81, 0.0))
    tips = np.array([[a, 0, 0], [0, -b, 0], [0, 0, c], [-a, 0, 0], [0, b, 0]], dtype=float)
    parent, at = "world", np.zeros(3)
    for k, (tip, axis) in enumerate(zip(tips, ("y", "z", "x", "y", "z"), strict=True), start=1):
        add_bar(model, f"bar{k}", parent, Revolute(axis), at, tip, f"hinge{k}")
        parent, at = f"bar{k}", tip
    model.add_loop("hinge6", parent, "world", Revolute("x"), at, [0.0, 0.0, c])
    return model


@ready
def sarrus_linkage(length: float = 0.5, width: float = 0.4, rise: float = 0.6) -> Model:
    """Sarrus' linkage: two pairs of bars with hinges along y and along x guide a platform straight up and down.

    At ``neutral`` the loop is closed, lower bars lean outward and upper ones inward by the angle `rise` from the level.
    The platform, a plate of 2 kg, is then ``2 length sin(rise)`` above the hinges on the ground. Bars have 1 kg
    a metre. Joints: 'hip' and 'knee' of each pair, 'top_x' and the loop joint 'top_y'.

    Parameters
    ----------
    length : float, optional
        Of each bar, m.
    width : float, optional
        Edge of the plate and distance of the ground hinges from the middle, twice, m.
    rise : float, optional
        rad, between 0 and a right angle.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the angle is not between 0 and a right angle.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.sarrus_linkage(length=0.5, rise=np.pi / 6)
    >>> poses = rbd.forward_kinematics(model, model.neutral()).poses
    >>> float(poses[:, 2, 3].max().round(9))
    0.5
    """
    require_lengths(length=length, width=width)
    if not 0.0 < rise < 0.5 * np.pi:
        raise ModelError(f"rise = {rise!r} of a Sarrus linkage must lie between 0 and pi/2 (rad)")
    model = Model("Sarrus linkage")
    out, up, half = length * np.cos(rise), length * np.sin(rise), 0.5 * width
    for name, axis, side in (("x", "-y", np.array([1.0, 0.0, 0.0])), ("y", "x", np.array([0.0, 1.0, 0.0]))):
        lower, upper = out * side + [0.0, 0.0, up], -out * side + [0.0, 0.0, up]
        add_bar(model, f"lower_{name}", "world", Revolute(axis), half * side, lower, f"hip_{name}")
        add_bar(model, f"upper_{name}", f"lower_{name}", Revolute(axis), lower, upper, f"knee_{name}")
        if name == "x":
            edges = (width, width, 0.02)
            middle = se3.pose(position=-half * side)
            plate = Inertia.box(edges, mass=2.0).transformed(middle)
            shape = Geometry(Box(edges), middle)
            model.add_body("platform", "upper_x", Revolute("-y"), upper, plate, shape, joint_name="top_x")
    model.add_loop("top_y", "upper_y", "platform", Revolute("x"), upper, np.array([-half, half, 0.0]))
    return model
