"""The run result of one member of a sweep."""

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
        Number of the member.
    t, q, v : ndarray (n,), (n, nq), (n, nv)
        Recorded states; after an early end the last row is the last state that could be computed.
    steps : int
        Number of steps.
    how : str
        The code that computed it, and why nothing faster.
    stopped : str
        Empty, or why it ended early or never began.
    interrupted : bool
        Whether the user interrupted it.
    drift : float
        Largest energy error, relative to the energy scale; NaN if not assessed.
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
    """Return the outcome of a member that was never computed, with the reason."""
    nothing = np.zeros((0, 0))
    return Outcome(number, np.zeros(0), nothing, nothing, 0, "", why, interrupted)
