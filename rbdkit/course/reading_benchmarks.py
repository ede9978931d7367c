"""Checks of the exercises in the notebook on reading benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.course.verdict import Verdict, right, wrong

SPREAD = 0.02
"""Standard deviation of a ratio that counts as known, of the ratio."""


def bursts(rounds: int, seed: int = 0) -> tuple[NDArray, NDArray]:
    """Times of two contenders on an imagined busy machine, s, each (rounds,): the first takes twice as long.

    Each time has a few per cent of noise, one in ten meets a neighbour and takes much longer, and the clock of the
    processor wanders, for both alike.
    """
    rng = np.random.default_rng(seed)
    wander = 1.0 + 0.1 * np.sin(np.linspace(0.0, 2.0 * np.pi, rounds) + rng.uniform(0.0, 2.0 * np.pi))
    noise = rng.lognormal(0.0, 0.08, (2, rounds)) * np.where(rng.random((2, rounds)) < 0.1, rng.uniform(1.5, 4.0), 1.0)
    return 2e-3 * wander * noise[0], 1e-3 * wander * noise[1]


def ratio(answer: float, theirs: ArrayLike, states_theirs: int, ours: ArrayLike, states_ours: int) -> Verdict:
    """Exercise 1: how many times faster ours is, from the times of bursts (s) and the number of states in each."""
    if not _is_number(answer):
        return wrong(f"{answer!r} is not a positive number.")
    a, b = np.asarray(theirs, dtype=float) / states_theirs, np.asarray(ours, dtype=float) / states_ours
    exact = float(np.median(a) / np.median(b))
    slips: dict[str, Any] = {
        "is upside down: larger should mean that ours is faster, so divide theirs by ours.": 1.0 / exact,
        "compares bursts of different size: divide each by its states.": exact * states_theirs / states_ours,
        "comes from means, in which a few disturbed bursts weigh too much. Take medians.": np.mean(a) / np.mean(b),
        "comes from the fastest bursts: luck, not what one can count on. Take medians.": np.min(a) / np.min(b),
    }
    if abs(answer - exact) <= 0.005 * exact:
        return right(f"{answer:.3g}: the median of theirs over the median of ours, both a state.")
    for why, value in slips.items():
        if abs(answer - value) <= 0.005 * value:
            return wrong(f"{answer:.3g} {why}")
    return wrong(f"{answer:.3g} is off. Time a state of each, then the median of theirs over the median of ours.")


def rounds_needed(answer: int) -> Verdict:
    """Exercise 2: how many rounds, to a factor of two, until the ratio of `bursts` is known to 2 per cent."""
    if not isinstance(answer, int | np.integer) or answer < 1:
        return wrong(f"{answer!r} is not a number of rounds.")
    if answer > 5000:
        return wrong(f"{answer} rounds take long; far fewer are enough.")
    own, half = _spread(int(answer)), _spread(max(1, int(answer) // 2))
    if own > SPREAD * 1.05:  # so much is the chance in the spread itself
        return wrong(f"with {answer} rounds the ratio still varies by {own:.1%} from one run to the next; take more.")
    if half <= SPREAD * 0.95:
        return wrong(f"{answer} rounds are safe ({own:.1%}), but half as many are too ({half:.1%}); be bolder.")
    return right(
        f"{answer} rounds: the ratio varies by {own:.1%}, with half as many by {half:.1%}, about √2 times as much."
    )


def _spread(rounds: int, runs: int = 400) -> float:
    """Standard deviation of the ratio of medians over many runs, relative."""
    ratios = [float(np.median(a) / np.median(b)) for a, b in (bursts(rounds, seed) for seed in range(runs))]
    return float(np.std(ratios) / np.mean(ratios))


def takes_turns(race: Callable[[Mapping[str, Callable[[], object]], int], Mapping[str, Any]]) -> Verdict:
    """Exercise 3: a function of (contenders, rounds) that measures them in turns and returns a median for each."""
    calls: list[str] = []
    names, rounds = ("slow", "middle", "fast"), 12
    contenders = {name: lambda name=name: calls.append(name) for name in names}
    try:
        medians = race(contenders, rounds)
    except Exception as fault:  # a student's function may raise anything
        return wrong(f"it raised {type(fault).__name__}: {fault}")
    if not isinstance(medians, Mapping) or set(medians) != set(names):
        return wrong(f"it returned {medians!r}; return a dictionary with one number for each of {', '.join(names)}.")
    if not all(_is_number(value) for value in medians.values()):
        return wrong(f"it returned {dict(medians)!r}; every value must be a time in seconds.")
    missing = [name for name in names if calls.count(name) < rounds]
    if missing:
        return wrong(f"{missing[0]!r} ran {calls.count(missing[0])} times, not {rounds}.")
    return _judge_order(calls, names)


def _judge_order(calls: Sequence[str], names: Sequence[str]) -> Verdict:
    same = sum(a == b for a, b in pairwise(calls)) / (len(calls) - 1)
    if same > 0.6:
        return wrong(
            "it runs all rounds of one contender, then all of the next: what the machine does meanwhile, one of them "
            "has to bear alone. Run each once a round."
        )
    body = calls[len(calls) % len(names) :]
    turns = {tuple(body[k : k + len(names)]) for k in range(0, len(body), len(names))}
    if len(turns) == 1:
        return right(
            "they take turns. In random order within a round it would be better still: who comes after whom matters."
        )
    return right("they take turns, in an order that changes: nobody always runs in the other's warm cache.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.floating | np.integer) and bool(0.0 < value < np.inf)
