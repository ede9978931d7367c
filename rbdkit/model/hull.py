"""Convex hull of a mesh, its shape for contact."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.meshes import read_pieces
from rbdkit.model.geometry import Mesh
from rbdkit.model.placement import frozen


def hull_vertices(mesh: Mesh) -> NDArray:
    """Return the vertices of the convex hull of a mesh, (n, 3), scaled, in the frame of the mesh, m.

    Raises
    ------
    ModelError
        If its file does not exist or cannot be read.
    """
    if mesh.vertices is not None:
        corners = _hull(mesh.vertices)
    else:
        places = [mesh.found] if mesh.found else [*mesh.searched, *([mesh.path] if mesh.path else [])]
        found = next((place for place in places if place and Path(place).is_file()), None)
        if found is None:
            looked = ", ".join(dict.fromkeys(str(place) for place in places))
            raise ModelError(f"the mesh file {mesh.path or mesh.found!r} is not there; looked for {looked}")
        try:
            corners = _hull_of_file(found, Path(found).stat().st_mtime_ns)
        except (ValueError, ImportError, OSError) as fault:
            raise ModelError(f"the mesh file {found!r} cannot be read: {fault}") from None
    return frozen(corners * np.array(mesh.scale))


@lru_cache(maxsize=512)
def _hull_of_file(path: str, changed: int) -> NDArray:
    """Return the hull vertices of a mesh file. changed : its time stamp, in the cache key so that edits are noticed."""
    return _hull(np.concatenate([piece.vertices for piece in read_pieces(Path(path))]))


def _hull(vertices: NDArray) -> NDArray:
    """Return the hull vertices of points (n, 3); all distinct points if they lie in one plane or on one line."""
    from scipy.spatial import ConvexHull, QhullError  # where meshes touch, which most models do not ask

    _, first = np.unique(vertices, axis=0, return_index=True)
    distinct = vertices[np.sort(first)]
    try:
        return distinct[np.sort(ConvexHull(distinct).vertices)] if len(distinct) > 4 else distinct
    except QhullError:
        return distinct
