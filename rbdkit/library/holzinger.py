"""The example of S. Holzinger, J. Gerstmayr, J. Schöberl, A rigid body formulation with non-redundant unified local
velocity coordinates, section 6: a box that turns over."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints import Free
from rbdkit.library.ready import ready
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import numbers

MOMENTS = (5.2988, 1.1775, 4.3568)
"""Principal moments of inertia, kg m^2. The third is the middle one (the paper orders them otherwise), so turning about
it is unstable."""
SPIN = (0.01, 0.0, 100.0)
"""Angular velocity at the start, body axes, rad/s: almost about the third axis."""


@ready
def tumbling_box(moments: ArrayLike = MOMENTS, mass: float = 1.0) -> Model:
    """A homogeneous box that floats without gravity; its frame "P" is the point (0, 0, 1) that the paper follows.

    Parameters
    ----------
    moments : array_like (3,), optional
        Principal moments of inertia about the body's axes, kg m^2.
    mass : float, optional
        kg.

    Returns
    -------
    Model

    Examples
    --------
    A book thrown up with a spin about its middle axis turns over, and over again:

    >>> import rbdkit as rbd
    >>> model = rbd.library.tumbling_box()
    >>> q, v = rbd.library.tumbling_box_state(spin=(0.01, 0.0, 20.0))
    >>> motion = rbd.simulate(model, q, v, duration=2.0)
    >>> bool(motion.v[:, 2].min() < -19.0)
    True
    """
    J = numbers(moments, (3,), "tumbling_box: moments = {} must be three moments of inertia (kg m2)".format)
    inertia = Inertia(mass, inertia_com=np.diag(J))
    edges = np.sqrt(np.maximum(6.0 * (J.sum() - 2.0 * J) / mass, 1e-6))  # J_x = m (b^2 + c^2) / 12
    model = Model("tumbling box", gravity=(0.0, 0.0, 0.0))
    model.add_body("box", joint=Free(), inertia=inertia, geometry=Geometry(Box(tuple(edges.tolist()))))
    model.add_frame("P", "box", [0.0, 0.0, 1.0])
    return model


@ready
def tumbling_box_state(spin: ArrayLike = SPIN) -> tuple[NDArray, NDArray]:
    """Coordinates and velocity at the start: at the origin, turning (Eqs 88-90).

    Parameters
    ----------
    spin : array_like (3,), optional
        rad/s, in body axes.

    Returns
    -------
    q : ndarray (7,)
    v : ndarray (6,)

    Examples
    --------
    >>> import rbdkit as rbd
    >>> q, v = rbd.library.tumbling_box_state(spin=(0.0, 0.0, 5.0))
    >>> v.tolist()
    [0.0, 0.0, 5.0, 0.0, 0.0, 0.0]
    """
    omega = numbers(spin, (3,), "tumbling_box_state: spin = {} must be an angular velocity (rad/s)".format)
    return Free().neutral(), np.concatenate([omega, np.zeros(3)])
