"""Whole trajectories of one model: the loop over time runs in a program, a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.scene import Scene
from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.motion import JointMotion
from rbdkit.trace import Feedback, FewSteps, Recordable, Run, run_motion


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
) -> Run:
    """Step a model through given times, with the springs and dampers of its joints.

    Parameters
    ----------
    q, v : (nq,), (nv + nz,) initial state; the states of force elements stand behind the velocities.
    times : (steps + 1,) s.
    method : an integrator that records its steps.
    tau : joint forces: (nv,) constant, (steps, nv) held over each step, or (steps + 1, nv) with straight lines between;
        or what computes them from time and state.
    f_ext : (bodies, 6) constant external forces in world coordinates, or what computes those on the links (see
        `Kernels.on_links`), (links + 1) * 6 numbers.
    every : record every so many steps, and the last.
    progress : is told the fraction done, every so often.
    begins : arrays that the method begins with, see `rbdkit.formulations.system.Starting`, and "baumgarte", the factors
        of the rate and the size of what constraints are violated by, if such terms are to act.
    scene : what may touch, for a method that asks for contacts; the log of the run then has these.
    redmax : whether accelerations come from J^T M J, in of order n^3 steps.
    kind : names the method, if it does the same in all runs: these then use the same arrays, one after the other.
    """
    plain = isinstance(tau, np.ndarray) and f_ext is None and not (begins or kernels.driven or redmax)
    if kind is not None and plain and scene is None:
        return _in_kept_arrays(kernels, q, v, times, method, tau, every, progress, kind)  # type: ignore[arg-type]
    motion = JointMotion(kernels, q, v, times, method, tau, f_ext, begins, scene, every, redmax)
    return run_motion(motion, every, progress)


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
    """The same for a method of this kind, with nothing but joint forces that are known."""
    idle = kernels.idle_motions[kind, tau.ndim]
    try:  # one that waits for its turn belongs to no run; taking it is one step of the interpreter
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
    """So many steps of `simulate` as there are times to come to, from states like this one.

    tau : of its own shape in all of them; if it is an array, "tau" is its name.
    """
    return FewSteps(JointMotion(kernels, q, v, times, method, tau, f_ext, begins))
