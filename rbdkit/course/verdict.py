"""What a check of an exercise answers."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Verdict:
    """Right or not, and why. Shows itself in a notebook; is true in an ``assert`` when the answer is right.

    `exercise` is the name of the exercise (``"F05-1"``, or empty where a check belongs to none), `points` what the
    answer earns: as many as the exercise has stars, or nothing.
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
    """The verdict on a right answer."""
    return Verdict(True, why)


def wrong(why: str) -> Verdict:
    """The verdict on an answer that is not right, with a hint."""
    return Verdict(False, why)
