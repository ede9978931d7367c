"""`sweep`: simulate a model many times with different parameters, initial states or integrators."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces
from rbdkit.errors import SimulationError
from rbdkit.integrators import Adaptive, Integrator
from rbdkit.model import Model
from rbdkit.simulation.choices import Contact, Maker
from rbdkit.simulation.controls import Controls
from rbdkit.simulation.ensembles.axes import Axes, Combine, Values, axes_of
from rbdkit.simulation.ensembles.collection import Collection
from rbdkit.simulation.ensembles.crew import Crew
from rbdkit.simulation.ensembles.ensemble import Ensemble
from rbdkit.simulation.ensembles.family import Build, Family
from rbdkit.simulation.ensembles.fingerprint import digest
from rbdkit.simulation.ensembles.plan import chunk_of, family_of, recorded_times, require_room, shares_of
from rbdkit.simulation.ensembles.pool import Elsewhere, Threads, own_threads, place_of
from rbdkit.simulation.ensembles.store import Store
from rbdkit.simulation.forces import Torque
from rbdkit.simulation.interruption import end_interrupted_loop
from rbdkit.simulation.interruption import interrupted as remember_interruption
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.simulate import SimulationWarning
from rbdkit.spatial.read_numbers import shown


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
    backend: Literal["auto", "book", "checked"] = "auto",
    threads: int | None = None,
    executor: Any = None,
    chunk: int | None = None,
    store: str | PathLike[str] | None = None,
    z0: Mapping[str, ArrayLike] | ArrayLike | None = None,
    contact: Contact = None,
    limits: Literal["stop", "watch", "ignore"] | None = None,
    u: Controls = None,
    effort: Literal["watch", "clip"] = "watch",
) -> Ensemble:
    """Simulate a model once for every combination of given values.

    Parameters
    ----------
    model : Model or callable
        A model; or a function that builds one, called with the values of its parameters by name.
    values : mapping of str to sequence, or sequence of mappings
        Values by name, ``{"link1.mass": [1.0, 2.0], "elbow.angle": [0.0, 0.5]}``, or a list with a dictionary ``{name:
        value}`` for each member. Names are those of `Model.parameters`; 'q0' and 'v0'; single entries of the initial
        state as `Trajectory.columns` calls them; 'dt', 'integrator', 'formulation', 'tau', 'f_ext', 'contact',
        'limits', 'u', 'effort'; parameters of a building function.
    q0, v0, duration, dt : optional
        As in `rbdkit.simulate`, for all members whose values do not include them.
    combine : {'product', 'zip'}, optional
        For values by name: 'product' makes all combinations, 'zip' takes the k-th values together.
    formulation, integrator, tau, f_ext : optional
        As in `rbdkit.simulate`, for all members that are not given their own.
    every : int, optional
        Record every n-th step, and the last one. If dt varies, n counts the longest steps, and shorter ones must divide
        them, so that all members are recorded at the same times.
    progress : bool or callable, optional
        None shows a bar on sweeps longer than a second; True, False, or a function of the fraction done.
    backend : {'auto', 'book', 'checked'}, optional
        As in `rbdkit.simulate`.
    threads : int, optional
        Number of threads on this machine; as many as it has processors if not given.
    executor : dask.distributed.Client or concurrent.futures.Executor, optional
        Runs the members instead of threads.
    chunk : int, optional
        Number of members in a task of an executor or a thread.
    store : str or os.PathLike, optional
        Folder to which motions are written as they are computed; created if missing. The arrays of the ensemble are
        then files and may be larger than memory. The same call again computes only what is missing or damaged, so a
        sweep continues after Ctrl+C, a crash, a full disk or a lost machine. A folder with another sweep, or one of
        another version of rbdkit, is refused; so are laws that read files, of which it cannot be told whether they
        changed: read these before, into a variable.
    z0 : mapping of str to array_like, or array_like (nz,), optional
        As in `rbdkit.simulate`, for all members. A state that varies is given in `values`: 'muscle.activation'.
    contact : str or Law or bool, optional
        As in `rbdkit.simulate`, for all members whose values do not include it. Contact forces are not stored:
        ``ensemble.simulate(k).contacts`` computes them.
    limits : {'stop', 'watch', 'ignore'}, optional
        As in `rbdkit.simulate`, for all members whose values do not include it.
    u : array_like (nu,), mapping or callable, optional
        Controls of actuators as in `rbdkit.simulate`, constants or a function, for all members whose values do not
        include them. The control of one actuator that varies is a parameter: 'knee_motor.u'.
    effort : {'watch', 'clip'}, optional
        As in `rbdkit.simulate`, for all members whose values do not include it.

    Returns
    -------
    Ensemble
        Each member equals the result of `rbdkit.simulate` with the same arguments to round-off, wherever it was
        computed. A member that cannot start or runs away is listed in `failures` with its values and the reason; the
        arrays are NaN from there on. Ctrl+C ends the sweep and a loop around it, and keeps what was done. If a worker
        dies, its chunk is tried once more.

    Raises
    ------
    SimulationError, ModelError, StateError
        If a name is unknown, no member can be started, an executor is closed or has no workers, or a store cannot be
        used.

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
    end_interrupted_loop()
    axes = axes_of(values, combine)
    options: dict[str, Any] = {
        "duration": duration, "dt": dt, "formulation": formulation, "integrator": integrator, "tau": tau,
        "f_ext": f_ext, "every": every, "backend": backend,
    }  # fmt: skip
    options |= {} if z0 is None else {"z0": z0}
    if contact is not None:
        options["contact"] = contact
    if limits is not None:
        options["limits"] = limits
    options |= {} if u is None else {"u": u}
    if not (isinstance(effort, str) and effort == "watch"):
        options["effort"] = effort
    for name, number in {"threads": threads, "chunk": chunk}.items():
        if number is not None and (not isinstance(number, int | np.integer) or number < 1):
            raise SimulationError(f"{name} = {number!r} must be a whole number, 1 or more")
    if not (store is None or isinstance(store, str | PathLike)):
        raise SimulationError(f"store = {shown(store)} must be the path of a folder")
    family = family_of(model, axes, q0, v0, options)
    if store is None:
        require_room(family, axes)
    place: Elsewhere | Threads = Threads(threads or own_threads()) if executor is None else place_of(executor)
    kept = None if store is None else _store(store, family, axes)
    try:
        collection = Collection(family, axes, kept)
        shares = shares_of(family, axes, collection.missing(), place.workers, chunk)
        watch = Progress(progress, f"sweep {family.reference.name}")
        crew = Crew(place, partial(chunk_of, family, axes), collection.take, watch)
        with warnings.catch_warnings():  # a member's warning is said once for all, below
            warnings.simplefilter("ignore", SimulationWarning)
            interrupted = crew.run(shares)
        if interrupted:
            remember_interruption()
        for share, reason in crew.lost:
            collection.lose(share, reason)
        where = f"{place.name}, {_in_chunks(shares)}"
        if collection.resumed:
            where += f", {collection.resumed} members were in the store"
        if kept is not None and kept.damaged:
            where += f", {kept.damaged} in the store were damaged and computed again"
        ensemble = collection.ensemble(where, watch.elapsed, interrupted)
    finally:
        if kept is not None:
            kept.close()
    alarms = ensemble.report.alarms()
    if alarms:
        warnings.warn("\n".join(alarms), SimulationWarning, stacklevel=2)
    return ensemble


def _in_chunks(shares: list[NDArray]) -> str:
    largest = max(map(len, shares), default=0)
    return f"{len(shares)} chunk{'s' * (len(shares) != 1)} of up to {largest}"


def _store(folder: str | PathLike[str], family: Family, axes: Axes) -> Store:
    """Open the folder for a sweep, identified by digests of all its arguments."""
    # a function that builds models may read files: what it builds of them is compared, too
    built = None if isinstance(family.source, Model) else family.reference
    parts = {"model": (family.source, family.arguments, built), "values": (axes.values, axes.product)}
    parts |= {"q0": family.q0, "v0": family.v0, **family.options}
    digests = {name: digest(name, part, followed=name != "model") for name, part in parts.items()}
    digests["the version of rbdkit"] = _version()
    members, states = len(axes), len(recorded_times(family, axes))
    shapes = {"q": (members, states, family.reference.nq), "v": (members, states, family.reference.nv)}
    if family.reference.nz:
        shapes["z"] = members, states, family.reference.nz
    return Store(folder, digests, shapes)


def _version() -> str:
    return str(import_module("rbdkit").__version__)  # of the top of the house
