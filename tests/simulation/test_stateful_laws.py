"""Laws that keep something, read the world or are changed meanwhile are called at every state, never compiled."""

import builtins
import collections
import datetime
import functools
import itertools
import operator
import os
import random
import time

import numpy as np
import pytest
from numpy import random as of_numpy
from numpy.random import normal

import rbdkit as rbd
from rbdkit.library import double_pendulum, pendulum
from rbdkit.simulation.forces import drive
from rbdkit.simulation.traced_forces import Traced, Untraceable, torque_law
from rbdkit.trace import Symbol


def default_list(log):
    def law(t, q, v, log=log):
        log += [t]
        return -q

    return law


def local_name(log):
    def law(t, q, v):
        h = log
        h += [t]
        return -q

    return law


def delay(log):
    def law(t, q, v, H=log):
        H += [q[0]]
        return [-5.0 * H[max(0, len(H) - 40)]]

    return law


def integral(log):
    def law(t, q, v, total=log):
        total += [q[0]]
        return [-5.0 * q[0] - 0.01 * len(total)]

    return law


def counter(log):
    n = 0

    def law(t, q, v):
        nonlocal n
        n += 1
        return -q * n

    return law


def memo(log):
    known = {}

    def law(t, q, v):
        if t not in known:
            known[t] = len(known)
        return -q * known[t]

    return law


def inner(log):
    def law(t, q, v):
        def keep():
            log.append(1)

        keep()
        return -q

    return law


def out(log):
    a = np.zeros(1)

    def law(t, q, v):
        np.add(a, 1.0, out=a)
        return -q * a

    return law


def view(log):
    base = np.zeros(3)

    def law(t, q, v):
        part = base[1:]
        part += 1
        return -q

    return law


def filled(log):
    a = np.zeros(1)

    def law(t, q, v):
        a.fill(a[0] + 1)
        return -q * a

    return law


def caught(log):
    """Only numbers come as far as the log."""

    def law(t, q, v):
        try:
            h = log
            h += [float(t)]
        except TypeError:
            pass
        return -q

    return law


def of_iterator(make):
    def of(log):
        z = make()

        def law(t, q, v):
            for x in z:
                return [-1e-3 * x]

        return law

    return of


def of_subclass(kind, value, method, use):
    def of(log):
        def keep(self, *_):
            log.append(1)
            return 1.0

        k = type("Own", (kind,), {method: keep})(value)
        return lambda t, q, v: use(k) * q

    return of


class OwnArray(np.ndarray):
    def __mul__(self, other):
        LOGGED.append(1)
        return np.asarray(self) * other


class Describes:
    def __get__(self, one, kind):
        LOGGED.append(1)
        return 1.0


class WithCounter:
    k = Describes()

    def __init__(self):
        self.n = 0

    def law(self, t, q, v):
        self.n += 1
        return -q

    __call__ = law


LOGGED = []
GENERATOR = np.random.default_rng(0)
ARRAY = np.ones(1).view(OwnArray)
OBJECT = WithCounter()
CACHED = functools.lru_cache(None)(lambda t: 2.0)

STATEFUL = {
    "default, log += [t]": default_list,
    "local name, h += [t]": local_name,
    "delay line": delay,
    "integral": integral,
    "only for numbers": caught,
    "__setitem__": lambda log: lambda t, q, v: (log.__setitem__(slice(0, 0), [1]), -q)[1],
    "operator.setitem": lambda log: lambda t, q, v: (operator.setitem(log, slice(0, 0), [1]), -q)[1],
    "operator.iadd": lambda log: lambda t, q, v: (operator.iadd(log, [1]), -q)[1],
    "append": lambda log: lambda t, q, v: (log.append(1), -q)[1],
    "bound append": lambda log: (lambda add: lambda t, q, v: (add(1), -q)[1])(log.append),
    "comprehension": lambda log: lambda t, q, v: ([log.append(1) for _ in range(1)], -q)[1],
    "inner function": inner,
    "deque": lambda log: (lambda d: lambda t, q, v: (d.append(1), -q)[1])(collections.deque()),
    "set |=": lambda log: (lambda s: lambda t, q, v: (s.__ior__({len(s)}), -q)[1])(set()),
    "dict |=": lambda log: (lambda d: lambda t, q, v: (d.__ior__({len(d): 1}), -q)[1])({}),
    "np.vectorize": lambda log: (lambda f: lambda t, q, v: -f(q))(np.vectorize(lambda x: (log.append(1), x)[1])),
    "np.frompyfunc": lambda log: (lambda f: lambda t, q, v: -f(q))(np.frompyfunc(lambda x: log.append(1), 1, 1)),
    "nonlocal": counter,
    "memo": memo,
    "lru_cache": lambda log: lambda t, q, v: -q * CACHED(1.0),
    "np.add(out=)": out,
    "view": view,
    "fill": filled,
    "memoryview": lambda log: (lambda m: lambda t, q, v: (m.__setitem__(0, m[0] + 1), -q)[1])(memoryview(np.zeros(1))),
    "next": lambda log: (lambda it: lambda t, q, v: -q * next(it))(itertools.count()),
    "generator": of_iterator(lambda: (x for x in range(10**6))),
    "zip": of_iterator(lambda: (x for x, _ in zip(range(9), range(9), strict=True))),
    "map": of_iterator(lambda: map(float, range(10**6))),
    "numpy.random as a module": lambda log: lambda t, q, v: -q + 1e-12 * of_numpy.normal(),  # noqa: NPY002
    "numpy.random.normal": lambda log: lambda t, q, v: -q + 1e-12 * normal(),  # noqa: NPY002
    "np.random": lambda log: lambda t, q, v: -q + 1e-12 * np.random.normal(),  # noqa: NPY002
    "Generator": lambda log: lambda t, q, v: -q + 1e-12 * GENERATOR.normal(),
    "random.random": lambda log: lambda t, q, v: -q + 1e-12 * random.random(),
    "time": lambda log: lambda t, q, v: -q + 0.0 * time.time(),
    "datetime": lambda log: lambda t, q, v: -q + 0.0 * datetime.datetime.now().second,
    "environ": lambda log: lambda t, q, v: -q * float(os.environ.get("GAIN", "1")),
    "open": lambda log: lambda t, q, v: -q * float(builtins.open(os.devnull).read() or 1),  # noqa: SIM115
    "np.loadtxt": lambda log: lambda t, q, v: -q * np.loadtxt([b"1.0"]),
    "np.fromfile": lambda log: lambda t, q, v: -q * (1.0 + len(np.fromfile(os.devnull))),
    "np.memmap": lambda log: lambda t, q, v: -q * (1.0 if np.memmap else 2.0),
    "np.geterr": lambda log: lambda t, q, v: -q * (1.0 if np.geterr()["over"] == "warn" else 3.0),
    "print": lambda log: lambda t, q, v: (print(end=""), -q)[1],
    "method": lambda log: WithCounter().law,
    "callable object": lambda log: WithCounter(),
    "descriptor": lambda log: lambda t, q, v: -q * OBJECT.k,
    "kind of array": lambda log: lambda t, q, v: ARRAY * (-q),
    "kind of float": of_subclass(float, 2.0, "__mul__", lambda k: k * 1.0),
    "kind of text": of_subclass(str, "a", "__len__", lambda k: len(k)),
    "kind of tuple": of_subclass(tuple, (1.0,), "__getitem__", lambda k: k[0]),
    "dictionary by time": lambda log: lambda t, q, v: [{0.0: 500.0}.get(t, 0.0)],
    "set by time": lambda log: lambda t, q, v: [500.0 if t in {0.0} else 0.0],
    "text of time": lambda log: lambda t, q, v: [{"0.0": 500.0}.get(f"{t}", 0.0)],
    "text of time, exactly": lambda log: lambda t, q, v: [{"0.0": 500.0}.get(f"{t!r}", 0.0)],
    "by the kind of number": lambda log: lambda t, q, v: [5.0 if isinstance(q[0], float) else 0.0],
    "by the type of an array": lambda log: lambda t, q, v: [5.0 if q.dtype.kind == "f" and t > 0.99 else 0.0],
    "by what is a scalar": lambda log: lambda t, q, v: [5.0 if np.isscalar(t) and t > 0.99 else 0.0],
    "late, by the kind of number": lambda log: lambda t, q, v: [5.0 if isinstance(t, float) and t > 0.99 else 0.0],
    "branch that is caught": lambda log: lambda t, q, v: [next((5.0 for _ in [0] if q[0] > 0), 0.0)],
}  # fmt: skip


@pytest.mark.parametrize("name", STATEFUL)
def test_a_law_with_a_state_is_not_compiled_and_nothing_is_left_in_it(name):
    log, model = [], pendulum()
    law = STATEFUL[name](log)
    checked = drive(model, law, np.linspace(0.0, 1.0, 3)).function
    with pytest.raises(Untraceable):
        torque_law(model, law, checked, 1.0)
    assert not any(isinstance(x, Symbol) for x in log) and log == []


@pytest.mark.parametrize("fault", [Exception, TypeError])
def test_a_branch_is_refused_also_where_the_law_goes_on(fault):
    """Marked as traced or not: at most states nothing is different, and trials meet few."""

    def law(t, q, v):
        try:
            if t > 0.99:
                return [50.0]
        except fault:
            pass
        return [0.0]

    model = pendulum()
    for marked in (law, rbd.traced(law)):
        with pytest.raises((Untraceable, rbd.errors.SimulationError), match=r"branch on a symbol|calls 'Exception'"):
            torque_law(model, marked, drive(model, law, np.linspace(0.0, 1.0, 3)).function, 1.0)


STATELESS = {
    "global numbers, arrays, functions": lambda t, q, v: -GAIN * q - TABLE[0] * helper(v),
    "closure": (lambda gain: lambda t, q, v: -gain[0] * q)([2.0]),
    "dictionary of gains": (lambda gains: lambda t, q, v: -gains["k"] * q - gains["d"] * v)({"k": 2.0, "d": 0.1}),
    "default": lambda t, q, v, k=2.0: -k * q,
    "partial": functools.partial(lambda k, t, q, v: -k * q, 2.0),
    "list of its own": lambda t, q, v: [x for x in map(operator.neg, [*q])],
    "np.vectorize": (lambda f: lambda t, q, v: np.array([f(x) for x in q]) - v)(lambda x: 2.0 * x),
    "polynomial": (lambda p: lambda t, q, v: -p(q))(np.poly1d([1.0, 2.0])),
    "another model": (lambda m: lambda t, q, v: rbd.gravity_force(m, np.append(q, 0.0))[:1])(double_pendulum()),
}
GAIN, TABLE = 2.0, np.array([0.3])


def helper(x):
    return x + 0.0


@pytest.mark.parametrize("name", STATELESS)
def test_a_law_without_a_state_is_compiled(name):
    model, law = pendulum(), STATELESS[name]
    torque_law(model, law, drive(model, law, np.linspace(0.0, 1.0, 3)).function, 1.0)


def test_what_is_promised_to_keep_nothing_and_does_is_refused_and_put_back():
    model, log = pendulum(), []
    law = default_list(log)
    with pytest.raises(rbd.SimulationError, match="marked as traced but is a Python function: it changes something"):
        torque_law(model, Traced(law), drive(model, law, np.linspace(0.0, 1.0, 3)).function, 1.0)
    assert log == []


@pytest.mark.filterwarnings("ignore:STEP TOO LONG")  # the energy of a law that changes meanwhile cannot be judged
def test_a_law_that_progress_may_change_is_called_at_every_state():
    gain, seen, model = np.array([1.0]), [], pendulum()

    def faster(_):
        gain[0] = 50.0

    def stiffer(_):
        global GAIN
        GAIN = 2.0

    options = {"q0": [0.3], "duration": 0.5, "dt": 1e-3}
    by_array, by_name = (lambda t, q, v: -gain[0] * q), (lambda t, q, v: -GAIN * q)
    for law, progress in ((by_array, faster), (by_name, stiffer), (by_array, gain.fill)):
        report = rbd.simulate(model, tau=law, progress=progress, **options).report
        assert "tau is a Python function, as what it uses may be changed by progress" in report.backend
    for law in (by_array, by_name):
        assert "tau traced" in rbd.simulate(model, tau=law, progress=seen.append, **options).report.backend
    assert seen


class Logged(rbd.ForceElement):
    """Keeps in a list of its class."""

    joint: str
    log = []  # noqa: RUF012 - that it can change is what is tried

    def act(self, at):
        self.log.append(at.time)
        at.apply_torque(self.joint, -at.velocities(self.joint)[0])


class Grows(Logged):
    def act(self, at):
        c = self.log
        c += [1]
        at.apply_torque(self.joint, -at.velocities(self.joint)[0] * (1.0 if len(c) < 50 else 3.0))


class InDefault(Logged):
    def act(self, at, seen=[]):  # noqa: B006 - likewise
        seen += [1]
        at.apply_torque(self.joint, -at.velocities(self.joint)[0])


class ByTime(Logged):
    def act(self, at):
        at.apply_torque(self.joint, -{0.0: 50.0}.get(at.time, 1.0) * at.velocities(self.joint)[0])


class Noisy(Logged):
    def act(self, at):
        at.apply_torque(self.joint, -(1.0 + 0.0 * of_numpy.normal()) * at.velocities(self.joint)[0])  # noqa: NPY002


class Wraps(Logged):
    law = np.vectorize(lambda x: (LOGGED.append(1), x)[1])

    def act(self, at):
        at.apply_torque(self.joint, -self.law(at.velocities(self.joint)[0]))


@pytest.mark.parametrize("kind", [Logged, Grows, InDefault, ByTime, Noisy, Wraps])
def test_a_force_with_a_state_is_not_compiled(kind):
    model = pendulum()
    model.add_force("own", kind("hinge"))
    Logged.log.clear()
    motion = rbd.simulate(model, [0.3], duration=0.01, dt=1e-3)
    assert motion.report.backend.startswith("book form (NumPy): force 'own'")
    assert not any(isinstance(x, Symbol) for x in Logged.log)
    assert len(Logged.log) > 40 or kind not in (Logged, Grows)
    call, known = rbd.forward_dynamics(model, [0.3], [0.1], [0.0]), model._kept
    rbd.forward_dynamics(model, [0.3], [0.1], [0.0])
    assert np.isfinite(call).all() and model._kept is known  # what it keeps is not what rbdkit keeps of the model


def test_a_law_of_a_point_force_that_is_an_object_is_not_compiled():
    class Push:
        n = 0

        def __call__(self, x, v):
            self.n += 1
            return -0.1 * v

    model, push = double_pendulum(), Push()
    model.add_force("push", push, model.bodies[-1].name)
    assert "is an object of class 'Push', which may keep something" in rbd.simulate(model, duration=0.01).report.backend
