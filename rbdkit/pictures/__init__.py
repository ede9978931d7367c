"""Scenes as pixels, without a browser: what a saved notebook shows, and pictures and films for files.

`draw` is one picture of a scene, `film` a run of them. The eye stands where that of a new view stands, the lamps are
those of a view; surfaces are drawn with a depth buffer, lines as flat strokes, and edges are smoothed.
"""

from rbdkit.pictures.draw import Look, draw
from rbdkit.pictures.eye import HOME, Eye, look_at
from rbdkit.pictures.files import gif, mp4, png
from rbdkit.pictures.motion import poses_at

__all__ = ["HOME", "Eye", "Look", "draw", "gif", "look_at", "mp4", "png", "poses_at"]
