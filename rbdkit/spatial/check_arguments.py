"""Checks of the arguments of public functions and elements against their annotations."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Collection, Mapping
from functools import cache, wraps
from os import PathLike
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, get_args, get_origin

import numpy as np

from rbdkit.errors import ArgumentError, ModelError, RbdkitError
from rbdkit.spatial.read_numbers import finite, floats, number, numbers, shown

P = ParamSpec("P")
T = TypeVar("T")

Test = Callable[[Any], object]
"""Raises `RbdkitError`, with the reason behind the colon, or `_Other`, unless a value fits."""


class _Other(Exception):
    """Internal error that a value is not of the expected kind, without further explanation."""


class _Kind(NamedTuple):
    """One alternative of an annotation: its description for messages, and its test."""

    words: str
    test: Test


def check_arguments(
    error: type[RbdkitError] = ModelError,
    known_as: str = "",
    most: Mapping[str, tuple[int, str]] | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function so that its arguments are checked against their annotations before it runs.

    Numbers, whole numbers, texts, switches, choices, vectors, arrays of numbers and objects of a class are checked,
    also as alternatives (``float | None``). Arguments with any other annotation are left to the function. A call that
    does not fit the signature is Python's to refuse.

    Parameters
    ----------
    error : optional
        Class of the error.
    known_as : str, optional
        Name of the function in messages; its own name if not given.
    most : mapping, optional
        For each argument the largest whole number, and the reason, such as the memory a larger one would take.

    Examples
    --------
    >>> from rbdkit.spatial.check_arguments import check_arguments
    >>> @check_arguments()
    ... def rod(length: float):
    ...     return length
    >>> rod("1 m")
    Traceback (most recent call last):
    rbdkit.errors.ModelError: rod: length = '1 m' must be a number: it is text; convert it first: float('1.5')
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        name = known_as or function.__name__

        @cache  # annotations are read when they are first needed, which most functions of a library never are
        def signature() -> tuple[tuple[str, ...], dict[str, tuple[_Kind, ...]], dict[str, Any]]:
            """Names of arguments by place, what each must be, and defaults."""
            scope = inspect.unwrap(function).__globals__
            every = list(inspect.signature(function).parameters.values())
            by_place = tuple(p.name for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
            single = [p for p in every if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            kinds = {p.name: _kinds(_read(p), scope) for p in single if p.annotation is not p.empty}
            return by_place, {k: own for k, own in kinds.items() if own}, {p.name: p.default for p in single}

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            by_place, kinds, defaults = signature()
            for key, value in (*zip(by_place, args, strict=False), *kwargs.items()):  # more than fits the call refuses
                own = kinds.get(key)
                if own is not None and value is not defaults[key] and not (type(value) is str and own == _NAME):
                    _require(f"{name}: {key}", value, own, error, (most or {}).get(key))
            return function(*args, **kwargs)

        return checked

    return decorate


def answers_keywords(hints: Mapping[str, str]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function so that a keyword that it does not have raises an error that says what to write instead.

    Parameters
    ----------
    hints : mapping of str to str
        What to write instead, by keyword, in small letters; for others the closest of the function's own is named.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def answering(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return function(*args, **kwargs)
            except TypeError:
                own = inspect.signature(function).parameters
                for name in kwargs:
                    if name not in own and (hint := _instead(name, own, hints)):
                        raise ArgumentError(f"{function.__name__} has no argument {name!r}; {hint}") from None
                raise

        return answering

    return decorate


def _instead(name: str, own: Collection[str], hints: Mapping[str, str]) -> str:
    """Return what to write in place of a keyword, '' if that is not known."""
    if name.lower() in hints:
        return hints[name.lower()]
    from difflib import get_close_matches  # imported here since only this error path needs it

    close = get_close_matches(name.lower(), own, n=1, cutoff=0.7)
    return f"did you mean {close[0]!r}?" if close else ""


def _read(parameter: inspect.Parameter) -> str:
    """Its annotation; a seed of random numbers is a whole number that is not negative, or a generator."""
    given = parameter.annotation
    text = given if isinstance(given, str) else inspect.formatannotation(given)  # where annotations are evaluated
    return "seed" if (parameter.name, text) == ("seed", "int") else text


def _require(
    what: str, value: Any, kinds: tuple[_Kind, ...], error: type[RbdkitError], most: tuple[int, str] | None
) -> None:
    """Raise `error` unless the value is of one of the kinds, and a whole number not beyond `most`."""
    if most is not None and type(value) is not bool and isinstance(value, int | np.integer) and value > most[0]:
        raise error(f"{what} = {shown(value)} is more than {most[0]}: {most[1]}")
    why = ""
    if _PATH in kinds and isinstance(value, str) and "\0" in value:
        raise error(f"{what} = {shown(value)} holds a null character, which no name of a file has")
    for kind in kinds:
        try:
            kind.test(value)
        except RbdkitError as fault:
            why = str(fault)
        except _Other:
            pass
        except Exception:  # whatever a foreign object does when it is compared or looked at
            pass
        else:
            return
    words = " or ".join(kind.words for kind in kinds)
    raise error(f"{what} = {shown(value)} must be {words}{why}")


def _kinds(annotation: str, scope: Mapping[str, Any]) -> tuple[_Kind, ...]:
    """The alternatives of an annotation; none if one of them is not understood."""
    kinds = [_kind(part, scope) for part in _alternatives(annotation)]
    return tuple(kind for kind in kinds if kind is not None) if None not in kinds else ()


def _alternatives(annotation: str) -> list[str]:
    """The parts between the bars that stand in no bracket."""
    parts, depth = [""], 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _kind(part: str, scope: Mapping[str, Any]) -> _Kind | None:
    if part in _PLAIN:
        return _PLAIN[part]
    found = scope.get(part.split(".")[0])
    for name in part.split(".")[1:]:
        found = getattr(found, name, None)
    if get_origin(found) is Literal or part.startswith("Literal["):
        choices = get_args(found) if get_origin(found) is Literal else _read_literal(part)
        return _Kind("one of " + ", ".join(map(repr, choices)), lambda value: _fits(_is_one_of(value, choices)))
    if isinstance(found, type) and found is not Any:
        article = "an" if found.__name__[0] in "AEIOU" else "a"
        return _Kind(f"{article} {found.__name__}", lambda value: _require_class(value, found))
    return None


def _require_class(value: Any, kind: type) -> None:
    if isinstance(value, kind):
        return
    if isinstance(getattr(value, "model", None), kind):
        raise ArgumentError("; it has one: give its .model")
    if kind.__name__ == "Model" and isinstance(value, str | PathLike):
        raise ArgumentError(f"; load a file first, rbdkit.load({shown(value)})")
    if isinstance(value, type) and issubclass(value, kind):
        raise ArgumentError(f"; it is a class: give an object, {value.__name__}(...)")
    raise _Other


def _read_literal(part: str) -> tuple[str, ...]:
    return tuple(choice.strip().strip("'\"") for choice in part[len("Literal[") : -1].split(","))


def _is_one_of(value: Any, choices: tuple[Any, ...]) -> bool:
    return isinstance(value, str | int) and value in choices


def _fits(fits: bool) -> None:
    if not fits:
        raise _Other


def _because(value: str) -> str:
    return ""


def _whole(value: Any) -> None:
    _fits(not isinstance(value, bool))
    try:
        operator.index(value)
    except TypeError:
        raise _Other from None


def _seed(value: Any) -> None:
    if not isinstance(value, np.random.Generator):  # `numpy.random.default_rng` takes one for itself
        _whole(value)
        _fits(value >= 0)


def _vector_of(count: int) -> Test:
    return lambda value: numbers(value, (count,), _because)


def _texts(value: Any) -> None:
    if isinstance(value, str):
        raise ArgumentError(f"; for one write [{shown(value)}]")
    _names(
        value
        if isinstance(value, tuple | list)
        else tuple(value)
        if isinstance(value, Collection)
        else ("a generator",)
    )


def _names(value: Any) -> None:
    _fits(isinstance(value, tuple | list) and all(isinstance(x, str) for x in value))


_SWITCH = _Kind("True or False", lambda value: _fits(isinstance(value, bool | np.bool_)))
_TEXT = _Kind("text", lambda value: _fits(isinstance(value, str)))
_NAME = (_TEXT,)
_PATH = _Kind("a path", lambda value: _fits(isinstance(value, PathLike)))
_NUMBERS = _Kind("numbers", lambda value: floats(value, _because))
_PLAIN = {
    "None": _Kind("None", lambda value: _fits(value is None)),
    "float": _Kind("a number", lambda value: number(value, _because)),
    "int": _Kind("a whole number", _whole),
    "seed": _Kind("a whole number, 0 or more, or a numpy.random.Generator", _seed),
    "str": _TEXT,
    "bool": _SWITCH,
    "os.PathLike[str]": _PATH,
    "PathLike[str]": _PATH,
    "ArrayLike": _NUMBERS,
    "NDArray": _NUMBERS,
    "tuple[float, float, float]": _Kind("3 numbers", _vector_of(3)),
    "tuple[float, float]": _Kind("2 numbers", _vector_of(2)),
    "tuple[float, ...]": _Kind("numbers in a row", lambda value: finite(value, _because)),
    "tuple[str, ...]": _Kind("a tuple of texts", _names),
    "Iterable[str]": _Kind("a list of texts", _texts),
    "Sequence[int]": _Kind("whole numbers in a row", lambda value: _fits(finite(value, _because).ndim == 1)),
    "Sequence[float]": _Kind("numbers in a row", lambda value: finite(value, _because)),
}


def require_switch(what: str, value: Any, error: type[RbdkitError] = ModelError) -> None:
    """Raise `error` unless a value is True or False."""
    _require(what, value, (_SWITCH,), error, None)
