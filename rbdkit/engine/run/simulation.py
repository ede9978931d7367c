"""Whole trajectories of one model: the loop over time runs in a program, a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    """
    motion = JointMotion(kernels, q, v, times, method, tau, f_ext, begins, scene, every, redmax)
    return run_motion(motion, every, progress)


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
