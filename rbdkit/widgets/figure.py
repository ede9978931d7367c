"""A motion as a Matplotlib figure, for a page or a report; `show` draws the same plots with a cursor that moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rbdkit.scene.palette import ENERGY, LINES
from rbdkit.simulation import Ensemble, Trajectory

MOST_LABELS = 8
"""Lines in one diagram up to which each has its name in a legend."""


class Plot(Figure):
    """A figure that shows itself in a notebook, whether or not pyplot is there."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()

    def svg(self) -> str:
        """The figure as SVG without a background, its black ink in the colour of the text around it."""
        buffer = StringIO()
        with matplotlib.rc_context({"svg.fonttype": "none"}):
            self.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        text = buffer.getvalue()
        return text[text.index("<svg") :].replace("#000000", "currentColor")


def plot(trajectory: Trajectory | Ensemble, width: float = 8.0) -> Plot:
    """Energy, energy error and coordinates over time; of an ensemble the coordinates, a line for each member.

    Parameters
    ----------
    trajectory : Trajectory or Ensemble
        From `rbdkit.simulate` or `rbdkit.sweep`.
    width : float, optional
        Of the figure, inches.

    Returns
    -------
    Plot
        A Matplotlib figure: one diagram for the energy, one for what the integrator added to it, one for each unit
        among the coordinates.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> figure = rbd.plot(rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.5))
    >>> [diagram.get_ylabel() for diagram in figure.axes]
    ['energy (J)', 'energy error (J)', 'q (rad)']
    """
    if isinstance(trajectory, Ensemble):
        from rbdkit.widgets.ensemble_figure import ensemble_figure  # it builds on this file

        return ensemble_figure(trajectory, width)
    units = list(dict.fromkeys(unit for joint in trajectory.model.joints for unit in joint.type.q_units))
    figure = Plot(figsize=(width, 1.6 * (2 + len(units)) + 0.6), layout="constrained")
    axes = figure.subplots(2 + len(units), sharex=True, squeeze=False)[:, 0]
    energy = trajectory.energy()
    for name in ("kinetic", "potential", "total"):
        axes[0].plot(trajectory.t, getattr(energy, name), label=name, color=ENERGY[name])
    axes[1].plot(trajectory.t, trajectory.energy_error(), color=ENERGY["drift"])
    _finish(axes[0], "energy (J)")
    _finish(axes[1], "energy error (J)")
    for ax, unit in zip(axes[2:], units, strict=True):
        ax.set_prop_cycle(color=LINES)
        for joint in trajectory.model.joints:
            q = joint.coordinates(trajectory.q)
            for k, own in enumerate(joint.type.q_units):
                if own == unit:
                    label = joint.name if joint.nq == 1 else f"{joint.name} {joint.type.q_names[k]}"
                    ax.plot(trajectory.t, q[:, k], label=label)
        _finish(ax, "quaternion" if unit == "1" else f"q ({unit})")
    axes[-1].set_xlabel("t (s)")
    axes[-1].set_xlim(trajectory.t[0], max(trajectory.t[-1], trajectory.t[0] + 1e-12))
    return figure


def _finish(ax: Axes, label: str) -> None:
    ax.set_ylabel(label)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    if 1 < len(ax.lines) <= MOST_LABELS:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")


def work_precision_figure(
    points: Mapping[str, tuple[list[float], list[float]]], colors: Sequence[str], width: float = 4.4
) -> Plot:
    """Error at the end against wall time, logarithmic, one line a contender; see `Comparison.work_precision`."""
    figure = Plot(figsize=(width, 0.5 * width), layout="constrained")
    ax = figure.subplots()
    for (label, (times, errors)), color in zip(points.items(), colors, strict=True):
        ax.loglog(times, errors, "o-", color=color, label=label, markersize=4, linewidth=1.5)
    ax.tick_params(labelsize="small")
    ax.set_xlabel("wall time (s)", fontsize="small")
    ax.set_ylabel("error at the end (rad, m)", fontsize="small")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
