"""Methods of results that print a hint on how to call them if written without parentheses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def asked(method: Method) -> Method:
    """Decorate a method so that ``print(motion.energy)`` says how to call it instead of printing the whole report."""
    return cast(Method, _Asked(method))


class _Asked(Generic[Method]):
    """Descriptor of a decorated method; looked up on the class it gives the plain function."""

    def __init__(self, function: Method) -> None:
        self._function = function

    def __get__(self, result: Any, kind: type) -> Any:
        return self._function if result is None else _Bound(self._function, result)


class _Bound(partial):  # Python's own kind of bound method refuses to be a base class
    """A bound method of a result, with a helpful repr and AttributeError."""

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.func.__doc__

    @property
    def __name__(self) -> str:
        return self.func.__name__

    def __repr__(self) -> str:
        return f"<{self.__name__} is a method of {type(self.args[0]).__name__}; call it: .{self.__name__}()>"

    def __getattr__(self, name: str) -> Any:
        name_here, kind = self.func.__name__, type(self.args[0]).__name__
        raise AttributeError(
            f"{name_here!r} is a method of {kind}; call it, .{name_here}(): before, it has no {name!r}"
        )
