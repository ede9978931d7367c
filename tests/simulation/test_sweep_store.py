"""A sweep that keeps its motions in a folder goes on where it was, whatever ended it."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.library import double_pendulum, pendulum
from rbdkit.simulation import SimulationWarning, room
from rbdkit.simulation.ensembles import plan, store

SHORT = {"duration": 0.2, "dt": 2e-3, "progress": False}
ANGLES = {"hinge.angle": np.linspace(0.1, 1.2, 12)}


def build(rod):
    """Slowly, so that there is time to interrupt it."""
    with open(os.environ["CALLS"], "a", encoding="utf-8") as calls:  # not in a list: it would be one of its arguments
        calls.write(f"{rod}\n")
    time.sleep(0.15)
    return pendulum(rod)


RODS = {"rod": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]}


def interrupted_after(fraction):
    """Ctrl+C, once, when so much is done."""
    left = [fraction]

    def tell(done):
        if left and done >= left[0]:
            left.clear()
            raise KeyboardInterrupt

    return tell


def test_the_same_numbers_as_without_a_folder(tmp_path):
    model, values = double_pendulum(), {"rod1.mass": [1.0, -1.0, 2.0], "hinge1.angle": [0.1, 0.2]}
    for combine in ("product", "zip"):
        own = values if combine == "product" else {name: list(given)[:2] for name, given in values.items()}
        with pytest.warns(SimulationWarning, match="FAILED"):
            plain = rbd.sweep(model, own, [0.1, 0.2], combine=combine, **SHORT)
        for _ in range(2):  # computed, then read
            with pytest.warns(SimulationWarning, match="FAILED"):
                kept = rbd.sweep(model, own, [0.1, 0.2], combine=combine, store=tmp_path / combine, **SHORT)
            np.testing.assert_array_equal(kept.q, plain.q)
            np.testing.assert_array_equal(kept.v, plain.v)
            assert kept.failures == plain.failures and kept.report.code == plain.report.code
            np.testing.assert_array_equal(kept[0].q, plain[0].q)
            assert isinstance(kept.q, np.memmap)
    assert "members were in the store" in repr(kept)


def test_only_what_is_missing_is_computed(tmp_path, monkeypatch):
    calls, folder = tmp_path / "calls", tmp_path / "store"
    monkeypatch.setenv("CALLS", str(calls))
    whole = rbd.sweep(build, RODS, [0.4], threads=1, chunk=1, **SHORT)
    with pytest.warns(SimulationWarning, match="INTERRUPTED"):
        part = rbd.sweep(
            build, RODS, [0.4], threads=1, chunk=1, store=folder, **SHORT | {"progress": interrupted_after(0.3)}
        )
    done = np.isfinite(part.q[:, -1, 0])
    assert 0 < done.sum() < 6
    calls.unlink()
    rest = rbd.sweep(build, RODS, [0.4], threads=1, chunk=1, store=folder, **SHORT)
    called = [float(line) for line in calls.read_text().splitlines()]
    assert called.count(1.0) == 1  # once, to know the names
    assert sorted({*called} - {1.0}) == sorted({*np.array(RODS["rod"])[~done]} - {1.0})
    np.testing.assert_array_equal(rest.q, whole.q)
    assert not rest.failures and f"{done.sum()} members were in the store" in repr(rest)


def test_a_process_that_is_killed_has_lost_no_member_that_was_done(tmp_path):
    code = f"""
import numpy as np, rbdkit as rbd
rbd.sweep(rbd.library.double_pendulum(), {{"hinge1.angle": np.linspace(0.1, 1.0, 400)}}, duration=2.0, dt=1e-3,
          integrator="implicit_midpoint", every=100, chunk=1, threads=1, progress=False, store={str(tmp_path)!r})
"""
    run = subprocess.Popen([sys.executable, "-c", code])
    lines = tmp_path / "members.jsonl"
    while run.poll() is None and not (lines.exists() and lines.read_text().count("\n") > 4):
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    with lines.open("a") as file:
        file.write('\n{"number": 3, "ro')  # a line that was being written
    done = {json.loads(line)["number"] for line in lines.read_text().splitlines() if line.endswith("}")}
    with pytest.warns(SimulationWarning, match="INTERRUPTED"):
        ensemble = rbd.sweep(
            double_pendulum(), {"hinge1.angle": np.linspace(0.1, 1.0, 400)}, duration=2.0, dt=1e-3, threads=1,
            integrator="implicit_midpoint", every=100, chunk=1, progress=interrupted_after(0.0), store=tmp_path,
        )  # fmt: skip
    assert done <= set(np.flatnonzero(ensemble.rows))
    first = rbd.simulate(
        double_pendulum(), [0.1, 0.0], duration=2.0, dt=1e-3, integrator="implicit_midpoint", every=100, progress=False
    )
    np.testing.assert_array_equal(ensemble[0].q, first.q)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"model": pendulum(2.0)}, "model"),
        ({"values": {"hinge.damping": [0.1, 0.3]}}, "values"),
        ({"q0": [0.3]}, "q0"),
        ({"dt": 1e-3}, "dt"),
        ({"duration": 0.4}, "duration"),
        ({"integrator": "rk3"}, "integrator"),
        ({"tau": [0.1]}, "tau"),
        ({"tau": lambda t, q, v: -v}, "tau"),
    ],
)
def test_another_sweep_is_refused_by_what_differs(tmp_path, change, part):
    arguments = {"model": pendulum(), "values": {"hinge.damping": [0.1, 0.2]}, **SHORT}
    rbd.sweep(**arguments, store=tmp_path)
    with pytest.raises(SimulationError, match=f"differs in {part}; give another folder"):
        rbd.sweep(**{**arguments, **change}, store=tmp_path)
    rbd.sweep(**arguments, store=tmp_path)  # nothing was lost by the refusal


def test_another_file_that_a_builder_reads_is_another_sweep(tmp_path):
    """It went on with members of the robot that the file held before."""
    file, folder = tmp_path / "arm.json", tmp_path / "store"
    rbd.save(rbd.library.double_pendulum(), file)

    def build(mass):
        return rbd.load(file).with_parameters({"rod1.mass": mass})

    def swept():
        given = {"q0": [0.3, 0.1], "duration": 0.02, "progress": False, "store": folder}
        return np.array(rbd.sweep(build, {"mass": [1.0, 2.0]}, **given).q)

    before = swept()
    np.testing.assert_array_equal(swept(), before)
    rbd.save(rbd.library.double_pendulum().with_parameters({"rod2.mass": 7.0}), file)
    with pytest.raises(rbd.SimulationError, match="holds a sweep that differs in model"):
        swept()


def test_folders_that_hold_something_else(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SimulationError, match=r"holds no sweep but thesis\.tex"):
        rbd.sweep(pendulum(), ANGLES, store=tmp_path, **SHORT)
    file = tmp_path / "thesis.tex"
    with pytest.raises(SimulationError, match="cannot be used"):
        rbd.sweep(pendulum(), ANGLES, store=file, **SHORT)
    assert file.read_text() == "years of work"
    other = tmp_path / "other"
    other.mkdir()
    (other / "sweep.json").write_text("[]")
    with pytest.raises(SimulationError, match="written by something else"):
        rbd.sweep(pendulum(), ANGLES, store=other, **SHORT)


@pytest.mark.skipif(os.name == "nt", reason="no file locks of this kind")
def test_two_sweeps_do_not_write_into_one_folder(tmp_path):
    def again(_):
        with pytest.raises(SimulationError, match="another sweep is writing there"):
            rbd.sweep(pendulum(), ANGLES, store=tmp_path, **SHORT)

    rbd.sweep(pendulum(), ANGLES, store=tmp_path, **SHORT | {"progress": again})


def test_more_than_memory_takes_needs_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "ROOM", 1000)
    with pytest.raises(SimulationError, match="or a folder for them with store="):
        rbd.sweep(pendulum(), ANGLES, **SHORT)
    ensemble = rbd.sweep(pendulum(), ANGLES, store=tmp_path, **SHORT)
    assert isinstance(ensemble.q, np.memmap) and not ensemble.q.flags.writeable
    assert np.isfinite(ensemble.energy().total).all()


def test_more_than_this_machine_has_needs_a_folder(monkeypatch):
    """The motions, and as much again for what is made of them."""
    run = {"duration": 0.05, "dt": 1e-3}
    ensemble = rbd.sweep(pendulum(), ANGLES, **run)
    size = ensemble.q.nbytes + ensemble.v.nbytes
    monkeypatch.setattr(room, "free_memory", lambda *_: 2 * size)
    rbd.sweep(pendulum(), ANGLES, **run)
    monkeypatch.setattr(room, "free_memory", lambda *_: 2 * size - 1)
    with pytest.raises(SimulationError, match="or a folder for them with store="):
        rbd.sweep(pendulum(), ANGLES, **run)


# --- what becomes of files --------------------------------------------------------------------------------------------

MEMBERS = 10


def _sweep(where=None, chunk=3):
    values = {"rod1.mass": np.linspace(1.0, 2.0, MEMBERS)}
    return rbd.sweep(double_pendulum(), values, [0.3, 0.1], threads=1, chunk=chunk, store=where, **SHORT)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with a sweep in it, and what it must be."""
    where = tmp_path_factory.mktemp("whole") / "store"
    return where, _sweep(where)


def _lines(edit, encoding="utf-8"):
    def change(where):
        file = where / "members.jsonl"
        file.write_text("\n".join(edit([line for line in file.read_text().splitlines() if line])) + "\n", encoding)

    return change


def _line(**new):
    return _lines(lambda lines: [json.dumps({**json.loads(lines[0]), **new}), *lines[1:]])


def _bytes(name, content):
    return lambda where: (where / name).write_bytes(content)


def _array(make):
    def change(where):
        file = where / "q.npy"
        np.save(file, make(np.load(file)), allow_pickle=True)

    return change


def _flip(where):
    with (where / "q.npy").open("r+b") as file:
        file.seek(5000)
        bits = file.read(8)
        file.seek(5000)
        file.write(bytes(x ^ 0x15 for x in bits))


def _another(where):
    """Motions and lines of another sweep, with the description of this one."""
    other = where.parent / "another"
    rbd.sweep(double_pendulum(), {"rod1.mass": np.linspace(3.0, 4.0, MEMBERS)}, [0.3, 0.1], store=other, **SHORT)
    for name in ("q.npy", "v.npy", "members.jsonl"):
        (where / name).write_bytes((other / name).read_bytes())


DAMAGES = {
    "members cut": _lines(lambda lines: [*lines[:-1], lines[-1][:-40]]),
    "members empty": _bytes("members.jsonl", b""),
    "members zeros": _bytes("members.jsonl", b"\0" * 3000),
    "members not UTF-8": _lines(lambda lines: ["\xff" * 300, *lines], "latin-1"),
    **{
        f"{name} = {x!r}": _line(**{name: x})
        for name, x in (
            ("number", "0"),
            ("number", 1.5),
            ("number", True),
            ("number", None),
            ("number", 10**6),
            ("number", -1),
            ("number", 1),
            ("rows", 10**9),
            ("rows", "5"),
            ("rows", 0),
            ("rows", 5),
            ("rows", -1),
            ("t", np.nan),
            ("end", ["a"]),
            ("end", [1.0, [0.0, 0.0], [0.0, 0.0]]),
            ("steps", "x"),
            ("how", [1]),
            ("stopped", 3),
            ("stopped", "no reason"),
            ("drift", "x"),
            ("drift", 1e3),
            ("extra", 1),
            ("sum", None),
            ("sum", "0" * 32),
        )
    },
    "a list for a line": _lines(lambda lines: ["[1]", *lines[1:]]),
    "null for a line": _lines(lambda lines: ["null", *lines[1:]]),
    "a deep line": _lines(lambda lines: ["[" * 100_000, *lines[1:]]),
    "lines twice": _lines(lambda lines: [*lines, *lines]),
    "an old line": _lines(lambda lines: [*lines, json.dumps({**json.loads(lines[0]), "t": 0.1})]),
    "members gone": lambda where: (where / "members.jsonl").unlink(),
    "cut": lambda where: os.truncate(where / "q.npy", 500),
    "header alone": lambda where: os.truncate(where / "q.npy", 128),
    "empty": lambda where: os.truncate(where / "q.npy", 0),
    "gone": lambda where: (where / "q.npy").unlink(),
    "other shape": _array(lambda q: np.zeros((3, 4, 2))),
    "whole numbers": _array(lambda q: np.zeros(q.shape, dtype=int)),
    "single precision": _array(lambda q: q.astype(np.float32)),
    "column by column": _array(np.asfortranarray),
    "the other byte order": _array(lambda q: q.astype(">f8")),
    "more members": _array(lambda q: np.zeros((100, *q.shape[1:]))),
    "objects": _array(lambda q: np.array([{"a": 1}] * 4, dtype=object)),
    "no array": _bytes("q.npy", b"\x93NUMPY\x09\x09 what is this"),
    "a member of NaN": _array(lambda q: np.where(np.arange(len(q))[:, None, None] == 3, np.nan, q)),
    "members exchanged": _array(lambda q: q[::-1]),
    "bits flipped": _flip,
    "never written": _array(np.zeros_like),
    "another sweep's": _another,
    "lines of another file": lambda where: (where / "v.npy").write_bytes((where / "q.npy").read_bytes()),
}
UNUSABLE = {
    "description cut": _bytes("sweep.json", b'{"for'),
    "description empty": _bytes("sweep.json", b""),
    "description binary": _bytes("sweep.json", b"\xff\xfe"),
    "description deep": _bytes("sweep.json", b"[" * 100_000),
    "description a list": _bytes("sweep.json", b"[]"),
    "description of nothing": _bytes("sweep.json", b'{"format": "rbdkit sweep", "version": 2, "parts": []}'),
    "description of version 1": _bytes("sweep.json", b'{"format": "rbdkit sweep", "version": 1, "parts": {}}'),
    "description gone": lambda where: (where / "sweep.json").unlink(),
    "description a folder": lambda where: ((where / "sweep.json").unlink(), (where / "sweep.json").mkdir()),
    "members a folder": lambda where: ((where / "members.jsonl").unlink(), (where / "members.jsonl").mkdir()),
    "array a folder": lambda where: ((where / "q.npy").unlink(), (where / "q.npy").mkdir()),
}
POSIX = {
    "array a pipe": lambda where: ((where / "q.npy").unlink(), os.mkfifo(where / "q.npy")),
    "lock a folder": lambda where: ((where / "lock").unlink(), (where / "lock").mkdir()),
    "lock a link to nowhere": lambda where: ((where / "lock").unlink(), (where / "lock").symlink_to("/no/such/file")),
}
UNUSABLE |= {} if os.name == "nt" else POSIX


def _damaged(whole, tmp_path, change):
    folder = tmp_path / "store"
    shutil.copytree(whole[0], folder)
    change(folder)
    return folder


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_members_are_computed_again(whole, tmp_path, damage):
    folder, expected = _damaged(whole, tmp_path, DAMAGES[damage]), whole[1]
    for _ in range(2):  # computed, then read
        found = _sweep(folder)
        np.testing.assert_array_equal(found.q, expected.q)
        np.testing.assert_array_equal(found.v, expected.v)
        assert found.report.steps == expected.report.steps and found.report.drift == expected.report.drift
        assert np.array_equal(found.rows, expected.rows) and not found.ends and not found.failures
    assert f"{MEMBERS} members were in the store" in repr(found) and "damaged" not in repr(found)


def test_a_report_says_what_was_damaged(whole, tmp_path):
    folder = _damaged(whole, tmp_path, _flip)
    assert f"{MEMBERS - 1} members were in the store, 1 in the store were damaged and computed again" in repr(
        _sweep(folder)
    )


@pytest.mark.parametrize("damage", UNUSABLE)
def test_what_is_no_store_is_refused_and_left_alone(whole, tmp_path, damage):
    folder = _damaged(whole, tmp_path, UNUSABLE[damage])
    before = sorted((file.name, file.stat().st_size) for file in folder.iterdir() if file.is_file())
    with pytest.raises(SimulationError, match=r"^store = '.*store'"):
        _sweep(folder)
    assert sorted((file.name, file.stat().st_size) for file in folder.iterdir() if file.is_file()) == before


@pytest.mark.parametrize("where", [3, b"bytes", "", ["x"], "a\0b", "a" * 300, "~nobody-at-all/x", "a\udcffb\0"])
def test_what_is_no_folder_is_refused(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SimulationError, match=r"^store = "):
        _sweep(where)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_died_before_it_began_leaves_a_usable_folder(tmp_path):
    (tmp_path / ".rbdkit-12ab34cd.json").write_text('{"format": ')
    (tmp_path / "lock").write_text("")
    _sweep(tmp_path)
    assert f"{MEMBERS} members were in the store" in repr(_sweep(tmp_path))


def test_another_version_of_rbdkit_computes_anew(whole, tmp_path, monkeypatch):
    folder = _damaged(whole, tmp_path, lambda where: None)
    monkeypatch.setattr(rbd, "__version__", "0.0.1")
    with pytest.raises(SimulationError, match=r"differs in the version of rbdkit; give another folder"):
        _sweep(folder)


@pytest.mark.skipif(os.name == "nt", reason="no limits of this kind")
@pytest.mark.parametrize("room", [20, 5000, 9000])
def test_a_full_disk_is_an_error_and_loses_nothing(whole, tmp_path, room):
    """No file may grow beyond so many bytes; in a process of its own, for a signal would end it."""
    code = f"""
import resource, sys
import rbdkit as rbd
sys.path.insert(0, {str(os.path.dirname(__file__))!r})
from test_sweep_store import _sweep
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, resource.RLIM_INFINITY))
try:
    _sweep({str(tmp_path / "store")!r})
except rbd.errors.SimulationError as fault:
    print(fault)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert "File too large" in run.stdout
    found = _sweep(tmp_path / "store")
    np.testing.assert_array_equal(found.q, whole[1].q)


def test_members_that_still_had_room_are_kept(tmp_path, monkeypatch):
    """Of a chunk the sixth finds no room: the five before it are done."""
    put, numbers = store.Store._put, []

    def full(self, name, number, row):
        numbers.append(number)
        if number == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return put(self, name, number, row)

    monkeypatch.setattr(store.Store, "_put", full)
    with pytest.raises(SimulationError, match=r"cannot be written to any more: .*No space left.*goes on from there"):
        _sweep(tmp_path, MEMBERS)
    assert max(numbers) == 5
    monkeypatch.undo()
    assert "5 members were in the store" in repr(_sweep(tmp_path))


def test_models_without_coordinates_and_with_states_of_forces(tmp_path):
    model = rbd.Model("table")
    model.add_body("table", inertia=rbd.Inertia.cylinder(0.5, 0.1, mass=4.0))
    arm = double_pendulum()
    path = ["world", ("rod1", (0.1, 0.0, -0.5)), ("rod2", (0.0, 0.0, -0.5))]
    arm.add_muscle("biceps", path, peak_force=30.0, optimal_length=1.2, activation=0.1, excitation=0.9)
    for own, name in ((model, "table.mass"), (arm, "rod1.mass")):
        for _ in range(2):
            kept = rbd.sweep(own, {name: [1.0, 2.0]}, store=tmp_path / own.name, **SHORT)
        plain = rbd.sweep(own, {name: [1.0, 2.0]}, **SHORT)
        assert "2 members were in the store" in repr(kept)
        for x in ("q", "v", "z"):
            np.testing.assert_array_equal(getattr(kept, x), getattr(plain, x))
