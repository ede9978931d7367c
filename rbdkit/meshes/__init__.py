"""Mesh files: STL, OBJ and DAE as triangles by readers of our own, anything else by trimesh where it is installed."""

from rbdkit.meshes.piece import Piece
from rbdkit.meshes.read import read_pieces

__all__ = ["Piece", "read_pieces"]
