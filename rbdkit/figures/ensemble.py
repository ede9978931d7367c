"""The motions of a sweep as a Matplotlib figure."""

from __future__ import annotations

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from rbdkit.figures.figure import Plot
from rbdkit.simulation import Ensemble
from rbdkit.simulation.ensembles.names import state_names, state_units, unit_of

MOST_DIAGRAMS = 8
"""Largest number of coordinates that are drawn, the first ones."""
COLORS = "viridis"


def ensemble_figure(ensemble: Ensemble, width: float = 8.0, quantity: str = "q") -> Plot:
    """Draw each coordinate, or velocity, over time, with a line for each member of an ensemble.

    Lines are coloured by the value of the first parameter that was varied if it is a number, else by member.

    Parameters
    ----------
    ensemble : Ensemble
        Result of `rbdkit.sweep`; the first `MOST_DIAGRAMS` of its coordinates are drawn.
    width : float, optional
        Width of the figure, inches.
    quantity : str, optional
        'q' or 'v'.
    """
    which = ("q", "v").index(quantity)
    names, units = state_names(ensemble.model)[which][:MOST_DIAGRAMS], state_units(ensemble.model)[which]
    first, values = next(iter(ensemble.axes.values.items()))
    label, own = f"{first} ({unit_of(ensemble.model, first)})".removesuffix(" ()"), np.arange(len(ensemble))
    if all(isinstance(value, int | float | np.number) for value in values):
        own = np.array([ensemble.parameters(member)[first] for member in range(len(ensemble))])
    else:
        label = "member"
    colors = ScalarMappable(Normalize(own.min(), own.max()), COLORS)
    figure = Plot(figsize=(width, 1.7 * len(names) + 0.6), layout="constrained")
    axes = figure.subplots(len(names), sharex=True, squeeze=False)[:, 0]
    values_of = getattr(ensemble, quantity).reshape(len(ensemble), len(ensemble.t), -1)
    for k, (ax, name) in enumerate(zip(axes, names)):
        for member in range(len(ensemble)):
            ax.plot(ensemble.t, values_of[member, :, k], color=colors.to_rgba(own[member]), linewidth=1.0)
        ax.set_ylabel(name if units[k] == "1" else f"{name} ({units[k]})")
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("t (s)")
    axes[-1].set_xlim(ensemble.t[0], ensemble.t[-1])
    figure.colorbar(colors, ax=axes.tolist(), label=label)
    return figure
