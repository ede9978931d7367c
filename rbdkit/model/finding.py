"""A finding of `validate` about a model: an error, a warning or a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """A finding about a body, joint or frame.

    Attributes
    ----------
    severity : {'error', 'warning', 'note'}
        'error': the equations of motion have no solution or no meaning; 'warning': suspicious, but it runs; 'note':
        all is well, and this is good to know.
    where : str
        Name of the body, joint or frame.
    what : str
        The kind of finding.
    message : str
        The value and how to mend it.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("table")
    >>> leg = model.add_body("leg", joint=rbd.Revolute("y"), inertia=rbd.Inertia(-1.0, check=False))
    >>> (finding,) = model.validate()
    >>> finding.severity, finding.where, finding.what
    ('error', 'leg', 'inertia')
    """

    severity: Literal["error", "warning", "note"]
    where: str
    what: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.what}: {self.message}"
