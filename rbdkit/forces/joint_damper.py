"""A damper in a joint."""

from __future__ import annotations

import numpy as np

from rbdkit.forces.described import not_negative
from rbdkit.forces.element import ForceElement
from rbdkit.forces.surroundings import Surroundings


class JointDamper(ForceElement):
    """A viscous damper in each freedom of a joint, ``-damping v``; a joint may have several.

    The parameter `damping` of a joint is such a damper, which compiled code handles directly.

    Parameters
    ----------
    joint : str
        Its name. A joint that closes a loop has coordinates and velocities, too: see `Model.add_loop`.
    damping : float or tuple of float
        N m s/rad or N s/m; a number, or a tuple with one for each freedom.

    Raises
    ------
    ModelError
        If a number is negative or not finite.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> oil = model.add_force("oil", rbd.JointDamper(model.joints[1].name, 0.2))
    >>> rbd.passive_force(model, [0.0], [3.0]).round(12).tolist()
    [-0.6]
    """

    joint: str
    damping: float | tuple[float, ...]

    def __post_init__(self) -> None:
        not_negative(self, "damping")

    def act(self, at: Surroundings) -> None:
        at.apply_torque(self.joint, -np.asarray(self.damping) * at.velocities(self.joint))
