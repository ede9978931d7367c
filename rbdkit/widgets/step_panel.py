"""The panel beside the picture of a stepper: source with the current line, buttons, values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.front import Front


class StepPanel(Front):
    """Source, current line, buttons, chips for what is drawn, and values; it shows what it is given.

    Parameters
    ----------
    on_action : callable
        Called with what was asked for: its name, and the message of the browser.

    Attributes
    ----------
    sources : {name, first, lines} of each function, with formulas where lines are such and no program.
    moment : {function, line, number, count, title, done, fault}.
    changed, variables : rows of {label, text, words, unit, sign}. breakpoints : [function, line] each.
    drawn : {name, color, on} each. slopes : {path, stages, ...} of a phase plane, or empty.
    buttons : {do, icon, tip, key} each. more : what the variables are.
    """

    _module = traitlets.Unicode(module("dom", "code", "slopes", "step_panel")).tag(sync=True)
    _css = style("view") + style("step_panel")

    sources: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    moment = traitlets.Dict().tag(sync=True)
    changed: traitlets.List[dict[str, str]] = traitlets.List().tag(sync=True)
    variables: traitlets.List[dict[str, str]] = traitlets.List().tag(sync=True)
    breakpoints: traitlets.List[list[int]] = traitlets.List().tag(sync=True)
    drawn: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    more = traitlets.Unicode("All variables").tag(sync=True)
    slopes = traitlets.Dict().tag(sync=True)
    buttons: traitlets.List[dict[str, str]] = traitlets.List().tag(sync=True)

    def __init__(self, on_action: Callable[[str, dict[str, Any]], None], **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(lambda _, content, __: on_action(str(content.get("do")), content))
