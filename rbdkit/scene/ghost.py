"""A model with a faint copy of itself, for an earlier or an alternative motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import palette
from rbdkit.scene.curves import Curves, Plot, at_all_times
from rbdkit.scene.scene import Layer, Part, Scene, Trail
from rbdkit.scene.tracks import BUDGET, Tracks, drawable, tracks
from rbdkit.scene.triangles import Triangles

OPACITY = 0.22
"""Opacity of the copy."""


def with_ghost(scene: Scene, bodies: Scene | None = None) -> Scene:
    """Return the scene with a second set of nodes that carries a faint copy of the bodies.

    Parameters
    ----------
    bodies : Scene, optional
        The scene that is copied, with as many nodes; the same one if not given.
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
    """Return motion and ghost as tracks of one scene, each at its own times; a ghost that ended stays at its end."""
    count, ghost_count = drawable(poses), drawable(ghost_poses)
    ghost = tracks(ghost_t[:ghost_count], ghost_poses[:ghost_count], BUDGET // 2)
    return replace(tracks(t[:count], poses[:count], BUDGET // 2), beside=(ghost,))


def plots_with_ghost(plots: tuple[Plot, ...], ghosts: tuple[Plot, ...]) -> tuple[Plot, ...]:
    """Return the curves, with those of the ghost in faint colours under the same tabs."""
    old = {(plot.title, tab.name): tab for plot in ghosts for tab in plot.tabs}
    return tuple(
        replace(plot, tabs=tuple(_joined(tab, old.get((plot.title, tab.name))) for tab in plot.tabs)) for plot in plots
    )


def _joined(tab: Curves, ghost: Curves | None) -> Curves:
    if ghost is None or ghost.names != tab.names:
        return tab
    t, values = at_all_times([(curves.t, row) for curves in (tab, ghost) for row in curves.values])
    return replace(
        tab,
        t=t,
        names=(*tab.names, *(f"{name} before" for name in ghost.names)),
        colors=(*tab.colors, *(f"{color}55" for color in ghost.colors)),
        values=values,
    )


def _grey(surface: Triangles) -> Triangles:
    return replace(surface, colors=np.tile(palette.rgb(palette.GROUND), (len(surface.vertices), 1)))
