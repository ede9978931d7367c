"""A spring in a joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.forces.described import not_negative
from rbdkit.forces.element import ForceElement
from rbdkit.forces.surroundings import Surroundings


class JointSpring(ForceElement):
    """A linear spring in each freedom of a joint, towards rest coordinates; a joint may have several.

    It stores ``stiffness . u^2 / 2`` in the displacement u from rest, and its force is minus the gradient of that, on
    curved joints too. The parameters `stiffness` and `rest` of a joint are such a spring, which compiled code handles
    directly.

    Parameters
    ----------
    joint : str
        Its name. A joint that closes a loop has coordinates and velocities, too: see `Model.add_loop`.
    stiffness : float or tuple of float
        N m/rad or N/m; a number, or a tuple with one for each freedom.
    rest : float or tuple of float, optional
        Coordinates of the joint at which it is slack, rad or m; those where the joint's frames coincide if not given.

    Raises
    ------
    ModelError
        If a stiffness is negative or not finite.

    Examples
    --------
    Two springs of 3 and 1 N m/rad that are slack at 0 and 0.4 rad balance at 0.1 rad:

    >>> import rbdkit as rbd
    >>> model = rbd.Model(gravity=(0, 0, 0))
    >>> door = model.add_body("door", joint=rbd.Revolute("z"), inertia=rbd.Inertia.box((1.0, 0.04, 2.0), mass=20.0))
    >>> closer = model.add_force("closer", rbd.JointSpring("door_joint", 3.0))
    >>> opener = model.add_force("opener", rbd.JointSpring("door_joint", 1.0, rest=0.4))
    >>> bool(abs(rbd.passive_force(model, [0.1], [0.0])[0]) < 1e-12)
    True
    """

    joint: str
    stiffness: float | tuple[float, ...]
    rest: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        not_negative(self, "stiffness")

    def act(self, at: Surroundings) -> None:
        u = at.displacement(self.joint, self.rest)
        at.apply_pull(self.joint, u, -np.asarray(self.stiffness) * u)

    def energy(self, at: Surroundings) -> Any:
        u = at.displacement(self.joint, self.rest)
        return 0.5 * np.sum(np.asarray(self.stiffness) * u * u)

    @property
    def conservative(self) -> bool:
        return True
