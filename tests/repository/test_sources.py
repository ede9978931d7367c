"""The lists of source items, and `pytest --sources`, which says what of them is shown by tests."""

from __future__ import annotations

import os
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
    for file in ("conftest.py", "slow.txt"):
        shutil.copy(root / "tests" / file, tests)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest]\naddopts = ["--import-mode=importlib"]\nmarkers = ["source(*ids): items"]\n'
    )
    return tmp_path


def pytest_in(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "xdist", *arguments],
        cwd=project,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # quick to start
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


def states(project: Path) -> tuple[dict[str, str], str]:
    """The sign before each item, and the last line but pytest's own."""
    lines = [line for line in pytest_in(project, "--sources", "-q").stdout.splitlines() if line.strip()]
    rows = [re.match(r"    ([xFs?-]) ([A-Z]\d?\.\d\d) ", line) for line in lines]
    total = next(line for line in lines if " of 266 items of the sources are shown by tests that passed" in line)
    return {found[2]: found[1] for found in rows if found}, total


SEVERAL = """
import pytest
@pytest.mark.source('F2.01')
def test_good(): pass
@pytest.mark.source('F2.02')
def test_bad(): assert False
@pytest.mark.source('F2.03')
@pytest.mark.skip
def test_left_out(): pass
@pytest.mark.source('F2.04')
def test_skips_itself(): pytest.skip('no such thing here')
@pytest.fixture
def broken(): raise OSError
@pytest.fixture
def breaks():
    yield
    raise OSError
@pytest.mark.source('F2.05')
def test_never_begins(broken): pass
@pytest.mark.source('F2.06')
def test_ends_badly(breaks): pass
@pytest.mark.source('F2.07')
@pytest.mark.parametrize('n', range(3))
def test_one_case_fails(n): assert n != 1
@pytest.mark.source('F2.08')
@pytest.mark.parametrize('n', range(3))
def test_one_case_is_skipped(n): n != 1 or pytest.skip()
@pytest.mark.source('F2.09')
@pytest.mark.xfail
def test_known_to_fail(): assert False
"""
ENDED = {**dict.fromkeys(["F2.01", "F2.08"], "x"), **dict.fromkeys(["F2.03", "F2.04", "F2.09"], "s"), "F2.27": "-"}
ENDED |= dict.fromkeys(["F2.02", "F2.05", "F2.06", "F2.07"], "F")


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["one process", "two"])
def test_an_item_is_shown_when_its_test_has_passed(project, arguments):
    (project / "tests" / "test_a.py").write_text(SEVERAL)
    fresh, total = states(project)
    assert {fresh[item] for item in ENDED} == {"?", "-"} and total.startswith("0 of 266 ")
    assert total.endswith("(9 not run, 257 no test)")
    pytest_in(project, *arguments)
    found, total = states(project)
    assert {item: found[item] for item in ENDED} == ENDED
    assert total.startswith("2 of 266 ") and total.endswith("(4 failed, 3 skipped, 257 no test)")


def test_runs_of_some_tests_add_to_what_is_known(project):
    (project / "tests" / "test_a.py").write_text(SEVERAL)
    (project / "tests" / "test_b.py").write_text(SEVERAL.replace("F2.0", "F3.0"))
    for selection in ("tests/test_a.py::test_good", "tests/test_a.py::test_bad", "tests/test_b.py::test_good"):
        pytest_in(project, selection)
    (project / "tests" / "test_a.py").write_text(SEVERAL.replace("assert False", "pass"))
    found, total = states(project)
    assert (found["F2.01"], found["F2.02"], found["F2.03"], found["F3.01"]) == ("x", "F", "?", "x")
    assert total.startswith("2 of 266 ")
    pytest_in(project, "tests/test_a.py::test_bad")
    assert states(project)[0] == found | {"F2.02": "x"}
    shutil.rmtree(project / ".pytest_cache")
    assert states(project)[1].startswith("0 of 266 ")


def test_without_a_cache_nothing_is_known_and_nothing_breaks(project):
    (project / "tests" / "test_a.py").write_text(SEVERAL)
    assert pytest_in(project, "-p", "no:cacheprovider", "-k", "good").returncode == 0
    assert not (project / ".pytest_cache").exists()
    result = pytest_in(project, "-p", "no:cacheprovider", "--sources")
    assert result.returncode == 0 and "no test has been run yet" in result.stdout


def test_table_says_what_is_shown_and_by_what(project):
    (project / "tests" / "test_a.py").write_text(
        "import pytest\n"
        "@pytest.mark.source('F2.01', 'S1.01')\n@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n): pass\n"
        "@pytest.mark.source('F2.02')\nclass TestB:\n    def test_b(self): pass\n    def test_c(self): pass\n"
    )
    pytest_in(project)
    result = pytest_in(project, "--sources", "-k", "test_b")
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()

    def line(item: str) -> str:
        return next(text for text in lines if re.match(rf"    [xFs?-] {re.escape(item)} ", text))

    assert line("F2.01").startswith("    x") and line("F2.01").endswith(" test_a.py::test_a")
    assert line("F2.02").endswith(" test_a.py::TestB::test_b and 1 more")
    assert line("S1.01").startswith("    x")
    assert line("H.01").startswith("    - H.01") and "::" not in line("H.01")
    assert "  Chapter 2, spatial vector algebra: 2 of 27" in lines
    assert "3 of 266 items of the sources are shown by tests that passed (263 no test)" in lines
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


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["one process", "two"])
@pytest.mark.parametrize(("mark", "home"), [("browser", "tests/browser"), ("notebook", "tests/notebooks")])
def test_marks_are_refused_where_the_test_command_does_not_look_for_them(project, mark, home, arguments):
    text = f"import pytest\n@pytest.mark.{mark}\ndef test_a(): pass\n"
    (project / home).mkdir()
    (project / home / "test_a.py").write_text(text)
    assert pytest_in(project, *arguments).returncode == 0
    (project / "tests" / "test_b.py").write_text(text)
    result = pytest_in(project, "-m", f"not {mark}", *arguments)
    assert result.returncode not in (0, 5)
    assert f"tests/test_b.py::test_a: tests marked '{mark}' belong in {home}/" in result.stdout + result.stderr
