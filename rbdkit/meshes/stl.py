"""Reader of STL files, binary and text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rbdkit.meshes.piece import Piece

FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
HEADER = 84


def read_stl(path: Path) -> list[Piece]:
    """Read the triangles of an STL file.

    Raises
    ------
    ValueError : the file is neither a binary nor a text STL.
    """
    data = path.read_bytes()
    count = int.from_bytes(data[80:HEADER], "little")
    if len(data) >= HEADER and len(data) == HEADER + count * FACET.itemsize:  # "solid" may begin a binary file, too
        corners = np.frombuffer(data, FACET, count, HEADER)["corners"].reshape(-1, 3)
    else:
        words = data.split()
        at = np.flatnonzero(np.array([word.lower() == b"vertex" for word in words], dtype=bool))
        if not len(at) or at[-1] + 3 >= len(words) or len(at) % 3:
            raise ValueError("neither a binary nor a text STL file")
        corners = np.array([words[k + 1 : k + 4] for k in at], dtype=float)
    return [Piece(corners.astype(float), np.arange(len(corners)).reshape(-1, 3))]
