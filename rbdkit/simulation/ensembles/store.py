"""The store of a sweep: a folder to which motions are written as they are computed, and from which it can resume."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO, FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.atomic_write import BESIDE, write_file
from rbdkit.errors import SimulationError
from rbdkit.spatial.read_numbers import first_line, shown

FORMAT = "rbdkit sweep"
VERSION = 2
ABOUT, MEMBERS, LOCK = "sweep.json", "members.jsonl", "lock"
_BINARY = getattr(os, "O_BINARY", 0)  # of Windows
SUM = "sum"
"""Name, in the line of a member, of the checksum of the line and of its motion."""


@dataclass(frozen=True)
class Entry:
    """The record of a finished member, without its motion.

    Attributes
    ----------
    number : int
        Number of the member.
    rows : int
        Number of recorded states.
    t : float
        Time of its last state, s; 0 if none.
    end : tuple or None
        Last state (t, q, v), or (t, q, v, z) with states of force elements, if it ended between two recorded times.
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
    ``members.jsonl`` has a line for each member that is done.

    A line is written after its motion and has a checksum of both, so whatever ends the process and whatever becomes
    of the files, a member either is as it was computed or is computed again. Motions are written, not mapped: on a
    full disk that is an error, where memory that has no place on the disk kills the process.

    Parameters
    ----------
    folder
        Made if it is not there.
    digests : mapping of str to str
        Of the parts of the sweep, by name: a folder that holds another one is refused.
    shapes
        Of q, v, and z where there is one, by name, (members, states, n).

    Attributes
    ----------
    damaged : int
        Members whose line or motion is not what was written.

    Raises
    ------
    SimulationError
        If the folder holds another sweep or other files, another process uses it, or its disk is too small.
    """

    def __init__(
        self, folder: str | os.PathLike[str], digests: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]]
    ):
        self.folder, self._shapes, self.damaged = _path(folder), dict(shapes), 0
        self._sweep = hashlib.blake2b(json.dumps(dict(digests)).encode()).digest()
        self._lock: int | None = None
        self._files: dict[str, FileIO] = {}
        self._starts: dict[str, int] = {}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._claim()
            about = self.folder / ABOUT
            if about.exists():
                self._compare(_read(about), digests)
            else:
                self._begin(digests)
            for name in shapes:
                self._files[name] = self._opened(name)
            self._found = self._read_members()
        except (OSError, ValueError) as fault:
            self.close()
            raise self._cannot_be_used(fault) from fault
        except BaseException:
            self.close()
            raise

    def entries(self) -> dict[int, Entry]:
        """Return the entries that the folder held when it was opened, by member number."""
        return dict(self._found)

    def add(self, members: Sequence[tuple[Entry, Sequence[NDArray]]]) -> None:
        """Write members, each with its rows of q, v and z; for an interrupted one the rows alone.

        Raises
        ------
        SimulationError
            If there is no room for them; what the folder held, and those of them that it could take, are kept.
        """
        lines = []
        try:
            try:
                for entry, rows in members:
                    content = asdict(entry)
                    named = zip(self._shapes, rows, strict=False)  # where no force has states there is no z
                    sum_ = self._sum(content, [self._put(name, entry.number, row) for name, row in named])
                    if not entry.interrupted:
                        lines.append(json.dumps({**content, SUM: sum_}))
            finally:
                self._append(lines)
        except OSError as fault:
            raise self._full(fault) from fault

    def leave_open(self, numbers: Sequence[int]) -> None:
        """Fill the rows of members without a motion with NaN."""
        try:
            for name, (_, *shape) in self._shapes.items():
                row = np.full(shape, np.nan)
                for number in numbers:
                    self._put(name, number, row)
        except OSError as fault:
            raise self._full(fault) from fault

    def reading(self) -> tuple[NDArray, ...]:
        """Return q, v, and z if there is one, as read-only memory maps of the files."""
        return tuple(
            np.load(self._array(name), mmap_mode="r") if np.prod(shape) else np.zeros(shape)
            for name, shape in self._shapes.items()
        )

    def close(self) -> None:
        """Close the files and release the lock on the folder."""
        for file in self._files.values():
            file.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # --- motions ------------------------------------------------------------------------------------------------------

    def _array(self, name: str) -> Path:
        return self.folder / f"{name}.npy"

    def _opened(self, name: str) -> FileIO:
        """Open the file of an array and repair header and size if need be; damaged rows are found by checksums."""
        # without waiting for the other end, should it be a pipe
        number = os.open(self._array(name), os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | _BINARY, 0o666)
        file = FileIO(number, "r+")
        if not stat.S_ISREG(os.fstat(number).st_mode):
            file.close()
            raise OSError(f"its {name}.npy is no plain file")
        shape = self._shapes[name]
        self._starts[name] = start = _start_of(file, shape)
        # rows that were not written yet read as zeros, and no line vouches for them
        file.truncate(start + 8 * int(np.prod(shape)))
        return file

    def _place(self, name: str, number: int) -> tuple[int, int]:
        """Return the offset of a member's row in the file of an array, and its size, in bytes."""
        shape = self._shapes[name]
        size = 8 * int(np.prod(shape[1:]))
        return self._starts[name] + number * size, size

    def _put(self, name: str, number: int, row: NDArray) -> bytes:
        start, size = self._place(name, number)
        content = np.ascontiguousarray(row, dtype="<f8").tobytes()
        assert len(content) == size
        file = self._files[name]
        file.seek(start)
        left = memoryview(content)
        while left:
            left = left[file.write(left) :]
        return content

    def _get(self, name: str, number: int) -> bytes:
        start, size = self._place(name, number)
        file = self._files[name]
        file.seek(start)
        return file.read(size)

    # --- lines --------------------------------------------------------------------------------------------------------

    def _sum(self, content: Mapping[str, Any], rows: Sequence[bytes]) -> str:
        """Return the checksum of a member of this sweep: of its entry, its rows, and the sweep's digests."""
        found = hashlib.blake2b(self._sweep + json.dumps(content).encode(), digest_size=16)
        for row in rows:
            found.update(row)
        return found.hexdigest()

    def _append(self, lines: Sequence[str]) -> None:
        for file in self._files.values():
            # motions are on the disk before the lines that vouch for them
            os.fsync(file.fileno())
        if lines:
            with (self.folder / MEMBERS).open("a", encoding="utf-8") as text:
                # a line break before each, too: the last line of a process that was killed may have no end
                text.write("".join(f"\n{line}" for line in lines) + "\n")
                text.flush()
                os.fsync(text.fileno())

    def _read_members(self) -> dict[int, Entry]:
        path, found = self.folder / MEMBERS, {}
        members, states, _ = next(iter(self._shapes.values()))
        damaged: set[int] = set()
        lines = path.read_bytes().splitlines() if path.exists() else ()
        for line in filter(None, lines):
            try:
                content = json.loads(line)
                told = content.pop(SUM)
                entry = Entry(**content)
                number, rows = entry.number, entry.rows
                if type(number) is not int or type(rows) is not int or not (0 <= number < members and rows <= states):
                    continue
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue  # the last line of a process that was ended while it wrote, or a damaged one
            if told == self._sum(content, [self._get(name, number) for name in self._shapes]):
                found[number] = entry
            else:
                damaged.add(number)
        self.damaged = len(damaged - found.keys())
        return found

    # --- the folder ---------------------------------------------------------------------------------------------------

    def _claim(self) -> None:
        """Lock the folder for this process; the system releases the lock when the process ends, even if killed."""
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

    def _begin(self, digests: Mapping[str, str]) -> None:
        if strangers := sorted(
            name for name in os.listdir(self.folder) if name != LOCK and not name.startswith(BESIDE)
        ):
            raise SimulationError(
                f"store = {str(self.folder)!r} holds no sweep but {', '.join(strangers[:3])}; give a folder of its own"
            )
        size, free = 8 * sum(map(int, map(np.prod, self._shapes.values()))), shutil.disk_usage(self.folder).free
        if size > free:
            raise SimulationError(
                f"store = {str(self.folder)!r}: the motions take {size / 2**30:.3g} GB and the disk has "
                f"{free / 2**30:.3g} GB left; record fewer states with a larger every"
            )
        content = {"format": FORMAT, "version": VERSION, "parts": dict(digests)}
        write_file(self.folder / ABOUT, json.dumps(content, indent=1) + "\n")

    def _compare(self, about: Any, digests: Mapping[str, str]) -> None:
        if not isinstance(about, dict) or (about.get("format"), about.get("version")) != (FORMAT, VERSION):
            raise SimulationError(
                f"store = {str(self.folder)!r} was written by something else, or by another version of rbdkit; give "
                "another folder"
            )
        parts = about.get("parts")
        there = parts if isinstance(parts, dict) else {}
        other = [name for name in (*digests, *there) if digests.get(name) != there.get(name)]
        if other:
            raise SimulationError(
                f"store = {str(self.folder)!r} holds a sweep that differs in {', '.join(dict.fromkeys(other))}; give "
                "another folder, or the same arguments as then (functions count with all values that they use)"
            )

    def _full(self, fault: OSError) -> SimulationError:
        return SimulationError(
            f"store = {str(self.folder)!r} cannot be written to any more: {first_line(fault)}; what is in it stays, "
            "and the same call goes on from there"
        )

    def _cannot_be_used(self, fault: Exception) -> SimulationError:
        return SimulationError(f"store = {str(self.folder)!r} cannot be used: {first_line(fault)}")


def _path(folder: Any) -> Path:
    try:
        text = os.fspath(folder)
        if not isinstance(text, str) or not text:
            raise TypeError
        return Path(text).expanduser()
    except TypeError:
        raise SimulationError(f"store = {shown(folder)} must be the name of a folder") from None
    except RuntimeError as fault:  # "~somebody", of whom nothing is known
        raise SimulationError(f"store = {shown(folder)} cannot be used: {first_line(fault)}") from None


def _read(about: Path) -> Any:
    try:
        return json.loads(about.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"its {ABOUT}, which says what is in it, is damaged ({first_line(fault)})") from None


def _start_of(file: FileIO, shape: tuple[int, ...]) -> int:
    """Return the offset of an array's data in its file; the header is written if it is missing or does not fit."""
    try:
        np.lib.format.read_magic(file)
        found = np.lib.format.read_array_header_1_0(file)
        if found == (shape, False, np.dtype("<f8")):
            return file.tell()
    except ValueError:
        pass
    header = BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    file.seek(0)
    file.write(header.getvalue())
    return len(header.getvalue())
