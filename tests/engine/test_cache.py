"""Compiled code on disk: found again, never trusted, never needed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rbdkit.engine.program import Program
from rbdkit.engine.run import cache
from rbdkit.engine.run.native import Machine, NativeCode, machine


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("RBDKIT_CACHE_DIR", str(tmp_path / "deep" / "cache"))
    return tmp_path / "deep" / "cache"


def doubling(factor: float) -> Program:
    program = Program("scale")
    program.store("x", 0, 0, program.load("x", 0) * factor)
    return program


def run(program: Program, on: Machine) -> float:
    x = np.array([3.0])
    code = NativeCode.__new__(NativeCode)
    code.program, code._function = program, on.function(program)
    code.bind({"x": x}, {})()
    return float(x[0])


def test_what_is_stored_is_loaded(folder):
    assert cache.load("key") is None
    cache.store("key", b"code")
    assert cache.load("key") == b"code"
    assert [path.name for path in folder.iterdir()] == ["key.o"]
    assert folder.stat().st_mode & 0o077 == 0  # nobody else may put code there


@pytest.mark.parametrize(
    "damage", [lambda x: x[:-1], lambda x: x[:10], lambda x: b"", lambda x: x[:-1] + b"\0", lambda x: x + b"\0"]
)
def test_a_damaged_entry_counts_as_absent_and_is_replaced(folder, damage):
    cache.store("key", b"some code")
    path = folder / "key.o"
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load("key") is None
    cache.store("key", b"some code")
    assert cache.load("key") == b"some code"


def test_compiled_code_is_found_by_the_next_process(folder):
    first = Machine()
    assert run(doubling(2.0), first) == 6.0
    (entry,) = folder.glob("*.o")
    assert entry.stem == first.key(__import__("rbdkit.engine", fromlist=["x"]).llvm_source(doubling(2.0), first.fused))
    made = entry.stat().st_mtime_ns
    second = Machine()
    second._target_machine = None  # cannot compile
    assert run(doubling(2.0), second) == 6.0
    assert entry.stat().st_mtime_ns >= made
    with pytest.raises(AttributeError):
        run(doubling(3.0), second)


def test_damaged_compiled_code_is_compiled_again(folder):
    assert run(doubling(2.0), Machine()) == 6.0
    (entry,) = folder.glob("*.o")
    whole = entry.read_bytes()
    entry.write_bytes(whole[: len(whole) // 2])
    assert run(doubling(2.0), Machine()) == 6.0
    assert entry.read_bytes()[:32] == whole[:32]


def test_keys_tell_programs_processors_and_versions_apart(monkeypatch):
    here = machine()
    assert here.key("a") == here.key("a") != here.key("b")
    before = here.key("a")
    monkeypatch.setattr("llvmlite.__version__", "0.0.1")
    assert here.key("a") != before
    monkeypatch.undo()
    other = Machine()
    other.cpu = "another"
    assert other.key("a") != before


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_disk_that_cannot_be_written_stops_nothing(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("RBDKIT_CACHE_DIR", str(blocked / "cache"))
    cache.store("key", b"code")
    assert cache.load("key") is None
    assert run(doubling(5.0), Machine()) == 15.0


def test_a_folder_that_can_only_be_read_is_used(folder, monkeypatch):
    assert run(doubling(2.0), Machine()) == 6.0
    entries = {path: path.read_bytes() for path in folder.iterdir()}

    def refused(*_: object, **__: object) -> None:
        raise PermissionError("read-only file system")

    for call in ("os.utime", "os.replace", "os.unlink", "tempfile.mkstemp", "pathlib.Path.mkdir"):
        monkeypatch.setattr(call, refused)
    reader = Machine()
    reader._target_machine = None  # cannot compile
    assert run(doubling(2.0), reader) == 6.0
    assert run(doubling(3.0), Machine()) == 9.0  # compiled, and kept nowhere
    assert {path: path.read_bytes() for path in folder.iterdir()} == entries


def test_a_write_that_fails_leaves_nothing_behind(folder, monkeypatch):
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", full)
    cache.store("key", b"code")
    assert list(folder.iterdir()) == []


def test_the_oldest_entries_go(folder, monkeypatch):
    monkeypatch.setattr(cache, "ENTRIES", 3)
    for k in range(5):
        cache.store(f"key{k}", b"code")
        os.utime(folder / f"key{k}.o", (1000 + k, 1000 + k))
    assert sorted(path.stem for path in folder.iterdir()) == ["key2", "key3", "key4"]
    cache.load("key2")  # used now
    cache.store("key5", b"code")
    assert sorted(path.stem for path in folder.iterdir()) == ["key2", "key4", "key5"]


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.delenv("RBDKIT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "rbdkit"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    for platform, expected in (("linux", ".cache/rbdkit"), ("darwin", "Library/Caches/rbdkit")):
        monkeypatch.setattr(sys, "platform", platform)
        assert cache.folder() == tmp_path / expected
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setattr(sys, "platform", "win32")
    assert cache.folder() == tmp_path / "local" / "rbdkit" / "Cache"


def test_two_processes_at_once(folder):
    """Both compile, both write; each reads only whole entries."""
    code = (
        "import numpy as np\nfrom rbdkit.engine import Kernels\nfrom rbdkit.library import double_pendulum\n"
        "m = double_pendulum()\nprint(Kernels(m, 'llvm').aba(np.ones(2), np.ones(2), np.ones(2)).tolist())"
    )
    begun = time.monotonic()
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
        for _ in range(2)
    ]
    results = [process.communicate(timeout=60)[0] for process in processes]
    assert results[0] == results[1] != ""
    assert time.monotonic() - begun < 60
    assert not list(folder.glob("*.new"))
