"""What calls return can be pickled and copied, and comes back from other processes."""

from __future__ import annotations

import copy
import io
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import FORMULATIONS, GearedSystem
from rbdkit.integrators import Adaptive
from rbdkit.laws import LAWS

RUN: dict[str, Any] = {"duration": 0.03, "progress": False}
START = [0.3, 0.1]


class Wind(rbd.ForceElement):
    body: str
    c: float

    def act(self, at: Any) -> None:
        at.apply_force(self.body, -self.c * at.velocity(self.body))


class Rail(rbd.ConstraintElement):
    body: str

    def gap(self, at: Any) -> Any:
        x, _, z = at.position(self.body)
        return z - 0.1 * x * x


class Law:
    def __init__(self, gain: float) -> None:
        self.gain = gain

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -self.gain * v


def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -0.3 * v


def pushed(t: float, q: np.ndarray, v: np.ndarray) -> dict[str, list[float]]:
    return {"rod1": [0, 0.1 * t, 0, 0, 0, 0.1]}


def drag(x: Any, v: Any) -> Any:
    return -0.5 * v


def gust(x: Any, v: Any, t: Any) -> Any:
    return [np.sin(t), 0.0, 0.0]


def twitch(t: Any) -> Any:
    return 0.5 - 0.4 * np.cos(t)


def turn(t: float) -> tuple[float, float, float]:
    return 0.1 * t, 0.1, 0.0


def build(rod: float) -> rbd.Model:
    return rbd.library.pendulum(rod)


def _with(add: Callable[[rbd.Model], object]) -> rbd.Model:
    model = rbd.library.double_pendulum()
    add(model)
    return model


def _driven() -> rbd.Model:
    model = rbd.Model("driven")
    model.add_body("table", joint=rbd.Prescribed(rbd.Revolute("z"), turn), inertia=rbd.Inertia(1.0))
    model.add_body("rod", "table", rbd.Revolute("x"), inertia=rbd.Inertia.sphere(0.1, 1.0))
    return model


def _bead() -> rbd.Model:
    model = rbd.Model("bead")
    model.add_body("bead", joint=rbd.Translational(), inertia=rbd.Inertia(1.0))
    model.add_constraint("rail", Rail("bead"))
    return model


def _free() -> rbd.Model:
    model = rbd.Model("free")
    for name in ("a", "b"):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.box([0.1, 0.2, 0.3], 1.0))
    return model


def _top() -> rbd.Model:
    model = rbd.Model("top")
    own = rbd.Inertia.cylinder(0.1, 0.2, 1.0).transformed(rbd.pose(position=[0.0, 0.0, 0.3]))
    model.add_body("top", joint=rbd.Spherical(), inertia=own)
    return model


MODELS: dict[str, Callable[[], rbd.Model]] = {
    "tree": rbd.library.double_pendulum,
    "loop": rbd.library.planar_four_bar,
    "free": _free,
    "top": _top,
    "driven": _driven,
    "bead": _bead,
}


def _start(name: str, model: rbd.Model) -> np.ndarray:
    return rbd.assemble(model, fix={"crank_joint": 1.0}) if name == "loop" else model.neutral()


def _formulated(name: str, formulation: str) -> rbd.Trajectory:
    model = MODELS[name]()
    v = np.zeros(model.nv) if name in ("loop", "bead") else np.append(np.linspace(0.3, 0.5, model.nv)[:-1], 0.0)
    return rbd.simulate(model, _start(name, model), v, formulation=formulation, **RUN)


def _contact(law_: str, formulation: str = "joint") -> rbd.Trajectory:
    start = rbd.library.bouncing_ball()
    return rbd.simulate(start.model, start.q, start.v, contact=law_, formulation=formulation, **RUN)


def _acted(add: Callable[[rbd.Model], object], **options: Any) -> rbd.Trajectory:
    return rbd.simulate(_with(add), START, **RUN, **options)


def _two(**options: Any) -> rbd.Trajectory:
    return rbd.simulate(rbd.library.double_pendulum(), START, **RUN, **options)


def _muscle(model: rbd.Model, **options: Any) -> None:
    path = ["world", ("rod1", (0.1, 0.0, -0.5)), ("rod2", (0.0, 0.0, -0.5))]
    model.add_muscle("biceps", path, peak_force=30.0, optimal_length=1.2, **options)


def _swept(model: Any, values: Any, **options: Any) -> Any:
    return rbd.sweep(model, values, **RUN, **options)


def _compared(name: str, pairs: list[tuple[Any, Any]]) -> Any:
    model = MODELS[name]()
    return rbd.compare_runs(model, pairs, q0=_start(name, model), **RUN)


def _geared() -> rbd.Trajectory:
    gears = rbd.library.geared_arm(ratio1=50.0, ratio2=50.0)
    geared = partial(GearedSystem, gears=gears.gears)
    return rbd.simulate(gears.model, np.zeros(4), np.zeros(4), formulation=geared, **RUN)


def _of_loop(ask: Callable[[rbd.Model, np.ndarray], Any]) -> Any:
    model = MODELS["loop"]()
    return ask(model, _start("loop", model))


ONE = {"rod1.mass": [1.0, 2.0]}
PAIRS = [("joint", "rk4"), ("se3", "rk4"), ("redmax", "rk4")]
ROW = np.array([[0.0] * 6, [0.0, 0.1, 0, 0, 0, 0], [0.0] * 6])
RESULTS: dict[str, Callable[[], Any]] = {
    **{f"law of contact {name}": partial(_contact, name) for name in LAWS},
    "contact in se3": partial(_contact, "compliant", "se3"),
    "contact in maximal": partial(_contact, "compliant", "maximal"),
    **{f"integrator {name}": partial(_two, integrator=name) for name in ("symplectic_euler", "implicit_midpoint")},
    **{f"adaptive {name}": partial(_two, integrator=Adaptive(name)) for name in ("rk45", "radau")},
    "law": partial(_two, tau=law),
    "traced law": partial(_two, tau=rbd.traced(law)),
    "untraced law": partial(_two, tau=rbd.untraced(law)),
    "law of an object": partial(_two, tau=Law(0.2)),
    "law of a partial": partial(_two, tau=partial(law)),
    "law in se3": partial(_two, tau=law, formulation="se3"),
    "law in redmax": partial(_two, tau=law, formulation="redmax"),
    "table": partial(_two, tau=np.zeros((31, 2))),
    "held": partial(_two, tau=np.ones((30, 2))),
    "outer law": partial(_two, f_ext=pushed),
    "outer law in se3": partial(_two, f_ext=pushed, formulation="se3"),
    "outer numbers": partial(_two, f_ext=ROW),
    "readable": partial(_two, backend="book"),
    "force of one's own": partial(_acted, lambda m: m.add_force("wind", Wind("rod1", 0.2))),
    "force of one's own in maximal": partial(
        _acted, lambda m: m.add_force("w", Wind("rod1", 0.2)), formulation="maximal"
    ),
    "force by a law": partial(_acted, lambda m: m.add_force("drag", drag, "rod1")),
    "force by a law of time": partial(_acted, lambda m: m.add_force("gust", gust, "rod1")),
    "muscle of time": partial(_acted, partial(_muscle, activation=twitch)),
    "muscle with a state": partial(_acted, partial(_muscle, activation=0.1, excitation=0.9)),
    "gears": _geared,
    "sweep": partial(_swept, rbd.library.double_pendulum(), ONE, q0=START),
    "sweep with a law": partial(_swept, rbd.library.double_pendulum(), ONE, q0=START, tau=law),
    "sweep of laws": partial(_swept, rbd.library.double_pendulum(), {"tau": [None, law]}, q0=START),
    "sweep of what is built": partial(_swept, build, {"rod": [1.0, 2.0]}),
    "comparison": partial(_compared, "tree", PAIRS),
    "comparison of loops": partial(_compared, "loop", PAIRS[:2]),
    "state equation": lambda: rbd.StateEquation(rbd.library.double_pendulum()),
    "state equation of loops": lambda: rbd.StateEquation(rbd.library.planar_four_bar()),
    "state equation with laws": lambda: rbd.StateEquation(rbd.library.double_pendulum(), law, f_ext=pushed),
    "state equation with numbers": lambda: rbd.StateEquation(rbd.library.double_pendulum(), [0.1, 0.2], f_ext=ROW),
    "mobility": partial(_of_loop, lambda m, q: rbd.mobility(m)),
    "mobility at a place": partial(_of_loop, lambda m, q: rbd.mobility(m, q)),
    "kinematics": partial(_of_loop, lambda m, q: rbd.forward_kinematics(m, q, np.zeros(m.nv))),
    "energy": partial(_of_loop, lambda m, q: rbd.energy(m, q, np.zeros(m.nv))),
    "derivatives": lambda: rbd.forward_dynamics_derivatives(rbd.library.double_pendulum(), START, [0, 0], [0, 0]),
    "inverse dynamics": partial(_of_loop, lambda m, q: rbd.inverse_dynamics(m, q, np.zeros(m.nv), np.zeros(m.nv))),
    "constraints": partial(_of_loop, lambda m, q: rbd.constraints_of(m)),
    "constraints of one's own": lambda: rbd.constraints_of(_bead()),
    "findings": lambda: rbd.Model("empty").validate() + _bead().validate(),
    "contacts at a place": lambda: (lambda start: rbd.contacts(start.model, start.q, start.v))(
        rbd.library.bouncing_ball()
    ),
    "forces in loops": lambda: _formulated("loop", "joint").loop_forces(),
    "growth of errors": lambda: _two().error_growth(),
    "all of RNEA": lambda: rbd.algorithms.rnea(rbd.library.double_pendulum(), np.array(START), np.ones(2), np.ones(2)),
    "what there is to know of a body": lambda: rbd.inspect(rbd.library.double_pendulum(), "rod2", START),
}
for _formulation in FORMULATIONS:
    for _model in MODELS if _formulation in ("joint", "se3", "maximal") else ("tree", "loop", "free", "top"):
        RESULTS[f"{_model} in {_formulation}"] = partial(_formulated, _model, _formulation)


@cache
def _result(name: str) -> Any:
    """What a call gives, used once, for what it finds out then must not get into copies; None if it is refused."""
    try:
        made = RESULTS[name]()
    except (rbd.ModelError, rbd.SimulationError):
        assert " in " in name  # a formulation that does not suit the model
        return None
    _same(made, made)
    repr(made)
    return made


def _same(one: Any, two: Any, path: str = "") -> None:
    """Whether two results say the same, to the last bit: the same code computed both."""
    assert type(one).__name__ == type(two).__name__, path
    if isinstance(one, np.ndarray):
        assert one.dtype == two.dtype and np.array_equal(one, two, equal_nan=one.dtype.kind == "f"), path
    elif isinstance(one, rbd.Model):
        assert one.describe() == two.describe(), path
    elif isinstance(one, rbd.Trajectory):
        _same_motion(one, two, path)
    elif isinstance(one, rbd.Ensemble):
        for name in ("t", "q", "v", "z", "rows"):
            _same(getattr(one, name), getattr(two, name), f"{path}.{name}")
        for k in range(len(one)):
            _same_motion(one[k], two[k], f"{path}[{k}]")
    elif isinstance(one, rbd.simulation.Comparison):
        _same({k: x for k, x in one.columns().items() if "step" not in k}, _untimed(two), f"{path}.columns()")
        _same(one.reference, two.reference, f"{path}.reference")
        assert one.run is not None and two.run is not None
        _same(one.run(0, 0.01), two.run(0, 0.01), f"{path}.run")
    elif isinstance(one, rbd.StateEquation):
        x = one.join(_start("loop" if one.model.loops else "tree", one.model) + 0.0, 0.1 * np.ones(one.model.nv))
        _same(one(0.1, x), two(0.1, x), path)
    elif isinstance(one, dict):
        assert one.keys() == two.keys(), path
        for key, value in one.items():
            _same(value, two[key], f"{path}[{key!r}]")
    elif isinstance(one, list | tuple):
        assert len(one) == len(two), path
        for k, (a, b) in enumerate(zip(one, two, strict=True)):
            _same(a, b, f"{path}[{k}]")
    elif is_dataclass(one):
        for field in fields(one):
            _same(getattr(one, field.name), getattr(two, field.name), f"{path}.{field.name}")
    elif isinstance(one, float):
        assert one == two or (np.isnan(one) and np.isnan(two)), path
    elif isinstance(one, str | bytes | int | bool | None):
        assert one == two, path
    else:
        assert vars(one).keys() == vars(two).keys() if hasattr(one, "__dict__") else repr(one) == repr(two), path


def _untimed(comparison: Any) -> dict[str, list[float]]:
    return {k: x for k, x in comparison.columns().items() if "step" not in k}


def _same_motion(one: rbd.Trajectory, two: rbd.Trajectory, path: str) -> None:
    for name in ("t", "q", "v", "z", "tau", "contacts", "events", "model"):
        _same(getattr(one, name), getattr(two, name), f"{path}.{name}")
    for name in ("energy", "energy_error", "poses", "velocities", "constraint_error", "invariants"):
        _same(getattr(one, name)(), getattr(two, name)(), f"{path}.{name}()")
    assert (one.report is None) == (two.report is None), path
    if one.report is not None and two.report is not None:
        lines = [line for line in one.report.lines(one.model) if " in " not in line]
        assert lines == [line for line in two.report.lines(two.model) if " in " not in line], path
        assert one.report.alarms(one.model) == two.report.alarms(two.model), path


class _Seen(pickle.Unpickler):
    """Notes where the classes and functions of a pickle come from."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.modules: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.modules.add(module)
        return super().find_class(module, name)


RUNTIME = (
    "rbdkit.trace.run",
    "rbdkit.engine.run.kernels",
    "rbdkit.engine.run.one_state",
    "llvmlite",
    "ctypes",
    "_ctypes",
)


@pytest.mark.parametrize("name", RESULTS)
def test_results_come_back_from_pickles_and_copies_as_they_were(name: str) -> None:
    if (made := _result(name)) is None:
        return
    reader = _Seen(pickle.dumps(made))
    again = reader.load()
    assert not {module for module in reader.modules if module.startswith(RUNTIME)}
    _same(made, again)
    pickle.dumps(again)  # used by now
    copy.copy(made)
    pickle.dumps(copy.deepcopy(made))


@pytest.mark.parametrize(
    "name", ["loop in joint", "tree in redmax", "law of contact rigid", "state equation with laws"]
)
def test_copies_say_the_same(name: str) -> None:
    _same(_result(name), copy.deepcopy(_result(name)))
    _same(_result(name), copy.copy(_result(name)))


def test_most_formulations_are_among_them() -> None:
    found = [name for name in RESULTS if " in " in name and _result(name) is not None]
    assert {name.split(" in ")[1] for name in found} >= set(FORMULATIONS)
    assert sum(name.startswith("loop in ") for name in found) >= 5
    assert sum(name.startswith("bead in ") for name in found) == 3


FAR = [
    "loop in joint", "loop in maximal", "tree in redmax", "bead in joint", "driven in se3", "law of contact rigid",
    "traced law", "law in redmax", "outer law", "force of one's own", "force by a law", "muscle of time", "gears",
    "sweep with a law", "comparison of loops", "state equation with laws", "mobility at a place",
]  # fmt: skip


def _made_far_away(name: str) -> Any:
    return RESULTS[name]()


def test_results_come_back_from_a_process_that_is_started_anew() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for name, far in zip(FAR, pool.map(_made_far_away, FAR), strict=True):
            _same(_result(name), far, name)


def test_a_function_that_has_no_name_is_what_a_pickle_complains_of() -> None:
    motion = _two(f_ext=lambda t, q, v: ROW)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(motion)
    _same(motion, copy.deepcopy(motion))


def test_classes_made_from_laws() -> None:
    kind = rbd.forces.point_force(drag)
    again = pickle.loads(pickle.dumps(kind))
    assert again.__name__ == "drag" and again("cart").law is drag
    assert pickle.loads(pickle.dumps(Gusty)) is Gusty  # a class that a user makes from one has a name
    assert copy.copy(kind("cart")).__class__ is kind and copy.deepcopy(kind("cart")).__class__ is kind


class Gusty(rbd.forces.point_force(gust)):  # type: ignore[misc]
    strength: float = 2.0
