"""Methods of `Model` that find its parts by name, and the ancestors and descendants of a body in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.model.body import Body, Frame, Loop
from rbdkit.model.constraint import Constraint
from rbdkit.model.joint import Joint
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model


def body(self: Model, name: str | int) -> Body:
    """The body of that name or number.

    Raises
    ------
    ModelError
        If there is none; the message suggests the closest name.
    """
    if isinstance(name, str) and name in self._body_index:
        return self.bodies[self._body_index[name]]
    if isinstance(name, int | np.integer) and 0 <= name < len(self.bodies):
        return self.bodies[name]
    raise _unknown(self, "body", name, self._body_index)


def joint(self: Model, name: str) -> Joint:
    """The joint of that name.

    Raises
    ------
    ModelError
        If there is none; the message suggests the closest name.
    """
    if not isinstance(name, str) or name not in self._joint_index:
        raise _unknown(self, "joint", name, self._joint_index)
    return self.joints[self._joint_index[name]]


def loop(self: Model, name: str) -> Loop | None:
    """The loop joint of that name with its two ends, None if there is none."""
    return next((loop for loop in self.loops if loop.joint.name == name), None)


def frame(self: Model, name: str) -> Frame:
    """The named frame; a body's own frame goes by the body's name.

    Raises
    ------
    ModelError
        If there is none; the message suggests the closest name.
    """
    if isinstance(name, str) and name in self._frame_index:
        return self.frames[self._frame_index[name]]
    if isinstance(name, str) and name in self._body_index:
        return Frame(name, self._body_index[name], np.eye(4))
    raise _unknown(self, "frame", name, [*self._frame_index, *self._body_index])


def constraint(self: Model, name: str) -> Constraint:
    """The constraint of that name.

    Raises
    ------
    ModelError
        If there is none; the message suggests the closest name.
    """
    for own in self.constraints:
        if own.name == name:
            return own
    raise _unknown(self, "constraint", name, [own.name for own in self.constraints])


def support(self: Model, body: int) -> tuple[int, ...]:
    """kappa(i): the joints on the path from the base to body i."""
    _require_number(self, body)
    path: list[int] = []
    while body > 0:
        path.append(body)
        body = self.parent[body]
    return tuple(path[::-1])


def children(self: Model, body: int) -> tuple[int, ...]:
    """mu(i): the bodies whose parent is body i."""
    _require_number(self, body)
    return tuple(i for i in self.outward if self.parent[i] == body)


def subtree(self: Model, body: int) -> tuple[int, ...]:
    """nu(i): body i and all bodies that it carries."""
    _require_number(self, body)
    carried = {body}
    for i in range(body + 1, len(self.bodies)):
        if self.parent[i] in carried:
            carried.add(i)
    return tuple(sorted(carried))


def _require_number(self: Model, body: object) -> None:
    """Raise `ModelError` if this is no number of a body."""
    if not isinstance(body, int | np.integer) or not 0 <= body < len(self.bodies):
        hint = f"; its number is model.body({shown(body)}).index" if isinstance(body, str) else ""
        raise ModelError(
            f"{shown(body)} is no number of a body of model {self.name!r}, 0 to {len(self.bodies) - 1}{hint}"
        )


def _unknown(self: Model, what: str, name: object, known: Iterable[str]) -> ModelError:
    if what == "body" and isinstance(name, str) and name in self._frame_index:
        on = self.bodies[self.frame(name).body].name
        return ModelError(f"body {name!r} is not in model {self.name!r}: {name!r} is a frame on {on!r}; name that body")
    hint = did_you_mean(name if isinstance(name, str) else "", known)
    return ModelError(f"{what} {shown(name)} is not in model {self.name!r}{hint}")
