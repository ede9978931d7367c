"""Contact as a force of gap and velocity at each place: what such a law says, and how it is stepped in Python."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
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
from rbdkit.model.material import Material
from rbdkit.spatial.read_numbers import number

OF_MATERIALS = tuple(field.name for field in fields(Material) if field.name not in SURFACE)
"""Numbers of a law that materials may say instead."""
LOOKS = 10
"""Steps from one look at how fast contacts may move to the next."""
STABLE, SLACK = 2.0, 1e-6
"""Rate of a contact times the step up to which explicit methods follow it; and by which part differences are off."""


class ContactForce(Law):
    """A law of contact that is a force: a function of the gap and the velocity at each place where bodies touch.

    A subclass says in `act` what pushes at one place. There is arithmetic, NumPy, and `numpy.where` in place of ``if``:
    `act` runs on numbers and, once, on symbols, for the compiled loop over time. An attribute with the name of a number
    of `rbdkit.Material`, such as `stiffness`, is in `act` what the materials of the pair say, and holds where they say
    nothing. In a dataclass fields are options that reports show. Any integrator with given steps takes such a law.

    Attributes
    ----------
    name : str
        What reports call it; the name of the class unless it says another one.
    states : mapping of str to int
        What has rates of its own at each place, and of how many numbers it is; all begin at zero.
    kept : mapping of str to int
        The same of what `settle` alone sets, at the end of each step.
    reach : float
        Distance, m, up to which it acts on surfaces that do not touch.

    Examples
    --------
    A spring and a damper while surfaces overlap, without friction:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> @dataclass(frozen=True)
    ... class Penalty(rbd.laws.ContactForce):
    ...     name = "penalty"
    ...     stiffness: float = 1e4
    ...     damping: float = 10.0
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
        """Of each place; none unless a law says otherwise."""
        return {}

    @property
    def kept(self) -> Mapping[str, int]:
        """At each place; nothing unless a law says otherwise."""
        return {}

    @abstractmethod
    def act(self, at: ContactPoint) -> None:
        """Apply a force at one place, with what `at` tells, and say the rates of all `states` there."""

    def settle(self, at: ContactPoint) -> None:
        """Set, at the end of a step, what is `kept` at a place, or states there; nothing unless a law does."""

    def numbers(self, surfaces: Sequence[Any], names: Sequence[str]) -> dict[str, NDArray]:
        """Fields that materials may say instead, by name: one number for each of the surfaces (k,).

        Parameters
        ----------
        surfaces : materials of pairs. names : of the pairs, for messages.
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
        hold: Callable[[int], None],
        times: NDArray,
        q: NDArray,
        w: NDArray,
        log: Log,
    ) -> Iterator[Sample]:
        system = ForcesAtPoints(scene, self)
        hold(0)
        size, s = len(w), np.concatenate([w, system.at_rest()])
        state = method.init(system, times[0], q, s)
        fastest = farthest = 0.0
        thin = float(scene.pairs.thickness.min(initial=np.inf))
        for k in range(len(times) - 1):
            hold(k)
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
            state = type(state)(float(times[k + 1]), q, s, state.memory, state.solve)
            log.took(*(s[-2:] - before).tolist())
            yield q, s[:size], k + 1, state.solve
        system.begin(float(times[-1]))
        system.tell(log, len(times) - 1, float(times[-1]), state.x, state.v, float(times[-1] - times[-2]))
        self._judge(float(times[1] - times[0]), farthest, thin, fastest, log)

    def judge(self, scene: Scene, h: float, t: NDArray, q: NDArray, v: NDArray, log: Log) -> None:
        """Tell a log whether steps h are too long for the states (k,) of a motion, a hundred of which are looked at."""
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
        """Alarms of steps that are too long. farthest : m in a step. fastest : rate of contacts times a step."""
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
