"""A sweep that keeps its motions in a folder goes on where it was, whatever ended it."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.library import double_pendulum, pendulum
from rbdkit.simulation import SimulationWarning, room
from rbdkit.simulation.ensembles import plan
from rbdkit.simulation.ensembles.fingerprint import digest

SHORT = {"duration": 0.2, "dt": 2e-3, "progress": False}
ANGLES = {"hinge.angle": np.linspace(0.1, 1.2, 12)}


def build(rod):
    """Slowly, so that there is time to interrupt it."""
    build.calls.append(rod)
    time.sleep(0.15)
    return pendulum(rod)


build.calls = []
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


def test_only_what_is_missing_is_computed(tmp_path):
    build.calls.clear()
    whole = rbd.sweep(build, RODS, [0.4], threads=1, chunk=1, **SHORT)
    with pytest.warns(SimulationWarning, match="INTERRUPTED"):
        part = rbd.sweep(
            build, RODS, [0.4], threads=1, chunk=1, store=tmp_path, **SHORT | {"progress": interrupted_after(0.3)}
        )
    done = np.isfinite(part.q[:, -1, 0])
    assert 0 < done.sum() < 6
    build.calls.clear()
    rest = rbd.sweep(build, RODS, [0.4], threads=1, chunk=1, store=tmp_path, **SHORT)
    assert build.calls.count(1.0) == 1  # once, to know the names
    assert sorted({*build.calls} - {1.0}) == sorted({*np.array(RODS["rod"])[~done]} - {1.0})
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


def test_digests_tell_functions_apart_by_what_they_use():
    def law(gain, words="as ever"):
        def tau(t, q, v):
            """Words."""
            return -gain * v if words else q

        return tau

    same = digest("tau", law(2.0))
    assert digest("tau", law(2.0)) == same
    assert len({same, digest("tau", law(3.0)), digest("tau", law(2.0, "")), digest("tau", law(np.ones(2)))}) == 4
    assert digest("tau", partial(law, 2.0)) != digest("tau", partial(law, 3.0))
    assert digest("q0", [1.0, 2.0]) != digest("q0", [2.0, 1.0])
    with pytest.raises(SimulationError, match=r"tau uses 'generator', which cannot be compared"):
        digest("tau", law(x for x in ()))


def test_digests_are_the_same_in_another_process():
    code = (
        "import rbdkit as rbd, numpy as np\n"
        "from rbdkit.simulation.ensembles.fingerprint import digest\n"
        "print(digest('all', [rbd.library.double_pendulum(), {'a': (1, 2.5), 'b': {'x', 'y', 'z'}}, np.arange(3.0),\n"
        "    rbd.integrators.GeneralizedAlpha(0.8), rbd.library.double_pendulum]))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout and runs[0].stdout == runs[1].stdout, runs[0].stderr
