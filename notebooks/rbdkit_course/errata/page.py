"""The findings as a table, and one by one with their checks; both are computed when they are displayed."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit_course.errata.finding import Finding


class Summary:
    """Table with a row for each finding, grouped by source; the errors come from the checks.

    Findings with a doubt come in a second table, under a heading that leaves open who is to blame.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.findings))

    def _repr_markdown_(self) -> str:
        plain = [finding for finding in self.findings if not finding.doubt]
        doubtful = [finding for finding in self.findings if finding.doubt]
        parts = [f"**Misprints and slips: {len(plain)}**", table(plain, "Printed")]
        if doubtful:
            parts += [f"**Perhaps only in the copy that was read: {len(doubtful)}**", table(doubtful, "As read")]
        return "\n\n".join(parts)


def table(findings: Sequence[Finding], reading: str) -> str:
    """Return a Markdown table of the findings; `reading` is the title of the column of the wrong form."""
    lines = [f"| Place | {reading} | Right | {reading} form off by | Right form off by |", "|:--|:--|:--|--:|--:|"]
    source = None
    for finding in findings:
        if finding.source != source:
            source = finding.source
            lines.append(f"| **{source}** | | | | |")
        found, unit = finding.errors, f" {finding.unit}" if finding.unit else ""
        lines.append(
            f"| {finding.place} | {finding.printed} | {finding.right} "
            f"| **{found.printed:.2g}**{unit} | {found.right:.1g} |"
        )
    return "\n".join(lines)


class Details:
    """Every finding with its reason, its check and the numbers."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.findings))

    def _repr_markdown_(self) -> str:
        return "\n\n".join(finding._repr_markdown_() for finding in self.findings)
