"""`Ensemble`: the motions of a sweep, as arrays and as single trajectories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.errors import ArgumentError, SimulationError
from rbdkit.model import Model
from rbdkit.simulation.controls import controls_in
from rbdkit.simulation.ensembles.axes import Axes
from rbdkit.simulation.ensembles.family import Family
from rbdkit.simulation.ensembles.labelled import to_dataframe, to_dataset
from rbdkit.simulation.ensembles.names import unit_of
from rbdkit.simulation.ensembles.report import Failure, SweepReport, written
from rbdkit.simulation.ensembles.values import closest, same, show, span
from rbdkit.simulation.forces import drive, external_drive
from rbdkit.simulation.simulate import simulate
from rbdkit.simulation.step_times import step_times
from rbdkit.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    import pandas
    import xarray


class NoMember(ArgumentError, IndexError):
    """A sweep has no member of that number."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Motions of one model with different parameters, initial states or integrators, recorded at the same times.

    It behaves like an array of `Trajectory`: ``ensemble[k]``, ``ensemble[i, j]``, ``len``, ``for``.

    Attributes
    ----------
    axes : Axes
        The varied parameters: `axes.values` holds the values by name, `axes.shape` the number of members along each
        axis.
    family : Family
        The common part of the members.
    t : ndarray (n,)
        Times, s.
    q, v : ndarray (..., n, nq), (..., n, nv)
        States, with the axes first; NaN where a member has no state.
    report : SweepReport
        Report on the sweep; its lines are in ``repr``.
    rows : ndarray (members,) of int
        Number of recorded states of each member.
    ends : mapping of int to tuple
        Last state (t, q, v, z) of members that ended between two recorded times, by number.
    z : ndarray (..., n, nz)
        States of force elements, arranged like q and v.

    Examples
    --------
    How far does a pendulum swing within a quarter of a second, from three heights?

    >>> import rbdkit as rbd
    >>> ensemble = rbd.sweep(rbd.library.pendulum(), {"hinge.angle": [0.1, 1.0, 3.0]}, duration=0.25, progress=False)
    >>> len(ensemble), ensemble.shape, ensemble.q.shape
    (3, (3,), (3, 251, 1))
    >>> [float(member.q[-1, 0].round(3)) for member in ensemble]
    [0.058, 0.631, 2.93]
    >>> ensemble.parameters(2)
    {'hinge.angle': 3.0}
    """

    axes: Axes
    family: Family
    t: NDArray
    q: NDArray
    v: NDArray
    report: SweepReport
    rows: NDArray
    ends: Mapping[int, tuple[float, NDArray, NDArray, NDArray]]
    z: NDArray

    def __len__(self) -> int:
        return len(self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of members along each axis."""
        return self.axes.shape

    @property
    def model(self) -> Model:
        """The model that was varied; for a building function, the model from the first values."""
        return self.family.reference

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Members that are missing or ended early, with their parameters and the reason."""
        return self.report.failures

    # --- members ------------------------------------------------------------------------------------------------------

    def parameters(self, member: int) -> dict[str, Any]:
        """Return the values of a member, by name."""
        return self.axes.parameters(self._number(member))

    def __getitem__(self, member: int | tuple[int, ...]) -> Trajectory:
        """Return the motion of a member, by its number or by its indices along the axes.

        Raises
        ------
        IndexError
            If there is no such member.
        SimulationError
            If it has no motion; the reason is in the message.
        """
        number = self._number(member)
        if not self.rows[number]:
            failure = next(failure for failure in self.failures if failure.member == number)
            raise SimulationError(f"there is no motion of {failure}")
        own = self.family.member(self.axes.parameters(number))
        rows = slice(0, self.rows[number])
        t, (q, v, z) = self.t[rows], (self._flat(x)[number, rows] for x in (self.q, self.v, self.z))
        # it ended between two recorded times, for which the arrays have no row
        if number in self.ends:
            t, q, v, z = (np.concatenate([x, [end]]) for x, end in zip((t, q, v, z), self.ends[number]))
        applied = drive(own.model, own.options["tau"], step_times(own.options["duration"], own.options["dt"]))
        tau = None if applied.zero else np.array([applied.function(*state) for state in zip(t, q, v)])
        motion = Trajectory(own.model, t, q, v, tau, external_drive(own.model, own.options["f_ext"]), z=z)
        if (controls := controls_in(own.options["tau"])) is not None:
            object.__setattr__(motion, "_controls", controls)
        return motion

    def __iter__(self) -> Iterator[Trajectory]:
        """Iterate over the motions of all members that have one."""
        return (self[number] for number in range(len(self)) if self.rows[number])

    def sel(self, values: Mapping[str, Any] | None = None, **named: Any) -> Trajectory:
        """Return the motion of the member with the given values.

        Parameters
        ----------
        values, named
            Values by name, ``sel({"link1.mass": 2.0}, dt=1e-3)``: as many as tell the member from the others.

        Raises
        ------
        SimulationError
            If no member has these values (the closest ones are named), or more than one has.
        """
        if values is not None and not isinstance(values, Mapping):
            raise SimulationError(f"sel({show(values)}): give values by name, sel({{'link1.mass': 2.0}})")
        wanted = {**(values or {}), **named}
        for name in wanted:
            if name not in self.axes.values:
                raise SimulationError(f"{name!r} was not varied; there are {', '.join(map(repr, self.axes.values))}")
        found = np.ones(len(self), dtype=bool)
        for name, value in wanted.items():
            fitting = [same(own, value) for own in self.axes.values[name]]
            if not any(fitting):
                raise SimulationError(f"no member has {name} = {show(value)}; {closest(self.axes.values[name], value)}")
            found &= self._along(name, np.array(fitting))
        numbers = np.flatnonzero(found)
        if len(numbers) != 1:
            more = "; give more of them" if len(numbers) else ""
            raise SimulationError(f"{len(numbers)} members have {written(wanted)}{more}")
        return self[int(numbers[0])]

    def simulate(self, member: int | tuple[int, ...], **changes: Any) -> Trajectory:
        """Simulate a member again by `rbdkit.simulate`, with a report of its own, and with other options if given.

        Parameters
        ----------
        changes
            Arguments of `rbdkit.simulate` by name, for example ``every=1`` or ``dt=1e-4``.
        """
        own = self.family.member(self.axes.parameters(self._number(member)))
        return simulate(own.model, **{"q0": own.q0, "v0": own.v0, **own.options, **changes})

    # --- what follows from the motions --------------------------------------------------------------------------------

    def energy(self) -> Energy:
        """Return the kinetic, gravitational, spring, potential and total energy, each (..., n), J."""
        return self._energy

    @cached_property
    def _energy(self) -> Energy:
        names = [field.name for field in fields(Energy)]
        values = np.full((len(names), len(self), len(self.t)), np.nan)
        for number in np.flatnonzero(self.rows):
            own, rows = self[int(number)].energy(), self.rows[number]
            values[:, number, :rows] = [getattr(own, name)[:rows] for name in names]
        return Energy(*values.reshape(len(names), *self.shape, len(self.t)))

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a pandas table indexed by the values of a member and time: coordinates, velocities and energies.

        Needs the optional package pandas.
        """
        return to_dataframe(self)

    def to_xarray(self) -> xarray.Dataset:
        """Return an xarray data set over axes and time: q, v, energies, and reasons of failures; units are in attrs.

        Members of ``combine="zip"`` or of a list lie along one axis 'member', with their values as coordinates.
        ``data.q.sel(coordinate="elbow.angle").plot(hue="link1.mass")`` draws. Needs the optional package xarray.
        """
        return to_dataset(self)

    def __repr__(self) -> str:
        axes = (" x " if self.axes.product else ", ").join(
            f"{name} ({len(values)} value{'s' * (len(values) > 1)}{span(values, unit_of(self.model, name))})"
            for name, values in self.axes.values.items()
        )
        times = f"{len(self.t)} states each, t = 0 .. {self.t[-1]:.4g} s"
        head = f"<Ensemble of {self.model.name!r}: {len(self)} motions, {times}>"
        worst = None if self.report.worst is None else self.axes.parameters(self.report.worst)
        return "\n  ".join([head, axes, *self.report.lines(worst)])

    # --- places -------------------------------------------------------------------------------------------------------

    def _number(self, member: int | tuple[int, ...]) -> int:
        """Return the number of a member, from its number or its indices along the axes."""
        if isinstance(member, tuple):
            if len(member) != len(self.shape):
                raise NoMember(f"{member} has {len(member)} places; the axes are {self.shape}")
            ranged = [_in_range(k, n) for k, n in zip(member, self.shape)]
            return int(np.ravel_multi_index(ranged, self.shape))
        return _in_range(member, len(self))

    def _flat(self, array: NDArray) -> NDArray:
        return array.reshape(len(self), *array.shape[len(self.shape) :])

    def _along(self, name: str, chosen: NDArray) -> NDArray:
        """Return for each member whether its value of a name is among the chosen ones, (members,) of bool."""
        if not self.axes.product:
            return chosen
        axis = list(self.axes.values).index(name)
        return np.broadcast_to(
            np.expand_dims(chosen, [k for k in range(len(self.shape)) if k != axis]), self.shape
        ).ravel()


def _in_range(k: int, n: int) -> int:
    if not isinstance(k, int | np.integer) or not -n <= k < n:
        raise NoMember(f"member {k!r} is not in 0..{n - 1}")
    return int(k) % n
