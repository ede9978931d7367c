"""Workers of a sweep: threads of this process, or a user's executor (processes, Dask)."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from rbdkit.errors import SimulationError
from rbdkit.simulation.ensembles.chunk import Chunk, run_chunk
from rbdkit.simulation.ensembles.outcome import Outcome
from rbdkit.simulation.ensembles.values import show

PATIENCE = 10.0
"""Time to wait for workers of a cluster that has none, s."""


class Line:
    """Progress callback of a chunk in another thread: it reports the fraction done and passes on a request to stop."""

    def __init__(self, stop: threading.Event) -> None:
        self.fraction = 0.0
        self._stop = stop
        self._told = False

    def __call__(self, fraction: float) -> None:
        self.fraction = fraction
        if self._stop.is_set() and not self._told:  # once: what catches it must be able to tell how far it came
            self._told = True
            raise KeyboardInterrupt


class Threads:
    """Threads of this process."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.name = f"{workers} thread{'s' * (workers > 1)}"
        self.hears = True
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="sweep")

    def submit(self, chunk: Chunk, line: Line) -> Future[list[Outcome]]:
        return self._pool.submit(run_chunk, chunk, line)

    def renew(self) -> bool:
        return False

    def close(self) -> None:
        self._pool.shutdown()


class Elsewhere:
    """A user's executor. A pool of processes that breaks is replaced by one of the same kind.

    Attributes
    ----------
    hears
        Whether running work can be stopped.
    """

    def __init__(self, executor: Executor, workers: int, name: str) -> None:
        self.workers = workers
        self.name = name
        self.hears = False
        self._given = executor
        self._own: ProcessPoolExecutor | None = None

    def submit(self, chunk: Chunk, line: Line) -> Future[list[Outcome]]:
        return (self._own or self._given).submit(run_chunk, chunk)

    def renew(self) -> bool:
        """Replace a broken pool of processes by a new one; return whether that was possible."""
        given = self._given
        if not isinstance(given, ProcessPoolExecutor):
            return False
        self.close()
        like = ("mp_context", "initializer", "initargs", "max_tasks_per_child")
        options = {option: getattr(given, f"_{option}") for option in like if hasattr(given, f"_{option}")}
        self._own = ProcessPoolExecutor(self.workers, **options)
        return True

    def close(self) -> None:
        """Shut down a replacement pool; the user's own executor is left alone."""
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)


def own_threads() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def place_of(given: Any) -> Elsewhere:
    """Wrap the argument executor of `sweep`, with its number of workers and a name for the report.

    Raises
    ------
    SimulationError
        If it is none, or is closed, broken or without workers.
    """
    if isinstance(given, Executor):
        workers = getattr(given, "_max_workers", None) or own_threads()
        name = type(given).__name__
        if getattr(given, "_broken", False) or getattr(given, "_shutdown_thread", False):
            raise SimulationError(
                f"executor: this {name} was shut down, or a worker of it died earlier; make a new one"
            )
        return Elsewhere(given, workers, f"{name} with {workers} worker{'s' * (workers > 1)}")
    if hasattr(given, "get_executor") and hasattr(given, "ncores"):  # a Dask client
        if getattr(given, "status", "running") not in ("running", "connecting", "newly-created"):
            raise SimulationError("executor: this Dask client is closed; make a new one")
        cores = given.ncores()
        grows = getattr(getattr(given, "cluster", None), "_adaptive", None) is not None
        if not cores and not grows:
            with suppress(TimeoutError):  # those that died are started again by their nannies
                given.wait_for_workers(1, timeout=PATIENCE)
            cores = given.ncores()
        if not cores and not grows:
            raise SimulationError(
                "executor: this Dask cluster has no workers, so nothing would ever be done; start some "
                "(cluster.scale(2)), or wait for them with client.wait_for_workers(1)"
            )
        count = max(1, sum(cores.values()))
        machines = f"{len(cores)} worker{'s' * (len(cores) != 1)}, {count} thread{'s' * (count > 1)}"
        return Elsewhere(given.get_executor(), count, f"Dask cluster with {machines}")
    raise SimulationError(
        f"executor = {show(given)} must be a dask.distributed.Client or a concurrent.futures.Executor"
    )
