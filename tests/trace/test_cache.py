"""Compiled code on disk: found again, never trusted, never needed."""

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from rbdkit.trace.emit import llvm_source
from rbdkit.trace.program import Program
from rbdkit.trace.run import backend, cache, native
from rbdkit.trace.run.native import Machine, NativeCode, machine


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("RBDKIT_CACHE_DIR", str(tmp_path / "deep" / "cache"))
    cache._say.cache_clear()
    return tmp_path / "deep" / "cache"


posix = pytest.mark.skipif(os.name != "posix", reason="owners and permissions of POSIX")


def plant(factor: float, under: float) -> None:
    """Put the code of one program where another's is looked for, with a digest that fits."""
    here = machine()
    code = here._compile(llvm_source(doubling(factor), here.fused))
    cache.store(here.key(llvm_source(doubling(under), here.fused)), code)


def doubling(factor: float) -> Program:
    program = Program("scale")
    program.store("x", 0, 0, program.load("x", 0) * factor)
    return program


def run(program: Program, on: Machine) -> float:
    x = np.array([3.0])
    code = NativeCode.__new__(NativeCode)
    code.program, code._function = program, on.linked(llvm_source(program, on.fused), program.name)
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
    assert entry.stem == first.key(llvm_source(doubling(2.0), first.fused))
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


@posix
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


def belongs_to_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    else:
        another = os.geteuid() + 1
        monkeypatch.setattr("os.geteuid", lambda: another)


@posix
@pytest.mark.parametrize(
    ("make", "mend"),
    [
        (belongs_to_another, "a folder of your own in RBDKIT_CACHE_DIR"),
        (lambda folder, _: folder.chmod(0o770), "chmod go-w"),
        (lambda folder, _: folder.chmod(0o702), "chmod go-w"),
    ],
)
def test_code_from_a_folder_where_others_may_put_it_does_not_run(make, mend, folder, monkeypatch):
    plant(3.0, under=2.0)
    assert run(doubling(2.0), Machine()) == 9.0  # what is in a folder of the user's own does run
    make(folder, monkeypatch)
    before = sorted(path.name for path in folder.iterdir())
    with pytest.warns(RuntimeWarning, match="could have any code run") as said:
        assert run(doubling(2.0), Machine()) == 6.0
        assert run(doubling(4.0), Machine()) == 12.0
    assert len(said) == 1 and str(folder) in str(said[0].message) and mend in str(said[0].message)
    assert sorted(path.name for path in folder.iterdir()) == before  # and nothing is kept there


@pytest.mark.parametrize("variable", ["RBDKIT_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_folder_beside_wherever_a_program_is_started_is_not_used(variable, folder, tmp_path, monkeypatch):
    plant(3.0, under=2.0)
    folder.rename(tmp_path / "rbdkit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RBDKIT_CACHE_DIR")
    monkeypatch.setenv(variable, "." if variable == "XDG_CACHE_HOME" else "rbdkit")
    with pytest.warns(RuntimeWarning, match="'rbdkit' depends on where a program is started") as said:
        assert run(doubling(2.0), Machine()) == 6.0
    assert len(said) == 1 and len(list((tmp_path / "rbdkit").iterdir())) == 1


@posix
def test_a_fault_of_the_folder_is_no_fault_of_llvm(folder, monkeypatch):
    """Where warnings are errors, the backend is not given up for one."""
    folder.mkdir(parents=True, mode=0o700)
    folder.chmod(0o777)
    monkeypatch.setattr(native, "machine", Machine)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="chmod go-w"):
            backend.fastest.__wrapped__()


def in_the_way(path: Path, sort: str) -> None:
    """Something else under the name of an entry."""
    whole = path.read_bytes()
    path.unlink()
    match sort:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "link":
            (path.parent / "elsewhere").write_bytes(whole)
            path.symlink_to(path.parent / "elsewhere")
        case "open to others":
            path.write_bytes(whole)
            path.chmod(0o666)
        case "large":
            path.write_bytes(whole)
            os.truncate(path, cache.LARGEST + 1)


@posix
@pytest.mark.parametrize("sort", ["pipe", "device", "link", "open to others", "large"])
def test_what_is_no_plain_file_of_the_user_counts_as_absent_and_is_replaced(sort, folder):
    cache.store("key", b"code")
    in_the_way(folder / "key.o", sort)
    assert cache.load("key") is None
    cache.store("key", b"code")
    assert cache.load("key") == b"code"


def test_an_entry_under_another_name_counts_as_absent(folder):
    cache.store("key", b"code")
    (folder / "key.o").rename(folder / "other.o")
    assert cache.load("other") is None


def test_an_entry_that_llvm_refuses_is_compiled_again_and_replaced(folder, monkeypatch):
    here = Machine()
    for source in (llvm_source(doubling(2.0), here.fused), native.PROBE):
        key = here.key(source)
        cache.store(key, b"not machine code")
        assert cache.load(key) == b"not machine code"
    assert run(doubling(2.0), Machine()) == 6.0
    monkeypatch.setattr(native, "machine", Machine)
    assert backend.fastest.__wrapped__() == ("llvm", "compiled by LLVM")
    assert all(len(path.read_bytes()) > 200 for path in folder.iterdir())
    reader = Machine()
    reader._target_machine = None  # cannot compile
    assert run(doubling(2.0), reader) == 6.0


def test_what_killed_processes_leave_is_cleaned_up(folder):
    cache.store("key", b"code")
    for name, age in (("dead", 2 * cache.UNFINISHED), ("busy", 0.5 * cache.UNFINISHED)):
        (folder / f"{name}.new").write_bytes(b"half")
        os.utime(folder / f"{name}.new", (time.time() - age,) * 2)
    cache.store("other", b"code")
    assert sorted(path.name for path in folder.iterdir()) == ["busy.new", "key.o", "other.o"]


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
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
        for _ in range(2)
    ]
    results = [process.communicate(timeout=600)[0] for process in processes]
    assert results[0] == results[1] != ""
    assert not list(folder.glob("*.new"))
