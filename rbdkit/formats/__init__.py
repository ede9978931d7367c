"""Models in and out of files: URDF, the robot description of ROS, MJCF, that of MuJoCo, and JSON, which keeps all.

`load` and `save` tell the format from the content and from the name. The reader of URDF takes what is found in the
wild, says in one warning what it mended, and refuses what it cannot make sense of with the line and the name of the
link or joint. MJCF is read by MuJoCo itself, an optional package (``pip install "rbdkit[mjcf]"``); what of it has no
place in a model is named and counted. xacro is expanded by the package xacrodoc (``pip install "rbdkit[xacro]"``), and
`load_srdf` reads what an SRDF says of a robot: named poses, end effectors, pairs that need not be tested.
Denavit-Hartenberg parameters become models by `from_dh`.
"""

from rbdkit.formats.denavit_hartenberg import DHParameters, DHRow, from_dh, to_dh
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.json.read import from_dict, from_json
from rbdkit.formats.json.write import to_dict, to_json
from rbdkit.formats.keyframes import load_keyframes
from rbdkit.formats.load import load, save
from rbdkit.formats.mjcf.read import load_mujoco
from rbdkit.formats.mjcf.state import from_mujoco_state, to_mujoco_state
from rbdkit.formats.mjcf.write import to_mjcf
from rbdkit.formats.srdf import SemanticDescription, load_srdf
from rbdkit.formats.urdf.read import from_urdf
from rbdkit.formats.urdf.write import to_urdf

__all__ = [
    "DHParameters",
    "DHRow",
    "FormatWarning",
    "SemanticDescription",
    "from_dh",
    "from_dict",
    "from_json",
    "from_mujoco_state",
    "from_urdf",
    "load",
    "load_keyframes",
    "load_mujoco",
    "load_srdf",
    "save",
    "to_dh",
    "to_dict",
    "to_json",
    "to_mjcf",
    "to_mujoco_state",
    "to_urdf",
]
