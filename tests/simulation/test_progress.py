import io

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
