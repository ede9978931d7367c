"""`simulate`: run a model from an initial state and record its motion.

The steps are: check the arguments; choose the path (contact law, formulation, or joint coordinates); run its compiled
loop, or step from Python; assess the motion and attach the report. A frozen copy of the model is simulated, so that
later changes of the model do not reach the trajectory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from reprlib import repr as shortened
from traceback import format_exception
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces
from rbdkit.engine import backend as engine_backend
from rbdkit.engine import kernels_for
from rbdkit.errors import SimulationError, StateError
from rbdkit.formulations import Force, JointSystem, Lagrangian, System
from rbdkit.integrators import INTEGRATORS, Adaptive, FromStep, Integrator, OneStep, State
from rbdkit.integrators.adaptive import SOLVERS
from rbdkit.laws import ContactReport, Law, Pairs, pairs_of, stops_of
from rbdkit.model import Model
from rbdkit.model.closing import length_of, require_closed
from rbdkit.model.idle import require_inertia_at
from rbdkit.model.kept import checked_twin, moved, snapshot
from rbdkit.model.measures import speed_of
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.one_sided import has_stops, without_stops
from rbdkit.simulation.adequacy import InCode
from rbdkit.simulation.assessment import judge, unjudged
from rbdkit.simulation.breaks import declared_breaks
from rbdkit.simulation.closed_loops import stabilised
from rbdkit.simulation.compiled import JointSteps, acting, blamed, record_compiled
from rbdkit.simulation.contacts import Contact, law_of, run_law, stepped_by, without_contacts
from rbdkit.simulation.finer import Finer
from rbdkit.simulation.forces import Drive, Torque, drive, external_drive
from rbdkit.simulation.formulated import Maker, StateForces, adaptive_samples, check_pair, maker_of, run_formulation
from rbdkit.simulation.interruption import end_interrupted_loop, interrupted
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import FARTHEST, Recording, Sample, record
from rbdkit.simulation.room import require_room
from rbdkit.simulation.step_times import step_times
from rbdkit.simulation.traced_forces import unless_changed_by
from rbdkit.simulation.trajectory import Trajectory, forces_at
from rbdkit.trace import checked, in_words

if TYPE_CHECKING:
    from rbdkit.library.mueller_terze import Start

START = ("model", "q", "v")
"""Fields of a `Start` of `rbdkit.library`, by which it is recognised without importing the library."""

NEEDED = ("name", "order", "requires", "init", "step")
"""Attributes that an integrator must have."""


class SimulationWarning(UserWarning):
    """A simulation ended early, or its motion is doubtful; the trajectory's repr says more.

    Examples
    --------
    >>> import warnings
    >>> import rbdkit as rbd
    >>> from rbdkit.simulation import SimulationWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", SimulationWarning)
    ...     try:
    ...         rbd.simulate(rbd.library.pendulum(), [3.0], dt=0.1, integrator="explicit_euler")
    ...     except SimulationWarning as warning:
    ...         print(str(warning).splitlines()[0])
    STEP TOO LONG: joint 'hinge' has a motion with rate 3.2 1/s, ...
    """


def simulate(
    model: Model | Start,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    duration: float = 5.0,
    dt: float = 1e-3,
    *,
    formulation: str | Maker = "joint",
    integrator: str | Integrator | Adaptive = "rk4",
    tau: Torque = None,
    f_ext: ExternalForces | Callable[[float, NDArray, NDArray], ExternalForces] = None,
    every: int = 1,
    progress: bool | Callable[[float], object] | None = None,
    backend: Literal["auto", "book", "checked"] = "auto",
    z0: Mapping[str, ArrayLike] | ArrayLike | None = None,
    contact: Contact = None,
) -> Trajectory:
    """Simulate the motion of a model.

    Parameters
    ----------
    model : Model or Start
        Rigid bodies and joints, with or without loops; or a model with its initial state from `rbdkit.library`, which
        q0 and v0 override. Loops stay closed: in joint coordinates every step ends with a projection; with an adaptive
        integrator Baumgarte stabilisation keeps them closed. The report says which, and the largest closure error.
    q0, v0 : array_like (nq,), (nv,), optional
        Initial coordinates and velocities, SI units and radians; neutral and at rest if not given.
    duration : float, optional
        Length of the motion, s.
    dt : float, optional
        Length of a step, s; for adaptive integrators the recording interval, and the longest step unless ``max_step``
        of `rbdkit.integrators.Adaptive` is given. The last step may be shorter.
    formulation : str or callable, optional
        'joint', joint coordinates, or another name of `rbdkit.formulations.FORMULATIONS`; or a class from there, or a
        function of (model, tau, f_ext) that returns a formulation with other options.
    integrator : str or Integrator, optional
        'rk4', 'symplectic_euler' or another name of `rbdkit.integrators.INTEGRATORS`; adaptive: 'dop853', 'rk45',
        'rk23', and for stiff systems 'radau', 'lsoda'; or an object from `rbdkit.integrators`.
    tau : array_like or callable, optional
        Applied joint forces, N m or N: (nv,) constant, (steps, nv) held over each step, (steps + 1, nv) sampled, or a
        function of (t, q, v), which is compiled if it can be (see `traced`, `untraced`), also where it calls `rnea`,
        `jacobian` and their like, of this model or another. Springs and dampers of the joints act in addition. A
        function with jumps or kinks at known times declares them, ``law.breaks = [0.3, 0.31]``: adaptive integrators
        then end a step at each, as at the times of tables. So can `f_ext`, motions of `Prescribed` joints, and force
        elements.
    f_ext : mapping of str to array_like (6,), array_like (bodies, 6) or callable, optional
        External forces in world coordinates (see `wrench`), or a function of (t, q, v) that returns them.
    every : int, optional
        Record every n-th step, and the last one.
    progress : bool or callable, optional
        None shows a bar on runs longer than a second; True, False, or a function of the fraction done.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' runs compiled code where possible, and the report says so; 'book' the readable form; 'checked' compiled
        code that checks every index and number, some 2,000 times slower: see `rbdkit.errors.CheckError`.
    z0 : mapping of str to array_like, or array_like (nz,), optional
        Initial states of force elements, ``{"muscle.activation": 0.2}``; the elements' own defaults if not given. See
        `ForceElement`.
    contact : str or Law or bool, optional
        Contact law: 'time_stepping', the default, or another name of `rbdkit.laws.LAWS`, or an object from
        `rbdkit.laws`; 'none' or False lets bodies pass through each other. Laws with their own steps do not use
        `integrator`, except that 'time_stepping' treats springs and force elements implicitly with
        'linearly_implicit_euler'. The law also enforces unilateral constraints, `Limit` and `TautString`; 'compliant'
        refuses them. Without contacts and unilateral constraints it has no effect.

    Returns
    -------
    Trajectory
        In formulations other than 'joint', and with loops or constraints, a `Motion`, which also has the formulation's
        own states and invariants.
        Its ``repr`` is a report: energy drift, whether the step was short enough, whether constraints hold, limits
        exceeded. If the state becomes infinite, a user function raises an exception after the first step, or the run is
        interrupted, it holds what was computed until then, and `report.stopped` says why; `report.traceback` is that of
        the exception. An interruption while the report is made leaves the motion complete.

    Raises
    ------
    StateError, SimulationError, ModelError
        If an argument has the wrong shape, is off its manifold, opens a loop of the model, or does not fit into memory;
        if the model has errors that make its motion meaningless; if tau or f_ext change their arguments; or if the
        first step cannot be made.
    ConvergenceError
        If the equations of the first step cannot be solved, or an adaptive integrator does not reach the end of the
        first recording interval within its limit of steps (10,000; see `rbdkit.integrators.Adaptive`). Later in a run
        either ends it early.
    KeyboardInterrupt
        If an earlier run of the same ``for`` loop, ``while`` loop or comprehension was interrupted: that run returned
        its motion, this one ends the loop.

    Warns
    -----
    SimulationWarning
        If the run ended early, its step is too long, energy is not conserved, constraints are violated, or a force acts
        for so short a time that steps may miss it.

    Examples
    --------
    A stone thrown upward with 5 m/s is back after a second, as fast as it left:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("stone", gravity=(0, 0, -10))
    >>> stone = model.add_body("stone", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(0.2))
    >>> trajectory = rbd.simulate(model, [0.0], [5.0], duration=1.0, dt=0.01)
    >>> float(trajectory.q[50, 0].round(9)), float(trajectory.v[-1, 0].round(9))
    (1.25, -5.0)

    Computed torque: the error obeys ``e'' + 20 e' + 100 e = 0``, so e is 0.1 (1 + 10 t) exp(-10 t):

    >>> arm = rbd.library.double_pendulum()
    >>> law = lambda t, q, v: rbd.rnea(arm, q, v, -20.0 * v - 100.0 * (q - 0.3))
    >>> motion = rbd.simulate(arm, [0.4, 0.4], duration=1.0, tau=law)
    >>> (motion.q[[300, 1000], 1] - 0.3).round(6).tolist(), motion.report.backend
    ([0.019915, 5e-05], 'compiled loop (LLVM), tau traced')

    A pendulum in maximal coordinates, with its joint as a constraint, and the constraint error:

    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.5, formulation="se3")
    >>> bool(motion.report.constraint_error < 1e-12)
    True
    """
    end_interrupted_loop()
    if getattr(model, "_fields", None) == START:  # `rbdkit.library` stands on a floor above
        model, q, v = cast("Start", model)
        q0, v0 = q if q0 is None else q0, v if v0 is None else v0
    if not isinstance(model, Model):
        raise SimulationError(f"simulate moves a Model, not {shortened(model)}")
    if not isinstance(backend, str) or backend not in ("auto", "book", "checked"):
        raise SimulationError(f"backend {backend!r} is unknown; there are 'auto' and 'book', and 'checked'")
    if backend == "checked":
        with checked():
            return simulate(
                checked_twin(model), q0, v0, duration, dt, formulation=formulation, integrator=integrator, tau=tau,
                f_ext=f_ext, every=every, progress=progress, z0=z0, contact=contact,
            )  # fmt: skip
    model = snapshot(model, anew=True)  # whatever becomes of it later
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise SimulationError(f"progress = {shortened(progress)} must be None, True, False or a function")
    make = maker_of(formulation)
    findings = [finding for finding in model.validate() if finding.severity != "note"]
    faults = [str(finding) for finding in findings if finding.severity == "error"]
    if faults:
        raise SimulationError("the model cannot be simulated:\n  " + "\n  ".join(faults))
    q = model.check_q(model.neutral() if q0 is None else q0, "q0").astype(float)
    v = model.check_v(np.zeros(model.nv) if v0 is None else v0, "v0").astype(float)
    if q.ndim > 1 or v.ndim > 1:
        raise SimulationError(f"simulate runs one motion; q0 has shape {q.shape} and v0 {v.shape}")
    z = model.initial_z(z0)
    _require_reach(model, q, v)
    require_inertia_at(model, q)
    law, pairs = law_of(contact), pairs_of(model)
    off = 0 if pairs is None or law is not None else len(pairs.names)
    if not isinstance(every, int | np.integer) or every < 1:
        raise SimulationError(f"every = {every!r} must be a whole number of steps, 1 or more")
    method = integrator_of(integrator)
    times = step_times(duration, dt)
    tau, f_ext = unless_changed_by(progress, tau), unless_changed_by(progress, f_ext)
    applied, external = drive(model, tau, times), external_drive(model, f_ext)
    watch = Progress(progress, f"simulate {model.name}")
    chosen = method
    breaks = declared_breaks(model, tau, f_ext)
    if isinstance(method, Adaptive):
        tables = applied.values is not None and applied.values.ndim > 1
        method = method.for_run(times, breaks, tables)
    # copies: the caller may change the arrays before the refinement study is asked for
    again = partial(
        simulate, model, q.copy(), v.copy(), duration, formulation=formulation, backend=backend, z0=z.copy(),
        f_ext=f_ext if callable(f_ext) or external is None else external(0.0, q, v), contact=contact, progress=False,
    )  # fmt: skip
    finer = partial(Finer, again, duration, dt, int(every), integrator=chosen, applied=applied, times=times)
    bounds: Pairs | None = stops_of(model) if has_stops(model) else pairs
    if law is not None and bounds is not None and (pairs is not None or make is JointSystem):
        if make is not JointSystem:
            raise SimulationError(
                f"contact laws move joint coordinates, and formulation {shortened(formulation)} has none of them; take "
                "formulation='joint', or contact='none' to let bodies pass through each other"
            )
        law, method = stepped_by(law, method)
        require_room(len(times) - 1, int(every), 1 + model.nq + model.nv + len(z))
        if model.loops:
            require_closed(without_stops(model), q, v, names=("q0", "v0"))
        motion, recording, on_contacts, code = run_law(
            law, bounds, model, method, applied, f_ext, external, times, q, np.concatenate([v, z]), int(every), watch,
            backend == "book",
        )  # fmt: skip
        by = law if law.own_steps else method
        return _reported(
            motion, recording, by, applied, times, watch.elapsed, code, len(findings), None, None, on_contacts,
            finer=finer(by),
        )  # fmt: skip
    if make is JointSystem and (model.loops or model.constraints):
        make, method = stabilised(method, backend == "book", length_of(model) / speed_of(model, v))
    if make is not JointSystem:
        motion, recording, code, forces, in_code = run_formulation(
            make, model, q, v, z, times, method, applied, f_ext, external, int(every), watch, backend == "book"
        )
        elapsed = watch.elapsed
        return _reported(
            motion, recording, method, applied, times, elapsed, code, len(findings), forces, in_code, off=off,
            finer=finer(method),
        )  # fmt: skip
    require_room(len(times) - 1, int(every), 1 + model.nq + model.nv + len(z))
    require_joint_method(model, method)
    v = np.concatenate([v, z]) if len(z) else v
    kernels = kernels_for(model) if backend == "auto" else None
    acts, why_not, joint_steps = None, "", None
    if kernels is not None:
        acts, why_not = acting(model, kernels.on_links, method, applied, f_ext, external, times)
    if kernels is not None and acts is not None:
        readable = partial(readable_step, method, model, applied, external, times)  # type: ignore[arg-type]
        applied, joint_steps = applied.traced(acts.tau), JointSteps(kernels, method, acts)  # type: ignore[arg-type]
        recording = record_compiled(kernels, method, times, q, v, acts, int(every), watch, readable)  # type: ignore[arg-type]
        recording = blamed(recording, times, model, applied.function, external, nv=model.nv)
    else:
        if isinstance(method, Adaptive):
            system = JointSystem(model, applied.function, external, backend == "book")
            samples = adaptive_samples(method, system, times, q, v)
        else:
            samples = _fixed_steps(method, model, applied, external, times, q, v, backend == "book")
        recording = record(samples, times, q, v, int(every), watch)
    recording = recording.within_reach()
    v_all, z_all = recording.v[:, : model.nv], recording.v[:, model.nv :]
    trajectory = Trajectory(model, recording.t, recording.q, v_all, None, external, z=z_all)
    code = _what_ran(model, backend, why_not, str(acts or ""))
    return _reported(
        trajectory, recording, method, applied, times, watch.elapsed, code, len(findings), None, joint_steps, off=off,
        finer=finer(method),
    )  # fmt: skip


def require_joint_method(model: Model, method: Integrator | Adaptive) -> None:
    """Raise SimulationError if an integrator cannot step joint coordinates."""
    if method.requires is not System:
        check_pair(system := JointSystem(model), method)
        if method.requires is Lagrangian:
            system.inertia(model.neutral())  # it refuses joints that move as time says


def _reported(
    motion: Trajectory,
    recording: Recording,
    method: Integrator | Adaptive | Law,
    applied: Drive,
    times: NDArray,
    wall_time: float,
    code: str,
    findings: int,
    forces: StateForces | None,
    in_code: InCode | None,
    contacts: ContactReport | None = None,
    off: int = 0,
    finer: Finer | None = None,
) -> Trajectory:
    """Return the trajectory with joint forces and report; issue its alarms as a warning.

    off : number of pairs that pass through each other because contacts were switched off. finer : repeats the motion
    with finer steps, for `Trajectory.error_growth`.

    An interruption or an error during the assessment ends it, and the motion is kept: user functions may fail when they
    are called once more.
    """
    if recording.interrupted:
        interrupted()
    try:
        if forces is None and not applied.zero and not isinstance(motion, Motion):
            motion = replace(motion, tau=np.full_like(motion.v, np.nan))
            motion = replace(motion, tau=forces_at(applied.function, motion.t, motion.q, motion.v))
        report = judge(motion, recording, method, applied, times, wall_time, code, findings, forces, in_code, contacts)
    except KeyboardInterrupt:
        interrupted()
        report = unjudged(recording, method, wall_time, code, contacts)
    except Exception as fault:
        why = f"{type(fault).__name__} ({fault}) came up"
        report = unjudged(recording, method, wall_time, code, contacts, why)
    if off:
        report = without_contacts(report, off)
    if recording.fault is not None:
        report = replace(report, traceback="".join(format_exception(recording.fault)))
    alarms = report.alarms(motion.model)
    if alarms:
        told = SimulationWarning("\n".join(alarms))
        told.__cause__ = recording.fault  # shown where warnings are errors
        warnings.warn(told, stacklevel=3)
    motion = motion.with_report(report)
    moved(motion.model)
    object.__setattr__(motion, "_finer", finer)  # no field: it is not saved in files or sent to other processes
    return motion


def _require_reach(model: Model, q: NDArray, v: NDArray) -> None:
    """Raise StateError if a coordinate or velocity is so large that an angle has no digits left."""
    for name, values, unit in (("q0", q, "rad, m"), ("v0", v, "rad/s, m/s")):
        if np.max(np.abs(values), initial=0.0) > FARTHEST:
            k = int(np.argmax(np.abs(values)))
            part = "q_slice" if name == "q0" else "v_slice"
            joint = next(j.name for j in model.joints if getattr(j, part).start <= k < getattr(j, part).stop)
            raise StateError(
                f"{name}[{k}] (joint {joint!r}) is {values[k]:g}, beyond {FARTHEST:g} ({unit}), where numbers tell no "
                "angle; whole turns can be taken off"
            )


@cache
def _adaptive(name: Any) -> Adaptive:
    """Return the adaptive integrator of a name, the same object each time, so that compiled runs can be reused."""
    return Adaptive(name)


def integrator_of(integrator: str | Integrator | Adaptive) -> Integrator | Adaptive:
    """Return the integrator of a name; an object with `step` is returned as it is, or wrapped in `FromStep`."""
    if isinstance(integrator, str) and integrator in INTEGRATORS:
        return INTEGRATORS[integrator]
    if isinstance(integrator, str) and integrator in SOLVERS:
        return _adaptive(integrator)
    if isinstance(integrator, type):
        raise SimulationError(f"integrator {integrator.__name__} is a class; give an object, {integrator.__name__}()")
    if isinstance(integrator, Adaptive) or all(hasattr(integrator, name) for name in NEEDED):
        return integrator  # type: ignore[return-value]
    if callable(getattr(integrator, "step", None)) and hasattr(integrator, "order"):
        return FromStep(integrator)
    names = (*INTEGRATORS, *SOLVERS)
    if isinstance(integrator, OneStep):
        raise SimulationError(f"integrator {type(integrator).__name__} has no step(system, state, h)")
    hint = did_you_mean(integrator, names) if isinstance(integrator, str) else ""
    hint = hint if "did you mean" in hint else ""  # all are listed anyway
    known = ", ".join(map(repr, names))
    raise SimulationError(f"integrator {shortened(integrator)} is unknown; there are {known}{hint}")


def _fixed_steps(
    method: Integrator,
    model: Model,
    applied: Drive,
    external: Force | None,
    times: NDArray,
    q: NDArray,
    v: NDArray,
    book: bool,
) -> Iterator[Sample]:
    system = JointSystem(model, applied.function, external, book)
    state = method.init(system, times[0], q, v)
    for k in range(len(times) - 1):
        # forces held over a step jump at its end, which its last stage must not see
        system.tau = applied.during(k)
        state = method.step(system, replace(state, t=times[k]), times[k + 1] - times[k])
        yield state.x, state.v, k + 1, state.solve


def readable_step(
    method: Integrator,
    model: Model,
    applied: Drive,
    external: Force | None,
    times: NDArray,
    k: int,
    q: NDArray,
    v: NDArray,
) -> State:
    """Make step k from a state at times[k] by the readable form of a method."""
    system = JointSystem(model, applied.during(k), external)
    return method.step(system, method.init(system, times[k], q, v), times[k + 1] - times[k])


def _what_ran(model: Model, backend: str, why_not: str, traced: str) -> str:
    """Return a description of the code that computed a motion, and why nothing faster. traced : traced functions."""
    if backend == "book":
        return "book form (NumPy), as asked for"
    name, why = engine_backend(model)
    if name == "book":
        return f"book form (NumPy): {why}"
    code = in_words(name, why)
    if why_not:
        return f"compiled dynamics ({code}), stepped from Python: {why_not}"
    return f"compiled loop ({code})" + (f", {traced}" if traced else "")
