"""Read mesh files of any supported format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from rbdkit.meshes.dae import read_dae
from rbdkit.meshes.obj import read_obj
from rbdkit.meshes.piece import Piece
from rbdkit.meshes.stl import read_stl

MOST_BYTES = 2**30


def read_pieces(path: Path) -> list[Piece]:
    """Read the triangles of a mesh file, a piece for each material; pieces without triangles are left out.

    Raises
    ------
    ValueError : the file is too large or broken, has no triangles, or has vertices that are not finite.
    ImportError : the format needs trimesh, which is not installed.
    OSError : the file cannot be opened.
    """
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes, which no mesh of a robot has")
    pieces = [piece for piece in READERS.get(path.suffix.lower(), _read_other)(path) if len(piece.faces)]
    if not pieces:
        raise ValueError("it holds no triangles")
    if not all(np.isfinite(piece.vertices).all() for piece in pieces):
        raise ValueError("it holds vertices that are not finite")
    return pieces


def _read_other(path: Path) -> list[Piece]:
    """Read a file of any format that trimesh reads; without colours."""
    try:
        import trimesh
    except ImportError:
        raise ImportError(f"mesh files of kind {path.suffix!r} need the package trimesh: pip install trimesh") from None
    meshes = [mesh for mesh in trimesh.load_scene(path).dump() if isinstance(mesh, trimesh.Trimesh)]
    return [Piece(np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces)) for mesh in meshes]


READERS: dict[str, Callable[[Path], list[Piece]]] = {".stl": read_stl, ".obj": read_obj, ".dae": read_dae}
