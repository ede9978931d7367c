"""`simulate`: run a model from an initial state and record its motion.

It has five stages, each a function of what the one before returns::

    check     Request -> Request      arguments of the right kinds
    prepare   Request -> Setting      read, checked against a frozen copy of the model: where it begins, what acts on it
    run       Setting -> Computed     on one of three roads: contact law, formulation, or tree in joint coordinates;
                                      each records its states (`recording.record`), in a compiled loop or from Python
    judge     Computed -> Report      how far the motion can be trusted
    _finished Computed -> Trajectory  the motion with its report, alarms as a warning
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from traceback import format_exception
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces
from rbdkit.formulations import JointSystem
from rbdkit.integrators import Adaptive, Integrator
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.kept import moved
from rbdkit.model.measures import speed_of
from rbdkit.simulation.assessment import judge, unjudged
from rbdkit.simulation.choices import Contact, Maker
from rbdkit.simulation.closed_loops import stabilised
from rbdkit.simulation.contacts import run_law, without_contacts
from rbdkit.simulation.controls import Controls
from rbdkit.simulation.finer import Finer
from rbdkit.simulation.forces import Torque
from rbdkit.simulation.foreign_keywords import KEYWORDS
from rbdkit.simulation.formulated import run_formulation
from rbdkit.simulation.interruption import end_interrupted_loop, interrupted
from rbdkit.simulation.joint_runs import run_joint
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.prepare import check, prepare
from rbdkit.simulation.report import Report
from rbdkit.simulation.setting import Computed, Request, Setting
from rbdkit.simulation.trajectory import Trajectory, forces_at
from rbdkit.simulation.within_limits import run_within_limits
from rbdkit.spatial.check_arguments import answers_keywords
from rbdkit.trace import checked

if TYPE_CHECKING:
    from rbdkit.library.mueller_terze import Start


AT_ONCE = 50_000
"""Most states of an interrupted motion that is judged: some tenths of a second."""


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


@answers_keywords(KEYWORDS)
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
    limits: Literal["stop", "watch", "ignore"] | None = None,
    u: Controls = None,
    effort: Literal["watch", "clip"] = "watch",
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
    tau : array_like, callable or Sampled, optional
        Applied joint forces, N m or N: (nv,) constant, (steps, nv) held over each step, (steps + 1, nv) sampled, or a
        function of (t, q, v), which is compiled if it can be (see `traced`, `untraced`), also where it calls `rnea`,
        `jacobian` and their like, of this model or another. Springs and dampers of the joints act in addition. A
        function with jumps or kinks at known times declares them, ``law.breaks = [0.3, 0.31]``: adaptive integrators
        then end a step at each, as at the times of tables. So can `f_ext`, motions of `Prescribed` joints, and force
        elements. A controller that keeps anything is given as `Sampled`.
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
    limits : {'stop', 'watch', 'ignore'}, optional
        What becomes of joint limits of the model: 'stop' lets joints stop there, without rebound, as `Limit`
        constraints that the contact law enforces; 'watch' lists those that the motion exceeds in the report; 'ignore'
        does neither. If not given, a motion is computed without stops, and with 'stop' from where it passes a limit, if
        it does; functions of the user are then called twice. Where formulation, contact law or integrator know no
        stops, or the steps are too long, limits are watched, and the report says why. The model of a motion with stops
        has these constraints, named 'elbow.angle' for instance. A joint that begins beyond a limit stops where it
        begins. Limits of speed are watched: no force of the model keeps them. Steps with stops are of first order
        with the default contact law; with 'rigid' they have the order of the integrator, and take longer.
    u : array_like, mapping, callable or Sampled, optional
        Controls of the model's actuators, see `Model.add_motor`, in the order of `Model.u_names`: (nu,) constant, or
        some of them by name, ``{"knee_motor": 2.0}``; (steps, nu) held over each step, (steps + 1, nu) sampled; a
        function of (t, q, v), or a `Sampled` controller, that return (nu,). Controls out of an actuator's range are
        refused where they are numbers, and cut where they come from a function. Those that are not given are the
        actuators' own. What other controls than these add to the joint forces is part of `Trajectory.tau`.
    effort : {'watch', 'clip'}, optional
        What becomes of effort limits of joints: 'watch' lists those that joint forces exceed in the report; 'clip' cuts
        tau to them, and the report says in which joints and for how long. Springs, dampers and actuators are not cut:
        actuators have limits of their own.

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
    request = check(
        Request(
            model,
            q0,
            v0,
            duration,
            dt,
            formulation,
            integrator,
            tau,
            f_ext,
            every,
            progress,
            backend,
            z0,
            contact,
            limits,
            u,
            effort,
        )
    )
    with checked() if backend == "checked" else nullcontext():
        return _finished(run_within_limits(request, prepare, run, lambda x: _assessed(x)[1]))


def run(setting: Setting) -> Computed:
    """Compute a motion, on one of three roads: under a contact law, as a tree in joint coordinates, or in any
    formulation; models with loops or constraints are one of these."""
    if setting.law is not None and setting.pairs is not None and (setting.touches or setting.make is JointSystem):
        return run_law(setting)
    if setting.make is not JointSystem:
        return run_formulation(setting)
    if not (setting.model.loops or setting.model.constraints):
        return run_joint(setting)
    ordinary = length_of(setting.model) / speed_of(setting.model, setting.v)
    make, method = stabilised(setting.method, setting.book, ordinary)
    return run_formulation(replace(setting, make=make, method=method))


def _assessed(computed: Computed) -> tuple[Trajectory, Report]:
    """Return the trajectory of a run with joint forces, and its report.

    An interruption or an error during the assessment ends it, and the motion is kept: user functions may fail when they
    are called once more.
    """
    setting, recording, motion, applied = computed.setting, computed.recording, computed.motion, computed.applied
    if recording.interrupted:
        interrupted()
    wall_time = setting.watch.elapsed
    try:
        if computed.forces is None and not applied.zero and not isinstance(motion, Motion):
            motion = replace(motion, tau=np.full_like(motion.v, np.nan))
            motion = replace(motion, tau=forces_at(applied.function, motion.t, motion.q, motion.v))
        if recording.interrupted and len(recording.t) > AT_ONCE:
            report = unjudged(computed, wall_time)  # who interrupts wants to go on
        else:
            report = judge(replace(computed, motion=motion), wall_time)
    except KeyboardInterrupt:
        interrupted()
        report = unjudged(computed, wall_time)
    except Exception as fault:
        report = unjudged(computed, wall_time, f"{type(fault).__name__} ({fault}) came up")
    return motion, report


def _finished(computed: Computed) -> Trajectory:
    """Return the trajectory of a run with its report; issue the report's alarms as a warning."""
    setting, recording = computed.setting, computed.recording
    motion, report = _assessed(computed)
    if setting.law is None and setting.touches:
        report = without_contacts(report, setting.touches)
    if recording.fault is not None:
        report = replace(report, traceback="".join(format_exception(recording.fault)))
    alarms = report.alarms(motion.model)
    if alarms:
        told = SimulationWarning("\n".join(alarms))
        told.__cause__ = recording.fault  # shown where warnings are errors
        warnings.warn(told, stacklevel=4)  # the caller of the decorated function
    motion = motion.with_report(report)
    moved(motion.model)
    if setting.controls is not None:
        object.__setattr__(motion, "_controls", setting.controls)
    # no field: it is not saved in files or sent to other processes
    object.__setattr__(motion, "_finer", Finer(simulate, setting, computed.method))
    return motion
