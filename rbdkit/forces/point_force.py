"""Forces at a point of a body: a constant one, and one given by a function of position, velocity and time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.forces.element import ForceElement
from rbdkit.forces.made_from_law import made_from_law
from rbdkit.forces.surroundings import ORIGIN, Surroundings
from rbdkit.spatial.read_numbers import shown


class DirectedForce(ForceElement):
    """A force that keeps its direction in the world, at a point of a body (Sueda Eq 1.31).

    It has the potential ``-force . x`` (Eq 1.32), as a weight has.

    Parameters
    ----------
    body : str
        Frame or body that it pulls at.
    force : tuple of float (3,)
        In world axes, N.
    point : tuple of float (3,), optional
        In coordinates of the body, m.

    Raises
    ------
    ModelError
        If a number is not finite.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("cart", gravity=(0, 0, 0))
    >>> _ = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    >>> _ = model.add_force("rope", rbd.DirectedForce("cart", (3.0, 0.0, 4.0)))
    >>> rbd.forward_dynamics(model, [0.0], [0.0], [0.0]).tolist()
    [1.5]
    """

    units: ClassVar[Mapping[str, str]] = {"force": "N", "point": "m"}

    body: str
    force: tuple[float, float, float]
    point: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        self.parameters()

    def act(self, at: Surroundings) -> None:
        at.apply_force(self.body, np.asarray(self.force), self.point)

    def energy(self, at: Surroundings) -> Any:
        return -(np.asarray(self.force) @ at.position(self.body, self.point))

    @property
    def conservative(self) -> bool:
        return True


class PointForce(ForceElement):
    """A force at a point of a body, a function of the point's position and velocity; `point_force` makes its classes.

    Parameters
    ----------
    body : str
        Frame or body that it pulls at.
    point : tuple of float (3,), optional
        In coordinates of the body, m.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> class Wind(rbd.forces.PointForce):
    ...     speed: float = 5.0
    ...
    ...     def law(self, x, v):
    ...         return 0.3 * ([self.speed, 0.0, 0.0] - v)
    >>> model = rbd.Model("cart")
    >>> _ = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    >>> _ = model.add_force("wind", Wind("cart"))
    >>> rbd.forward_dynamics(model, [0.0], [1.0], [0.0]).round(9).tolist()
    [0.6]
    """

    units: ClassVar[Mapping[str, str]] = {"point": "m"}

    body: str
    point: tuple[float, float, float] = ORIGIN

    def law(self, x: Any, v: Any) -> Any:
        """The force (3,) in world axes, N; x : position of the point, m; v : its velocity, m/s; both in world axes."""
        raise ModelError(f"{self.known_as} has no law; write law(self, x, v) in a class of your own")

    def act(self, at: Surroundings) -> None:
        x, v = at.position(self.body, self.point), at.velocity(self.body, self.point)
        at.apply_force(self.body, as_vector(self.law(x, v)), self.point)


class TimedPointForce(PointForce):
    """A `PointForce` whose law also depends on time.

    Parameters
    ----------
    body : str
        Frame or body that it pulls at.
    point : tuple of float (3,), optional
        In coordinates of the body, m.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> class Push(rbd.forces.TimedPointForce):
    ...     def law(self, x, v, t):
    ...         return [np.cos(t), 0.0, 0.0]
    >>> model = rbd.Model("cart")
    >>> _ = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    >>> _ = model.add_force("push", Push("cart"))
    >>> float(rbd.simulate(model, duration=np.pi / 2).v[-1, 0].round(6))
    1.0
    """

    def law(self, x: Any, v: Any, t: Any = None) -> Any:
        """Return the force (3,) in world axes, N, as in `PointForce`; t : time, s."""
        raise ModelError(f"{self.known_as} has no law; write law(self, x, v, t) in a class of your own")

    def act(self, at: Surroundings) -> None:
        x, v = at.position(self.body, self.point), at.velocity(self.body, self.point)
        at.apply_force(self.body, as_vector(self.law(x, v, at.time)), self.point)


def point_force(law: Callable[..., Any]) -> type[PointForce]:
    """Make a class of point forces from a law of position and velocity, or of position, velocity and time.

    Parameters
    ----------
    law : callable
        Function ``(x, v)`` or ``(x, v, t)`` that returns the force (3,), N; see `PointForce` and `TimedPointForce`.

    Returns
    -------
    type of PointForce

    Raises
    ------
    ModelError
        If the function takes neither two nor three arguments.

    Examples
    --------
    >>> from rbdkit.forces import point_force
    >>> def drag(x, v):
    ...     return -0.2 * v
    >>> point_force(drag)("cart").known_as
    'drag'
    """
    if not callable(law):
        raise ModelError(f"a law of a point force must be a function of (x, v) or (x, v, t), and {shown(law)} is none")
    try:
        count = len(inspect.signature(law).parameters)
    except (TypeError, ValueError):
        count = 0
    if count not in (2, 3):
        raise ModelError(
            f"the law {shown(law)} of a point force must take (x, v) or (x, v, t); it takes {count} arguments"
        )
    name = getattr(law, "__name__", "law")
    base = PointForce if count == 2 else TimedPointForce
    own = {"law": staticmethod(law), "__doc__": law.__doc__}
    return made_from_law(name if name.isidentifier() else "Law", base, point_force, law, own)


def as_vector(force: Any) -> Any:
    """Return the force that a law returned as an array of numbers or symbols."""
    return force if isinstance(force, np.ndarray) else np.array(list(force))
