"""A servo motor at a joint: a PD controller whose torque has a first-order lag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rbdkit.errors import ModelError
from rbdkit.forces.described import not_negative
from rbdkit.forces.element import ForceElement
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown


class Servo(ForceElement):
    """A servo motor at a joint of one freedom, with proportional and derivative gain and a lagging torque.

    ``time_constant d(torque)/dt = stiffness (target - q) - damping v - torque``: the first-order lag of windings and
    amplifiers. Without the lag it would be a spring and damper of the joint; with it, too high a stiffness oscillates.

    Parameters
    ----------
    joint : str
        Name of the joint.
    target : float
        Desired coordinate, rad or m.
    stiffness, damping : float
        Gains of the controller, N m/rad and N m s/rad, or N/m and N s/m.
    time_constant : float
        s; not zero.
    torque : float, optional
        Initial torque, N m or N.

    Raises
    ------
    ModelError
        If a number is not finite, negative where that makes no sense, or `time_constant` is zero.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("cart")
    >>> _ = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    >>> drive = rbd.Servo("cart_joint", target=0.3, stiffness=50.0, damping=20.0, time_constant=0.01)
    >>> _ = model.add_force("drive", drive)
    >>> motion = rbd.simulate(model, duration=4.0)
    >>> float(motion.q[-1, 0].round(6))
    0.3
    """

    units: ClassVar[Mapping[str, str]] = {"time_constant": "s"}
    states: ClassVar[tuple[str, ...]] = ("torque",)

    joint: str
    target: float
    stiffness: float
    damping: float
    time_constant: float
    torque: float = 0.0

    def __post_init__(self) -> None:
        not_negative(self, "stiffness", "damping", "time_constant")
        if self.time_constant == 0.0:
            raise ModelError(f"Servo: time_constant {shown(self.time_constant)} must be more than zero, s")

    def act(self, at: Surroundings) -> None:
        at.apply_torque(self.joint, self.torque)  # raises unless the joint has one freedom
        q, v = at.coordinates(self.joint)[0], at.velocities(self.joint)[0]
        wanted = self.stiffness * (self.target - q) - self.damping * v
        at.set_rate("torque", (wanted - self.torque) / self.time_constant)
