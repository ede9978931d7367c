"""A motion as a Matplotlib figure, for a page or a report; `show` draws the same plots with a cursor that moves."""

from __future__ import annotations

from matplotlib.axes import Axes

from rbdkit.figures.ensemble import ensemble_figure
from rbdkit.figures.figure import Plot
from rbdkit.model.element_states import state_places
from rbdkit.scene.palette import ENERGY, LINES
from rbdkit.simulation import Ensemble, Trajectory

MOST_LABELS = 8
"""Lines in one diagram up to which each has its name in a legend."""


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
        return ensemble_figure(trajectory, width)
    units = list(dict.fromkeys(unit for joint in trajectory.model.joints for unit in joint.type.q_units))
    z_units = state_places(trajectory.model).units
    diagrams = 2 + len(units) + len(dict.fromkeys(z_units))
    figure = Plot(figsize=(width, 1.6 * diagrams + 0.6), layout="constrained")
    axes = figure.subplots(diagrams, sharex=True, squeeze=False)[:, 0]
    energy = trajectory.energy()
    for name in ("kinetic", "potential", "total"):
        axes[0].plot(trajectory.t, getattr(energy, name), label=name, color=ENERGY[name])
    axes[1].plot(trajectory.t, trajectory.energy_error(), color=ENERGY["drift"])
    _finish(axes[0], "energy (J)")
    _finish(axes[1], "energy error (J)")
    for ax, unit in zip(axes[2 + len(units) :], dict.fromkeys(z_units), strict=True):
        ax.set_prop_cycle(color=LINES)
        for name, own, z in zip(trajectory.z_names, z_units, trajectory.z.T, strict=True):
            if own == unit:
                ax.plot(trajectory.t, z, label=name)
        _finish(ax, f"z ({unit})" if unit else "z")
    for ax, unit in zip(axes[2 : 2 + len(units)], units, strict=True):
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
