"""The lists of source items, and `pytest --sources`, which says what of them is shown by tests."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TITLE_WIDTH = 78  # the column that the table keeps for a title


@pytest.fixture(scope="module")
def chapters(root) -> dict[str, list[dict]]:
    return {
        file.stem: tomllib.loads(file.read_text(encoding="utf-8"))["chapter"]
        for file in sorted((root / "tests" / "sources").glob("*.toml"))
    }


@pytest.fixture
def project(tmp_path, root) -> Path:
    """A small project with rbdkit's conftest and lists and tests of its own."""
    tests = tmp_path / "tests"
    shutil.copytree(root / "tests" / "sources", tests / "sources")
    shutil.copy(root / "tests" / "conftest.py", tests)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest]\naddopts = ["--import-mode=importlib"]\nmarkers = ["source(*ids): items"]\n'
    )
    return tmp_path


def pytest_in(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        capture_output=True,
        text=True,
    )


def test_every_item_of_the_five_sources_is_listed(chapters):
    ids = {name: [item for chapter in part for item in chapter["items"]] for name, part in chapters.items()}
    counts = {name: len(part) for name, part in ids.items()}
    assert counts == {"featherstone": 182, "sueda": 46, "holzinger": 12, "gebhardt-romero": 14, "mueller-terze": 12}


def test_items_of_a_chapter_are_numbered_without_gaps(chapters):
    for part in chapters.values():
        for chapter in part:
            prefixes = {item.split(".")[0] for item in chapter["items"]}
            assert len(prefixes) == 1
            assert list(chapter["items"]) == [f"{min(prefixes)}.{n:02}" for n in range(1, len(chapter["items"]) + 1)]


def test_titles_are_one_short_line(chapters):
    for part in chapters.values():
        for chapter in part:
            for item, title in chapter["items"].items():
                assert re.fullmatch(rf"\S.{{5,{TITLE_WIDTH - 3}}}\S", title), f"{item}: {title!r}"


def test_table_says_what_is_shown_and_by_what(project):
    (project / "tests" / "test_a.py").write_text(
        "import pytest\n"
        "@pytest.mark.source('F2.01', 'S1.01')\n@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n): assert False\n"
        "@pytest.mark.source('F2.02')\nclass TestB:\n    def test_b(self): pass\n    def test_c(self): pass\n"
    )
    result = pytest_in(project, "--sources", "-k", "test_b")
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()

    def line(item: str) -> str:
        return next(text for text in lines if re.match(rf"    [x-] {re.escape(item)} ", text))

    assert line("F2.01").startswith("    x") and line("F2.01").endswith(" test_a.py::test_a")
    assert line("F2.02").endswith(" test_a.py::TestB::test_b and 1 more")
    assert line("S1.01").startswith("    x")
    assert line("H.01").startswith("    - H.01") and "::" not in line("H.01")
    assert "  Chapter 2, spatial vector algebra: 2 of 27" in lines
    assert "3 of 266 items of the sources are shown by tests" in lines
    assert "failed" not in lines[-1]  # nothing was run


@pytest.mark.parametrize("arguments", [(), ("--sources",), ("-n", "2")], ids=["run", "table", "parallel"])
def test_unknown_item_in_a_marker_is_an_error(project, arguments):
    (project / "tests" / "test_a.py").write_text("import pytest\n@pytest.mark.source('F2.99')\ndef test_a(): pass\n")
    result = pytest_in(project, *arguments)
    assert result.returncode not in (0, 5)
    assert "tests/test_a.py::test_a: @pytest.mark.source names 'F2.99'" in result.stdout + result.stderr
    assert "1 passed" not in result.stdout


def test_table_needs_tests_that_can_be_collected(project):
    (project / "tests" / "test_a.py").write_text("import no_such_module\n")
    assert pytest_in(project, "--sources").returncode not in (0, 5)
