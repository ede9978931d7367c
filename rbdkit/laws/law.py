"""The base class of contact laws: what `simulate` calls on any of them.

A law answers what happens where bodies touch. Laws of the first kind (``own_steps = True``, `TimeStepping`) make the
steps themselves; the others let the integrator of `simulate` step a system with their forces and step in between, at
events (`Rigid`, `Impulse`) or at the end of each step (`ContactForce`). `Law.samples` is the readable form in Python;
`Law.compiled` and `Law.stepped` hand the same law to the compiled loop over time, where there is one.
"""

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
"""A state (q, w), the number of steps so far, and how the last step was solved (None if nothing was); w is v followed
by the states of force elements."""


class Law(ABC):
    """A contact law: it decides what happens where bodies touch. Laws with the same options are equal.

    Attributes
    ----------
    name : str
        Name under which `simulate` finds the law.
    knows : str
        What an integrator has to support, in words; part of the message if it does not.
    own_steps : bool
        Whether the law makes its own steps; if not, the integrator of `simulate` does.
    stops : bool
        Whether the law enforces unilateral constraints (joint stops, strings) as well as contacts.
    passes : float
        Violation of a unilateral constraint, rad or parts of the model's length, above which a report raises an alarm.
    shares : bool
        Whether what bodies leave open of its forces is shared out in the record, within circular cones of friction.
    order : int
        Order of convergence of the steps while contacts last.
    assumes, conserves, solutions : str
        In words: the assumptions, the conserved quantities, and when there is no solution or more than one.
    """

    name: ClassVar[str]
    knows: ClassVar[str] = "contacts"
    own_steps: ClassVar[bool]
    stops: ClassVar[bool] = True
    passes: ClassVar[float] = float("inf")
    shares: ClassVar[bool] = True
    order: ClassVar[int] = 1
    assumes: ClassVar[str]
    conserves: ClassVar[tuple[str, ...]]
    solutions: ClassVar[str]

    @abstractmethod
    def samples(
        self,
        scene: Scene,
        method: Integrator,
        hold: Callable[[int, NDArray, NDArray], None],
        times: NDArray,
        q: NDArray,
        w: NDArray,
        log: Log,
    ) -> Iterator[Sample]:
        """Yield the states at times[1:] in turn.

        Parameters
        ----------
        method : integrator of the motion between contacts, for laws that make no steps of their own.
        hold : callback with the number of the next step and the state (q, w) at its beginning; it sets forces that are
            constant over a step.
        times : (n,) ends of the steps, s. q, w : state at times[0].
        log : collects points, events and energies of the run.
        """

    def require(self, method: Integrator | Adaptive) -> None:
        """Raise SimulationError if an integrator cannot be combined with this law."""
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
        """Return the law's own steps as a method of the compiled loop over time, or None if they cannot be compiled."""
        return None

    def stepped(self, method: Integrator, surfaces: Sequence[Any], names: Sequence[str]) -> ForceSteps | None:
        """Return an integrator's steps under this law for the compiled loop, or None if there is no compiled form.

        Parameters
        ----------
        surfaces, names : material and pair name of each pair that can touch.

        Raises
        ------
        NotCovered
            If the law cannot be compiled; the message says why.
        """
        return None

    def judge(self, scene: Scene, h: float, t: NDArray, q: NDArray, v: NDArray, log: Log) -> None:  # noqa: B027
        """Add to a log the alarms of a motion that compiled steps h computed, given its recorded states (k,)."""

    def promise(self) -> str:
        """Return the penetration that the law allows, in words for the report; empty if it promises nothing."""
        return ""

    def options(self) -> dict[str, Any]:
        """Return the options of this law by name."""
        return {own.name: getattr(self, own.name) for own in fields(self)} if is_dataclass(self) else {}
