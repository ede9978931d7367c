"""Checks of the exercises in the notebook on reading benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit_course.answers import brief, call, number, numbers, whole
from rbdkit_course.checks import checks
from rbdkit_course.parts import part
from rbdkit_course.verdict import Verdict, right, wrong

PARTS = {
    "Lanes": "rbdkit.trace:Lanes",
    "NativeCode": "rbdkit.trace.run.native:NativeCode",
    "Program": "rbdkit.trace:Program",
    "blank": "rbdkit.trace:blank",
    "machine": "rbdkit.trace.run.native:machine",
    "plt": "matplotlib.pyplot",
    "random": "random",
    "time": "time",
}
"""Names that the notebook imports from this module, and where each is defined."""

SPREAD = 0.02
"""Relative standard deviation up to which a ratio counts as known."""


def bursts(rounds: int, seed: int = 0) -> tuple[NDArray, NDArray]:
    """Draw times (rounds,), s, of two programs on a simulated busy computer; the first takes twice as long.

    Each time has noise of a few per cent, one in ten is much longer because of another process, and the clock rate of
    the processor drifts, for both alike.
    """
    rng = np.random.default_rng(seed)
    wander = 1.0 + 0.1 * np.sin(np.linspace(0.0, 2.0 * np.pi, rounds) + rng.uniform(0.0, 2.0 * np.pi))
    noise = rng.lognormal(0.0, 0.08, (2, rounds)) * np.where(rng.random((2, rounds)) < 0.1, rng.uniform(1.5, 4.0), 1.0)
    return 2e-3 * wander * noise[0], 1e-3 * wander * noise[1]


@checks("RB-1")
def ratio(given: Any, theirs: ArrayLike, states_theirs: int, ours: ArrayLike, states_ours: int) -> Verdict:
    """Exercise 1: how many times faster ours is, from the times of bursts (s) and the number of states in each."""
    answer = number(given)
    if answer is None or answer <= 0.0:
        return wrong(f"{brief(given)} is not a positive number.")
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


@checks("RB-2")
def rounds_needed(rounds: Any) -> Verdict:
    """Exercise 2: how many rounds, to a factor of two, until the ratio of `bursts` is known to 2 per cent."""
    answer = whole(rounds)
    if answer is None or answer < 1:
        return wrong(f"{brief(rounds)} is not a number of rounds.")
    if answer > 5000:
        return wrong(f"{answer} rounds take long; far fewer are enough.")
    own, half = _spread(answer), _spread(max(1, answer // 2))
    if own > SPREAD * 1.05:  # 5 %: the sampling error of the spread itself
        return wrong(f"with {answer} rounds the ratio still varies by {own:.1%} from one run to the next; take more.")
    if half <= SPREAD * 0.95:
        return wrong(f"{answer} rounds are safe ({own:.1%}), but half as many are too ({half:.1%}); be bolder.")
    return right(
        f"{answer} rounds: the ratio varies by {own:.1%}, with half as many by {half:.1%}, about √2 times as much."
    )


def _spread(rounds: int, runs: int = 400) -> float:
    """Return the relative standard deviation of the ratio of medians over many runs."""
    ratios = [float(np.median(a) / np.median(b)) for a, b in (bursts(rounds, seed) for seed in range(runs))]
    return float(np.std(ratios) / np.mean(ratios))


@checks("RB-3")
def takes_turns(race: Callable[[Mapping[str, Callable[[], object]], int], Mapping[str, Any]]) -> Verdict:
    """Exercise 3: a function of (contenders, rounds) that measures them in turns and returns a median for each."""
    calls: list[str] = []
    took: dict[str, list[float]] = {"slow": [], "middle": [], "fast": []}
    names, rounds = tuple(took), 12
    contenders = {name: lambda name=name, k=k: _busy(name, k, calls, took) for k, name in enumerate(names)}
    medians, fault = call(race, contenders, rounds)
    if fault:
        return wrong(fault)
    if not isinstance(medians, Mapping) or set(medians) != set(names):
        return wrong(f"it returned {brief(medians)}; return a dictionary with a number for each of {', '.join(names)}.")
    found = numbers([number(medians[name]) for name in names], len(names))
    if found is None or found.min() <= 0.0:
        return wrong(f"it returned {brief(dict(medians))}; every value must be a time in seconds.")
    missing = [name for name in names if calls.count(name) < rounds]
    if missing:
        return wrong(f"{missing[0]!r} ran {calls.count(missing[0])} times, not {rounds}.")
    order = _judge_order(calls, names)
    if not order:
        return order
    counted = {name: times[-rounds:] for name, times in took.items()}  # earlier calls were warm-up
    objection = _judge_times(found, counted)
    return order if objection is None else objection


def _busy(name: str, k: int, calls: list[str], took: dict[str, list[float]]) -> None:
    """Sleep for some milliseconds, in some rounds for many more, and record the time taken."""
    begun = time.perf_counter()
    turn = len(took[name])
    time.sleep(1e-3 * (1.0 + 0.5 * (2 - k)) * (12.0 if turn % 4 == 2 else 1.0 + turn % 3))
    calls.append(name)
    took[name].append(time.perf_counter() - begun)


def _judge_times(found: NDArray, took: Mapping[str, Sequence[float]]) -> Verdict | None:
    """Return a verdict on the mistake in the times that the student's race returned, or None if they are right."""

    def like(summary: Callable[[Sequence[float]], float]) -> bool:
        return bool(np.allclose(found, [summary(times) for times in took.values()], rtol=0.25))

    if like(lambda times: float(np.median(times))):
        return None
    if like(lambda times: 1e3 * float(np.median(times))):
        return wrong("these are medians in milliseconds; give seconds.")
    if like(lambda times: float(np.mean(times))):
        return wrong("they take turns, but these are means: a few long bursts rule them. Give the median of each.")
    if like(min):
        return wrong("they take turns, but these are the fastest bursts. Give the median of each.")
    expected = ", ".join(f"{1e3 * np.median(times):.1f}" for times in took.values())
    return wrong(
        f"they take turns, but the times are {', '.join(f'{1e3 * x:.3g}' for x in found)} ms, where the medians are "
        f"{expected} ms."
    )


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


def __getattr__(name: str) -> Any:
    return part(name, __name__, PARTS)
