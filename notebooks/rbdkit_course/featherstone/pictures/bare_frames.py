"""A scene of nothing but coordinate frames, for widgets that draw arrows around them."""

from __future__ import annotations

import numpy as np

from rbdkit.scene import Grid, Label, Layer, Part, Scene
from rbdkit.scene.glyphs import axes


def bare_frames(name: str, frames: tuple[str, ...], length: float = 0.5, reach: float = 1.2) -> Scene:
    """Make a scene of movable frames, all at the origin.

    Parameters
    ----------
    frames : tuple of str
        Their names, one a node; the first is the world.
    length : float, optional
        Of the axes, m.
    reach : float, optional
        Half the edge of the cube that the picture holds, m.
    """
    corners = reach * np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    layers = (
        Layer("frames", "Frames", "x red, y green, z blue"),
        Layer("labels", "Names", "Names of the frames"),
        Layer("grid", "Grid", "Ground grid; its spacing is written beside it"),
    )
    return Scene(
        name=name,
        nodes=frames,
        poses=np.tile(np.eye(4), (len(frames), 1, 1)),
        layers=layers,
        parts=tuple(Part(node, "frames", axes(length)) for node in range(len(frames))),
        labels=tuple(Label(node, text, (-0.12, -0.12, 0.0)) for node, text in enumerate(frames)),
        grid=Grid(-reach, 0.5, 8),
        outline=corners,
    )
