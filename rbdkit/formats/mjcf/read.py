"""Reading MJCF, MuJoCo's format, by MuJoCo itself."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from numpy.typing import ArrayLike

from rbdkit.errors import FormatError, ModelError
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.mjcf.actuators import add_actuators
from rbdkit.formats.mjcf.bodies import add_bodies, add_body_forces, add_frames
from rbdkit.formats.mjcf.contact import add_contacts
from rbdkit.formats.mjcf.equalities import add_equalities
from rbdkit.formats.mjcf.geoms import Shapes
from rbdkit.formats.mjcf.left_out import count_left_out, message
from rbdkit.formats.mjcf.library import heard, mujoco
from rbdkit.formats.mjcf.reading import Reading
from rbdkit.formats.mjcf.tendons import add_tendons
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import shown


def load_mujoco(mj_model: Any, *, gravity: ArrayLike | None = None) -> Model:
    """The model of a compiled MuJoCo model; `load` reads MJCF files by it.

    Parameters
    ----------
    mj_model : mujoco.MjModel
        What ``mujoco.MjModel.from_xml_path`` returns, or ``MjSpec.compile``, or dm_control's ``physics.model.ptr``.
    gravity : array_like (3,), optional
        Acceleration of free fall in world coordinates, m/s2; the file's if not given.

    Returns
    -------
    Model
        Its bodies, joints and sites (as frames) go by their names in the file.

    Raises
    ------
    FormatError
        If it is not a compiled model, or holds something that no model of rbdkit can, a name of 10,000 letters say.
    ModuleNotFoundError
        If MuJoCo is not installed: ``pip install "rbdkit[mjcf]"``.

    Warns
    -----
    FormatWarning
        Once about all features of the file that are left out, by kind and count.

    Notes
    -----
    - Where MuJoCo's coordinates are ``qpos0``, the model's are neutral: it starts as the file draws it. Coordinates of
      hinges and slides, their limits and where their springs are slack count from there. `from_mujoco_state` and
      `to_mujoco_state` of `rbdkit.formats` convert states, and `load_keyframes` reads those that a file names.
    - The frame of a body is where its joint is, with the axes of MuJoCo's body frame. Where MuJoCo's is elsewhere, the
      frame ``<body>_origin`` is it. A body with several joints has massless bodies ``<body>_before_<joint>`` before it.
    - Mass matrix and forces of gravity, springs, dampers and rotors are MuJoCo's. Contacts, friction, limits and
      equalities are soft in MuJoCo (solref, solimp, margin): here equalities hold exactly as loop joints and ties, and
      contact laws and limits are those of `simulate`. Planes become grounds; geoms that move nothing are drawn only.
    - Motors and servos on hinges, slides and fixed tendons become actuators, `Model.u_names`. Without a control they
      act as in MuJoCo at ``ctrl`` zero.
    - Cameras, lights, textures, and numbers of MuJoCo's solver and integrator are no part of a mechanism.

    Examples
    --------
    >>> import mujoco
    >>> import rbdkit as rbd
    >>> compiled = mujoco.MjModel.from_xml_string('''
    ...     <mujoco model="door">
    ...       <worldbody>
    ...         <body name="leaf">
    ...           <joint name="hinge" axis="0 0 1" damping="0.5" range="0 90"/>
    ...           <geom type="box" pos="0.4 0 1" size="0.4 0.02 1" mass="20"/>
    ...         </body>
    ...       </worldbody>
    ...     </mujoco>''')
    >>> rbd.load_mujoco(compiled)
    <Model 'door': 1 body, 1 moving joint, nq=1, nv=1, 20 kg>
    """
    library = mujoco()
    if not isinstance(mj_model, library.MjModel):
        raise FormatError(
            f"load_mujoco takes a compiled model, a mujoco.MjModel, not {shown(mj_model)}; rbdkit.load reads MJCF files"
        )
    model, messages = _model_of(library, mj_model, gravity, "MuJoCo model", [])
    for text in messages:
        warnings.warn(text, FormatWarning, stacklevel=2)
    return model


def read_mjcf(data: str | bytes, gravity: ArrayLike | None, source: str, path: Path | None) -> tuple[Model, list[str]]:
    """The model of an MJCF document, and what to warn of. path : of the file, if it is one; then it is read again."""
    compiled, said = compile_mjcf(data, source, path)
    return _model_of(mujoco(), compiled, gravity, source, said)


def compile_mjcf(data: str | bytes, source: str, path: Path | None) -> tuple[Any, list[str]]:
    """MuJoCo's compiled model of an MJCF document, and what MuJoCo warned of. Arguments as of `read_mjcf`."""
    library = mujoco()
    with heard(library) as said:
        try:
            if path is None:
                return library.MjModel.from_xml_string(_text(data, source)), said
            return library.MjModel.from_xml_path(str(path)), said
        except (ValueError, library.FatalError) as fault:
            raise FormatError(f"{source}: MuJoCo cannot read it: {' '.join(str(fault).split())}") from None


def _model_of(
    library: ModuleType, compiled: Any, gravity: ArrayLike | None, source: str, said: list[str]
) -> tuple[Model, list[str]]:
    """The model of a compiled one, and what to warn of. said : warnings of MuJoCo."""
    name = bytes(compiled.names).split(b"\0")[0].decode(errors="replace") or "MuJoCo model"
    try:
        model = Model(name, compiled.opt.gravity if gravity is None else gravity)
        reading = Reading(library, compiled, model)
        if gravity is None and reading.disabled("GRAVITY"):
            model.gravity = (0.0, 0.0, 0.0)
        shapes = Shapes(reading)
        add_bodies(reading, shapes)
        add_frames(reading)
        add_body_forces(reading)
        add_tendons(reading)
        add_actuators(reading)
        add_equalities(reading)
        add_contacts(reading, shapes)
    except ModelError as fault:
        raise FormatError(f"{source}: {fault}") from None
    count_left_out(reading)
    reading.notes += [f"MuJoCo: {' '.join(text.split())}" for text in said]
    return model, message(source, reading)


def _text(data: str | bytes, source: str) -> str:
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    for encoding in ("utf-16", "utf-8-sig") if data[:2] in (b"\xfe\xff", b"\xff\xfe") else ("utf-8-sig",):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FormatError(f"{source}: its encoding cannot be read; save it as UTF-8")
