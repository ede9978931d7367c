"""Motions as Matplotlib figures, for a page, a report or a computer without a screen; no widget is loaded.

`plot` draws a trajectory or an ensemble. `Plot` is the figure that it returns; it displays itself in a notebook. The
other modules draw figures of one subject each: motions in directors, the six points and directions of local velocity
coordinates, and work-precision diagrams.
"""

from rbdkit.figures.ensemble import ensemble_figure
from rbdkit.figures.figure import Plot
from rbdkit.figures.motion import plot
from rbdkit.figures.projection import draw_projection, draw_section
from rbdkit.figures.work_precision import work_precision_figure

__all__ = ["Plot", "draw_projection", "draw_section", "ensemble_figure", "plot", "work_precision_figure"]
