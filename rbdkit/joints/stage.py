"""Groups of a joint's freedoms, in the order in which they move each other's axes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """A group of freedoms whose axes are constant in one frame.

    freedoms : indices of these freedoms in the joint, or of its `parts`.
    carried : whether that frame is the one after the group, which they move; else the one before.
    """

    freedoms: tuple[int, ...]
    carried: bool = True
