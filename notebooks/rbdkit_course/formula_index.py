"""Index of formulas: the lines of the package that cite a numbered equation, table, figure or example of a source.

It is made when it is first used, by a search of all source files for words like "Eq 7.47". The source is the one named
on the line, else the one that the file's package follows, else the only one that the file names, else Featherstone's
book; the form of the number corrects this where it cannot belong to that source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import rbdkit

PACKAGE = Path(rbdkit.__file__).parent
NUMBER = r"(?:A\.)?\d+(?:\.\d+)?[a-f]?"
MENTION = re.compile(rf"\b(Eq|Table|Fig|Figure|Example)s?\.? ({NUMBER}(?:(?:,| and| to|, and) {NUMBER})*)(?![\d.]*\d)")
SOURCES = {
    "Featherstone": ("Featherstone",),
    "Sueda": ("Sueda",),
    "Holzinger": ("Holzinger",),
    "Gebhardt and Romero": ("Gebhardt", "Romero"),
    "Müller and Terze": ("Müller", "Terze", "mueller_terze"),
}
HOMES = {
    "redmax": "Sueda",
    "elastic": "Sueda",
    "maximal": "Sueda",
    "local_velocity": "Holzinger",
    "directors": "Gebhardt and Romero",
    "formulations/constrained": "Müller and Terze",
}
"""Parts of file names whose modules follow one source, whether they name it or not."""


KIND = re.compile(r"^\s*(equation|eq|table|tab|figure|fig)s?\b\.?", re.IGNORECASE)
"""Word before a number, in any spelling, for the argument of `formulas`."""


@dataclass(frozen=True)
class Place:
    """A line of the package that cites a formula, table or figure of a source."""

    source: str
    kind: str
    number: str
    file: str
    line: int
    code: str

    @property
    def order(self) -> tuple[str, str, tuple[tuple[int, int, str], ...], str, int]:
        """Sort key: by source and kind, then by number in numerical order (7.5 before 7.47)."""
        parts = re.findall(r"\d+|[A-Za-z]+", self.number)
        return self.source, self.kind, tuple((*_rank(part), part) for part in parts), self.file, self.line


@dataclass(frozen=True)
class FormulaIndex:
    """Places in the code, sorted by source and number; a notebook shows it as tables that unfold."""

    places: tuple[Place, ...]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    def __repr__(self) -> str:
        return "\n".join(f"{p.kind} {p.number} ({p.source}): rbdkit/{p.file}:{p.line}: {p.code}" for p in self.places)

    def _repr_html_(self) -> str:
        groups: dict[tuple[str, str], list[Place]] = {}
        for place in self.places:
            chapter = place.number.partition(".")[0] if "." in place.number else ""
            groups.setdefault((place.source, chapter), []).append(place)
        opened = " open" if len(self.places) <= 40 else ""
        return "".join(
            f"<details{opened}><summary>{escape(source)}{f', {chapter}' if chapter else ''} ({len(inside)})</summary>"
            f"<table><tbody>{''.join(map(_row, inside))}</tbody></table></details>"
            for (source, chapter), inside in groups.items()
        )


def formulas(number: str | None = None, source: str | None = None) -> FormulaIndex:
    """Find the lines of code that implement a formula, table or figure.

    Parameters
    ----------
    number
        ``"7.47"`` or ``"Eq 7.47"``, or ``"7."`` for a chapter; all if not given.
    source
        A part of the name of the source, such as ``"Sueda"``; all if not given.

    Examples
    --------
    >>> import rbdkit_course as course
    >>> [place.file for place in course.formulas("7.47")][0]
    'algorithms/aba.py'
    """
    if number is not None:
        number = KIND.sub("", number).strip(" ()")
    return FormulaIndex(
        tuple(
            place
            for place in _all()
            if (number is None or place.number == number or (number.endswith(".") and place.number.startswith(number)))
            and (source is None or source.lower() in place.source.lower())
        )
    )


@cache
def _all() -> tuple[Place, ...]:
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        text = file.read_text(encoding="utf-8")
        for line, code in enumerate(text.splitlines(), 1):
            for mention in MENTION.finditer(code):
                kind = {"Figure": "Fig"}.get(mention[1], mention[1])
                source = _source(name, text, code)
                for number in re.findall(NUMBER, mention[2]):
                    of = _of_number(source, number)
                    if of:
                        found.append(Place(of, kind, number, name, line, code.strip()))
    return tuple(sorted(found, key=lambda place: place.order))


def _source(name: str, text: str, code: str) -> str:
    """Return the source of a citation: named on the line, else by the package or alone in the file, else the book."""
    for spoken in (code, *([] if any(home in name for home in HOMES) else [text])):
        named = [source for source, words in SOURCES.items() if any(word in spoken for word in words)]
        if len(named) == 1:
            return named[0]
    return next((source for home, source in HOMES.items() if home in name), "Featherstone")


def _of_number(source: str, number: str) -> str | None:
    """Correct a source by its numbering: the book by chapters from 2 on, Sueda's notes from part 1, papers plainly."""
    if source != "Featherstone":
        return source if "." not in number or source == "Sueda" else "Featherstone"
    if "." not in number:
        return None  # cited from a work that is not in SOURCES
    return "Sueda" if number.startswith("1.") else source


def _rank(part: str) -> tuple[int, int]:
    return (0, int(part)) if part.isdigit() else (1, 0)


def _row(place: Place) -> str:
    return (
        f"<tr><td style='text-align:left;white-space:nowrap'>{place.kind} {place.number}</td>"
        f"<td style='text-align:left'><code>{escape(place.code)}</code></td>"
        f"<td style='text-align:left;white-space:nowrap'>{escape(place.file)}:{place.line}</td></tr>"
    )
