"""A body far from the frame it is computed in: Fig 10.1 of Featherstone (2008)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.joints import Planar
from rbdkit.library.ready import ready
from rbdkit.model import Cylinder, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import numbers


@ready
def far_body(c: ArrayLike = (100.0, 10.0)) -> Model:
    """A disc with unit mass and unit inertia that moves in the plane, its body frame at O and its centre at c.

    Parameters
    ----------
    c : array_like (2,), optional
        m. With q = 0 the body frame is the world's; the joint-space inertia matrix is I_O of Eq 10.1.

    Returns
    -------
    Model

    Examples
    --------
    A disc that is seen from far away has an inertia matrix of bad condition:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> near, far = (rbd.library.far_body(c=(x, 0.0)) for x in (0.0, 1000.0))
    >>> bool(np.linalg.cond(rbd.crba(near, [0, 0, 0])) < 10), bool(np.linalg.cond(rbd.crba(far, [0, 0, 0])) > 1e11)
    (True, True)
    """
    x, y = numbers(c, (2,), "far_body: c = {} must be x and y of the middle (m)".format)
    model = Model("far body", gravity=(0.0, 0.0, 0.0))
    disc = Inertia(1.0, [x, y, 0.0], np.diag([0.5, 0.5, 1.0]))
    at = se3.pose(position=[x, y, 0.0])
    model.add_body("disc", joint=Planar("z"), inertia=disc, geometry=Geometry(Cylinder(2.0**0.5, 0.2), at))
    return model
