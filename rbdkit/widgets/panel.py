"""A widget with a slider for each number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import RbdkitError
from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.front import Front


@dataclass(frozen=True)
class Slider:
    """One number: its name, unit, range, value at rest, and a sentence on what it does.

    Attributes
    ----------
    hard : bool
        Values outside the range are refused; otherwise they can still be typed.
    log : bool
        Whether equal ways along the slider are equal factors.
    choices : tuple of str
        Names to choose from; the number is then that of the choice.
    whole : bool
        Whether the slider stands on whole numbers only; low and high then are whole, too.

    Examples
    --------
    >>> from rbdkit.widgets import Slider
    >>> Slider("speed", "m/s", 1.0, 30.0, 10.0).unit
    'm/s'
    """

    name: str
    unit: str
    low: float
    high: float
    rest: float
    tip: str = ""
    hard: bool = False
    log: bool = False
    choices: tuple[str, ...] = ()
    whole: bool = False


class Panel(Front):
    """Sliders in a column, with buttons for random values and for the first ones.

    While Python works on one set of values the browser keeps only the newest; it follows when Python has answered.

    Parameters
    ----------
    title : str
        Above the sliders.
    sliders : sequence of Slider
        The numbers.
    on_change : callable
        Called with the values (n,) whenever a slider moves; an `RbdkitError` it raises is shown in the panel.
    on_random : callable, optional
        Gives random values (n,); without it they are uniform within the ranges.
    slots : sequence of str, optional
        Names of places to keep values in, to go to and fro between: 'A', 'B'.
    on_slot : callable, optional
        Called with the name of the slot that is gone to.
    """

    _module = traitlets.Unicode(module("dom", "words", "glide", "panel", "panel_widget")).tag(sync=True)
    _css = style("view")

    title = traitlets.Unicode("").tag(sync=True)
    rows: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    values = traitlets.Bytes(b"").tag(sync=True, echo_update=False, from_json=lambda value, _: bytes(value))
    asked = traitlets.Int(0).tag(sync=True, echo_update=False)
    answered = traitlets.Int(0).tag(sync=True)
    fault = traitlets.Unicode("").tag(sync=True)
    slots: traitlets.List[str] = traitlets.List().tag(sync=True)
    slot = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        title: str,
        sliders: Sequence[Slider],
        on_change: Callable[[NDArray], None],
        on_random: Callable[[], NDArray] | None = None,
        slots: Sequence[str] = (),
        on_slot: Callable[[str], None] | None = None,
    ) -> None:
        self.sliders = tuple(sliders)
        self._on_change, self._on_random, self._on_slot = on_change, on_random, on_slot
        rest = np.array([slider.rest for slider in self.sliders], dtype=float)
        super().__init__(
            title=title,
            rows=[asdict(slider) for slider in self.sliders],
            values=rest.tobytes(),
            slots=list(slots),
            slot=slots[0] if slots else "",
        )
        self.observe(self._changed, "asked")
        self.on_msg(self._message)

    @property
    def numbers(self) -> NDArray:
        """The values, shape (n,)."""
        return np.frombuffer(self.values, dtype=float).copy()

    @numbers.setter
    def numbers(self, numbers: ArrayLike) -> None:
        self.values = np.asarray(numbers, dtype=float).tobytes()

    def set(self, numbers: ArrayLike) -> None:
        """Move the sliders and notify the listener."""
        self.numbers = np.asarray(numbers, dtype=float)
        self._tell()

    def reset(self) -> None:
        """Set all sliders back to rest."""
        self.set([slider.rest for slider in self.sliders])

    def random(self) -> None:
        """Set random values within the ranges."""
        rng = np.random.default_rng()
        if self._on_random is not None:
            self.set(self._on_random())
        else:
            self.set([_random_value(slider, rng) for slider in self.sliders])

    def _changed(self, _: Any) -> None:
        self._tell()
        self.answered = self.asked

    def _tell(self) -> None:
        try:
            self._on_change(self.numbers)
            self.fault = ""
        except RbdkitError as fault:
            self.fault = str(fault)

    def _message(self, _: Any, content: dict[str, Any], __: Any) -> None:
        if content.get("do") == "reset":
            self.reset()
        elif content.get("do") == "random":
            self.random()
        elif content.get("do") == "slot" and content["slot"] in self.slots and self._on_slot is not None:
            self._on_slot(content["slot"])


def _random_value(slider: Slider, rng: np.random.Generator) -> float:
    if slider.choices:
        return float(rng.integers(len(slider.choices)))
    if slider.whole:
        return float(rng.integers(round(slider.low), round(slider.high) + 1))
    if slider.log:
        return float(np.exp(rng.uniform(np.log(slider.low), np.log(slider.high))))
    return float(rng.uniform(slider.low, slider.high))
