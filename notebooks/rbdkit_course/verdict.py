"""The verdict that the check of an exercise returns."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Verdict:
    """Verdict on an answer: right or not, and why. A notebook displays it; it is true if the answer is right.

    `exercise` is the name of the exercise (``"F05-1"``, or empty where a check belongs to none), `points` the points
    that the answer earns: the stars of the exercise, or 0.
    """

    right: bool
    why: str
    exercise: str = ""
    points: int = 0

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return f"{'✓ right' if self.right else '✗ not yet'}: {self.why}"

    def _repr_html_(self) -> str:
        color, word = ("#1a7f37", "✓ right") if self.right else ("#bc4c00", "✗ not yet")
        return (
            f"<div style='border-left:4px solid {color};padding:4px 10px'>"
            f"<b style='color:{color}'>{word}</b>&ensp;{escape(self.why)}</div>"
        )


def right(why: str) -> Verdict:
    """Return the verdict on a right answer."""
    return Verdict(True, why)


def wrong(why: str) -> Verdict:
    """Return the verdict on an answer that is not right, with a hint."""
    return Verdict(False, why)
