"""The two commands of the README, and the helper they share, do what they say when things go wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

IN_ONE_PROCESS = ("-n", "0")
CELLS = {"good": "print(1 + 1)", "bad": "1 / 0"}


def module(root: Path, name: str) -> ModuleType:
    """A fresh copy of a script of the repository as a module, so that a test may change it."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, root / name)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture
def start(root) -> ModuleType:
    return module(root, "notebooks/start.py")


@pytest.fixture
def runner(root, tmp_path, monkeypatch) -> ModuleType:
    """tests/run.py over a small project of its own, in the present environment instead of .venv."""
    loaded = module(root, "tests/run.py")
    (tmp_path / "tests" / "benchmarks").mkdir(parents=True)
    (tmp_path / "tests" / "benchmarks" / "test_slow.py").write_text("def test_benchmark(): assert False\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest]\ntestpaths = ["tests"]\nmarkers = ["browser", "notebook"]\n'
    )
    monkeypatch.setattr(loaded.environment, "ROOT", tmp_path)
    monkeypatch.setattr(loaded.environment, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(loaded.environment, "ensure", lambda extras: Path(sys.executable))
    monkeypatch.setattr(loaded, "install_missing_packages", lambda: None)
    monkeypatch.setattr(loaded, "LINTERS", {})
    monkeypatch.setattr(sys, "argv", ["run.py", *IN_ONE_PROCESS])
    return loaded


@pytest.fixture
def environment(root) -> ModuleType:
    return module(root, ".ci/environment.py")


def last_line(capfd) -> str:
    return capfd.readouterr().out.splitlines()[-1]


def test_counts_of_all_test_runs_are_added(runner, tmp_path, capfd):
    (tmp_path / "tests" / "test_a.py").write_text(
        "import pytest\ndef test_a(): pass\n@pytest.mark.browser\ndef test_b(): pass\n"
        "@pytest.mark.notebook\ndef test_c(): assert False\n"
    )
    assert runner.main() == 1
    assert last_line(capfd) == "2 passed, 1 failed, 0 skipped"


def test_a_test_that_fails_in_any_folder_fails_the_command(runner, tmp_path, monkeypatch, capfd):
    """As it is typed: without arguments, in two processes."""
    monkeypatch.setattr(sys, "argv", ["run.py"])
    monkeypatch.setattr(runner, "OUTCOMES", tmp_path / "outcomes")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # quick to start
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")
    marks = {"spatial": "", "browser": "@pytest.mark.browser", "notebooks": "@pytest.mark.notebook"}
    for folder, mark in marks.items():
        file = tmp_path / "tests" / folder / f"test_{folder}.py"
        file.parent.mkdir()
        file.write_text(f"import pytest\n{mark}\ndef test_a(): pass\n{mark}\ndef test_b(): assert False\n")
    assert runner.main() == 1
    assert capfd.readouterr().out.splitlines()[-2:] == [
        "FAILED: fast tests, browser tests, notebooks",
        "3 passed, 3 failed, 0 skipped",
    ]


def test_arguments_go_to_pytest_and_an_empty_selection_fails(runner, tmp_path, monkeypatch, capfd):
    (tmp_path / "tests" / "test_a.py").write_text("def test_left(): pass\ndef test_right(): assert False\n")
    monkeypatch.setattr(sys, "argv", ["run.py", *IN_ONE_PROCESS, "-k", "left"])
    assert runner.main() == 0
    assert last_line(capfd) == "1 passed, 0 failed, 0 skipped"
    monkeypatch.setattr(sys, "argv", ["run.py", *IN_ONE_PROCESS, "-k", "nowhere"])
    assert runner.main() == 1


@pytest.mark.parametrize("broken", ["ruff", "mypy", "fast tests", "browser tests", "notebooks", None])
@pytest.mark.parametrize("status", [1, 2, 5], ids=["failed", "interrupted", "no tests"])
def test_every_step_is_run_and_any_of_them_fails_the_command(runner, monkeypatch, capfd, broken, status):
    ran = []

    def run(name: str, command: list[str], at_once: bool = False) -> int:
        ran.append(name)
        for word in command:
            if word.startswith("--junitxml="):
                Path(word.removeprefix("--junitxml=")).write_text("<testsuites><testcase/></testsuites>")
        return status if name == broken else 0

    monkeypatch.setattr(sys, "argv", ["run.py"])
    monkeypatch.setattr(runner, "run", run)
    monkeypatch.setattr(runner, "LINTERS", {"ruff": ["ruff"], "mypy": ["mypy"]})
    assert runner.main() == (broken is not None)
    assert [name for name in ran if name in runner.LINTERS] == ["ruff", "mypy"]  # beside the tests
    assert [name for name in ran if name not in runner.LINTERS] == ["fast tests", "browser tests", "notebooks"]
    assert last_line(capfd) == "3 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        (["tests/spatial"], ["fast tests"]),
        (["tests/browser/test_view.py::test_a", "-x"], ["fast tests", "browser tests"]),
        (["-k", "urdf"], ["fast tests", "browser tests", "notebooks"]),
        (["tests"], ["fast tests", "browser tests", "notebooks"]),
        (["--quick"], ["ruff", "fast tests"]),
    ],
)
def test_a_path_runs_what_lies_there_and_nothing_else(runner, tmp_path, monkeypatch, given, kinds):
    ran = {}

    def run(name: str, command: list[str], at_once: bool = False) -> int:
        ran[name] = command
        return 0

    for file in ("spatial/test_a.py", "browser/test_view.py", "notebooks/test_a.py"):
        (tmp_path / "tests" / file).parent.mkdir(exist_ok=True)
        (tmp_path / "tests" / file).touch()
    monkeypatch.setattr(sys, "argv", ["run.py", *given])
    monkeypatch.setattr(runner, "run", run)
    monkeypatch.setattr(runner, "LINTERS", {"ruff": ["ruff"]})
    runner.main()
    assert sorted(ran) == sorted(kinds)
    fast = " ".join(ran["fast tests"])
    assert ("not slow" in fast) == (given == ["--quick"]) and "--quick" not in fast


def test_the_words_of_a_linter_are_not_mixed_with_others(runner, capfd):
    assert runner.run("look", ["timeit", "-n", "1", "-r", "1", "print('said')"], at_once=True) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[1].startswith("=== look: timeit") and lines[2] == "said" and lines[-1].startswith("=== look: exit")


def test_steps_keep_what_their_pythons_compile(runner, monkeypatch, capfd):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("GIVEN", "kept")
    assert runner.run("look", ["timeit", "-n", "1", "-r", "1", "-s", "import os", "print(sorted(os.environ))"]) == 0
    said = capfd.readouterr().out
    assert "'GIVEN'" in said and "'VIRTUAL_ENV'" in said and "PYTHONDONTWRITEBYTECODE" not in said


def test_packages_of_debian_are_asked_for_when_missing(root, monkeypatch, tmp_path):
    loaded, asked = module(root, "tests/run.py"), []
    monkeypatch.setattr(loaded.environment, "apt_install", lambda *packages, reason: asked.extend(packages))
    monkeypatch.setattr(loaded, "CHROMIUM", tmp_path / "chromium")
    monkeypatch.setattr(loaded.ctypes.util, "find_library", lambda name: None)
    loaded.install_missing_packages()
    assert asked == ["chromium", "libgomp1", "libatomic1"]


def test_ci_runs_the_test_command_and_nothing_else(root):
    lines = [line for line in (root / ".ci" / "run").read_text().splitlines() if not line.startswith(("#", "set "))]
    assert lines == ['cd "$(dirname "${BASH_SOURCE[0]}")/.."', "exec python3 tests/run.py </dev/null"]
    assert os.access(root / ".ci" / "run", os.X_OK)


def test_scripts_need_the_standard_library_only(root):
    """-I -S: neither site-packages nor the current folder can be imported from."""
    for script, option in (("notebooks/start.py", "--help"), (".ci/environment.py", "")):
        subprocess.run([sys.executable, "-I", "-S", root / script, *option.split()], check=True, capture_output=True)


def test_start_says_when_the_first_notebook_is_missing(start, monkeypatch, tmp_path):
    monkeypatch.setattr(start, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["start.py", "--check"])
    with pytest.raises(SystemExit, match=r"index\.ipynb is missing"):
        start.main()


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS)
def test_check_starts_jupyterlab_and_runs_the_notebook(start, monkeypatch, tmp_path, capfd, cell):
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "id": "a",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": CELLS[cell],
            }
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / start.FIRST).write_text(json.dumps(notebook))
    monkeypatch.setattr(start, "NOTEBOOKS", tmp_path)
    code = start.check(Path(sys.executable), start.free_port(0))
    said = capfd.readouterr()
    assert "JupyterLab is up" in said.out
    assert (code == 0) == (cell == "good")
    assert ("ZeroDivisionError" in said.err) == (cell == "bad")
    assert json.loads((tmp_path / start.FIRST).read_text()) == notebook  # the stored notebook is left alone


def test_a_taken_port_is_passed_over(start):
    taken = start.free_port(0)
    with start.socket.socket() as other:
        other.bind(("127.0.0.1", taken))
        assert start.free_port(taken) > taken


@pytest.mark.parametrize(("variable", "screen"), [("DISPLAY", True), ("WAYLAND_DISPLAY", True), ("OTHER", False)])
def test_a_screen_is_known_by_its_variable(start, monkeypatch, variable, screen):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, ":0")
    assert start.has_display() is screen


def test_an_old_python_is_told_so(environment, monkeypatch):
    monkeypatch.setattr(environment.sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer"):
        environment.ensure(["lab"])


def test_all_of_the_environment_is_compiled_but_what_is_no_python(environment, monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(environment, "VENV", tmp_path)
    package = tmp_path / "lib" / "python" / "site-packages" / "package"
    package.mkdir(parents=True)
    (package / "good.py").write_text("x = 1\n")
    (package / "template.py").write_text("class {{ name }}: pass\n")
    environment._compile()
    (compiled,) = package.rglob("*.pyc")
    assert compiled.name.startswith("good.")


def test_without_apt_the_missing_package_is_named(environment, monkeypatch):
    monkeypatch.setattr(environment.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match=r"No browser.*sudo apt-get install -y chromium "):
        environment.apt_install("chromium", reason="No browser.")


def test_environment_is_installed_once_and_again_when_the_project_changes(environment, monkeypatch, tmp_path):
    """The commands are recorded instead of run."""
    calls: list[list[str]] = []

    def call(command: list) -> None:
        calls.append([str(word) for word in command])
        if "venv" in calls[-1]:
            environment.BIN.mkdir(parents=True, exist_ok=True)
            environment.PYTHON.touch()

    monkeypatch.setattr(environment, "_call", call)
    monkeypatch.setattr(environment, "_compile", lambda: calls.append(["compiled"]))
    for name, path in {
        "ROOT": "",
        "VENV": ".venv",
        "BIN": ".venv/bin",
        "PYTHON": ".venv/bin/python",
        "STAMP": ".venv/stamp.json",
    }.items():
        monkeypatch.setattr(environment, name, tmp_path / path)
    (tmp_path / "notebooks").mkdir()
    for project in environment.PROJECTS:
        (tmp_path / project).write_text("first")

    def steps(*extras: str) -> list[str]:
        calls.clear()
        environment.ensure(extras)
        return ["venv" if "venv" in command else command[-1] for command in map(told, calls)]

    def told(command: list[str]) -> list[str]:
        """The packages that pip is to install, in one word."""
        if "--editable" not in command:
            return command
        return [" ".join(command[command.index("--editable") :]).replace(str(tmp_path), "here")]

    def packages(extras: str) -> str:
        return f"--editable here[{extras}] --editable here/notebooks"

    assert steps("lab") == ["venv", packages("lab"), "compiled"]
    assert steps("lab") == []
    assert steps("lab", "test") == [packages("lab,test"), "compiled"]
    assert steps("lab") == []
    for project in environment.PROJECTS:
        (tmp_path / project).write_text("second")
        assert steps("lab") == [packages("lab,test"), "compiled"]
    monkeypatch.setattr(environment.sys, "base_prefix", "another Python")
    assert steps("lab") == ["venv", packages("lab"), "compiled"]
