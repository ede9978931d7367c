"""Open the notebooks of the course in JupyterLab, from a checkout or from an installed package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
FRONT_DOOR = "index.ipynb"


def notebooks_folder() -> Path:
    """Return the folder of the notebooks: inside the package if that was installed, beside it in a checkout."""
    installed = PACKAGE / "notebooks"
    return installed if installed.is_dir() else PACKAGE.parent


def own_copy(folder: Path) -> Path:
    """Copy the notebooks to a folder of the student's own, unless it has them; what is there is left as it is.

    Raises
    ------
    FileExistsError
        If the folder holds other files.
    """
    if folder.is_dir() and any(folder.iterdir()):
        if (folder / FRONT_DOOR).exists():
            return folder
        raise FileExistsError(f"{folder} holds other files; name an empty folder, or one that does not exist yet")
    for file in sorted(notebooks_folder().rglob("*.ipynb")):
        if file.parent.name == ".ipynb_checkpoints":  # JupyterLab's own copies of what was opened in a checkout
            continue
        copy = folder / file.relative_to(notebooks_folder())
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return folder


def start(folder: Path) -> int:
    """Open JupyterLab on a student's own copy of the notebooks; return its exit status.

    Raises
    ------
    ModuleNotFoundError
        If JupyterLab is not installed.
    """
    if find_spec("jupyterlab") is None:
        raise ModuleNotFoundError('JupyterLab is not installed; type: python -m pip install "rbdkit[lab]"')
    front_door = own_copy(folder) / FRONT_DOOR
    return subprocess.call([sys.executable, "-m", "jupyterlab", str(front_door)])
