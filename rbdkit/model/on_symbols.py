"""A mechanism whose state is symbols, for elements that are recorded once: forces and constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.forces import BodyMotion
from rbdkit.forces.described import AnyDescribed, Described
from rbdkit.forces.loop_joint import LoopLike
from rbdkit.forces.surroundings import JointLike
from rbdkit.model.body import Frame
from rbdkit.model.kept import PARTS, keep_anyhow, keep_while, kept
from rbdkit.trace import Dependencies, Feedback, Graph, Impure, Scalar, Symbol, Trace, no_words, symbols

if TYPE_CHECKING:
    from rbdkit.model.constraint import Constraint
    from rbdkit.model.force import Force
    from rbdkit.model.model import Model

MOTION = 18
"""Numbers of a body's motion in world axes: rotation by rows 9, position 3, angular velocity 3, velocity of the origin
3."""


class MechanismOnSymbols:
    """The `rbdkit.forces.surroundings.Mechanism` of recordings: coordinates "q", velocities "v", motions "body<i>",
    time "t".

    Attributes
    ----------
    asked : motions of the bodies that were asked for, by number. frames : names of the frames that were.
    given : the numbers of the elements, one after the other.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.graph = model, Graph()
        self.graph.words = no_words  # what decides by a text of a number cannot be recorded
        self.asked: dict[int, BodyMotion] = {}
        self.frames: set[str] = set()
        self.given: list[float] = []
        self.q, self.v, self.t = self.load("q", model.nq), self.load("v", model.nv), self.graph.load("t", None, 0)

    def frame(self, name: str) -> Frame:
        """The frame of that name, whose name is kept."""
        self.frames.add(name)
        return self.model.frame(name)

    def joint(self, name: str) -> JointLike:
        """The joint of that name."""
        return self.model.joint(name)

    def loop(self, name: str) -> LoopLike | None:
        """Whatever loop joint has that name.

        Raises
        ------
        ModelError
            If one has: recordings of constraints do not know its coordinates.
        """
        loop = self.model.loop(name)
        if loop is not None:
            raise ModelError(f"joint {name!r} closes a loop; constraints do not know the coordinates of such joints")
        return None

    def load(self, name: str, size: int) -> NDArray:
        """The elements of an argument."""
        return symbols([self.graph.load(name, None, k) for k in range(size)])

    def dressed(self, element: AnyDescribed) -> AnyDescribed:
        """The element with symbols in place of its parameters: "numbers", behind those of the elements before."""
        return element.on_symbols({name: self._parameter(value) for name, value in element.parameters().items()})

    def _parameter(self, value: float | NDArray) -> Any:
        """A number, or the numbers of a vector, as symbols."""
        first = len(self.given)
        self.given += np.ravel(value).tolist()
        loads = [self.graph.load("numbers", None, k) for k in range(first, len(self.given))]
        return loads[0] if np.ndim(value) == 0 else symbols(loads)

    def motion(self, body: int) -> BodyMotion:
        """How a body moves."""
        if body not in self.asked:
            if body == 0:
                motion = BodyMotion(symbols(np.eye(3)), *(symbols(np.zeros(3)) for _ in range(3)))
            else:
                x = self.load(f"body{body}", MOTION)
                motion = BodyMotion(x[:9].reshape(3, 3), x[9:12], x[12:15], x[15:])
            self.asked[body] = motion
        return self.asked[body]

    def rates(self, values: Sequence[Any]) -> dict[int, Scalar]:
        """How fast everything changes that some values depend on, but for time: the seeds of their tangents."""
        live = set(self.graph.live([self.graph.position(x) for x in values]))
        seeds: dict[int, Scalar] = {}
        for body, motion in self.asked.items():
            if body > 0:
                turning = np.cross(motion.w, motion.R.T).T  # w x R, column by column
                for x, rate in zip((*motion.R.ravel(), *motion.p), (*turning.ravel(), *motion.v), strict=True):
                    seeds[self.graph.position(x)] = scalar(rate)
        for joint in self.model.joints:
            if joint.nv and joint.mimic is None:
                own = self.q[joint.q_slice]
                if not any(self.graph.position(x) in live for x in own):
                    continue
                for x, rate in zip(own, np.ravel(joint.type.rate(own, self.v[joint.v_slice])), strict=True):
                    seeds[self.graph.position(x)] = scalar(rate)
        return seeds

    def recorded(self, outputs: Iterable[Any]) -> Feedback:
        """What was found of symbols, as operations on numbers; those of the elements stay inputs."""
        found = tuple(x if isinstance(x, Symbol) else float(x) for x in map(scalar, outputs))
        return Feedback.of(Trace(self.graph, (), (), found, ()), self.given)


def scalar(x: Any) -> Any:
    """The element of an array without axes; anything else as it is."""
    return np.asarray(x, dtype=object).item() if isinstance(x, np.ndarray) else x


def still() -> BodyMotion:
    """That of the world."""
    return BodyMotion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def random_motion(rng: np.random.Generator) -> BodyMotion:
    """One that is as good as any."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return BodyMotion(R * np.linalg.det(R), *rng.normal(size=(3, 3)))


def of_users(model: Model) -> dict[str, Dependencies]:
    """What forces and constraints depend on besides the state, by name: of users' own classes, or with fields that can
    be written to. What is kept of the model is kept as long as all of that is as it was."""
    return kept(model, _of_users)


def _of_users(model: Model) -> dict[str, Dependencies]:
    found: dict[str, Dependencies] = {}
    for part in model.elements:
        element = part.element
        if element.is_users_own or any(isinstance(x, list | np.ndarray) for x in vars(element).values()):
            own = found[part.name] = _dependencies(model, part)
            if not own.impure and not own.unknown:
                keep_while(model, part.name, own.guard)
    return found


def _dependencies(model: Model, part: Force | Constraint) -> Dependencies:
    return Dependencies({part.name: part.element}, {type(model): PARTS}, (Described,))


@contextmanager
def recording(model: Model, *parts: Force | Constraint) -> Iterator[None]:
    """Record forces or constraints here, or compare them with what was recorded.

    Raises
    ------
    Impure
        If one is of a user's class that does more than compute.
    """
    own = of_users(model)
    found = {part.name: own.get(part.name) or _dependencies(model, part) for part in parts if part.element.is_users_own}
    with ExitStack() as stack:
        for name, each in found.items():
            each.require_pure()
            stack.enter_context(_untouched(model, name, each))
        yield


@contextmanager
def _untouched(model: Model, name: str, own: Dependencies) -> Iterator[None]:
    try:
        with own.guard.untouched():
            yield
    except Impure as fault:
        own.impure = own.impure or str(fault)
        keep_anyhow(model, name)
        raise
