"""A mechanism that can move in one way or in two, depending on where it is (Featherstone 2008, Figure 8.2a)."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Prismatic, Revolute, SphereInCylinder
from rbdkit.library.bars import add_bar
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial.inertia import Inertia

Pose = Literal["open", "folded", "between"]


@ready
def variable_mobility(pose: Pose = "open", angle: float = 0.5, other: float = -0.3) -> Start:
    """Two arms of two equal bars that meet on a slider, all in the x-z plane: a rhombus that can fold up.

    The upper arms turn about the origin, 'shoulder1' and 'shoulder2', the forearms at 'elbow1' and 'elbow2'; their ends
    are held at a slider along z, 'slide', by the loop joints 'wrist1' and 'wrist2', balls in bores along y. As long as
    the rhombus is open it has one freedom: the slider goes up and down. With the slider at the origin the forearms lie
    on the upper arms, and both arms turn independently. Where one becomes the other, all bars along x, there are three
    velocities. So the five tree joints are held by constraints of rank 4, 3 or 2.

    Parameters
    ----------
    pose : {'open', 'folded', 'between'}, optional
        For the coordinates.
    angle, other : float, optional
        By which the upper arms rise from the x axis, rad: both by `angle` if open, each by its own if folded.

    Returns
    -------
    Start
        Model, coordinates (5,) and velocities, all zero. At ``neutral`` it is the pose between.

    Raises
    ------
    ModelError
        If the pose is none of these.

    Notes
    -----
    The figure's mechanism is described by its mobility only; this one has the same numbers.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, _ = rbd.library.variable_mobility("open")
    >>> rbd.assemble(model, q).tolist() == q.tolist()
    True
    """
    if pose not in get_args(Pose):
        raise ModelError(f"pose {pose!r} of the mechanism of variable mobility must be one of {get_args(Pose)}")
    model = Model("mechanism of variable mobility")
    x = np.array([1.0, 0.0, 0.0])
    add_bar(model, "upper1", "world", Revolute("y"), np.zeros(3), x, "shoulder1")
    add_bar(model, "fore1", "upper1", Revolute("y"), x, -x, "elbow1")
    add_bar(model, "upper2", "world", Revolute("y"), np.zeros(3), -x, "shoulder2")
    add_bar(model, "fore2", "upper2", Revolute("y"), -x, x, "elbow2")
    block = (0.1, 0.1, 0.1)
    model.add_body("slider", "world", Prismatic("z"), None, Inertia.box(block, mass=0.5), Geometry(Box(block)), "slide")
    model.add_loop("wrist1", "slider", "fore1", SphereInCylinder("y"), None, -x)
    model.add_loop("wrist2", "slider", "fore2", SphereInCylinder("y"), None, x)
    q = {
        "open": np.array([-angle, 2.0 * angle, angle, -2.0 * angle, 2.0 * np.sin(angle)]),
        "folded": np.array([-angle, 0.0, other, 0.0, 0.0]),
        "between": np.zeros(5),
    }[pose]
    return Start(model, q, np.zeros(model.nv))
