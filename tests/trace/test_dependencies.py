"""What a user's code depends on is watched, and told apart in another process."""

import builtins
import functools
import operator
import subprocess
import sys
import types
from itertools import count

import numpy as np
import pytest

from rbdkit.trace import Dependencies, Impure

LEAN = 0.3
TABLE = np.array([0.1, 0.2, 0.3])
GAINS = {"k": [1.0, 2.0]}
LOG = []
MINE = types.ModuleType("mine")
MINE.gain, MINE.inner = 1.0, types.ModuleType("mine.inner")
READS = operator.attrgetter("read_so")
MINE.read_so = 1.0
builtins.SHARED = 1.0  # as a start-up file may leave it there
MINE.inner.table = [1.0, np.array([2.0])]


class Base:
    scale = 2.0
    steps = ([0.5, 1.0], np.array([1.0, 2.0]))

    def __init__(self, k=0.5):
        self.k, self.table = k, np.array([1.0, 2.0, 3.0])
        self.lists = [[1.0, 2.0], np.array([3.0])]

    def matrix(self, q):
        return self.scale * q


class Derived(Base):
    @property
    def twice(self):
        return 2.0 * self.k

    @staticmethod
    def half(x):
        return 0.5 * x

    def matrix(self, q):
        return self.twice * super().matrix(q) + self.half(self.scale)


def helper(x, lean=0.2, *, extra=1.0):
    """It has defaults, and calls itself."""
    return helper(x, 0.0) + lean * extra if lean else x * LEAN


helper.gain = 3.0


def law(q):
    own = MINE.gain + MINE.inner.table[0] + READS(MINE) + (SHARED if abs(MINE.gain) > 0.0 else 0.0)  # noqa: F821
    return helper(q) + helper.gain + GAINS["k"][0] + TABLE @ q + Derived.half(q) + own


def closed():
    x = 1.0

    def change(value):
        nonlocal x
        x = value

    return change, lambda q: q * x


def found(value, **options):
    return Dependencies({"it": value}, objects=(Base,), **options)


def put(owner, name, value):
    """Sets an attribute, an entry or a global; gives what takes that back."""
    entry = isinstance(owner, dict | list | np.ndarray)
    slot = getattr(owner, name) if name in ("__code__", "__defaults__") else put
    before = owner[name] if entry else vars(owner).get(name, slot)
    (operator.setitem if entry else setattr)(owner, name, value)

    def back():
        if before is put:
            delattr(owner, name)
        else:
            (operator.setitem if entry else setattr)(owner, name, before)

    return back


THING = Derived()
EDITS = {
    "global": (globals(), "LEAN", 0.5),
    "builtin under another one": (globals(), "super", lambda *_: None),
    "helper": (globals(), "helper", lambda x: x),
    "code of a helper": (helper, "__code__", (lambda x, lean, *, extra: x).__code__),
    "default": (helper, "__defaults__", (0.4,)),
    "default of a keyword, in place": (helper.__kwdefaults__, "extra", 2.0),
    "attribute of a function": (helper, "gain", 4.0),
    "entry of a list in a dictionary": (GAINS["k"], 0, 3.0),
    "entry of a dictionary": (GAINS, "other", 1.0),
    "entry of an array": (TABLE, 0, 7.0),
    "another array, the same numbers": (globals(), "TABLE", TABLE.copy()),
    "another dictionary, the same entries": (globals(), "GAINS", {"k": [1.0, 2.0]}),
    "static method": (Derived, "half", staticmethod(lambda x: x)),
    "attribute of a module": (MINE, "gain", 2.0),
    "attribute of a module that a getter reads": (MINE, "read_so", 2.0),
    "name among the builtins": (builtins, "SHARED", 2.0),
    "builtin in the place of Python's": (builtins, "abs", lambda x: x),
    "list of a module inside": (MINE.inner.table, 0, 9.0),
    "array of a module inside": (MINE.inner.table[1], 0, 9.0),
    "class attribute that is inherited": (Base, "scale", 3.0),
    "list in a tuple of a class": (Base.steps[0], 0, 2.0),
    "array in a tuple of a class": (Base.steps[1], 0, 2.0),
    "inherited method": (Base, "matrix", lambda self, q: q),
    "method that was inherited": (Derived, "unheard_of", lambda self, q: q),
    "property": (Derived, "twice", property(lambda self: 3.0)),
    "attribute": (THING, "k", 0.6),
    "attribute that hides one of the class": (THING, "scale", 5.0),
    "array of an object": (THING.table, 1, 7.0),
    "list of an object": (THING.lists[0], 1, 7.0),
    "sign of zero": (globals(), "LEAN", -0.0),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_guard_notices(name, monkeypatch):
    if name == "sign of zero":
        monkeypatch.setitem(globals(), "LEAN", 0.0)
    both = Dependencies({"law": law, "thing": THING, "of class": Derived}, objects=(Base,))
    guard, told = both.guard, both.digest()
    assert guard.holds() and guard.holds() and not both.impure and not both.unknown
    owner, key, value = EDITS[name]
    if isinstance(owner, dict) and key not in owner:
        owner[key] = value
        back = functools.partial(owner.pop, key)
    else:
        back = put(owner, key, value)
    try:
        assert not guard.holds()
        again = Dependencies({"law": law, "thing": THING, "of class": Derived}, objects=(Base,))
        assert again.guard.holds()
        assert (again.digest() == told) == ("the same" in name)
    finally:
        back()
    assert guard.holds()


def test_a_guard_notices_closures_and_names_that_are_gone(monkeypatch):
    change, function = closed()
    guard = found(function).guard
    change(float("1.0"))
    assert guard.holds()  # an equal number will do
    change(2.0)
    assert not guard.holds()
    guard = found(law).guard
    monkeypatch.delitem(globals(), "LEAN")
    assert not guard.holds()
    with pytest.raises(Impure, match="'LEAN' has no value yet"):
        found(law).require_pure()


def test_guards_are_added_up():
    change, function = closed()
    both = found(function).guard + found(helper).guard
    assert both.holds()
    change(3.0)
    assert not both.holds()


def test_a_digest_is_the_same_in_another_process():
    source = (
        "import numpy as np\nK = {'a': [1.0, (2, None)], 'b': {'x', 'y', 'z'}}\nT = np.arange(3.0)\n"
        "class Own:\n    gain = 2.0\n    def __init__(self): self.k = 3.0\n    def of(s, x): return K['a'][0] * x + T\n"
        "own = Own()\ndef law(t, q, v, g=1.0): return own.of(q) * g if t in {'u', 'v', 'w'} else Own.of\n"
        "from rbdkit.trace import Dependencies\nprint(Dependencies({'law': law}, objects=None).digest())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for text, seed in ((source, "1"), (source, "2"), (source.replace("self.k = 3.0", "self.k = 4.0"), "1"))
    ]
    assert runs[0] == runs[1] != runs[2]


CALLED = []
LISTS = [[1.0]]


def appended(q, log=LOG):
    log += [q]
    return q


def set_item(q):
    LISTS.__setitem__(0, q)
    return q


def by_operator(q):
    operator.iadd(LISTS, [q])
    return q


@pytest.mark.parametrize("function", [appended, set_item, by_operator])
def test_what_is_changed_is_put_back_and_told(function):
    guard = found(function).guard
    with pytest.raises(Impure, match="changes something that it uses"), guard.untouched():
        function(2.0)
    assert LOG == [] and LISTS == [[1.0]] and guard.holds()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (THING.matrix, ""),
        (np.vectorize(helper), ""),
        (np.poly1d([1.0, 2.0]), ""),
        (np.frompyfunc(helper, 1, 1), "it is an object of class 'ufunc', which may keep something"),
        (np.vectorize(lambda x: CALLED.append(x)), "it may change 'CALLED'"),
        (count(), "it is an object of class 'count'"),
        (types.SimpleNamespace(k=1.0), "it is an object of class 'SimpleNamespace'"),
        (LOG.append, "it is a method of an object of class 'list'"),
        (np.random, "it draws random numbers"),
        (lambda q: np.fromfile("x") * q, "it asks for np.fromfile"),
        (lambda q: print(q), "it calls 'print'"),
    ],
)
def test_what_may_keep_something_is_told(value, why):
    if why:
        with pytest.raises(Impure, match=why):
            found(value).require_pure()
    else:
        found(value).require_pure()
