"""Parallel robots: the platform of Stewart and Gough, and the delta robot."""

from __future__ import annotations

from math import asin, atan2

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import Free, Prismatic, Revolute, Spherical, Universal
from rbdkit.library.bars import add_bar, pointing, require_lengths
from rbdkit.library.ready import ready
from rbdkit.model import Capsule, Cylinder, Geometry, Model
from rbdkit.model.placement import as_pose
from rbdkit.model.requirements import require_model
from rbdkit.spatial import quaternion, se3
from rbdkit.spatial.inertia import Inertia

LEGS = 6


@ready
def stewart_platform(base: float = 1.0, platform: float = 0.6, height: float = 1.0, spread: float = 0.2) -> Model:
    """A platform on six legs that change their lengths (Stewart and Gough), closed and level at ``neutral``.

    Every leg stands on a universal joint 'foot1' to 'foot6' and becomes longer at 'slide1' to 'slide6'; ball joints
    'ball1' to 'ball6' are the loop joints. The platform of 20 kg floats on 'platform_joint', whose six freedoms are
    those of the mechanism: 24 coordinates of velocity, 18 constraints, none redundant. Cylinders of the legs have
    2 kg, rods 1 kg.

    Parameters
    ----------
    base, platform : float, optional
        Radii of the circles of the lower and upper joints, m.
    height : float, optional
        Of the upper joints over the lower ones at ``neutral``, m.
    spread : float, optional
        Half the angle between the two joints of a pair, seen from the middle of the circle, rad; less than pi/6.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the angle is not between 0 and pi/6.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.stewart_platform()
    >>> model.nv - sum(6 - loop.joint.nv for loop in model.loops)
    6
    """
    require_lengths(base=base, platform=platform, height=height)
    if not 0.0 < spread < np.pi / 6:
        raise ModelError(f"spread = {spread!r} of a Stewart platform must lie between 0 and pi/6 (rad)")
    model = Model("Stewart platform")
    rim = Geometry(Cylinder(platform, 0.04))
    disc = Inertia.cylinder(platform, 0.04, mass=20.0)
    model.add_body("platform", joint=Free(), placement=[0.0, 0.0, height], inertia=disc, geometry=rim)
    middles = 2.0 * np.pi / 3.0 * np.repeat(np.arange(3), 2)
    sides = np.tile([-1.0, 1.0], 3)
    feet = _circle(base, middles + sides * spread)
    balls = _circle(platform, middles + sides * (np.pi / 3.0 - spread))
    for k, (foot, ball) in enumerate(zip(feet, balls, strict=True), start=1):
        leg = ball + [0.0, 0.0, height] - foot
        length = float(np.linalg.norm(leg))
        lower, upper = se3.pose(position=[0, 0, 0.25 * length]), se3.pose(position=[0, 0, -0.25 * length])
        sleeve, rod = Inertia.cylinder(0.03, 0.5 * length, mass=2.0), Inertia.cylinder(0.02, 0.5 * length, mass=1.0)
        model.add_body(
            f"cylinder{k}",
            joint=Universal("x", "y"),
            placement=se3.pose(pointing(leg), foot),
            inertia=sleeve.transformed(lower),
            geometry=Geometry(Cylinder(0.03, 0.5 * length), lower),
            joint_name=f"foot{k}",
        )
        model.add_body(
            f"rod{k}",
            f"cylinder{k}",
            Prismatic("z"),
            placement=[0.0, 0.0, length],
            inertia=rod.transformed(upper),
            geometry=Geometry(Capsule(0.02, 0.5 * length), upper),
            joint_name=f"slide{k}",
        )
        model.add_loop(f"ball{k}", f"rod{k}", "platform", Spherical(), None, ball)
    return model


@ready
def stewart_coordinates(model: Model, pose: ArrayLike) -> NDArray:
    """Coordinates of a `stewart_platform` whose platform has a given pose; closed form, its loops close.

    Parameters
    ----------
    model : Model
        From `stewart_platform`.
    pose : array_like (4, 4) or (3,)
        Of the platform in the world; a position for a level one.

    Returns
    -------
    ndarray (25,)
        Coordinates; those of 'slide1' to 'slide6' are the changes of the legs' lengths.

    Raises
    ------
    ModelError
        If the model is not a Stewart platform, or the pose is not one.

    Examples
    --------
    Straight up by a tenth of a metre: all legs grow alike.

    >>> import rbdkit as rbd
    >>> model = rbd.library.stewart_platform(height=1.0)
    >>> q = rbd.library.stewart_coordinates(model, [0.0, 0.0, 1.1])
    >>> [round(float(q[model.joint(f"slide{k}").q_slice][0]), 4) for k in range(1, 7)]
    [0.0856, 0.0856, 0.0856, 0.0856, 0.0856, 0.0856]
    """
    require_model(model)
    if [loop.joint.name for loop in model.loops] != [f"ball{k + 1}" for k in range(LEGS)]:
        raise ModelError(f"model {model.name!r} is no rbdkit.library.stewart_platform: it has other loop joints")
    T = as_pose(pose, "the pose of the platform")
    q = model.neutral()
    relative = se3.inverse(model.joint("platform_joint").placement) @ T
    q[model.joint("platform_joint").q_slice] = np.append(quaternion.from_matrix(relative[:3, :3]), relative[:3, 3])
    for k, loop in enumerate(model.loops, start=1):
        foot, slide = model.joint(f"foot{k}"), model.joint(f"slide{k}")
        ball = T[:3, :3] @ loop.successor_placement[:3, 3] + T[:3, 3]
        leg = foot.placement[:3, :3].T @ (ball - foot.placement[:3, 3])
        length = float(np.linalg.norm(leg))
        x, y, z = (
            leg / length
        )  # rotation about x by a, then about y by b takes e_z to (sin b, -sin a cos b, cos a cos b)
        q[foot.q_slice] = atan2(-y, z), asin(x)
        q[slide.q_slice] = length - slide.placement[2, 3]
    return q


@ready
def delta_robot(
    base: float = 0.2,
    platform: float = 0.06,
    arm: float = 0.25,
    rod: float = 0.5,
    spread: float = 0.04,
    dip: float = 0.2,
) -> Model:
    """A delta robot: three motors at the ceiling move a platform that never turns; closed at ``neutral``.

    Arms turn about level axes on 'motor1' to 'motor3'; a pair of parallel rods leads from the end of each to the
    platform. Rods hang on universal joints, and the loop joints, 'ball1a' to 'ball3b', are ball joints. The platform
    floats on 'platform_joint'. Of 21 freedoms 18 constraints leave three, and none is redundant.

    Parameters
    ----------
    base, platform : float, optional
        Distances of the motors' axes and of the rods' ends from the middle, m.
    arm, rod : float, optional
        Lengths, m.
    spread : float, optional
        Half the distance of the rods of a pair, m.
    dip : float, optional
        By which the arms point down from the level at ``neutral``, rad.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the rods are too short.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.delta_robot()
    >>> model.nv - sum(6 - loop.joint.nv for loop in model.loops)
    3
    """
    require_lengths(base=base, platform=platform, arm=arm, rod=rod, spread=spread)
    elbow = np.array([base + arm * np.cos(dip), 0.0, -arm * np.sin(dip)])
    out = elbow[0] - platform
    if not rod > abs(out):
        raise ModelError(
            f"rod = {rod!r} of a delta robot is too short: the platform is {abs(out):.6g} m aside; lengthen it"
        )
    low = elbow[2] - np.sqrt(rod**2 - out**2)
    model = Model("delta robot")
    disc = Inertia.cylinder(platform, 0.02, mass=0.5)
    shape = Geometry(Cylinder(platform, 0.02))
    model.add_body("platform", joint=Free(), placement=[0.0, 0.0, low], inertia=disc, geometry=shape)
    for k in range(3):
        angle = 2.0 * np.pi * k / 3.0
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])  # x of the frame points out
        foot, tip = np.array([base, 0.0, 0.0]), elbow - [base, 0.0, 0.0]
        add_bar(model, f"arm{k + 1}", "world", Revolute("y"), se3.pose(R, R @ foot), tip, f"motor{k + 1}", radius=0.01)
        for name, side in (("a", -spread), ("b", spread)):
            end = np.array([platform, side, low])
            way = end - (elbow + [0.0, side, 0.0])
            at = se3.pose(pointing(way), tip + [0.0, side, 0.0])
            along = [0.0, 0.0, rod]
            joint = f"elbow{k + 1}{name}"
            add_bar(
                model,
                f"rod{k + 1}{name}",
                f"arm{k + 1}",
                Universal("x", "y"),
                at,
                along,
                joint,
                radius=0.006,
                density=0.2,
            )
            model.add_loop(
                f"ball{k + 1}{name}", f"rod{k + 1}{name}", "platform", Spherical(), along, R @ [platform, side, 0.0]
            )
    return model


def _circle(radius: float, angles: NDArray) -> NDArray:
    """Points (n, 3) on a level circle about the origin."""
    return radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
