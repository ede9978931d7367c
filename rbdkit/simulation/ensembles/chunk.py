"""Chunks of a sweep: members that one worker computes, a thread, a process, or a machine of a cluster.

Members that can share compiled code are grouped and computed in SIMD lanes; all others run alone through `simulate`. An
exception in a group makes its members run one by one, so that only the faulty one fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rbdkit.formulations import JointSystem
from rbdkit.simulation.asking import sentence
from rbdkit.simulation.choices import integrator_of, law_of
from rbdkit.simulation.ensembles.family import Family, Member
from rbdkit.simulation.ensembles.lanes import Lane, Sorter, run_lanes
from rbdkit.simulation.ensembles.outcome import Outcome, refused
from rbdkit.simulation.simulate import simulate
from rbdkit.simulation.within_limits import first_passed, why_not_stopped

INTERRUPTED = "interrupted before it began"
STOPPED, PASSED = ", joints stop at limits", ", joints pass limits: ensemble.simulate(k) says why"
"""What became of joint limits, said beside the code that computed a member."""

Tell = Callable[[float], object]


@dataclass(frozen=True)
class Chunk:
    """Members of a sweep by number, each with its values by name."""

    family: Family
    members: dict[int, Mapping[str, Any]]


def run_chunk(chunk: Chunk, tell: Tell | None = None) -> list[Outcome]:
    """Compute the members of a chunk; errors of one do not affect the others.

    Parameters
    ----------
    tell : Tell, optional
        Callback with the fraction done; if it raises KeyboardInterrupt, work ends and results so far are kept.
    """
    outcomes: dict[int, Outcome] = {}
    members: dict[int, Member] = {}
    groups: dict[Any, dict[int, Lane | Member]] = {}
    sorter = Sorter()
    for number, parameters in chunk.members.items():
        try:
            members[number] = member = chunk.family.member(parameters)
            compiled = sorter.lane(member)
        except Exception as fault:  # a function of the user's may raise anything, and must not take the others along
            outcomes[number] = refused(number, sentence(fault))
        else:
            key = number if compiled is None else compiled.kind
            groups.setdefault(key, {})[number] = compiled or member
    waiting = sum(map(len, groups.values()))
    done = 0
    for group in groups.values():
        results = _run_group(group, _part_of(tell, done, len(group), waiting))
        if any(isinstance(own, Lane) for own in group.values()):
            results = [_within_limits(result, members[result.number]) for result in results]
        outcomes |= {result.number: result for result in results}
        done += len(group)
        if any(result.interrupted for result in results):
            break
    return [outcomes.get(number) or refused(number, INTERRUPTED, interrupted=True) for number in chunk.members]


def _part_of(tell: Tell | None, done: int, size: int, whole: int) -> Tell | None:
    """Return the progress callback of a group, scaled to the whole chunk."""
    return None if tell is None else lambda fraction: tell((done + fraction * size) / whole)


def _run_group(group: dict[int, Any], tell: Tell | None) -> list[Outcome]:
    number, first = next(iter(group.items()))
    try:
        return run_lanes(group, tell) if isinstance(first, Lane) else [_run_alone(number, first, tell)]
    except KeyboardInterrupt:
        return [refused(number, INTERRUPTED, interrupted=True)]
    except Exception as fault:
        if len(group) == 1:
            return [refused(number, sentence(fault))]
        return [result for own in group.items() for result in _run_group(dict([own]), tell)]  # one spoils no other


def _within_limits(found: Outcome, member: Member) -> Outcome:
    """Return the motion of a member in a lane; one that passes a joint limit is computed alone, as `simulate` does."""
    options = member.options
    if not len(found.t) or found.interrupted or options.get("limits") is not None:
        return found
    if first_passed(member.model, found.t, found.q, found.v if options["every"] > 1 else None) is None:
        return found
    if why_not_stopped(JointSystem, law_of(options.get("contact")), integrator_of(options["integrator"])):
        return replace(found, how=found.how + PASSED)
    return _run_group({found.number: member}, None)[0]


def _run_alone(number: int, member: Member, tell: Tell | None) -> Outcome:
    """Compute a member by `simulate`."""
    motion = simulate(member.model, member.q0, member.v0, progress=tell or False, **member.options)
    report = motion.report
    assert report is not None
    drift = np.nan if report.balanced else report.energy_error
    interrupted = report.stopped.startswith("interrupted")
    how = report.backend + (STOPPED if report.stops else "")
    if member.options.get("limits") is None and any(one.what == "position" for one in report.violations):
        how += PASSED
    return Outcome(
        number, motion.t, motion.q, motion.v, report.steps, how, report.stopped, interrupted, drift, motion.z
    )
