"""The panel beside the picture of a builder: the tree, the properties of what is selected, undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.front import Front


class BuilderPanel(Front):
    """Tree and form; it shows what it is given, and says what was asked for.

    Parameters
    ----------
    on_action : callable
        Called with the name of what was asked for, and the message of the browser.

    Attributes
    ----------
    tree
        Rows of {key, name, kind, depth, parent, detail, color, severity, message, ends}.
    chosen
        Key of the selected row.
    form
        Groups of {title, open, fields}; see `rbdkit.widgets.builder.form`.
    status
        {undo, redo, state, severity, picking, key}.
    fault
        {field, message} of the last step that was refused.
    examples
        Names of models to start from.
    export
        {kind, text, number} of the last text that was asked for.
    """

    _module = traitlets.Unicode(
        module("dom", "joint_signs", "builder_tree", "builder_form", "builder_texts", "builder_panel")
    ).tag(sync=True)
    _css = style("view") + style("builder")

    tree: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)
    form: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    status = traitlets.Dict().tag(sync=True)
    fault = traitlets.Dict().tag(sync=True)
    examples: traitlets.List[str] = traitlets.List().tag(sync=True)
    export = traitlets.Dict().tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)

    def __init__(self, on_action: Callable[[str, dict[str, Any]], None], **traits: Any) -> None:
        super().__init__(**traits)
        self._on_action = on_action
        self.on_msg(self._message)

    def _message(self, _: Any, content: dict[str, Any], __: Any) -> None:
        try:
            self._on_action(str(content.get("do")), content)
        finally:
            self.answered = int(content.get("number", 0))
