"""Members of a sweep whose loop over time is compiled: alike ones run together in SIMD lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.engine import Kernels, backend, kernels_for, simulate_many
from rbdkit.errors import RbdkitError, SimulationError
from rbdkit.formulations import Acting, Force, Projectable
from rbdkit.integrators import Adaptive
from rbdkit.model import Model
from rbdkit.model.closing import require_closed
from rbdkit.simulation.asking import sentence
from rbdkit.simulation.breaks import declared_breaks
from rbdkit.simulation.choices import integrator_of, law_of
from rbdkit.simulation.closed_loops import stabilised
from rbdkit.simulation.compiled import acting, blamed, recording_of, unsolved
from rbdkit.simulation.ensembles.family import Member
from rbdkit.simulation.ensembles.outcome import Outcome, refused
from rbdkit.simulation.forces import Drive, drive, external_drive
from rbdkit.simulation.joint_runs import readable_step, require_joint_method
from rbdkit.simulation.report import TOO_MUCH
from rbdkit.simulation.rounding import rounding_of_energy
from rbdkit.simulation.step_times import step_times
from rbdkit.trace import Feedback, Run, in_words

LOOKS = 33
"""Number of states of a motion at which the energy is checked."""


@dataclass(frozen=True)
class Lane:
    """A member in the form that the compiled loop takes.

    Attributes
    ----------
    kind : tuple of object
        Key that members computed together must share.
    v : ndarray (nv + nz,)
        Velocities, then states of force elements.
    conservative : bool
        Whether its energy should be constant.
    """

    model: Model
    kernels: Kernels
    q: NDArray
    v: NDArray
    times: NDArray
    method: Any
    acts: Acting
    applied: Drive
    external: Force | None
    every: int
    conservative: bool
    kind: tuple[Any, ...]


class Sorter:
    """Decides which members of a chunk can be compiled; caches what several of them have in common."""

    def __init__(self) -> None:
        self._kernels: dict[Model, Kernels | None] = {}
        self._acting: dict[tuple[Any, ...], tuple[Acting | None, Any]] = {}

    def lane(self, member: Member) -> Lane | None:
        """Return the member in compiled form, or None if its loop over time cannot be compiled.

        Raises
        ------
        RbdkitError
            If the member cannot be simulated: errors in the model, open loops, or an unsuitable integrator.
        """
        model, options = member.model, member.options
        if options["backend"] != "auto" or options["formulation"] != "joint":
            return None
        # stops at limits are constraints of another model; what is no choice is refused there
        if options.get("limits") not in (None, "watch", "ignore") or options.get("effort", "watch") != "watch":
            return None
        if model not in self._kernels:
            self._kernels[model] = _sound_kernels(model)
        kernels = self._kernels[model]
        if kernels is None or (model.contact_rules and law_of(options.get("contact")) is not None):
            return None
        method, dt = integrator_of(options["integrator"]), options["dt"]
        if model.loops or model.constraints:
            if isinstance(method, Adaptive) or kernels.rows is None or kernels.driven:
                return None
            _, method = stabilised(method, book=False)
            if method.requires is not Projectable:
                return None
            require_closed(model, member.q0, member.v0, names=("q0", "v0"))
        require_joint_method(model, method)
        times = step_times(options["duration"], dt)
        applied, external = drive(model, options["tau"], times), external_drive(model, options["f_ext"])
        if isinstance(method, Adaptive):
            tables = applied.values is not None and applied.values.ndim > 1
            method = method.for_run(times, declared_breaks(model, options["tau"], options["f_ext"]), tables)
        own = id(model) if kernels.driven else None  # each has motions of its own
        # by identity, which is enough: models, methods and forces live as long as the sweep
        key = (kernels.likeness, own, id(method), dt, id(options["tau"]), id(options["f_ext"]))
        if key not in self._acting:
            acts, _ = acting(model, kernels.on_links, method, applied, options["f_ext"], external, times)
            self._acting[key] = acts, options["tau"]  # which keeps it alive, and its identity its own
        acts, _ = self._acting[key]
        if acts is None:
            return None
        lossy = model.lossy or any(joint.type.is_driven for joint in model.joints)
        return Lane(
            model=model,
            kernels=kernels,
            q=member.q0,
            v=np.concatenate([member.v0, model.initial_z(options.get("z0"))]),
            times=times,
            method=method,
            acts=acts,
            applied=applied,
            external=external,
            every=options["every"],
            conservative=applied.zero and external is None and not lossy,
            kind=(id(method), dt, _form(acts.tau), _form(acts.f_ext)),
        )


def run_lanes(lanes: dict[int, Lane], tell: Callable[[float], object] | None) -> list[Outcome]:
    """Compute the motions of members of one kind."""
    members = list(lanes.values())
    first = members[0]
    runs = simulate_many(
        [own.kernels for own in members],
        np.array([own.q for own in members]),
        np.array([own.v for own in members]),
        first.times,
        first.method,
        _for_each([own.acts.tau for own in members]),
        None if first.acts.f_ext is None else _for_each([own.acts.f_ext for own in members]),
        first.every,
        tell,
    )
    return [_outcome(number, own, run) for (number, own), run in zip(lanes.items(), runs, strict=True)]


def _sound_kernels(model: Model) -> Kernels | None:
    """Return the kernels of a model, or None; raise SimulationError if the model has errors."""
    faults = [str(finding) for finding in model.validate() if finding.severity == "error"]
    if faults:
        raise SimulationError("; ".join(faults))
    return kernels_for(model)


def _form(acts: NDArray | Feedback | None) -> Any:
    """Return the form of a force: its shape, if it is an array, else its type."""
    return acts.shape if isinstance(acts, np.ndarray) else type(acts)


def _for_each(given: Sequence[Any]) -> Any:
    """Return the forces of all members for the compiled loop: one array if all share it, else one for each."""
    first = given[0]
    if not isinstance(first, np.ndarray):
        return given
    return first if all(own is first for own in given) else np.array([np.atleast_2d(own) for own in given])


def _outcome(number: int, own: Lane, run: Run) -> Outcome:
    step = partial(readable_step, own.method, own.model, own.applied, own.external, own.times)
    try:
        motion = unsolved(recording_of(run, own.times, own.method), run, own.times, step)
    except RbdkitError as fault:
        return refused(number, sentence(fault))
    motion = blamed(
        motion, own.times, own.model, own.applied.function, own.external, nv=own.model.nv, method=own.method
    )
    name, why = backend(own.model)
    parts = [in_words(name, why)]
    parts += [f"{run.lanes} lanes"] if run.lanes > 1 else []
    how = f"compiled loop ({', '.join(parts)})" + (f", {own.acts}" if str(own.acts) else "")
    v, z = run.v[:, : own.model.nv], run.v[:, own.model.nv :]
    drift = _drift(own, motion.t, run.q, v, z) if own.conservative and not motion.stopped else np.nan
    return Outcome(number, motion.t, run.q, v, motion.steps, how, motion.stopped, run.interrupted, drift, z)


def _drift(own: Lane, t: NDArray, q: NDArray, v: NDArray, z: NDArray) -> float:
    """Return the largest energy error at some states, relative to max. kinetic energy plus range of the potential."""
    rows = np.unique(np.linspace(0, len(q) - 1, LOOKS).astype(int))
    looked = Energy(*np.moveaxis(own.kernels.energy(q[rows], v[rows], t[rows], z[rows]), -1, 0))
    scale = float(np.max(looked.kinetic) + np.ptp(looked.potential))
    worst = float(np.max(np.abs(looked.total - looked.total[0])))
    if worst > TOO_MUCH * scale:
        poses = own.kernels.forward_kinematics(q[rows], v[rows], t[rows])[0]
        worst = 0.0 if worst < rounding_of_energy(own.model, poses, looked) else worst
    return worst / scale if scale > 0.0 else 0.0
