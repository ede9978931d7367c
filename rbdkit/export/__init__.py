"""Pictures that leave the notebook: one HTML file that plays and simulates, where its model compiles; pixels and films.

`to_html` makes the file from anything that is drawn; trajectories and pictures have it as a method. The view is the
notebook's own JavaScript (`rbdkit/widgets/js`) with replacements for Jupyter (`js` beside this file). `page` assembles
the file; `rbdkit.scene.in_page` decides what of a tweaked motion the page can compute by itself, `toy` gives it what a
picture needs to move on.
"""

from rbdkit.export.html import to_html
from rbdkit.export.picture import to_gif, to_mp4, to_png

__all__ = ["to_gif", "to_html", "to_mp4", "to_png"]
