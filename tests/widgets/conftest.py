"""Widgets are tested without a browser here: what they hold, send and free."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from ipywidgets.widgets import widget as widget_module

from rbdkit.library import double_pendulum
from rbdkit.simulation import Trajectory


@pytest.fixture(autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    """Every widget that a test opened is closed at its end, by itself or here."""
    before = set(widget_module._instances)
    yield
    for widget in [w for model_id, w in widget_module._instances.items() if model_id not in before]:
        widget.close()


@pytest.fixture
def open_widgets():
    """How many widgets are open."""
    return lambda: len(widget_module._instances)


@pytest.fixture
def swing() -> Trajectory:
    """A made-up motion of a double pendulum, 101 samples in 2 s."""
    t = np.linspace(0.0, 2.0, 101)
    q = np.stack([np.sin(3.0 * t), np.cos(2.0 * t)], axis=1)
    return Trajectory(double_pendulum(), t, q, np.gradient(q, t, axis=0))
