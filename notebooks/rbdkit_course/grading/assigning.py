"""Write notebooks to hand out: without solutions, with numbers drawn for each student, also for nbgrader and otter."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from pprint import pformat
from typing import Any

from rbdkit.atomic_write import write_file
from rbdkit_course.catalogue import Exercise, exercises
from rbdkit_course.contents import Lesson
from rbdkit_course.headers import stored

TOOLS = ("nbgrader", "otter")


def numbers_of(exercise: Exercise, student: str, seed: str) -> dict[str, float]:
    """Draw the numbers of an exercise for a student, the same in each call with the same arguments.

    Parameters
    ----------
    exercise
        The exercise.
    student
        Name of the student, as in grading.
    seed
        A secret word of the teacher's, so that nobody can compute the numbers beforehand.
    """
    draw = random.Random(f"{seed}/{student}/{exercise.name}")
    return {each.name: round(draw.uniform(each.low, each.high), each.digits) for each in exercise.numbers}


def assigned(
    course: Mapping[str, Any],
    lesson: Lesson,
    numbers: Mapping[str, Mapping[str, float]],
    tool: str = "",
    hints: bool = True,
) -> dict[str, Any]:
    """Return a notebook of the course in the form in which it is handed out.

    Parameters
    ----------
    course
        The notebook, as JSON.
    numbers
        By exercise, the values to put in place of the usual numbers.
    tool
        ``"nbgrader"``, ``"otter"``, or "". For nbgrader it is the teacher's *source* notebook, with solutions between
        the marks by which ``nbgrader generate_assignment`` removes them.
    hints
        Whether hints are kept; the solutions below them are removed in any case.
    """
    notebook = copy.deepcopy(dict(course))
    cells = notebook["cells"]
    for exercise in exercises(lesson.name):
        answer, check = (_place(cells, f"{kind}:{exercise.name}") for kind in ("exercise", "check"))
        if own := numbers.get(exercise.name):
            _renumber(cells[:answer], exercise, own)
            call = "".join(cells[check]["source"]).rstrip()
            keywords = "".join(f", {name}={value}" for name, value in own.items())
            cells[check]["source"] = [f"{call[:-1]}{keywords})"]
        _for_tool(cells[answer], cells[check], exercise, tool)
        own_hints = _place(cells, f"course-hints-{exercise.name}")
        text = "".join(cells[own_hints]["source"]).partition("<details><summary>the solution")[0]
        if exercise.name in numbers and exercise.numbers:
            text = text.replace("\n\n", "\n\nYour numbers are your own; those in the hints are the usual ones.\n\n", 1)
        closed = text + "</details>\n\n" * len(exercise.hints) if hints else text.partition("<details>")[0]
        cells[own_hints]["source"] = closed.rstrip().splitlines(keepends=True)
    if tool == "otter":
        start: dict[str, Any] = {
            "cell_type": "code",
            "id": "otter",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        cells.insert(0, {**start, "source": ["import otter\n", "\n", "grader = otter.Notebook()"]})
    return notebook


def folder_of(out: Path, student: str) -> Path:
    """Return the path of a student's folder below `out`, without making it.

    Raises
    ------
    ValueError
        The student's name is no plain folder name, so that the path would lead elsewhere.
    """
    parts = (student in ("", ".", ".."), *(mark in student for mark in "/\\\0"), ":" in student and os.name == "nt")
    if any(parts):
        raise ValueError(f"{student!r} is the name of no folder of a student's own below {out}; give a plain name")
    return out / student


def assign(
    notebooks: Path, lesson: Lesson, out: Path, students: list[str], seed: str, tool: str = "", hints: bool = True
) -> Iterator[Path]:
    """Write one notebook for all, or one for each student with numbers of their own; yield the files written.

    Raises
    ------
    ValueError
        A student's name is no plain folder name; nothing is written then.
    """
    folders = {student: folder_of(out, student) for student in students} or {"": out}
    course = json.loads((notebooks / f"{lesson.file}.ipynb").read_text(encoding="utf-8"))
    for student, folder in folders.items():
        own = {each.name: numbers_of(each, student, seed) for each in exercises(lesson.name)} if student else {}
        file = folder / f"{Path(lesson.file).name}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, stored(assigned(course, lesson, own, tool, hints)))
        yield file
        if tool == "otter":
            for each in exercises(lesson.name):
                test = file.parent / "tests" / f"{each.name}.py"
                test.parent.mkdir(exist_ok=True)
                write_file(test, _otter_test(course, each, own.get(each.name, {})))
                yield test


def _renumber(cells: list[dict[str, Any]], exercise: Exercise, own: Mapping[str, float]) -> None:
    """Put a student's numbers into the text of an exercise, the last of these cells that is Markdown."""
    cell = [each for each in cells if each["cell_type"] == "markdown"][-1]
    text = "".join(cell["source"])
    for each in exercise.numbers:
        text = text.replace(each.said(each.usual), each.said(own[each.name]))
    cell["source"] = text.splitlines(keepends=True)


def _for_tool(answer: dict[str, Any], check: dict[str, Any], exercise: Exercise, tool: str) -> None:
    call = "".join(check["source"])
    if tool == "nbgrader":
        common = {"schema_version": 3, "task": False}
        answer["metadata"]["nbgrader"] = {
            **common, "grade": False, "grade_id": f"answer-{exercise.name}", "locked": False, "solution": True,
        }  # fmt: skip
        answer["source"] = (
            f"{''.join(answer['source']).rstrip()}\n\n### BEGIN SOLUTION\n{exercise.solution.strip()}\n### END SOLUTION"
        ).splitlines(keepends=True)  # above the marks is the student's start; without marks nbgrader clears the cell
        check["metadata"]["nbgrader"] = {
            **common, "grade": True, "grade_id": f"check-{exercise.name}", "locked": True, "solution": False,
            "points": exercise.stars,
        }  # fmt: skip
        check["source"] = [
            f"verdict = {call}\n",
            "assert verdict, verdict.why\n",
            "print(verdict)",
        ]  # nbgrader takes a bare value for points
    elif tool == "otter":
        check["source"] = [f"{call}\n", f'grader.check("{exercise.name}")']


def _otter_test(course: Mapping[str, Any], exercise: Exercise, own: Mapping[str, float]) -> str:
    """Return the text of a test file for otter."""
    call = "".join(course["cells"][_place(course["cells"], f"check:{exercise.name}")]["source"]).rstrip()
    call = call[:-1] + "".join(f", {name}={value}" for name, value in own.items()) + ")"
    said = ">>> print('right' if verdict else verdict)\nright"  # a failing doctest shows the verdict
    case = {"code": f">>> verdict = {call}\n{said}", "hidden": False, "locked": False}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    test = {"name": exercise.name, "points": exercise.stars, "suites": [suite]}
    return f"OK_FORMAT = True\n\ntest = {pformat(test, sort_dicts=False, width=100)}\n"  # without it otter refuses


def _place(cells: list[dict[str, Any]], mark: str) -> int:
    return next(k for k, cell in enumerate(cells) if mark in cell["metadata"].get("tags", ()) or cell["id"] == mark)
