"""Recorded motion and curves decimated to fewer moments, for small pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import Tracks


def fewer_keys(tracks: Tracks, most: int) -> Tracks:
    """Return tracks with every n-th key and the last; at most `most` and one more."""
    rows = _kept(len(tracks.t), most)
    beside = tuple(fewer_keys(other, most) for other in tracks.beside)
    shades = {name: values[rows] for name, values in tracks.shades.items()}
    return Tracks(tracks.t[rows], tracks.poses[rows], tracks.samples[rows], beside, shades)


def fewer_points(plots: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return packed plots with each curve at every n-th time and the last."""
    return [{**plot, "tabs": [_tab(tab, most) for tab in plot["tabs"]]} for plot in plots]


def _tab(tab: dict[str, Any], most: int) -> dict[str, Any]:
    t = np.frombuffer(tab["t"], dtype="<f8")
    rows = _kept(len(t), most)
    values = np.frombuffer(tab["values"], dtype="<f4").reshape(-1, len(t))
    return {**tab, "t": t[rows].tobytes(), "values": values[:, rows].tobytes()}


def _kept(count: int, most: int) -> NDArray:
    rows = np.arange(0, count, max(1, -(-count // most)))
    return rows if count == 0 or rows[-1] == count - 1 else np.append(rows, count - 1)
