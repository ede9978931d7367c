"""Functions that run in the kernel of a student's notebook, around each answer.

`begin` stores every function and class that checks depend on, with the code objects of functions, and makes functions
that are forbidden raise; `end` restores everything and names what the answer changed; `judge` calls the check. This
detects accidents and simple tricks. It is no security boundary: a student's code runs in the same process, and can
reach everything here if it sets out to.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from rbdkit_course.answers import forbidding
from rbdkit_course.catalogue import exercise

OURS = ("rbdkit", "rbdkit_course")
WATCHED = ("builtins", "json", "math", "numpy", "operator", "scipy", *OURS)
"""Packages whose functions and classes checks depend on."""
STREAMS = ("stdout", "stderr", "displayhook")
OF_CELLS = ("builtins.input", "builtins.get_ipython")
"""Names that the kernel itself sets anew for each cell, so that a change is no tampering."""
LONGEST = 1500
"""Number of characters reported of a reason."""
_say, _text = print, repr


class Held(NamedTuple):
    """An attribute of a module or class as it was before an answer, with the code objects of its functions."""

    owner: ModuleType | type
    attribute: str
    name: str
    value: Any
    codes: tuple[tuple[FunctionType, CodeType], ...]

    def put_back(self) -> bool:
        """Restore the attribute and its code; return whether it had been changed."""
        changed = vars(self.owner).get(self.attribute) is not self.value
        if changed:
            setattr(self.owner, self.attribute, self.value)
        for function, code in self.codes:
            if function.__code__ is not code:
                changed, function.__code__ = True, code
        return changed


_before: list[Held] = []
_hooks: list[tuple[list[Any], list[Any]]] = []
_threads: set[threading.Thread] = set()
_given: dict[str, Any] = {}
_closed: list[tuple[FunctionType, CodeType]] = []


def begin(names: dict[str, Any], given: list[str], forbidden: list[str]) -> int:
    """Before a student's code: store what checks depend on and their other arguments; block the forbidden functions.

    Returns the number of attributes stored, which `end` must give again.
    """
    _before[:] = _all_held()
    _hooks[:] = [(hooks, hooks.copy()) for hooks in _hooks_of_cells()]
    _threads.clear()
    _threads.update(threading.enumerate())
    _given.update({name: names[name] for name in given if name in names})
    for each in map(_function, forbidden):
        _closed.append((each, each.__code__))
        each.__code__ = _refuse.__code__
    return len(_before)


def end(names: dict[str, Any]) -> tuple[int, list[str]]:
    """After a student's code: restore everything; return the number of attributes stored, and what had changed."""
    while _closed:
        function, code = _closed.pop()
        function.__code__ = code
    count, changed = len(_before), [held.name for held in _before if held.put_back()]
    for hooks, before in _hooks:
        if hooks != before:
            hooks[:] = before
            changed.append("how IPython reads cells")
    changed += [f"the thread {each.name!r} runs on" for each in threading.enumerate() if _is_students(each)]
    names.update(_given)
    _before.clear()
    _given.clear()
    return count, changed[:20]


def judge(
    name: str, answer: tuple[Any, ...], forbidden: list[str], numbers: dict[str, float] | None = None
) -> tuple[bool, int, str, list[str]]:
    """Judge an answer by its check; return right or not, points, the reason, and names of what changed meanwhile."""
    held = _all_held()
    with forbidding([_function(each) for each in forbidden]):
        verdict = exercise(name).judge(*answer, **(numbers or {}))
    changed = [each.name for each in held if each.put_back()]
    return bool(verdict.right), int(verdict.points), str(verdict.why)[:LONGEST], changed[:20]


def say(token: str, value: Any) -> None:
    """Print a plain value after a token that only the grader knows, so that an answer cannot print a grade."""
    _say(token, _text(value), flush=True)


def _refuse(*_: Any, **__: Any) -> None:
    raise RuntimeError("this function of rbdkit is yours to write here")


def _function(path: str) -> FunctionType:
    """Return the function at a dotted path, which may lead into a class."""
    parts = path.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            found: Any = import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for part in parts[split:]:
            found = getattr(found, part)
        return found
    raise LookupError(f"there is no function {path}")


def _all_held() -> list[Held]:
    modules = [module for name, module in sys.modules.copy().items() if module and _is_watched(name)]
    streams = [Held(sys, name, f"sys.{name}", getattr(sys, name), ()) for name in STREAMS]
    return [*streams, *(held for module in modules for held in _held(module, module.__name__))]


def _is_watched(module: str) -> bool:
    package, _, inside = module.partition(".")
    return package in WATCHED and (package in OURS or not f".{inside}".count("._"))


def _held(owner: ModuleType | type, name: str) -> Iterator[Held]:
    """Yield the functions and classes of a module; of rbdkit's own classes also methods, properties and descriptors."""
    ours = name.partition(".")[0] in OURS
    for attribute, value in vars(owner).copy().items():
        if f"{name}.{attribute}" in OF_CELLS:
            continue
        if isinstance(value, type):
            yield Held(owner, attribute, f"{name}.{attribute}", value, ())
            if ours and isinstance(owner, ModuleType) and value.__module__ == owner.__name__:
                yield from _held(value, f"{name}.{attribute}")
        elif callable(value) or (isinstance(owner, type) and hasattr(type(value), "__get__")):
            yield Held(owner, attribute, f"{name}.{attribute}", value, tuple(_codes(value)))


def _codes(function: Any) -> Iterator[tuple[FunctionType, CodeType]]:
    """Yield the code objects of a function, and of the functions that it wraps."""
    while function is not None:
        if isinstance(function, FunctionType):
            yield function, function.__code__
        inside = (getattr(function, name, None) for name in ("__wrapped__", "__func__", "fget", "func"))
        function = next((each for each in inside if callable(each)), None)


def _hooks_of_cells() -> list[list[Any]]:
    """Return IPython's lists of transformations of a cell before it runs; none outside IPython."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        return []
    return [shell.input_transformers_cleanup, shell.input_transformers_post, shell.ast_transformers]


def _is_students(thread: threading.Thread) -> bool:
    """Whether a thread was started after `begin`, and runs a function of the notebook."""
    target = getattr(thread, "_target", None) or getattr(thread, "function", None)
    return thread not in _threads and getattr(target, "__module__", "") == "__main__"
