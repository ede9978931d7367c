"""Real robots: where the optional package `example-robot-data` keeps their files, and one dropped on the ground."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

from rbdkit.algorithms.contact import contacts
from rbdkit.errors import ModelError
from rbdkit.formats import load
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model.numbering import did_you_mean

FAR = 10.0
"""m; shapes of a robot at its place at first are nearer to the ground."""


class UnknownRobot(ModelError, LookupError):
    """Error that no robot file of a name exists."""


@ready
def robot_file(name: str) -> Path:
    """Path of the URDF file of a robot by the name of the file: 'ur5_robot', 'panda', 'anymal', 'talos_reduced', ...

    Parameters
    ----------
    name : str
        Of the file, without its ending.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ModuleNotFoundError
        If `example-robot-data` is not installed (``pip install "rbdkit[robots]"``).
    UnknownRobot
        If it has no robot of that name; the message suggests the closest one.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.robot_file("ur5_robot").name
    'ur5_robot.urdf'
    """
    files = robot_files()
    if name not in files:
        raise UnknownRobot(f"no robot {name!r} among the {len(files)} of example-robot-data{did_you_mean(name, files)}")
    return files[name]


@ready
def dropped_robot(
    name: str = "anymal", height: float = 0.05, friction: float = 0.8, damping: float = 1.0, armature: float = 0.02
) -> Start:
    """A real robot over the ground, with the shapes that its URDF file has for collisions.

    Nothing holds its joints but dampers: it comes down on its feet and collapses.

    Parameters
    ----------
    name : str, optional
        As of `robot_file`: 'anymal', 'a1' and 'go1' have four legs, 'romeo_small' two.
    height : float, optional
        Of the gap below its lowest shape, m.
    friction : float, optional
        Coulomb's coefficient.
    damping, armature : float, optional
        Of each joint's coordinate, N m s/rad and kg m2: of its gear, say. A damper needs inertia to act on, or steps
        have to be short.

    Returns
    -------
    Start

    Raises
    ------
    ModuleNotFoundError, LookupError
        As of `robot_file`.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.dropped_robot("a1", height=0.1)
    >>> round(min(contact.phi for contact in rbd.contacts(model, q, v, margin=0.5)), 9), model.nv
    (0.1, 18)
    """
    model = load(robot_file(name), floating=True)
    own = [joint for joint in model.joints if 0 < joint.nv < 6 and joint.mimic is None]
    numbers = {"damping": damping, "armature": armature}
    names = [(f"{joint.name}.{what}", x) for joint in own for what, x in numbers.items()]
    model = model.with_parameters({key: np.full(np.shape(model.parameters[key]), x)[()] for key, x in names})
    model.add_ground(friction=friction)
    q, v = np.array(model.neutral()), np.zeros(model.nv)
    q[6] += height - min(contact.phi for contact in contacts(model, q, v, margin=FAR))
    return Start(model, q, v)


@ready
def robot_files() -> dict[str, Path]:
    """All URDF files of `example-robot-data` by name; where two have the same, the second is called 'folder/name'.

    Returns
    -------
    dict of str to pathlib.Path

    Examples
    --------
    >>> import rbdkit as rbd
    >>> "panda" in rbd.library.robot_files()
    True
    """
    try:
        package = distribution("example-robot-data")
    except PackageNotFoundError:
        raise ModuleNotFoundError(
            'robot files come with the package example-robot-data: pip install "rbdkit[robots]", '
            "or load a URDF of your own"
        ) from None
    folder = Path(str(package.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    files: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.urdf")):
        place = path.relative_to(folder).parts[0]
        files[path.stem if path.stem not in files else f"{place}/{path.stem}"] = path
    return files
