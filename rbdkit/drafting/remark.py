"""A finding about a draft, with the item and field that it concerns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rbdkit.model import Finding

FIELD_OF = {
    "duplicate name": "name",
    "loop that cannot close": "gap",
    "redundant constraints": "joint",
    "constraint that cannot hold": "constraints",
    "non-unit axis": "joint",
    "inertia": "inertia",
    "missing inertia": "inertia",
    "zero mass on a moving leaf": "inertia",
    "inertia not positive definite": "inertia",
    "nothing touches": "contact_rules",
}
"""The field to change for each kind of finding of `Model.validate`."""


@dataclass(frozen=True)
class Remark:
    """A finding about one field of one body, loop joint or frame of a draft.

    Attributes
    ----------
    key : int
        Key of the item; `GROUND` for the model as a whole.
    field : str
        Name of the field: 'name', 'joint', 'inertia', 'density', 'damping', 'lower', 'follows', ...
    severity : {'blocking', 'error', 'warning', 'note'}
        'blocking' (no model can be made), or the severity of a `Finding`.
    message : str
        The value and how to mend it.
    """

    key: int
    field: str
    severity: Literal["blocking", "error", "warning", "note"]
    message: str

    @staticmethod
    def of(key: int, finding: Finding) -> Remark:
        """Make a remark from a finding about the model. key : the item that it concerns."""
        return Remark(key, FIELD_OF.get(finding.what, "name"), finding.severity, f"{finding.what}: {finding.message}")

    def __str__(self) -> str:
        return f"{self.severity}: {self.field}: {self.message}"
