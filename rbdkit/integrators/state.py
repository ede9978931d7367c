"""State of a run, and the evaluations inside a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.integrators.newton import Solve


@dataclass(frozen=True, eq=False)
class State:
    """State of a run. States never change: keep one to go back to it.

    Attributes
    ----------
    t, x, v
        Time and state of the system.
    memory : object
        Further data that the method carries to its next step, or None.
    solve : Solve or None
        History of the solution of the last step's equations; None for explicit methods.
    """

    t: float
    x: NDArray
    v: NDArray
    memory: Any = None
    solve: Solve | None = None


@dataclass(frozen=True, eq=False)
class Stage:
    """An evaluation inside a step: time, state, and the rates of displacement and velocity found there."""

    t: float
    x: NDArray
    v: NDArray
    u_rate: NDArray
    v_rate: NDArray
