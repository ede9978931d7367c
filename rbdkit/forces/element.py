"""Base class of force elements."""

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
    """Base class of applied forces: a spring between two bodies, friction in a joint, drag on a wing.

    A subclass declares its data as fields, as in a dataclass, and applies its forces in `act`. Fields that are strings
    are names of bodies, frames and joints; numbers, and tuples of numbers, are parameters, which can be changed without
    compiling again. Write `act` and `energy` with arithmetic, NumPy, and `numpy.where` in place of ``if``: they run on
    numbers and, once, on symbols, for compiled code.

    Forces that depend on time read ``at.time``, in s.

    An element may have internal states, whose rates `act` sets: the activation of a muscle, the stretch of a spring
    inside a seal. They are the fields named in `states`. The value given for such a field is the initial state; in
    `act` and `energy` the field holds the present state.

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
    """Names of the fields, numbers or vectors, that are internal states."""
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
        """Apply forces and torques by methods of `at`, which also gives the state."""

    def energy(self, at: Surroundings) -> Any:
        """Return the stored energy, J; 0 if the element stores none."""
        return 0.0

    def ends(self) -> tuple[End, End] | None:
        """Return the two ends of the coil that it is drawn as, each (frame, point in it); None draws nothing."""
        return None

    @property
    def conservative(self) -> bool:
        """Whether its power is minus the rate of `energy`; False unless a subclass overrides it."""
        return False

    def initial_states(self) -> dict[str, float | NDArray]:
        """Return the initial states by field name: floats and arrays (n,).

        Raises
        ------
        ModelError
            If a state is neither a number nor a vector.
        """
        numbers_of_it = self.parameters() if self.states else {}
        for name in self.states:
            if name not in numbers_of_it:
                value = getattr(self, name)
                raise ModelError(f"{self.known_as}: state {name!r} is {shown(value)} at the start; give a number")
        return {name: numbers_of_it[name] for name in self.states}


def require_element(element: object, what: str) -> ForceElement:
    """Return the argument if it is a force element, else raise `ModelError`. what : its name, for the message."""
    if not isinstance(element, ForceElement):
        hint = f", {element.__name__}(...)" if isinstance(element, type) and issubclass(element, ForceElement) else ""
        raise ModelError(f"{what}: {shown(element)} is no force element; give an object of a ForceElement class{hint}")
    return element
