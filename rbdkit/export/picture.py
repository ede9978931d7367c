"""Export of anything that is drawn as pictures and films, without a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.atomic_write import write_file, written_beside
from rbdkit.errors import ArgumentError, FormatError
from rbdkit.export.drawn import drawn, require_ending
from rbdkit.pictures import HOME, gif, mp4, png
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.spatial.read_numbers import number
from rbdkit.widgets import Stage
from rbdkit.widgets.pictured import pixels_of

LARGEST = 8192


@check_arguments(ArgumentError)
def to_png(
    what: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    size: tuple[int, int] = (960, 600),
    t: float | None = None,
    direction: tuple[float, float, float] = HOME,
    dark: bool = False,
    transparent: bool = False,
    **options: Any,
) -> bytes:
    """Save a picture as PNG, of any size, without a browser.

    Parameters
    ----------
    what : Model, Trajectory, or a picture
        A picture is what `show`, `tweak`, `play`, `compare` or `build` returned, or a playground with a 3D picture;
        it is drawn from where a new view looks, with the layers that are switched on.
    path : str or os.PathLike, optional
        Where to write the file.
    size : tuple of int, optional
        Width and height, px.
    t : float, optional
        Time of the motion, s; where its picture stands if not given.
    direction : tuple of float, optional
        Towards the eye from what it looks at.
    dark : bool, optional
        For a dark page.
    transparent : bool, optional
        Without the sky.
    **options
        For a model or a trajectory, what `show` takes.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    FormatError
        If this is nothing that is drawn in 3D, the size is none, or t is outside the motion.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> run = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=0.5)
    >>> rbd.to_png(run, size=(320, 200), t=0.25)[:4]
    b'\\x89PNG'
    """
    require_ending(path, "to_png", ".png")
    width, height = _checked(size)
    with drawn(what, options, "to_png") as stage:
        _check_time(stage, t)
        data = png(pixels_of(stage, width, height, t, direction=direction, dark=dark, transparent=transparent))
    if path is not None:
        write_file(path, data)
    return data


@check_arguments(ArgumentError)
def to_gif(
    what: Any,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = (480, 300),
    fps: float = 20.0,
    speed: float = 1.0,
    direction: tuple[float, float, float] = HOME,
    dark: bool = False,
    loop: bool = True,
    **options: Any,
) -> None:
    """Save a motion as an animated GIF, without a browser.

    Parameters
    ----------
    what : Trajectory, or a picture with a motion
        As of `to_png`.
    path : str or os.PathLike
        Where to write the file.
    size : tuple of int, optional
        Width and height, px.
    fps : float, optional
        Pictures a second, up to 50, which is what browsers show.
    speed : float, optional
        1 is real time.
    direction, dark : optional
        As of `to_png`.
    loop : bool, optional
        Whether it starts over at the end.
    **options
        For a trajectory, what `show` takes.

    Raises
    ------
    FormatError
        If there is no motion, or a number is none that a film can have.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import rbdkit as rbd
    >>> run = rbd.simulate(rbd.library.pendulum(), [2.0], duration=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rbd.to_gif(run, f"{folder}/swing.gif", size=(160, 100), fps=10)
    ...     pathlib.Path(f"{folder}/swing.gif").read_bytes()[:6]
    b'GIF89a'
    """
    require_ending(path, "to_gif", ".gif")
    if number(fps, "fps = {} must be a number of pictures a second".format, FormatError) > 50.0:
        raise FormatError(f"fps is {fps}; browsers show at most 50 pictures a second of a GIF: save an MP4")
    with drawn(what, options, "to_gif") as stage, written_beside(path) as new:
        gif(_frames(stage, _checked(size), fps, speed, direction, dark), new, fps, loop)


@check_arguments(ArgumentError)
def to_mp4(
    what: Any,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = (960, 600),
    fps: float = 30.0,
    speed: float = 1.0,
    direction: tuple[float, float, float] = HOME,
    dark: bool = False,
    **options: Any,
) -> None:
    """Save a motion as an MP4 film, without a browser; the program ffmpeg must be installed.

    Parameters
    ----------
    what : Trajectory, or a picture with a motion
        As of `to_png`.
    path : str or os.PathLike
        Where to write the file.
    size : tuple of int, optional
        Width and height, px, both even.
    fps : float, optional
        Pictures a second.
    speed : float, optional
        1 is real time.
    direction, dark : optional
        As of `to_png`.
    **options
        For a trajectory, what `show` takes.

    Raises
    ------
    FormatError
        If ffmpeg is not there or fails, there is no motion, or a number is none that a film can have.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.to_mp4(rbd.library.pendulum(), "still.mp4")
    Traceback (most recent call last):
    rbdkit.errors.FormatError: 'pendulum' has no motion to make a film of; simulate it first
    """
    require_ending(path, "to_mp4", ".mp4", ".m4v")
    width, height = _checked(size)
    if width % 2 or height % 2:
        raise FormatError(f"size is {size}; films of this kind have an even width and height")
    with drawn(what, options, "to_mp4") as stage, written_beside(path) as new:
        mp4(_frames(stage, (width, height), fps, speed, direction, dark), new, fps)


def _frames(
    stage: Stage, size: tuple[int, int], fps: float, speed: float, direction: tuple[float, float, float], dark: bool
) -> Iterator[NDArray]:
    """Return all pictures of a film; arguments are checked before the first one is drawn."""
    if stage.tracks is None:
        raise FormatError(f"{stage.scene.name!r} has no motion to make a film of; simulate it first")
    for name, value in (("fps", fps), ("speed", speed)):
        if not number(value, (name + " = {} must be a number").format, FormatError) > 0.0:
            raise FormatError(f"{name} is {value}; it must be a positive number")
    start, end = float(stage.tracks.t[0]), float(stage.tracks.t[-1])
    times = start + np.arange(int((end - start) * fps / speed + 1e-9) + 1) * speed / fps
    return (pixels_of(stage, *size, float(t), direction=direction, dark=dark) for t in times)


def _check_time(stage: Stage, t: float | None) -> None:
    if t is None:
        return
    if stage.tracks is None:
        raise FormatError(f"t is {t}, but {stage.scene.name!r} has no motion")
    start, end = float(stage.tracks.t[0]), float(stage.tracks.t[-1])
    if not start <= t <= end:
        raise FormatError(f"t is {t}, but the motion runs from {start:.6g} to {end:.6g} s")


def _checked(size: tuple[int, int]) -> tuple[int, int]:
    sides = size if isinstance(size, tuple | list) else ()
    if len(sides) != 2 or not all(isinstance(n, int | np.integer) and 1 <= n <= LARGEST for n in sides):
        raise FormatError(f"size is {size!r}; it must be two whole numbers, width and height in px, up to {LARGEST}")
    return int(sides[0]), int(sides[1])
