"""The work of a sweep, handed out chunk by chunk; workers may die, and what is done is never lost."""

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
"""Seconds between two looks at how far the work is."""
AHEAD = 2
"""Chunks for each worker that are handed in at a time: one that it works on, and the next."""

Share = NDArray
"""Numbers of the members of a chunk."""


@dataclass
class Job:
    """A share of the work. tries : how often it was lost. line : to its worker."""

    share: Share
    line: Line
    tries: int = 0


class Crew:
    """Hands shares of a sweep to workers and takes what they did.

    A worker that dies takes the chunk with it that it worked on. It gets one more try, by itself: so a member that
    kills its worker costs no other chunk, and one that stood beside it is done.

    Parameters
    ----------
    place : Threads or Elsewhere
        Where the work is done.
    chunk_of : callable
        A share as it travels.
    take : callable
        Gets what became of a chunk as soon as it is there.
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
        """Shares without a result, each with the reason."""

    def run(self, shares: Sequence[Share]) -> bool:
        """Do the work; gives whether the user interrupted it.

        Raises
        ------
        SimulationError
            If the executor takes no work at all.
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
        except BaseException:  # what was done cannot be taken: nobody needs the rest
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
        if self._suspects and not self._waiting and not self._running:
            self._submit(self._suspects.popleft())

    def _submit(self, job: Job) -> bool:
        """Whether the work could be handed in."""
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
        """The executor broke: what it had is to be tried again one by one, in a new one if there can be any."""
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
        """One of the chunks among which is the one that broke the executor."""
        job.tries += 1
        if job.tries > 1:
            self.lost.append((job.share, f"its worker died, and once more when it was tried again: {sentence(fault)}"))
        else:
            self._suspects.append(job)

    def _lose(self, job: Job, fault: BaseException) -> None:
        """A chunk came back without a result: once more, unless its workers have died of it several times already."""
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
        """Keep what is done; what can be told to stop is waited for, and gives what it has."""
        self._stop.set()
        for future in self._running:
            future.cancel()
        left = [future for future in self._running if not future.cancelled()]
        wait(left, timeout=None if self._place.hears else 0.0)
        for future in left:
            if future.done() and future.exception() is None:
                self._take(future.result())
