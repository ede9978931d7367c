import io
import subprocess
import sys

import pytest

import rbdkit as rbd
from rbdkit.library import pendulum
from rbdkit.simulation.progress import Progress


class Clock:
    """Time that passes only when told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_nothing_is_shown_within_the_first_second(clock):
    stream = io.StringIO()
    watch = Progress(None, "run", stream, clock)
    clock.now += 0.99
    watch.update(0.3)
    watch.close()
    assert stream.getvalue() == ""


def test_then_a_line_appears_and_is_cleared_at_the_end(clock):
    stream = io.StringIO()
    watch = Progress(None, "run", stream, clock)
    clock.now += 2.0
    watch.update(0.5)
    line = stream.getvalue()
    assert line.startswith("\rrun ") and " 50 %, 2 s left" in line and "█" * 15 + "·" * 15 in line
    clock.now += 0.05
    watch.update(0.6)
    assert stream.getvalue() == line  # not more than ten times a second
    clock.now += 0.05
    watch.update(0.7)
    assert " 70 %, 1 s left" in stream.getvalue()
    watch.close()
    last = stream.getvalue().split("\r")[-2]
    assert last.strip() == "" and len(last) >= len(line) - 1
    assert stream.getvalue().endswith("\r")
    assert watch.elapsed == pytest.approx(2.1)


def test_true_shows_it_at_once_and_false_never(clock):
    eager, never = io.StringIO(), io.StringIO()
    Progress(True, "run", eager, clock).update(0.1)
    assert " 10 %" in eager.getvalue()
    quiet = Progress(False, "run", never, clock)
    clock.now += 10.0
    quiet.update(0.9)
    quiet.close()
    assert never.getvalue() == ""


def test_a_function_is_told_the_fraction_instead(clock):
    told, stream = [], io.StringIO()
    watch = Progress(told.append, "run", stream, clock)
    for fraction in (0.2, 0.4, 0.6):
        watch.update(fraction)
        clock.now += 0.06
    watch.close()
    assert told == [0.2, 0.6, 0.6] and stream.getvalue() == ""


def test_simulate_tells_its_progress_and_ends_at_one():
    told = []
    rbd.simulate(pendulum(), [1.0], duration=5.0, dt=1e-2, progress=told.append)
    assert 0.0 < told[0] < 0.5 and told[-1] == 1.0  # the first steps are few, to see how long they take
    assert told == sorted(told)


def test_an_interrupted_run_does_not_claim_to_be_whole():
    told = []

    def tau(t, q, v):
        if t > 0.2 and told[-1] < 1.0 and len(told) < 1000:
            told.extend([told[-1]] * 1000)
            raise KeyboardInterrupt
        return [0.0]

    with pytest.warns(UserWarning, match="interrupted"):
        rbd.simulate(pendulum(), [1.0], duration=0.5, dt=1e-2, tau=tau, progress=told.append)
    assert told[-1] < 0.5


def test_quick_runs_write_nothing(capsys):
    rbd.simulate(pendulum(), [1.0], duration=0.05)
    assert capsys.readouterr() == ("", "")


class Broken(io.StringIO):
    """A stream that fails when it is written to, as a pipe does that nobody reads."""

    def __init__(self, fault, terminal=True):
        super().__init__()
        self.fault, self.terminal = fault, terminal

    def isatty(self):
        if not self.terminal:
            raise self.fault
        return True

    def write(self, text):
        raise self.fault


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


STREAMS = {
    "none": lambda: None,
    "closed": closed,
    "a broken pipe": lambda: Broken(BrokenPipeError(32, "Broken pipe")),
    "one that cannot tell a terminal": lambda: Broken(OSError(5, "Input/output error"), terminal=False),
    "one that knows no blocks": lambda: Broken(UnicodeEncodeError("ascii", "█", 0, 1, "ordinal not in range(128)")),
    "no stream at all": object,
}


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("show", [None, True, False])
def test_nothing_ends_because_nobody_can_see_it(stream, show, clock, monkeypatch):
    """Services and windowed programs have no error stream."""
    monkeypatch.setattr("sys.stderr", STREAMS[stream]())
    monkeypatch.setattr("sys.stdout", STREAMS[stream]())
    watch = Progress(show, "run", clock=clock)
    clock.now += 5.0
    watch.update(0.5)
    watch.close()


def test_all_works_without_streams():
    """In a process that has none: what calls say, warn of and show."""
    code = """
import sys
sys.stderr = sys.stdout = sys.stdin = sys.__stderr__ = sys.__stdout__ = None
import numpy as np, rbdkit as rbd
from rbdkit.simulation import SimulationWarning
arm = rbd.library.double_pendulum()
for progress in (None, True):
    motion = rbd.simulate(arm, [1.0, 0.5], duration=0.2, dt=0.1, progress=progress)  # warns: the step is too long
    motion = rbd.simulate(arm, [1.0, 0.5], duration=0.1, progress=progress, tau=rbd.untraced(lambda t, q, v: -v))
    swept = rbd.sweep(arm, {"rod1.mass": [1.0, -1.0]}, duration=0.1, progress=progress)  # warns: a member fails
    compared = rbd.compare_runs(arm, [("joint", "rk4"), ("se3", "rk4")], duration=0.05, progress=progress)
text = repr((motion, swept, compared)) + rbd.to_html(motion)
rbd.to_png(motion, size=(32, 20))
rbd.Model("empty").validate()
sys.exit(7 if len(text) > 1000 and np.isfinite(motion.q).all() else 1)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300)
    assert (run.returncode, run.stdout, run.stderr) == (7, b"", b"")
