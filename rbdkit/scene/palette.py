"""Colours of everything that is drawn: views, plots and exported pages.

The three axes differ in lightness as well as in hue, so they remain distinct under common colour-vision deficiencies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

AXES = ("#e0473c", "#22a06b", "#3a76e8")
"""x, y, z."""

BODIES = ("#5b8fc4", "#e3a04f", "#62ab87", "#cc6b7e", "#8c7bc6", "#48aab0", "#bb8d68", "#a5ad4c")
"""Bodies without a colour of their own take these in turn."""

GROUND = "#8b95a3"
"""The world body and whatever is fixed to it."""

SUPPORT = "#6b7682"
"""Bearings, rails and walls that hold a mechanism."""

FORCE = "#c2417c"
"""Springs and other force elements."""

JOINT = "#f0882c"
"""Joint axes, and constraints."""

INERTIA = "#9a6fd0"
"""Inertia ellipsoids."""

SPATIAL = {"motion": ("#8f5bd0", "#2f9e8f"), "force": ("#c2417c", "#d9772b")}
"""Arrows of spatial vectors: angular and linear part of motions, moment and force of forces."""

SELECTED = "#f2b134"
"""What is selected or at hand."""

MISSING = "#d4574e"
"""The stand-in for a mesh that could not be read."""

MASS = ("#f4f5f7", "#20252c")
"""The two colours of a centre-of-mass mark."""

LINES = ("#3a76e8", "#e3812b", "#22a06b", "#cc4f74", "#7d63c9", "#1d9aa6", "#a56f43", "#8f992e")
"""Lines of plots, in turn."""

ENERGY = {"kinetic": "#e3812b", "potential": "#3a76e8", "total": "#7a8592", "drift": "#cc4f74"}
"""Lines of energy plots."""


def rgb(color: str) -> NDArray:
    """Red, green and blue in [0, 1], shape (3,), of a colour written '#rrggbb'."""
    return np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])


def body_color(index: int) -> str:
    """Colour of body `index` when the model gives none; the world is grey."""
    return GROUND if index == 0 else BODIES[(index - 1) % len(BODIES)]
