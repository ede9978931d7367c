"""Methods of `Model` that add motors and servos, and that give the same model other controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rbdkit import forces
from rbdkit.errors import ModelError
from rbdkit.model import controls
from rbdkit.model.force import Force
from rbdkit.spatial.read_numbers import number, shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model

Pair = tuple[float, float]


def add_motor(
    self: Model,
    joint: str,
    name: str | None = None,
    *,
    gear: float = 1.0,
    limit: float | Pair | None = None,
    u_range: float | Pair | None = None,
    u: float = 0.0,
) -> Force:
    """Add a motor to a joint: its control u is its effort, and the joint force is gear times effort.

    Parameters
    ----------
    joint : str
        A joint of one freedom.
    name : str, optional
        Unique among forces, bodies, frames and joints; the joint's with ``_motor`` if not given.
    gear : float, optional
        Ratio of joint force to effort.
    limit, u_range : float or (float, float), optional
        Largest effort, N m or N before the gear, and control, in both directions; or the smallest and the largest.
        What is beyond is cut off.
    u : float, optional
        The control where `simulate` is given none.

    Returns
    -------
    Force
        The new actuator, see `rbdkit.Actuator`.

    Raises
    ------
    ModelError
        As `add_force` and `rbdkit.Actuator` do.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> model.add_motor("hinge", gear=2.0, limit=3.0).name, model.u_names
    ('hinge_motor', ('hinge_motor',))
    >>> motion = rbd.simulate(model, duration=1.0, u=lambda t, q, v: [10.0 - 0.1 * v[0]])
    >>> motion.u.shape, float(motion.tau[-1, 0])
    ((1001, 1), 6.0)
    """
    element = forces.Actuator(joint, gear, u=u, u_range=_range(u_range, "u_range"), effort=_range(limit, "limit"))
    return self.add_force(f"{joint}_motor" if name is None else name, element)


def add_servo(
    self: Model,
    joint: str,
    name: str | None = None,
    *,
    kp: float = 0.0,
    kd: float = 0.0,
    target: float = 0.0,
    velocity: bool = False,
    gear: float = 1.0,
    limit: float | Pair | None = None,
    u_range: float | Pair | None = None,
) -> Force:
    """Add a servo to a joint: a motor that moves it to a coordinate, ``effort = kp (u - q) - kd v``.

    Parameters
    ----------
    joint : str
        A joint of one freedom.
    name : str, optional
        Unique among forces, bodies, frames and joints; the joint's with ``_servo`` if not given.
    kp, kd : float, optional
        Gains: N m/rad and N m s/rad, or N/m and N s/m. They are springs and dampers to integrators that treat such
        implicitly.
    target : float, optional
        The control u where `simulate` is given none: the coordinate, rad or m, or the velocity.
    velocity : bool, optional
        Whether u is a velocity that it keeps, ``effort = kd (u - v)``.
    gear : float, optional
        Of the transmission: the servo sees gear times q and v, and the joint gear times the effort.
    limit, u_range : float or (float, float), optional
        Largest effort, N m or N before the gear, and control, in both directions; or the smallest and the largest.
        What is beyond is cut off.

    Returns
    -------
    Force
        The new actuator, see `rbdkit.Actuator`.

    Raises
    ------
    ModelError
        As `add_force` and `rbdkit.Actuator` do, and if the gain that a servo is made of is not positive.

    See Also
    --------
    rbdkit.Servo : A force element with a lagging torque.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> _ = model.add_servo("hinge", kp=2000.0, kd=100.0, target=0.5)
    >>> motion = rbd.simulate(model, duration=2.0, dt=1e-3)
    >>> abs(float(motion.q[-1, 0]) - 0.5) < 2e-3
    True
    >>> motion = rbd.simulate(model, duration=2.0, dt=1e-3, u={"hinge_servo": -0.3})
    >>> abs(float(motion.q[-1, 0]) + 0.3) < 2e-3
    True
    """
    if not isinstance(velocity, bool):
        raise ModelError(f"servo of joint {joint!r}: velocity = {shown(velocity)} must be True or False")
    gain = kd if velocity else kp
    if not number(gain, "{}".format, ModelError) > 0.0:
        raise ModelError(
            f"servo of joint {joint!r}: {'kd' if velocity else 'kp'} = {shown(gain)} must be more than zero; it "
            f"pulls towards the {'velocity' if velocity else 'coordinate'} that is asked for"
        )
    if velocity and kp:
        raise ModelError(f"servo of joint {joint!r}: one that keeps a velocity has no kp; {shown(kp)} was given")
    element = forces.Actuator(
        joint, gear, gain, kp, kd, u=target, u_range=_range(u_range, "u_range"), effort=_range(limit, "limit")
    )
    return self.add_force(f"{joint}_servo" if name is None else name, element)


def with_controls(self: Model, u: ArrayLike | Mapping[str, float]) -> Model:
    """Return the model with other controls, which act where `simulate` is given none.

    Parameters
    ----------
    u : array_like (nu,) or mapping of str to float
        Controls in the order of `u_names`, or some of them by these names.

    Returns
    -------
    Model
        Another model; this one stays as it is.

    Raises
    ------
    StateError
        If an actuator is unknown, or a number is not finite or out of its range.
    ModelError
        If there are no actuators.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> _ = model.add_motor("hinge")
    >>> rbd.passive_force(model.with_controls([3.0]), [0.0], [0.0]).tolist()
    [3.0]
    """
    return controls.with_controls(self, u)


def _range(given: float | Pair | None, what: str) -> Pair | None:
    """Return a pair of limits from a number, which is one for both directions, or a pair."""
    if given is None or isinstance(given, tuple | list):
        return None if given is None else tuple(given)  # type: ignore[return-value]
    largest = float(number(given, f"{what} must be a number or a pair of numbers, not {{}}".format, ModelError))
    return (-largest, largest)
