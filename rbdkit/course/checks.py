"""What makes a function the check of an exercise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from rbdkit.course import progress
from rbdkit.course.answers import brief
from rbdkit.course.catalogue import exercise as exercise_of
from rbdkit.course.verdict import Verdict, wrong

P = ParamSpec("P")


def checks(exercise: str) -> Callable[[Callable[P, Verdict]], Callable[P, Verdict]]:
    """Make a function the check of an exercise: its verdicts say which, right ones are kept, and nothing is raised."""

    def of(check: Callable[P, Verdict]) -> Callable[P, Verdict]:
        @wraps(check)
        def checked(*args: P.args, **kwargs: P.kwargs) -> Verdict:
            try:
                verdict = check(*args, **kwargs)
            except (Exception, SystemExit) as fault:  # what stands beside the answer may be anything, too
                verdict = wrong(_unread(check, args, kwargs, fault))
            if verdict:
                progress.note(exercise)
            return replace(verdict, exercise=exercise, points=exercise_of(exercise).stars if verdict else 0)

        return checked

    return of


def _unread(check: Callable[..., Verdict], args: Any, kwargs: Any, fault: BaseException) -> str:
    """What a check was given that it could make nothing of."""
    try:
        given = signature(check).bind(*args, **kwargs).arguments
        said = ", ".join(f"{name} = {brief(value)}" for name, value in given.items())
    except TypeError as mismatch:
        said = str(mismatch)
    return (
        f"{check.__name__} can make nothing of what it was given: {said} ({type(fault).__name__}). Run the cells above "
        "once more, and leave everything but your answer as it was."
    )
