"""Set everything up and run all the tests: linter, types, fast tests, browser tests, notebooks.

    python3 tests/run.py                      all of it
    python3 tests/run.py --quick              what takes minutes: no browser, no notebooks, no tests that are slow
    python3 tests/run.py tests/spatial -k so3 further arguments go to pytest, and nothing else is run

Linter and types are checked beside the tests. The benchmarks in tests/benchmarks are not run.
"""

from __future__ import annotations

import ctypes.util
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
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
    "fast tests": (["-n", "auto", "-m", "not browser and not notebook"], []),
    "browser tests": (  # a file shares a page; those with few tests take longest and must not come last
        ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "browser"],
        ["tests/browser"],
    ),
    "notebooks": (["-n", "auto", "-m", "notebook and not browser"], ["tests/notebooks"]),
}


QUICK: dict[str, tuple[list[str], list[str]]] = {
    "fast tests": (["-n", "auto", "-m", "not browser and not notebook and not slow"], []),
}


def main() -> int:
    environment.ensure(["lab", "mesh", "robots", "data", "test", "dask"])
    install_missing_packages()
    quick, given = "--quick" in sys.argv[1:], [word for word in sys.argv[1:] if word != "--quick"]
    if not (quick or given):
        OUTCOMES.unlink(missing_ok=True)  # what is shown is shown by this run, not by those before
    with ThreadPoolExecutor(1) as beside:
        linted = beside.submit(lint) if not given else None
        broken, total = tests(QUICK if quick else TESTS, given)
        if linted is not None:
            broken += linted.result()
    if not total:
        broken.append("no test was selected")
    if not (quick or given):
        print(f"\n{items_shown()}")
    print(f"\n{'FAILED: ' + ', '.join(broken) if broken else 'All is well.'}")
    print(", ".join(f"{total[kind]} {kind}" for kind in ("passed", "failed", "skipped")))
    return 1 if broken else 0


def tests(kinds: dict[str, tuple[list[str], list[str]]], given: list[str]) -> tuple[list[str], Counter[str]]:
    """Run tests of these kinds, those that the given arguments select; return the kinds that failed, and the counts."""
    broken: list[str] = []
    total: Counter[str] = Counter()
    for name, (selection, places) in kinds.items():
        if not may_be_among(given, places):
            continue
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.xml")
            arguments = [*selection, f"--junitxml={report}", *(given or places)]
            code = run(name, ["pytest", "--ignore=tests/benchmarks", *arguments])
            total += counts(report)
        if code not in ({0, NO_TESTS} if given else {0}):
            broken.append(name)
    return broken, total


def may_be_among(given: list[str], places: list[str]) -> bool:
    """Whether tests in these places may be meant by the paths among the arguments; without a path all are."""
    named = [(environment.ROOT / word.split("::")[0]) for word in given if not word.startswith("-")]
    paths = [path for path in named if path.exists()]
    homes = [environment.ROOT / place for place in places]
    near = (path == home or home in path.parents or path in home.parents for path in paths for home in homes)
    return not paths or not homes or any(near)


def lint() -> list[str]:
    """Run the linters, and return those that found something."""
    return [name for name, command in LINTERS.items() if run(name, command, at_once=True)]


def install_missing_packages() -> None:
    """Debian packages that pip cannot bring: the browser, and libraries."""
    missing = [] if CHROMIUM.exists() else ["chromium"]
    missing += [package for package, library in LIBRARIES.items() if not ctypes.util.find_library(library)]
    if missing:
        environment.apt_install(*missing, reason=f"The tests need {', '.join(missing)}.")


def run(name: str, command: list[str], at_once: bool = False) -> int:
    """Run a module of the environment, and return its exit status.

    at_once : whether its output is printed when it has ended, as something else is printing; else as it comes.
    """
    head = f"\n=== {name}: {' '.join(command)}"
    if not at_once:
        print(head, flush=True)
    begun = time.monotonic()
    ended = subprocess.run(
        [environment.PYTHON, "-m", *command],
        cwd=environment.ROOT,
        env=variables(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if at_once else None,
        stderr=subprocess.STDOUT if at_once else None,
        text=True,
    )
    said = f"{head}\n{ended.stdout}" if at_once else ""
    print(f"{said}=== {name}: exit status {ended.returncode} after {time.monotonic() - begun:.0f} s", flush=True)
    return ended.returncode


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
