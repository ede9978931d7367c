"""Decimation of meshes that are finer than a browser needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene.normals import weld
from rbdkit.scene.unique_rows import unique_rows


def reduced(
    vertices: NDArray, faces: NDArray, budget: int, colors: NDArray | None = None
) -> tuple[NDArray, NDArray, NDArray | None]:
    """A mesh of at most `budget` triangles: vertices in one cell of a regular grid become their mean.

    Parameters
    ----------
    vertices : ndarray (n, 3)
    faces : ndarray (m, 3)
    colors : ndarray (m, 3), optional
        Of the faces, kept with them.
    """
    if len(faces) <= budget:
        return vertices, faces, colors
    vertices, faces = weld(vertices, faces)
    low, extent = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max())
    cell = extent / np.sqrt(budget)
    while True:
        _, cluster = unique_rows(((vertices - low) / cell).astype(np.int64))
        merged = cluster[faces]
        kept = (merged[:, 0] != merged[:, 1]) & (merged[:, 1] != merged[:, 2]) & (merged[:, 2] != merged[:, 0])
        first, _ = unique_rows(np.sort(merged[kept], axis=1)) if kept.any() else (np.zeros(0, dtype=int), None)
        if len(first) <= budget:
            break
        cell *= max(np.sqrt(len(first) / budget), 1.05)
    means = (
        np.stack([np.bincount(cluster, weights=vertices[:, k]) for k in range(3)], axis=1)
        / np.bincount(cluster)[:, None]
    )
    return means, merged[kept][first], None if colors is None else colors[kept][first]
