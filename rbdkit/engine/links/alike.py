"""Force elements of one make: one list of operations serves them all, in a loop over a table of elements.

A soft body is hundreds of springs between nodes. Unrolled they would be tens of thousands of lines of code; as a loop
they are one. Two elements have the same make if they are of one class with parameters of the same shapes, and name only
bodies, in the same pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.model.force import Force
from rbdkit.trace import Feedback, Index, Program, Scalar

FEWEST = 4
"""Fewest elements of one make that are worth a loop."""


AnyWhole = TypeVar("AnyWhole", int, Index)


@dataclass(frozen=True)
class Member(Generic[AnyWhole]):
    """One element of a make, its numbers known or read from a table. first : where its parameters begin."""

    bodies: tuple[AnyWhole, ...]
    links: tuple[AnyWhole, ...]
    first: AnyWhole


@dataclass(frozen=True)
class Alike:
    """Elements of one make.

    Attributes
    ----------
    law : operations on "body0", "body1", ..., the motions of an element's bodies, on "numbers", its parameters, and
        "t"; it gives six numbers for each of the bodies, the stored energy and the dissipated power.
    apart : for each body whether its frame differs from its link's.
    members : the elements.
    """

    law: Feedback
    apart: tuple[bool, ...]
    members: tuple[Member[int], ...]

    @property
    def bodies(self) -> int:
        """Number of bodies that each element acts on or reads."""
        return len(self.apart)

    def row(self, member: Member[int]) -> list[int]:
        """Return the table row of an element."""
        return [*member.bodies, *member.links, member.first]

    def member_at(self, program: Program, place: Index) -> Member[Index]:
        """Read the element whose table row begins at a place."""
        row = [program.entry("own_members", place + k) for k in range(2 * self.bodies + 1)]
        return Member(tuple(row[: self.bodies]), tuple(row[self.bodies : -1]), row[-1])

    def compute(
        self, program: Program, member: Member[Any], motion: Callable[[int], Any], time: Callable[[], Scalar]
    ) -> list[Any]:
        """Evaluate the law of one element. motion : function that gives the motion of its k-th body."""
        known = {f"body{slot}": motion(slot) for slot in range(self.bodies)}

        def load(argument: str, k: int) -> Scalar:
            if argument == "numbers":
                return program.load("own_numbers", member.first, k)
            return time() if argument == "t" else known[argument][k]

        return self.law.compute(program, load, "own_numbers")


def tables_of(alike: tuple[Alike, ...]) -> dict[str, NDArray]:
    """Return the table "own_members", and "first_own_member": where the rows of each make begin, and the end."""
    rows = [[x for member in each.members for x in each.row(member)] for each in alike]
    if not rows:
        return {}
    return {
        "own_members": np.array([x for row in rows for x in row], dtype=np.int64),
        "first_own_member": np.cumsum([0, *map(len, rows)], dtype=np.int64),
    }


def each_member(program: Program, alike: tuple[Alike, ...]) -> Iterator[tuple[Alike, Member[Index]]]:
    """Loop over the elements of each make."""
    for number, each in enumerate(alike):
        start, stop = (program.entry("first_own_member", number + k) for k in (0, 1))
        with program.loop(start, stop, 2 * each.bodies + 1) as place:
            yield each, each.member_at(program, place)


def add_pushes(program: Program, places: tuple[Index, ...], array: str, start: int = 0) -> None:
    """Add six numbers for each body of an element, in "own_push" from `start` on, to those in an array.

    Each body has a block of its own, as two may have the same link.
    """
    for slot, place in enumerate(places):
        with program.loop(0, 1):
            target = place * 6
            for k in range(6):
                push = program.load("own_push", 0, start + 6 * slot + k)
                program.store(array, target, k, program.load(array, target, k) + push)


def made_of(model: Model, force: Force) -> tuple[Any, tuple[int, ...]]:
    """Return the make of an element, and its bodies in the order of its fields; (name, ()) if it has no make."""
    element = force.element
    values = [x for value in element.structure().values() for x in (value if isinstance(value, tuple) else (value,))]
    others = (model._frame_index, model._joint_index, model._loop_names)  # a joint may have the name of a body
    # their functions may depend on more than parameters, and states have places in the state
    if element.is_users_own or element.states:
        return force.name, ()
    named = (x for x in values if isinstance(x, str) and x != model.bodies[0].name)
    if any(name in names for name in named for names in others):
        return force.name, ()
    bodies: list[int] = []

    def place(name: Any) -> Any:
        if not isinstance(name, str) or name not in model._body_index:
            return name
        body = model._body_index[name]
        if body and body not in bodies:
            bodies.append(body)
        return ("body", bodies.index(body) if body else None)

    fields = tuple(
        (name, tuple(place(x) for x in value) if isinstance(value, tuple) else place(value))
        for name, value in element.structure().items()
    )
    shapes = tuple((name, np.shape(x)) for name, x in element.parameters().items())
    return (type(element), fields, shapes), tuple(bodies)


def for_any(law: Feedback, bodies: tuple[int, ...], own: int) -> Feedback:
    """Generalise the law of one element to all elements of its make.

    own : number of its first numbers that are its parameters; the others are constants of its class.
    """
    slots = {f"body{body}": f"body{slot}" for slot, body in enumerate(bodies)}
    steps: list[tuple[Any, ...]] = []
    for step in law.steps:
        if step[0] == "load":
            step = ("load", slots.get(step[1], step[1]), step[2])
        elif step[0] == "number" and step[1] < own:
            step = ("load", "numbers", step[1])
        elif step[0] == "number":
            step = ("const", law.numbers[step[1]])
        steps.append(step)
    return replace(law, steps=tuple(steps), numbers=())
