"""Reading a model from a path, a text or a file object, and writing it to a path."""

from __future__ import annotations

import os
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
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.json.read import from_json
from rbdkit.formats.json.write import to_json
from rbdkit.formats.meshes import folders
from rbdkit.formats.urdf.read import read_urdf
from rbdkit.formats.urdf.write import to_urdf
from rbdkit.joints import JointType
from rbdkit.model import Model
from rbdkit.spatial.check_arguments import require_switch
from rbdkit.spatial.read_numbers import first_line, shown

MAX_BYTES = 2**30
BYTE_ORDER_MARKS = (b"\xfe\xff", b"\xff\xfe")  # UTF-16: XML, for JSON is UTF-8


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
    """Read a model from a URDF document or from JSON as `save` writes it.

    Parameters
    ----------
    source : str, bytes, os.PathLike or file object
        A path, a text that begins with '<' or '{', or an open file. The format is recognised from the content.
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
    data, name, folder = _read(source)
    mesh_paths = folders(mesh_paths)
    if _is_json(data, name):
        if (merge_fixed, floating, mimic, mesh_paths) != (True, False, True, ()):
            raise FormatError(
                f"{name}: merge_fixed, floating, mimic and mesh_paths are for URDF; a JSON file is read as it is"
            )
        model = from_json(data, source=name, forces=forces, joints=joints, constraints=constraints)
        return model if gravity is None else model.with_parameters({"gravity": gravity})
    if tuple(forces):
        raise FormatError(f"{name}: forces are for JSON; URDF has no force elements")
    if tuple(constraints):
        raise FormatError(f"{name}: constraints are for JSON; URDF has none")
    if joints := tuple(joints):
        raise FormatError(f"{name}: joints are for JSON; URDF has joint types of its own, not {shown(joints)}")
    model, messages = read_urdf(
        data,
        merge_fixed,
        floating,
        mimic,
        mesh_paths,
        gravity=(0.0, 0.0, -9.81) if gravity is None else gravity,
        source=name,
        folder=folder,
    )
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
    writers = {".json": to_json, ".urdf": to_urdf}
    path = _path(path)
    if path.suffix.lower() not in writers:
        raise FormatError(f"cannot tell the format from the name {path.name!r}; it must end in {' or '.join(writers)}")
    text = writers[path.suffix.lower()](model)
    write_file(path, text)


def _read(source: str | bytes | os.PathLike[str] | IO[Any]) -> tuple[str | bytes, str, Path | None]:
    """Content, name for messages, and folder."""
    if isinstance(source, bytes):
        return source, "text", None
    if isinstance(source, str) and (source.lstrip("\ufeff \t\r\n")[:1] in ("<", "{") or "\n" in source):
        return source, "text", None
    if isinstance(source, str | os.PathLike):
        path = _path(source)
        if not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode):
            raise FormatError(
                f"{path} is not a file but a device or a pipe, which might never end; "
                "open it yourself and load the file object: load(open(..., 'rb'))"
            )
        with path.open("rb") as file:
            return _limited(file, path.name), path.name, path.parent
    if not hasattr(source, "read"):
        raise FormatError(
            f"cannot load a model from {type(source).__name__} {shown(source)}; give a path, a text or an open file"
        )
    path_of_file = getattr(source, "name", None)
    if isinstance(path_of_file, str) and os.path.isfile(path_of_file):
        return _limited(source, Path(path_of_file).name), Path(path_of_file).name, Path(path_of_file).parent
    return _limited(source, "file"), "file", None


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


def _is_json(data: str | bytes, name: str) -> bool:
    """Whether it is JSON rather than XML, by its first letter."""
    blank = "\ufeff \t\r\n"
    head = data.lstrip(blank)[:1] if isinstance(data, str) else data.lstrip(blank.encode())[:1].decode("latin-1")
    if head == "{":
        return True
    if head == "<" or (isinstance(data, bytes) and data.startswith(BYTE_ORDER_MARKS)):
        return False
    if not head:
        raise FormatError(f"{name} is empty; a URDF begins with '<robot', a model in JSON with '{{'")
    raise FormatError(
        f"{name} is neither a URDF (XML, begins with '<') nor a model in JSON (begins with '{{'): "
        f"it begins with {data[:20]!r}"
    )
