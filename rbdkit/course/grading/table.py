"""A table of grades: a row for each student, with points and reasons, written anew after each."""

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
    """Grade all notebooks in a folder; the table is written after each, so that an interruption loses no row.

    Parameters
    ----------
    folder
        With a folder a student, or a file a student.
    out
        The table to write, CSV: student, points, possible points, what is the matter with what was handed in (if
        anything is), what looks like tampering, then points and reason of every exercise. Whatever was handed in, its
        student has a row, and whoever was not graded before an interruption is said to be so. What a spreadsheet
        would take for a formula has an apostrophe before it.
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
        There is nothing to grade, or no folder to write the table to.
    """
    handed_in, missing = submissions(folder), without_notebook(folder)
    if not out.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {out.parent} to write {out.name} to")
    grades: dict[str, list[Grade]] = {student: [] for student in missing}
    troubles = {student: ["no notebook was handed in"] for student in missing}
    waiting = [each.student for each in handed_in]
    for each in handed_in:
        _write(out, grades, troubles, waiting)
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
        waiting.remove(each.student)
        points = f"{sum(g.points for g in found)} of {sum(g.possible for g in found)}"
        said = f"{each.student}: {trouble}" if trouble else f"{each.student}, {each.file.name}: {points}"
        say(_printable(said))
    for student in missing:
        say(_printable(f"{student}: no notebook was handed in"))
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


def _write(
    out: Path, grades: dict[str, list[Grade]], troubles: dict[str, list[str]], waiting: Sequence[str] = ()
) -> None:
    """Write the table of those graded so far; those who wait have a row that says so."""
    seen = {each.exercise for found in grades.values() for each in found}
    columns = [each.name for each in exercises() if each.name in seen]
    whys = [f"{name} why" for name in columns]
    text = StringIO(newline="")
    table = csv.writer(text)
    table.writerow(["student", "points", "possible", "trouble", "tampering", *columns, *whys])
    for student in sorted({*grades, *waiting}):
        found = grades.get(student, [])
        by_name = {each.exercise: each for each in found}
        trouble = [*troubles.get(student, ()), *(["not graded yet"] if student in waiting else [])]
        tampering = dict.fromkeys(f"{each.exercise}: {each.tampering}" for each in found if each.tampering)
        table.writerow(
            [
                _plain(student),
                sum(each.points for each in found),
                sum(each.possible for each in found),
                _plain("; ".join(trouble)),
                _plain("; ".join(tampering)),
                *(by_name[name].points if name in by_name else "" for name in columns),
                *(_plain(by_name[name].why) if name in by_name else "" for name in columns),
            ]
        )
    write_file(out, text.getvalue())


def _plain(text: str) -> str:
    """Text on one line that no spreadsheet takes for a formula."""
    text = _printable(" ".join(text.split()))
    return f"'{text}" if text[:1] in FORMULAS else text


def _printable(text: str) -> str:
    """Text without what no file of text holds, or what changes how a terminal writes."""
    return "".join(x if x.isprintable() else ascii(x)[1:-1] for x in text)


FORMULAS = tuple("=+-@＝＋－＠")
"""What formulas begin with; some spreadsheets take the wide forms, too."""
