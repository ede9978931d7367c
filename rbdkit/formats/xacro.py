"""Expand xacro, the macro language of URDF files, by the package xacrodoc (``pip install "rbdkit[xacro]"``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from typing import Any

from rbdkit.errors import FormatError
from rbdkit.formats.format import Content
from rbdkit.formats.xml.reader import parse_xml
from rbdkit.spatial.read_numbers import first_line, shown

ENDING = ".xacro"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
"""Colours of a terminal, which xacro writes its warnings in."""


def is_xacro(content: Content) -> bool:
    """Return whether a source is a file whose name says that it is xacro."""
    return content.path is not None and content.path.suffix.lower() == ENDING


def xacro_arguments(given: Any) -> dict[str, str]:
    """Return the arguments of a xacro file as it takes them, as texts."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise FormatError(f"load: xacro_args = {shown(given)} must be a dict such as {{'ur_type': 'ur5e'}}")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}


def expanded(content: Content, arguments: Mapping[str, str]) -> tuple[Content, list[str]]:
    """Return the URDF that a xacro file stands for, and what xacro warns of.

    Packages are looked for in the folders above the file.

    Raises
    ------
    FormatError
        If xacro cannot expand it.
    ModuleNotFoundError
        If xacrodoc is not installed.
    """
    try:
        xacrodoc = import_module("xacrodoc")
    except ModuleNotFoundError as fault:
        raise ModuleNotFoundError(
            f'{content.name} is xacro, which the package xacrodoc expands: pip install "rbdkit[xacro]"'
        ) from fault
    assert content.path is not None
    given = parse_xml(content.data, content.name).attributes.get("name", "$")
    name = content.path.name.partition(".")[0] if "$" in given else given
    try:
        with redirect_stderr(StringIO()) as said:
            xacrodoc.packages.walk_up_from(content.path)
            # as an include, so that its own includes are looked for beside it
            document = xacrodoc.XacroDoc.from_includes(
                [str(content.path.resolve())], name, subargs=dict(arguments), rootdir=content.folder
            )
            text = document.to_urdf_string(use_protocols=False)
    except Exception as fault:  # of xacro, of its parsers of XML and YAML, and of Python expressions in the file
        raise FormatError(f"{content.name}: xacro cannot expand it: {first_line(fault)}") from None
    told = " ".join(ESCAPES.sub("", said.getvalue()).split())
    return Content(text, f"{content.name}, expanded", content.folder), [
        f"{content.name}: xacro: {told}"
    ] if told else []
