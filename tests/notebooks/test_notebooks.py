"""Every notebook runs from top to bottom without an error, and its exercises are judged as they should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from rbdkit_course.catalogue import exercises
from rbdkit_course.contents import LESSONS

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LONGEST_CELL = 1800  # seconds: a guard, on a busy machine too


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
    lesson = next((each.name for each in LESSONS if NOTEBOOKS / f"{each.file}.ipynb" == path), "")
    with client.setup_kernel():
        for number, cell in enumerate(notebook.cells):
            client.execute_cell(cell, number)
        assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
        for exercise in exercises(lesson):
            judge_exercise(client, notebook, exercise)


def judge_exercise(client, notebook, exercise):
    """Where it stands: the starting code is wrong, the solution right, and each common slip has its own explanation."""
    check = next(cell for cell in notebook.cells if f"check:{exercise.name}" in cell.metadata.get("tags", ()))
    assert said(check).startswith("✗ not yet"), f"{exercise.name}: the starting code: {said(check)}"
    verdict = said(answered(client, exercise.solution, check))
    assert verdict.startswith("✓ right"), f"{exercise.name}, the solution: {verdict}"
    explained = set()
    for slip in exercise.slips:
        verdict = said(answered(client, slip.answer, check))
        assert verdict.startswith("✗ not yet") and slip.says in verdict, f"{exercise.name}: {slip.answer}: {verdict}"
        explained.add(verdict)
    assert len(explained) == len(exercise.slips), f"{exercise.name}: two slips get the same explanation"


def answered(client, answer, check):
    """The check, run after an answer in the kernel that ran the notebook."""
    from nbformat.v4 import new_code_cell

    cell = new_code_cell(f"{answer.strip()}\n\n{check.source}")
    client.nb.cells.append(cell)
    client.execute_cell(cell, len(client.nb.cells) - 1)
    return cell


def said(cell):
    """What the verdict of a cell is, as text."""
    return next(output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result")
