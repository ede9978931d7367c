"""Write exams: exercises of several notebooks in one, with numbers drawn for each student, without hints and checks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rbdkit.atomic_write import write_file
from rbdkit_course.catalogue import Exercise
from rbdkit_course.contents import lesson
from rbdkit_course.grading.assembling import Step, assembled, read
from rbdkit_course.grading.assigning import assigned, folder_of, numbers_of
from rbdkit_course.headers import stored

Cell = dict[str, Any]


def exam(notebooks: Path, chosen: Sequence[Exercise], student: str, seed: str) -> dict[str, Any]:
    """Return an exam for a student, a notebook with the text of each exercise and a cell for its answer.

    Parameters
    ----------
    notebooks
        Folder of the notebooks of the course.
    chosen
        The exercises, in order. Those with `Exercise.numbers` differ from student to student.
    student, seed
        They determine the numbers; see `numbers_of`.
    """
    cells, imports = [], dict.fromkeys(["import numpy as np", "import rbdkit as rbd"])
    course: dict[str, Any] = {}
    for number, each in enumerate(chosen, 1):
        this = lesson(each.lesson)
        course = read(notebooks / f"{this.file}.ipynb")
        imports |= dict.fromkeys(_imports(course))
        own = {each.name: numbers_of(each, student, seed)} if each.numbers else {}
        given = assigned(course, this, own, hints=False)["cells"]
        (place,) = (k for k, cell in enumerate(given) if f"exercise:{each.name}" in cell["metadata"].get("tags", ()))
        text = next(cell for cell in reversed(given[:place]) if cell["cell_type"] == "markdown")
        worth = "1 point" if each.stars == 1 else f"{each.stars} points"
        cells += [
            _cell(f"exam-{number}", f"## {number} ({worth})\n\n{_asked(text)}", "markdown"),
            {**given[place], "id": f"exam-answer-{number}"},
        ]
    points, minutes = sum(each.stars for each in chosen), sum(each.minutes for each in chosen)
    title = (
        f"# Exam\n\n**{student}** · {points} points · {minutes} minutes\n\nWrite each answer into its cell, under the "
        "name that stands there. What it needs besides may stand in cells of your own, above it."
    )
    head = [_cell("exam-title", title, "markdown"), _cell("exam-imports", "\n".join(imports), "code")]
    return {**course, "cells": [*head, *cells]}


def exams(notebooks: Path, chosen: Sequence[Exercise], out: Path, students: Sequence[str], seed: str) -> Iterator[Path]:
    """Write an exam for every student, in a folder each; yield the files written.

    Raises
    ------
    ValueError
        A student's name is no plain folder name; nothing is written then.
    """
    folders = {student: folder_of(out, student) for student in students}
    for student, folder in folders.items():
        file = folder / "exam.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, stored(exam(notebooks, chosen, student, seed)))
        yield file


def assembled_exam(notebooks: Path, chosen: Sequence[Exercise], handed_in: dict[str, Any]) -> Iterator[list[Step]]:
    """Yield the code to run for an exam that was handed in, a list for each notebook that its exercises come from."""
    for name in dict.fromkeys(each.lesson for each in chosen):
        this = lesson(name)
        steps = list(assembled(read(notebooks / f"{this.file}.ipynb"), handed_in, this))
        kept = [step for step in steps if step.exercise is None or step.exercise in chosen]
        last = max(k for k, step in enumerate(kept) if step.kind == "check")
        yield kept[: last + 1]


def _imports(course: dict[str, Any]) -> Iterator[str]:
    """Yield the import statements of a notebook's first code cell, one each."""
    code = next("".join(cell["source"]) for cell in course["cells"] if cell["cell_type"] == "code")
    for node in ast.parse(code).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)


def _asked(cell: Cell) -> str:
    """Return the text of an exercise, without its number and the headings above it."""
    text = "".join(cell["source"])
    if numbered := re.search(r"^\*\*[0-9]+\. ", text, re.MULTILINE):
        return f"**{text[numbered.end() :]}"
    return re.sub(r"^#+ .*\n+", "", text)


def _cell(name: str, source: str, kind: str) -> Cell:
    cell: Cell = {"cell_type": kind, "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
