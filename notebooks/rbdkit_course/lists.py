"""Lists of the course: its exercises, and its pictures to play with."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from rbdkit_course import progress
from rbdkit_course.catalogue import exercises
from rbdkit_course.contents import LESSONS

HOME = "reference/exercises"
"""The notebook that shows the list; links are relative to it."""


@dataclass(frozen=True)
class ExerciseList:
    """All exercises, with stars, minutes and what is done."""

    done: frozenset[str]

    def __repr__(self) -> str:
        return "\n".join(
            f"{'✓' if each.name in self.done else '·'} {each.name} {'★' * each.stars} {each.title} ({each.minutes} min)"
            for each in exercises()
        )

    def _repr_html_(self) -> str:
        rows = []
        for lesson in LESSONS:
            inside = exercises(lesson.name)
            if inside:
                rows.append(
                    f"<tr><th colspan='4' style='text-align:left'><a href='{lesson.link_from(HOME)}'>{lesson.name} "
                    f"{escape(lesson.title)}</a></th></tr>"
                )
            for each in inside:
                mark = "✓" if each.name in self.done else ""
                rows.append(
                    f"<tr><td>{mark}</td><td style='text-align:left'>{each.name} {escape(each.title)}</td>"
                    f"<td style='text-align:left'>{'★' * each.stars}</td><td>{each.minutes} min</td></tr>"
                )
        return f"<table><tbody>{''.join(rows)}</tbody></table>"


def exercise_list() -> ExerciseList:
    """Show all exercises of the course, and which are done.

    Examples
    --------
    >>> import rbdkit_course as course
    >>> "How long is a swing?" in repr(course.exercise_list())
    True
    """
    return ExerciseList(frozenset(progress.done()))


@cache
def pictures() -> dict[str, Callable[..., Any]]:
    """Return the functions that make the interactive pictures of the notebooks, by name."""
    from rbdkit_course import stepping_pictures
    from rbdkit_course.featherstone import pictures as of_the_book

    found = {}
    for package in (of_the_book, stepping_pictures):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            for name, make in vars(import_module(module.name)).items():
                own = inspect.isfunction(make) and make.__module__ == module.name
                if own and inspect.signature(make).return_annotation == "Playground" and not name.startswith("_"):
                    found[name] = make
    return found


def gallery() -> Any:
    """Show a list of all interactive pictures, and the one that is chosen.

    Returns
    -------
    ipywidgets.VBox
    """
    import ipywidgets

    choice = ipywidgets.Dropdown(
        options=[("choose one …", ""), *((_said(make), name) for name, make in pictures().items())],
        description="picture",
        layout={"width": "640px"},
    )
    stage = ipywidgets.VBox()

    def show(change: dict[str, Any]) -> None:
        for old in stage.children:
            old.close()
        stage.children = (pictures()[change["new"]](),) if change["new"] else ()

    choice.observe(show, names="value")
    return ipywidgets.VBox([choice, stage])


def _said(make: Callable[..., Any]) -> str:
    sentence = (inspect.getdoc(make) or "").partition("\n")[0].rstrip(".")
    return f"{make.__name__.replace('_', ' ')}: {sentence}"[:110]
