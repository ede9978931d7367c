"""Reading a model from a path, a text or a file object, and writing it to a path."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import IO, Any

from numpy.typing import ArrayLike

from rbdkit.atomic_write import write_file
from rbdkit.constraints import ConstraintElement
from rbdkit.errors import FormatError
from rbdkit.forces import ForceElement
from rbdkit.formats.format import FORMATS
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.meshes import folders
from rbdkit.formats.source import as_path, format_of, read_source
from rbdkit.formats.xacro import expanded, is_xacro, xacro_arguments
from rbdkit.joints import JointType
from rbdkit.model import Model
from rbdkit.spatial.check_arguments import require_switch
from rbdkit.spatial.read_numbers import shown


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
    xacro_args: Mapping[str, object] | None = None,
) -> Model:
    """Read a model from a URDF, xacro or MJCF document, or from JSON as `save` writes it.

    Parameters
    ----------
    source : str, bytes, os.PathLike or file object
        A path, a text that begins with '<' or '{', or an open file. The format is recognised from the content. MJCF is
        read by MuJoCo, see `load_mujoco`: ``pip install "rbdkit[mjcf]"``. A file whose name ends in .xacro is expanded
        to a URDF first: ``pip install "rbdkit[xacro]"``.
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
    xacro_args : mapping of str to object, optional
        For xacro, values of the arguments that the file declares by ``<xacro:arg>``.

    Returns
    -------
    Model
        All that the file says of bodies, joints and shapes.

    Raises
    ------
    FormatError
        If the content is not a model in one of these formats, with the place in it.
    ModuleNotFoundError
        If it is MJCF and MuJoCo is not installed, or xacro and xacrodoc is not.
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
    content, said = read_source(source, FORMATS), list[str]()
    if is_xacro(content):
        content, said = expanded(content, xacro_arguments(xacro_args or {}))
    elif xacro_args is not None:
        raise FormatError(f"{content.name} is no xacro file, which alone takes xacro_args={shown(xacro_args)}")
    own = format_of(content, FORMATS)
    for known in FORMATS:
        for option, default in known.defaults.items():
            if option not in own.defaults and options[option] != default:
                raise FormatError(
                    f"{content.name} is {own.name}, which knows no {option}={shown(options[option])}; {known.name} does"
                )
    if gravity is not None:
        options["gravity"] = gravity
    model, messages = own.read(content, options)
    for message in [*said, *messages]:
        warnings.warn(message, FormatWarning, stacklevel=2)
    return model


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file: all of it for a name that ends in .json, what URDF can say for .urdf, MJCF for .xml.

    Parameters
    ----------
    model : Model
        What is written.
    path : str or os.PathLike
        Name of the file; its ending chooses the format. For .urdf see `rbdkit.formats.to_urdf`, for
        .xml `rbdkit.formats.to_mjcf`.

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
    path, known = as_path(path), {format.ending: format for format in FORMATS}
    if path.suffix.lower() not in known:
        raise FormatError(f"cannot tell the format from the name {path.name!r}; it must end in {' or '.join(known)}")
    write_file(path, known[path.suffix.lower()].write(model))
