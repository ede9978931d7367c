"""A draft, a model under construction, which may be incomplete or invalid, with unlimited undo and redo."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from rbdkit.drafting.assemble import Assembly, assemble, error_of
from rbdkit.drafting.code import code
from rbdkit.drafting.disassemble import disassemble
from rbdkit.drafting.operation import Operation
from rbdkit.drafting.remark import Remark
from rbdkit.drafting.sheet import GROUND, Sheet
from rbdkit.errors import ModelError
from rbdkit.formats import load, save, to_json, to_urdf
from rbdkit.model import Model


class Draft:
    """A drawing board for a model: every step is an `Operation`, can be undone, and never spoils what was there.

    Parameters
    ----------
    name : str, optional
        Of the model. `from_model` and `load` start from one that is there.

    Attributes
    ----------
    sheet : Sheet
        What is on the board now; immutable.
    operations : tuple of Operation
        The steps that led to it, the last one last.

    Examples
    --------
    >>> from rbdkit.drafting import AddBody, Draft, Rename
    >>> draft = Draft("pendulum")
    >>> rod = draft.do(AddBody())
    >>> _ = draft.do(Rename(rod, "rod"))
    >>> draft.model().nv, draft.findings()
    (1, ())
    >>> draft.undo()
    >>> draft.sheet.part(rod).name
    'body1'
    """

    def __init__(self, name: str = "model") -> None:
        self._start(Sheet(name))

    def _start(self, sheet: Sheet) -> None:
        self._sheets = [sheet]
        self._steps: list[Operation] = []
        self._at = 0
        self._assembled: tuple[Sheet, Assembly] | None = None
        self._last: Model | None = None

    @classmethod
    def from_model(cls, model: Model) -> Draft:
        """Make a draft that starts from a model, of the library for example; the model is unchanged."""
        draft = cls()
        draft._start(disassemble(model))
        return draft

    @classmethod
    def load(cls, source: str | bytes | os.PathLike[str] | IO[Any]) -> Draft:
        """Make a draft from a file or text, URDF or JSON; errors and warnings are those of `rbdkit.load`."""
        return cls.from_model(load(source))

    # --- steps --------------------------------------------------------------------------------------------------------

    @property
    def sheet(self) -> Sheet:
        """The present state of the draft."""
        return self._sheets[self._at]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The steps that led to the present sheet."""
        return tuple(self._steps[: self._at])

    @property
    def undone(self) -> tuple[Operation, ...]:
        """The steps that `redo` would take, the next one first."""
        return tuple(self._steps[self._at :])

    def do(self, operation: Operation, join: bool = False) -> int:
        """Take a step; steps that were undone can no longer be redone.

        Parameters
        ----------
        operation : Operation
            The step.
        join : bool, optional
            Make one step of this and the last one if they set the same thing, as while a slider is dragged.

        Returns
        -------
        int
            The key of the item that was added or changed; `GROUND` if the step concerns the model.

        Raises
        ------
        ModelError
            If the step is invalid; the draft is then unchanged.
        """
        last = self._steps[self._at - 1] if self._at else None
        together = join and last is not None and last.subject is not None and last.subject == operation.subject
        at = self._at - 1 if together else self._at
        before = self._sheets[at]
        after = operation.apply(before)
        self._sheets[at + 1 :] = [after]
        self._steps[at:] = [operation]
        self._at = at + 1
        return before.next_key if after.next_key == before.next_key + 1 else getattr(operation, "key", GROUND)

    def undo(self) -> None:
        """Go one step back; raises `ModelError` at the start."""
        if not self._at:
            raise ModelError("there is nothing to undo; the draft is as it began")
        self._at -= 1

    def redo(self) -> None:
        """Repeat the step that was undone last; raises `ModelError` if there is none."""
        if self._at == len(self._steps):
            raise ModelError("there is nothing to redo; no step was undone since the last one")
        self._at += 1

    # --- results ------------------------------------------------------------------------------------------------------

    @property
    def assembly(self) -> Assembly:
        """The model of the sheet (None if it cannot be made), its findings, and the bodies by key."""
        if self._assembled is None or self._assembled[0] is not self.sheet:
            self._assembled = self.sheet, assemble(self.sheet)
            self._last = self._assembled[1].model or self._last
        return self._assembled[1]

    def findings(self, key: int | None = None) -> tuple[Remark, ...]:
        """Return the findings about the draft: what prevents a model from being made, then those of `Model.validate`.

        Parameters
        ----------
        key : int, optional
            Key of one body, loop joint or frame; all of them if not given.
        """
        return tuple(remark for remark in self.assembly.remarks if key is None or remark.key == key)

    def model(self) -> Model:
        """Return the model of the present sheet; raises `ModelError` with all findings if it cannot be made."""
        model, remarks, _ = self.assembly
        if model is None:
            raise error_of(self.sheet, remarks)
        return model

    @property
    def last_model(self) -> Model | None:
        """The last model that could be made, to be shown while the draft is invalid."""
        return self.assembly.model or self._last

    def code(self) -> str:
        """Python that builds exactly this model; raises `ModelError` as `model` does, and for prescribed joints."""
        return code(self.model(), self.sheet)

    def to_json(self) -> str:
        """The model in JSON, all of it; raises `ModelError` as `model` does, and `FormatError`."""
        return to_json(self.model())

    def to_urdf(self) -> str:
        """The model in URDF; raises `ModelError` as `model` does, and `FormatError` for what URDF cannot say."""
        return to_urdf(self.model())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file whose name ends in .json or .urdf; raises as `to_json` and `to_urdf`."""
        save(self.model(), Path(path))

    def __repr__(self) -> str:
        count, blocked = len(self.sheet.parts), self.assembly.model is None
        state = "cannot be made yet" if blocked else f"{len(self.findings())} findings"
        return f"<Draft {self.sheet.name!r}: {count} bodies, {state}, {self._at} steps to undo>"
