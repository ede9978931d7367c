"""One thing that `validate` has to say about a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """A finding about a body, joint or frame.

    severity : 'error' (the equations of motion have no solution or no meaning) or 'warning' (suspicious, but it runs).
    where : name of the body, joint or frame. what : the kind of finding. message : the value and how to mend it.
    """

    severity: Literal["error", "warning"]
    where: str
    what: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.what}: {self.message}"
