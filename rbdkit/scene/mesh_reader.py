"""Triangles of the meshes of a scene, read once and reduced to a budget."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rbdkit.meshes import read_pieces, together
from rbdkit.model.geometry import Mesh
from rbdkit.scene.normals import shaded
from rbdkit.scene.reduce import reduced
from rbdkit.scene.triangles import Triangles

BUDGET = 12_000
"""Most triangles that one mesh file may bring into a scene."""

PLAIN = np.array([0.74, 0.76, 0.79])
"""Colour of pieces without one in a file where others have one."""


class MeshWarning(UserWarning):
    """Some meshes of a model could not be drawn as they are."""


@dataclass
class MeshReader:
    """Reads the meshes of one scene and remembers which it could not.

    Attributes
    ----------
    budget : int
        Triangles a mesh.
    missing : dict of str to str
        Why each mesh is missing.
    told
        Those that the search for them has reported.
    """

    budget: int = BUDGET
    missing: dict[str, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)

    def read(self, mesh: Mesh) -> Triangles | None:
        """Triangles of a mesh in its own frame, or None if its file is missing or cannot be read."""
        scale = np.asarray(mesh.scale)
        if mesh.vertices is not None and mesh.faces is not None:
            try:
                vertices, faces, _ = reduced(mesh.vertices, mesh.faces, self.budget)
                return shaded(vertices, faces).moved(np.eye(4), scale)
            except ValueError as fault:
                self.missing[mesh.path or f"mesh of {len(mesh.faces)} given triangles"] = f"cannot be drawn: {fault}"
                return None
        places = [mesh.found] if mesh.found else [*mesh.searched, *([mesh.path] if mesh.path else [])]
        found = next((Path(place) for place in places if place and Path(place).is_file()), None)
        name = mesh.path or str(found)
        if found is None:
            self.missing[name] = "not found; looked for " + ", ".join(dict.fromkeys(str(p) for p in places))
            self.told |= {name} if mesh.searched else set()
            return None
        try:
            surface = _read(str(found), found.stat().st_mtime_ns, self.budget)
        except Exception as fault:  # a reader may fail in any way on a broken file; the scene must still appear
            self.missing[name] = f"{found} cannot be read: {type(fault).__name__}: {fault}"
            return None
        return surface.moved(np.eye(4), scale)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes to be written under the picture."""
        count = len(self.missing)
        return (f"{count} mesh{'es' if count > 1 else ''} not available: drawn as a box",) if count else ()

    def warn(self, model: str) -> None:
        """Warn once about all meshes drawn as a box, except those reported when the model was loaded."""
        news = {name: why for name, why in self.missing.items() if name not in self.told}
        if news:
            lines = "\n".join(f"  {name}: {why}" for name, why in news.items())
            count = len(news)
            warnings.warn(
                f"model {model!r}: {count} mesh{'es' if count > 1 else ''} drawn as a box; "
                f"the dynamics do not need them.\n{lines}",
                MeshWarning,
                stacklevel=4,
            )


@lru_cache(maxsize=512)
def _read(path: str, changed: int, budget: int) -> Triangles:
    """Read the triangles of a file; `changed` is its time stamp, so that an edited file is read again."""
    pieces = read_pieces(Path(path))
    vertices, faces = together(pieces)
    colors: NDArray | None = None
    if any(piece.colors is not None for piece in pieces):
        rows = [PLAIN if piece.colors is None else piece.colors for piece in pieces]
        colors = np.concatenate(
            [np.broadcast_to(row, (len(piece.faces), 3)) for row, piece in zip(rows, pieces, strict=True)]
        )
    return shaded(*reduced(vertices, faces, budget, colors))
