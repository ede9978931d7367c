"""Many motions in one call: a model with different numbers, initial states or integrators."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces
from rbdkit.errors import SimulationError
from rbdkit.integrators import Adaptive, Integrator
from rbdkit.model import Model
from rbdkit.simulation.ensembles.axes import Axes, Combine, Values, axes_of
from rbdkit.simulation.ensembles.ensemble import Ensemble
from rbdkit.simulation.ensembles.family import Build, Family
from rbdkit.simulation.ensembles.outcome import Outcome
from rbdkit.simulation.ensembles.plan import chunks_of, family_of, recorded_times
from rbdkit.simulation.ensembles.pool import executor_of, own_threads, run_elsewhere, run_here
from rbdkit.simulation.ensembles.report import Failure, SweepReport
from rbdkit.simulation.forces import Torque
from rbdkit.simulation.formulated import Maker
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.simulate import SimulationWarning


def sweep(
    model: Model | Build,
    values: Values,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    duration: float = 5.0,
    dt: float = 1e-3,
    *,
    combine: Combine = "product",
    formulation: str | Maker = "joint",
    integrator: str | Integrator | Adaptive = "rk4",
    tau: Torque = None,
    f_ext: ExternalForces | Callable[[float, NDArray, NDArray], ExternalForces] = None,
    every: int = 1,
    progress: bool | Callable[[float], object] | None = None,
    backend: Literal["auto", "book"] = "auto",
    threads: int | None = None,
    executor: Any = None,
    chunk: int | None = None,
) -> Ensemble:
    """Let a model move once for every combination of given values.

    Parameters
    ----------
    model : a model; or a function that builds one, called with the values of its parameters by name.
    values : values by name, ``{"link1.mass": [1.0, 2.0], "elbow.angle": [0.0, 0.5]}``, or a list with a dictionary
        ``{name: value}`` for each member. Names are those of `Model.parameters`; 'q0' and 'v0'; single entries of the
        initial state as `Trajectory.columns` calls them; 'dt', 'integrator', 'formulation', 'tau', 'f_ext'; parameters
        of a building function.
    combine : of values by name, 'product' makes all combinations, 'zip' takes the k-th values together.
    q0, v0, duration, dt, formulation, integrator, tau, f_ext, backend : as in `rbdkit.simulate`, for all members that
        are not given their own.
    every : record every n-th step, and the last one. Where dt varies, n counts the longest steps, and shorter ones must
        divide them: so all members are recorded at the same times.
    progress : None shows a bar on sweeps longer than a second; True, False, or a function of the fraction done.
    threads : on this machine; as many as it has processors if not given.
    executor : a ``dask.distributed.Client`` or a ``concurrent.futures.Executor`` that computes instead.
    chunk : members that an executor or a thread gets at a time.

    Returns
    -------
    Ensemble
        A member is what `rbdkit.simulate` makes of the same arguments, to round-off, whatever computed it. One that
        cannot be started or runs away is listed in `failures` with its values and the reason, and is not a number in
        the arrays from there on. Ctrl+C ends the sweep and keeps what was done.

    Raises
    ------
    SimulationError, ModelError, StateError
        If a name is unknown, or no member can be started.

    Warns
    -----
    SimulationWarning
        If members failed, or their energy drifts so far that the step must be too long.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> pendulum = rbd.library.pendulum()
    >>> ensemble = rbd.sweep(pendulum, {"rod.mass": [1.0, 2.0], "hinge.angle": [0.5, 1.0, 1.5]}, duration=0.5, every=10)
    >>> ensemble.q.shape
    (2, 3, 51, 1)
    >>> float(ensemble.sel({"rod.mass": 2.0, "hinge.angle": 1.5}).q[0, 0])
    1.5
    """
    axes = axes_of(values, combine)
    options = {
        "duration": duration, "dt": dt, "formulation": formulation, "integrator": integrator, "tau": tau,
        "f_ext": f_ext, "every": every, "backend": backend,
    }  # fmt: skip
    for name, number in {"threads": threads, "chunk": chunk}.items():
        if number is not None and (not isinstance(number, int | np.integer) or number < 1):
            raise SimulationError(f"{name} = {number!r} must be a whole number, 1 or more")
    family = family_of(model, axes, q0, v0, options)
    watch = Progress(progress, f"sweep {family.reference.name}")
    with warnings.catch_warnings():  # a member's warning is said once for all, below
        warnings.simplefilter("ignore", SimulationWarning)
        if executor is None:
            workers = threads or own_threads()
            chunks = chunks_of(family, axes, workers, chunk)
            workers = min(workers, len(chunks))
            place = f"{workers} thread{'s' * (workers > 1)}"
            outcomes, interrupted = run_here(chunks, workers, watch)
        else:
            pool, workers, place = executor_of(executor)
            chunks = chunks_of(family, axes, workers, chunk)
            outcomes, interrupted = run_elsewhere(chunks, pool, watch)
    largest = max(len(part.members) for part in chunks)
    place = f"{place}, {len(chunks)} chunk{'s' * (len(chunks) > 1)} of up to {largest}"
    ensemble = _assembled(axes, family, sorted(outcomes, key=lambda o: o.number), place, watch.elapsed, interrupted)
    alarms = ensemble.report.alarms()
    if alarms:
        warnings.warn("\n".join(alarms), SimulationWarning, stacklevel=2)
    return ensemble


def _assembled(
    axes: Axes, family: Family, outcomes: list[Outcome], place: str, wall_time: float, interrupted: bool
) -> Ensemble:
    """The outcomes, in the order of their numbers, as arrays."""
    failures = tuple(
        Failure(o.number, axes.parameters(o.number), o.stopped, float(o.t[-1]) if len(o.t) else 0.0)
        for o in outcomes
        if o.stopped
    )
    interrupted = interrupted or any(o.interrupted for o in outcomes)
    if not interrupted and not any(len(o.t) for o in outcomes):
        raise SimulationError(f"none of {len(outcomes)} members can be simulated; {failures[0]}")
    t, model = recorded_times(family, axes), family.reference
    q, v = (np.full((len(outcomes), len(t), n), np.nan) for n in (model.nq, model.nv))
    rows, ends = np.zeros(len(outcomes), dtype=int), {}
    for o in outcomes:
        n = len(o.t)
        if n and abs(o.t[-1] - t[min(n, len(t)) - 1]) > 1e-9 * family.interval:
            n -= 1  # it ended between two recorded times
            ends[o.number] = float(o.t[-1]), o.q[-1], o.v[-1]
        if n:
            rows[o.number], q[o.number, :n], v[o.number, :n] = n, o.q[:n], o.v[:n]
    judged = {o.number: o.drift for o in outcomes if np.isfinite(o.drift)}
    worst = max(judged, key=judged.__getitem__, default=None)
    report = SweepReport(
        code=Counter(o.how for o in outcomes if o.how),
        place=place,
        steps=sum(o.steps for o in outcomes),
        wall_time=wall_time,
        drift=None if worst is None else judged[worst],
        worst=worst,
        failures=failures,
        interrupted=interrupted,
    )
    return Ensemble(
        axes, family, t, q.reshape(*axes.shape, *q.shape[1:]), v.reshape(*axes.shape, *v.shape[1:]), report, rows, ends
    )
