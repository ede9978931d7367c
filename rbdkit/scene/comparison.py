"""Motions of one model laid over each other: a solid one and its ghosts, and the drift of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import palette
from rbdkit.scene.build import scene_of
from rbdkit.scene.curves import Curves, Plot, at_all_times, curves
from rbdkit.scene.ground import LAYER as GROUND
from rbdkit.scene.scene import Layer, Part, Scene, Trail
from rbdkit.scene.supports import LAYER as SUPPORTS
from rbdkit.scene.tracks import BUDGET, Tracks, drawable, tracks
from rbdkit.scene.triangles import Triangles

if TYPE_CHECKING:
    from rbdkit.model import Model
    from rbdkit.simulation import Comparison, Trajectory

GHOST = 0.38
"""Opacity of all bodies but those of the first motion."""


UNITS = {"constraint error": "rad or m", "off the reference": "rad or m"}
TIPS = {
    "energy drift": "change of energy less work and losses, relative to the energy that moves about",
    "constraint error": "largest residual of a position constraint, rad or m",
    "rotation error": "largest |det R \u2212 1| of a body: how far a rotation matrix is from being one",
    "off the reference": "the worst body's distance from where the reference has it, rad or m",
}
CHANGE = "change since the start, as a part of the largest value"
"""Tip of the other invariants."""


def color_of(number: int) -> str:
    """Colour of the n-th motion, in picture, plots and table."""
    return palette.LINES[number % len(palette.LINES)]


def laid_over(model: Model, labels: Iterable[str], q: NDArray | None = None) -> Scene:
    """One copy of a model for each label, in a layer and a colour of its own; the first is solid, the others ghosts.

    Node 0 is the world, then come the bodies of each copy in turn.
    """
    one, labels = scene_of(model, q), tuple(labels)
    moving = len(one.nodes) - 1
    solid = [part for part in one.parts if part.layer == "bodies"]
    frames = [part for part in one.parts if part.layer == "frames"]
    still = [part for part in one.parts if part.layer in (GROUND, SUPPORTS)]
    parts = [part for part in (*solid, *frames, *still) if part.node == 0]
    trails: list[Trail] = []
    for k, label in enumerate(labels):
        color = palette.rgb(color_of(k))
        for part in solid:
            if part.node > 0:
                opacity = part.opacity if k == 0 else GHOST * part.opacity
                parts.append(Part(part.node + k * moving, label, _tinted(part.surface, color), opacity))
        parts += [replace(part, node=part.node + k * moving) for part in frames if part.node > 0]
        trails += [Trail(trail.node + k * moving, trail.point, color_of(k)) for trail in one.trails]
    bands = [
        replace(
            band,
            nodes=tuple(node + k * moving if node > 0 else 0 for node in band.nodes),
            layer=label,
            surface=_tinted(band.surface, palette.rgb(color_of(k))),
            shade=None,
        )
        for k, label in enumerate(labels)
        for band in one.bands
    ]
    own = [Layer(label, label, f"The motion computed by: {label}") for label in labels]
    marks = [replace(layer, visible=layer.name != "frames") for layer in one.layers if layer.name in KEPT]
    return replace(
        one,
        name=f"{model.name}: {len(labels)} motions",
        nodes=("world", *(f"{label}: {name}" for label in labels for name in one.nodes[1:])),
        poses=copies(one.poses[None] for _ in labels)[0],
        layers=(*own, *marks),
        parts=tuple(parts),
        labels=(),
        trails=tuple(trails),
        bands=tuple(bands),
    )


KEPT = ("bodies", "frames", "trails", SUPPORTS, GROUND, "grid")


def copies(motions: Iterable[NDArray]) -> NDArray:
    """Poses (n, bodies, 4, 4) of each copy of a model as poses of the nodes of `laid_over`."""
    motions = list(motions)
    return np.concatenate([motions[0][:, :1], *(poses[:, 1:] for poses in motions)], axis=1)


def tracks_laid_over(runs: Iterable[Trajectory]) -> Tracks:
    """The motions as tracks of one scene, each at its own times. A motion that ended early stays at its end.

    The world keeps the clock: it has the times of the longest motion.
    """
    runs = list(runs)
    counts = [drawable(run.poses()) for run in runs]
    motions = [
        tracks(run.t[:count], run.poses()[:count, 1:], BUDGET // len(runs))
        for run, count in zip(runs, counts, strict=True)
    ]
    longest = max(range(len(runs)), key=lambda k: float(motions[k].t[-1]))
    run, count = runs[longest], counts[longest]
    return replace(tracks(run.t[:count], run.poses()[:count, :1], BUDGET // len(runs)), beside=tuple(motions))


def plots_of_comparison(comparison: Comparison) -> tuple[Plot, ...]:
    """Return plots of invariants, constraint and rotation errors, and distances between the motions; logarithmic."""
    measures = {f"{name} drift": {c.label: c.drifts.get(name) for c in comparison.contenders}
                for name in comparison.invariants}  # fmt: skip
    measures["constraint error"] = {c.label: c.constraint_error for c in comparison.contenders}
    measures["rotation error"] = {c.label: c.rotation_error for c in comparison.contenders}
    kept = [_tab(comparison, name, values) for name, values in measures.items() if _any(values)]
    apart = {c.label: c.distance for c in comparison.contenders}
    plots = [Plot("What is kept", tuple(kept))] if kept else []
    if _any(apart):
        plots.append(Plot("How the motions part", (_tab(comparison, "off the reference", apart),)))
    return tuple(plots)


def _any(values: dict[str, NDArray | None]) -> bool:
    return any(v is not None and np.any(v > 0.0) for v in values.values())


def _tab(comparison: Comparison, name: str, values: dict[str, NDArray | None]) -> Curves:
    """Return one measure of all runs over time."""
    series = []
    for contender, value in zip(comparison.contenders, values.values(), strict=True):
        times = contender.trajectory.t
        series.append((times, np.full(len(times), np.nan) if value is None else value))
    t, rows = at_all_times(series)
    colors = tuple(color_of(k) for k in range(len(rows)))
    unit = UNITS.get(name, "")
    return replace(curves(name, unit, t, tuple(values), colors, rows), log=True, tip=TIPS.get(name, CHANGE))


def _tinted(surface: Triangles, color: NDArray) -> Triangles:
    """Return the surface with its colours drawn towards another one, so that shapes remain distinguishable."""
    painted = surface.painted(color)
    assert painted.colors is not None
    light = painted.colors.mean(axis=1, keepdims=True)
    return replace(surface, colors=np.clip(0.75 * color + 0.25 * light, 0.0, 1.0))
