"""Progress in the course: a map of all notebooks with the share of exercises done, and one line for each notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from rbdkit_course import progress
from rbdkit_course.catalogue import exercises
from rbdkit_course.contents import FRONT, LESSONS, PARTS, Lesson, lesson

STYLE = """
<style>
.rbd-map { display: grid; grid-template-columns: max-content 1fr; gap: 10px 14px; align-items: center;
  max-width: 980px }
.rbd-map .part { font-weight: 600; color: var(--jp-ui-font-color2, #777) }
.rbd-map .row { display: flex; flex-wrap: wrap; gap: 8px }
.rbd-map a { display: block; width: 128px; min-height: 44px; padding: 6px 8px 8px; border-radius: 6px; font-size: 12px;
  line-height: 1.25; text-decoration: none; color: var(--jp-ui-font-color1, #222);
  border: 1px solid var(--jp-border-color1, #bbb); background: linear-gradient(to right,
  color-mix(in srgb, #1a7f37 30%, transparent) var(--done), transparent var(--done)) }
.rbd-map a:hover { border-color: #1a7f37 }
.rbd-map b { display: block }
</style>
"""


@dataclass(frozen=True)
class CourseMap:
    """Map of all notebooks by part; each box is filled by the share of its exercises done, and opens it on a click."""

    done: frozenset[str]

    def __repr__(self) -> str:
        lines = []
        for part in PARTS:
            inside = [f"{each.name} {_count(each, self.done)}".strip() for each in LESSONS if each.part == part]
            if inside:
                lines.append(f"{part}: {', '.join(inside)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        for part in PARTS:
            boxes = "".join(self._box(each) for each in LESSONS if each.part == part)
            if boxes:
                rows.append(f'<div class="part">{escape(part)}</div><div class="row">{boxes}</div>')
        return f'{STYLE}<div class="rbd-map">{"".join(rows)}</div>'

    def _box(self, this: Lesson) -> str:
        inside = exercises(this.name)
        share = 100 * sum(each.name in self.done for each in inside) // len(inside) if inside else 0
        tip = "; ".join(this.goals) + (f" (builds on {', '.join(this.needs)})" if this.needs else "")
        count = _count(this, self.done)
        return (
            f'<a href="{this.link_from(FRONT)}" title="{escape(tip, quote=True)}" style="--done: {share}%">'
            f"<b>{this.name}{' · ' + count if count else ''}</b>{escape(this.title)}</a>"
        )


@dataclass(frozen=True)
class LessonDone:
    """How many exercises of a notebook are done, and which."""

    lesson: Lesson
    done: frozenset[str]

    def __repr__(self) -> str:
        inside = exercises(self.lesson.name)
        if not inside:
            return f"{self.lesson.name} has no exercises."
        marks = ", ".join(f"{'✓' if each.name in self.done else '·'} {_plain(each.title)}" for each in inside)
        return f"{_count(self.lesson, self.done)} exercises done: {marks}"


def _plain(title: str) -> str:
    """Return a title without the LaTeX signs of its formulas."""
    return re.sub(r"\$([^$]*)\$", lambda formula: re.sub(r"[{}\\]", "", formula[1]), title)


def course_map() -> CourseMap:
    """Show all notebooks, and what of them is done.

    Examples
    --------
    >>> import rbdkit_course as course
    >>> str(course.course_map()).partition(":")[0]
    'Hands on'
    """
    return CourseMap(frozenset(progress.done()))


def done(name: str) -> LessonDone:
    """Show how many exercises of a notebook are done.

    Parameters
    ----------
    name
        Name or file of the notebook: ``"F05"``, or ``"featherstone/05_inverse_dynamics"``.

    Examples
    --------
    >>> import rbdkit_course as course
    >>> course.done("E")
    E has no exercises.
    """
    return LessonDone(lesson(name), frozenset(progress.done()))


def _count(this: Lesson, done: frozenset[str]) -> str:
    inside = exercises(this.name)
    return f"{sum(each.name in done for each in inside)}/{len(inside)}" if inside else ""
