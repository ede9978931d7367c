"""Finding mesh files that a robot file names. Dynamics never needs them, so a missing one is never an error."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np

from rbdkit.errors import FormatError
from rbdkit.model import Mesh
from rbdkit.spatial.read_numbers import shown

PACKAGE_VARIABLES = ("ROS_PACKAGE_PATH",)
PREFIX_VARIABLES = ("AMENT_PREFIX_PATH",)
MODEL_VARIABLES = ("GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH")


def folders(mesh_paths: object) -> tuple[str | os.PathLike[str], ...]:
    """The folders to search first, as a tuple.

    Raises
    ------
    FormatError
        If it is not a list of paths; one path alone is none.
    """
    if not isinstance(mesh_paths, Iterable) or isinstance(mesh_paths, str | bytes | os.PathLike | np.ndarray):
        raise FormatError(f"mesh_paths {shown(mesh_paths)} must be a list of folders, such as ['/opt/robots']")
    listed = tuple(mesh_paths)
    for path in listed:
        if not isinstance(path, str | os.PathLike):
            raise FormatError(f"mesh_paths: {shown(path)} is not the path of a folder")
    return listed


class MeshFinder:
    """Looks for the meshes of one robot file and remembers those that are missing.

    Parameters
    ----------
    folder : Path or None
        Where the robot file lies; None for a text, which gets the current folder.
    extra : optional
        Folders to search first.

    Notes
    -----
    ``package://name/rest`` and ``model://name/rest`` are looked for as ``name/rest`` under every folder of the search
    path, as ``rest`` under one that is called ``name``, and at last as ``rest`` under the folders of the robot file (a
    package that was cloned under another name). The search path: `extra`, the folder of the robot file and its parents,
    ROS_PACKAGE_PATH, the ``share`` folders of AMENT_PREFIX_PATH, GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH. A relative
    path is looked for under `extra` and under the folder of the robot file and its parents.

    A name may lead anywhere that the user may read (``../..``, an absolute path): a file from a stranger can make the
    view try to draw any local file as a mesh, but not send it anywhere. Only regular files are opened; nothing is
    fetched from the network.
    """

    def __init__(self, folder: Path | None, extra: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.extra = [os.path.expanduser(path) for path in folders(extra)]
        own = Path.cwd() if folder is None else folder.absolute()
        self.own = [str(own)] if folder is None else [str(own), *map(str, own.parents)]
        environment = [*_listed(PACKAGE_VARIABLES), *_listed(PREFIX_VARIABLES, "share"), *_listed(MODEL_VARIABLES)]
        self.path = list(dict.fromkeys([*self.extra, *self.own, *environment]))
        self._seen: dict[str, tuple[tuple[str, ...], str | None]] = {}

    def mesh(self, filename: str, scale: tuple[float, ...]) -> Mesh:
        """The mesh that the robot file calls `filename`, with the places searched and the first hit."""
        if filename not in self._seen:
            searched = self._candidates(filename)
            found = next((candidate for candidate in searched if os.path.isfile(candidate)), None)
            self._seen[filename] = searched, found
        searched, found = self._seen[filename]
        x, y, z = scale
        return Mesh(path=filename, scale=(x, y, z), searched=searched, found=found)

    @property
    def missing(self) -> list[str]:
        """The names of the meshes that were not found."""
        return [name for name, (_, found) in self._seen.items() if found is None]

    def warning(self) -> str | None:
        """Return the warning about missing meshes, with their names and the folders searched; None if none is."""
        names = self.missing
        if not names:
            return None
        shown = "".join(f"\n  {name}" for name in names[:12]) + (
            f"\n  ... and {len(names) - 12} more" if len(names) > 12 else ""
        )
        folders = "".join(f"\n  {folder}" for folder in self.path)
        return (
            f"{len(names)} mesh file{'s' if len(names) > 1 else ''} not found; stand-ins will be drawn, the dynamics "
            f"is the same:{shown}\nfolders searched (add yours with mesh_paths=[...]):{folders}"
        )

    def _candidates(self, filename: str) -> tuple[str, ...]:
        scheme, separator, rest = filename.partition("://")
        if not separator:
            path = os.path.expanduser(filename)
            roots = [""] if os.path.isabs(path) else [*self.extra, *self.own]
            return _joined(roots, path)
        if scheme == "file":
            try:
                return (url2pathname(urlsplit(filename).path),)
            except ValueError:  # not a URL after all
                return (rest,)
        if scheme not in ("package", "model"):
            return ()  # http and the like: nothing is fetched
        name, _, inner = rest.partition("/")
        inside = [folder for folder in self.path if os.path.basename(folder) == name]
        found = [*_joined(self.path, rest), *_joined(inside, inner), *_joined([*self.extra, *self.own], inner)]
        return tuple(dict.fromkeys(found))


def _joined(roots: Iterable[str], path: str) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(root, path)) for root in roots)


def _listed(variables: Iterable[str], below: str = "") -> list[str]:
    entries = [entry for variable in variables for entry in os.environ.get(variable, "").split(os.pathsep) if entry]
    return [os.path.join(entry, below) if below else entry for entry in entries]
