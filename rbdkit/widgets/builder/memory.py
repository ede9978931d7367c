"""Drafts kept by name, so that a cell that is run again continues with its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbdkit.drafting import Draft, StartFrom
from rbdkit.drafting.disassemble import disassemble
from rbdkit.model import Model
from rbdkit.widgets.cell import CellRun, running_cell


class Kept(NamedTuple):
    """A draft kept by name. source : fingerprint, in full digits, of the model that it was started from."""

    draft: Draft
    source: str


_kept: dict[object, Kept] = {}
_counts: dict[CellRun, int] = {}


def remembered(model: Model | None, name: str | None) -> Draft:
    """Return the draft of that name, or of the running cell; a new one if there is none, or neither name nor cell."""
    key = _key(name)
    source = "" if model is None else _fingerprint(model)
    if key is None:
        return _new(model)
    kept = _kept.get(key)
    draft = _new(model) if kept is None else kept.draft
    if kept is not None and model is not None and kept.source != source:
        draft.do(StartFrom(disassemble(model)))
    _kept[key] = Kept(draft, source if kept is None or model is not None else kept.source)
    return draft


def _new(model: Model | None) -> Draft:
    return Draft() if model is None else Draft.from_model(model)


def _key(name: str | None) -> object:
    """Return the key of a draft: its name; or the cell, and which builder of its run it is."""
    if name is not None:
        return name
    run = running_cell()
    if run is None:
        return None
    for other in [other for other in _counts if run.replaces(other)]:
        del _counts[other]
    _counts[run] = _counts.get(run, 0) + 1
    return run.cell, _counts[run]


def _fingerprint(model: Model) -> str:
    with np.printoptions(precision=17, threshold=2**31):
        return repr(disassemble(model))
