"""Work-precision diagram, as a Matplotlib figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullFormatter

from rbdkit.figures.figure import Plot


def work_precision_figure(
    points: Mapping[str, tuple[list[float], list[float]]], colors: Sequence[str], width: float = 4.4
) -> Plot:
    """Draw the error at the end against wall time, both logarithmic, one line per method.

    points : wall times (s) and errors (rad, m) of each line, by its label. colors : one for each line. width : of the
    figure, inches. See `Comparison.work_precision`.
    """
    figure = Plot(figsize=(width, 0.5 * width), layout="constrained")
    ax = figure.subplots()
    for (label, (times, errors)), color in zip(points.items(), colors, strict=True):
        ax.loglog(times, errors, "o-", color=color, label=label, markersize=4, linewidth=1.5)
    ax.tick_params(labelsize="small")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0), numticks=8))  # more labels would overlap
    ax.xaxis.set_major_formatter(LogFormatterMathtext(labelOnlyBase=False, minor_thresholds=(np.inf, np.inf)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("wall time (s)", fontsize="small")
    ax.set_ylabel("error at the end (rad, m)", fontsize="small")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
