"""A playground without Python: pictures for values all over its sliders, made beforehand."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.errors import RbdkitError
from rbdkit.scene import seven
from rbdkit.scene.arrows import pack_arrows, pack_ellipsoids
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit.widgets.stage import Stage
from rbdkit.widgets.view import View

ALONE, TOGETHER = 25, 41
"""Number of values of a slider: where each moves alone, and of the only one."""
EACH = 11
"""Number of values of each of two sliders."""


def played_of(playground: Playground) -> tuple[dict[str, Any], list[float], str]:
    """Return pictures with their slider values, the step of a key press for each slider, and a sentence about them.

    For one or two sliders there are pictures of all combinations, for more of each slider with the others as they stand
    now.
    """
    sliders, now = playground.panel.sliders, playground.panel.numbers
    together = len(sliders) <= 2
    count = ALONE if not together else TOGETHER if len(sliders) == 1 else EACH
    values = [_values(slider, float(x), count) for slider, x in zip(sliders, now, strict=True)]
    if together:
        settings = [np.array(place) for place in itertools.product(*values)]
    else:
        settings = [_with(now, k, x) for k, own in enumerate(values) for x in own]
    frames = [_frame(playground, setting) for setting in settings]
    data = {"values": values, "together": together, "now": [float(x) for x in now], "frames": frames}
    steps = [(np.log(s.high / s.low) if s.log else s.high - s.low) / max(len(own) - 1, 1)
             for s, own in zip(sliders, values, strict=True)]  # fmt: skip
    note = f"{len(frames)} pictures that Python made are played back here"
    how = "" if together else ": each slider alone, the others as they stood"
    return data, [float(step) for step in steps], f"{note}{how}. "


def _values(slider: Slider, now: float, count: int) -> list[float]:
    """Return the values that a slider can take in a page: over its range, and its present one."""
    if slider.choices:
        return [float(k) for k in range(len(slider.choices))]
    if slider.whole and slider.high - slider.low < 2 * count:
        return [float(x) for x in range(round(slider.low), round(slider.high) + 1)]
    spread = np.geomspace if slider.log else np.linspace
    found = spread(slider.low, slider.high, count)
    found[int(np.argmin(np.abs(found - now)))] = now  # a picture as it stands, in place of the nearest one
    return [float(round(x) if slider.whole else x) for x in found]


def _with(now: NDArray, k: int, x: float) -> NDArray:
    changed = np.array(now, dtype=float)
    changed[k] = x
    return changed


def _frame(playground: Playground, numbers: NDArray) -> dict[str, Any]:
    """Return all that a setting of the sliders changes, as the page's widgets need it; or why there is no picture."""
    try:
        picture = playground.drawn_at(numbers)
    except RbdkitError as fault:
        return {"fault": str(fault)}
    frame: dict[str, Any] = {
        "readout": [[str(name), str(value)] for name, value in picture.readout],
        "note": picture.note,
        "drawing": "" if picture.figure is None else picture.figure.svg(),
        "idle": list(picture.idle),
        "units": dict(picture.units),
    }
    return frame if playground.stage is None else frame | _in_3d(playground.stage, picture)


def _in_3d(stage: Stage, picture: Picture) -> dict[str, Any]:
    nodes = len(stage.scene.nodes)
    poses = picture.poses
    if isinstance(stage, View) and picture.q is not None:
        poses = forward_kinematics(stage.model, stage.model.check_q(picture.q)).poses
    arrows, ellipsoids = list(picture.arrows), list(picture.ellipsoids)
    return {
        "pose": None if poses is None else np.append(seven(np.asarray(poses, dtype=float)), np.float32(0)).tobytes(),
        "arrow_names": [[arrow.name, arrow.text] for arrow in arrows],
        "arrows": pack_arrows(arrows, nodes),
        "ellipsoid_names": [ellipsoid.name for ellipsoid in ellipsoids],
        "ellipsoids": pack_ellipsoids(ellipsoids, nodes),
    }
