"""Whole trajectories of one model: the compiled time loop runs in chunks of steps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.scene import Scene
from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.motion import JointMotion
from rbdkit.trace import Controller, Feedback, FewSteps, Recordable, Run, run_motion


def simulate(
    kernels: Kernels,
    q: NDArray,
    v: NDArray,
    times: NDArray,
    method: Recordable,
    tau: NDArray | Feedback,
    f_ext: NDArray | Feedback | None = None,
    every: int = 1,
    progress: Callable[[float], object] | None = None,
    begins: Mapping[str, NDArray] | None = None,
    scene: Scene | None = None,
    redmax: bool = False,
    kind: Hashable = None,
    asked: Controller | None = None,
) -> Run:
    """Step a model through given times, with joint springs, dampers and force elements.

    Parameters
    ----------
    q, v : (nq,), (nv + nz,) initial state; the states of force elements follow the velocities.
    times : (steps + 1,) s.
    method : an integrator that records its steps.
    tau : joint forces: (nv,) constant, (steps, nv) held over each step, or (steps + 1, nv), linear in between; or a
        traced function of time and state.
    f_ext : (bodies, 6) constant external forces in world coordinates, or a traced function that gives those on the
        links (see `Kernels.on_links`), (links + 1) * 6 numbers.
    every : recording interval in steps; the last step is always recorded.
    progress : called now and then with the fraction done.
    begins : arrays that the method begins with, see `rbdkit.formulations.system.Starting`, and "baumgarte", the factors
        of velocity violation and closure error, if Baumgarte terms are to act.
    scene : the contact scene, for a contact method; the run then has a contact log.
    redmax : whether accelerations come from J^T M J, which costs O(n^3).
    kind : names the method, if it is the same in all runs: these then reuse the same arrays.
    asked : a sampled controller, see `rbdkit.trace.run_motion`.
    """
    # everything else binds arrays of its own, which are not worth keeping
    plain = isinstance(tau, np.ndarray) and f_ext is None and not (begins or kernels.driven or redmax or asked)
    if kind is not None and plain and scene is None:
        return _in_kept_arrays(kernels, q, v, times, method, tau, every, progress, kind)  # type: ignore[arg-type]
    motion = JointMotion(kernels, q, v, times, method, tau, f_ext, begins, scene, every, redmax)
    return run_motion(motion, every, progress, asked=asked)


def _in_kept_arrays(
    kernels: Kernels,
    q: NDArray,
    v: NDArray,
    times: NDArray,
    method: Recordable,
    tau: NDArray,
    every: int,
    progress: Callable[[float], object] | None,
    kind: Hashable,
) -> Run:
    """Simulate in reused arrays, for a method of this kind with given joint forces and nothing else."""
    idle = kernels.idle_motions[kind, tau.ndim]
    try:  # while it is off the list it belongs to this run; `pop` is atomic
        motion = idle.pop()
    except IndexError:
        motion = JointMotion(kernels, q, v, times, method, tau, None)
        motion.keep()
    else:
        motion.begin(q, v, times, tau)
    run = run_motion(motion, every, progress, motion.pace)
    motion.rest()
    idle.append(motion)
    return run


def few_steps(
    kernels: Kernels,
    times: NDArray,
    q: NDArray,
    v: NDArray,
    method: Recordable,
    tau: NDArray | Feedback,
    f_ext: NDArray | Feedback | None = None,
    begins: Mapping[str, NDArray] | None = None,
) -> FewSteps:
    """Return a function that makes as many steps of `simulate` as there are times to reach, from states like this one.

    tau : of the same shape in all of them; if it is an array, "tau" is its name.
    """
    return FewSteps(JointMotion(kernels, q, v, times, method, tau, f_ext, begins))
