"""Real robots: where the optional package `example-robot-data` keeps their URDF files."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from rbdkit.model.numbering import did_you_mean


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
    LookupError
        If it has no robot of that name; the message suggests the closest one.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.robot_file("ur5_robot").name
    'ur5_robot.urdf'
    """
    files = robot_files()
    if name not in files:
        raise LookupError(f"no robot {name!r} among the {len(files)} of example-robot-data{did_you_mean(name, files)}")
    return files[name]


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
