"""Notes by which code is found without being recorded: right, or not there."""

import os
import sys
import threading
import types
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from rbdkit import loaded
from rbdkit.trace import ALONE, Dependencies, Lanes, executable, recalled, remember
from rbdkit.trace.program import Program
from rbdkit.trace.run import cache, remembered
from rbdkit.trace.run.native import NativeCode


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache of its own, and sources that were written long ago, however fresh this copy is."""
    monkeypatch.setenv("RBDKIT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(loaded, "AT", loaded.AT + 1e6)
    return tmp_path


def scaling(factor: float, lanes: Lanes = ALONE) -> Program:
    program = Program("scale", lanes)
    place = program.entry("places", 0)
    program.store("x", place, 1, program.load("y", program.count("n")) * factor)
    return program


def note(words: str, factor: float = 3.0, lanes: Lanes = ALONE) -> NativeCode:
    code = executable(scaling(factor, lanes), "llvm")
    remember(words, code, 17)
    return code


def run(code: NativeCode) -> float:
    x, y, places = np.zeros(4), np.array([0.0, 2.0]), np.array([2])
    code.bind({"x": x, "y": y, "places": places}, {"n": 1})()
    return float(x[3])


def test_code_comes_back_with_its_arguments_and_number():
    assert recalled("thrice") is None
    made = note("thrice")
    again, number = recalled("thrice")
    assert number == 17 and again.key == made.key and run(again) == run(made) == 6.0
    for part in ("name", "lanes", "arrays", "tables", "counts"):
        assert getattr(again.program, part) == getattr(made.program, part)
    assert recalled("twice") is None


def test_lanes_come_back():
    lanes = Lanes(4, frozenset(("y", "more")), frozenset(("x",)))
    note("lanes", lanes=lanes)
    assert recalled("lanes").code.program.lanes == lanes


def test_nothing_is_noted_of_python_code():
    remember("slow", executable(scaling(3.0), "python"), 1)
    assert recalled("slow") is None


@pytest.mark.parametrize("lost", ["note", "code"])
@pytest.mark.parametrize("how", ["gone", "damaged"])
def test_what_is_lost_or_damaged_counts_as_not_there(lost, how, folder):
    made = note("thrice")
    key = made.key if lost == "code" else remembered._key("thrice")
    (folder / f"{key}.o").unlink() if how == "gone" else (folder / f"{key}.o").write_bytes(b"something else")
    remembered.machine()._linked.clear()  # as in another process
    assert recalled("thrice") is None
    note("thrice")
    assert run(recalled("thrice").code) == 6.0


def told(patch, files):
    """Let these be the sources."""

    def found():
        return files

    found.__module__ = "rbdkit"  # what was replaced is not trusted, and this is not about that
    patch.setattr(remembered, "_files", found)


def moved(files, which, part):
    """The sources, one of which was changed in one respect."""
    changed = list(files[which])
    changed[part] = f"{changed[part]}x" if part == 0 else changed[part] - 1
    return [*files[:which], tuple(changed), *files[which + 1 :]]


@pytest.mark.parametrize("part", range(4))
def test_other_sources_have_other_notes(part, monkeypatch):
    files = remembered._files()
    note("thrice")
    for which in (0, len(files) // 2, len(files) - 1):
        told(monkeypatch, moved(files, which, part))
        assert recalled("thrice") is None
    told(monkeypatch, files[1:])
    assert recalled("thrice") is None
    told(monkeypatch, files)
    assert recalled("thrice") is not None


def test_the_sources_are_all_files_of_the_folders_that_record():
    found = {file[0] for file in remembered._files()}
    expected = {str(path) for folder in remembered.RECORDERS for path in (remembered.PACKAGE / folder).rglob("*.py")}
    assert found == expected and len(found) > 150


@pytest.mark.parametrize("what", [("sys", "version"), ("numpy", "__version__"), ("llvmlite", "__version__")])
def test_other_versions_have_other_notes(what, monkeypatch):
    note("thrice")
    monkeypatch.setattr(".".join(what), "0.0.1")
    assert recalled("thrice") is None


@pytest.mark.parametrize("time", [2, 3])
def test_sources_that_were_changed_while_the_process_runs_are_not_trusted(time, monkeypatch):
    file = list(remembered._files()[7])
    for before, trusted in ((1.0, False), (-1.0, False), (3.0, True)):  # s; file systems' clocks may be a second late
        file[time] = int(1e9 * (loaded.AT - before))
        told(monkeypatch, [tuple(file)])
        note("thrice")
        assert (recalled("thrice") is not None) == trusted
        assert len(list(cache.folder().iterdir())) == 1 + trusted


def test_a_package_without_files_has_no_notes(monkeypatch, tmp_path):
    monkeypatch.setattr(remembered, "PACKAGE", tmp_path / "archive.zip")
    note("thrice")
    assert remembered._key("thrice") is None and recalled("thrice") is None


def test_what_is_replaced_in_memory_has_no_notes(monkeypatch):
    from rbdkit.engine.run import over_states
    from rbdkit.engine.steps import aba, motions

    code = note("thrice")
    theirs = types.FunctionType(test_lanes_come_back.__code__, globals())
    replacements = [
        (aba, "aba", theirs),
        (Program, "load", theirs),
        (over_states.ALGORITHMS, "aba", theirs),
        (over_states.ALGORITHMS, "aba", partial(partial(theirs, 1), 2)),
        (motions.MOTIONS, "revolute", type("Mine", (), {"__module__": "mine"})()),
        (aba, "WithoutGroups", type("Mine", (), {"__module__": "__main__"})),
        (aba, "WithoutGroups", Mock()),
    ]
    for where, name, instead in replacements:
        assert recalled("thrice") is not None
        with monkeypatch.context() as patch:
            (patch.setitem if isinstance(where, dict) else patch.setattr)(where, name, instead)
            assert recalled("thrice") is None
            remember("theirs", code, 1)
        assert recalled("theirs") is None


def test_a_name_in_the_builtins_is_no_replacement(monkeypatch):
    """Notebooks put some there."""
    import builtins

    note("thrice")
    monkeypatch.setattr(builtins, "get_ipython", types.FunctionType(run.__code__, globals()), raising=False)
    assert recalled("thrice") is not None


def test_notes_are_as_private_as_code(folder):
    note("thrice")
    paths = list(folder.iterdir())
    assert len(paths) == 2
    if os.name == "posix":
        assert all(path.stat().st_mode & 0o077 == 0 for path in paths)


def looked_at_sources():
    return remembered._as_written()


def looked_at_a_class():
    return Dependencies({"of class": Grows}, objects=None).guard is not None


class Grows:
    """Another thread gives it attributes, as `copy` does to classes and lazy loading to modules."""


@pytest.mark.parametrize("look", [looked_at_sources, looked_at_a_class])
def test_names_may_come_in_another_thread_while_they_are_looked_at(look, monkeypatch):
    """Members of a sweep failed by 'dictionary changed size during iteration', once in hundreds."""
    module = types.ModuleType("rbdkit.engine.grows")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for k in range(1000):
        setattr(module, f"x{k}", 0.0)
        monkeypatch.setattr(Grows, f"x{k}", 0.0, raising=False)
    over = threading.Event()

    def load():
        while not over.is_set():
            for name in (f"late{k}" for k in range(100)):
                setattr(module, name, 1.0)
                setattr(Grows, name, 1.0)
            for name in (f"late{k}" for k in range(100)):
                delattr(module, name)
                delattr(Grows, name)

    before = sys.getswitchinterval()
    other = threading.Thread(target=load)
    try:
        sys.setswitchinterval(1e-6)
        other.start()
        for _ in range(200):
            look()
    finally:
        over.set()
        other.join()
        sys.setswitchinterval(before)
