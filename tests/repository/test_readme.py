"""The README keeps its word: its commands, links and example are real, and so are the links of all pages beside it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

LINK = re.compile(r"\]\(([^)]+)\)")


@pytest.fixture(scope="module")
def readme(root) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    """The targets inside the repository to which a page links."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def headings(page: Path) -> set[str]:
    """What a link can name behind '#': the headings of a page, as code-hosting pages write them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_commands_exist(readme, root):
    commands = [line.split("#")[0].split() for block in blocks(readme, "bash") for line in block.splitlines() if line]
    scripts = {words[1] for words in commands if words[0] == "python3"}
    assert {"notebooks/start.py", "tests/run.py"} <= scripts
    for script in scripts:
        assert (root / script).is_file(), script
    options = [(words[1], option) for words in commands if words[0] == "python3" for option in words[2:]]
    for script, option in options:
        assert f'"{option}"' in (root / script).read_text(encoding="utf-8"), f"{script} has no {option}"


def test_links_into_the_repository_lead_somewhere(stored_files, root):
    pages = [file for file in stored_files if file.suffix == ".md"]
    assert root / "README.md" in pages
    for page in pages:
        for target in links(page):
            file, _, heading = target.partition("#")
            place = page.parent / file if file else page
            assert place.exists(), f"{page.relative_to(root)}: {target}"
            assert not heading or heading in headings(place), f"{page.relative_to(root)}: {target}"


def test_every_page_of_the_documentation_is_linked_from_the_readme(root):
    targets = links(root / "README.md")
    assert ".github/readme.png" in targets
    pages = {file.relative_to(root).as_posix() for file in (root / "docs").glob("*.md")}
    assert pages and pages <= set(targets)


def test_example_runs_and_prints_what_the_readme_shows(readme, tmp_path):
    """Numbers aside: times differ, and the last digits of errors with the processor."""
    code = "\n".join(blocks(readme, "python"))
    assert code
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "step adequate" in result.stdout
    (shown,) = blocks(readme, "text")
    printed = re.sub(r", prepared in \S+ s$", "", result.stdout, flags=re.MULTILINE)  # where nothing was cached yet
    number = re.compile(r"\b\d[\d.]*(e[+-]\d+)?")
    assert number.sub("#", printed).splitlines()[: shown.count("\n")] == number.sub("#", shown).splitlines()
