"""Source tracing: plain NumPy code of a user, made to run on symbols without being changed.

``T = np.zeros((4, 4)); T[0, 3] = np.cos(q[0])`` cannot run on symbols, since an array of floats cannot hold one. So the
function is copied: the copy has the same code object and other globals, in which ``np`` and ``math`` are replaced by
modules whose arrays can hold symbols (`Roomy`), and the functions, classes and objects that it uses by copies of the
same kind, recursively (`Copies`). The originals are never touched.

A trace is right only for pure code. So whatever may keep something between calls, print or read the outside world is
replaced by a `_Refusal` that raises `Impure` when it is used: many functions mention things that a given call never
reaches, and only those that are reached matter.
"""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable, Mapping
from functools import cache, cached_property, lru_cache, partial, wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.arrays import Symbols, as_numbers, symbols
from rbdkit.trace.captures import (
    HARMLESS,
    KEEPS,
    LIBRARIES,
    Impure,
    builtins_of,
    home_of,
    is_of_python,
    not_known,
    steps_of,
)
from rbdkit.trace.graph import Symbol
from rbdkit.trace.linear import LINEAR

PLAIN = bool | int | float | complex | str | bytes | None | np.generic
OWN_BUILTINS = HARMLESS | {
    "super", "object", "property", "staticmethod", "classmethod", "getattr", "hasattr", "callable", "repr", "type",
    "round", "complex", "str", "frozenset", "set", "iter", "next", "NotImplemented", "NotImplementedError",
    "ArithmeticError", "AssertionError", "AttributeError", "IndexError", "KeyError", "Exception", "RuntimeError",
    "True", "False", "None", "Ellipsis", "__build_class__", "__debug__",
}  # fmt: skip
"""Builtins that a user's code may use: those without side effects."""
CONTAINERS = (tuple, list, set, frozenset, dict)


class Roomy(Symbols):
    """Symbolic array for plain NumPy code: 0-d results stay arrays, as NumPy scalars can be indexed with ``None``."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "__call__" and ufunc in OF_MATRICES and (known := _known_to_graph(ufunc, *inputs)) is not None:
            for out in options.get("out", ()):
                out[...] = known
                return out
            return known
        result = super().__array_ufunc__(ufunc, method, *inputs, **options)
        if isinstance(result, Symbol):
            scalar = method == "__call__" and any(isinstance(x, Roomy) and x.ndim == 0 for x in inputs)
            return roomy(result) if scalar else result
        return roomy(result) if isinstance(result, Symbols) else result


OF_MATRICES = {np.matmul, np.add, np.subtract}
"""Operations that a graph with structured matrices (`Graph.matrices`) may take over."""


def _known_to_graph(ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """Return what the graph of two arrays computes for a matrix operation (`Graph.matrices`); None without a rule."""
    if np.ndim(a) != 2:
        return None
    for x in (a, b):
        for element in x.flat if isinstance(x, np.ndarray) and x.dtype == object else ():
            if isinstance(element, Symbol):
                return None if element.graph.matrices is None else element.graph.matrices(ufunc, a, b)
    return None


def roomy(values: Any) -> Any:
    """Return values as a symbolic array for plain NumPy code."""
    return symbols(values).view(Roomy)


class Copies:
    """Traced copies of functions, classes and objects, which run on symbols.

    Parameters
    ----------
    base : class whose subclasses and objects are copied; other classes stay as they are.
    instead : functions that need values of numbers, and their replacements.
    constants : types of immutable objects, which stay as they are.
    as_they_are : names of modules whose functions take symbols without being copied.
    called : wraps those functions.
    """

    def __init__(
        self,
        base: type,
        instead: Mapping[Any, Callable[..., Any]] | None = None,
        constants: tuple[type, ...] = (),
        as_they_are: tuple[str, ...] = (),
        called: Callable[[types.FunctionType], Any] = lambda function: function,
    ) -> None:
        self._base, self._constants, self._as_they_are, self._called = base, constants, as_they_are, called
        self._known: dict[int, Any] = {id(original): other for original, other in (instead or {}).items()}
        self._originals: list[Any] = []  # so that no other object gets their id
        self._numpy, self._math = _Numpy(np), _Math()

    def of(self, value: Any, name: str = "it") -> Any:
        """Return the traced copy of a value, or the value itself where that will do. name : its name in messages.

        Raises
        ------
        Impure
            If it is an object that may keep something between calls.
        """
        if (known := self._known.get(id(value))) is not None:
            return known
        if isinstance(value, (PLAIN, *self._constants)) or hasattr(type(value), "made_of"):
            return value
        if isinstance(value, types.ModuleType):
            return self._module(value)
        if isinstance(value, type):
            return self._class(value) if issubclass(value, self._base) else value
        if isinstance(value, types.FunctionType):
            return self._called(value) if value.__module__ in self._as_they_are else self._function(value)
        if isinstance(value, partial):
            return partial(self.of(value.func), *self.of(value.args), **self.of(value.keywords))
        if isinstance(value, self._base):
            return self._object(value)
        if isinstance(value, np.ndarray) and value.dtype != object:
            # whole numbers and truth values are places, sizes and masks, which code may need to know
            if value.dtype.kind != "f":
                return value
            copied = roomy(value)
            copied.flags.writeable = False  # what is written to it would be there in the next call
            return copied
        if isinstance(value, tuple | list | set | frozenset):
            return type(value)(self.of(x, name) for x in value)
        if isinstance(value, dict):
            return {key: self.of(x, name) for key, x in value.items()}
        if isinstance(value, np.ufunc) or _is_function(value):
            home = _home(value)
            if home == "numpy":
                return self._numpy.wrapped(value)
            if home == "math":
                return getattr(self._math, value.__name__)
            if home in (*LIBRARIES, "_operator", "builtins"):
                return value
        raise Impure(not_known(name, value))

    def _remember(self, value: Any, made: Any) -> Any:
        self._known[id(value)] = made
        self._originals.append(value)
        return made

    def _module(self, module: types.ModuleType) -> Any:
        root = module.__name__.split(".")[0]
        if root == "numpy":
            return self._remember(module, self._numpy if module is np else _Numpy(module))
        if module is math:
            return self._math
        return self._remember(module, _Module(self, module, root != "rbdkit"))

    def part(self, module: types.ModuleType, name: str, users: bool) -> Any:
        """Return the traced copy of a member of a module."""
        return self._given(getattr(module, name), name, users)

    def _object(self, value: Any) -> Any:
        made = self._remember(value, object.__new__(self._class(type(value))))
        vars(made).update({key: self.of(x, f"self.{key}") for key, x in vars(value).copy().items()})
        return made

    def _class(self, cls: type) -> type:
        """Return the copy of a class: with copied functions and copied base classes."""
        if (known := self._known.get(id(cls))) is not None:
            return known
        if not issubclass(cls, self._base) and home_of(cls) in ("abc", "typing", "builtins"):
            return cls
        # ``super()`` without arguments reads its class from the cell ``__class__``, which has to hold the copy
        cell = types.CellType()
        bases = tuple(self._class(base) for base in cls.__bases__)
        members = {
            name: self._member(member, cell)
            for name, member in vars(cls).copy().items()
            if name not in ("__dict__", "__weakref__", "__init_subclass__", "__abstractmethods__", "_abc_impl")
        }
        if home_of(cls) not in LIBRARIES:
            own = {name: x for name, x in vars(cls).copy().items() if not name.startswith("__")}
            members |= {
                name: self.of(x, name) for name, x in own.items() if type(x) in CONTAINERS and not _is_constant(x)
            }
        made = _plain_class(type(cls), cls.__name__, bases, members)
        cell.cell_contents = made
        return self._remember(cls, made)

    def _member(self, member: Any, cell: types.CellType) -> Any:
        if isinstance(member, types.FunctionType):
            return self._function(member, cell)
        if isinstance(member, staticmethod | classmethod):
            return type(member)(self._member(member.__func__, cell))
        if isinstance(member, property):
            return property(*(f if f is None else self._member(f, cell) for f in (member.fget, member.fset)))
        if isinstance(member, cached_property):
            # not cached: a value from one trace would be found in the next
            return property(self._member(member.func, cell))
        return self.of(member) if isinstance(member, np.ndarray) else member

    def _function(self, function: types.FunctionType, own_class: types.CellType | None = None) -> types.FunctionType:
        """Return the copy of a function: same code, other globals. own_class : cell of ``__class__`` in a method."""
        if (known := self._known.get(id(function))) is not None:
            return known
        code = function.__code__
        users = _home(function) not in LIBRARIES
        if users and (why := _keeps(code)) and function.__name__ not in ("__init__", "__setattr__"):
            return self._remember(function, _refusing(f"its {function.__name__} {why}"))
        made_globals: dict[str, Any] = {"__builtins__": _builtins(users), "__name__": function.__module__}
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        closure = tuple(
            own_class if name == "__class__" and own_class is not None else types.CellType() for name in cells
        )
        made = types.FunctionType(code, made_globals, function.__name__, None, closure)
        self._remember(function, made)  # it may call itself
        made.__defaults__ = self.of(function.__defaults__) if function.__defaults__ else None
        made.__kwdefaults__ = self.of(function.__kwdefaults__) if function.__kwdefaults__ else None
        for name in _names(code):
            if name in function.__globals__:
                made_globals[name] = self._given(function.__globals__[name], name, users)
            elif name in (basic := builtins_of(function)) and not is_of_python(basic[name]):
                made_globals[name] = self._given(basic[name], name, users)
        for (name, cell), there in zip(cells.items(), closure, strict=True):
            if there is not own_class:
                there.cell_contents = self._given(cell.cell_contents, name, users)
        return made

    def _given(self, value: Any, name: str, users: bool) -> Any:
        """Return a copy, or a refusal that raises when used: functions mention things that a call never reaches."""
        if users and isinstance(value, list | dict | set):
            return _refusing(
                f"it uses {name!r}, which can change; make it a tuple or an array, or an attribute of a joint"
            )
        try:
            return self.of(value, name)
        except Impure as fault:
            return _refusing(str(fault))


def _is_constant(value: Any) -> bool:
    """Whether a value cannot be changed in place."""
    return isinstance(value, PLAIN) or (type(value) in (tuple, frozenset) and all(map(_is_constant, value)))


def _plain_class(meta: type, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> type:
    """Make a class without running the ``__init_subclass__`` of its bases."""
    quiet = types.new_class("Quiet", (), {}, lambda own: own.update(__init_subclass__=classmethod(lambda cls: None)))
    made = meta(name, (quiet, *bases) if bases != (object,) else (quiet,), members)
    return made


class _Refusal:
    """Stand-in for something that traced code must not use: any use of it raises `Impure` with the reason."""

    def __init__(self, why: str) -> None:
        object.__setattr__(self, "_why", why)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise Impure(object.__getattribute__(self, "_why"))

    __call__ = __getattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __float__ = __index__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _refuse
    __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = _refuse
    __array_ufunc__ = __array__ = __setitem__ = _refuse


def _refusing(why: str) -> Any:
    return _Refusal(why)


@lru_cache(maxsize=1024)
def _keeps(code: types.CodeType) -> str:
    """Describe how a function keeps something between calls; "" if it does not."""
    outside = set(code.co_freevars)
    for step in steps_of(code):
        if step.opname in KEEPS or (step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in outside):
            return f"keeps or imports {step.argval!r}"
        if step.argval == "random" and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            return "draws random numbers"
    return ""


@lru_cache(maxsize=1024)
def _names(code: types.CodeType) -> tuple[str, ...]:
    """Return the names that a function may look up among its globals."""
    asked = (step.argval for step in steps_of(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    return tuple(dict.fromkeys(asked))


def _is_function(value: Any) -> bool:
    """Whether a value is a function, and not a method of an object."""
    bound = getattr(value, "__self__", None)
    return callable(value) and hasattr(value, "__name__") and (bound is None or isinstance(bound, types.ModuleType))


def _home(value: Any) -> str:
    """Return the top-level package that a function or class comes from."""
    home = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return str(home).split(".")[0]


@cache
def _builtins(users: bool) -> dict[str, Any]:
    """Return the builtins of a traced copy. users : whether it is a user's code, for which impure ones refuse."""
    found = {
        name: value if not users or name in OWN_BUILTINS or name.startswith("__") else _refusing(f"it calls {name!r}")
        for name, value in vars(builtins).copy().items()
        if is_of_python(value) or name.startswith("__")
    }
    return found | {"float": _Float}


class _AnyFloat(type):
    """Metaclass of a `float` whose calls leave symbols unchanged."""

    def __call__(cls, x: Any = 0.0) -> Any:
        if isinstance(x, np.ndarray):
            x = _value(x)
        return as_numbers(x) if isinstance(x, Symbol) else float(x)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, float)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, float)


class _Float(metaclass=_AnyFloat):
    pass


def _value(x: NDArray) -> Any:
    """Return the only number of an array."""
    (number,) = x.ravel().tolist()
    return number


class _Module:
    """Stand-in for a module, whose members are copied on first use. users : whether it may be a user's."""

    def __init__(self, copies: Copies, module: types.ModuleType, users: bool) -> None:
        self._copies, self._module, self._users = copies, module, users

    def __getattr__(self, name: str) -> Any:
        return self._copies.part(self._module, name, self._users)


NUMPYS = {
    **{name: name for name in (
        "sin", "cos", "tan", "sqrt", "cbrt", "hypot", "floor", "ceil", "trunc", "fabs", "fmod", "copysign",
        "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sinh", "cosh", "tanh", "radians", "degrees",
    )},
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
}  # fmt: skip
"""Functions of the module `math`, and their names in NumPy."""


class _Math:
    """Stand-in for the module `math`, whose functions take symbols."""

    def __getattr__(self, name: str) -> Any:
        original = getattr(math, name)
        if name not in NUMPYS:
            return original
        other = getattr(np, NUMPYS[name])

        def on_symbols(*given: Any) -> Any:
            numbers = [_AnyFloat.__call__(_Float, x) for x in given]
            if name == "log" and len(numbers) == 2:  # NumPy takes no base
                return on_symbols(numbers[0]) / on_symbols(numbers[1])
            return other(*numbers) if any(isinstance(x, Symbol) for x in numbers) else original(*numbers)

        return on_symbols


class _Numpy:
    """Stand-in for NumPy or a submodule, whose new arrays can hold symbols."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, types.ModuleType):
            return _Numpy(found)
        if found is np.finfo:
            return lambda kind: np.finfo(float if kind is _Float else kind)
        if isinstance(found, type) or not callable(found):
            return found
        return self.wrapped(found)

    def wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function of NumPy: on numbers it is NumPy's, on symbols it is recorded if possible."""

        @wraps(function)
        def on_symbols(*given: Any, **options: Any) -> Any:
            if not _hold_symbols((given, options)):
                return _with_room(function(*_floats(given), **_floats(options)))
            if function is np.sinc:
                return _sinc(*given)
            if function in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray):
                made, kind = roomy(np.array(given[0], dtype=object)), options.get("dtype", given[1:2] or None)
                kind = kind[0] if isinstance(kind, tuple) else kind
                return made if kind in (None, object) else made.astype(float if kind is _Float else kind)
            if isinstance(function, np.ufunc):  # it knows no lists of symbols
                given = tuple(roomy(x) if isinstance(x, tuple | list) else x for x in given)
            result = LINEAR.get(function, function)(*given, **options)
            arrays = isinstance(result, np.ndarray) and result.dtype == object
            return (
                roomy(result) if arrays or (isinstance(result, Symbol) and isinstance(function, np.ufunc)) else result
            )

        return on_symbols


def _sinc(x: Any) -> Any:
    """Record `numpy.sinc` without a case for zero: a tiny number is added under the root, which changes no digit."""
    angle = np.sqrt((np.pi * x) * (np.pi * x) + 1e-200)
    return np.sin(angle) / angle


def _hold_symbols(x: Any) -> bool:
    if isinstance(x, Symbol):
        return True
    if isinstance(x, np.ndarray):
        return x.dtype == object and any(isinstance(y, Symbol) for y in x.flat)
    if isinstance(x, dict):
        return any(map(_hold_symbols, x.values()))
    return isinstance(x, tuple | list) and any(map(_hold_symbols, x))


def _floats(x: Any) -> Any:
    """Convert arguments without symbols to plain float arrays."""
    if isinstance(x, Symbols):
        return np.asarray(x.tolist(), dtype=float).reshape(x.shape)
    if isinstance(x, tuple | list):
        return type(x)(map(_floats, x)) if type(x) in (tuple, list) else x
    if isinstance(x, dict):
        return {key: _floats(y) for key, y in x.items()}
    return float if x is _Float else x


def _with_room(x: Any) -> Any:
    """Convert float arrays in a result to symbolic ones."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return roomy(x)
    return type(x)(map(_with_room, x)) if type(x) in (tuple, list) else x
