"""Words of the course's notebooks that speak of a picture: each finds the picture that it speaks of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SPEAKING = sorted(file for file in NOTEBOOKS.rglob("*.ipynb") if "](#" in file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", SPEAKING, ids=lambda file: file.stem)
def test_every_word_finds_its_picture(lab, page, file):
    """The cells up to the last picture that is spoken of; the longest notebooks are not run to their end."""
    _, root = lab
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    spoken = [k for k, cell in enumerate(cells) if "](#" in "".join(cell["source"])]
    drawn = next(k for k in range(spoken[-1], len(cells)) if cells[k]["cell_type"] == "code")
    notebook = json.loads(file.read_text(encoding="utf-8")) | {"cells": cells[: drawn + 1]}
    (root / file.name).write_text(json.dumps(notebook), encoding="utf-8")
    page.visit(file.name)
    page.page.wait_for_selector(".jp-MarkdownOutput h1")
    page.run_all()
    words = page.page.locator(".jp-MarkdownOutput a[href^='#arrow:'], .jp-MarkdownOutput a[href^='#set:']")
    assert words.count() == sum("".join(cells[k]["source"]).count("](#") for k in spoken)
    for k in range(words.count()):
        words.nth(k).scroll_into_view_if_needed()
        page.page.wait_for_function("a => a.classList.contains('rbd-spoken')", arg=words.nth(k).element_handle())
        if words.nth(k).get_attribute("href").startswith("#set:"):
            words.nth(k).click()
            page.settle()
            faults = page.page.locator(".rbd-panel .rbd-fault:visible").all_inner_texts()
            assert all("STEP TOO LONG" in fault for fault in faults)  # which is what the word is to show
    assert page.page.locator(".rbd-panel .rbd-fault:visible").count() == 0
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        page.theme(theme)
        words.first.scroll_into_view_if_needed()
        page.page.wait_for_timeout(400)
        page.keep(f"words {file.stem} {theme.split()[1].lower()}")
    shutil.rmtree(root / ".ipynb_checkpoints", ignore_errors=True)
    (root / file.name).unlink()
