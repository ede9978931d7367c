"""A mechanism whose state is symbolic, for tracing force elements and constraints.

An element's Python code runs once, with symbols for the state, the body motions and its parameters. The operations are
recorded in a graph, from which compiled code and exact derivatives are made. Body motions enter as independent inputs
("body<i>"), so that the trace of an element serves every tree and every formulation; parameters enter as "numbers", so
that changing them compiles nothing.
"""

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
    """The symbolic `rbdkit.forces.surroundings.Mechanism`, with inputs "q", "v", "t" and motions "body<i>".

    Attributes
    ----------
    asked : motions of the bodies that elements read, by number. frames : names of the frames that they read.
    given : parameter values of all elements, concatenated.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.graph = model, Graph()
        self.graph.words = no_words  # code that branches on the text of a number cannot be traced
        self.asked: dict[int, BodyMotion] = {}
        self.frames: set[str] = set()
        self.given: list[float] = []
        self.q, self.v, self.t = self.load("q", model.nq), self.load("v", model.nv), self.graph.load("t", None, 0)

    def frame(self, name: str) -> Frame:
        """Return the frame of that name and note the name in `frames`."""
        self.frames.add(name)
        return self.model.frame(name)

    def joint(self, name: str) -> JointLike:
        """The joint of that name."""
        return self.model.joint(name)

    def loop(self, name: str) -> LoopLike | None:
        """Return None, as there is no loop joint of that name.

        Raises
        ------
        ModelError
            If there is one: constraints cannot read the coordinates of loop joints.
        """
        loop = self.model.loop(name)
        if loop is not None:
            raise ModelError(f"joint {name!r} closes a loop; constraints do not know the coordinates of such joints")
        return None

    def load(self, name: str, size: int) -> NDArray:
        """Return symbols for the entries of an argument."""
        return symbols([self.graph.load(name, None, k) for k in range(size)])

    def dressed(self, element: AnyDescribed) -> AnyDescribed:
        """Return the element with symbols for its parameters, entries of "numbers" after those of earlier elements."""
        return element.on_symbols({name: self._parameter(value) for name, value in element.parameters().items()})

    def _parameter(self, value: float | NDArray) -> Any:
        """Return symbols for a parameter, a number or vector, and append its values to `given`."""
        first = len(self.given)
        self.given += np.ravel(value).tolist()
        loads = [self.graph.load("numbers", None, k) for k in range(first, len(self.given))]
        return loads[0] if np.ndim(value) == 0 else symbols(loads)

    def motion(self, body: int) -> BodyMotion:
        """Return the symbolic motion of a body; that of the world is constant."""
        if body not in self.asked:
            if body == 0:
                motion = BodyMotion(symbols(np.eye(3)), *(symbols(np.zeros(3)) for _ in range(3)))
            else:
                x = self.load(f"body{body}", MOTION)
                motion = BodyMotion(x[:9].reshape(3, 3), x[9:12], x[12:15], x[15:])
            self.asked[body] = motion
        return self.asked[body]

    def rates(self, values: Sequence[Any]) -> dict[int, Scalar]:
        """Return the rates of all positions that some values depend on, except time: seeds of forward differentiation.

        Rotations change as w x R, positions with the velocity of the origin, joint coordinates with their qdot.
        """
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
        """Return the outputs as a function of numbers, a list of operations; element parameters stay inputs."""
        found = tuple(x if isinstance(x, Symbol) else float(x) for x in map(scalar, outputs))
        return Feedback.of(Trace(self.graph, (), (), found, ()), self.given)


def scalar(x: Any) -> Any:
    """Return the element of a zero-dimensional array; anything else unchanged."""
    return np.asarray(x, dtype=object).item() if isinstance(x, np.ndarray) else x


def still() -> BodyMotion:
    """Return the motion of the world: identity pose at rest."""
    return BodyMotion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def random_motion(rng: np.random.Generator) -> BodyMotion:
    """Return a random body motion: uniform rotation, normally distributed position and velocities."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return BodyMotion(R * np.linalg.det(R), *rng.normal(size=(3, 3)))


def of_users(model: Model) -> dict[str, Dependencies]:
    """Return the dependencies, by name, of forces and constraints of users' own classes or with mutable fields.

    Beside the state these may read globals or attributes. Guards drop the model's cache as soon as one changes.
    """
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
    """Context for tracing forces or constraints, or comparing them with their trace; checks that they are pure.

    Raises
    ------
    Impure
        If one of a user's class has side effects.
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
