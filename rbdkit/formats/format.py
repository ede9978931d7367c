"""`Format`: what `load` and `save` have to know of a file format; and `FORMATS`, those that they know."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rbdkit.formats.json.read import from_json
from rbdkit.formats.json.write import to_json
from rbdkit.formats.mjcf.read import read_mjcf
from rbdkit.formats.mjcf.write import to_mjcf
from rbdkit.formats.urdf.read import read_urdf
from rbdkit.formats.urdf.write import to_urdf
from rbdkit.model import Model


class Content(NamedTuple):
    """The data of a source, the name of the source for messages, and its folder if it is a file."""

    data: str | bytes
    name: str
    folder: Path | None

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        return None if self.folder is None else self.folder / self.name


@dataclass(frozen=True)
class Format:
    """A file format of models.

    Parameters
    ----------
    name : str
        What people call it.
    ending : str
        Of the names of its files, with the dot, in small letters.
    begins : str
        How its files begin, after blanks and what stands before the first element of XML. Of several formats that fit,
        the one with the longest beginning counts.
    example : str
        How its files may begin, for messages: "a URDF begins with '<robot'".
    read : callable
        The function of (content, options) that returns the model and a list of what to warn of. Its options are those
        keyword arguments of `load` that `defaults` names, and gravity if it is given.
    write : callable
        The function of a model that returns the text of the file.
    defaults : mapping of str to object
        The keyword arguments of `load` that say something about this format, with their values if they are not given.
        The others are refused.
    """

    name: str
    ending: str
    begins: str
    example: str
    read: Callable[[Content, Mapping[str, Any]], tuple[Model, list[str]]]
    write: Callable[[Model], str]
    defaults: Mapping[str, Any]

    def fits(self, head: str) -> bool:
        """Return whether a file that begins so is one of this format: a name of an element must end where it ends."""
        after = head[len(self.begins) : len(self.begins) + 1]
        return head.startswith(self.begins) and not (self.begins[-1].isalnum() and re.match(r"[\w.-]", after))


def _read_json(content: Content, options: Mapping[str, Any]) -> tuple[Model, list[str]]:
    own = {name: options[name] for name in JSON.defaults}
    model = from_json(content.data, source=content.name, **own)
    return (model.with_parameters({"gravity": options["gravity"]}) if "gravity" in options else model), []


def _read_urdf(content: Content, options: Mapping[str, Any]) -> tuple[Model, list[str]]:
    gravity = options.get("gravity", (0.0, 0.0, -9.81))
    own = {name: options[name] for name in URDF.defaults}
    return read_urdf(content.data, **own, gravity=gravity, source=content.name, folder=content.folder)


def _read_mjcf(content: Content, options: Mapping[str, Any]) -> tuple[Model, list[str]]:
    return read_mjcf(content.data, options.get("gravity"), content.name, content.path)


JSON = Format(
    "JSON",
    ".json",
    "{",
    "a model in JSON begins with '{'",
    _read_json,
    to_json,
    {"forces": (), "joints": (), "constraints": ()},
)
URDF = Format(
    "URDF",
    ".urdf",
    "<",
    "a URDF begins with '<robot'",
    _read_urdf,
    to_urdf,
    {"merge_fixed": True, "floating": False, "mimic": True, "mesh_paths": ()},
)
MJCF = Format(
    "MJCF",
    ".xml",
    "<mujoco",
    "an MJCF file begins with '<mujoco'",
    _read_mjcf,
    to_mjcf,
    {},
)
FORMATS = (JSON, URDF, MJCF)
"""The formats of `load` and `save`, which go by this list alone."""
