"""A folder that takes the motions of a sweep as they are computed, and from which the sweep goes on."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError

FORMAT = "rbdkit sweep"
VERSION = 1
ABOUT, MEMBERS, LOCK = "sweep.json", "members.jsonl", "lock"


@dataclass(frozen=True)
class Entry:
    """What is known of a member, besides its motion.

    Attributes
    ----------
    number : int
        Of the member.
    rows : int
        Recorded states.
    t : float
        Time of its last state, s; 0 if none.
    end : tuple or None
        Last state (t, q, v), or (t, q, v, z) where force elements have states, of one that ended between two recorded
        times, or None.
    steps, how, stopped, interrupted, drift
        As in `Outcome`.
    """

    number: int
    rows: int
    t: float
    end: tuple[Any, ...] | None
    steps: int
    how: str
    stopped: str
    interrupted: bool
    drift: float


class Store:
    """The folder of one sweep: ``sweep.json`` says which, ``q.npy`` and ``v.npy`` (and ``z.npy``) hold the motions,
    ``members.jsonl`` has a line for each member that is done. A line is written after its motion, so whatever ends the
    process, what has a line is whole.

    Parameters
    ----------
    folder
        Made if it is not there.
    digests : mapping of str to str
        Of the parts of the sweep, by name: a folder that holds another one is refused.
    shapes
        Of q, v, and z where there is one, by name, (members, states, n).

    Raises
    ------
    SimulationError
        If the folder holds another sweep or other files, another process uses it, or its disk is too small.
    """

    def __init__(
        self, folder: str | os.PathLike[str], digests: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]]
    ):
        self.folder, self._names = Path(folder).expanduser(), tuple(shapes)
        self._lock: int | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._claim()
            about = self.folder / ABOUT
            if about.exists():
                self._compare(json.loads(about.read_text(encoding="utf-8")), digests)
            else:
                self._begin(digests, shapes)
            self.arrays = tuple(np.lib.format.open_memmap(self._array(name), mode="r+") for name in shapes)
        except (OSError, ValueError) as fault:
            self.close()
            raise SimulationError(f"store = {str(self.folder)!r} cannot be used: {fault}") from fault
        except SimulationError:
            self.close()
            raise

    def entries(self) -> dict[int, Entry]:
        """What the folder holds, by the numbers of the members."""
        path, found = self.folder / MEMBERS, {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                entry = Entry(**json.loads(line))
            except (ValueError, TypeError):  # the last line of a process that was ended while it wrote
                continue
            if 0 <= entry.number < len(self.arrays[0]) and 0 <= entry.rows <= self.arrays[0].shape[1]:
                found[entry.number] = entry
        return found

    def add(self, entries: Sequence[Entry]) -> None:
        """Keep members whose motions are in the arrays."""
        for array in self.arrays:
            array.flush()
        with (self.folder / MEMBERS).open("a", encoding="utf-8") as file:
            file.write("".join(f"\n{json.dumps(asdict(entry))}" for entry in entries) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def reading(self) -> tuple[NDArray, ...]:
        """q, v, and z where there is one, as they lie in the folder; nothing is loaded before it is looked at."""
        for array in self.arrays:
            array.flush()
        return tuple(np.load(self._array(name), mmap_mode="r") for name in self._names)

    def close(self) -> None:
        """Let other processes use the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _array(self, name: str) -> Path:
        return self.folder / f"{name}.npy"

    def _claim(self) -> None:
        """One process at a time; the system lets go when it ends, however it ends."""
        try:
            import fcntl
        except ImportError:  # Windows: nothing keeps two processes from sharing a folder
            return
        self._lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SimulationError(
                f"store = {str(self.folder)!r}: another sweep is writing there just now; wait for it, or choose another"
            ) from None

    def _begin(self, digests: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]]) -> None:
        if strangers := sorted(path.name for path in self.folder.iterdir() if path.name != LOCK):
            raise SimulationError(
                f"store = {str(self.folder)!r} holds no sweep but {', '.join(strangers[:3])}; give a folder of its own"
            )
        size, free = 8 * sum(map(int, map(np.prod, shapes.values()))), shutil.disk_usage(self.folder).free
        if size > free:
            raise SimulationError(
                f"store = {str(self.folder)!r}: the motions take {size / 2**30:.3g} GB and the disk has "
                f"{free / 2**30:.3g} GB left; record fewer states with a larger every"
            )
        for name, shape in shapes.items():
            np.lib.format.open_memmap(self._array(name), mode="w+", dtype=np.float64, shape=shape)
        content = {"format": FORMAT, "version": VERSION, "parts": dict(digests)}
        new = self.folder / f"{ABOUT}.new"
        new.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        new.replace(self.folder / ABOUT)

    def _compare(self, about: Any, digests: Mapping[str, str]) -> None:
        if not isinstance(about, dict) or (about.get("format"), about.get("version")) != (FORMAT, VERSION):
            raise SimulationError(f"store = {str(self.folder)!r} was written by something else; give another folder")
        parts = about.get("parts")
        there = parts if isinstance(parts, dict) else {}
        other = [name for name in (*digests, *there) if digests.get(name) != there.get(name)]
        if other:
            raise SimulationError(
                f"store = {str(self.folder)!r} holds a sweep that differs in {', '.join(dict.fromkeys(other))}; give "
                "another folder, or the same arguments as then (functions count with all values that they use)"
            )
