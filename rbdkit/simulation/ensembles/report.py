"""The report of a sweep: code that ran, energy drift, failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rbdkit.simulation.ensembles.values import show
from rbdkit.simulation.report import TOO_MUCH

SHOWN = 3
"""Largest number of failures that a report lists."""


@dataclass(frozen=True)
class Failure:
    """A member whose motion is missing, or ended early.

    Attributes
    ----------
    member : int
        Number of the member.
    parameters : mapping of str to object
        Values of the member by name.
    reason : str
        Reason in words.
    t : float
        Time of its last state, s; 0 if none.
    """

    member: int
    parameters: Mapping[str, Any]
    reason: str
    t: float

    def __str__(self) -> str:
        return f"member {self.member} ({written(self.parameters)}): {self.reason}"


@dataclass(frozen=True)
class SweepReport:
    """How a sweep was run and how far it can be trusted.

    Attributes
    ----------
    code : mapping of str to int
        Number of members by the code that computed them, and why nothing faster.
    place : str
        Workers that computed them, in words.
    steps : int
        Total number of steps.
    wall_time : float
        Wall time, s.
    drift, worst
        Largest energy error of a conservative member, relative to its energy scale, found at some of its states, and
        the number of this member; None if no member is conservative.
    failures : tuple of Failure
        Members that are missing or ended early.
    interrupted : bool
        Whether the user ended the sweep.
    """

    code: Mapping[str, int]
    place: str
    steps: int
    wall_time: float
    drift: float | None
    worst: int | None
    failures: tuple[Failure, ...]
    interrupted: bool

    def lines(self, worst: Mapping[str, Any] | None = None) -> list[str]:
        """Return the report as lines of text. worst : values of the member with the largest energy error."""
        rate = f", {self.steps / self.wall_time:.3g} steps a second" if self.steps else ""
        lines = [f"{self.steps} steps in {self.wall_time:.3g} s{rate}; {self.place}"]
        lines += [f"{count} x {code}" for code, count in self.code.items()]
        if self.drift is not None and worst is not None:
            lines.append(f"energy drift: at most {self.drift:.2g}, in member {self.worst} ({written(worst)})")
        return lines + self.alarms()

    def alarms(self) -> list[str]:
        """Return the alarms: lines on missing or doubtful members, also issued as a warning."""
        lines = ["INTERRUPTED: what was done until then is kept"] if self.interrupted else []
        others = [failure for failure in self.failures if not failure.reason.startswith("interrupted")]
        if others:
            lines.append(f"FAILED: {len(others)} member{'s' * (len(others) > 1)}, see ensemble.failures")
            lines += [f"  {failure}" for failure in others[:SHOWN]]
        if self.drift is not None and self.drift > TOO_MUCH:
            lines.append(
                f"ENERGY DRIFT {self.drift:.2g} of the energy that moves about, in member {self.worst}: its step is "
                f"likely too long; ensemble.simulate({self.worst}) says more"
            )
        return lines


def written(parameters: Mapping[str, Any]) -> str:
    """Return values by name as a text."""
    return ", ".join(f"{name} = {show(value)}" for name, value in parameters.items())
