"""Many simulations at once: of one model from different states, or of models that differ in their numbers alone.

Motions with the same structural key and task share one program and run side by side in the lanes of SIMD registers;
groups of lanes run in threads. Code without the interpreter lock does the steps, so threads scale.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.motion import JointMotion
from rbdkit.trace import Company, Feedback, Recordable, Run, width_of

LANE_STAGES = 10_000
"""Number of evaluations of forward dynamics in one call from which on code with several lanes is worth compiling."""
LOOK = 0.05
"""Seconds between two checks of what threads have finished."""
FEW = 2
"""Most motions that run faster one after the other than in lanes."""


def simulate_many(
    kernels: Sequence[Kernels],
    q: NDArray,
    v: NDArray,
    times: NDArray,
    method: Recordable,
    tau: NDArray | Sequence[Feedback],
    f_ext: NDArray | Sequence[Feedback] | None = None,
    every: int = 1,
    progress: Callable[[float], object] | None = None,
    threads: int = 1,
) -> list[Run]:
    """Step m models through the same times; each result is that of `simulate`, whatever becomes of the others.

    Those with the same types of joints in the same places are computed together, in SIMD lanes.

    Parameters
    ----------
    kernels : one for each motion; they may be the same.
    q, v : (m, nq), (m, nv + nz) initial states.
    times, method, every : as in `simulate`, for all.
    tau : joint forces as in `simulate`, (nv,), (steps, nv) or (steps + 1, nv), for all; or with one more axis in front,
        (m, 1, nv), (m, steps, nv) or (m, steps + 1, nv), for each its own; or a traced function for each.
    f_ext : (bodies, 6) for all, or (m, bodies, 6), or a traced function for each.
    progress : called with the fraction of all motions that is done.
    threads : number of threads.
    """
    motions = [
        JointMotion(own, q[k], v[k], times, method, _torque(tau, k), None if f_ext is None else _own(f_ext, k))
        for k, own in enumerate(kernels)
    ]
    companies = list(_companies(motions, every))
    stop = Event()

    def tell() -> None:
        if progress is not None:
            steps = sum(company.steps * len(members) for members, company in companies)
            progress(sum(company.done * len(members) for members, company in companies) / max(steps, 1))

    interrupted = False
    try:
        if threads == 1:
            for _, company in companies:
                while company.going:
                    company.go_on()
                    tell()
        else:
            _run_threads([company for _, company in companies], threads, stop, tell)
    except KeyboardInterrupt:
        interrupted = True
    found: dict[int, Run] = {}
    for members, company in companies:
        found |= zip(members, company.runs(interrupted), strict=True)
    return [found[k] for k in range(len(kernels))]


def _own(given: NDArray | Sequence[Feedback], k: int) -> NDArray | Feedback:
    """Return what belongs to motion k: an array with less than three axes is the same for all."""
    return given if isinstance(given, np.ndarray) and given.ndim < 3 else given[k]


def _torque(given: NDArray | Sequence[Feedback], k: int) -> NDArray | Feedback:
    own = _own(given, k)
    if own is given or isinstance(own, Feedback):
        return own
    return own[0] if len(own) == 1 else own


def _companies(motions: Sequence[JointMotion], every: int) -> Iterator[tuple[list[int], Company]]:
    """Yield groups of motions that can be computed together, with their numbers."""
    alike: defaultdict[Hashable, list[int]] = defaultdict(list)
    for k, motion in enumerate(motions):
        # equal keys mean equal programs: only numbers differ
        alike[motion.kernels.likeness, motion.task].append(k)
    for members in alike.values():
        work = len(members) * motions[members[0]].stages
        width = width_of(motions[members[0]].kernels.backend) if work >= LANE_STAGES else 1
        for first in range(0, len(members), width):
            group = members[first : first + width]
            # a short rest runs faster one by one
            for some in [group] if len(group) > FEW else [[k] for k in group]:
                yield some, Company([motions[k] for k in some], every, width if len(some) > 1 else 1)


def _run_threads(companies: Sequence[Company], threads: int, stop: Event, tell: Callable[[], None]) -> None:
    """Run the groups in threads; an exception in one stops them all."""

    def run(company: Company) -> None:
        while company.going and not stop.is_set():
            company.go_on()

    with ThreadPoolExecutor(threads) as pool:
        running = {pool.submit(run, company) for company in companies}
        try:
            while running:
                done, running = wait(running, timeout=LOOK)
                for future in done:
                    # raises what went wrong in the thread
                    future.result()
                tell()
        finally:
            stop.set()
