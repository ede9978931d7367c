"""Where the chunks of a sweep run: threads of this process, or an executor with workers elsewhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

from rbdkit.errors import SimulationError
from rbdkit.simulation.ensembles.chunk import INTERRUPTED, Chunk, run_chunk
from rbdkit.simulation.ensembles.outcome import Outcome, refused, sentence
from rbdkit.simulation.progress import Progress

GLANCE = 0.05
"""Seconds between two looks at how far the work is."""


class Line:
    """The line from a chunk in another thread to the one who waits: how far it is, and whether it is to stop."""

    def __init__(self, stop: threading.Event) -> None:
        self.fraction = 0.0
        self._stop = stop
        self._told = False

    def __call__(self, fraction: float) -> None:
        self.fraction = fraction
        if self._stop.is_set() and not self._told:  # once: what catches it must be able to tell how far it came
            self._told = True
            raise KeyboardInterrupt


def own_threads() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def executor_of(given: Any) -> tuple[Executor, int, str]:
    """What was given as an executor in the standard form, with its number of workers and its name."""
    if isinstance(given, Executor):
        workers = getattr(given, "_max_workers", None) or own_threads()
        return given, workers, f"{type(given).__name__} with {workers} worker{'s' * (workers > 1)}"
    if hasattr(given, "get_executor") and hasattr(given, "ncores"):  # a Dask client
        cores = given.ncores()
        count = max(1, sum(cores.values()))
        machines = f"{len(cores)} worker{'s' * (len(cores) != 1)}, {count} thread{'s' * (count > 1)}"
        return given.get_executor(), count, f"Dask cluster with {machines}"
    raise SimulationError(f"executor = {given!r} must be a dask.distributed.Client or a concurrent.futures.Executor")


def run_here(chunks: list[Chunk], threads: int, watch: Progress) -> tuple[list[Outcome], bool]:
    """The outcomes of chunks in threads of this process, and whether the user interrupted it."""
    stop = threading.Event()
    lines = [Line(stop) for _ in chunks]
    sizes = [len(chunk.members) for chunk in chunks]
    with ThreadPoolExecutor(threads, thread_name_prefix="sweep") as pool:
        futures = [pool.submit(run_chunk, chunk, line) for chunk, line in zip(chunks, lines)]

        def glance() -> None:
            parts = (1.0 if future.done() else line.fraction for future, line in zip(futures, lines))
            watch.update(sum(size * part for size, part in zip(sizes, parts)) / sum(sizes))

        interrupted = _wait(futures, stop, glance, watch)
    return _collected(chunks, futures), interrupted


def run_elsewhere(chunks: list[Chunk], executor: Executor, watch: Progress) -> tuple[list[Outcome], bool]:
    """The outcomes of chunks by an executor, and whether the user interrupted it."""
    futures = [executor.submit(run_chunk, chunk) for chunk in chunks]
    sizes = [len(chunk.members) for chunk in chunks]

    def glance() -> None:
        watch.update(sum(size for size, future in zip(sizes, futures) if future.done()) / sum(sizes))

    interrupted = _wait(futures, threading.Event(), glance, watch)
    return _collected(chunks, futures), interrupted


def _wait(
    futures: list[Future[list[Outcome]]], stop: threading.Event, glance: Callable[[], None], watch: Progress
) -> bool:
    """Wait for all, or for those that have begun when the user interrupts; gives whether that happened."""
    pending = set(futures)
    try:
        while pending:
            _, pending = wait(pending, timeout=GLANCE, return_when=FIRST_COMPLETED)
            glance()
    except KeyboardInterrupt:
        stop.set()
        for future in futures:
            future.cancel()
        return True
    finally:
        watch.close()
    return False


def _collected(chunks: list[Chunk], futures: list[Future[list[Outcome]]]) -> list[Outcome]:
    """The outcomes of all members; a chunk that was lost on its way has the reason for each of its members."""
    outcomes: list[Outcome] = []
    for chunk, future in zip(chunks, futures):
        if not future.done() or future.cancelled():
            outcomes += [refused(number, INTERRUPTED, interrupted=True) for number in chunk.members]
            continue
        fault = future.exception()
        if fault is None:
            outcomes += future.result()
        else:
            outcomes += [refused(number, f"its worker gave no result: {sentence(fault)}") for number in chunk.members]
    return outcomes
