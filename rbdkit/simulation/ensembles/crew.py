"""Scheduler of a sweep: hands out chunks to workers, survives workers that die, and keeps every finished chunk.

If a pool of processes breaks, all chunks that it was working on are suspects, since nobody knows which one killed it.
They are retried one at a time after all others, so that the culprit alone is lost. An interrupt stops threads, which
return what they have; processes cannot be stopped, and their running chunks are abandoned.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.simulation.asking import sentence
from rbdkit.simulation.ensembles.chunk import Chunk
from rbdkit.simulation.ensembles.outcome import Outcome
from rbdkit.simulation.ensembles.pool import Elsewhere, Line, Threads
from rbdkit.simulation.progress import Progress

GLANCE = 0.05
"""Seconds between two updates of the progress."""
AHEAD = 2
"""Number of chunks submitted per worker: the one it works on, and the next."""

Share = NDArray
"""Numbers of the members of a chunk, (k,) of int."""


@dataclass
class Job:
    """A chunk of the work. tries : how often it was lost. line : connection to its worker."""

    share: Share
    line: Line
    tries: int = 0


class Crew:
    """Scheduler that hands chunks of a sweep to workers and collects their results.

    The chunk of a worker that dies gets one more try, alone: so a member that kills its worker costs no other chunk.

    Parameters
    ----------
    place : Threads or Elsewhere
        The workers.
    chunk_of : callable
        Function from the numbers of members to a `Chunk`.
    take : callable
        Callback with the outcomes of a finished chunk.
    watch : Progress
        Shows progress.
    """

    def __init__(
        self,
        place: Threads | Elsewhere,
        chunk_of: Callable[[Share], Chunk],
        take: Callable[[list[Outcome]], object],
        watch: Progress,
    ) -> None:
        self._place, self._chunk_of, self._take, self._watch = place, chunk_of, take, watch
        self._stop = threading.Event()
        self._waiting: deque[Job] = deque()
        self._suspects: deque[Job] = deque()
        self._running: dict[Future[list[Outcome]], Job] = {}
        self._done = self._whole = 0
        self.lost: list[tuple[Share, str]] = []
        """Chunks without a result, each with the reason."""

    def run(self, shares: Sequence[Share]) -> bool:
        """Run all chunks; return whether the user interrupted them.

        Raises
        ------
        SimulationError
            If the executor accepts no work at all.
        """
        self._waiting.extend(Job(share, Line(self._stop)) for share in shares)
        self._whole = max(1, sum(map(len, shares)))
        try:
            while self._waiting or self._suspects or self._running:
                self._hand_out()
                ready, _ = wait(self._running, timeout=GLANCE, return_when=FIRST_COMPLETED)
                self._collect(ready)
                under_way = sum(len(job.share) * job.line.fraction for job in self._running.values())
                self._watch.update((self._done + under_way) / self._whole)
        except KeyboardInterrupt:
            self._interrupt()
            return True
        except BaseException:  # results cannot be stored (a full disk, say): stop the rest
            self._stop.set()
            for future in self._running:
                future.cancel()
            raise
        finally:
            self._place.close()
            self._watch.close()
        return False

    def _hand_out(self) -> None:
        while self._waiting and len(self._running) < AHEAD * self._place.workers:
            if not self._submit(self._waiting.popleft()):
                return
        # one at a time, with nothing else running: if the pool breaks again, it is clear by whom
        if self._suspects and not self._waiting and not self._running:
            self._submit(self._suspects.popleft())

    def _submit(self, job: Job) -> bool:
        """Submit a chunk; return whether that was possible."""
        try:
            future = self._place.submit(self._chunk_of(job.share), job.line)
        except BrokenExecutor as fault:
            self._waiting.appendleft(job)
            self._broken(fault)
            return False
        except RuntimeError as fault:  # "cannot schedule new futures after shutdown"
            self._give_up(f"the executor takes no more work: {fault}", job)
            if not self._done and not self._running:
                raise SimulationError(f"executor: it takes no work ({fault}); make a new one") from None
            return False
        except Exception as fault:  # what cannot be sent
            self._lose(job, fault)
        else:
            self._running[future] = job
        return True

    def _collect(self, ready: set[Future[list[Outcome]]]) -> None:
        broken: BaseException | None = None
        for future in ready:
            job = self._running.pop(future)
            fault = InterruptedError("cancelled") if future.cancelled() else future.exception()
            if fault is None:
                self._take(future.result())
                self._done += len(job.share)
            elif isinstance(fault, BrokenExecutor):
                broken = fault
                self._suspect(job, fault)
            else:
                self._lose(job, fault)
        if broken is not None:
            self._broken(broken)

    def _broken(self, fault: BaseException) -> None:
        """Handle a broken executor: its chunks become suspects, retried one by one in a new one if possible."""
        # the other chunks of a broken pool fail a little later, and some may have ended well
        wait(self._running, timeout=10.0)
        for future, job in list(self._running.items()):
            if future.done() and not future.cancelled() and future.exception() is None:
                self._take(future.result())
                self._done += len(job.share)
            else:
                self._suspect(job, fault)
        self._running.clear()
        if not self._place.renew():
            self._give_up(f"the executor broke: {sentence(fault)}")

    def _suspect(self, job: Job, fault: BaseException) -> None:
        """Put a chunk that may have broken the executor aside for one more try; give it up the second time."""
        job.tries += 1
        if job.tries > 1:
            self.lost.append((job.share, f"its worker died, and once more when it was tried again: {sentence(fault)}"))
        else:
            self._suspects.append(job)

    def _lose(self, job: Job, fault: BaseException) -> None:
        """Retry a chunk that returned no result; give it up the second time, or if it killed several workers."""
        job.tries += 1
        if job.tries > 1 or type(fault).__name__ == "KilledWorker":
            self.lost.append((job.share, f"its worker gave no result: {sentence(fault)}"))
        else:
            self._waiting.append(job)

    def _give_up(self, reason: str, *jobs: Job) -> None:
        left = [*jobs, *self._waiting, *self._suspects]
        self.lost += [(job.share, reason) for job in left]
        self._waiting.clear()
        self._suspects.clear()

    def _interrupt(self) -> None:
        """Stop all work and keep finished results; threads are waited for, as they return what they have."""
        self._stop.set()
        for future in self._running:
            future.cancel()
        left = [future for future in self._running if not future.cancelled()]
        wait(left, timeout=None if self._place.hears else 0.0)
        for future in left:
            if future.done() and future.exception() is None:
                self._take(future.result())
