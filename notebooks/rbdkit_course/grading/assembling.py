"""Assemble the code to run for a notebook that was handed in: the course's own cells with the student's answers.

Cells of the course that a student has changed or deleted run in their original form; cells that a student has added run
where they were put. So answers may use the student's own helper functions, and no student can replace a check.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbdkit_course.catalogue import Exercise, exercises
from rbdkit_course.contents import LESSONS, Lesson


@dataclass(frozen=True)
class Submission:
    """A notebook that a student has handed in."""

    student: str
    file: Path


@dataclass(frozen=True)
class Step:
    """Code to run: the course's own, the student's, or the arguments of a check.

    Attributes
    ----------
    kind
        ``"course"``, ``"student"`` or ``"check"``.
    exercise
        Exercise of an answer or a check; None for other code.
    given
        For an answer, names of the check's other arguments, which the student may not change.
    """

    kind: str
    code: str
    exercise: Exercise | None = None
    given: tuple[str, ...] = ()


def submissions(folder: Path) -> list[Submission]:
    """Return the notebooks in a folder that holds one folder per student (of any depth), or one file per student.

    Raises
    ------
    FileNotFoundError
        There is no such folder, or no notebook in it.
    """
    files = _notebooks(folder)
    if not files:
        raise FileNotFoundError(f"there is no notebook in {folder}; it holds a folder a student, or a file a student")
    found = [Submission(file.relative_to(folder).parts[0].removesuffix(".ipynb"), file) for file in files]
    return sorted(found, key=lambda each: (each.student, each.file))


def without_notebook(folder: Path) -> list[str]:
    """Return the students whose folder holds no notebook."""
    folders = [each for each in sorted(folder.iterdir()) if each.is_dir() and not each.name.startswith((".", "__"))]
    return [each.name.removesuffix(".ipynb") for each in folders if not _notebooks(each)]


def _notebooks(folder: Path) -> list[Path]:
    found = sorted(folder.rglob("*.ipynb"))
    return [file for file in found if ".ipynb_checkpoints" not in file.parts and not file.is_dir()]


def lesson_of(notebook: dict[str, Any]) -> Lesson | None:
    """Identify the notebook of the course that a submission was made from, by the tags of its answers; None if none."""
    names = [exercise.rpartition("-")[0] for cell in notebook["cells"] for exercise in _tagged(cell, "exercise")]
    most = max(names, key=names.count, default="")
    return next((each for each in LESSONS if each.name == most), None)


def assembled(course: dict[str, Any], handed_in: dict[str, Any], lesson: Lesson) -> Iterator[Step]:
    """Yield the code to run, in order.

    Parameters
    ----------
    course, handed_in
        The notebook of the course, and the one handed in, as JSON.
    """
    by_name = {each.name: each for each in exercises(lesson.name)}
    answers, added = _from_student(course, handed_in)
    for cell in course["cells"]:
        code = _code(cell)
        for name in _tagged(cell, "exercise"):
            call = next((_code(c) for c in course["cells"] if name in _tagged(c, "check")), "")
            yield Step("student", answers.get(name, ""), by_name[name], _given(call, code))
            yield Step("check", arguments(call), by_name[name])
        if cell["cell_type"] == "code" and not _tagged(cell, "exercise") and not _tagged(cell, "check"):
            yield Step("course", code)
        for extra in added.get(cell["id"], ()):
            yield Step("student", extra)


def arguments(call: str) -> str:
    """Return the arguments of a check's call as source of a tuple: ``chapter.check(a, b)`` becomes ``(a, b,)``."""
    tree = ast.parse(call.strip(), mode="eval").body
    if not isinstance(tree, ast.Call) or tree.keywords:
        raise ValueError(f"{call!r} is not the plain call of a check")
    return f"({''.join(f'{ast.unparse(each)}, ' for each in tree.args)})"


def read(file: Path) -> dict[str, Any]:
    """Read a notebook as JSON; cells without ids get some.

    Raises
    ------
    ValueError
        The file is no notebook.
    """
    try:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        for number, cell in enumerate(notebook["cells"]):
            cell.setdefault("id", f"cell {number}")
            cell.setdefault("metadata", {})
            if not isinstance(_code(cell) + cell["cell_type"] + cell["id"], str):
                raise TypeError(f"cell {number} is no text")
            _tagged(cell, "exercise")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as fault:
        what = "it is empty" if file.is_file() and not file.stat().st_size else f"{type(fault).__name__}, {fault}"
        raise ValueError(f"{file.name} is no notebook: {what}") from None
    return dict(notebook)


def _from_student(course: dict[str, Any], handed_in: dict[str, Any]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the answers by exercise, and the student's additional cells by the id of the course's cell before them."""
    known = {cell["id"] for cell in course["cells"]}
    answers: dict[str, str] = {}
    added: dict[str, list[str]] = {}
    last = course["cells"][0]["id"]
    for cell in handed_in["cells"]:
        if names := _tagged(cell, "exercise"):
            answers.update(dict.fromkeys(names, _code(cell)))
        elif cell["id"] not in known and cell["cell_type"] == "code" and not _tagged(cell, "check"):
            added.setdefault(last, []).append(_code(cell))
        if cell["id"] in known:
            last = cell["id"]
    return answers, added


def _given(call: str, start: str) -> tuple[str, ...]:
    """Return the names in the call of a check that the answer's cell does not define."""
    tree = ast.parse(start)
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    made = {node.id for node in named if isinstance(node.ctx, ast.Store)}
    made |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    used = {node.id for node in ast.walk(ast.parse(arguments(call))) if isinstance(node, ast.Name)}
    return tuple(sorted(used - made))


def _tagged(cell: dict[str, Any], kind: str) -> list[str]:
    return [tag.partition(":")[2] for tag in cell["metadata"].get("tags") or () if tag.startswith(f"{kind}:")]


def _code(cell: dict[str, Any]) -> str:
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
