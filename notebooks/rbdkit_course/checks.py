"""The decorator `checks`, which makes a function the check of an exercise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from rbdkit_course import progress
from rbdkit_course.answers import brief
from rbdkit_course.catalogue import exercise as exercise_of
from rbdkit_course.verdict import Verdict, wrong

P = ParamSpec("P")


def checks(exercise: str) -> Callable[[Callable[P, Verdict]], Callable[P, Verdict]]:
    """Make a function the check of an exercise: verdicts name it, right ones are recorded, errors become verdicts."""

    def of(check: Callable[P, Verdict]) -> Callable[P, Verdict]:
        @wraps(check)
        def checked(*args: P.args, **kwargs: P.kwargs) -> Verdict:
            try:
                with _sign_of_life():
                    verdict = check(*args, **kwargs)
            except (Exception, SystemExit) as fault:  # the other arguments may be anything, too
                verdict = wrong(_unread(check, args, kwargs, fault))
            if verdict:
                progress.note(exercise)
            return replace(verdict, exercise=exercise, points=exercise_of(exercise).stars if verdict else 0)

        return checked

    return of


@contextmanager
def _sign_of_life() -> Iterator[None]:
    """In a notebook, show a line in the verdict's place while the check computes; some checks simulate for seconds."""
    notebook = sys.modules.get("IPython")  # not loaded: nobody looks on
    shell = notebook and notebook.get_ipython()
    if getattr(shell, "kernel", None) is None:
        yield
        return
    from IPython.display import HTML, display

    line = display(HTML(_AT_WORK), display_id=True)
    try:
        yield
    finally:
        line.update(HTML("<div hidden></div>"))  # no height: the verdict moves up to where the line was


_AT_WORK = (
    "<div style='border-left:4px solid #8c959f;padding:4px 10px;opacity:.75'><b>…</b>&ensp;checking your answer</div>"
)


def _unread(check: Callable[..., Verdict], args: Any, kwargs: Any, fault: BaseException) -> str:
    """Explain to a student that a check failed with an error on its arguments, and quote these."""
    try:
        given = signature(check).bind(*args, **kwargs).arguments
        said = ", ".join(f"{name} = {brief(value)}" for name, value in given.items())
    except TypeError as mismatch:
        said = str(mismatch)
    return (
        f"{check.__name__} can make nothing of what it was given: {said} ({type(fault).__name__}). Run the cells above "
        "once more, and leave everything but your answer as it was."
    )
