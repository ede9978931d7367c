"""Image and film files: PNG, GIF, and MP4 by ffmpeg."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rbdkit.errors import FormatError


def png(pixels: NDArray) -> bytes:
    """Encode pixels (height, width, 4) as PNG; the opacity is left out if all pixels are opaque."""
    buffer = io.BytesIO()
    solid = bool((pixels[..., 3] == 255).all())
    Image.fromarray(pixels[..., :3] if solid else pixels).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def gif(frames: Iterable[NDArray], path: Path, rate: float, loop: bool = True) -> None:
    """Write frames (height, width, 4) as a GIF file of `rate` frames a second; browsers show up to 50."""
    images = [Image.fromarray(pixels[..., :3]).quantize(128, dither=Image.Dither.NONE) for pixels in frames]
    ends = np.round(100.0 * np.arange(len(images) + 1) / rate).astype(int)  # a GIF counts in hundredths of a second
    options = {"loop": 0} if loop else {}
    images[0].save(
        path, "gif", save_all=True, append_images=images[1:], duration=(10 * np.diff(ends)).tolist(), **options
    )


def mp4(frames: Iterable[NDArray], path: Path, rate: float) -> None:
    """Write frames (height, width, 4), of even height and width, as an MP4 file of `rate` frames a second, by ffmpeg.

    Raises
    ------
    FormatError : ffmpeg is not installed, or fails.
    """
    program = ffmpeg()
    process: subprocess.Popen[bytes] | None = None
    try:
        for pixels in frames:
            height, width = pixels.shape[:2]
            if process is None:
                taken = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-"]
                made = ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
                process = subprocess.Popen(
                    [program, "-y", "-loglevel", "error", *taken, *made], stdin=subprocess.PIPE, stderr=subprocess.PIPE
                )
            try:
                process.stdin.write(np.ascontiguousarray(pixels[..., :3]).tobytes())  # type: ignore[union-attr]
            except BrokenPipeError:
                break  # ffmpeg has ended; its message is read below
    except BaseException:
        if process is not None:
            process.kill()
            process.communicate()
        raise
    if process is not None:
        _, said = process.communicate()
        if process.returncode:
            raise FormatError(f"ffmpeg cannot write the film: {said.decode(errors='replace').strip()[-300:]}")


def ffmpeg() -> str:
    """Return the path of the program ffmpeg.

    Raises
    ------
    FormatError : it is not installed.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise FormatError(
            "a film as MP4 needs the program ffmpeg, which is not on the path: install it (apt install ffmpeg, "
            "brew install ffmpeg, winget install ffmpeg), or save a GIF, which needs nothing"
        )
    return program
