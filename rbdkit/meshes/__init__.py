"""Mesh files as triangles: own readers for STL, OBJ and DAE, trimesh for other formats where it is installed."""

from rbdkit.meshes.piece import Piece, together
from rbdkit.meshes.read import read_pieces

__all__ = ["Piece", "read_pieces", "together"]
