"""What every law of contact has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from rbdkit.engine.contact.force_steps import ForceSteps
from rbdkit.engine.contact.time_steps import TimeSteps
from rbdkit.errors import SimulationError
from rbdkit.formulations import System
from rbdkit.integrators import Adaptive, Integrator, Solve
from rbdkit.laws.log import Log
from rbdkit.laws.scene import Scene

Sample = tuple[NDArray, NDArray, int, Solve | None]
"""A state (q, w), the number of steps so far, and how the last one was solved; w holds v, then states of forces."""


class Law(ABC):
    """What happens where bodies touch. Objects are values: the same options make the same law.

    Attributes
    ----------
    name : str
        What `simulate` calls it.
    knows : str
        What integrators have to take, in words.
    own_steps : bool
        Whether it makes its own steps; if not, the integrator of `simulate` does.
    stops : bool
        Whether it holds one-sided constraints, stops and strings, beside contacts.
    passes : float
        By so much, m or rad, may they be passed before that is an alarm.
    order : int
        Of its own steps, while contacts last.
    assumes, conserves, solutions : str
        In words: what it takes for granted, what it keeps, and when it has no solution or many.
    """

    name: ClassVar[str]
    knows: ClassVar[str] = "contacts"
    own_steps: ClassVar[bool]
    stops: ClassVar[bool] = True
    passes: ClassVar[float] = float("inf")
    order: ClassVar[int] = 1
    assumes: ClassVar[str]
    conserves: ClassVar[tuple[str, ...]]
    solutions: ClassVar[str]

    @abstractmethod
    def samples(
        self,
        scene: Scene,
        method: Integrator,
        hold: Callable[[int], None],
        times: NDArray,
        q: NDArray,
        w: NDArray,
        log: Log,
    ) -> Iterator[Sample]:
        """The states at times[1:], one after the other.

        Parameters
        ----------
        method : steps what moves freely, in laws that make no steps of their own.
        hold : to be called with the number of a step before it is made: forces may be held over steps.
        log : takes what there is to say.
        """

    def require(self, method: Integrator | Adaptive) -> None:
        """Raise SimulationError if an integrator cannot step what moves under this law."""
        if self.own_steps:
            return
        if isinstance(method, Adaptive):
            raise SimulationError(
                f"contact law {self.name!r} ends steps where contacts begin and end, so integrator {method.name!r} "
                "cannot choose them; take one with given steps, 'rk4' say"
            )
        if method.requires is not System:
            raise SimulationError(
                f"integrator {method.name!r} asks more of a system than contact law {self.name!r} gives, and knows no "
                f"{self.knows}; take another one, 'rk4' say"
            )

    def compiled(self) -> TimeSteps | None:
        """Its steps as a method of the compiled loop over time; None if that has none."""
        return None

    def stepped(self, method: Integrator, surfaces: Sequence[Any], names: Sequence[str]) -> ForceSteps | None:
        """Steps of an integrator under this law in the compiled loop, or None.

        Parameters
        ----------
        surfaces, names : materials and pairs of the places where bodies may touch, one for each.

        Raises
        ------
        NotCovered
            If the law cannot be compiled, in words.
        """
        return None

    def judge(self, scene: Scene, h: float, t: NDArray, q: NDArray, v: NDArray, log: Log) -> None:  # noqa: B027
        """Tell a log what is doubtful in the states (k,) of a motion that was made by compiled steps h; if anything."""

    def promise(self) -> str:
        """How deep bodies may get into each other, in words."""
        return ""

    def options(self) -> dict[str, Any]:
        """The options of this object, by name."""
        return {own.name: getattr(self, own.name) for own in fields(self)} if is_dataclass(self) else {}
