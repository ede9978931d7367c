"""A table of grades: a row a student, with points and reasons."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path

from rbdkit.atomic_write import write_file
from rbdkit.course.catalogue import Exercise, exercises
from rbdkit.course.grading.assembling import Submission, assembled, lesson_of, read, submissions, without_notebook
from rbdkit.course.grading.assigning import numbers_of
from rbdkit.course.grading.examining import assembled_exam
from rbdkit.course.grading.running import Grade, grade_notebook


def grade(
    folder: Path,
    out: Path,
    notebooks: Path,
    seconds: float = 60.0,
    strict: bool = False,
    seed: str = "",
    say: Callable[[str], None] = print,
    chosen: Sequence[Exercise] = (),
) -> dict[str, list[Grade]]:
    """Grade all notebooks in a folder and write the table.

    Parameters
    ----------
    folder
        With a folder a student, or a file a student.
    out
        The table to write, CSV: student, points, possible points, what is the matter with what was handed in (if
        anything is), then points and reason of every exercise. Whatever was handed in, its student has a row.
    notebooks
        The notebooks of the course.
    seconds, strict
        See `grade_notebook`.
    seed
        With which numbers of the students' own were drawn; none were if it is empty.
    say
        Is told how it goes on.
    chosen
        The exercises of an exam, if that is what was handed in; see `exam`.

    Raises
    ------
    FileNotFoundError
        There is nothing to grade.
    """
    handed_in, missing = submissions(folder), without_notebook(folder)
    grades: dict[str, list[Grade]] = {student: [] for student in missing}
    troubles = {student: ["no notebook was handed in"] for student in missing}
    for each in handed_in:
        try:
            found, trouble = _graded(each, notebooks, seconds, strict, seed, chosen), ""
        except Exception as fault:  # one notebook must not cost the others their grades
            reason = str(fault) if isinstance(fault, NotHandedIn) else f"{type(fault).__name__}: {fault}"
            found, trouble = [], f"{each.file.name} {reason}"
        best = {old.exercise: old for old in grades.get(each.student, [])}
        for new in found:  # of two copies of a notebook the better answers count
            if new.exercise not in best or new.points > best[new.exercise].points:
                best[new.exercise] = new
        grades[each.student] = list(best.values())
        troubles.setdefault(each.student, []).extend([trouble] if trouble else [])
        points = f"{sum(g.points for g in found)} of {sum(g.possible for g in found)}"
        say(f"{each.student}: {trouble}" if trouble else f"{each.student}, {each.file.name}: {points}")
    for student in missing:
        say(f"{student}: no notebook was handed in")
    _write(out, grades, troubles)
    return grades


class NotHandedIn(ValueError):
    """What was handed in is no notebook of this course."""


def _graded(
    each: Submission, notebooks: Path, seconds: float, strict: bool, seed: str, chosen: Sequence[Exercise]
) -> list[Grade]:
    try:
        handed_in = read(each.file)
    except ValueError as fault:
        raise NotHandedIn(str(fault).removeprefix(f"{each.file.name} ")) from None
    if chosen:
        own = {e.name: numbers_of(e, each.student, seed) for e in chosen}
        parts = assembled_exam(notebooks, chosen, handed_in)
        return [grade for steps in parts for grade in grade_notebook(steps, seconds, strict, own)]
    lesson = lesson_of(handed_in)
    if lesson is None:
        raise NotHandedIn("has no cell with the tag of an exercise of this course")
    course = read(notebooks / f"{lesson.file}.ipynb")
    numbers = {e.name: numbers_of(e, each.student, seed) for e in exercises(lesson.name)} if seed else {}
    return grade_notebook(tuple(assembled(course, handed_in, lesson)), seconds, strict, numbers)


def _write(out: Path, grades: dict[str, list[Grade]], troubles: dict[str, list[str]]) -> None:
    seen = {each.exercise for found in grades.values() for each in found}
    columns = [each.name for each in exercises() if each.name in seen]
    text = StringIO(newline="")
    table = csv.writer(text)
    table.writerow(["student", "points", "possible", "trouble", *columns, *(f"{name} why" for name in columns)])
    for student, found in sorted(grades.items()):
        by_name = {each.exercise: each for each in found}
        table.writerow(
            [
                student,
                sum(each.points for each in found),
                sum(each.possible for each in found),
                _plain("; ".join(troubles.get(student, ()))),
                *(by_name[name].points if name in by_name else "" for name in columns),
                *(_plain(by_name[name].why) if name in by_name else "" for name in columns),
            ]
        )
    write_file(out, text.getvalue())


def _plain(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    text = " ".join(text.split())
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
