"""A sweep knows itself again by everything that computes it: what a user's code depends on, wherever it stands."""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
import types
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from operator import attrgetter, itemgetter, methodcaller
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.integrators import RK4
from rbdkit.joints.joint_type import VectorJoint
from rbdkit.laws import LAWS
from rbdkit.simulation.ensembles.fingerprint import digest

K = 1.0
TABLE = {"gain": [1.0, {"far": 2.0}]}
ROW = np.array([1.0, 2.0])
own_module = types.ModuleType("own_module")
own_module.gain = 1.0  # type: ignore[attr-defined]
own_module.inner = types.ModuleType("inner")  # type: ignore[attr-defined]
own_module.inner.gain = 1.0
own_module.push = lambda q, by: -by * q  # type: ignore[attr-defined]
builtins.gain_of_all = 1.0  # type: ignore[attr-defined]  # as a start-up file may leave it there
HALF = "in"
READS, FIRST = attrgetter("gain", "__name__"), itemgetter(0)
CALLS, BOUND = methodcaller("push", 1.0, by=2.0), partial(getattr, own_module, "gain")
sys.modules["own_module"] = own_module  # for functions that import it
Pair = namedtuple("Pair", "a b")


class Pull(rbd.ForceElement):
    GAIN = 1.0
    joint: str

    def act(self, at: Any) -> None:
        at.apply_torque(self.joint, -self.GAIN * K * self.gain() * at.coordinates(self.joint))

    def gain(self) -> float:
        return 1.0


class Inherits(Pull):
    pass


class Keeps(rbd.ConstraintElement):
    R = 1.0
    a: str
    b: str

    def gap(self, at: Any) -> Any:
        return self.R * (at.coordinates(self.a)[0] - 0.3) - (at.coordinates(self.b)[0] - 0.1)


class Hinge(VectorJoint):
    kind, nq, nv, q_names, q_units = "mine", 1, 1, ("a",), ("rad",)
    arguments: ClassVar = {}

    def pose(self, q: np.ndarray, t: float = 0.0) -> np.ndarray:
        return rbd.Revolute("y").pose(K * q)

    def motion_subspace(self, q: np.ndarray) -> np.ndarray:
        return np.array([[0, K, 0, 0, 0, 0.0]]).T


class Untold(VectorJoint):
    kind, nq, nv, q_names, q_units = "untold", 1, 1, ("a",), ("rad",)
    pose, motion_subspace = Hinge.pose, Hinge.motion_subspace


class Law:
    g = 1.0

    def __init__(self) -> None:
        self.k = 1.0

    def gain(self) -> float:
        return self.k

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -self.gain() * self.g * q


class Descends(Law):
    pass


class Slotted:
    __slots__ = ("k",)

    def __init__(self) -> None:
        self.k = 1.0

    def gain(self) -> float:
        return self.k

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -self.gain() * q


@dataclass
class Data:
    k: float = 1.0

    @property
    def gain(self) -> float:
        return self.k

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -self.gain * q


class Holder:
    @staticmethod
    def f(q: np.ndarray) -> np.ndarray:
        return -1.0 * q

    @classmethod
    def c(cls, q: np.ndarray) -> np.ndarray:
        return -1.0 * q

    def method(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.f(q)


class Mode(Enum):
    SOFT = 1.0


class Mine(RK4):
    def step(self, system: Any, state: Any, h: float) -> Any:
        return super().step(system, state, h)


def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -K * q


def helped(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return helper(q)


def helper(q: np.ndarray) -> np.ndarray:
    return -1.0 * q


def from_table(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -TABLE["gain"][1]["far"] * q  # type: ignore[index]


def from_row(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -ROW * q


def static(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return Holder.f(q)


def of_class(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return Holder.c(q)


def of_module(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -own_module.gain * q


def of_import(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    import own_module as mine

    return -mine.gain * q


def of_from_import(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    from own_module import gain

    return -gain * q


def of_missing(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    try:
        from own_module.no_such_module import gain
    except ImportError:
        gain = K
    return -gain * q


def of_relative(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    from . import gain

    return -gain * q


in_package = types.FunctionType(of_relative.__code__, {"__package__": "own_module", "__builtins__": __builtins__})


def of_text(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -getattr(own_module, "gain") * q  # noqa: B009 : it is what is tested


def of_text_put_together(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -getattr(own_module, "ga" + HALF) * q


def of_builtin(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -gain_of_all * q  # type: ignore[name-defined]  # noqa: F821 : a test puts it among the builtins


def of_replaced_builtin(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -abs(q)


def of_getter(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -READS(own_module) * q


def of_getter_inside(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -attrgetter("inner.gain")(own_module) * q


def of_method(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return CALLS(own_module)


def of_partial(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -BOUND() * q


@lru_cache
def remembered(k: float) -> float:
    return 2.0 * k


def of_cache(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -remembered(1.0) * q


def with_default(t: float, q: np.ndarray, v: np.ndarray, *, gain: float = 1.0) -> np.ndarray:
    return -gain * q


def of_mode(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -Mode.SOFT.value * q


def build(rod: float) -> rbd.Model:
    return rbd.library.pendulum(rod * K)


def nested(gain: float) -> Callable[..., Any]:
    def tau(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -gain * v

    return tau


def motion(t: float) -> tuple[float, float, float]:
    return np.sin(K * t), K * np.cos(K * t), -K * K * np.sin(K * t)


def _driven() -> rbd.Model:
    model = _arm()
    model.add_body("hand", "b1", rbd.Reversed(rbd.Prescribed(rbd.Revolute("x"), motion)))
    return model


def _arm(joint: Any = None) -> rbd.Model:
    model = rbd.Model("arm")
    for k in range(2):
        hinge = rbd.Revolute("y") if joint is None else joint()
        model.add_body(f"b{k}", f"b{k - 1}" if k else "world", hinge, inertia=rbd.Inertia.sphere(0.1, 1.0))
    return model


def _pulled(kind: Any) -> rbd.Model:
    model = _arm()
    model.add_force("f", kind("b0_joint"))
    return model


def _kept() -> rbd.Model:
    model = _arm()
    model.add_constraint("c", Keeps("b0_joint", "b1_joint"))
    return model


def _set(owner: Any, name: str, value: Any) -> Callable[[], Callable[[], None]]:
    """What changes an attribute or a global, and gives what changes it back."""

    def change() -> Callable[[], None]:
        space = owner if isinstance(owner, dict) else None
        before = owner[name] if space is not None else vars(owner)[name]

        def put(x: Any) -> None:
            if space is not None:
                space[name] = x
            else:
                setattr(owner, name, x)

        put(value)
        return lambda: put(before)

    return change


HERE = globals()
LAW, SLOTTED, DATA = Law(), Slotted(), Data()
CASES: dict[str, tuple[Callable[[], Any], Callable[[], Callable[[], None]]]] = {
    "force: class attribute": (lambda: _pulled(Pull), _set(Pull, "GAIN", 2.0)),
    "force: global": (lambda: _pulled(Pull), _set(HERE, "K", 2.0)),
    "force: method": (lambda: _pulled(Pull), _set(Pull, "gain", lambda self: 2.0)),
    "force: method of the class it is made from": (lambda: _pulled(Inherits), _set(Pull, "gain", lambda self: 2.0)),
    "constraint: class attribute": (_kept, _set(Keeps, "R", -2.0)),
    "joint: global": (lambda: _arm(Hinge), _set(HERE, "K", 0.5)),
    "joint: method": (lambda: _arm(Hinge), _set(Hinge, "motion_subspace", lambda self, q: np.eye(6)[:, :1])),
    "joint inside another": (lambda: _arm(lambda: rbd.Reversed(Hinge())), _set(HERE, "K", 0.5)),
    "joint: no arguments told": (lambda: _arm(Untold), _set(HERE, "K", 0.5)),
    "motion": (_driven, _set(HERE, "K", 2.0)),
    "joint that closes a loop": (lambda: _looped(), _set(HERE, "K", 0.5)),
    "law": (lambda: law, _set(HERE, "K", 2.0)),
    "law: traced": (lambda: rbd.traced(law), _set(HERE, "K", 2.0)),
    "law: untraced": (lambda: rbd.untraced(law), _set(HERE, "K", 2.0)),
    "law: helper": (lambda: helped, _set(HERE, "helper", lambda q: -2.0 * q)),
    "law: what a table holds": (lambda: from_table, _set(TABLE["gain"][1], "far", 3.0)),  # type: ignore[arg-type]
    "law: what an array holds": (lambda: from_row, _set(HERE, "ROW", np.array([1.0, 3.0]))),
    "law: static method": (lambda: static, _set(Holder, "f", staticmethod(lambda q: -2.0 * q))),
    "law: class method": (lambda: of_class, _set(Holder, "c", classmethod(lambda cls, q: -2.0 * q))),
    "law: bound method": (lambda: Holder().method, _set(Holder, "f", staticmethod(lambda q: -2.0 * q))),
    "law: value of a module": (lambda: of_module, _set(own_module, "gain", 2.0)),
    "law: imports": (lambda: of_import, _set(own_module, "gain", 2.0)),
    "law: imports from": (lambda: of_from_import, _set(own_module, "gain", 2.0)),
    "law: imports from its package": (lambda: in_package, _set(own_module, "gain", 2.0)),
    "law: imports what is not there": (lambda: of_missing, _set(HERE, "K", 2.0)),
    "law: getattr of a module": (lambda: of_text, _set(own_module, "gain", 2.0)),
    "law: getattr of a text put together": (lambda: of_text_put_together, _set(own_module, "gain", 2.0)),
    "law: name among the builtins": (lambda: of_builtin, _set(builtins, "gain_of_all", 2.0)),
    "law: builtin put in the place of Python's": (
        lambda: of_replaced_builtin,
        _set(builtins, "abs", lambda x: 2.0 * x),
    ),
    "law: getter of a module": (lambda: of_getter, _set(own_module, "gain", 2.0)),
    "law: getter made inside": (lambda: of_getter_inside, _set(own_module.inner, "gain", 2.0)),
    "law: another getter": (lambda: of_getter, _set(HERE, "READS", attrgetter("__name__"))),
    "law: another item": (lambda: [law, FIRST], _set(HERE, "FIRST", itemgetter(1))),
    "law: method of a module by its name": (lambda: of_method, _set(own_module, "push", lambda q, by: by * q)),
    "law: method called with another number": (
        lambda: of_method,
        _set(HERE, "CALLS", methodcaller("push", 1.0, by=3.0)),
    ),
    "law: getattr bound to a module": (lambda: of_partial, _set(own_module, "gain", 2.0)),
    "law: cached helper": (lambda: of_cache, _set(remembered, "__wrapped__", lambda k: 3.0 * k)),
    "law: default": (lambda: with_default, _set(with_default.__kwdefaults__, "gain", 2.0)),
    "law: partial": (lambda: partial(with_default, gain=3.0), _set(HERE, "with_default", lambda t, q, v, gain: v)),
    "law: enumeration": (lambda: of_mode, _set(HERE, "Mode", Enum("Mode", {"SOFT": 2.0}))),
    "object: method": (lambda: LAW, _set(Law, "gain", lambda self: 2.0)),
    "object: attribute": (lambda: LAW, _set(LAW, "k", 2.0)),
    "object: class attribute": (lambda: LAW, _set(Law, "g", 2.0)),
    "object: inherited": (lambda: Descends(), _set(Law, "__call__", lambda self, t, q, v: -q)),
    "object: slots": (lambda: SLOTTED, _set(Slotted, "gain", lambda self: 2.0)),
    "object: dataclass": (lambda: DATA, _set(Data, "gain", property(lambda self: 2.0))),
    "integrator": (lambda: Mine(), _set(Mine, "step", lambda self, system, state, h: state)),
    "builder": (lambda: build, _set(HERE, "K", 2.0)),
    "several": (lambda: [law, {"a": Data()}, (helped,)], _set(HERE, "helper", lambda q: q)),
}


def _looped() -> rbd.Model:
    model = _arm()
    model.add_loop("ring", "b1", "world", Hinge())
    return model


PLAIN = {
    "numbers": lambda: [1, 2.5, True, None, "x", b"y", 1 + 2j],
    "containers": lambda: [{"a": (1, 2.5)}, {"x", "y", "z"}, frozenset({"p", "q"}), OrderedDict(a=1), deque([1, 2])],
    "arrays": lambda: [np.arange(3.0), np.float32(2.0), np.array([["a", "b"]])],
    "pairs": lambda: Pair(1, Mode.SOFT),
    "models": lambda: [rbd.library.double_pendulum(), rbd.library.planar_four_bar(), rbd.library.bouncing_ball().model],
    "integrators": lambda: [rbd.integrators.GeneralizedAlpha(0.8), rbd.integrators.Adaptive("rk45")],
    "laws of contact": lambda: list(LAWS.values()),
    "functions of ours": lambda: [rbd.library.double_pendulum, rbd.formulations.JointSystem, np.sin],
    "closures": lambda: nested(2.0),
}


def _all() -> dict[str, str]:
    made = {name: make for name, (make, _) in CASES.items()} | PLAIN
    return {name: digest("it", make()) for name, make in made.items()}


@pytest.mark.parametrize("case", CASES)
def test_what_changes_the_motion_changes_the_digest(case: str) -> None:
    make, change = CASES[case]
    before = digest("it", make())
    assert digest("it", make()) == before
    if case == "law: cached helper":  # what the cache holds is none of its arguments
        remembered(5.0)
        assert digest("it", make()) == before
    back = change()
    try:
        assert digest("it", make()) != before
    finally:
        back()
    assert digest("it", make()) == before


def test_digests_are_the_same_in_other_processes() -> None:
    code = (
        "import sys, json\n"
        f"sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
        "from test_sweep_fingerprint import _all\n"
        "print(json.dumps(_all()))\n"
    )
    runs = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stderr
        runs.append(json.loads(run.stdout))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    "case", ["force: global", "joint: global", "motion", "law: traced", "object: slots", "integrator"]
)
def test_what_a_motion_leaves_behind_is_none_of_its_arguments(case: str, tmp_path: Any) -> None:
    made = CASES[case][0]()
    model = made if isinstance(made, rbd.Model) else _arm()
    options: dict[str, Any] = {}
    if not isinstance(made, rbd.Model):
        options["integrator" if case == "integrator" else "tau"] = made
    for _ in range(2):
        kept = rbd.sweep(
            model, {"b0.mass": [1.0, 2.0]}, [0.3, 0.1], duration=0.1, store=tmp_path, progress=False, **options
        )
    assert "2 members were in the store" in repr(kept)
    back = CASES[case][1]()
    try:
        with pytest.raises(SimulationError, match=r"holds a sweep that differs in (model|tau|integrator)"):
            rbd.sweep(
                model, {"b0.mass": [1.0, 2.0]}, [0.3, 0.1], duration=0.1, store=tmp_path, progress=False, **options
            )
    finally:
        back()


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([1.0, 2.0], [2.0, 1.0]),
        ([1.0], (1.0,)),
        ([1], [1.0]),
        ([True], [1]),
        ([[1], [2]], [[1, 2]]),
        ("ab", ["a", "b"]),
    ],
)
def test_like_values_are_told_apart(one: Any, two: Any) -> None:
    assert digest("it", one) != digest("it", two)


def test_what_cannot_be_told_in_another_process_is_refused() -> None:
    with pytest.raises(SimulationError, match=r"store: tau cannot be compared with that of another run: .*'generator'"):
        digest("tau", nested(x for x in ()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("law", "what"),
    [
        (lambda t, q, v: -globals()["K"] * q, "calls 'globals'"),
        (lambda t, q, v: -eval("K") * q, "calls 'eval'"),
        (lambda t, q, v: -float(open("gain").read()) * q, "calls 'open'"),  # noqa: SIM115
        (lambda t, q, v: -np.loadtxt("gain") * q, "asks for np.loadtxt"),
        (lambda t, q, v: -float(os.environ["GAIN"]) * q, "asks for os.environ"),
        (lambda t, q, v: -sys.modules["own_module"].gain * q, "asks for sys.modules"),
        (lambda t, q, v: -float(Path("gain").read_text()) * q, "asks for Path.read_text"),
        (lambda t, q, v: -float(builtins.open("gain").read()) * q, "asks for builtins.open"),  # noqa: SIM115
    ],
)
def test_what_reads_anything_is_refused(law: Any, what: str) -> None:
    """A store took members of another gain for its own: no digest holds what stands in a file."""
    with pytest.raises(SimulationError, match=f"it {what}, and nobody can tell what that reads; read it before"):
        digest("tau", law, followed=True)


def counted(t: float) -> tuple[float, float, float]:
    global K
    K = K + 0.0
    return t, 1.0, 0.0


def logged(t: float) -> tuple[float, float, float]:
    TABLE["gain"].append(t)
    return t, 1.0, 0.0


class Ticks:
    n = 0

    def __call__(self, t: float) -> tuple[float, float, float]:
        self.n += 1
        return self.n * t, 1.0, 0.0


NOISE = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("motion", "why"),
    [
        (counted, "it keeps or imports 'K'"),
        (logged, r"it may change 'TABLE' \(append\)"),
        (Ticks(), "it keeps or imports 'n'"),
        (lambda t: (NOISE.normal(), 0.0, 0.0), "'NOISE' is an object of class 'Generator'"),
    ],
)
def test_a_motion_that_keeps_something_is_refused(motion: Any, why: str) -> None:
    model = rbd.Model("driven")
    model.add_body("b", joint=rbd.Reversed(rbd.Prescribed(rbd.Revolute("z"), motion)))
    with pytest.raises(SimulationError, match=f"the motion of joint 'b_joint' may be no function of time alone: {why}"):
        digest("model", model)


def test_what_packages_made_counts_by_its_values() -> None:
    """Splines of torques or motions, also where SciPy lies in an environment below this one."""

    def torque(y: float) -> Callable[..., Any]:
        spline = CubicSpline([0.0, 1.0, 2.0], [0.0, y, 0.0])
        return lambda t, q, v: spline(t)

    def model(y: float) -> rbd.Model:
        spline = CubicSpline([0.0, 1.0, 2.0], [0.0, y, 0.0])
        return _arm(lambda: rbd.Prescribed(rbd.Revolute("z"), lambda t: (spline(t), spline(t, 1), spline(t, 2))))

    for make in (torque, model):
        assert digest("it", make(1.0)) == digest("it", make(1.0)) != digest("it", make(2.0))


def test_what_python_and_packages_do_inside_is_no_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(name: str) -> rbd.Model:
        with open(os.path.join(os.environ["HOME"], name), encoding="utf-8") as file:
            return rbd.load(json.load(file))

    before = digest("model", reads)
    monkeypatch.setenv("SOMETHING", "else")
    assert digest("model", reads) == before


def test_many_values_are_all_looked_at() -> None:
    values = [[float(k), 0.0] for k in range(30_000)]
    before = digest("q0", values)
    values[-1][1] = 1.0
    assert digest("q0", values) != before
