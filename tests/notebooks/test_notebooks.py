"""Every notebook runs from top to bottom without an error."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LONGEST_CELL = 300  # seconds


def notebooks() -> list[Path]:
    """All that are stored, without the copies that JupyterLab makes."""
    return sorted(path for path in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)


@pytest.mark.notebook
@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.relative_to(NOTEBOOKS).with_suffix("").as_posix())
def test_notebook_runs(path):
    import nbformat  # slow to load, and not needed to find the tests
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=LONGEST_CELL, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute()
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
