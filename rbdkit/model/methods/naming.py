"""Checks that a name is free before something of that name is added to a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from rbdkit.errors import ModelError
from rbdkit.model.kept import require_unsettled
from rbdkit.model.names import LONGEST_OF_JOINTS, require_name

if TYPE_CHECKING:
    from rbdkit.model.model import Model


def claim_name(self: Model, name: str) -> None:
    """Raise `ModelError` if a name for a body or frame is invalid or taken in the model."""
    require_name(name, "a name")
    if name in self._body_index or name in self._frame_index:
        raise ModelError(f"name {name!r} is taken; give every body and frame its own name")
    _require_not_taken(self, name)


def claim_joint_name(self: Model, name: str) -> None:
    """Raise `ModelError` if a name for a joint or loop joint is invalid, or taken by another, a force or a contact."""
    require_unsettled(self, "its bodies and joints")
    require_name(name, "the name of a joint", LONGEST_OF_JOINTS)
    if name in self._joint_index or name in self._loop_names:
        raise ModelError(f"joint name {name!r} is taken; give every joint its own name")
    _require_not_taken(self, name)


def claim_name_of_all(self: Model, name: str, what: str) -> None:
    """Raise `ModelError` if a name for a force, constraint or contact is invalid or taken in the model."""
    require_unsettled(self, f"its {what}s")
    require_name(name, f"the name of a {what}")
    taken = (self._body_index, self._frame_index, self._joint_index, self._loop_names)
    if any(name in names for names in taken) or any(name == o.name for o in (*self.elements, *self.contact_rules)):
        raise ModelError(f"name {name!r} is taken; give every {what} a name that nothing else in the model has")


def _require_not_taken(self: Model, name: str) -> None:
    for what, named in (("force", self.forces), ("constraint", self.constraints), ("contact", self.contact_rules)):
        if any(own.name == name for own in cast("Iterable[Any]", named)):
            raise ModelError(f"name {name!r} is taken by a {what}; give everything in a model its own name")
