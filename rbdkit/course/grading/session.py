"""What happens in the kernel of a student's notebook: nothing of rbdkit may be changed, some of it not be called."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from rbdkit.course.answers import forbidding
from rbdkit.course.catalogue import exercise


@dataclass(frozen=True)
class Held:
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
            changed = changed or function.__code__ is not code
            function.__code__ = code
        return changed


_before: list[Held] = []
_given: dict[str, Any] = {}
_closed: list[tuple[FunctionType, CodeType]] = []


def begin(names: dict[str, Any], given: list[str], forbidden: list[str]) -> None:
    """Before the student's code: remember what rbdkit is and what the check will be handed; close what is forbidden."""
    modules = [module for name, module in sys.modules.copy().items() if module and name.partition(".")[0] == "rbdkit"]
    _before[:] = [held for module in modules for held in _held(module, module.__name__)]
    _given.update({name: names[name] for name in given if name in names})
    for each in map(_function, forbidden):
        _closed.append((each, each.__code__))
        each.__code__ = _refuse.__code__


def end(names: dict[str, Any]) -> list[str]:
    """After it: put everything back, and name what of rbdkit had been changed."""
    while _closed:
        function, code = _closed.pop()
        function.__code__ = code
    changed = [held.name for held in _before if held.put_back()]
    names.update(_given)
    _before.clear()
    _given.clear()
    return changed


def judge(
    name: str, answer: tuple[Any, ...], token: str, forbidden: list[str], numbers: dict[str, float] | None = None
) -> None:
    """Print what the check says, with a word that only the grader knows."""
    with forbidding([_function(each) for each in forbidden]):
        verdict = exercise(name).judge(*answer, **(numbers or {}))
    print(token, json.dumps({"points": verdict.points, "right": verdict.right, "why": verdict.why}))


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


def _held(owner: ModuleType | type, name: str) -> Iterator[Held]:
    """Functions and classes of a module, and methods of its own classes."""
    for attribute, value in vars(owner).copy().items():
        if isinstance(value, FunctionType):
            yield Held(owner, attribute, f"{name}.{attribute}", value, tuple(_codes(value)))
        elif isinstance(value, type) and isinstance(owner, ModuleType):
            yield Held(owner, attribute, f"{name}.{attribute}", value, ())
            if value.__module__ == owner.__name__:
                yield from _held(value, f"{name}.{attribute}")


def _codes(function: Any) -> Iterator[tuple[FunctionType, CodeType]]:
    """The code of a function, and of what it is wrapped around."""
    while isinstance(function, FunctionType):
        yield function, function.__code__
        function = getattr(function, "__wrapped__", None)
