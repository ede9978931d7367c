"""A turning body in compiled loops takes the steps of its readable equations, with all methods that record theirs."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import FORMULATIONS, Directors, joint_state
from rbdkit.formulations.formulation import Acting
from rbdkit.integrators import INTEGRATORS, RK4

NAMES = ("directors", "non_twisting_directors", "split_euler", "non_twisting_split_euler")
METHODS = ("rk4", "symplectic_euler", "implicit_midpoint", "crouch_grossman3")


def top() -> rbd.Model:
    model = rbd.Model("top")
    model.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(2.0, (0, 0, 0.3), np.diag([1.0, 1.2, 0.8])))
    return model


def thrown() -> rbd.Model:
    model = rbd.Model("thrown", gravity=(1.0, -2.0, -9.0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(2.0, (0.1, -0.2, 0.3), np.diag([1.0, 1.2, 0.8])))
    return model


def schedules(n: int, steps: int) -> dict[str, np.ndarray | None]:
    rng = np.random.default_rng(0)
    shapes = {"constant": (n,), "held": (steps, n), "sampled": (steps + 1, n)}
    return {"none": None} | {name: rng.normal(size=shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("loads", ["none", "constant", "held", "sampled"])
@pytest.mark.parametrize("make", [top, thrown])
@pytest.mark.parametrize("name", NAMES)
def test_all_formulations_with_all_methods(name, make, loads):
    """Of some ten steps, to round-off; the equations of the implicit method are solved to 1e-14."""
    model, h, steps = make(), 0.02, 6
    n, times = model.nv, h * np.arange(steps + 1)
    tau = schedules(n, steps)[loads]
    q, v = model.random_q(np.random.default_rng(1)), np.array([1.2, -0.7, 0.0, 0.5, -0.3, 0.2])[:n]

    def scheduled(t, x, w):
        if tau.ndim == 1:
            return tau
        place = t / h
        if len(tau) == steps:
            return tau[current[0]]
        k = min(int(place), steps - 1)
        return tau[k] + (place - k) * (tau[k + 1] - tau[k])

    current = [0]
    system = FORMULATIONS[name](model, None if tau is None else scheduled)
    acts = None if tau is None else Acting(tau, None)
    for method in (INTEGRATORS[name] for name in METHODS):
        x, w = system.state(q, v)
        run = system.compiled_run(method, times, x, w, 1, lambda done: None, acts)
        assert run is not None and run.steps == steps
        state = method.init(system, 0.0, x, w)
        for k in range(steps):
            current[0] = k
            state = method.step(system, state, h)
        np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)
        np.testing.assert_allclose(run.v[-1], state.v, rtol=0, atol=1e-12)


def test_a_body_without_mass_in_a_direction():
    """Its mass matrix is singular: the elimination of its equations has to change rows."""
    model = rbd.Model("disc")
    model.add_body("disc", joint=rbd.Spherical(), inertia=rbd.Inertia(2.0, (0, 0, 0), np.diag([1.0, 1.0, 2.0])))
    system = Directors(model)
    assert np.linalg.matrix_rank(system.M) == 6
    x, w = system.state(model.neutral(), np.array([0.3, 0.1, 2.0]))
    run = system.compiled_run(RK4(), 0.01 * np.arange(11), x, w, 10, lambda done: None)
    state = RK4().init(system, 0.0, x, w)
    for _ in range(10):
        state = RK4().step(system, state, 0.01)
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_what_is_not_recorded_is_stepped_from_python():
    class Dragged(Directors):
        def generalized_force(self, t, q, v, at=None):
            return -v

    options = {"v0": [0.3, 0.2, 0.1], "duration": 0.02, "dt": 0.01, "integrator": "rk4", "progress": False}
    own = rbd.simulate(top(), formulation=Dragged, **options)
    assert "is of class Dragged, and the compiled loop that of its base class" in own.report.backend
    assert "compiled loop" in rbd.simulate(top(), formulation="split_euler", **options).report.backend


def loaded(joint, element):
    """A body whose joint stands somewhere in the world, turned; with a spring from its tip to a hook, or without."""
    model, body = rbd.Model("loaded"), rbd.Inertia(1.5, [0.0, 0.0, 0.3], np.diag([0.1, 0.12, 0.05]))
    place = rbd.pose([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [0.1, 0.2, 0.3])
    model.add_body("top", joint=joint, inertia=body, placement=place)
    if element:
        model.add_force("band", rbd.Spring("top", "world", 20.0, 0.5, 0.3, (0.1, 0.2, 0.4), (0.5, 0.1, 0.2)))
    return model


JOINTS = {"pivot": rbd.Spherical(), "free": rbd.Free(), "own axes": rbd.Free(translation="successor")}
LOADS = {
    "element": {},
    "wrench": {"f_ext": {"top": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}},
    "law": {"tau": rbd.traced(lambda t, q, v: np.sin(3.0 * t) - 0.3 * v * q[1])},
    "wrench law": {"f_ext": rbd.traced(lambda t, q, v: {"top": [0.1 * q[0], q[1], q[2], -v[0], t, 0.2]})},
}


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("formulation", NAMES)
def test_loads_of_all_kinds_are_compiled(formulation, load, kind):
    """Against joint coordinates, or, of bodies without twist, against steps from Python."""
    model = loaded(JOINTS[kind], element=load != "wrench")
    q0, v0 = model.random_q(3), np.linspace(0.2, 1.0, model.nv)
    v0[2] *= "non" not in formulation
    options = {"duration": 0.04, "dt": 1e-3, "progress": False}
    found = rbd.simulate(model, q0, v0, formulation=formulation, **options, **LOADS[load])
    assert "compiled loop" in found.report.backend
    if "non" in formulation:
        system = FORMULATIONS[formulation](model, *functions(model, formulation, LOADS[load]))
        state = RK4().init(system, 0.0, *system.state(q0, v0))
        for _ in range(40):
            state = RK4().step(system, state, 1e-3)
        np.testing.assert_allclose(found.x[-1], state.x, rtol=0, atol=1e-11)
        np.testing.assert_allclose(found.w[-1], state.v, rtol=0, atol=1e-10)
    else:
        exact = rbd.simulate(model, q0, v0, **options, **LOADS[load])
        np.testing.assert_allclose(found.poses(), exact.poses(), rtol=0, atol=1e-10)
        nothing = rbd.simulate(loaded(JOINTS[kind], False), q0, v0, **options)
        assert np.abs(exact.poses() - nothing.poses()).max() > 1e-5


def functions(model, formulation, load):
    """tau and f_ext as functions of time and states."""
    at = FORMULATIONS[formulation](model)

    def of_joints(law):
        return lambda t, x, w: law(t, *joint_state(model, at.poses(x), at.velocities(x, w)))

    def wrenches(t, q, v):
        given = load["f_ext"](t, q, v) if callable(load["f_ext"]) else load["f_ext"]
        return np.array([np.zeros(6), given["top"]])

    return of_joints(load["tau"]) if "tau" in load else None, of_joints(wrenches) if "f_ext" in load else None
