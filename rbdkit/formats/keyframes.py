"""States that MJCF files name: their keyframes."""

from __future__ import annotations

import os
from typing import IO, Any

from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.format import FORMATS, MJCF
from rbdkit.formats.mjcf.library import mujoco
from rbdkit.formats.mjcf.read import compile_mjcf
from rbdkit.formats.mjcf.state import from_mujoco_state
from rbdkit.formats.source import format_of, read_source
from rbdkit.formats.unique_names import UniqueNames


def load_keyframes(source: str | bytes | os.PathLike[str] | IO[Any] | Any) -> dict[str, tuple[NDArray, NDArray]]:
    """Read the keyframes of an MJCF file, as states of the model that `load` makes of it.

    Parameters
    ----------
    source : str, bytes, os.PathLike, file object or mujoco.MjModel
        What `load` takes, or what `load_mujoco` takes.

    Returns
    -------
    dict of str to (ndarray (nq,), ndarray (nv,))
        Coordinates and velocities by name, rad and m, rad/s and m/s; a keyframe without a name is called 'key0' by its
        number. Controls and activations are left out.

    Raises
    ------
    FormatError
        If it is no MJCF, or MuJoCo cannot read it.
    ModuleNotFoundError
        If MuJoCo is not installed: ``pip install "rbdkit[mjcf]"``.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from rbdkit.formats import load_keyframes
    >>> door = '''<mujoco><worldbody><body><joint axis="0 0 1"/><geom size="0.1" pos="0.5 0 0"/></body></worldbody>
    ...     <keyframe><key name="open" qpos="1.5" qvel="0.1"/></keyframe></mujoco>'''
    >>> q, v = load_keyframes(door)["open"]
    >>> q.tolist(), v.tolist()
    ([1.5], [0.1])
    """
    m: Any = source
    if not isinstance(source, mujoco().MjModel):
        content = read_source(source, FORMATS)
        if (own := format_of(content, FORMATS)) is not MJCF:
            raise FormatError(f"{content.name} is {own.name}, which has no keyframes; MJCF does")
        m, _ = compile_mjcf(content.data, content.name, content.path)
    names = UniqueNames([])
    return {
        names.new(m.key(k).name or f"key{k}"): from_mujoco_state(m, m.key_qpos[k], m.key_qvel[k]) for k in range(m.nkey)
    }
