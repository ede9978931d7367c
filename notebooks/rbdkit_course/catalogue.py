"""The exercises of the course: titles, difficulty, minutes, hints and solutions, a TOML file for each notebook."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).parent / "exercise_texts"


@dataclass(frozen=True)
class Slip:
    """A common wrong answer, as code of a cell, and words that the explanation of its mistake contains."""

    answer: str
    says: str


@dataclass(frozen=True)
class Number:
    """A number in an exercise that may be drawn anew for each student.

    Attributes
    ----------
    name
        Name of the check's argument.
    usual, low, high, digits
        Value in the notebook; bounds between which others are drawn, and their number of decimals.
    text
        Words of the exercise around it, with braces in place of the number.
    """

    name: str
    usual: float
    low: float
    high: float
    digits: int
    text: str

    def said(self, number: float) -> str:
        """Return the words of the exercise with a number filled in."""
        return self.text.replace("{}", f"{number:g}")


@dataclass(frozen=True)
class Exercise:
    """One exercise of a notebook.

    Attributes
    ----------
    name
        ``"F05-1"``: the name of the notebook and a number.
    check
        Name of the function that judges the answer, relative to `rbdkit_course`.
    stars, minutes
        Difficulty from 1 to 3, which is also the number of points; and about how long it takes.
    hints
        Three hints, each saying more than the last.
    solution, why
        A right answer, as code of a cell, and what to learn from it.
    slips
        Common wrong answers.
    forbidden
        Functions of rbdkit that do what the student is to write; strict grading forbids to call them.
    numbers
        Numbers that may be drawn anew for each student.
    """

    name: str
    title: str
    check: str
    stars: int
    minutes: int
    hints: tuple[str, ...]
    solution: str
    why: str
    slips: tuple[Slip, ...] = ()
    forbidden: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()

    @property
    def lesson(self) -> str:
        """Name of its notebook."""
        return self.name.rpartition("-")[0]

    @property
    def judge(self) -> Callable[..., Any]:
        """The check itself, a function."""
        module, _, function = self.check.rpartition(".")
        judge: Callable[..., Any] = getattr(import_module(f"rbdkit_course.{module}"), function)
        return judge


@cache
def _read(file: Path) -> tuple[Exercise, ...]:
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    found = []
    for number, row in enumerate(table["exercise"], 1):
        slips = tuple(Slip(**slip) for slip in row.pop("slips", []))
        row["numbers"] = tuple(Number(**number) for number in row.get("numbers", ()))
        for key in ("hints", "forbidden"):
            row[key] = tuple(row.get(key, ()))
        found.append(Exercise(name=f"{file.stem}-{number}", slips=slips, **row))
    return tuple(found)


def exercises(lesson: str | None = None) -> tuple[Exercise, ...]:
    """Return all exercises of the course, or of the notebook with the given name, in order.

    Examples
    --------
    >>> import rbdkit_course as course
    >>> [each.title for each in course.exercises("00")]
    ['How long is a swing?', 'How bold can you be?', 'Build it']
    """
    from rbdkit_course.contents import LESSONS

    files = {file.stem: file for file in TEXTS.glob("*.toml")}
    names = [each.name for each in LESSONS] if lesson is None else [lesson]
    return tuple(each for name in names if name in files for each in _read(files[name]))


def exercise(name: str) -> Exercise:
    """Return the exercise of the given name.

    Raises
    ------
    LookupError
        There is no such exercise.
    """
    for each in exercises():
        if each.name == name:
            return each
    raise LookupError(f"there is no exercise {name!r}; course.exercises() lists all")
