"""A pendulum whose pivot is shaken up and down: it can stand on its head (Kapitza, 1951)."""

from __future__ import annotations

import numpy as np

from rbdkit.joints import JointType, Prescribed, Prismatic, Revolute
from rbdkit.joints.prescribed import Motion
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def shaken_pendulum(
    amplitude: float | None = None,
    frequency: float = 60.0,
    length: float = 0.5,
    mass: float = 1.0,
    damping: float = 0.0,
) -> Model:
    """A small bob on a massless rod; its pivot is a carriage that slides along z. The rod hangs down at zero.

    Parameters
    ----------
    amplitude : float, optional
        Of the pivot's motion, m; without it the carriage is on a free slide, 'lift', for hybrid dynamics.
    frequency : float, optional
        Of that motion, rad/s.
    length : float, optional
        To the bob, m.
    mass : float, optional
        Of the bob, kg.
    damping : float, optional
        Of the hinge, N m s/rad.

    Returns
    -------
    Model

    Examples
    --------
    Shaken fast enough, a pendulum stands on its head:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.shaken_pendulum(amplitude=0.05, frequency=150.0)
    >>> motion = rbd.simulate(model, [np.pi - 0.1], duration=2.0)
    >>> bool(np.abs(motion.q - np.pi).max() < 0.3)
    True
    """
    model = Model("shaken pendulum")
    lift: JointType = Prismatic("z")
    if amplitude is not None:
        lift = Prescribed(Prismatic("z"), shaking(amplitude, frequency))
    carriage = Geometry(Box((0.2 * length, 0.12 * length, 0.08 * length)), color=(0.55, 0.58, 0.63))
    model.add_body("carriage", joint=lift, geometry=carriage, joint_name="lift")
    bob, middle = se3.pose(position=[0.0, 0.0, -length]), se3.pose(position=[0.0, 0.0, -0.5 * length])
    radius = 0.06 * length
    model.add_body(
        "bob",
        "carriage",
        Revolute("y"),
        inertia=Inertia.sphere(radius, mass=mass).transformed(bob),
        geometry=[Geometry(Sphere(radius), bob), Geometry(Capsule(0.25 * radius, length), middle)],
        joint_name="hinge",
        damping=damping,
    )
    return model


@ready
def shaking(amplitude: float, frequency: float) -> Motion:
    """z = a cos(w t) with its first two derivatives, as `Prescribed` takes them.

    Parameters
    ----------
    amplitude : float
        m.
    frequency : float
        rad/s.

    Returns
    -------
    callable
        Function of the time in s.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> z, rate, acceleration = rbd.library.shaking(0.1, 10.0)(0.0)
    >>> float(z), float(acceleration)
    (0.1, -10.0)
    """

    def motion(t: float) -> tuple[float, float, float]:
        c, s = np.cos(frequency * t), np.sin(frequency * t)
        return amplitude * c, -amplitude * frequency * s, -amplitude * frequency**2 * c

    return motion  # type: ignore[return-value]  # numbers will do where the joint has one coordinate


@ready
def upright_frequency(amplitude: float, length: float = 0.5, gravity: float = 9.81) -> float:
    """Above it, rad/s, the shaken pendulum stands: ``a^2 w^2 > 2 g l``, for amplitudes small against the length.

    Parameters
    ----------
    amplitude : float
        Of the pivot's motion, m.
    length : float, optional
        To the bob, m.
    gravity : float, optional
        m/s2.

    Returns
    -------
    float
        rad/s.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> round(rbd.library.upright_frequency(amplitude=0.05), 1)
    62.6
    """
    return float(np.sqrt(2.0 * gravity * length) / amplitude)
