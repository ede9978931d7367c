"""The findings as a table, and one after the other with their checks; both computed when they are shown."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.course.errata.finding import Finding


class Summary:
    """One row for each finding, under the names of the sources; the errors are those that the checks give."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.findings))

    def _repr_markdown_(self) -> str:
        lines = ["| Place | Printed | Right | Printed form off by | Right form off by |", "|:--|:--|:--|--:|--:|"]
        source = None
        for finding in self.findings:
            if finding.source != source:
                source = finding.source
                lines.append(f"| **{source}** | | | | |")
            found, unit = finding.errors, f" {finding.unit}" if finding.unit else ""
            mark = " †" if finding.doubt else ""
            lines.append(
                f"| {finding.place}{mark} | {finding.printed} | {finding.right} "
                f"| **{found.printed:.2g}**{unit} | {found.right:.1g} |"
            )
        return "\n".join([*lines, "", "† perhaps damage to the text that was read, not a misprint"])


class Details:
    """Every finding with its reason, its check and the numbers."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.findings))

    def _repr_markdown_(self) -> str:
        return "\n\n".join(finding._repr_markdown_() for finding in self.findings)
