"""How a picture follows numbers that change its shapes, where no Python draws it anew."""

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
"""Numbers that change what a model looks like."""
WEIGHING = {"mass", "inertia"}
"""Numbers that change what its ellipsoids look like."""
SAMPLES = 9
"""Values of a number at which shapes are known. Joints and tips of stick figures move in proportion to lengths, so that
in between only the thickness of rods that turn is not exact."""
WIDE = 8.0
"""Ranges whose ends are further apart than that many times are sampled in equal ratios."""
STILL = 1e-6
"""A vertex that moves less, as a part of the size of the picture, stays."""

Build = Callable[[Model], Scene]


def reshaping(experiment: Experiment, values: NDArray, k: int, build: Build) -> dict[str, Any] | str | None:
    """What the values of a knob do to the vertices of `apart`; why that cannot be said; None where they do nothing.

    Parameters
    ----------
    values : of all knobs as they stand; what is said is added to the scene there.
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
    """The scene packed with every surface for itself."""
    return pack_scene(scene, range(2**31))


def reshaped(scene: Scene, shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """The scene packed with what knobs do to it; surfaces that no knob changes are stored once where they are equal."""
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
    """First vertex of each part, and the one behind its last."""
    index = np.frombuffer(packed["index"], dtype="<u4")
    corners = [index[start : start + count] for _, _, _, start, count, _ in packed["parts"]]
    return [(int(own.min()), int(own.max()) + 1) for own in corners]


def _values(knob: Knob, now: float) -> NDArray:
    """Where shapes are sampled: over the range, and at the value as it stands."""
    low, high = knob.low, knob.high
    spread = np.geomspace if low > 0.0 and high / low > WIDE else np.linspace
    return np.unique([*spread(low, high, SAMPLES), now])


def _parts(packed: dict[str, Any]) -> list[list[Any]]:
    return [part[:5] for part in packed["parts"]]


def _vectors(data: bytes) -> NDArray:
    return np.frombuffer(data, dtype="<f4").reshape(-1, 3).astype(float)
