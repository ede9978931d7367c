"""The base class of penalty contact laws: forces that are functions of gap and relative velocity at each place.

A subclass writes `ContactForce.act` once, in arithmetic. That code runs on arrays over all places (ours), on one
place after the other (a user's, which may branch on values), or once on symbols, from which the compiled loop over time
is made (`recorded_force`). Such forces are stiff: explicit integrators are stable only while the step times the
fastest rate of the contact springs and dampers stays below about 2, which `ContactForce.judge` checks from the
linearised law.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.force_steps import ForceSteps
from rbdkit.errors import SimulationError
from rbdkit.formulations import System
from rbdkit.integrators import Integrator, records
from rbdkit.laws.contact_point import ContactPoint
from rbdkit.laws.forces_at_points import ForcesAtPoints
from rbdkit.laws.law import Law, Sample
from rbdkit.laws.log import Log
from rbdkit.laws.recorded_force import SURFACE, recorded
from rbdkit.laws.scene import Scene
from rbdkit.model.material import NUMBERS
from rbdkit.spatial.read_numbers import number

OF_MATERIALS = tuple(name for name in NUMBERS if name not in SURFACE)
"""Fields of a law that a pair's material overrides if it gives them."""
LOOKS = 10
"""Steps between two estimates of the fastest contact rate."""
STABLE, SLACK = 2.0, 1e-6
"""Limit of (rate of a contact) x (step) up to which explicit methods are stable; relative error of the rate, which is
found by finite differences."""


class ContactForce(Law):
    """A law of contact that is a force: a function of the gap and the velocity at each place where bodies touch.

    A subclass computes in `act` the force at one place, with arithmetic, NumPy, and `numpy.where` in place of ``if``:
    `act` runs on numbers and, once, on symbols, for the compiled loop over time. An attribute with the name of a number
    of `rbdkit.Material`, such as `stiffness`, is a default: in `act` it has the value of the pair's material if that
    gives one. In a dataclass, fields are options that reports show. Any integrator with fixed steps can be used.

    Attributes
    ----------
    name : str
        What reports call it; the name of the class unless it says another one.
    states : mapping of str to int
        States with time derivatives at each place, by name, with their sizes; all begin at zero.
    kept : mapping of str to int
        Values that only `settle` sets, at the end of each step, by name, with their sizes.
    reach : float
        Largest gap, m, at which the law still acts on surfaces that do not touch.

    Examples
    --------
    A spring and a damper while surfaces overlap, without friction:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> @dataclass(frozen=True)
    ... class Penalty(rbd.laws.ContactForce):
    ...     name = "penalty"
    ...     stiffness: float = 1e6
    ...     damping: float = 30.0
    ...
    ...     def act(self, at):
    ...         push = -self.stiffness * at.gap - self.damping * at.velocity[0]
    ...         at.apply_force(np.where(at.gap < 0.0, np.maximum(push, 0.0), 0.0))
    >>> ball = rbd.library.bouncing_ball()
    >>> motion = rbd.simulate(*ball, duration=0.5, contact=Penalty())
    >>> motion.report.backend
    'compiled loop (LLVM)'
    """

    knows: ClassVar[str] = "forces of surfaces"
    own_steps: ClassVar[bool] = False
    stops: ClassVar[bool] = False
    shares: ClassVar[bool] = False
    assumes: ClassVar[str] = "forces of gaps and velocities at each place"
    conserves: ClassVar[tuple[str, ...]] = ("momentum of bodies that touch each other only",)
    solutions: ClassVar[str] = "always one"
    reach: float = 0.0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    @property
    def states(self) -> Mapping[str, int]:
        """Sizes of the states at each place, by name; none by default."""
        return {}

    @property
    def kept(self) -> Mapping[str, int]:
        """Sizes of the values kept at each place, by name; none by default."""
        return {}

    @abstractmethod
    def act(self, at: ContactPoint) -> None:
        """Apply the force at one place, computed from the attributes of `at`, and set the rates of all `states`."""

    def settle(self, at: ContactPoint) -> None:
        """Set the `kept` values, or states, of a place at the end of a step; does nothing by default."""

    def numbers(self, surfaces: Sequence[Any], names: Sequence[str]) -> dict[str, NDArray]:
        """Return the fields that materials may override, by name: one value for each of the surfaces, (k,).

        Parameters
        ----------
        surfaces : materials of the pairs. names : names of the pairs, for messages.
        """
        found: dict[str, NDArray] = {}
        for name in (name for name in OF_MATERIALS if hasattr(self, name)):
            given = [getattr(surface, name, None) for surface in surfaces]
            own = getattr(self, name)
            if own is not None:
                own = number(own, f"{name} = {{}} of law {self.name!r} must be a number".format, SimulationError)
            found[name] = np.array([own if x is None else x for x in given], dtype=float)
        return found

    def stepped(self, method: Integrator, surfaces: Sequence[Any], names: Sequence[str]) -> ForceSteps | None:
        if method.requires is not System or not records(method):
            return None
        numbers = self.numbers(surfaces, names)
        of_surfaces = ([getattr(surface, name) for surface in surfaces] for name in SURFACE)
        table = np.array([*numbers.values(), *of_surfaces], dtype=float).T
        return ForceSteps(method, recorded(self, tuple(numbers)), table)

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
        system = ForcesAtPoints(scene, self)
        hold(0, q, w)
        size, s = len(w), np.concatenate([w, system.at_rest()])
        state = method.init(system, times[0], q, s)
        fastest = farthest = 0.0
        thin = float(scene.pairs.thickness.min(initial=np.inf))
        for k in range(len(times) - 1):
            hold(k, state.x, state.v[:size])
            h = float(times[k + 1] - times[k])
            system.begin(float(times[k]))
            system.tell(log, k, float(times[k]), state.x, state.v, h)
            if k % LOOKS == 0:
                fastest = max(fastest, h * system.fastest_rate(float(times[k]), state.x, state.v))
            if np.isfinite(thin):
                farthest = max(farthest, h * scene.fastest(float(times[k]), state.x, state.v[: scene.model.nv]))
            before = state.v[-2:]
            state = method.step(system, type(state)(times[k], state.x, state.v, state.memory, state.solve), h)
            q, s = system.settled(float(times[k + 1]), state.x, state.v)
            # the time of the grid, as sums of steps would drift from it
            state = type(state)(float(times[k + 1]), q, s, state.memory, state.solve)
            log.took(*(s[-2:] - before).tolist())
            yield q, s[:size], k + 1, state.solve
        system.begin(float(times[-1]))
        system.tell(log, len(times) - 1, float(times[-1]), state.x, state.v, float(times[-1] - times[-2]))
        self._judge(float(times[1] - times[0]), farthest, thin, fastest, log)

    def judge(self, scene: Scene, h: float, t: NDArray, q: NDArray, v: NDArray, log: Log) -> None:
        """Add alarms to a log if steps h are too long for the contacts; at most a hundred of the states (k,) are
        checked."""
        system, thin = ForcesAtPoints(scene, self), float(scene.pairs.thickness.min(initial=np.inf))
        fastest = farthest = 0.0
        for k in np.unique(np.linspace(0, len(t) - 1, 10 * LOOKS).astype(int)):
            s = np.concatenate([v[k], system.at_rest()])
            system.begin(float(t[k]))
            fastest = max(fastest, h * system.fastest_rate(float(t[k]), q[k], s))
            if np.isfinite(thin):
                farthest = max(farthest, h * scene.fastest(float(t[k]), q[k], v[k, : scene.model.nv]))
        self._judge(h, farthest, thin, fastest, log)

    @staticmethod
    def _judge(h: float, farthest: float, thin: float, fastest: float, log: Log) -> None:
        """Add alarms of steps that are too long.

        farthest : largest approach of two bodies in a step, m. thin : thickness of the thinnest shape, m.
        fastest : largest rate of contacts times the step.
        """
        if farthest > 0.5 * thin:
            log.alarms.append(
                f"STEP TOO LONG FOR CONTACTS: bodies come up to {farthest:.3g} m closer in a step and are {thin:.3g} m "
                "thick, so they may have passed through each other unseen; take a shorter step, or "
                "contact='time_stepping', which looks ahead"
            )
        if fastest > STABLE * (1.0 + SLACK):
            log.alarms.append(
                f"STEP TOO LONG FOR CONTACTS: their springs and dampers have motions with rate {fastest / h:.3g} 1/s, "
                f"which steps of {h:.3g} s may make grow; take steps of {h / fastest:.1g} s, softer surfaces, or "
                "contact='time_stepping'"
            )
