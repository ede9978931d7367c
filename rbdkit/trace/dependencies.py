"""Dependency analysis of a user's code: everything other than its arguments that can change what it computes.

The compiler records a function once and reuses the code. That is right as long as nothing changes that the function
reads: globals, closure cells, default arguments, attributes, base classes, modules, containers and arrays. One
breadth-first walk from the function over all of these answers three questions:

- Is it pure, or does it keep something between calls (`Dependencies.impure`)? See `rbdkit.trace.captures`.
- Is everything still as it was when the code was made (`Dependencies.guard`)? Asked at every call.
- Is it the same in another process (`Dependencies.digest`)? The key of the code cache on disk.

Modules are not walked as a whole: of a user's module only those names count that some code on the way asks for, so
they are looked up last, when the names are known. Libraries and the standard library count by name and version.
"""

from __future__ import annotations

import hashlib
import importlib.util
import operator
import pickle
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.captures import (
    CHANGES,
    HARMLESS,
    KEEPS,
    KINDS,
    LIBRARIES,
    WRITTEN_IN_PYTHON,
    Impure,
    builtins_of,
    home_of,
    is_of_python,
    module_of,
    not_known,
    of_a_class,
    steps_of,
)
from rbdkit.trace.dependency_guard import NO_CODE, PLAIN, Guard

CONTAINERS = (tuple, list, set, frozenset, dict)
PURE_PARTS = frozenset({"abc", "builtins", "collections", "dataclasses", "enum", "numbers", "reprlib", "typing"})
"""Standard modules that provide base classes and decorators; their functions have no side effects."""
NEVER_CALLED = frozenset({
    "__class_getitem__", "__delattr__", "__getnewargs__", "__getstate__", "__hash__", "__init__", "__init_subclass__",
    "__new__", "__post_init__", "__reduce__", "__reduce_ex__", "__repr__", "__set_name__", "__setattr__",
    "__setstate__",
})  # fmt: skip
"""Methods that are called when objects are made, not while they compute: these may write to attributes."""
WORLD = frozenset({
    "datetime64", "fromfile", "fromregex", "genfromtxt", "geterr", "geterrcall", "load", "loadtxt", "memmap",
    "open_memmap", "save", "savetxt", "savez", "savez_compressed", "seterr", "seterrcall", "tofile",
})  # fmt: skip
"""Names of NumPy that read or change global state or files."""
UNFOLLOWED = frozenset({"__import__", "eval", "exec", "globals", "input", "locals", "open"})
"""Builtins that may read anything; which, no walk can tell."""
UNFOLLOWED_NAMES = {"numpy": WORLD - {"save", "savetxt", "savez", "savez_compressed", "tofile"}} | {
    "builtins": UNFOLLOWED, "io": {"open"}, "os": {"environ", "getenv", "open"}, "sys": {"modules"}
}  # fmt: skip
"""Names of modules by which code reads what no walk can follow."""
BY_TEXT = frozenset({"__dict__", "__getattribute__", "attrgetter", "dir", "getattr", "methodcaller", "vars"})
"""Names by which code reads attributes whose names it may put together; then all of a user's module counts."""
READS_FILES = frozenset({"read_bytes", "read_text"})
"""Methods, of paths, that read files."""
GETTERS = operator.attrgetter, operator.itemgetter, operator.methodcaller
READERS = dir, getattr, vars, operator.attrgetter, operator.methodcaller
PACKAGES = ("dist-packages", "site-packages")
"""Folders of installed packages, in whichever environment."""
MOST = 20_000
"""Largest number of values that a walk visits; to watch more would slow down every call."""
_EXAMINED = (types.FunctionType, np.ndarray, *CONTAINERS)
_FUNCTION = "__code__", "__defaults__", "__kwdefaults__"


class Dependencies:
    """Dependencies of functions, classes and objects, other than their arguments.

    Parameters
    ----------
    things : the functions, classes and objects to start from, by name.
    constants : types of objects that are taken as they are, each with the names of the attributes that can change.
    objects : classes whose objects are examined; other objects are `unknown`. None examines all objects, as a digest
        needs; installed packages then count by name and version.
    most : largest number of values to visit.

    Attributes
    ----------
    impure : description of a side effect that was found; "" if none was.
    unfollowed : description of something that is read and not visited, as a file; "" if nothing was found.
    unknown : dependencies that cannot be examined, by name.
    arrays : arrays that are used.
    stored : names of globals and attributes that the code writes to.
    of_users : whether code outside of the libraries was found.
    too_many : whether the walk was ended by `most`.
    """

    def __init__(
        self,
        things: Mapping[str, Any],
        constants: Mapping[type, tuple[str, ...]] | None = None,
        objects: tuple[type, ...] | None = (),
        most: int = MOST,
    ) -> None:
        self.constants, self.objects = constants or {}, objects
        self.impure = self.unfollowed = ""
        self.unknown: dict[str, Any] = {}
        self.too_many = False
        self.arrays: list[NDArray] = []
        self.stored: set[str] = set()
        self.of_users = False
        self.guard = Guard()
        self._said: list[tuple[str, Any]] = []
        self._number: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no other object gets their id
        self._waiting: deque[tuple[str, Any]] = deque(things.items())
        self._names: set[str] = set()
        self._by_text = False
        self._modules: dict[int, tuple[types.ModuleType, set[str]]] = {}
        while self._waiting:
            name, value = self._waiting.popleft()
            self._look_at(name, value)
            if len(self._alive) > most:
                self.unknown["it"], self.too_many = f"more than {most} values", True
                break
            if not self._waiting:
                # last of all: by now the code that was found has named all that it asks of modules
                self._look_into_modules()

    def require_pure(self) -> None:
        """Raise `Impure` if there may be side effects, or a dependency that cannot be examined."""
        if self.impure:
            raise Impure(self.impure)
        for name, value in self.unknown.items():
            raise Impure(not_known(name, value))

    def may_change(self, other: Guard) -> bool:
        """Whether this code may change something that a guard watches: by a stored name, or by a shared container."""
        return bool(self.stored & other.names()) or self.guard.shares(other)

    def digest(self, told: Callable[[Any], bytes | None] = lambda value: None) -> str:
        """Return a hash that is equal in all processes for equal code and data, and different otherwise.

        told : gives the bytes that stand for an object which cannot be examined, or for one of the constants; None to
        pickle it.

        Raises
        ------
        Impure
            If a value cannot be compared with that of another process.
        """
        found = hashlib.sha256()
        for kind, value in self._said:
            found.update(f"<{kind}>".encode() + _as_bytes(kind, value, told))
        return found.hexdigest()

    # --- the walk -----------------------------------------------------------------------------------------------------

    def _say(self, kind: str, value: Any) -> None:
        self._said.append((kind, value))

    def _later(self, name: str, value: Any) -> None:
        self._waiting.append((name, value))

    def _look_at(self, name: str, value: Any) -> None:
        self._say("name", name)
        if type(value) in PLAIN or (isinstance(value, np.generic) and type(value).__module__ == "numpy"):
            self._say("plain", value)
            return
        if (number := self._number.get(id(value))) is not None:
            # by its number in the walk and not its id, so that digests agree between processes
            self._say("again", number)
            return
        self._number[id(value)] = len(self._number)
        self._alive.append(value)
        watched = next((names for kind, names in self.constants.items() if isinstance(value, kind)), None)
        if watched is not None:
            self._say("constant", value)
            if watched:
                self.guard.watch_attributes(value, *watched)
        elif isinstance(value, np.ndarray):
            self._array(name, value)
        elif isinstance(value, CONTAINERS):
            self._container(name, value)
        elif isinstance(value, bool | int | float | complex | str | bytes):  # of a class made from one of these
            self._say("plain", value)
            self._object(name, value)
        elif isinstance(value, types.ModuleType):
            self._module(name, value)
        elif isinstance(value, types.FunctionType):
            self._function(name, value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, partial):
            self._say("partial", "")
            for part, x in (("func", value.func), ("args", value.args), ("keywords", value.keywords)):
                self._later(f"{name}.{part}", x)
        elif isinstance(value, staticmethod | classmethod):
            self._later(name, value.__func__)
        elif isinstance(value, property):
            for accessor in (value.fget, value.fset, value.fdel):
                self._later(name, accessor)
        elif isinstance(value, cached_property):
            self._later(name, value.func)
        elif isinstance(value, GETTERS):
            self._getter(name, value)
        elif any(value is reader for reader in READERS):  # as in ``partial(getattr, module, "gain")``
            self._by_text = True
            self._not_known(name, value)
        elif isinstance(value, np.vectorize):
            self._say("vectorize", "")
            self.guard.watch_attributes(value, "pyfunc")
            self._later(name, value.pyfunc)
        elif isinstance(value, types.MethodType) and self._looks_into(value.__self__):
            self._later(name, value.__self__)
            self._later(name, value.__func__)
        elif parts := getattr(type(value), "made_of", ()):  # objects that take symbols are what they were made of
            self._say("made", type(value).__qualname__)
            for part in parts:
                self._later(f"{name}.{part}", getattr(value, part))
        elif _is_of_library(value):
            self._say(
                "library",
                f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}",
            )
            if not isinstance(value, np.ufunc) and not _is_function(value):
                self._fields(name, value)
        elif self._looks_into(value):
            self._object(name, value)
        else:
            self._not_known(name, value)

    def _looks_into(self, value: Any) -> bool:
        if self.objects is None:
            return not isinstance(value, types.MethodType) and (
                hasattr(value, "__dict__") or any(map(_slots, type(value).__mro__))
            )
        return isinstance(value, self.objects)

    def _is_no_users(self, module: str) -> bool:
        """Whether the contents of a module are not examined because it belongs to a library."""
        root = module.split(".")[0]
        return root in LIBRARIES or (self.objects is None and _installed(root))

    def _getter(self, name: str, value: Any) -> None:
        """Visit an object that reads attributes or entries, or calls methods, of what it is given."""
        made, given, *_ = value.__reduce__()
        self._say("getter", type(value).__name__)
        if not isinstance(value, operator.itemgetter):
            called = made.args if isinstance(made, partial) else given  # a partial holds a method and its keywords
            paths = called[:1] if isinstance(value, operator.methodcaller) else given
            self._names.update(part for path in paths for part in path.split("."))
        for part, x in (("func", made), ("args", given)):
            if part == "args" or isinstance(made, partial):
                self._later(f"{name}.{part}", x)

    def _array(self, name: str, value: NDArray) -> None:
        if value.dtype.hasobject:
            self._not_known(name, value)
            return
        self._say("array", value)
        self.arrays.append(value)
        self.guard.watch_array(value)
        if type(value) is not np.ndarray:
            self._later(f"type of {name}", type(value))

    def _container(self, name: str, value: Any) -> None:
        self._say(type(value).__name__, str(len(value)))
        if isinstance(value, list | dict | set):
            self.guard.watch_container(value)
        inside: Iterable[Any] = value
        if isinstance(value, dict):
            inside = (x for pair in value.items() for x in pair)
        elif isinstance(value, set | frozenset):
            # the order of a set differs from process to process (strings hash at random)
            inside = sorted(value, key=repr)
        for x in inside:
            if type(x) in PLAIN:
                self._say("plain", x)
            else:
                self._later(name, x)
        if type(value) not in CONTAINERS:
            self._object(name, value)

    def _module(self, name: str, module: types.ModuleType) -> None:
        self._say("module", f"{module.__name__} {vars(module).get('__version__', '')}")
        if module.__name__.startswith("numpy.random"):
            self._found_impure("it draws random numbers")
        elif not self._is_no_users(module.__name__):
            self._modules[id(module)] = module, set()
            if "__getattr__" in vars(module):
                # such a module makes up its members when they are asked for
                self._not_known(name, module)

    def _look_into_modules(self) -> None:
        """Visit the members of a user's modules that some code asks for by name, or by a text that may be any."""
        for module, known in self._modules.values():
            space = vars(module)
            by_text: set[str] = set()
            if self._by_text and not _installed(module.__name__.split(".")[0]):
                # __name__ and its like say where a module is from, not what it computes
                by_text = {name for name in space.copy() if not name.startswith("__")} - self._names
            for name in sorted((self._names | by_text) - known):
                known.add(name)
                if name in space:
                    self.guard.watch_items(space, {name: space[name]}, id(space))
                    # what is not surely read does not stand in the way of compiling; a digest has to tell all
                    if name not in by_text or self.objects is None or isinstance(space[name], _EXAMINED):
                        self._later(name, space[name])

    def _function(self, name: str, function: types.FunctionType) -> None:
        home = str(function.__globals__.get("__name__", "")).split(".")[0]
        if home in PURE_PARTS or self._is_no_users(home):
            self._say("library", f"{function.__module__}.{function.__qualname__} {_version(home)}")
            for cell in function.__closure__ or ():  # what a library made may hold what a user gave it
                with_content = _content(cell)
                if callable(with_content) or self.objects is None:
                    self.guard.watch_cell(cell)
                    self._later(name, with_content)
            return
        code, self.of_users = function.__code__, True
        self._say("code", code)
        self.guard.watch_attributes(function, *_FUNCTION)
        if function.__kwdefaults__:
            self.guard.watch_container(function.__kwdefaults__)
        outside = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        values: dict[str, Any] = {}
        for own, cell in outside.items():
            values[own] = _content(cell)
            if values[own] is not _NOTHING:
                self.guard.watch_cell(cell)
            elif own != "__class__":
                self._found_impure(f"{own!r} has no value yet")
        for k, value in enumerate((*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())):
            values[f"default {k + 1}"] = value
        asked, attributes, of_names, imported, stored, why, changes = _read(code, name in NEVER_CALLED)
        self.stored.update(stored)
        if name not in NEVER_CALLED and not BY_TEXT.isdisjoint((*asked, *attributes)):
            self._by_text = True
        for own in asked:
            self._global(function, own, values, name in NEVER_CALLED)
        if why:
            self._found_impure(why)
        for own, attribute in of_names:
            module = values.get(own)
            root = module.__name__.split(".")[0] if isinstance(module, types.ModuleType) else ""
            if root == "numpy" and attribute in WORLD:
                self._found_impure(f"it asks for {own}.{attribute}, which is not told by its arguments")
            if attribute in READS_FILES or attribute in UNFOLLOWED_NAMES.get(root, ()):
                self._found_unfollowed(f"asks for {own}.{attribute}")
        for level, module_name in imported if self.objects is None and name not in NEVER_CALLED else ():
            self._import(function, module_name, level)
        self._names.update(attributes)
        for own, value in values.items():
            if value is _NOTHING:
                continue
            if changes and isinstance(value, list | dict | set):
                self._found_impure(f"it may change {own!r} ({changes})")
            self._later(own, value)
        if function.__dict__:
            self._fields(name, function)

    def _import(self, function: types.FunctionType, name: str, level: int) -> None:
        """Visit what a function imports when it is called; it is imported here if it was not called yet."""
        package = str(function.__globals__.get("__package__") or "")
        try:
            full = importlib.util.resolve_name("." * level + name, package) if level else name
            if self._is_no_users(full):
                self._say("library", f"{full} {_version(full.split('.')[0])}")
                return
            importlib.import_module(full)
        except ImportError:  # as the function will find
            self._say("not there", name)
            return
        for part in {full.split(".")[0]: None, full: None}:
            self._later(part, sys.modules[part])

    def _global(self, function: types.FunctionType, name: str, values: dict[str, Any], never_called: bool) -> None:
        """Look up a global name as a function does: in its module, then among the builtins."""
        space, basic = function.__globals__, builtins_of(function)
        if name in space:
            self.guard.watch_items(space, {name: space[name]}, id(space))
            values[name] = space[name]
            if name in UNFOLLOWED and not never_called and self._is_no_users(module_of(space[name])):
                self._found_unfollowed(f"calls {name!r}")  # notebooks have an ``open`` of IPython
            return
        self.guard.watch_absent(space, name)
        if name in basic:
            self.guard.watch_items(basic, {name: basic[name]}, id(basic))
            if not is_of_python(basic[name]):  # somebody put it there, as a notebook's kernel or a user
                values[name] = basic[name]
                return
            if name not in HARMLESS and not never_called:
                self._found_impure(f"it calls {name!r}")
            if name in UNFOLLOWED and not never_called:
                self._found_unfollowed(f"calls {name!r}")
        elif not never_called:
            self._found_impure(f"{name!r} has no value yet")

    def _class(self, cls: type) -> None:
        home = home_of(cls)
        module = cls.__module__ if home else ""
        self._say("class", f"{module}.{cls.__qualname__} {_version(home) if self._is_no_users(home) else ''}")
        if home in PURE_PARTS or self._is_no_users(home):
            return
        if not cls.__flags__ & WRITTEN_IN_PYTHON:
            self._not_known(cls.__name__, cls)
            return
        own = {name: x for name, x in vars(cls).copy().items() if name not in NO_CODE}
        self.guard.watch_items(vars(cls), own, id(cls), whole=True)
        # ``cls.__bases__`` can be assigned to
        self.guard.watch_attributes(cls, "__mro__")
        for base in (*cls.__mro__[1:], type(cls)):
            self._later(base.__name__, base)
        made = bool(self.objects) and issubclass(cls, self.objects or ())  # objects of it are there already
        for name in sorted(own):
            member = own[name]
            if made and name in NEVER_CALLED:
                continue
            if hasattr(member, "__get__") and not isinstance(
                member, types.FunctionType | staticmethod | classmethod | property | cached_property | type
            ):
                self._not_known(name, member)
            else:
                self._later(name, member)

    def _object(self, name: str, value: Any) -> None:
        """Visit an object: its class and its attributes."""
        self._later(type(value).__name__, type(value))
        self._fields(name, value)

    def _fields(self, name: str, value: Any) -> None:
        if isinstance(own := getattr(value, "__dict__", None), dict):
            # a cached property adds an entry at its first use, which changes no result
            of_classes = (x for cls in type(value).__mro__ for x in vars(cls).copy().values())
            grows = any(isinstance(x, cached_property) for x in of_classes)
            self.guard.watch_items(own, dict(own), id(own), whole=not grows)
            for field in sorted(own, key=str):
                self._later(str(field), own[field])
        slots = {slot for cls in type(value).__mro__ for slot in _slots(cls)} - {"__dict__", "__weakref__"}
        for slot in sorted(slot for slot in slots if hasattr(value, slot)):
            self.guard.watch_attributes(value, slot)
            self._later(slot, getattr(value, slot))

    def _found_impure(self, why: str) -> None:
        self.impure = self.impure or why

    def _found_unfollowed(self, what: str) -> None:
        why = f"it {what}, and nobody can tell what that reads; read it before, into a variable"
        self.unfollowed = self.unfollowed or why

    def _not_known(self, name: str, value: Any) -> None:
        self.unknown.setdefault(name, value)
        self._say("unknown", value)


_NOTHING = object()
"""The content of an empty cell."""


@lru_cache(maxsize=1024)
def _installed(root: str) -> bool:
    """Whether a module belongs to Python or to an installed package, which users do not edit."""
    if root in sys.stdlib_module_names:
        return True
    module = sys.modules.get(root)
    files = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    places = {Path(place) for key, place in sysconfig.get_paths().items() if key in ("purelib", "platlib")}
    above = {parent for file in files if file for parent in Path(file).parents}
    return bool(places & above) or any(parent.name in PACKAGES for parent in above)  # environments on top of others


def _version(root: str) -> str:
    return str(getattr(sys.modules.get(root), "__version__", ""))


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _NOTHING


def _slots(cls: type) -> tuple[str, ...]:
    own = vars(cls).get("__slots__", ())
    return (own,) if isinstance(own, str) else tuple(own)


class _Read(NamedTuple):
    """Facts read from the bytecode of a function.

    asked, attributes : names of globals and attributes that it loads, and texts that may be such. of_names : pairs of a
    global and an attribute that may read anything. imported : modules, each with the number of dots before it. stored :
    names that it writes to. why : description of a side effect. changes : how it may change a container.
    """

    asked: tuple[str, ...]
    attributes: tuple[str, ...]
    of_names: tuple[tuple[str, str], ...]
    imported: tuple[tuple[int, str], ...]
    stored: tuple[str, ...]
    why: str
    changes: str


@lru_cache(maxsize=1024)
def _read(code: types.CodeType, never_called: bool) -> _Read:
    outside, why, changes, before = set(code.co_freevars), "", "", ""
    asked: dict[str, None] = {}
    attributes: dict[str, None] = {}
    of_names: list[tuple[str, str]] = []
    imported: list[tuple[int, str]] = []
    stored: list[str] = []
    last: deque[Any] = deque([0, 0], maxlen=2)  # constants: before an import, its number of dots and its names
    for step in steps_of(code):
        if step.opname == "IMPORT_NAME":
            imported.append((last[0], step.argval))
        elif step.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
            last.append(step.argval)
            parts = step.argval.split(".") if isinstance(step.argval, str) else ()
            if parts and all(map(str.isidentifier, parts)):
                attributes |= dict.fromkeys(parts)  # as in ``getattr(module, "gain")``
        elif step.opname == "IMPORT_FROM":
            attributes[step.argval] = None
        keeps = step.opname in KEEPS or (step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in outside)
        if keeps:
            stored.append(step.argval)
        if keeps and not why and not never_called:
            why = f"it keeps or imports {step.argval!r}"
        if step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") or step.argval in CHANGES:
            changes = str(step.argval or "an assignment")
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            if step.opname != "LOAD_DEREF":
                asked[step.argval] = None
            # ``np.load`` is two instructions, LOAD_GLOBAL np and LOAD_ATTR load: the name before an attribute tells
            # whose it is
            before = step.argval
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            attributes[step.argval] = None
            if step.argval in ("random", "random_q") and not why:
                why = "it draws random numbers"
            elif step.argval in KINDS and not why and not never_called:
                why = f"it asks of what kind a number is ({step.argval!r})"
            elif any(step.argval in names for names in (WORLD, READS_FILES, *UNFOLLOWED_NAMES.values())):
                of_names.append((before, step.argval))
    return _Read(tuple(asked), tuple(attributes), tuple(of_names), tuple(imported), tuple(stored), why, changes)


def _as_bytes(kind: str, value: Any, told: Callable[[Any], bytes | None]) -> bytes:
    """Return the bytes by which a value enters a digest."""
    if kind == "array":
        return f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    if kind == "code":
        return _code(value)
    if kind in ("unknown", "constant"):
        if (words := told(value)) is not None:
            return words
        try:
            return pickle.dumps(value, protocol=4)
        except Exception as fault:
            raise Impure(
                f"it uses {of_a_class(value)}, which cannot be compared with that of another process ({fault})"
            ) from fault
    return f"{type(value).__name__} {value!r}".encode()


def _code(code: types.CodeType) -> bytes:
    parts = [
        code.co_code,
        code.co_exceptiontable,
        repr((code.co_names, code.co_varnames, code.co_freevars, code.co_flags)).encode(),
    ]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            parts.append(_code(constant))
        else:
            # ``x in {"a", "b"}`` compiles to a frozenset, whose order differs between processes
            words = sorted(map(repr, constant)) if isinstance(constant, frozenset) else repr(constant)
            parts.append(f"{type(constant).__name__} {words}".encode())
    return b"\0".join(parts)


def _is_of_library(value: Any) -> bool:
    """Whether a value is a function of the libraries that compute and do nothing else, or an object that they call."""
    if isinstance(value, np.ufunc):
        return getattr(np, value.__name__, None) is value
    home = getattr(value, "__module__", None) or ""
    known = isinstance(home, str) and home.split(".")[0] in LIBRARIES
    return callable(value) and known and not hasattr(value, "__self__")


def _is_function(value: Any) -> bool:
    return type(value).__name__ in ("builtin_function_or_method", "_ArrayFunctionDispatcher", "function")
