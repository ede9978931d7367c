"""A file is written whole or not at all, whoever writes it."""

from __future__ import annotations

import ast
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import rbdkit as rbd
from rbdkit import atomic_write
from rbdkit.atomic_write import write_file, written_beside
from rbdkit.pictures import files
from rbdkit_course.grading import table

PACKAGE = Path(atomic_write.__file__).parent
BEFORE = b"years of work\n"
posix = pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")


@cache
def _motion() -> rbd.Trajectory:
    return rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.2, progress=False)


WRITERS: dict[str, Callable[[Path], object]] = {
    "arm.json": lambda path: rbd.save(rbd.library.double_pendulum(), path),
    "arm.urdf": lambda path: rbd.save(rbd.library.double_pendulum(), path),
    "run.csv": lambda path: _motion().to_csv(path),
    "run.html": lambda path: rbd.to_html(_motion(), path),
    "run.png": lambda path: rbd.to_png(_motion(), path, size=(32, 20)),
    "run.gif": lambda path: rbd.to_gif(_motion(), path, size=(32, 20), fps=10),
    "grades.csv": lambda path: table._write(path, {}, {}),
}


@contextmanager
def _full_disk() -> Iterator[None]:
    """No file of this process can have more than ten bytes."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@posix
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("there", [True, False])
def test_on_a_full_disk_what_was_there_stays(name: str, there: bool, tmp_path: Path) -> None:
    path = tmp_path / name
    if there:
        path.write_bytes(BEFORE)
    with pytest.raises(OSError, match="too large"), _full_disk():
        WRITERS[name](path)
    assert _in(tmp_path) == [name] * there
    assert not there or path.read_bytes() == BEFORE


@pytest.mark.parametrize("name", WRITERS)
def test_what_was_there_is_replaced(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(BEFORE)
    path.chmod(0o640)
    WRITERS[name](str(path))
    assert _in(tmp_path) == [name]
    first = path.read_bytes()
    assert first != BEFORE
    path.unlink()
    WRITERS[name](path)
    assert path.read_bytes() == first or name == "run.html"  # the page says how long the run took


def test_a_film_that_cannot_be_written_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = tmp_path / "run.mp4", []

    def program(words: list[str], **_: Any) -> Any:
        Path(words[-1]).write_bytes(b"half a film")
        made.append(words[-1])
        return _Fails()

    class _Fails:
        returncode = 1
        stdin = BytesIO()

        def communicate(self) -> tuple[bytes, bytes]:
            return b"", b"No space left on device"

    path.write_bytes(BEFORE)
    monkeypatch.setattr(files, "ffmpeg", lambda: "ffmpeg")
    monkeypatch.setattr(files.subprocess, "Popen", program)
    with pytest.raises(rbd.errors.FormatError, match="ffmpeg cannot write the film: No space left"):
        rbd.to_mp4(_motion(), path, size=(32, 20), fps=5)
    assert path.read_bytes() == BEFORE and _in(tmp_path) == ["run.mp4"]
    assert Path(made[0]).suffix == ".mp4"  # by which ffmpeg tells the format


@posix
def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path: Path) -> None:
    path, usual = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_bytes(BEFORE)
    path.chmod(0o604)
    usual.write_bytes(BEFORE)
    write_file(path, "new")
    write_file(tmp_path / "c.txt", "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert (tmp_path / "c.txt").stat().st_mode == usual.stat().st_mode


@posix
def test_links_stay_and_what_they_point_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link, ahead = tmp_path / "folder" / "a.txt", tmp_path / "link.txt", tmp_path / "ahead.txt"
    target.write_bytes(BEFORE)
    link.symlink_to(Path("folder", "a.txt"))
    ahead.symlink_to(Path("folder", "b.txt"))  # which is not there yet
    write_file(link, "new")
    write_file(ahead, "also new")
    assert link.is_symlink() and ahead.is_symlink()
    assert (target.read_text(), (tmp_path / "folder" / "b.txt").read_text()) == ("new", "also new")
    assert _in(tmp_path / "folder") == ["a.txt", "b.txt"]


@posix
def test_devices_are_written_to() -> None:
    write_file("/dev/null", "nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@posix
@pytest.mark.parametrize("closed", ["create", "replace"])
def test_where_nothing_can_be_made_or_replaced_it_is_written_in_place(
    closed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that takes no new file, though this file may be written to; a file that is mounted."""
    path = tmp_path / "a.txt"
    path.write_bytes(BEFORE)
    if closed == "create":
        opened = os.open

        def refuse(name: Any, flags: int, *mode: int) -> int:
            if flags & os.O_EXCL:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(name))
            return opened(name, flags, *mode)

        monkeypatch.setattr(os, "open", refuse)
    else:

        def busy(new: Any, old: Any) -> None:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), os.fspath(new), None, os.fspath(old))

        monkeypatch.setattr(os, "replace", busy)
    write_file(path, "new")
    assert path.read_text() == "new" and _in(tmp_path) == ["a.txt"]
    if closed == "create":
        with pytest.raises(PermissionError, match=r"b\.txt'$"):
            write_file(tmp_path / "b.txt", "new")


def test_what_must_not_be_written_to_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write to everything, so that the file says so itself."""
    path = tmp_path / "a.txt"
    path.write_bytes(BEFORE)
    opened = Path.open

    def refuse(self: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if mode == "r+b":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return opened(self, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError, match=r"a\.txt"):
        write_file(path, "new")
    monkeypatch.undo()
    assert path.read_bytes() == BEFORE


@pytest.mark.parametrize("name", ["no/such/folder/a.txt", "."])
def test_errors_name_what_was_asked_for(name: str, tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught:
        write_file(tmp_path / name, "new")
    assert caught.value.filename == os.fspath(tmp_path / name)
    assert atomic_write.BESIDE not in str(caught.value)


@pytest.mark.parametrize("length", [100, 250])
def test_long_names(length: int, tmp_path: Path) -> None:
    path = tmp_path / ("ü" * (length // 2) + ".txt")
    write_file(path, "new")
    assert path.read_text() == "new"


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(BEFORE)
    with pytest.raises(KeyboardInterrupt), written_beside(path) as new:
        new.write_text("half")
        raise KeyboardInterrupt
    assert _in(tmp_path) == ["a.txt"] and path.read_bytes() == BEFORE


def _writes_in_place(tree: ast.AST) -> Iterator[int]:
    """Lines of calls that write a file under the name that they are given."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        texts = [a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant)]
        mode = name in ("open", "fdopen") and any(
            isinstance(x, str) and set(x) <= set("rwxab+t") and set(x) & set("wxa+") for x in texts
        )
        if name in ("write_text", "write_bytes", "savefig", "savez", "savetxt", "open_memmap") or mode:
            yield node.lineno


def test_no_file_of_rbdkit_writes_another_way() -> None:
    found = {
        file.relative_to(PACKAGE).as_posix(): lines
        for file in sorted(PACKAGE.rglob("*.py"))
        if (lines := list(_writes_in_place(ast.parse(file.read_text(encoding="utf-8")))))
    }
    expected = {
        "atomic_write.py",
        "figures/figure.py",  # to memory
        "simulation/ensembles/store.py",  # which grows, and has checksums
        "trace/run/cache.py",  # beside, too, and gives up without a word
    }
    assert found.keys() == expected, found
