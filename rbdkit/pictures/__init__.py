"""Software renderer: scenes as pixels without a browser, for saved notebooks, picture files and films.

`draw` renders one picture of a scene. Camera and lights are those of a new view in the browser. Surfaces are rasterised
with a depth buffer, lines as flat strokes, and edges are smoothed by supersampling.
"""

from rbdkit.pictures.draw import Look, draw
from rbdkit.pictures.eye import HOME, Eye, look_at
from rbdkit.pictures.files import gif, mp4, png
from rbdkit.pictures.motion import poses_at

__all__ = ["HOME", "Eye", "Look", "draw", "gif", "look_at", "mp4", "png", "poses_at"]
