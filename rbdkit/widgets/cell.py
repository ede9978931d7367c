"""The running notebook cell, and the cleanup of its earlier output when it is run again."""

from __future__ import annotations

import sys
from typing import ClassVar, NamedTuple
from weakref import WeakSet


class CellRun(NamedTuple):
    """One run of a cell: the cell's identity, which it keeps, and the run's, which is new each time."""

    cell: str
    run: str

    def replaces(self, other: CellRun | None) -> bool:
        """Whether this is a later run of the same cell."""
        return other is not None and self.cell == other.cell and self.run != other.run


def running_cell() -> CellRun | None:
    """Return the current run of a cell; None outside a notebook, in a callback, or if the front end does not tell."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "get_parent"):
        return None
    request = shell.get_parent()
    cell = request.get("metadata", {}).get("cellId")
    run = request.get("header", {}).get("msg_id")
    return CellRun(cell, run) if cell and run else None


class OfCell:
    """Base of what a cell shows: it is closed when the cell is run again, as the new run brings its own."""

    _open: ClassVar[WeakSet[OfCell]] = WeakSet()
    _run: CellRun | None = None

    def close(self) -> None:
        """Close all that was shown."""
        raise NotImplementedError(f"{type(self).__name__} must say how it is closed")

    def _stay_with_cell(self) -> None:
        """Register with the running cell, and close what earlier runs of it showed, which no page shows any more."""
        self._run = running_cell()
        for other in list(OfCell._open):
            if self._run is not None and self._run.replaces(other._run):
                other.close()
        OfCell._open.add(self)
