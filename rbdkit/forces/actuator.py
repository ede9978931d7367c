"""An actuator: a motor or a servo that a control u commands, on one joint or on a weighted sum of joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.forces.described import not_negative
from rbdkit.forces.element import ForceElement
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown

Range = tuple[float, float]


class Actuator(ForceElement):
    """A motor or servo with a control u; `Model.add_motor` and `Model.add_servo` add the usual ones.

    With the length ``L = sum(gear * q)`` of its transmission and the rate ``dL/dt``, its effort is::

        effort = gain * u - stiffness * L - damping * dL/dt + offset

    where u is cut to `u_range` and the result to `effort`; on each of its joints acts ``gear * effort``. A motor has a
    gain of one and nothing else; a position servo a gain that is its stiffness, so u is the coordinate that it moves
    to; a velocity servo a gain that is its damping.

    Parameters
    ----------
    joints : str or tuple of str
        Joints of the tree with one freedom each.
    gear : float or tuple of float, optional
        Ratio of each joint: effort times gear is the joint force.
    gain : float, optional
        Effort for u = 1, N m or N.
    stiffness, damping : float, optional
        Of its own feedback: N m/rad and N m s/rad, or N/m and N s/m.
    offset : float, optional
        Effort that is added always, N m or N.
    u : float, optional
        Value of the control where none is given, see `simulate`.
    u_range, effort : tuple of float (2,), optional
        Smallest and largest control and effort; None for no limits.

    Raises
    ------
    ModelError
        If a number is not finite, negative where that makes no sense, or a range is empty; or gears and joints differ
        in number.

    Notes
    -----
    Efforts of controls that change come on top of those of `u`: `actuator_force`.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("cart")
    >>> _ = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    >>> _ = model.add_force("drive", rbd.Actuator("cart_joint", gear=4.0, u=0.5, effort=(-1.0, 1.0)))
    >>> rbd.passive_force(model, [0.0], [0.0]).tolist()
    [2.0]
    """

    joints: str | tuple[str, ...]
    gear: float | tuple[float, ...] = 1.0
    gain: float = 1.0
    stiffness: float = 0.0
    damping: float = 0.0
    offset: float = 0.0
    u: float = 0.0
    u_range: Range | None = None
    effort: Range | None = None

    def __post_init__(self) -> None:
        not_negative(self, "stiffness", "damping")
        if np.size(self.gear) != len(self.names):
            raise ModelError(f"Actuator: {np.size(self.gear)} gears do not fit {len(self.names)} joints; give one each")
        for name in ("u_range", "effort"):
            given = getattr(self, name)
            if given is not None and (np.shape(given) != (2,) or not given[0] < given[1]):
                raise ModelError(f"Actuator: {name} {shown(given)} must be two numbers, the smaller first")
        if self.u_range is not None and not self.u_range[0] <= self.u <= self.u_range[1]:
            raise ModelError(f"Actuator: u {shown(self.u)} is not in its range, {shown(self.u_range)}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its joints."""
        return (self.joints,) if isinstance(self.joints, str) else self.joints

    @property
    def gears(self) -> tuple[Any, ...]:
        """The ratio of each joint."""
        return tuple(np.atleast_1d(np.asarray(self.gear)))

    @property
    def depends_on_motion(self) -> bool:
        """Whether what another u adds depends on coordinates or velocities: with limits and feedback of its own."""
        return self.effort is not None and bool(self.stiffness or self.damping)

    def effort_at(self, u: Any, length: Any, rate: Any) -> Any:
        """Return the effort, N m or N, of a control, length and rate of the transmission: numbers, arrays, symbols."""
        if self.u_range is not None:
            u = np.minimum(np.maximum(u, self.u_range[0]), self.u_range[1])
        effort = self.gain * u - self.stiffness * length - self.damping * rate + self.offset
        return effort if self.effort is None else np.minimum(np.maximum(effort, self.effort[0]), self.effort[1])

    def act(self, at: Surroundings) -> None:
        length: Any = 0.0
        rate: Any = 0.0
        for joint, gear in zip(self.names, self.gears, strict=True):
            q, v = at.coordinates(joint), at.velocities(joint)
            if len(q) != 1 or len(v) != 1:
                raise ModelError(f"joint {joint!r} has {len(v)} freedoms; an actuator drives joints with one each")
            length, rate = length + gear * q[0], rate + gear * v[0]
        effort = self.effort_at(self.u, length, rate)
        for joint, gear in zip(self.names, self.gears, strict=True):
            at.apply_torque(joint, gear * effort)
