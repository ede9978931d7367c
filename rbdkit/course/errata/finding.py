"""One misprint: what stands there, what is right, and the check that tells them apart."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Errors(NamedTuple):
    """By how much the printed form and the right one miss what an independent route gives."""

    printed: float
    right: float


@dataclass(frozen=True)
class Finding:
    """A place in a source that does not hold as it stands.

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
        Computes both errors by a route that uses neither form.
    margin : float
        The printed form is off by more than this.
    tolerance : float
        The right form by less than this.
    unit : str
        Of the errors, if they have one.
    doubt : str
        What speaks for damage to the text that was read instead of a misprint; empty where the print is plain. An
        entry with a doubt says how the text reads that we have, and accuses nobody.
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
        """What the check says; it is run once."""
        return Errors(*map(float, self.check()))

    def holds(self) -> bool:
        """Whether the printed form is still wrong by more than the margin, and the right one within the tolerance."""
        found = self.errors
        return found.printed > self.margin and found.right < self.tolerance

    @property
    def reading(self) -> str:
        """What the first form is called: that of the print, or only that of the text that was read."""
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
