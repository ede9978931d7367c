"""The page that a saved notebook keeps beside a picture: it plays a motion, or computes, without kernel and network."""

from __future__ import annotations

from rbdkit.export.html import controls_data
from rbdkit.export.page import packed_code, page
from rbdkit.export.worked_out import worked_out_of
from rbdkit.widgets import Playground, Stage

KEYS = 240
"""Number of keys of the motion; between them the view interpolates."""
MOST = 2_000_000
"""Most letters that a picture may add to a notebook, beside the code that all its pictures share."""
PLAY, TRY = "\u25b6 Play", "Try it"
"""Labels of its button."""


def kept_page(stage: Stage) -> tuple[str, str, str, str] | None:
    """Return a page as text before its code, the code, and text after it; and the label of its button.

    None where nothing moves or computes, and for meshes that would make notebooks too large.
    """
    found = _playing(stage) if stage.tracks is not None else _computing(stage)
    if found is None:
        return None
    text, word = found
    code = packed_code()
    before, after = text.split(code)
    return (before, code, after, word) if len(before) + len(after) <= MOST else None


def _playing(stage: Stage) -> tuple[str, str]:
    return page(stage, stage.scene.name, "Recorded motion. Run the cell to touch it.", keys=KEYS), PLAY


def _computing(stage: Stage) -> tuple[str, str] | None:
    """Return the page of a playground whose function the page can compute; None for others."""
    playground = stage.whole
    if not isinstance(playground, Playground):
        return None
    worked_out = worked_out_of(playground)
    if isinstance(worked_out, str):
        return None
    note = "This page computes by itself. Run the cell to change how."
    return page(stage, playground.panel.title, note, panel=controls_data(playground), worked_out=worked_out), TRY
