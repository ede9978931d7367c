"""A model with a faint copy of itself, for how it was or how else it could be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import palette
from rbdkit.scene.curves import Curves, Plot
from rbdkit.scene.scene import Layer, Part, Scene, Trail
from rbdkit.scene.tracks import Tracks, drawable, tracks
from rbdkit.scene.triangles import Triangles

OPACITY = 0.22
"""Of the copy."""


def with_ghost(scene: Scene, bodies: Scene | None = None) -> Scene:
    """The scene with a second set of nodes that carries a faint copy of the bodies.

    Parameters
    ----------
    bodies : the scene that is copied, with as many nodes; the same one if not given.
    """
    source = scene if bodies is None else bodies
    count = len(scene.nodes)
    ghosts = [
        Part(part.node + count, "ghost", _grey(part.surface), OPACITY)
        for part in source.parts
        if part.layer == "bodies" and part.node > 0
    ]
    trails = [Trail(trail.node + count, trail.point, palette.GROUND) for trail in source.trails]
    at = next(k for k, layer in enumerate(scene.layers) if layer.name == "bodies") + 1
    ghost = Layer("ghost", "Ghost", "The motion before, or the other one of A and B")
    return replace(
        scene,
        nodes=(*scene.nodes, *(f"ghost of {name}" for name in scene.nodes)),
        poses=np.concatenate([scene.poses, source.poses]),
        layers=(*scene.layers[:at], ghost, *scene.layers[at:]),
        parts=(*scene.parts, *ghosts),
        trails=(*scene.trails, *trails),
    )


def tracks_with_ghost(t: NDArray, poses: NDArray, ghost_t: NDArray, ghost_poses: NDArray) -> Tracks:
    """Motion and ghost as tracks of one scene, at the times of the motion; a ghost that ended stays at its end."""
    count = drawable(poses)
    t, poses = t[:count], poses[:count]
    rows = np.clip(np.searchsorted(ghost_t, t, side="right") - 1, 0, drawable(ghost_poses) - 1)
    return tracks(t, np.concatenate([poses, ghost_poses[rows]], axis=1))


def plots_with_ghost(plots: tuple[Plot, ...], ghosts: tuple[Plot, ...]) -> tuple[Plot, ...]:
    """The curves, and those of the ghost in faint colours under the same tabs."""
    old = {(plot.title, tab.name): tab for plot in ghosts for tab in plot.tabs}
    return tuple(
        replace(plot, tabs=tuple(_joined(tab, old.get((plot.title, tab.name))) for tab in plot.tabs)) for plot in plots
    )


def _joined(tab: Curves, ghost: Curves | None) -> Curves:
    if ghost is None or ghost.names != tab.names:
        return tab
    rows = np.array([np.interp(tab.t, ghost.t, row, right=np.nan) for row in ghost.values])
    return replace(
        tab,
        names=(*tab.names, *(f"{name} before" for name in ghost.names)),
        colors=(*tab.colors, *(f"{color}55" for color in ghost.colors)),
        values=np.concatenate([tab.values, rows]),
    )


def _grey(surface: Triangles) -> Triangles:
    return replace(surface, colors=np.tile(palette.rgb(palette.GROUND), (len(surface.vertices), 1)))
