"""What happens in the process of a student's notebook: what judges may not be changed, some of rbdkit not be called.

This puts back what answers change, and names it; it is no wall. Code of a student runs in the same process, and who
sets out to can reach everything here.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from rbdkit.course.answers import forbidding
from rbdkit.course.catalogue import exercise

WATCHED = ("builtins", "json", "math", "numpy", "operator", "rbdkit", "scipy")
"""Packages whose functions and classes checks rest on."""
STREAMS = ("stdout", "stderr", "displayhook")
OF_CELLS = ("builtins.input", "builtins.get_ipython")
"""What the kernel itself sets anew for each cell."""
LONGEST = 1500
"""Characters of a reason that are told."""
_say, _text = print, repr


class Held(NamedTuple):
    """What a module or class had under a name, with the code of functions."""

    owner: ModuleType | type
    attribute: str
    name: str
    value: Any
    codes: tuple[tuple[FunctionType, CodeType], ...]

    def put_back(self) -> bool:
        """Whether it had been changed."""
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
    """Before the student's code: remember what judges and what the check will be handed; close what is forbidden.

    It says how much it has remembered.
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
    """After it: put everything back; how much was remembered, and the names of what had been changed."""
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
    """What the check says: whether it is right, points, why; and what was changed while it judged."""
    held = _all_held()
    with forbidding([_function(each) for each in forbidden]):
        verdict = exercise(name).judge(*answer, **(numbers or {}))
    changed = [each.name for each in held if each.put_back()]
    return bool(verdict.right), int(verdict.points), str(verdict.why)[:LONGEST], changed[:20]


def say(token: str, value: Any) -> None:
    """Print a plain value, after a word that only the grader knows."""
    _say(token, _text(value), flush=True)


def _refuse(*_: Any, **__: Any) -> None:
    raise RuntimeError("this function of rbdkit is yours to write here")


def _function(path: str) -> FunctionType:
    """The function of a dotted path, which may lead into a class."""
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
    return package in WATCHED and (package == "rbdkit" or not f".{inside}".count("._"))


def _held(owner: ModuleType | type, name: str) -> Iterator[Held]:
    """Functions and classes of a module, and of rbdkit's own classes whatever is called or computed."""
    ours = name.partition(".")[0] == "rbdkit"
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
    """The code of a function, and of what it is wrapped around."""
    while function is not None:
        if isinstance(function, FunctionType):
            yield function, function.__code__
        inside = (getattr(function, name, None) for name in ("__wrapped__", "__func__", "fget", "func"))
        function = next((each for each in inside if callable(each)), None)


def _hooks_of_cells() -> list[list[Any]]:
    """What IPython does to the text of a cell before it runs."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        return []
    return [shell.input_transformers_cleanup, shell.input_transformers_post, shell.ast_transformers]


def _is_students(thread: threading.Thread) -> bool:
    """Whether a thread was started since, and runs a function of the notebook's."""
    target = getattr(thread, "_target", None) or getattr(thread, "function", None)
    return thread not in _threads and getattr(target, "__module__", "") == "__main__"
