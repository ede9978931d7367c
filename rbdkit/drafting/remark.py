"""One thing that is wrong with a draft, and where on the drawing board it belongs."""

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
"""Which field mends what `Model.validate` finds."""


@dataclass(frozen=True)
class Remark:
    """A sentence about one field of one body, loop joint or frame.

    Attributes
    ----------
    key : int
        Whose; `GROUND` for the model as a whole.
    field : str
        Which of its fields: 'name', 'joint', 'inertia', 'density', 'damping', 'lower', 'follows', ...
    severity : {'blocking', 'error', 'warning', 'note'}
        'blocking' (no model can be made), or what `Finding` has: 'error', 'warning' or 'note'.
    message : str
        The value and how to mend it.
    """

    key: int
    field: str
    severity: Literal["blocking", "error", "warning", "note"]
    message: str

    @staticmethod
    def of(key: int, finding: Finding) -> Remark:
        """A finding about the model, put beside its body."""
        return Remark(key, FIELD_OF.get(finding.what, "name"), finding.severity, f"{finding.what}: {finding.message}")

    def __str__(self) -> str:
        return f"{self.severity}: {self.field}: {self.message}"
