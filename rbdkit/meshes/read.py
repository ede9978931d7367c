"""Triangles from mesh files of all kinds."""

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
    """The triangles of a file, those of each material apart; pieces without any are left out.

    Raises
    ------
    ValueError : it is too large, broken, holds no triangles or vertices that are not finite.
    ImportError : it needs trimesh.
    OSError : it cannot be opened.
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
    """Any format that trimesh reads."""
    try:
        import trimesh
    except ImportError:
        raise ImportError(f"mesh files of kind {path.suffix!r} need the package trimesh: pip install trimesh") from None
    meshes = [mesh for mesh in trimesh.load_scene(path).dump() if isinstance(mesh, trimesh.Trimesh)]
    return [Piece(np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces)) for mesh in meshes]


READERS: dict[str, Callable[[Path], list[Piece]]] = {".stl": read_stl, ".obj": read_obj, ".dae": read_dae}
