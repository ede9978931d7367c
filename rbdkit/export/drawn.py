"""Access to the 3D picture of anything that can be saved as a page, a picture or a film."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rbdkit.errors import FormatError
from rbdkit.model import Model
from rbdkit.simulation import Trajectory
from rbdkit.widgets import Stage, show
from rbdkit.widgets.front import in_python_only


@contextmanager
def drawn(what: Any, options: Mapping[str, Any], asked: str) -> Iterator[Stage]:
    """Yield the 3D picture of something; one that is made for a model or a trajectory is closed afterwards.

    Parameters
    ----------
    options : of `show`, for models and trajectories alone.
    asked : the function that errors name.

    Raises
    ------
    FormatError : this has no 3D picture, or is a picture already and cannot have options.
    """
    if isinstance(what, Model | Trajectory):
        with in_python_only():
            picture = show(what, **options)
        try:
            yield picture
        finally:
            picture.close()
        return
    stage = what if isinstance(what, Stage) else getattr(what, "stage", None)
    if not isinstance(stage, Stage):
        raise FormatError(
            f"{asked} saves models, trajectories and pictures of show, tweak, play, compare, build or a playground "
            f"in 3D, not {type(what).__name__}"
        )
    if options:
        raise FormatError(f"{next(iter(options))!r} is for models and trajectories; this picture stands as it is")
    yield stage


KINDS = {".avi", ".bmp", ".gif", ".htm", ".html", ".jpeg", ".jpg", ".m4v", ".mov", ".mp4", ".pdf", ".png", ".svg"}
"""Endings of file names that announce a format."""


def require_ending(path: str | os.PathLike[str] | None, function: str, *own: str) -> None:
    """Raise `FormatError` if the ending of a file name announces another format than the function writes."""
    if path is None:
        return
    start, ending = os.path.splitext(os.fspath(path))
    if ending.lower() in KINDS and ending.lower() not in own:
        raise FormatError(
            f"{function} writes {own[0][1:].upper()}, and {os.fspath(path)!r} says other: name it {start + own[0]!r}"
        )
