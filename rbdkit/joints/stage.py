"""The freedoms of a joint in the order in which they move each other's axes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """Freedoms whose axes stand still in one frame.

    freedoms : their numbers in the joint, or of its `parts`.
    carried : whether that frame is the one they move; else the one before.
    """

    freedoms: tuple[int, ...]
    carried: bool = True
