"""The script that tries other versions of Python and of the dependencies asks for those of pyproject.toml."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib


def test_the_lowest_versions_are_those_of_the_project(root):
    spec = importlib.util.spec_from_file_location("versions", root / "tests" / "versions.py")
    versions = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(versions)
    asked = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert [text.replace("==", ">=", 1) for text in versions.lowest()] == asked
    assert all("==" in text.split(";")[0] for text in versions.lowest())


def test_the_smoke_test_passes_here(root):
    ended = subprocess.run([sys.executable, root / "tests" / "smoke.py"], cwd=root, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("All is well.\n")
