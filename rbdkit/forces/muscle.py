"""Muscles along paths through points of bodies, of Hill type with a rigid tendon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.forces.described import not_negative
from rbdkit.forces.element import End, ForceElement
from rbdkit.forces.made_from_law import made_from_law
from rbdkit.forces.muscle_curves import active_force_length, force_velocity, passive_force_length
from rbdkit.forces.spring import line
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import floats, numbers, shown


class Muscle(ForceElement):
    """A muscle with a rigid tendon, along straight lines through points of bodies (Millard et al. 2013).

    Its tension is ``peak_force (activation f_L(l) f_V(v) + f_P(l))`` (Sueda, Eqs 1.38, 1.59) with the length l of the
    path without the tendon, in optimal lengths, and its rate v in largest rates (Eqs 1.47, 1.49, 1.57, 1.58). It pulls
    along itself, with no angle of pennation. What f_P stores is its energy.

    Parameters
    ----------
    path : tuple of str
        Frames or bodies that it runs through, two or more, 'world' included; each may occur more than once.
    points : tuple of float (3 n,)
        Points of the path in coordinates of these, m; n triples, or all numbers in a row.
    peak_force : float
        Largest isometric tension of the active muscle, N.
    optimal_length : float
        Length of the muscle at which that is reached, m; not zero.
    tendon_length : float, optional
        m.
    max_velocity : float, optional
        Rate of shortening at which it can no longer pull, in optimal lengths per second; not zero.
    activation : float, optional
        From 0 to 1.

    Raises
    ------
    ModelError
        If a number is not finite or invalid, the path has only one point, or all its points are on one body.

    Notes
    -----
    For other curves, derive a class and override `active_force_length`, `force_velocity`, `passive_force_length` and
    `passive_energy`; `rbdkit.forces.muscle_curves` makes piecewise cubics from conditions.

    Examples
    --------
    A weight of 10 N hangs on a muscle that may pull with 20 N and is half active: nearly at its optimal length.

    >>> import rbdkit as rbd
    >>> model = rbd.Model("weight", gravity=(0, 0, -10))
    >>> _ = model.add_body("weight", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(1.0))
    >>> biceps = rbd.Muscle(("world", "weight"), ((0, 0, 0.3), (0, 0, 0)), 20.0, optimal_length=0.3, activation=0.5)
    >>> _ = model.add_force("biceps", biceps)
    >>> abs(float(rbd.forward_dynamics(model, [0.0], [0.0], [0.0])[0])) < 1e-9
    True
    """

    units: ClassVar[Mapping[str, str]] = {
        "points": "m", "peak_force": "N", "optimal_length": "m", "tendon_length": "m", "max_velocity": "1/s",
    }  # fmt: skip

    path: tuple[str, ...]
    points: tuple[float, ...]
    peak_force: float
    optimal_length: float
    tendon_length: float = 0.0
    max_velocity: float = 10.0
    activation: float = 0.5

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "passive_force_length" in vars(cls) and "passive_energy" not in vars(cls):
            raise ModelError(
                f"{cls.__name__} has a passive_force_length of its own; write passive_energy, its integral"
            )

    def __post_init__(self) -> None:
        require_path(self)
        not_negative(self, "peak_force", "optimal_length", "tendon_length", "max_velocity", "activation")
        for name in ("optimal_length", "max_velocity"):
            if getattr(self, name) == 0.0:
                raise ModelError(
                    f"{self.known_as}: {name} must be more than zero; lengths and rates are measured by it"
                )
        if self.activation > 1.0:
            raise ModelError(f"{self.known_as}: activation {shown(self.activation)} must not be more than 1")

    def active_force_length(self, length: Any) -> Any:
        """Return f_L at a length in optimal lengths."""
        return active_force_length()(length)

    def force_velocity(self, rate: Any) -> Any:
        """Return f_V at a rate in largest rates, positive where the muscle lengthens."""
        return force_velocity()(rate)

    def passive_force_length(self, length: Any) -> Any:
        """Return f_P at a length in optimal lengths."""
        return passive_force_length()(length)

    def passive_energy(self, length: Any) -> Any:
        """Return the integral of f_P up to a length in optimal lengths."""
        return passive_force_length().integral(length)

    def activation_now(self, at: Surroundings) -> Any:
        """Return the present activation."""
        return self.activation

    def act(self, at: Surroundings) -> None:
        length, rate, directions = self._along(at)
        own = (length - self.tendon_length) / self.optimal_length
        speed = rate / (self.optimal_length * self.max_velocity)
        active = self.activation_now(at) * self.active_force_length(own) * self.force_velocity(speed)
        tension = self.peak_force * (active + self.passive_force_length(own))
        for (one, two), u in zip(self.segments(), directions, strict=True):
            at.apply_force(one[0], tension * u, one[1])
            at.apply_force(two[0], -tension * u, two[1])

    def energy(self, at: Surroundings) -> Any:
        length = self._along(at)[0]
        own = (length - self.tendon_length) / self.optimal_length
        return self.peak_force * self.optimal_length * self.passive_energy(own)

    def _along(self, at: Surroundings) -> tuple[Any, Any, list[Any]]:
        """Return the length of the path, its rate, and the direction of each straight segment."""
        length: Any = 0.0
        rate: Any = 0.0
        directions = []
        for one, two in self.segments():
            u, own = line(at, one, two)
            length = length + own
            rate = rate + u @ (at.velocity(*two) - at.velocity(*one))
            directions.append(u)
        return length, rate, directions

    def segments(self) -> list[tuple[End, End]]:
        """Return the straight segments of the path, each with its two ends."""
        stops = self.stops()
        return list(pairwise(stops))

    def stops(self) -> tuple[End, ...]:
        """Return the points of the path, each as (frame, point in it)."""
        return tuple((name, self.points[3 * k : 3 * k + 3]) for k, name in enumerate(self.path))  # type: ignore[misc]


class ExcitedMuscle(Muscle):
    """A muscle with first-order activation dynamics: ``d(activation)/dt = (excitation - activation) / time``.

    The time constant is `activation_time` while it rises and `deactivation_time` while it falls. Everything else is as
    in `Muscle`; `activation` is an internal state, whose given value is the initial one.

    Parameters
    ----------
    path, points, peak_force, optimal_length, tendon_length, max_velocity, activation
        As those of `Muscle`.
    excitation : float, optional
        Neural excitation, from 0 to 1.
    activation_time, deactivation_time : float, optional
        s; not zero.

    Raises
    ------
    ModelError
        As those of `Muscle`, and if a time constant is zero or an excitation more than 1.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("weight", gravity=(0, 0, -10))
    >>> _ = model.add_body("weight", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(1.0))
    >>> points = ((0, 0, 0.3), (0, 0, 0))
    >>> biceps = rbd.ExcitedMuscle(("world", "weight"), points, 20.0, 0.3, excitation=1.0, activation=0.0)
    >>> _ = model.add_force("biceps", biceps)
    >>> run = rbd.simulate(model, duration=0.01)
    >>> float(run.state("biceps.activation")[-1].round(4))  # 1 - 1/e
    0.6321
    """

    units: ClassVar[Mapping[str, str]] = Muscle.units | {"activation_time": "s", "deactivation_time": "s"}  # type: ignore[operator]
    states: ClassVar[tuple[str, ...]] = ("activation",)

    excitation: float = 0.0
    activation_time: float = 0.01
    deactivation_time: float = 0.04

    def __post_init__(self) -> None:
        super().__post_init__()
        not_negative(self, "excitation", "activation_time", "deactivation_time")
        if self.excitation > 1.0:
            raise ModelError(f"{self.known_as}: excitation {shown(self.excitation)} must not be more than 1")
        for name in ("activation_time", "deactivation_time"):
            if getattr(self, name) == 0.0:
                raise ModelError(f"{self.known_as}: {name} must be more than zero, s")

    def act(self, at: Surroundings) -> None:
        super().act(at)
        missing = self.excitation - self.activation
        rising, falling = np.maximum(missing, 0.0), np.minimum(missing, 0.0)
        at.set_rate("activation", rising / self.activation_time + falling / self.deactivation_time)


class TimedMuscle(Muscle):
    """A muscle whose activation is a function of time; `timed_muscle` makes its classes.

    Everything else is as in `Muscle`.

    Parameters
    ----------
    path, points, peak_force, optimal_length, tendon_length, max_velocity
        As those of `Muscle`.
    activation : float, optional
        Value that `activation_at` returns unless it is overridden.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> class Twitch(rbd.forces.TimedMuscle):
    ...     def activation_at(self, t):
    ...         return 0.5 - 0.5 * np.cos(2.0 * np.pi * t)
    >>> model = rbd.Model("weight", gravity=(0, 0, 0))
    >>> _ = model.add_body("weight", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(1.0))
    >>> _ = model.add_force("biceps", Twitch(("world", "weight"), ((0, 0, 0.3), (0, 0, 0)), 20.0, 0.3))
    >>> rbd.forward_dynamics(model, [0.0], [0.0], [0.0], t=0.5).round(9).tolist()
    [20.0]
    """

    def activation_now(self, at: Surroundings) -> Any:
        return self.activation_at(at.time)

    def activation_at(self, t: Any) -> Any:
        """Return the activation at a time in s."""
        return self.activation


def timed_muscle(activation: Callable[[Any], Any]) -> type[TimedMuscle]:
    """Make a class of muscles whose activation is a function of time; loading a file with one needs this class.

    Parameters
    ----------
    activation : callable
        From the time, s, to a number from 0 to 1.

    Returns
    -------
    type of TimedMuscle

    Examples
    --------
    >>> from rbdkit.forces import timed_muscle
    >>> def rest(t):
    ...     return 0.0 * t
    >>> timed_muscle(rest).__name__
    'Muscle_rest'
    """
    name = getattr(activation, "__name__", "activation")
    own = {
        "activation_at": staticmethod(activation),
        "breaks": getattr(activation, "breaks", ()),
        "__doc__": TimedMuscle.__doc__,
    }
    return made_from_law(f"Muscle_{name}" if name.isidentifier() else "", TimedMuscle, timed_muscle, activation, own)


def require_path(muscle: Muscle) -> None:
    """Flatten the points of a muscle's path; raises `ModelError` unless there are three numbers for each stop."""
    who, path = muscle.known_as, muscle.path
    if not (isinstance(path, Sequence) and len(path) > 1 and all(isinstance(x, str) for x in path)):
        raise ModelError(f"{who}: path {shown(path)} must be names of two bodies or frames, or more")
    object.__setattr__(muscle, "path", tuple(path))
    if len(set(path)) == 1:
        raise ModelError(f"{who}: the whole path is on {shown(path[0])}, where it pulls at nothing; name another body")
    n = len(path)
    given = floats(muscle.points, lambda v: f"{who}: points {v} must be three numbers for each stop of the path")
    if given.shape not in ((3 * n,), (n, 3)):
        raise ModelError(f"{who}: points have shape {given.shape}; a path of {n} stops needs ({n}, 3)")
    flat = numbers(given, given.shape, lambda v: f"{who}: points {v} must be made of finite numbers")
    object.__setattr__(muscle, "points", tuple(flat.ravel().tolist()))
