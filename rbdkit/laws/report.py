"""The contact report of a run: penetration, solver residuals, dissipated energy, events, alarms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rbdkit.laws.law import Law
from rbdkit.laws.log import Log
from rbdkit.laws.near import Pairs

UNSOLVED = 1e-3
"""Residual velocity of the contact laws above which forces are doubtful, as a part of the reference speed."""
OF_BLOWS = 1e-2
"""Residual velocity that is admissible anyway, as a part of the speed of the fastest body: impacts are solved to a
relative tolerance."""
DEEP = 0.1
"""Penetration that raises an alarm, as a part of the thickness of the thinner body."""


@dataclass(frozen=True)
class ContactReport:
    """How contacts were computed in a run, and how accurately.

    Attributes
    ----------
    law : str
        Name of the contact law, with its options.
    assumes : str
        Assumptions of the law, in words.
    penetration : float
        Largest penetration, m.
    where : str
        Pair at which it occurred; empty if there was none.
    when : float
        Time at which it occurred, s.
    promise : str
        Penetration that the law allows, in words.
    too_deep : bool
        Whether the largest penetration exceeds a tenth of the thinner body's thickness.
    residual : float
        Largest velocity by which the solution of a step violated the contact law, m/s.
    rounds : int
        Largest number of solver iterations (sweeps, rounds or pivots) in a step.
    unsettled : int
        Number of steps whose solver did not converge.
    lost_normal, lost_friction : float
        Energy dissipated by normal forces and by friction, J.
    events : tuple of (str, int)
        Kinds of events with their numbers.
    notes : tuple of str
        Further remarks.
    warnings : tuple of str
        Alarms of the law itself.
    fastest : float
        Speed of the fastest body, m/s; computed only if `residual` is large enough to raise a doubt.
    speed : float
        Reference speed, m/s: that after a fall over the length of the model.
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
        """Return the report as lines of text."""
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
        """Whether the residual would raise an alarm if all bodies were slow."""
        return not self.residual < UNSOLVED * self.speed

    def alarms(self) -> list[str]:
        """Return the alarms: reasons to doubt the motion."""
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
    """Build the contact report of a run from its log."""
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
