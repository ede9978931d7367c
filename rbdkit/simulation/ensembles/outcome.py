"""What became of one member of a sweep."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.trace import users_line


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


def sentence(fault: BaseException) -> str:
    """An exception in words, with the line of a user's code that it came from.

    Its kind is said where the message alone could be taken for something else.
    """
    text, line = " ".join(str(fault).split()), users_line(fault)
    text = text if isinstance(fault, RbdkitError) and text else f"{type(fault).__name__}: {text}".rstrip(": ")
    return text if line is None else f"{text} ({line.short}, in {line.function})"
