"""Compiled runs under a contact law, and the transfer of their results into the contact log.

The compiled loop writes entries (points, energies, events) into an array; `CompiledLaw` translates them into the `Log`
that the readable law would have written. A step that is too hard for Gauss-Seidel sweeps makes the compiled run stop
(`STUCK`), and the whole run is repeated in Python with other solvers, unless there are too many places for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels, kernels_for, scene_for
from rbdkit.engine.contact import diary
from rbdkit.engine.contact.contacts import KEPT
from rbdkit.engine.contact.force_steps import ForceSteps
from rbdkit.engine.contact.scene import FAST, Scene
from rbdkit.engine.contact.time_steps import TimeSteps
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.motion import JointMotion
from rbdkit.formulations import Acting
from rbdkit.laws import ContactForce, Law, Log, TimeStepping
from rbdkit.laws.log import Rows
from rbdkit.laws.time_stepping import OF_POINTS
from rbdkit.model.one_sided import without_stops
from rbdkit.simulation.compiled import acting, ended_by, recording_of
from rbdkit.simulation.own_classes import users_class
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import Recording
from rbdkit.simulation.setting import Setting
from rbdkit.trace import Run, run_motion

KINDS = {diary.IMPACT: "impact", diary.GAIN: "gain", diary.SLIP: "slip", diary.STICK: "stick", diary.LOSS: "loss"}

OF_LAW = ("place_kept",)
"""Array that carries the kept values of a contact force law from step to step."""
NOTHING: Rows = (np.zeros(0, dtype=int), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)))
"""Rows of a state without contacts."""
FEW = 200
"""Largest number of places for which steps too hard for sweeps are repeated in Python."""


@dataclass(frozen=True, eq=False)
class CompiledLaw:
    """A contact law with all that its compiled loop over time needs. acts : applied joint and external forces."""

    kernels: Kernels
    scene: Scene
    method: TimeSteps | ForceSteps
    acts: Acting

    def run(self, times: NDArray, q: NDArray, w: NDArray, every: int, watch: Progress, log: Log) -> Recording | None:
        """Run from a state through times and fill the log as the readable law would; return the recording.

        None if a step is too hard for sweeps and there are few enough places for other solvers in Python.
        """
        scene, acts, size = self.scene, self.acts, len(w)
        if isinstance(self.method, ForceSteps):
            w = np.concatenate([w, np.zeros(self.method.states)])
        motion = self._motion(times, q, w, acts.tau, every)
        motion.arrays["measures"][FAST] = log.speed
        try:
            run = run_motion(motion, every, watch.update, asked=acts.asked)
        finally:
            watch.close()
        if run.account[diary.STUCK]:
            return None
        recording = recording_of(run, times, self.method)  # type: ignore[arg-type]  # steps of a law are no integrator
        recording = ended_by(acts.asked, recording, times)
        if run.account[diary.CROWDED]:
            stopped = f"more than {scene.room} places touch at once after t = {recording.t[-1]:.6g} s"
            recording = replace(recording, stopped=stopped, ran_away=False)
        self._tell(log, run, times)
        self._tell_passed(log, motion)
        if recording.steps == len(times) - 1:
            self._tell_end(log, times, recording, motion)
        return replace(recording, v=recording.v[:, :size])

    def _tell(self, log: Log, run: Run, times: NDArray) -> None:
        """Transfer points, energies, solver statistics and events of a compiled run to a log."""
        account, scene = run.account, self.scene
        entries = np.zeros((0, diary.ENTRY)) if run.log is None else run.log
        for k, rows in _points(scene, entries):
            log.keep(k, rows)
        for name, column, total in (("lost_normal", 2, diary.NORMAL_WORK), ("lost_friction", 3, diary.FRICTION_WORK)):
            of_states = entries[entries[:, 1] == diary.ENERGY]
            lost = np.zeros(run.steps + 1)
            lost[of_states[:, 0].astype(int)] = of_states[:, column]
            lost[-1] = account[total]
            setattr(log, name, lost.tolist())
        log.residual, log.rounds = float(account[diary.WORST]), int(account[diary.MOST_SWEEPS])
        log.unsettled = int(account[diary.UNSETTLED])
        if account[diary.DEEPEST] > 0.0:
            log.deepest, log.deepest_when = float(account[diary.DEEPEST]), float(account[diary.WHEN])
            log.deepest_where = log.names[scene.pair[int(account[diary.WHERE])]]
        self._tell_events(log, entries, times)

    def _motion(self, times: NDArray, q: NDArray, w: NDArray, tau: Any, every: int) -> JointMotion:
        return JointMotion(
            self.kernels, q, w, times, self.method, tau, self.acts.f_ext, scene=self.scene, every=every
        )  # fmt: skip

    def _tell_end(self, log: Log, times: NDArray, recording: Recording, before: JointMotion) -> None:
        """Log the contact forces of the last state, by one more step that is discarded.

        before : the finished motion, whose warm-start data and kept values the step continues.
        """
        tau: Any = self.acts.tau
        if isinstance(tau, np.ndarray) and tau.ndim > 1:
            # a table has no row for a step beyond the end
            tau = tau[-1]
        onwards = np.array([times[-1], 2.0 * times[-1] - times[-2]])
        motion = self._motion(onwards, recording.q[-1], recording.v[-1], tau, 1)
        motion.arrays["measures"][FAST] = log.speed
        for name in (*KEPT, *(OF_LAW if isinstance(self.method, ForceSteps) else ())):
            motion.arrays[name][...] = before.arrays[name]
        run = run_motion(motion)
        self._tell_passed(log, motion)
        entries = np.zeros((0, diary.ENTRY)) if run.log is None else run.log
        log.kept[len(times) - 1] = NOTHING
        for _, rows in _points(self.scene, entries):
            log.keep(len(times) - 1, rows)
            points = log.kept[len(times) - 1]
            log.reached(float(times[-1]), points[0], points[3])
        if isinstance(self.method, ForceSteps):  # forces of a state, not of the step after it
            self._tell_events(log, entries, onwards[:1])

    def _tell_passed(self, log: Log, motion: JointMotion) -> None:
        """Log the largest violations of unilateral constraints in a motion."""
        if self.scene.stops is not None:
            first = self.scene.counts["first_stop"]
            for pair, (depth, t) in zip(
                self.scene.pair[first:], motion.arrays["stop_passed"].reshape(-1, 2), strict=True
            ):
                log.passed_by(int(pair), float(depth), float(t))

    def _tell_events(self, log: Log, entries: NDArray, times: NDArray) -> None:
        events = entries[entries[:, 1] <= diary.IMPACT]
        pair = self.scene.pair[events[:, 2].astype(int)]
        # in the order of the readable law: by step, what is lost last, then by pair
        for i in np.lexsort((pair, events[:, 1] == diary.LOSS, events[:, 0])):
            step, kind, _, impulse = events[i, :4]
            at = float(times[int(step)])
            log.event(at, KINDS[int(kind)], [int(pair[i])], float(impulse))


def compiled_law(setting: Setting) -> tuple[CompiledLaw | None, str]:
    """Return the contact law of a run in compiled form; or None, and why it cannot be compiled."""
    law, model = setting.law, setting.model
    assert law is not None
    if own := _passed_over(law):
        return None, f"law {law.name!r} is of class {own}, and the compiled loop that of its base class"
    free = without_stops(model)
    kernels = kernels_for(free)
    scene, why_not = scene_for(model)
    if kernels is None or scene is None:
        return None, why_not
    method: TimeSteps | ForceSteps | None
    pairs = [model.contact_pairs[k] for k in scene.pair[: scene.counts["first_stop"]].tolist()]
    surfaces, names = [pair.material for pair in pairs], [pair.name for pair in pairs]
    try:
        method = law.compiled() if law.own_steps else law.stepped(setting.method, surfaces, names)  # type: ignore[arg-type]
    except NotCovered as fault:
        return None, str(fault)
    if method is None:
        known = law.own_steps or type(law).stepped is not Law.stepped
        return None, f"law {law.name!r} is not compiled with these options" if known else ""
    forces = setting.applied, setting.f_ext, setting.external
    acts, why_not = acting(free, kernels.on_links, method, *forces, setting.times)  # type: ignore[arg-type]
    if acts is None:
        return None, why_not
    if isinstance(method, TimeSteps) and (len(scene.pair) > FEW or acts.asked is not None):
        # with so many places other solvers would take too long, and a controller cannot be asked twice: the result of
        # the sweeps counts, and the report rates it
        method = replace(method, hard=np.inf)
    return CompiledLaw(kernels, scene, method, acts), ""


def _passed_over(law: Law) -> str:
    """Return the name of a law's user-defined class if the compiled loop would ignore what it overrides; else "".

    What is traced from the object itself may be overridden: `act` and `settle` of a contact force law, `friction` and
    `rebound` of time stepping.
    """
    if isinstance(law, ContactForce):
        fixed = {"samples", "stepped", "judge"}
    elif isinstance(law, TimeStepping):
        fixed = {name for name, x in vars(TimeStepping).items() if callable(x) and not name.startswith("__")}
        fixed = fixed - {*OF_POINTS} | {"judge"}
    else:
        return users_class(law, "compiled" if law.own_steps else "stepped")
    users = [kind for kind in type(law).__mro__ if not kind.__module__.startswith("rbdkit.")]
    return next((kind.__name__ for kind in users if fixed & vars(kind).keys()), "")


def _points(scene: Scene, entries: NDArray) -> list[tuple[int, Rows]]:
    """Return the indices of the states that have points, each with pair, point, normal, gap and force of these."""
    rows = entries[entries[:, 1] >= 0.0]
    if not len(rows):
        return []
    step, slot = rows[:, :2].astype(int).T
    pair, sense = scene.pair[slot], scene.sense[slot][:, None]
    order = np.lexsort((scene.slot[slot], pair, step))
    parts = (pair, rows[:, 3:6], sense * rows[:, 6:9], rows[:, 2], sense * rows[:, 9:12])
    states, first = np.unique(step[order], return_index=True)
    sorted_ = [part[order] for part in parts]
    ends = [*first[1:].tolist(), len(rows)]
    own = zip(states.tolist(), first.tolist(), ends, strict=True)
    return [(k, tuple(part[a:b] for part in sorted_)) for k, a, b in own]  # type: ignore[misc]  # as many as there are
