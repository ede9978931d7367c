"""The README keeps its word: its commands, links and example are real."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def readme(root) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_commands_exist(readme, root):
    commands = [line.split("#")[0].split() for block in blocks(readme, "bash") for line in block.splitlines() if line]
    scripts = {words[1] for words in commands if words[0] == "python3"}
    assert {"notebooks/start.py", "tests/run.py"} <= scripts
    for script in scripts:
        assert (root / script).is_file(), script
    options = [(words[1], option) for words in commands if words[0] == "python3" for option in words[2:]]
    for script, option in options:
        assert f'"{option}"' in (root / script).read_text(encoding="utf-8"), f"{script} has no {option}"


def test_links_into_the_repository_lead_somewhere(readme, root):
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", readme) if not re.match(r"[a-z]+:|#", target)]
    assert ".github/readme.png" in targets
    for target in targets:
        assert (root / target.split("#")[0]).exists(), target


def test_example_runs(readme, tmp_path):
    code = "\n".join(blocks(readme, "python"))
    assert code
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "step adequate" in result.stdout
