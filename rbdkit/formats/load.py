"""Reading a model from a path, a text or a file object, and writing it to a path."""

from __future__ import annotations

import os
import re
import stat
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from numpy.typing import ArrayLike

from rbdkit.atomic_write import write_file
from rbdkit.constraints import ConstraintElement
from rbdkit.errors import FormatError
from rbdkit.forces import ForceElement
from rbdkit.formats.format import FORMATS, Content, Format
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.meshes import folders
from rbdkit.joints import JointType
from rbdkit.model import Model
from rbdkit.spatial.check_arguments import require_switch
from rbdkit.spatial.read_numbers import first_line, shown

MAX_BYTES = 2**30
BYTE_ORDER_MARKS = (b"\xfe\xff", b"\xff\xfe")  # of UTF-16, in which XML may be
BLANK = "\ufeff \t\r\n"
MOST_BEFORE = 2**20
"""Number of characters among which the first element of a file is looked for."""
_PROLOGUE = re.compile(r"\A(?:[\ufeff \t\r\n]+|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
"""What may stand before the first element of XML: blanks, the declaration, comments."""


def load(
    source: str | bytes | os.PathLike[str] | IO[Any],
    *,
    merge_fixed: bool = True,
    floating: bool = False,
    mimic: bool = True,
    mesh_paths: Iterable[str | os.PathLike[str]] = (),
    gravity: ArrayLike | None = None,
    forces: Iterable[type[ForceElement]] = (),
    joints: Iterable[type[JointType]] = (),
    constraints: Iterable[type[ConstraintElement]] = (),
) -> Model:
    """Read a model from a URDF or MJCF document, or from JSON as `save` writes it.

    Parameters
    ----------
    source : str, bytes, os.PathLike or file object
        A path, a text that begins with '<' or '{', or an open file. The format is recognised from the content. MJCF is
        read by MuJoCo, see `load_mujoco`: ``pip install "rbdkit[mjcf]"``.
    merge_fixed, floating, mimic : bool, optional
        For URDF, see `rbdkit.formats.from_urdf`.
    mesh_paths : iterable of str or os.PathLike, optional
        For URDF, see `rbdkit.formats.from_urdf`.
    gravity : array_like (3,), optional
        Acceleration of free fall in world coordinates, m/s2; by default what the file says, or (0, 0, -9.81).
    forces : iterable of type, optional
        For JSON, classes of your own force elements that the file may name.
    joints : iterable of type, optional
        For JSON, classes of your own joints that the file names by their kinds.
    constraints : iterable of type, optional
        For JSON, classes of your own constraints that the file may name.

    Returns
    -------
    Model
        All that the file says of bodies, joints and shapes.

    Raises
    ------
    FormatError
        If the content is not a model in one of these formats, with the place in it.
    ModuleNotFoundError
        If it is MJCF and MuJoCo is not installed.
    OSError
        If the file cannot be read.

    Warns
    -----
    FormatWarning
        If something in the file was mended or left out, or if meshes were not found.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.load('''
    ...     <robot name="door">
    ...       <link name="wall"/>
    ...       <link name="leaf"><inertial><mass value="20"/><origin xyz="0.4 0 1"/>
    ...         <inertia ixx="7" iyy="8" izz="1.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...       <joint name="hinge" type="continuous"><parent link="wall"/><child link="leaf"/><axis xyz="0 0 1"/></joint>
    ...     </robot>''')
    >>> model
    <Model 'door': 2 bodies, 1 moving joint, nq=1, nv=1, 20 kg>
    """
    for switch, value in {"merge_fixed": merge_fixed, "floating": floating, "mimic": mimic}.items():
        require_switch(f"load: {switch}", value, FormatError)
    options = {"merge_fixed": merge_fixed, "floating": floating, "mimic": mimic, "mesh_paths": folders(mesh_paths)}
    for name, classes in {"forces": forces, "joints": joints, "constraints": constraints}.items():
        try:
            options[name] = tuple(classes)
        except TypeError:
            raise FormatError(f"load: {name} = {shown(classes)} must be a list of classes of your own") from None
    content = _read(source)
    own = _format_of(content)
    for known in FORMATS:
        for option, default in known.defaults.items():
            if option not in own.defaults and options[option] != default:
                raise FormatError(
                    f"{content.name} is {own.name}, which knows no {option}={shown(options[option])}; {known.name} does"
                )
    if gravity is not None:
        options["gravity"] = gravity
    model, messages = own.read(content, options)
    for message in messages:
        warnings.warn(message, FormatWarning, stacklevel=2)
    return model


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file: all of it for a name that ends in .json, what URDF can say for .urdf.

    Parameters
    ----------
    model : Model
        What is written.
    path : str or os.PathLike
        Name of the file; its ending chooses the format. For .urdf see `rbdkit.formats.to_urdf`.

    Raises
    ------
    FormatError
        If the name ends otherwise or the model cannot be written in that format. No file is written then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rbdkit as rbd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rbd.save(rbd.library.pendulum(), Path(folder, "pendulum.json"))
    ...     model = rbd.load(Path(folder, "pendulum.json"))
    >>> model
    <Model 'pendulum': 1 body, 1 moving joint, nq=1, nv=1, 1 kg>
    """
    path, known = _path(path), {format.ending: format for format in FORMATS}
    if path.suffix.lower() not in known:
        raise FormatError(f"cannot tell the format from the name {path.name!r}; it must end in {' or '.join(known)}")
    write_file(path, known[path.suffix.lower()].write(model))


def _read(source: str | bytes | os.PathLike[str] | IO[Any]) -> Content:
    """Return what a source holds."""
    if isinstance(source, bytes):
        return Content(source, "text", None)
    first = {known.begins[:1] for known in FORMATS}
    if isinstance(source, str) and (source.lstrip(BLANK)[:1] in first or "\n" in source):
        return Content(source, "text", None)
    if isinstance(source, str | os.PathLike):
        path = _path(source)
        if not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode):
            raise FormatError(
                f"{path} is not a file but a device or a pipe, which might never end; "
                "open it yourself and load the file object: load(open(..., 'rb'))"
            )
        with path.open("rb") as file:
            return Content(_limited(file, path.name), path.name, path.parent)
    if not hasattr(source, "read"):
        raise FormatError(
            f"cannot load a model from {type(source).__name__} {shown(source)}; give a path, a text or an open file"
        )
    path_of_file = getattr(source, "name", None)
    if isinstance(path_of_file, str) and os.path.isfile(path_of_file):
        path = Path(path_of_file)
        return Content(_limited(source, path.name), path.name, path.parent)
    return Content(_limited(source, "file"), "file", None)


def _path(given: str | os.PathLike[str]) -> Path:
    if not isinstance(given, str | os.PathLike):
        raise FormatError(f"{shown(given)} is not a path; give the name of a file")
    if "\0" in (path := os.path.expanduser(os.fsdecode(given))):
        raise FormatError(f"path {shown(path)} holds the character NUL, which no file name can")
    return Path(path)


def _limited(file: IO[Any], name: str) -> str | bytes:
    try:
        data = file.read(MAX_BYTES + 1)
    except (TypeError, ValueError) as fault:  # closed, or not a file after all
        raise FormatError(f"{name}: it cannot be read: {first_line(fault)}") from None
    if not isinstance(data, str | bytes):
        raise FormatError(f"{name}: reading it gives {shown(data)}, neither text nor bytes")
    if len(data) > MAX_BYTES:
        raise FormatError(f"{name}: more than {MAX_BYTES} bytes; no robot file is that long")
    return data


def _format_of(content: Content) -> Format:
    """Return the format of a file, which its beginning tells."""
    data = content.data
    if isinstance(data, bytes):
        wide = data.startswith(BYTE_ORDER_MARKS)
        data = data[:MOST_BEFORE].decode("utf-16" if wide else "latin-1", errors="replace").removeprefix("ï»¿")
    head = _PROLOGUE.sub("", data[:MOST_BEFORE], count=1) or data[:MOST_BEFORE].lstrip(BLANK)
    fitting = [known for known in FORMATS if known.fits(head)]
    if fitting:
        return max(fitting, key=lambda known: len(known.begins))
    if not head:
        raise FormatError(f"{content.name} is empty; {', '.join(known.example for known in FORMATS)}")
    raise FormatError(
        f"{content.name} is neither {' nor '.join(known.name for known in FORMATS)}: it begins with "
        f"{content.data[:20]!r}; {', '.join(known.example for known in FORMATS)}"
    )
