"""A motion of a model in joint coordinates, computed by the compiled time loop.

`JointMotion` collects what the loop is bound to: the arrays of the integrator, those of the state and its record, joint
and external forces as arrays or as traced functions, the motions of prescribed joints, and the contact scene. All that
decides which program it needs is in its `task`. A motion that is run again from another state keeps its arrays and its
binder (`keep`, `begin`), which saves making and binding them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.diary import run_arrays
from rbdkit.engine.contact.force_steps import ForceSteps
from rbdkit.engine.contact.scene import Scene
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.kernels import Kernels
from rbdkit.trace import (
    ALONE,
    Beginning,
    Binder,
    Feedback,
    Given,
    Lanes,
    Pace,
    Recordable,
    arrays_of,
    loop_arrays,
)

TASK = ("tau", "tau_now", "tau_numbers", "f_ext", "f_ext_numbers", "driven_q", "driven_v", "driven_a", "driven_numbers")
"""Names of the arrays that a task is bound to."""
OF_A_RUN = ("times", "tau")
"""Arrays that are new in every run."""


class JointMotion:
    """A motion to be computed: a task with its arrays and counts; see `rbdkit.trace.Runnable`.

    The parameters are those of `simulate`. redmax : whether accelerations come from J^T M J.
    """

    def __init__(
        self,
        kernels: Kernels,
        q: NDArray,
        v: NDArray,
        times: NDArray,
        method: Recordable,
        tau: NDArray | Feedback,
        f_ext: NDArray | Feedback | None,
        begins: Mapping[str, NDArray] | None = None,
        scene: Scene | None = None,
        every: int = 1,
        redmax: bool = False,
    ) -> None:
        kernels.require_rows("the loop over time")
        nq, nv, self.shared = len(q), kernels.nv, method.shared
        law_states = method.states if isinstance(method, ForceSteps) else 0
        if len(v) != nv + kernels.nz + law_states:
            raise ValueError(f"v has {len(v)} numbers; there are {nv} velocities and {kernels.nz} states of elements")
        self.steps = len(times) - 1
        self.kernels = kernels
        loop = loop_arrays(times, q, v)
        self.arrays: dict[str, NDArray] = {
            **arrays_of(method, nq, len(v), {*loop, *kernels.names, *TASK}),
            **loop,
        }
        touching: dict[str, int] = {}
        if scene is not None:
            if scene.stops is not None and isinstance(method, ForceSteps):
                raise NotCovered("constraints on one side have no stiffness beside forces of surfaces")
            of_scene, counts = run_arrays(scene, every)
            touching = {**counts, "n_law_states": law_states}
            self.arrays |= of_scene
        if redmax:
            self.arrays.setdefault("elimination", np.zeros(3))
        self.arrays |= kernels.driven.at(float(times[0]))
        chooses_steps = "landing" in self.arrays
        driven = None
        if kernels.driven and (chooses_steps or scene is not None):  # both evaluate them at times that no table has
            driven = kernels.driven.motion(self.arrays["times"])
            if driven is None:
                raise NotCovered("joints move as a Python function of time says, which the loop cannot ask")
            self.arrays["driven_numbers"] = np.array(driven.law.numbers)
        self.task = Task(
            "over_time",
            f_ext is not None,
            tau if isinstance(tau, Feedback) else None,
            f_ext if isinstance(f_ext, Feedback) else None,
            method.record,
            driven,
            stabilised=begins is not None and "baumgarte" in begins,
            touching=None if scene is None else scene.kinds,
            stops=None if scene is None else scene.stops,
            force_law=method.law if isinstance(method, ForceSteps) else None,
            stiff="stiff_KD" in self.arrays,
            redmax=redmax,
        )
        self.arrays |= {} if begins is None else begins
        if kernels.driven and method.requires.__name__ == "Projectable" and self.arrays["c"][-1] != 1.0:
            raise NotCovered("joints move as time says, and the last stage of the method is not at the end of its step")
        self.counts = {"stages": len(self.arrays["c"]), **touching}
        if isinstance(tau, Feedback):
            self.arrays |= {"tau_now": np.zeros(nv), "tau_numbers": np.array(tau.numbers)}
        else:
            self._take_tau(tau)
            if chooses_steps:
                # sampled joint forces change their slope at the given times: steps must end there
                self.arrays["landing"][:] = float(tau.ndim > 1)
        if isinstance(f_ext, Feedback):
            self.arrays |= {"f_ext": np.zeros(len(f_ext.results)), "f_ext_numbers": np.array(f_ext.numbers)}
        elif f_ext is not None:
            self.arrays["f_ext"] = np.array(kernels.on_links(f_ext), dtype=float)
        self.pace = Pace()
        self._beginning: Beginning | None = None
        self._binder: Binder | None = None

    def _take_tau(self, tau: NDArray) -> None:
        held = 0 if tau.ndim == 1 else self.kernels.nv
        self.arrays["tau"] = np.ascontiguousarray(tau, dtype=float)
        self.counts |= {"tau_step": held, "tau_next": held if len(tau) == self.steps + 1 else 0}

    def keep(self) -> None:
        """Prepare for further runs with `begin`; to be called before the first one.

        For motions with joint forces in an array and without prescribed joints.
        """
        self._beginning = Beginning(self.arrays, OF_A_RUN)

    def begin(self, q: NDArray, v: NDArray, times: NDArray, tau: NDArray) -> None:
        """Restart from another state, with joint forces of as many dimensions."""
        assert self._beginning is not None
        self._beginning.restore()
        if len(times) != self.steps + 1:
            self.steps, self._binder = len(times) - 1, None
        arrays = self.arrays
        arrays["times"] = np.ascontiguousarray(times, dtype=float)
        arrays["last_time"][0], arrays["x"][:], arrays["v"][:] = times[-1], q, v
        self._take_tau(tau)

    def rest(self) -> None:
        """Release the arrays of the run that has ended."""
        for name in OF_A_RUN:
            del self.arrays[name]

    @property
    def numbers(self) -> Mapping[str, NDArray]:
        """Numbers of the model, by array."""
        return self.kernels.numbers

    def during(self, first: int, steps: int) -> dict[str, NDArray]:
        """Return tables of the prescribed joints at all stages of some steps, if a program reads them from tables."""
        if not self.kernels.driven or self.task.driven is not None:
            return {}
        t = self.arrays["times"][first : first + steps + 1]
        # at the time of every stage of every step
        return self.kernels.driven.table((t[:-1, None] + np.diff(t)[:, None] * self.arrays["c"]).ravel())

    def bind(
        self,
        arrays: Mapping[str, Given],
        counts: Mapping[str, int],
        lanes: Lanes,
        numbers: Mapping[str, NDArray] | None,
    ) -> Callable[[], None]:
        """Bind the program of the task."""
        if self._beginning is not None and numbers is None and lanes == ALONE:
            counts = {**self.counts, **counts}
            if self._binder is None:
                given = [name for name in arrays if name in OF_A_RUN or name not in self.arrays]
                fixed = {name: x for name, x in self.arrays.items() if name not in given}
                self._binder = self.kernels.binder_of_motion(self.task, given, [*counts], fixed, self.steps)
            return self._binder(arrays, counts)
        return self.kernels.bind(self.task, arrays, {**self.counts, **counts}, None, lanes, numbers, self.steps)

    @property
    def stages(self) -> int:
        """Number of evaluations of forward dynamics."""
        return self.steps * self.counts["stages"]
