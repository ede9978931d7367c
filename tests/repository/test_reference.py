"""The reference: web pages made from the docstrings, with the conventions on the first one."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import rbdkit


@pytest.fixture(scope="module")
def front_page(root, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("reference")
    command = [sys.executable, root / ".ci" / "reference" / "build.py", folder, "rbdkit", "!rbdkit[.].*"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [str(folder / "index.html")]
    assert not result.stderr, "pdoc warns of what it could not show"
    assert "rbdkit.html" in (folder / "index.html").read_text(encoding="utf-8")
    return (folder / "rbdkit.html").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_front_page(front_page, root):
    names = [name for name in rbdkit.__all__ if not (root / "rbdkit" / name).is_dir()]
    assert len(names) > 70
    assert [name for name in names if f'id="{name}"' not in front_page] == []


def test_every_method_of_a_model_stands_under_it(front_page):
    """Most are functions in `rbdkit.model.methods`, which the class names."""
    methods = [name for name in vars(rbdkit.Model) if not name.startswith("_")]
    assert len(methods) > 45
    assert [name for name in methods if f'id="Model.{name}"' not in front_page] == []


def test_the_conventions_come_first(front_page):
    start = front_page.index("Conventions")
    assert start < front_page.index('id="Model"')
    said = re.sub(r"<[^>]*>", "", front_page[start : front_page.index("Where things are")])
    for convention in ("SI units and radians", "acceleration of free fall", "Angular before linear", "scalar first"):
        assert convention in said


def test_types_are_written_in_a_word(front_page):
    text = re.sub(r"<[^>]*>", "", front_page)
    assert "numpy.typing.ArrayLike" in text
    assert "_SupportsArray" not in text and "numpy.dtype[" not in text
