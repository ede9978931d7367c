"""What runs before a commit and on the server is what the test command runs."""

from __future__ import annotations

import importlib.util
import re
import tomllib

import yaml


def test_the_workflow_calls_the_test_command(root):
    file = root / ".github" / "workflows" / "tests.yml"
    jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    job = jobs.pop("tests")
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands.pop() == ".ci/run"
    assert all(command.startswith("git config ") for command in commands)
    assert {"container", "timeout-minutes"} <= set(job), "the browser comes from Debian's packages"
    (matrix,) = [other["strategy"]["matrix"] for other in jobs.values()]
    asked = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert asked == f">={matrix['python'][0]}" and len(matrix["os"]) == 3
    assert [step["run"] for step in jobs["versions"]["steps"] if "run" in step] == [
        "python tests/versions.py ${{ matrix.python }}"
    ]


def test_the_course_is_published_by_its_own_command(root):
    """With extras that there are, and options that the command has."""
    folder = root / ".github" / "workflows"
    assert {file.name for file in folder.iterdir()} == {"tests.yml", "course.yml", "release.yml"}
    (job,) = yaml.safe_load((folder / "course.yml").read_text(encoding="utf-8"))["jobs"].values()
    install, publish = (step["run"] for step in job["steps"] if "run" in step)
    (extras,) = re.findall(r"\.\[([a-z,]+)\]", install)
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(extras.split(",")) <= set(known)
    *command, out = publish.split()
    assert command == ["rbdkit-course", "publish", "--out"]
    assert job["steps"][-1]["with"]["path"] == out


def test_hooks_run_the_linters_of_the_test_command(root):
    spec = importlib.util.spec_from_file_location("run", root / "tests" / "run.py")
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    (local,) = yaml.safe_load((root / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    entries = [hook["entry"].split() for hook in local["hooks"]]
    python = run.environment.PYTHON.relative_to(run.environment.ROOT).as_posix()
    assert all(entry[:2] == [python, "-m"] and entry[-1] == "--force-exclude" for entry in entries)
    linters = [
        [word for word in command if word != "--check"] for name, command in run.LINTERS.items() if "ruff" in name
    ]
    assert [entry[2:-1] for entry in entries] == linters
