"""The four examples of Müller and Terze (2013), section 5, as models with their initial states.

Boxes of aluminium (2700 kg/m3, which gives the 21.6 kg of the heavy top) on ball joints. What the paper leaves open is
said at each function.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints import Free, JointType, Spherical
from rbdkit.library.ready import ready
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import quaternion, se3
from rbdkit.spatial.inertia import Inertia

DENSITY = 2700.0
"""kg/m3, aluminium."""
GRAVITY = (0.0, 0.0, -9.81)
TOP = (0.1, 0.2, 0.4)
"""Edges of the heavy top's box, m."""
LINK = (0.2, 0.1, 0.05)
"""Edges a, b, c of the links of the other examples, m."""


class Start(NamedTuple):
    """A model with the joint coordinates and velocities that a motion of it begins with: ``simulate(*start, ...)``."""

    model: Model
    q: NDArray
    v: NDArray


@ready
def heavy_top(gravity: ArrayLike = (0.0, 0.0, 0.0), omega: ArrayLike | None = None) -> Start:
    """A box on a ball joint, its centre of mass 0.5 m from it (section 5.1). No gravity, as for Figs 2 and 3.

    Parameters
    ----------
    gravity : array_like (3,), optional
        Acceleration of free fall, m/s2.
    omega : array_like (3,), optional
        Initial angular velocity, rad/s; (0, 20 pi, 10 pi) if not given.

    Returns
    -------
    Start
        Model, coordinates and velocities: ``simulate(*start, ...)``.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> motion = rbd.simulate(*rbd.library.heavy_top(gravity=(0.0, 0.0, -9.81)), duration=0.1)
    >>> bool(abs(motion.energy_error()).max() < 1e-3)
    True
    """
    model = Model("heavy top", gravity=gravity)
    com = se3.pose(position=[0.5, 0.0, 0.0])
    inertia = Inertia.box(TOP, density=DENSITY).transformed(com)
    model.add_body("top", joint=Spherical(), inertia=inertia, geometry=Geometry(Box(TOP), com), joint_name="pivot")
    spin = np.array([0.0, 20.0, 10.0]) * np.pi if omega is None else np.asarray(omega, dtype=float)
    return Start(model, model.neutral(), spin)


@ready
def spherical_double_pendulum() -> Start:
    """Two links on ball joints, along x at the start, in the gravity field (section 5.2).

    The angular velocities of the paper are those of the bodies; the joint velocity of the second is the difference.

    Returns
    -------
    Start
        Model, coordinates and velocities: ``simulate(*start, ...)``.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> start = rbd.library.spherical_double_pendulum()
    >>> start.model
    <Model 'spherical double pendulum': 2 bodies, 2 moving joints, nq=8, nv=6, 5.4 kg>
    """
    model = Model("spherical double pendulum", gravity=GRAVITY)
    _add_link(model, "link1", "world", [0.0, 0.0, 0.0], "joint1")
    _add_link(model, "link2", "link1", [LINK[0], 0.0, 0.0], "joint2")
    omega1, omega2 = np.array([10.0, 0.0, 0.0]), np.array([10.0, 10.0, 20.0]) * np.pi
    return Start(model, model.neutral(), np.concatenate([omega1, omega2 - omega1]))


@ready
def floating_pair() -> Start:
    """The links of the double pendulum cut off from the ground, without gravity (section 5.3).

    The paper gives angular velocities only. Here the first link's velocity is such that the momentum of both together
    is zero: their common centre of mass stays where it is.

    Returns
    -------
    Start
        Model, coordinates and velocities: ``simulate(*start, ...)``.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.floating_pair()
    >>> np.abs(rbd.momentum(model, q, v)[3:].round(9)).tolist()
    [0.0, 0.0, 0.0]
    """
    model = Model("two floating bodies", gravity=(0.0, 0.0, 0.0))
    _add_link(model, "link1", "world", [0.0, 0.0, 0.0], "float", free=True)
    _add_link(model, "link2", "link1", [LINK[0], 0.0, 0.0], "joint2")
    omega1, omega2 = np.array([0.0, 0.0, -10.0]), np.array([1.0, -1.0, 2.0 * np.pi])
    half = np.array([0.5 * LINK[0], 0.0, 0.0])
    # equal masses, the frame of link1 at its left end: v1 + (v1 + omega1 x 2 half + omega2 x half) + omega1 x half = 0
    v1 = -0.5 * (np.cross(omega1, 3.0 * half) + np.cross(omega2, half))
    return Start(model, model.neutral(), np.concatenate([omega1, v1, omega2 - omega1]))


@ready
def three_bar_linkage(swing: float = 10.0, spin: tuple[float, float] = (5.0, -8.0)) -> Start:
    """Two links and the ground in a closed loop of three ball joints (section 5.4).

    The paper prints neither dimensions nor velocities. Here the three joints stand in an equilateral triangle of 0.2 m
    over a base along x; the triangle turns about its base, and each link about its own length.

    Parameters
    ----------
    swing : float, optional
        Angular velocity of the triangle about its base, rad/s.
    spin : tuple, optional
        That of each link about its length, rad/s.

    Returns
    -------
    Start
        Model, coordinates and velocities: ``simulate(*start, ...)``.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> start = rbd.library.three_bar_linkage()
    >>> len(start.model.loops), round(start.v[0].item(), 9)
    (1, 10.0)
    """
    model = Model("spherical three-bar linkage", gravity=GRAVITY)
    _add_link(model, "link1", "world", [0.0, 0.0, 0.0], "joint1")
    _add_link(model, "link2", "link1", [LINK[0], 0.0, 0.0], "joint2")
    base, tip = [LINK[0], 0.0, 0.0], [LINK[0], 0.0, 0.0]
    model.add_loop("joint3", "world", "link2", Spherical(), base, tip)
    up, turn = quaternion.exp(np.array([0.0, -np.pi / 3, 0.0])), quaternion.exp(np.array([0.0, 2 * np.pi / 3, 0.0]))
    x = np.array([1.0, 0.0, 0.0])
    R1, R21 = quaternion.to_matrix(up), quaternion.to_matrix(turn)
    omega1 = swing * R1.T @ x + spin[0] * x  # in the axes of link1
    omega2 = swing * (R1 @ R21).T @ x + spin[1] * x
    return Start(model, np.concatenate([up, turn]), np.concatenate([omega1, omega2 - R21.T @ omega1]))


@ready
def lower_pair(joint: JointType, grounded: bool = True) -> Start:
    """A link on one joint, off its axis, to the ground or to a link that tumbles freely; no gravity.

    For the question which group suits which joint (section 6). The paper shows ball joints only; velocities are ours:
    10 rad/s and 1 m/s in every freedom of the joint, and (3, -2, 4) rad/s of the tumbling link.

    Parameters
    ----------
    joint : JointType
        Of the link.
    grounded : bool, optional
        Whether it holds the link to the ground, or to a link that tumbles.

    Returns
    -------
    Start
        Model, coordinates and velocities: ``simulate(*start, ...)``.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> start = rbd.library.lower_pair(rbd.Cylindrical("z"))
    >>> start.v.tolist()
    [10.0, 1.0]
    """
    model = Model(f"{joint.kind} joint to {'the ground' if grounded else 'a moving body'}", gravity=(0.0, 0.0, 0.0))
    off = se3.pose(position=[0.5 * LINK[0], 0.05, 0.02])
    inertia, shape = Inertia.box(LINK, density=DENSITY), Geometry(Box(LINK))
    if not grounded:
        model.add_body("base", joint=Free(), inertia=inertia, geometry=shape)
    parent = "world" if grounded else "base"
    model.add_body("link", parent, joint, off, inertia.transformed(off), Geometry(Box(LINK), off), joint_name="pair")
    own = [10.0 if unit == "rad/s" else 1.0 for unit in joint.v_units]
    base = [] if grounded else [3.0, -2.0, 4.0, 0.0, 0.0, 0.0]
    return Start(model, model.neutral(), np.array(base + own))


def _add_link(model: Model, name: str, parent: str, at: ArrayLike, joint: str, free: bool = False) -> None:
    """A box that reaches from its joint along x."""
    middle = se3.pose(position=[0.5 * LINK[0], 0.0, 0.0])
    inertia = Inertia.box(LINK, density=DENSITY).transformed(middle)
    shape = Geometry(Box(LINK), middle)
    model.add_body(name, parent, Free() if free else Spherical(), at, inertia, shape, joint_name=joint)
