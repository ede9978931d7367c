"""For all tests: ``pytest --sources`` and the check that every ``@pytest.mark.source`` names known items."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

CATALOGUE = Path(__file__).parent / "sources"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sources",
        action="store_true",
        help="run nothing; print every item of the sources with the tests that show it",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    if config.option.sources:
        config.option.numprocesses = None  # the table is made from one collection, not by pytest-xdist's workers


@pytest.hookimpl(tryfirst=True)  # before -k and -m take tests away
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.sources:
        shown_by = defaultdict(list)
        for item in items:
            check_sources(item)
            for source_id in sources_of(item):
                shown_by[source_id].append(item.nodeid)
        config.stash[SHOWN_BY] = dict(shown_by)


def pytest_runtest_setup(item: pytest.Item) -> None:
    check_sources(item)


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    return True if session.config.option.sources and not session.testsfailed else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.option.sources and SHOWN_BY in config.stash:
        for line in table(read_catalogue(), config.stash[SHOWN_BY]):
            terminalreporter.write_line(line)


SHOWN_BY = pytest.StashKey[dict[str, list[str]]]()


def sources_of(item: pytest.Item) -> list[str]:
    return [source_id for mark in item.iter_markers("source") for source_id in mark.args]


def check_sources(item: pytest.Item) -> None:
    """Refuse a test that names an item which is in none of the lists."""
    if unknown := [source_id for source_id in sources_of(item) if source_id not in known_sources()]:
        raise pytest.UsageError(
            f"{item.nodeid}: @pytest.mark.source names {', '.join(map(repr, unknown))}, "
            "which none of the lists in tests/sources holds"
        )


@cache
def known_sources() -> frozenset[str]:
    return frozenset(source_id for _, chapters in read_catalogue() for part in chapters for source_id in part["items"])


def read_catalogue() -> list[tuple[str, list[dict]]]:
    """Each source with its chapters; a chapter has a title and its items, ID to title."""
    files = sorted(CATALOGUE.glob("*.toml"))
    contents = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return [(content["source"], content["chapter"]) for content in contents]


def table(catalogue: list[tuple[str, list[dict]]], shown_by: dict[str, list[str]]) -> list[str]:
    lines, done_in_all, items_in_all = [], 0, 0
    for source, chapters in catalogue:
        lines += ["", source]
        for chapter in chapters:
            items = chapter["items"]
            done = sum(source_id in shown_by for source_id in items)
            done_in_all, items_in_all = done_in_all + done, items_in_all + len(items)
            lines += ["", f"  {chapter['title']}: {done} of {len(items)}"]
            lines += [row(source_id, title, shown_by.get(source_id, [])) for source_id, title in items.items()]
    return [*lines, "", f"{done_in_all} of {items_in_all} items of the sources are shown by tests"]


def row(source_id: str, title: str, tests: list[str]) -> str:
    """One item: its state, its title, and the test functions that show it, cases of one function taken together."""
    functions = list(dict.fromkeys(test.split("[")[0].removeprefix("tests/") for test in tests))
    more = f" and {len(functions) - 1} more" if len(functions) > 1 else ""
    return f"    {'x' if tests else '-'} {source_id:<7}{title:<78}{functions[0] + more if functions else ''}".rstrip()
