"""Export of anything that is drawn as one HTML file."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

from rbdkit.atomic_write import write_file
from rbdkit.errors import ArgumentError, FormatError
from rbdkit.export.drawn import drawn, require_ending
from rbdkit.export.page import page
from rbdkit.export.played import played_of
from rbdkit.export.toy import toy_of
from rbdkit.export.worked_out import worked_out_of
from rbdkit.scene.in_page import InPage, in_page
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.widgets import Panel, Play, Playground, Stage, Tweak

LONGEST = 240
"""Most letters of a page's reason for not doing something: it may quote a line of code."""


@check_arguments(ArgumentError)
def to_html(what: Any, path: str | os.PathLike[str] | None = None, *, title: str | None = None, **options: Any) -> str:
    """Save a picture as one HTML file that needs no server, no network and no Python.

    The page has the notebook's own view: orbit, player, plots, layers. That of a `tweak` has its sliders, too, and
    simulates again in the page itself with every drag, by the same compiled code as Python; that of a `play`
    goes on moving there.

    Parameters
    ----------
    what : Model, Trajectory, or a picture
        A picture is what `show`, `tweak`, `play`, `compare` or `build` returned, or a playground; the page begins as it
        stands. A playground's function is computed in the page where it traces; otherwise its pictures are made now
        and played back there, and the page says so.
    path : str or os.PathLike, optional
        Where to write the file.
    title : str, optional
        Above the picture; the model's name if not given.
    **options
        For a model or a trajectory, what `show` takes.

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    FormatError
        If this is nothing that is drawn in 3D.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> run = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=0.5)
    >>> text = rbd.to_html(run, title="Two rods")
    >>> "<h1>Two rods</h1>" in text, len(text) < 600_000
    (True, True)
    """
    require_ending(path, "to_html", ".html", ".htm")
    if isinstance(what, Playground):
        if options:
            raise FormatError(f"{next(iter(options))!r} is for models and trajectories; this picture stands as it is")
        text = _page_of_playground(what, what.panel.title if title is None else title)
    else:
        with drawn(what, options, "to_html") as stage:
            text = _page_of(stage, stage.scene.name if title is None else title)
    if path is not None:
        write_file(path, text)
    return text


def _page_of(stage: Stage, title: str) -> str:
    if isinstance(stage, Play):
        return page(stage, title, "This page simulates by itself: press play, and pull at the bodies. Drawn by rbdkit.")
    if not isinstance(stage, Tweak):
        recorded = "" if stage.tracks is None else "Recorded motion. "
        turned = "Its sliders need Python. " if any(isinstance(beside, Panel) for beside in stage.side) else ""
        return _with_toy(stage, title, f"{recorded}{turned}")
    live = in_page(stage.experiment, stage.panel.numbers, build=stage.pictured)
    if not isinstance(live, InPage):
        return _with_toy(stage, title, f"Recorded motion. Its sliders need Python: {live}. ")
    left = "".join(f"{name!r} cannot be turned here: {why}. " for name, why in live.left_out.items())
    limits = f"{live.limits[0].upper()}{live.limits[1:]}. " if live.limits else ""
    return _with_toy(stage, title, f"This page simulates by itself, in steps of equal length. {limits}{left}", live)


def _page_of_playground(playground: Playground, title: str) -> str:
    """Return a page that computes the function by itself, or plays back pictures that are made now."""
    beside = controls_data(playground)
    worked_out = worked_out_of(playground)
    if isinstance(worked_out, str):
        played, steps, note = played_of(playground)
        data: dict[str, Any] = {"played": played}
        beside["rows"] = [row | {"step": step} for row, step in zip(beside["rows"], steps, strict=True)]
        why = worked_out if len(worked_out) <= LONGEST else f"{worked_out[: LONGEST - 1]}…"
        note = f"{note}It cannot compute by itself: {why}. "
    else:
        note = "This page computes by itself. "
        data = {"worked_out": worked_out}
    if playground.stage is None:
        return page(None, title, f"{note}Drawn by rbdkit.", panel=beside, **data)
    toy = toy_of(playground.stage)
    last = f"It cannot be let go: {toy}." if isinstance(toy, str) else "The hand lets it go: then pull at its bodies."
    let_go = None if isinstance(toy, str) else toy
    return page(playground.stage, title, f"{note}{last} Drawn by rbdkit.", panel=beside, toy=let_go, **data)


def _with_toy(stage: Stage, title: str, note: str, live: InPage | None = None) -> str:
    """Return the page of a picture, whose model can be let go if it can be played."""
    toy = toy_of(stage, live)
    if isinstance(toy, str):
        return _page(stage, title, f"{note}It cannot be let go: {toy}. Drawn by rbdkit.", live, None)
    return _page(stage, title, f"{note}The hand lets it go: then pull at its bodies. Drawn by rbdkit.", live, toy)


def _page(stage: Stage, title: str, note: str, live: InPage | None, toy: dict[str, Any] | None) -> str:
    if not isinstance(stage, Tweak) or live is None:
        return page(stage, title, note, toy=toy)
    scene = live.packed(stage.pictured(stage.model)) if live.shapes else None
    return page(stage, title, note, live.data, panel_data(stage.panel, live.turned), toy, scene)


def controls_data(playground: Playground) -> dict[str, Any]:
    """Return the sliders of a playground, and what stands beside them, as a page needs them."""
    panel = playground.panel
    names = ("readout", "note", "drawing", "alone", "idle", "units", "tour", "stop")
    return panel_data(panel, list(range(len(panel.sliders)))) | {name: getattr(panel, name) for name in names}


def panel_data(panel: Panel, turned: list[int]) -> dict[str, Any]:
    """Return those sliders of a panel that a page can move, as they stand."""
    return {
        "title": panel.title, "rows": [asdict(panel.sliders[k]) for k in turned],
        "values": panel.numbers[turned].tobytes(), "asked": 0, "answered": 0, "fault": "",
        "slots": list(panel.slots), "slot": panel.slot,
    }  # fmt: skip
