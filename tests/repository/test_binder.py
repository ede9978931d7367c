"""Binder: its build reads our files, and its own package versions suit us."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

# What the notebooks run on; Binder's image brings these, and ours must be content with its versions.
BASE = ["jupyterlab", "notebook", "ipywidgets", "jupyter_server", "ipykernel"]


@pytest.fixture(scope="module")
def recipe(root) -> str:
    """The image that repo2docker would build, as it says it."""
    result = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", root], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


def test_binder_takes_our_python_and_runs_our_post_build(recipe, root):
    version = (root / "binder" / "runtime.txt").read_text().strip()
    assert version == "python-3.11"
    assert "environment for python=3.11" in recipe
    assert re.search(r"^RUN \./binder/postBuild$", recipe, re.MULTILINE)
    assert re.search(r"apt-get .*install .*-recommends ffmpeg ", recipe), "rbd.to_mp4 writes films by it"
    assert os.access(root / "binder" / "postBuild", os.X_OK)


@pytest.mark.slow
def test_first_notebook_runs_on_the_versions_of_binder(root, tmp_path):
    """Binder's versions from repo2docker's own lock file, then our postBuild, then the notebook."""
    repo2docker = Path(find_spec("repo2docker").origin).parent  # found, not imported
    lock = (repo2docker / "buildpacks" / "conda" / "environment.py-3.11-linux-64.lock").read_text()
    pins = [f"{name}=={re.search(rf'/{name}-([0-9.]+)-', lock)[1]}" for name in BASE]
    home = tmp_path / "binder"
    venv.create(home, with_pip=True)
    shell = {**os.environ, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(home)}
    shell.pop("PYTHONPATH", None)
    shell["PIP_NO_COMPILE"] = "1"  # far more is installed than one notebook imports

    def do(*command: str) -> str:
        result = subprocess.run(command, cwd=root, env=shell, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    do("python", "-m", "pip", "install", "--quiet", *pins)
    do("./binder/postBuild")
    kept = do("python", "-m", "pip", "freeze").replace("-", "_").lower().splitlines()
    assert {pin.lower() for pin in pins} <= set(kept), "our requirements replaced a version of Binder's"
    assert str(home) in do("python", "-P", "-c", "import rbdkit; print(rbdkit.__file__)")
    do(
        "python",
        "-m",
        "jupyter",
        "nbconvert",
        "--to",
        "notebook",
        "--execute",
        "--output-dir",
        str(tmp_path),
        "notebooks/00_first_steps.ipynb",
    )
