"""Pictures of the chapters are widgets, which are tested without a browser here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ipywidgets.widgets import widget as widget_module


@pytest.fixture(autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    """Every widget that a test opened is closed at its end."""
    before = set(widget_module._instances)
    yield
    for widget in [w for model_id, w in widget_module._instances.items() if model_id not in before]:
        widget.close()


@pytest.fixture
def open_widgets():
    """How many widgets are open."""
    return lambda: len(widget_module._instances)
