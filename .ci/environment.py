"""The project's own Python environment, .venv: made, kept up to date, and nothing but the standard library needed.

Shared by ``notebooks/start.py`` and ``tests/run.py``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "rbdkit.json"
PROJECTS = ("pyproject.toml", "notebooks/pyproject.toml")


def ensure(extras: Iterable[str]) -> Path:
    """Make .venv hold rbdkit with the given extras and the course, both editable, and return its Python.

    It is quick when they are there already.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 (an older Python does come this far, and is told so)
        raise SystemExit(f"rbdkit needs Python 3.11 or newer, this is {sys.version.split()[0]}. Run it as python3.11.")
    stamp = _read_stamp()
    place = [str(ROOT), sys.base_prefix, *sys.version_info[:2]]  # an environment can be moved to none of the others
    if stamp.get("place") != place or not PYTHON.exists():
        _make_venv()
        stamp = {"extras": []}
    pyproject = hashlib.sha256(b"".join((ROOT / file).read_bytes() for file in PROJECTS)).hexdigest()
    if stamp.get("pyproject") != pyproject or not set(extras) <= set(stamp["extras"]):
        wanted = sorted({*extras, *stamp["extras"]})
        _say(f"installing rbdkit[{','.join(wanted)}] into {VENV}; the first time takes a minute or two")
        # in this order: pip 23 looks for the rbdkit that the course needs among the packages before it
        packages: list[str | Path] = ["--editable", f"{ROOT}[{','.join(wanted)}]", "--editable", ROOT / "notebooks"]
        _call([PYTHON, "-m", "pip", "install", "--quiet", "--no-compile", *packages])
        _compile()
        STAMP.write_text(json.dumps({"place": place, "pyproject": pyproject, "extras": wanted}))
    return PYTHON


def activated(**variables: str) -> dict[str, str]:
    """The environment variables of a process in .venv, with further ones."""
    path = os.pathsep.join([str(BIN), os.environ.get("PATH", os.defpath)])
    return {**os.environ, "PATH": path, "VIRTUAL_ENV": str(VENV), **variables}


def apt_install(*packages: str, reason: str) -> None:
    """Install Debian packages as root or through sudo; else stop and say what to type."""
    names = " ".join(packages)
    by_hand = f"{reason} Type: sudo apt-get update && sudo apt-get install -y {names}    then run this again."
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not shutil.which("apt-get") or not (root or shutil.which("sudo")):
        raise SystemExit(by_hand)
    _say(f"{reason} Installing {names} from Debian's packages.")
    apt = [] if root else ["sudo"]
    apt += ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    try:
        subprocess.run([*apt, "update"], check=True)
        subprocess.run([*apt, "install", "-y", "--no-install-recommends", *packages], check=True)
    except subprocess.CalledProcessError:
        raise SystemExit(f"That did not work. {by_hand}") from None


def _make_venv() -> None:
    if not importlib.util.find_spec("ensurepip"):
        apt_install("python3-venv", reason="This Python cannot make environments: Debian packs that part separately.")
    _say(f"making {VENV}")
    _call([sys.executable, "-m", "venv", "--clear", VENV])


def _compile() -> None:
    """Byte code of all that is installed, by all processors: pip has only one at it. What does not compile is left."""
    subprocess.run([PYTHON, "-m", "compileall", "-qq", "-j", "0", VENV])


def _read_stamp() -> dict:
    try:
        return json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}


def _call(command: list[str | Path]) -> None:
    code = subprocess.run(command).returncode
    if code:
        raise SystemExit(f"This failed with exit status {code}: {' '.join(map(str, command))}")


def _say(text: str) -> None:
    print(f"rbdkit: {text}", file=sys.stderr, flush=True)
