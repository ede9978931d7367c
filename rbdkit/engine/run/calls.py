"""Programs that wait, bound to arrays, for the next call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.lanes import Apart, Given
from rbdkit.engine.run.recipes import Task
from rbdkit.engine.run.signatures import INPUTS, OUTPUTS


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame of the model. link : number of the link that it is fixed to. pose : 12 numbers, in that link."""

    link: int
    pose: tuple[float, ...]


class Job(NamedTuple):
    """An algorithm for states. external : whether there are external forces. frame : that it is about, if any."""

    algorithm: str
    external: bool = False
    frame: Frame | None = None

    @property
    def task(self) -> Task:
        """What the program is to do."""
        return Task(self.algorithm, self.external)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the arrays that it reads and writes for each state."""
        return INPUTS[self.algorithm] + ("f_ext",) * self.external + OUTPUTS[self.algorithm]

    def about(self, arrays: Mapping[str, Given], states: int) -> tuple[dict[str, Given], dict[str, int]]:
        """What the program is bound to: arrays with those of the frame, and counts."""
        if self.frame is None:
            return {**arrays}, {"states": states}
        return {**arrays, "frame_pose": np.array(self.frame.pose)}, {"states": states, "frame_link": self.frame.link}


@dataclass(frozen=True)
class Call:
    """A program bound to arrays of its own, ready for one state at a time."""

    inputs: list[NDArray]
    outputs: list[NDArray]
    run: Callable[[], None]


@dataclass(frozen=True)
class StackCall:
    """A program for several lanes, ready for stacks of so many states, wherever they stand."""

    states: int
    places: list[Apart]
    driven: list[NDArray]
    run: Callable[[], None]
