"""Dry friction of a joint."""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.forces.described import not_negative
from rbdkit.forces.element import ForceElement
from rbdkit.forces.surroundings import Surroundings

CREEP = 0.01
"""Default creep velocity, rad/s or m/s."""


class JointFriction(ForceElement):
    """Regularised Coulomb friction in each freedom of a joint: ``-coulomb v / sqrt(v^2 + creep^2)``.

    A joint that should stick creeps instead. Under a load of x times the largest friction its velocity is
    ``creep x / sqrt(1 - x^2)``: 0.58 `creep` at one half, 2.1 `creep` at nine tenths. A smaller `creep` sticks better
    but needs shorter steps, as near rest the joint is damped with ``coulomb / creep``.

    Parameters
    ----------
    joint : str
        Its name. A joint that closes a loop has coordinates and velocities, too: see `Model.add_loop`.
    coulomb : float or tuple of float
        Friction of the joint when it slides, N m or N; a number, or a tuple with one for each freedom.
    creep : float, optional
        Velocity scale of the regularisation, rad/s or m/s.

    Raises
    ------
    ModelError
        If a number is negative or not finite, or `creep` is zero.

    Examples
    --------
    A mass of 1 kg that slides with 1 m/s stops after v^2 / 2 mu g, here 1 / 2 / 0.5 m:

    >>> import rbdkit as rbd
    >>> rail = rbd.Model()
    >>> mass = rail.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    >>> friction = rail.add_force("friction", rbd.JointFriction("mass_joint", 0.5))
    >>> motion = rbd.simulate(rail, v0=[1.0], duration=3.0)
    >>> bool(abs(motion.q[-1, 0] - 1.0) < 0.01)
    True
    """

    joint: str
    coulomb: float | tuple[float, ...]
    creep: float = CREEP

    def __post_init__(self) -> None:
        not_negative(self, "coulomb", "creep")
        if self.creep == 0.0:
            raise ModelError(f"JointFriction: creep {self.creep} must be more than zero; it says where sliding begins")

    def act(self, at: Surroundings) -> None:
        v = at.velocities(self.joint)
        at.apply_torque(self.joint, -np.asarray(self.coulomb) * v / np.sqrt(v * v + self.creep * self.creep))
