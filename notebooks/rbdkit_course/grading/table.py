"""Grade a folder of notebooks: a table with a row for each student, rewritten after each notebook."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path

from rbdkit.atomic_write import write_file
from rbdkit_course.catalogue import Exercise, exercises
from rbdkit_course.grading.assembling import Submission, assembled, lesson_of, read, submissions, without_notebook
from rbdkit_course.grading.assigning import numbers_of
from rbdkit_course.grading.examining import assembled_exam
from rbdkit_course.grading.running import Grade, grade_notebook


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
        Folder with one folder per student, or one file per student.
    out
        The table to write, CSV: student, points, possible points, problems with the submission, signs of tampering,
        then points and reason of every exercise. Every student has a row, also with a file that is no notebook; those
        not graded before an interruption are marked. Text that a spreadsheet would take for a formula gets an
        apostrophe before it.
    notebooks
        Folder of the notebooks of the course.
    seconds, strict
        See `grade_notebook`.
    seed
        Word with which the students' numbers were drawn; empty if they had the usual ones.
    say
        Called with a line of text after each notebook.
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
    """The file handed in is no notebook of this course."""


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
    """Write the table of grades so far; students still waiting have a row that says so."""
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
    """Return a text as one line that no spreadsheet takes for a formula."""
    text = _printable(" ".join(text.split()))
    return f"'{text}" if text[:1] in FORMULAS else text


def _printable(text: str) -> str:
    """Return a text with control characters and other unprintable ones escaped."""
    return "".join(x if x.isprintable() else ascii(x)[1:-1] for x in text)


FORMULAS = tuple("=+-@＝＋－＠")
"""First characters of formulas; some spreadsheets accept the full-width forms, too."""
