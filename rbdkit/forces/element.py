"""What every force element provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar

from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.forces.described import Described
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown

End = tuple[str, tuple[float, float, float]]
"""A frame or body by its name, and a point in its coordinates, m."""


class ForceElement(Described, ABC):
    """What acts in a mechanism by itself: a spring between two bodies, the friction of a joint, the drag of a wing.

    A subclass names its data as fields, as in a dataclass, and says in `act` what it does. Fields that are strings are
    names of bodies, frames and joints; numbers, and tuples of numbers, are parameters, which another value of compiles
    nothing. In `act` and `energy` there is arithmetic, NumPy, and `numpy.where` in place of ``if``: they run on numbers
    and, once, on symbols, for compiled code.

    Forces that depend on time ask for ``at.time``, in s.

    An element may have states of its own, which change by a rate that `act` says: the activation of a muscle, the
    stretch of a spring inside a seal. They are fields named in `states`. What is given for such a field holds at the
    start of a motion; in `act` and `energy` it is the present state.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> class Drag(rbd.ForceElement):
    ...     body: str
    ...     coefficient: float
    ...
    ...     def act(self, at):
    ...         at.apply_force(self.body, -self.coefficient * at.velocity(self.body))
    >>> model = rbd.library.pendulum()
    >>> model.add_force("air", Drag(model.bodies[1].name, 0.2)).name
    'air'

    A muscle needs a tenth of a second to become active:

    >>> class Muscle(rbd.ForceElement):
    ...     states = ("activation",)
    ...     joint: str
    ...     strength: float
    ...     activation: float = 0.0
    ...
    ...     def act(self, at):
    ...         at.apply_torque(self.joint, self.strength * self.activation)
    ...         at.set_rate("activation", (1.0 - self.activation) / 0.1)
    >>> _ = model.add_force("muscle", Muscle("hinge", 2.0))
    >>> motion = rbd.simulate(model, duration=0.1)
    >>> float(motion.state("muscle.activation")[-1].round(9))
    0.632120559
    """

    states: ClassVar[tuple[str, ...]] = ()
    """Names of the fields, numbers or vectors, that change by rates of their own."""
    breaks: ClassVar[tuple[float, ...]] = ()
    """Times in s at which the force jumps or bends; steps of adaptive integrators end there."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        known = [f.name for f in fields(cls)]
        if not isinstance(cls.states, tuple) or not all(name in known for name in cls.states):
            raise ModelError(
                f"{cls.__name__}: states = {shown(cls.states)} must be a tuple of names of its fields, such as "
                f'("activation",); it has {", ".join(map(repr, known)) or "none"}'
            )

    @abstractmethod
    def act(self, at: Surroundings) -> None:
        """Apply forces and torques, with what `at` tells of the state."""

    def energy(self, at: Surroundings) -> Any:
        """Energy stored, J; of an element that stores none, 0."""
        return 0.0

    def ends(self) -> tuple[End, End] | None:
        """The two points between which it is drawn as a coil, each as (frame, point in it); None draws nothing."""
        return None

    @property
    def conservative(self) -> bool:
        """Whether all of its work goes into and comes out of `energy`; False unless an element says otherwise."""
        return False

    def initial_states(self) -> dict[str, float | NDArray]:
        """Its states at the start, by name: floats and arrays (n,).

        Raises
        ------
        ModelError
            If a state is no number and no vector.
        """
        numbers_of_it = self.parameters() if self.states else {}
        for name in self.states:
            if name not in numbers_of_it:
                value = getattr(self, name)
                raise ModelError(f"{self.known_as}: state {name!r} is {shown(value)} at the start; give a number")
        return {name: numbers_of_it[name] for name in self.states}


def require_element(element: object, what: str) -> ForceElement:
    """The force element that was given; `ModelError` if it is something else. what : whose, for the message."""
    if not isinstance(element, ForceElement):
        hint = f", {element.__name__}(...)" if isinstance(element, type) and issubclass(element, ForceElement) else ""
        raise ModelError(f"{what}: {shown(element)} is no force element; give an object of a ForceElement class{hint}")
    return element
