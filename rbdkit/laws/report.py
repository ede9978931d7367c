"""What a run with contacts has to say about them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rbdkit.laws.law import Law
from rbdkit.laws.log import Log
from rbdkit.laws.near import Pairs

UNSOLVED = 1e-3
"""Velocity that contacts miss their laws by, as a part of an ordinary speed, from which on forces are doubtful."""
OF_BLOWS = 1e-2
"""Part of the speed of the fastest body, likewise: blows are as precise as they are hard."""
DEEP = 0.1
"""Part of what bodies are thick from which on they are too deep in each other."""


@dataclass(frozen=True)
class ContactReport:
    """How contacts were computed in a run, and how well.

    Attributes
    ----------
    law : str
        Name of the law, with its options.
    assumes : str
        What it takes for granted.
    penetration : float
        Largest depth, m.
    where : str
        Which pair that was; empty if none was inside another.
    when : float
        And when, s.
    promise : str
        What the law says of depths.
    too_deep : bool
        Whether that is a tenth of what the bodies are thick, or more.
    residual : float
        Largest velocity by which the solution of a step missed the law of contact, m/s.
    rounds : int
        Sweeps, turns or pivots, the most that a step took.
    unsettled : int
        Steps whose solver did not come to its end.
    lost_normal, lost_friction : float
        Energy taken by normal forces and by friction, J.
    events : tuple of (str, int)
        How many there were of each kind.
    notes : tuple of str
        Anything else worth knowing.
    warnings : tuple of str
        What the law itself has doubts about.
    fastest : float
        Speed of the fastest body, m/s; looked at only where `residual` is large enough to raise a doubt.
    speed : float
        What is fast here, m/s: what falls over the length of the model.
    """

    law: str
    assumes: str
    penetration: float
    where: str
    when: float
    promise: str
    too_deep: bool
    residual: float
    rounds: int
    unsettled: int
    lost_normal: float
    lost_friction: float
    events: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    fastest: float = 0.0
    speed: float = 1.0

    def lines(self) -> list[str]:
        """The report as lines of text."""
        lines = [f"contact law {self.law}: {self.assumes}"]
        depth = f"{self.penetration:.2g} m ({self.where} at t = {self.when:.4g} s)" if self.where else "none"
        promised = f"; promised: {self.promise}" if self.promise else ""
        lines.append(f"largest penetration {depth}{promised}")
        if self.rounds:
            unsettled = f", {self.unsettled} steps not settled" if self.unsettled else ""
            beside = f" (bodies move with up to {self.fastest:.2g} m/s)" if self.fastest else ""
            lines.append(
                f"contacts solved to {self.residual:.2g} m/s{beside} in at most {self.rounds} rounds{unsettled}"
            )
        lines.append(f"contacts took {self.lost_normal:.4g} J along normals, {self.lost_friction:.4g} J by friction")
        if self.events:
            lines.append("events: " + ", ".join(f"{number} {kind}" for kind, number in self.events))
        return [*lines, *self.notes]

    @property
    def doubtful(self) -> bool:
        """Whether the residual would raise an alarm of slow bodies."""
        return not self.residual < UNSOLVED * self.speed

    def alarms(self) -> list[str]:
        """What makes the motion doubtful."""
        lines = list(self.warnings)
        if not self.residual < max(UNSOLVED * self.speed, OF_BLOWS * self.fastest):
            lines.append(
                f"CONTACTS NOT SOLVED: velocities miss the law of contact by up to {self.residual:.2g} m/s "
                f"({self.unsettled} steps did not settle); take more sweeps or a smaller tol, "
                "TimeStepping(sweeps=..., tol=...), a shorter step or solver 'pyramid'"
            )
        if self.too_deep:
            lines.append(
                f"PENETRATION: {self.where} are {self.penetration:.2g} m deep in each other at t = {self.when:.4g} s, "
                "much of what they are thick; take a shorter step, or stiffer surfaces of a compliant law"
            )
        return lines


def contact_report(law: Law, pairs: Pairs, log: Log) -> ContactReport:
    """The report that a log stands for."""
    counts = Counter(event.kind for event in log.events)
    deepest = log.deepest_where
    thick = float(pairs.thickness[pairs.names.index(deepest)]) if deepest in pairs.names else float("inf")
    options = ", ".join(f"{name}={value!r}" for name, value in law.options().items())
    return ContactReport(
        law=f"{law.name!r} ({options})" if options else repr(law.name),
        assumes=law.assumes,
        penetration=log.deepest,
        where=deepest,
        when=log.deepest_when,
        promise=law.promise(),
        too_deep=log.deepest > DEEP * thick,
        residual=log.residual,
        rounds=log.rounds,
        unsettled=log.unsettled,
        lost_normal=log.lost_normal[-1],
        lost_friction=log.lost_friction[-1],
        events=tuple(sorted(counts.items())),
        notes=log.all_notes(),
        warnings=log.all_alarms(law.passes),
        speed=log.speed,
    )
