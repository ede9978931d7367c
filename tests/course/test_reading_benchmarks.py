"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import random
import time
import types

import numpy as np
import pytest

from rbdkit_course import reading_benchmarks
from rbdkit_course.reading_benchmarks import bursts, ratio, rounds_needed, takes_turns

THEIRS, OURS = bursts(50, seed=1)


def check(answer):
    return ratio(answer, THEIRS, 64, OURS, 4096)


def test_the_imagined_machine_has_the_ratio_that_it_says():
    """Medians of many bursts; both have the same noise, so that the ratio of their medians is that of their times."""
    theirs, ours = bursts(20_000)
    assert np.median(theirs) / np.median(ours) == pytest.approx(2.0, rel=5e-3)
    assert np.mean(ours) > 1.1 * np.median(ours)


def test_ratio():
    exact = np.median(THEIRS) / 64 / (np.median(OURS) / 4096)
    assert check(exact)
    assert check(round(exact, 1))


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (np.median(OURS) / 4096 / (np.median(THEIRS) / 64), "upside down"),
        (np.median(THEIRS) / np.median(OURS), "different size"),
        (64 * np.mean(THEIRS) / np.mean(OURS), "means"),
        (64 * np.min(THEIRS) / np.min(OURS), "luck"),
        (1.0, "off"),
        ("2x", "not a positive number"),
        (float("inf"), "not a positive number"),
    ],
)
def test_ratio_explains_wrong_answers(answer, word):
    verdict = check(answer)
    assert not verdict
    assert word in verdict.why


def test_rounds():
    verdicts = {n: rounds_needed(n) for n in (10, 30, 100, 300, 1000, 10_000)}
    assert [n for n, verdict in verdicts.items() if verdict] == [100]
    assert "take more" in verdicts[30].why
    assert "bolder" in verdicts[300].why
    assert "far fewer" in verdicts[10_000].why
    assert "not a number of rounds" in rounds_needed(0.5).why


def test_up_to_twice_as_many_rounds_are_right(monkeypatch):
    """With a spread of 0.2 / sqrt(n) it is 0.021 at 90.7 rounds and 0.019 at 110.8; 221 is less than twice that."""
    monkeypatch.setattr(reading_benchmarks, "_spread", lambda rounds: 0.2 / np.sqrt(rounds))
    assert [n for n in range(1, 400) if rounds_needed(n)] == list(range(91, 222))


def test_more_rounds_help_as_the_square_root():
    """Of independent bursts; those with a common slow clock share it, and it drops out of the ratio."""
    few, many = reading_benchmarks._spread(50), reading_benchmarks._spread(800)
    assert few / many == pytest.approx(4.0, rel=0.25)


def in_turns(contenders, rounds, shuffle=True, warm=True):
    times = {name: [] for name in contenders}
    for run in contenders.values() if warm else ():
        run()
    for _ in range(rounds):
        for name in random.sample(list(contenders), len(contenders)) if shuffle else contenders:
            begun = time.perf_counter()
            contenders[name]()
            times[name].append(time.perf_counter() - begun)
    return {name: np.median(seconds) for name, seconds in times.items()}


def one_after_the_other(contenders, rounds):
    return {name: in_turns({name: run}, rounds)[name] for name, run in contenders.items()}


@pytest.mark.parametrize("warm", [True, False])
def test_takes_turns(warm):
    assert "changes" in takes_turns(lambda c, n: in_turns(c, n, warm=warm)).why
    fixed = takes_turns(lambda c, n: in_turns(c, n, shuffle=False, warm=warm))
    assert fixed
    assert "random order" in fixed.why


@pytest.mark.parametrize("warm_ups", range(6))
def test_rounds_to_warm_up_do_not_count(warm_ups, monkeypatch):
    """By a clock that only the contenders move on, so that the times of the race are those of the contenders."""
    now = [0.0]
    clock = types.SimpleNamespace(perf_counter=lambda: now[0], sleep=lambda s: now.append(now.pop() + s))
    monkeypatch.setattr(reading_benchmarks, "time", clock)

    def race(contenders, rounds):
        times = {name: [] for name in contenders}
        for _ in range(warm_ups + rounds):
            for name, run in contenders.items():
                begun = now[0]
                run()
                now[0] += 5e-5  # to read the clock and to call
                times[name].append(now[0] - begun)
        return {name: np.median(seconds[warm_ups:]) for name, seconds in times.items()}

    verdict = takes_turns(race)
    assert verdict and "random order" in verdict.why


@pytest.mark.parametrize(
    ("race", "word"),
    [
        (one_after_the_other, "has to bear alone"),
        (lambda contenders, rounds: in_turns(contenders, rounds - 1, warm=False), "ran 11 times, not 12"),
        (lambda contenders, rounds: in_turns({"slow": contenders["slow"]}, rounds), "for each of slow, middle, fast"),
        (lambda contenders, rounds: None, "returned None"),
        (lambda contenders, rounds: in_turns(contenders, rounds) | {"fast": "quick"}, "time in seconds"),
        (lambda contenders, rounds: contenders["quick"], "KeyError"),
    ],
)
def test_takes_turns_explains(race, word):
    verdict = takes_turns(race)
    assert not verdict
    assert word in verdict.why
