"""Record of one misprint: the printed form, the right form, and a check that tells them apart."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Errors(NamedTuple):
    """Errors of the printed form and of the right form, against a value that was computed independently."""

    printed: float
    right: float


@dataclass(frozen=True)
class Finding:
    """A misprint or mistake in a source.

    Attributes
    ----------
    source : str
        Author, as in the headings of the page.
    place : str
        Equation, table or section.
    printed, right : str
        The part that differs, Markdown with formulas between dollars.
    why : str
        How the check tells them apart, or what follows.
    check : callable
        Computes the errors of both forms by a route that uses neither.
    margin : float
        Lower bound of the printed form's error.
    tolerance : float
        Upper bound of the right form's error.
    unit : str
        Unit of the errors, if they have one.
    doubt : str
        Reason to believe that the copy at hand is damaged rather than the print wrong; empty where the print is
        certain. An entry with a doubt reports how the copy reads, and accuses nobody.
    """

    source: str
    place: str
    printed: str
    right: str
    why: str
    check: Callable[[], Errors]
    margin: float
    tolerance: float
    unit: str = ""
    doubt: str = ""

    @cached_property
    def errors(self) -> Errors:
        """Errors of both forms by the check, which is run once."""
        return Errors(*map(float, self.check()))

    def holds(self) -> bool:
        """Whether the printed form is off by more than the margin, and the right one by less than the tolerance."""
        found = self.errors
        return found.printed > self.margin and found.right < self.tolerance

    @property
    def reading(self) -> str:
        """Label of the first form: "printed", or "as read" where the copy may be damaged."""
        return "as read" if self.doubt else "printed"

    def __repr__(self) -> str:
        found, how = self.errors, "as read" if self.doubt else "as printed"
        return f"{self.source}, {self.place}: {how} off by {found.printed:.2g}, right {found.right:.1g}"

    def _repr_markdown_(self) -> str:
        found, unit = self.errors, f" {self.unit}" if self.unit else ""
        return "\n\n".join([
            f"#### {self.source}, {self.place}",
            "\n".join([
                "| | | off by |",
                "|:--|:--|--:|",
                f"| {self.reading} | {self.printed} | **{found.printed:.2g}**{unit} |",
                f"| right | {self.right} | {found.right:.1g}{unit} |",
            ]),
            self.why,
            *([f"*Perhaps not in print:* {self.doubt}"] if self.doubt else []),
            f"```python\n{textwrap.dedent(inspect.getsource(self.check)).strip()}\n```",
        ])  # fmt: skip
