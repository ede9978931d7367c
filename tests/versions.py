"""Run tests/smoke.py with the lowest and the newest versions of all dependencies, under every Python of the machine.

    python3 tests/versions.py            all of them
    python3 tests/versions.py 3.12       one

The lowest versions are those that pyproject.toml asks for. A combination for which a package offers no wheel is said,
and is no failure: nothing is built here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = 11, 15
"""Minor versions of Python that are looked for."""


def main() -> int:
    found, asked = pythons(), sys.argv[1:]
    failed = [name for name in asked if name not in found]
    for name in failed:
        print(f"Python {name} is not on this machine; there are {', '.join(found) or 'none'}")
    for name, python in found.items():
        for which in ("lowest", "newest") if not asked or name in asked else ():
            said = tried(python, which)
            print(f"Python {name}, {which} versions: {said}", flush=True)
            failed += [name] if said.startswith("FAILED") else []
    return 1 if failed or not found else 0


def pythons() -> dict[str, str]:
    """Return the Pythons that start, by their versions."""
    found = {}
    for minor in range(OLDEST, NEWEST + 1):
        name = f"3.{minor}"
        for place in (
            shutil.which(f"python{name}"),
            *map(str, Path.home().glob(f".pyenv/versions/{name}.*/bin/python")),
        ):
            if place and run([place, "-c", "import venv, ensurepip"]).returncode == 0:
                found[name] = place
                break
    return found


def lowest() -> list[str]:
    """Return the dependencies of rbdkit at the versions that pyproject.toml asks for at least."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        asked = tomllib.load(file)["project"]["dependencies"]
    return [re.sub(r"^([\w.-]+)\s*>=\s*([\d.]+)", r"\1==\2", text) for text in asked]


def tried(python: str, which: str) -> str:
    """Install the versions for a Python, run the smoke test, and return what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        run([python, "-m", "venv", folder])
        own = str(Path(folder, "Scripts" if sys.platform == "win32" else "bin", "python"))
        names = lowest() if which == "lowest" else [re.split(r"[=;]", text)[0] for text in lowest()]
        installed = run([own, "-m", "pip", "install", "-q", "--only-binary", ":all:", *names])
        if installed.returncode:
            lines = installed.stderr.strip().splitlines()
            return f"no wheels: {next((line for line in reversed(lines) if 'ERROR' in line), lines[-1])}"
        done = run([own, str(ROOT / "tests" / "smoke.py")], {"PYTHONPATH": str(ROOT)})
        if done.returncode:
            return f"FAILED\n{done.stdout}{done.stderr}"
        return ", ".join(done.stdout.strip().splitlines())


def run(command: list[str], more: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(more or {})}, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
