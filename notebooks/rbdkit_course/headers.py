"""Write headers, footers and hints of notebooks, and tables of the start page, from the table of the course."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rbdkit.atomic_write import write_file
from rbdkit_course.catalogue import Exercise, exercises
from rbdkit_course.contents import FRONT, LESSONS, PARTS, TRACKS, Lesson, lesson, neighbours

Cell = dict[str, Any]
OWN = "course-"
"""Prefix of the ids of generated cells; all other cells belong to the notebook's author."""
SUMMARY = ("a hint", "another hint", "a last hint")


def header(this: Lesson) -> str:
    """Return the header of a notebook as Markdown: place in the course, duration, prerequisites, source and goals."""
    line = [f"[The course]({_to(FRONT, this)}) › {this.part} › **{this.name}**", f"about {this.minutes} minutes"]
    if this.needs:
        line.append("builds on " + ", ".join(f"[{name}]({lesson(name).link_from(this.file)})" for name in this.needs))
    if this.source:
        line.append(f"source: {this.source}")
    return f"{' · '.join(line)}\n\n**You will be able to** {_listed(this.goals)}."


def footer(this: Lesson) -> str:
    """Return the footer of a notebook as Markdown: its goals, and links to the next and previous notebook."""
    before, after = neighbours(this)
    ways = [
        *([f"next: [{after.name} {after.title}]({after.link_from(this.file)})"] if after else []),
        *([f"back: [{before.name} {before.title}]({before.link_from(this.file)})"] if before else []),
        f"[the map of the course]({_to(FRONT, this)})",
    ]
    return f"---\n\n**You can now** {_listed(this.goals)}.\n\n{' · '.join(ways)}"


def hints(exercise: Exercise) -> str:
    """Return three hints and the solution of an exercise, each folded, as Markdown."""
    text = f"**In our words:** {exercise.why}\n\n```python\n{exercise.solution.strip()}\n```"
    text = f"<details><summary>the solution</summary>\n\n{text}\n\n</details>"
    for summary, hint in reversed([*zip(SUMMARY, exercise.hints, strict=True)]):
        text = f"<details><summary>{summary}</summary>\n\n{hint.strip()}\n\n{text}\n\n</details>"
    return f"{'★' * exercise.stars}{'☆' * (3 - exercise.stars)} · about {exercise.minutes} minutes\n\n{text}"


def tracks() -> str:
    """Return the table of tracks through the course, as Markdown for the start page."""
    rows = ["| track | for whom | hours | way |", "|---|---|--:|---|"]
    for track in TRACKS:
        way = [
            f"[{name}]({lesson(name).link_from(FRONT)})"
            + (f" ({track.remarks[name]})" if name in track.remarks else "")
            for name in track.way
        ]
        rows.append(f"| **{track.title}** | {track.reader} | {track.hours} | {' → '.join(way)} |")
    return "\n".join(rows)


def table() -> str:
    """Return the table of all notebooks, as Markdown for the start page."""
    rows = ["| | notebook | you will be able to | minutes | builds on | exercises |", "|---|---|---|--:|---|--:|"]
    for part in PARTS:
        inside = [each for each in LESSONS if each.part == part]
        if inside:
            rows.append(f"| | **{part}** | | | | |")
        for each in inside:
            needs = ", ".join(each.needs)
            count = len(exercises(each.name)) or ""
            rows.append(
                f"| {each.name} | [{each.title}]({each.link_from(FRONT)}) | {_listed(each.goals)} | {each.minutes} | "
                f"{needs} | {count} |"
            )
    return "\n".join(rows)


def written(notebook: dict[str, Any], this: Lesson | None) -> dict[str, Any]:
    """Return a notebook (JSON) with its generated cells up to date; `this` is None for the start page."""
    if this is None:
        texts = {f"{OWN}tracks": tracks(), f"{OWN}table": table()}
        cells = [
            {**cell, "source": _lines(texts[cell["id"]])} if cell.get("id") in texts else cell
            for cell in notebook["cells"]
        ]
        return {**notebook, "cells": cells}
    of_check = {f"check:{each.name}": each for each in exercises(this.name)}
    cells = [_markdown("header", header(this))]
    for cell in notebook["cells"]:
        if cell.get("id", "").startswith(OWN):
            continue
        cells.append(cell)
        for tag in cell["metadata"].get("tags", ()):
            if tag in of_check:
                cells.append(_markdown(f"hints-{of_check[tag].name}", hints(of_check[tag])))
    cells.append(_markdown("footer", footer(this)))
    if of_check:
        cells.append(_code("done", f'course.done("{this.name}")'))
    return {**notebook, "cells": cells}


def write(folder: Path) -> list[Path]:
    """Bring all notebooks of a folder up to date with the table; return the files that changed, in order."""
    changed = []
    for this in (None, *LESSONS):
        file = folder / f"{FRONT if this is None else this.file}.ipynb"
        before = file.read_text(encoding="utf-8")
        after = stored(written(json.loads(before), this))
        if after != before:
            write_file(file, after)
            changed.append(file)
    return changed


def stored(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _to(file: str, this: Lesson) -> str:
    return "../" * this.file.count("/") + f"{file}.ipynb"


def _listed(goals: tuple[str, ...]) -> str:
    return goals[0] if len(goals) == 1 else f"{'; '.join(goals[:-1])}; and {goals[-1]}"


def _markdown(name: str, source: str) -> Cell:
    return {"cell_type": "markdown", "id": f"{OWN}{name}", "metadata": {}, "source": _lines(source)}


def _code(name: str, source: str) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"{OWN}{name}",
        "metadata": {},
        "outputs": [],
        "source": _lines(source),
    }


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)
