"""What runs, runs compiled: every formulation with every integrator, under all that a model may have.

What steps from Python is listed here with its cause; nothing else does.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import joints
from rbdkit.formulations import FORMULATIONS
from rbdkit.integrators import INTEGRATORS
from tests.joints.cams import Cam

ADAPTIVE = ("rk45", "dop853")
BOX = rbd.Inertia.box([0.3, 0.2, 0.1], mass=2.0)


class Wave(rbd.ConstraintElement):
    """A plane that goes up and down."""

    body: str

    def gap(self, at):
        return at.position(self.body)[2] - 0.1 * np.sin(at.time)


class Drag(rbd.ForceElement):
    """A user's own force."""

    body: str
    drag: float

    def act(self, at):
        at.apply_force(self.body, -self.drag * at.velocity(self.body))


def body(*joint: joints.JointType) -> rbd.Model:
    """Bodies "b0", "b1", ... one after the other."""
    model = rbd.Model("chain")
    for k, kind in enumerate(joint):
        parent = "world" if k == 0 or isinstance(kind, rbd.Free) else f"b{k - 1}"
        inertia = rbd.Inertia(2.0, (0.0, 0.0, 0.2), np.diag([0.3, 0.4, 0.2]))
        model.add_body(f"b{k}", parent, kind, (0.2, 0.0, 0.1), inertia, joint_name=f"j{k}")
    return model


MODELS: tuple[Callable[[], rbd.Model], ...] = (
    lambda: body(rbd.Revolute("y"), rbd.Spherical()),
    lambda: body(rbd.Free(), rbd.Free()),
    lambda: body(rbd.Spherical()),
)
"""The first of these that a formulation is for."""


def joint_numbers(name: str) -> Callable[[rbd.Model], rbd.Model]:
    return lambda model: model.with_parameters({f"j0.{name}": np.full(model.joints[1].nv, 0.3)})


def with_part(add: Callable[[rbd.Model], object]) -> Callable[[rbd.Model], rbd.Model]:
    def changed(model: rbd.Model) -> rbd.Model:
        add(model)
        return model

    return changed


def swing(t):
    return 0.2 * np.sin(t), 0.2 * np.cos(t), -0.2 * np.sin(t)


def hung(model: rbd.Model, joint: joints.JointType) -> object:
    return model.add_body("more", model.bodies[-1].name, joint, (0.2, 0.0, 0.1), BOX, joint_name="more")


def closed(model: rbd.Model, joint: joints.JointType) -> object:
    return model.add_loop("closing", "world", model.bodies[-1].name, joint, (0.4, 0.0, 0.2))


def torque(t, q, v):
    return np.sin(t) - 0.1 * v


CHANGES: dict[str, Callable[[rbd.Model], rbd.Model]] = {
    "plain": lambda model: model,
    "spring between bodies": with_part(lambda m: m.add_force("band", rbd.Spring("b0", "world", 20.0, 0.5, 0.3))),
    "a user's force": with_part(lambda m: m.add_force("drag", Drag("b0", 0.3))),
    "states of an element": with_part(lambda m: m.add_force("soft", rbd.Maxwell("b0", "world", 20.0, 3.0, 0.1))),
    "joint spring": joint_numbers("stiffness"),
    "damper": joint_numbers("damping"),
    "rotor": joint_numbers("armature"),
    "friction": joint_numbers("friction"),
    "constraint": with_part(lambda m: m.add_constraint("plane", rbd.PointOnPlane("b0", "world", height=0.1))),
    "loop": with_part(lambda m: m.add_loop("rope", "world", m.bodies[-1].name, rbd.Spherical(), (0.4, 0.0, 0.2))),
    "loop of a user's joint": with_part(lambda m: closed(m, Cam(0.2))),
    "loop that moves in time": with_part(lambda m: closed(m, rbd.Prescribed(rbd.Revolute("x"), swing))),
    "loop on a spline": with_part(lambda m: closed(m, joints.SplineSurface())),
    "loop with a cross": with_part(lambda m: closed(m, rbd.Universal("x", "y"))),
    "spline": with_part(lambda m: hung(m, joints.SplineCurve())),
    "constraint in time": with_part(lambda m: m.add_constraint("wave", Wave("b0"))),
    "prescribed joint": with_part(lambda m: hung(m, rbd.Prescribed(rbd.Revolute("x"), swing))),
    "universal joint": with_part(lambda m: hung(m, rbd.Universal("x", "y"))),
    "a user's joint": with_part(lambda m: hung(m, Cam(0.2))),
}
LOADS: dict[str, dict[str, object]] = {
    "traced torque": {"tau": rbd.traced(torque)},
    "torques in rows": {"tau": "rows"},
    "wrench": {"f_ext": {"b0": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}},
    "traced wrench": {"f_ext": rbd.traced(lambda t, q, v: {"b0": [0.1, 0.2, 0.3, q[0], v[0], t]})},
}


BODIES = ("se3", "so3xr3", "bodywise", "maximal")
STEPPED: dict[tuple[str, str], str] = {}
"""What steps from Python, by formulation and integrator, and what the report says of it."""
UNDER_ALL = ("rk4", "implicit_midpoint", "energy_momentum", "generalized_alpha", "dop853", "linearly_implicit_sdirk2")
"""Integrators that are tried under all changes and loads; the others on the plain model, and under a traced torque."""


class CompiledLoop(Exception):
    """Raised in place of a compiled loop over time, which takes long to compile."""


@pytest.fixture
def loops_raise(monkeypatch):
    def is_loop(*given, **named):
        raise CompiledLoop

    for module in (
        "engine.run.simulation", "formulations.constrained.bodies", "formulations.free_bodies",
        "formulations.directors.turning",
    ):  # fmt: skip
        monkeypatch.setattr(f"rbdkit.{module}.run_motion", is_loop)


def model_for(formulation: str, case: str) -> rbd.Model | None:
    """A changed model that a formulation is for; None if it knows nothing of the change."""
    for make in MODELS:
        try:
            FORMULATIONS[formulation](make())
        except rbd.RbdkitError:
            continue
        try:
            model = CHANGES.get(case, CHANGES["plain"])(make())
            FORMULATIONS[formulation](model)
        except rbd.RbdkitError:
            return None
        return model
    raise AssertionError(formulation)


def what_runs(model: rbd.Model, formulation: str, integrator: str, case: str) -> str:
    """'compiled', 'refused', or what the report says of a run that is stepped from Python."""
    loads = dict(LOADS.get(case, {}))
    if loads.get("tau") == "rows":
        loads["tau"] = np.ones((2, model.nv))
    options = {"duration": 2e-3, "dt": 1e-3, "formulation": formulation, "integrator": integrator, "progress": False}
    try:
        run = rbd.simulate(model, v0=np.zeros(model.nv), **options, **loads)
    except CompiledLoop:
        return "compiled"
    except rbd.RbdkitError:
        return "refused"
    return run.report.backend


def is_for(model: rbd.Model, formulation: str, integrator: str) -> bool:
    method = INTEGRATORS.get(integrator)
    return method is None or isinstance(FORMULATIONS[formulation](model), method.requires)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_pair_that_runs_runs_compiled(formulation, loops_raise):
    found: dict[str, set[str]] = {}
    for case in (*CHANGES, *LOADS):
        model = model_for(formulation, case)
        if model is None:
            continue
        everywhere = case in ("plain", "traced torque")
        for integrator in (*INTEGRATORS, *ADAPTIVE) if everywhere else UNDER_ALL:
            if not is_for(model, formulation, integrator):
                continue
            runs = what_runs(model, formulation, integrator, case)
            found.setdefault(runs, set()).add(f"{integrator}, {case}")
            if cause := STEPPED.get((formulation, integrator)):
                assert cause in runs
            else:
                assert runs in ("compiled", "refused"), (integrator, case)
    assert {f"rk4, {case}" for case in ("plain", "spring between bodies", *LOADS)} <= found["compiled"]
    assert not any(entry.endswith(("plain", *LOADS)) for entry in found.get("refused", ()))


def test_what_each_formulation_knows():
    """Changes of a model that formulations refuse, so that the table above says what it seems to say."""
    unknown = {name: {case for case in CHANGES if model_for(name, case) is None} for name in FORMULATIONS}
    hung = {"prescribed joint", "universal joint", "a user's joint", "spline"}
    held = {case for case in CHANGES if case.startswith(("loop", "constraint"))}
    of_joints = {"joint spring", "damper", "rotor"}
    assert not set.union(*(unknown[name] for name in ("joint", *BODIES)))
    assert unknown["redmax"] == held | {"states of an element"}
    for name in ("quaternion", "local_velocity"):
        assert hung <= unknown[name]
    for name in ("directors", "non_twisting_directors", "split_euler", "non_twisting_split_euler"):
        assert unknown[name] == hung | held | of_joints


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_readable_form_runs_where_it_is_asked_for(formulation):
    """And moves as the compiled one does, to the round-off of a few steps."""
    free = formulation in ("local_velocity", "quaternion") or "split" in formulation or "directors" in formulation
    model = body(rbd.Free() if free else rbd.Revolute("y"))
    v = [1.0, 2.0, 0.0, 0.1, 0.2, 0.3] if free else [1.0]
    run = partial(rbd.simulate, model, None, v, 0.01, 0.005, formulation=formulation)
    run = partial(run, integrator=next(name for name in INTEGRATORS if not_refused(partial(run, integrator=name))))
    quick, book = run(), run(backend="book")
    assert "compiled loop" in quick.report.backend
    assert "compiled loop" not in book.report.backend and "book form (NumPy), as asked for" in book.report.backend
    np.testing.assert_allclose(book.poses(), quick.poses(), rtol=0, atol=1e-12)


def not_refused(run: Callable[[], object]) -> bool:
    try:
        run()
    except rbd.RbdkitError:
        return False
    return True
