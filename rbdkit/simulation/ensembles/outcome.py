"""What became of one member of a sweep."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Outcome:
    """The motion of a member, or why there is none.

    Attributes
    ----------
    number : int
        Of the member.
    t, q, v : ndarray (n,), (n, nq), (n, nv)
        Recorded states; of a motion that ended early the last one that could be computed.
    steps : int
        Number of steps taken.
    how : str
        What computed it, and why nothing faster.
    stopped : str
        Empty, or why it ended early or never began.
    interrupted : bool
        Whether that was because someone asked for it.
    drift : float
        Largest energy error that was seen, relative to the energy that moves about; not a number if not judged.
    z : ndarray (n, nz)
        States of force elements.
    """

    number: int
    t: NDArray
    q: NDArray
    v: NDArray
    steps: int
    how: str
    stopped: str = ""
    interrupted: bool = False
    drift: float = np.nan
    z: NDArray = field(default_factory=lambda: np.zeros((0, 0)))


def refused(number: int, why: str, interrupted: bool = False) -> Outcome:
    """The outcome of a member that never moved."""
    nothing = np.zeros((0, 0))
    return Outcome(number, np.zeros(0), nothing, nothing, 0, "", why, interrupted)
