"""Changes of a picture's shapes with a parameter, tabulated so that a page can follow a slider without Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.model import Model
from rbdkit.scene.pack import pack_scene
from rbdkit.scene.scene import Scene
from rbdkit.simulation.knobs import Experiment, Knob

SHAPING = {"placement", "com"}
"""Parameters that change what a model looks like."""
WEIGHING = {"mass", "inertia"}
"""Parameters that change its inertia ellipsoids."""
SAMPLES = 9
"""Number of values at which shapes are tabulated. Joints and tips of stick figures move in proportion to lengths, so
that in between only the thickness of rods that turn is not exact."""
WIDE = 8.0
"""Ratio of the ends of a range above which it is sampled geometrically."""
STILL = 1e-6
"""Displacement of a vertex, relative to the size of the picture, below which it counts as fixed."""

Build = Callable[[Model], Scene]


def reshaping(experiment: Experiment, values: NDArray, k: int, build: Build) -> dict[str, Any] | str | None:
    """Tabulate how a knob moves the vertices of `apart`; the reason if that is impossible; None if it moves none.

    Parameters
    ----------
    values : present values of all knobs; displacements are relative to the scene there.
    k : number of a knob that is a parameter.
    build : makes the scene of a model.
    """
    knob = experiment.knobs[k]
    if not (SHAPING | WEIGHING) & set(knob.name.split(".")):
        return None
    first = build(experiment.member(values).model)
    base = apart(first)
    places = _vectors(base["position"])
    at, rows, trails, labels = [], [], [], []
    for value in _values(knob, float(values[k])):
        changed = np.array(values, dtype=float)
        changed[k] = value
        try:
            with warnings.catch_warnings():  # what is amiss with meshes was said with the first picture
                warnings.simplefilter("ignore")
                scene = build(experiment.member(changed).model)
            packed = apart(scene)
            alike = packed["index"] == base["index"] and _parts(packed) == _parts(base)
            why = "" if alike else f"at {value:.4g} the figure has other parts, which Python draws"
        except RbdkitError as fault:
            why = str(fault)
        if why and SHAPING & set(knob.name.split(".")):
            return why
        if why:  # no mass has no ellipsoid
            continue
        at.append(float(value))
        rows.append(_vectors(packed["position"]) - places)
        trails.append([list(trail.point) for trail in scene.trails])
        labels.append([list(label.position) for label in scene.labels])
    by = np.array(rows)
    size = np.abs(by).max(axis=(0, 2), initial=0.0)
    moved = np.flatnonzero(size > STILL * first.size)
    if not len(moved):
        return None
    return {
        "at": at, "trails": trails, "labels": labels, "moved": moved.astype("<u4").tobytes(),
        "by": by[:, moved].astype("<f4").tobytes(),
    }  # fmt: skip


def apart(scene: Scene) -> dict[str, Any]:
    """Pack the scene with every surface stored by itself."""
    return pack_scene(scene, range(2**31))


def reshaped(scene: Scene, shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """Pack the scene with the tables of knobs; surfaces that no knob changes are shared where they are equal."""
    first = apart(scene)
    moved = np.unique(np.concatenate([np.frombuffer(shape["moved"], dtype="<u4") for shape in shapes]))
    ranges = _ranges(first)
    own = {k for k, (start, end) in enumerate(ranges) if np.any((moved >= start) & (moved < end))}
    packed = pack_scene(scene, own)
    after = _ranges(packed)
    number = np.zeros(len(first["position"]) // 12, dtype="<u4")
    for k in own:
        number[slice(*ranges[k])] = np.arange(*after[k])
    renumbered = [{**shape, "moved": number[np.frombuffer(shape["moved"], dtype="<u4")].tobytes()} for shape in shapes]
    return packed | {"shapes": renumbered}


def _ranges(packed: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the range of vertices of each part, as first and end."""
    index = np.frombuffer(packed["index"], dtype="<u4")
    corners = [index[start : start + count] for _, _, _, start, count, _ in packed["parts"]]
    return [(int(own.min()), int(own.max()) + 1) for own in corners]


def _values(knob: Knob, now: float) -> NDArray:
    """Return the values at which shapes are sampled: over the range, and the present one."""
    low, high = knob.low, knob.high
    spread = np.geomspace if low > 0.0 and high / low > WIDE else np.linspace
    return np.unique([*spread(low, high, SAMPLES), now])


def _parts(packed: dict[str, Any]) -> list[list[Any]]:
    return [part[:5] for part in packed["parts"]]


def _vectors(data: bytes) -> NDArray:
    return np.frombuffer(data, dtype="<f4").reshape(-1, 3).astype(float)
