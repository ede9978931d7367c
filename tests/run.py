"""Set everything up and run all the tests: linter, types, fast tests, browser tests, notebooks.

    python3 tests/run.py              all of it
    python3 tests/run.py -k urdf      further arguments go to pytest

The benchmarks in tests/benchmarks are not run.
"""

from __future__ import annotations

import ctypes.util
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / ".ci"))

import environment

CHROMIUM = Path("/usr/bin/chromium")
LIBRARIES = {"libgomp1": "gomp", "libatomic1": "atomic"}  # Pinocchio and Playwright are linked with them
OUTCOMES = environment.ROOT / ".pytest_cache" / "v" / "rbdkit" / "outcomes"  # tests/conftest.py writes it
NO_TESTS = 5  # pytest's exit status when a selection is empty, as some are when arguments narrow it down

LINTERS = {
    "ruff": ["ruff", "check"],
    "ruff format": ["ruff", "format", "--check"],
    "mypy": ["mypy"],
}
TESTS = {  # what pytest is told, and where such tests lie: to look through all the others takes long
    "fast tests": (["-n", "2", "-m", "not browser and not notebook"], []),
    "browser tests": (  # a file shares a page; those with few tests take longest and must not come last
        ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "browser"],
        ["tests/browser"],
    ),
    "notebooks": (["-n", "2", "-m", "notebook and not browser"], ["tests/notebooks"]),
}


def main() -> int:
    environment.ensure(["lab", "mesh", "robots", "data", "test", "dask"])
    install_missing_packages()
    broken = [name for name, command in LINTERS.items() if run(name, command)]
    harmless = {0, NO_TESTS} if sys.argv[1:] else {0}
    total: Counter[str] = Counter()
    if not sys.argv[1:]:
        OUTCOMES.unlink(missing_ok=True)  # what is shown is shown by this run, not by those before
    for name, (selection, places) in TESTS.items():
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.xml")
            arguments = [*selection, f"--junitxml={report}", *(sys.argv[1:] or places)]
            code = run(name, ["pytest", "--ignore=tests/benchmarks", *arguments])
            total += counts(report)
        if code not in harmless:
            broken.append(name)
    if not total:
        broken.append("no test was selected")
    if not sys.argv[1:]:
        print(f"\n{items_shown()}")
    print(f"\n{'FAILED: ' + ', '.join(broken) if broken else 'All is well.'}")
    print(", ".join(f"{total[kind]} {kind}" for kind in ("passed", "failed", "skipped")))
    return 1 if broken else 0


def install_missing_packages() -> None:
    """Debian packages that pip cannot bring: the browser, and libraries."""
    missing = [] if CHROMIUM.exists() else ["chromium"]
    missing += [package for package, library in LIBRARIES.items() if not ctypes.util.find_library(library)]
    if missing:
        environment.apt_install(*missing, reason=f"The tests need {', '.join(missing)}.")


def run(name: str, command: list[str]) -> int:
    """Run a module of the environment, its output as it comes, and return its exit status."""
    print(f"\n=== {name}: {' '.join(command)}", flush=True)
    begun = time.monotonic()
    code = subprocess.run(
        [environment.PYTHON, "-m", *command],
        cwd=environment.ROOT,
        env=variables(),
        stdin=subprocess.DEVNULL,
    ).returncode
    print(f"=== {name}: exit status {code} after {time.monotonic() - begun:.0f} s", flush=True)
    return code


def variables() -> dict[str, str]:
    """The environment variables of a step. Hundreds of Pythons are started; each leaves the next what it compiled."""
    return {name: value for name, value in environment.activated().items() if name != "PYTHONDONTWRITEBYTECODE"}


def items_shown() -> str:
    """The last line of `pytest --sources`: how many items of the sources are shown by tests that passed."""
    command = [str(environment.PYTHON), "-m", "pytest", "--ignore=tests/benchmarks", "--sources", "-q"]
    table = subprocess.run(
        command,
        cwd=environment.ROOT,
        env=variables(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    ).stdout
    return next((line for line in table.splitlines() if " items of the sources are shown" in line), table[-2000:])


def counts(report: Path) -> Counter[str]:
    """How many tests passed, failed and were skipped, from a JUnit report; nothing when pytest wrote none."""
    found: Counter[str] = Counter()
    if report.exists():
        for case in ElementTree.parse(report).iter("testcase"):
            kinds = {child.tag for child in case}
            found["failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"] += 1
    return found


if __name__ == "__main__":
    sys.exit(main())
