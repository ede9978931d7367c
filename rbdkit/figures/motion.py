"""A motion as a Matplotlib figure, for a page or a report; `show` draws the same plots with a moving time cursor."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import NDArray

from rbdkit.errors import ArgumentError
from rbdkit.figures.ensemble import ensemble_figure
from rbdkit.figures.figure import Plot
from rbdkit.model.element_states import state_places
from rbdkit.model.numbering import did_you_mean
from rbdkit.scene.palette import ENERGY, LINES
from rbdkit.simulation import Ensemble, Trajectory
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.spatial.read_numbers import shown

QUANTITIES = ("energy", "energy error", "q", "v", "tau", "z", "u")
USUAL = ("energy", "energy error", "q", "z")
"""Quantities that are drawn by default, as far as the motion has them."""
MIN_WIDTH, MAX_WIDTH = 1.0, 100.0
"""Limits of the width, inches; beyond them Matplotlib fails with an error about pixels."""
Diagram = tuple[str, list[tuple[str, NDArray, str]]]
"""Label of the y axis, and lines, each with name, values and colour ('' for the next one of the palette)."""

MOST_LABELS = 8
"""Largest number of lines that a diagram has a legend for."""


@check_arguments(ArgumentError)
def plot(trajectory: Trajectory | Ensemble, *quantities: str, width: float = 8.0) -> Plot:
    """Plot energy, energy error and coordinates over time, or chosen quantities; of an ensemble, one line per member.

    Parameters
    ----------
    trajectory : Trajectory or Ensemble
        Result of `rbdkit.simulate` or `rbdkit.sweep`.
    *quantities : str
        Quantities to draw, in the order given: 'energy', 'energy error', 'q' (coordinates), 'v' (velocities), 'tau'
        (applied joint forces), 'z' (states of force elements) and 'u' (controls of actuators); by default all but 'v',
        'tau' and 'u'. For an ensemble 'q' or 'v'.
    width : float, optional
        Width of the figure, inches.

    Returns
    -------
    Plot
        A Matplotlib figure with one diagram for each quantity and each unit among its numbers.

    Raises
    ------
    ArgumentError
        If `trajectory` is no motion, a quantity is unknown, or the motion has none of the quantities named.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> swing = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.5)
    >>> [diagram.get_ylabel() for diagram in rbd.plot(swing).axes]
    ['energy (J)', 'energy error (J)', 'q (rad)']
    >>> [diagram.get_ylabel() for diagram in rbd.plot(swing, "q", "v").axes]
    ['q (rad)', 'v (rad/s)']
    """
    for quantity in quantities:
        if not isinstance(quantity, str) or quantity not in QUANTITIES:
            hint = did_you_mean(quantity, QUANTITIES) if isinstance(quantity, str) else ", but a number; write width="
            raise ArgumentError(f"plot: {shown(quantity)} is no quantity{hint}")
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise ArgumentError(f"plot: width = {width:g} must be from {MIN_WIDTH} to {MAX_WIDTH} inches")
    if isinstance(trajectory, Ensemble):
        if len(quantities) > 1 or (quantities and quantities[0] not in ("q", "v")):
            raise ArgumentError(
                f"plot: of an ensemble 'q' or 'v' is drawn, not {', '.join(quantities)}; for the rest plot one member, "
                "ensemble[0]"
            )
        return ensemble_figure(trajectory, width, *quantities)
    diagrams = [diagram for quantity in quantities or USUAL for diagram in _diagrams(trajectory, quantity)]
    if not diagrams:
        raise ArgumentError(f"plot: model {trajectory.model.name!r} has no {' and no '.join(quantities)}")
    figure = Plot(figsize=(width, 1.6 * len(diagrams) + 0.6), layout="constrained")
    axes = figure.subplots(len(diagrams), sharex=True, squeeze=False)[:, 0]
    for ax, (label, lines) in zip(axes, diagrams, strict=True):
        ax.set_prop_cycle(color=LINES)
        for name, values, color in lines:
            ax.plot(trajectory.t, values, label=name, **({"color": color} if color else {}))
        _finish(ax, label)
    axes[-1].set_xlabel("t (s)")
    axes[-1].set_xlim(trajectory.t[0], max(trajectory.t[-1], trajectory.t[0] + 1e-12))
    return figure


def _diagrams(trajectory: Trajectory, quantity: str) -> list[Diagram]:
    """Return the diagrams of one quantity, one for each unit; none if the motion has no such numbers."""
    if quantity == "energy":
        energy = trajectory.energy()
        return [("energy (J)", [(k, getattr(energy, k), ENERGY[k]) for k in ("kinetic", "potential", "total")])]
    if quantity == "energy error":
        return [("energy error (J)", [("", trajectory.energy_error(), ENERGY["drift"])])]
    if quantity == "z":
        names, units = trajectory.z_names, state_places(trajectory.model).units
        return _by_unit("z", list(zip(names, trajectory.z.T, units, strict=True)))
    if quantity == "u":
        return _by_unit("u", [(name, u, "") for name, u in zip(trajectory.model.u_names, trajectory.u.T, strict=True)])
    if quantity == "tau" and trajectory.tau is None:
        raise ArgumentError("plot: no joint forces were applied in this motion, so there is no tau")
    lines = []
    for joint in trajectory.model.joints:
        own = joint.type.q_names if quantity == "q" else joint.type.v_names
        units = joint.type.q_units if quantity == "q" else joint.type.v_units
        if quantity == "tau":
            if joint.mimic is not None:
                continue  # a mimic joint's force is counted with its master's
            units = tuple("N m" if unit == "rad/s" else "N" for unit in units)
            values = trajectory.tau[:, joint.v_slice]  # type: ignore[index]
        else:
            values = joint.coordinates(trajectory.q) if quantity == "q" else joint.velocities(trajectory.v)
        labels = [joint.name] if len(own) == 1 else [f"{joint.name} {name}" for name in own]
        lines += list(zip(labels, values.T, units, strict=True))
    return _by_unit(quantity, lines)


def _by_unit(symbol: str, lines: list[tuple[str, NDArray, str]]) -> list[Diagram]:
    return [
        (
            "quaternion" if (symbol, unit) == ("q", "1") else f"{symbol} ({unit})" if unit else symbol,
            [(name, values, "") for name, values, own in lines if own == unit],
        )
        for unit in dict.fromkeys(own for _, _, own in lines)
    ]


def _finish(ax: Axes, label: str) -> None:
    ax.set_ylabel(label)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    if 1 < len(ax.lines) <= MOST_LABELS:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")
