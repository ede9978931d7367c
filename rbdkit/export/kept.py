"""What a saved notebook keeps of a motion: a page that plays, without kernel and network."""

from __future__ import annotations

from rbdkit.export.page import packed_code, page
from rbdkit.widgets import Stage

KEYS = 240
"""Of the motion; between them the view moves bodies smoothly."""
MOST = 2_000_000
"""Letters that a picture may add to a notebook, beside the code that all its pictures share."""


def kept_page(stage: Stage) -> tuple[str, str, str] | None:
    """A page as three pieces, of which the one in the middle is the code and the same for all pages.

    None where nothing moves, and for meshes that would make notebooks too large.
    """
    if stage.tracks is None:
        return None
    code = packed_code()
    text = page(stage, stage.scene.name, "Recorded motion. Run the cell to touch it.", keys=KEYS)
    before, after = text.split(code)
    return (before, code, after) if len(before) + len(after) <= MOST else None
