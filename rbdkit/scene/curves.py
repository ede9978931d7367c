"""Curves plotted beside a motion: energy, coordinates and velocities, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.element_states import state_places
from rbdkit.scene import palette

if TYPE_CHECKING:
    from rbdkit.model import Model
    from rbdkit.simulation import Trajectory

BUDGET = 60_000
"""Most points of one plot that are sent; longer ones keep the lowest and highest of each short run of samples."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves over one time axis that share a unit.

    Attributes
    ----------
    name : str
        Of the plot.
    unit : str
        Of the values.
    t : ndarray (k,)
        s.
    names, colors : tuple of str
        One a curve.
    values : ndarray (curves, k)
    log : bool
        Whether the axis of the values is logarithmic.
    tip : str
        What is plotted, in a few words, where the name does not say it.
    """

    name: str
    unit: str
    t: NDArray
    names: tuple[str, ...]
    colors: tuple[str, ...]
    values: NDArray
    log: bool = False
    tip: str = ""


@dataclass(frozen=True)
class Plot:
    """A place for one plot at a time, with a tab for each. title : what the tabs have in common."""

    title: str
    tabs: tuple[Curves, ...]


def plots_of(trajectory: Trajectory) -> tuple[Plot, ...]:
    """Return plots of energy and drift, and of coordinates, velocities and element states, a tab per unit."""
    t = np.asarray(trajectory.t, dtype=float)
    energy = trajectory.energy()
    parts = {name: np.asarray(getattr(energy, name), dtype=float) for name in ("kinetic", "potential", "total")}
    colors = tuple(palette.ENERGY[name] for name in parts)
    energies = (
        curves("Energy (J)", "J", t, tuple(parts), colors, np.stack(list(parts.values()))),
        curves(
            "Drift (J)",
            "J",
            t,
            ("total - initial - work",),
            (palette.ENERGY["drift"],),
            np.asarray(trajectory.energy_error())[None],
        ),
    )
    q, v = np.asarray(trajectory.q, dtype=float), np.asarray(trajectory.v, dtype=float)
    motions = (
        *by_unit("q", t, unrolled(trajectory.model, t, q, v), *names_and_units(trajectory.model, "q")),
        *by_unit("v", t, v, *names_and_units(trajectory.model, "v")),
        *by_unit("z", t, trajectory.z, list(trajectory.z_names), list(state_places(trajectory.model).units)),
    )
    return (Plot("Energy", energies), Plot("Motion", motions)) if motions else (Plot("Energy", energies),)


def names_and_units(model: Model, of: str) -> tuple[list[str], list[str]]:
    """Return names and units of the coordinates 'q' or velocities 'v'.

    A name is 'joint', or 'joint.coordinate' for a joint that has several.
    """
    names, units = [], []
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        own = getattr(joint.type, f"{of}_names")
        names += [joint.name if len(own) == 1 else f"{joint.name}.{name}" for name in own]
        units += getattr(joint.type, f"{of}_units")
    return names, units


QUATERNION = ("qw", "qx", "qy", "qz")
"""Names of the coordinates of a quaternion, whose negative is the same rotation."""


def unrolled(model: Model, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
    """Return coordinates (k, nq) with whole turns added to angles that were recorded between -pi and pi.

    A quaternion stays on the side of the one before: where a formulation gave its negative, the same rotation, all four
    curves would jump. An angle continues with the turn that is closest to what its rate predicts: a multi-turn angle
    stays as it is, however fast; so does one that jumps by anything but whole turns.
    """
    found = np.array(q, dtype=float)
    for joint in model.joints if len(t) > 1 else ():
        own = joint.q_slice
        four = own.start + np.flatnonzero([name in QUATERNION for name in joint.type.q_names])
        if len(four) == 4 and joint.mimic is None:
            back = np.einsum("ki,ki->k", q[1:, four], q[:-1, four]) < 0.0
            found[1:, four] *= np.where(np.cumsum(back) % 2, -1.0, 1.0)[:, None]
        angles = [k for k, unit in enumerate(joint.type.q_units) if unit == "rad" and joint.mimic is None]
        if not angles:
            continue
        with np.errstate(all="ignore"):  # of motions that ran away
            rates = joint.type.rate(q[:, own], v[:, joint.v_slice])[:, angles]
            leaps = np.diff(q[:, own][:, angles], axis=0) - 0.5 * (rates[1:] + rates[:-1]) * np.diff(t)[:, None]
            turns = np.round(leaps / (2.0 * np.pi))
            whole = (np.abs(leaps - 2.0 * np.pi * turns) < 1.0) & (np.abs(turns) < 1e6)
            turns = np.where(whole, turns, 0.0)
        found[1:, np.arange(own.start, own.stop)[angles]] -= 2.0 * np.pi * np.cumsum(turns, axis=0)
    return found


def curves(
    name: str, unit: str, t: NDArray, names: tuple[str, ...], colors: tuple[str, ...], values: NDArray
) -> Curves:
    """Return curves, decimated to the budget without losing their peaks."""
    run = int(np.ceil(2 * values.size / BUDGET)) if values.size > BUDGET else 1
    if run <= 2:
        return Curves(name, unit, t, names, colors, values)
    whole = len(t) // run * run
    runs = values[:, :whole].reshape(len(values), -1, run)
    low, high = runs.argmin(axis=2), runs.argmax(axis=2)
    order = np.sort(np.stack([low, high], axis=-1), axis=-1)
    ends = np.take_along_axis(runs, order, axis=2).reshape(len(values), -1)
    times = t[:whole].reshape(-1, run)[:, [run // 4, 3 * run // 4]].ravel()
    return Curves(name, unit, np.append(times, t[-1]), names, colors, np.hstack([ends, values[:, -1:]]))


def at_all_times(series: Sequence[tuple[NDArray, NDArray]]) -> tuple[NDArray, NDArray]:
    """Resample curves, each with its own times, at the times of all: (k,) and (curves, k).

    Between its own times each is linear, as it is drawn; outside of them it is NaN.
    """
    t = np.unique(np.concatenate([times for times, _ in series]))
    return t, np.array([np.interp(t, times, values, left=np.nan, right=np.nan) for times, values in series])


def by_unit(symbol: str, t: NDArray, values: NDArray, names: list[str], units: list[str]) -> list[Curves]:
    """Return one set of curves per unit, quaternions last; colours run through the palette."""
    sets = []
    for unit in sorted(dict.fromkeys(units), key=lambda unit: unit == "1"):
        chosen = [k for k, u in enumerate(units) if u == unit]
        title = f"{symbol} (quaternion)" if unit == "1" else f"{symbol} ({unit})" if unit else symbol
        colors = tuple(palette.LINES[n % len(palette.LINES)] for n in range(len(chosen)))
        sets.append(
            curves(title, "" if unit == "1" else unit, t, tuple(names[k] for k in chosen), colors, values[:, chosen].T)
        )
    return sets
