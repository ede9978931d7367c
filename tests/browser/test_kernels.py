"""WebAssembly in Chromium against the compiled code of this machine: simulations, further kernels, parameters.

They round differently (see tests/engine/test_wasm.py), by a few units of the last digit in a step; the double pendulum
loses another digit in about a second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import copy

import numpy as np
import pytest
from numpy.typing import NDArray

import rbdkit as rbd
from rbdkit import engine, trace
from rbdkit.engine.run.shapes import UNROLLED_LINKS
from rbdkit.formulations import JointSystem
from rbdkit.integrators import RK4, Projected, SymplecticEuler
from rbdkit.joints import Free
from rbdkit.laws import TimeStepping
from rbdkit.library import double_pendulum, joint_gallery, planar_four_bar, random_tree, robot_file
from rbdkit.model import Model
from tests.laws.test_compiled_rows import lift

METHOD = RK4()
ROUND_OFF = 1e-12


@pytest.fixture
def blank(chromium) -> Iterator:
    """An empty page with the loader."""
    page = chromium.new_page()
    page.add_script_tag(content=engine.loader())
    yield page
    page.close()


@pytest.fixture
def run(blank) -> Callable[[dict, str], dict]:
    """Run JavaScript, in which `kernels` is a packaged model; gives what it returns, typed arrays as lists."""

    def run(packaged: dict, script: str) -> dict:
        plain = "(_, x) => x instanceof Float64Array ? Array.from(x) : x"
        return json.loads(
            blank.evaluate(
                f"""async (text) => {{
                    const kernels = await Kernels.load(JSON.parse(text));
                    return JSON.stringify((() => {{ {script} }})(), {plain});
                }}""",
                json.dumps(packaged),
            )
        )

    return run


def off(found: object, expected: NDArray) -> float:
    """Largest difference relative to the largest element."""
    return float(np.max(np.abs(np.reshape(found, expected.shape) - expected)) / np.max(np.abs(expected)))


def motion(model: Model, q: NDArray, v: NDArray, dt: float, steps: int, **more: object) -> trace.Run:
    """The same by LLVM's code."""
    kernels = engine.Kernels(model, "llvm")
    more = {"method": METHOD, "tau": np.zeros(model.nv), **more}
    return engine.simulate(kernels, q, v, dt * np.arange(steps + 1), **more)


def panda() -> Model:
    """The robot without meshes; one finger follows the other."""
    return rbd.load(re.sub(r"(?s)<(visual|collision)>.*?</\1>", "", robot_file("panda").read_text()))


def test_a_double_pendulum(run):
    model = double_pendulum()
    assert len(model.bodies) - 1 <= UNROLLED_LINKS  # in straight-line code
    found = run(
        engine.packaged(model, METHOD),
        """
        const motion = kernels.simulate({ q: [2.0, 1.0], v: [0, 0], dt: 1e-3, steps: 1000, every: 10 });
        return { ...motion, ...kernels.compute("energy", motion), ...kernels.compute("poses", motion) };
        """,
    )
    expected = motion(model, np.array([2.0, 1.0]), np.zeros(2), 1e-3, 1000, every=10)
    kernels = engine.Kernels(model, "llvm")
    assert np.array_equal(found["t"], 1e-3 * expected.at) and not found["ranAway"]
    assert off(found["q"], expected.q) < 1e-11 and off(found["v"], expected.v) < 1e-11
    assert off(found["poses"], kernels.forward_kinematics(expected.q)[0]) < 1e-11
    energies = np.reshape(found["energies"], (-1, 3))
    assert off(energies, kernels.energy(expected.q, expected.v)) < 1e-11
    assert np.ptp(energies.sum(axis=1)) < 1e-6  # RK4 at 1 ms loses some 1e-7 J of 20


@pytest.mark.robots
@pytest.mark.parametrize("loop", [False, True], ids=["fingers", "fingers and a follower far from its leader"])
def test_a_robot_with_torques_that_change(run, loop):
    model = panda()
    if loop:
        inertia = rbd.Inertia.sphere(0.05, mass=0.2)
        model.add_body("lamp", joint=rbd.Revolute("z"), inertia=inertia, mimic=rbd.Mimic("panda_joint1", 0.5))
        model.add_body("shade", "lamp", rbd.Revolute("x"), (0, 0, 0.1), inertia)
    assert model.mimics and engine.Kernels(model, "llvm").unrolls(None) is not loop
    rng = np.random.default_rng(3)
    q, v, tau = rng.normal(size=model.nv), np.zeros(model.nv), rng.normal(size=(301, model.nv))
    given = json.dumps({"q": q.tolist(), "v": v.tolist(), "tau": tau.ravel().tolist()})
    found = run(
        engine.packaged(model, METHOD, algorithms=()),
        f"return kernels.simulate({{ ...{given}, dt: 1e-3, steps: 300, every: 100 }});",
    )
    expected = motion(model, q, v, 1e-3, 300, tau=tau, every=100)
    assert off(found["q"], expected.q) < 1e-11 and off(found["v"], expected.v) < 1e-11


def test_the_symplectic_method_and_a_traced_controller(run):
    model = double_pendulum()

    def controller(t, q, v):
        return np.array([2.0 * np.sin(3.0 * t) - 0.3 * v[0], -q[1] * q[1] * v[1]])

    found = run(
        engine.packaged(model, SymplecticEuler(), tau=controller, algorithms=()),
        "return kernels.simulate({ q: [0.5, -0.5], v: [0, 0.1], dt: 1e-3, steps: 500 });",
    )
    traced = trace.trace(controller, (), 2, 2, names=("t", "q", "v"))
    v0 = np.array([0.0, 0.1])
    expected = motion(
        model, np.array([0.5, -0.5]), v0, 1e-3, 500, method=SymplecticEuler(), tau=trace.Feedback.of(traced)
    )
    assert off(found["q"], expected.q) < 1e-11 and off(found["v"], expected.v) < 1e-11


def test_a_law_of_exponentials_and_tables(run):
    model = double_pendulum()

    def motor(t, q, v):
        friction = -0.1 * np.tanh(v / 0.01) - 0.02 * np.exp(-((v / 0.3) ** 2)) * v
        limit = np.interp(abs(v[0]), [0.0, 1.0, 5.0, 10.0], [1.0, 1.0, 0.5, 0.0])
        return friction + np.array([limit * np.sin(3.0 * t), 0.1 * np.log1p(v[1] ** 2) - 0.2 * np.abs(q[1]) ** 0.7])

    found = run(
        engine.packaged(model, METHOD, tau=motor, algorithms=()),
        "return kernels.simulate({ q: [0.4, 0.2], v: [1, 0], dt: 1e-3, steps: 1000 });",
    )
    law = trace.Feedback.of(trace.trace(motor, (), 2, 2, names=("t", "q", "v")))
    expected = motion(model, np.array([0.4, 0.2]), np.array([1.0, 0.0]), 1e-3, 1000, tau=law)
    assert off(found["q"], expected.q) < ROUND_OFF and off(found["v"], expected.v) < ROUND_OFF


def test_a_controller_in_operational_space(run):
    """It asks for the inertia matrix, for Jacobians and for a solution of equations, in the page as in LLVM's code."""
    model = random_tree(
        3, bodies=4, joints=[joint for joint in joint_gallery(np.random.default_rng(2)) if joint.nv == 1]
    )
    tip = model.bodies[-1].name

    def controller(t, q, v):
        J = rbd.jacobian(model, q, tip, "aligned")[3:]
        wanted = np.array([0.2, 0.1 * np.sin(t), 0.3])
        push = -20.0 * (rbd.forward_kinematics(model, q).pose(tip)[:3, 3] - wanted)
        a = np.linalg.solve(rbd.crba(model, q) + np.eye(model.nv), J.T @ push)
        return rbd.rnea(model, q, v, a - 3.0 * v)

    q, v = np.full(model.nq, 0.3), np.full(model.nv, 0.1)
    found = run(
        engine.packaged(model, METHOD, tau=controller, algorithms=()),
        f"return kernels.simulate({{ q: {q.tolist()}, v: {v.tolist()}, dt: 1e-3, steps: 500 }});",
    )
    law = trace.Feedback.of(trace.trace(controller, (), model.nq, model.nv, names=("t", "q", "v")))
    expected = motion(model, q, v, 1e-3, 500, tau=law)
    assert off(found["q"], expected.q) < 1e-11 and off(found["v"], expected.v) < 1e-11
    called = rbd.simulate(model, q, v, duration=0.5, tau=rbd.untraced(controller))
    assert off(found["q"], called.q) < 1e-11


def test_every_algorithm_on_a_stack_of_states(run):
    model = random_tree(3, bodies=5, joints=[Free(), *joint_gallery(np.random.default_rng(2))])
    kernels, rng = engine.Kernels(model, "llvm"), np.random.default_rng(1)
    q = np.array([model.random_q(rng) for _ in range(3)])
    given = {name: rng.normal(size=(3, model.nv)) for name in ("v", "tau", "qdd")}
    names = ("rnea", "aba", "forward_dynamics", "crba", "poses", "kinematics", "energy")
    inputs = json.dumps({name: x.ravel().tolist() for name, x in {"q": q, **given}.items()})
    found = run(
        engine.packaged(model, METHOD, algorithms=names),
        f"""
        const {{ q, v, tau, qdd }} = {inputs};
        const inputs = {{
          rnea: {{ q, v, qdd }}, aba: {{ q, v, tau }}, forward_dynamics: {{ q, v, tau }}, crba: {{ q }},
          poses: {{ q }}, kinematics: {{ q, v }}, energy: {{ q, v }},
        }};
        return Object.fromEntries(Object.entries(inputs).map(([name, x]) => [name, kernels.compute(name, x)]));
        """,
    )
    v, tau, qdd = given["v"], given["tau"], given["qdd"]
    poses, velocities = kernels.forward_kinematics(q, v)
    assert off(found["rnea"]["tau"], kernels.rnea(q, v, qdd)) < ROUND_OFF
    assert off(found["aba"]["qdd"], kernels.aba(q, v, tau)) < 1e2 * ROUND_OFF  # condition of H
    assert off(found["forward_dynamics"]["qdd"], kernels.forward_dynamics(q, v, tau)) < 1e2 * ROUND_OFF
    assert off(found["crba"]["H"], kernels.crba(q)) < ROUND_OFF
    assert off(found["poses"]["poses"], poses) < ROUND_OFF and off(found["kinematics"]["poses"], poses) < ROUND_OFF
    assert off(found["kinematics"]["velocities"], velocities) < ROUND_OFF
    assert off(found["energy"]["energies"], kernels.energy(q, v)) < ROUND_OFF


def test_parameters_change_without_compiling(run):
    """A mass, a length (where the second rod hangs, and the first's centre of mass), a rotor, a spring, gravity."""
    model = double_pendulum()
    hung = model.parameters["hinge2.placement"].copy()
    hung[:3, 3] = [0.0, 0.0, -1.5]
    values = {
        "rod1.mass": 3.0, "rod1.com": [0.0, 0.1, -0.75], "hinge2.placement": hung.tolist(), "hinge1.armature": 0.3,
        "hinge2.stiffness": 2.0, "hinge2.rest": 0.4, "hinge1.damping": 0.1, "gravity": [0.5, 0.0, -1.6],
    }  # fmt: skip
    found = run(
        engine.packaged(model, METHOD, parameters=list(values)),
        f"""
        WebAssembly.compile = WebAssembly.instantiate = WebAssembly.Module = undefined;
        const run = () => kernels.simulate({{ q: [0.5, -0.5], v: [0, 0], dt: 1e-3, steps: 300 }});
        const before = run();
        for (const [name, value] of Object.entries({json.dumps(values)})) kernels.set(name, value);
        const after = run();
        return {{ before, after, energy: kernels.compute("energy", after) }};
        """,
    )
    changed = model.with_parameters(values)
    q, v = np.array([0.5, -0.5]), np.zeros(2)
    for key, of in (("before", model), ("after", changed)):
        expected = motion(of, q, v, 1e-3, 300)
        assert off(found[key]["q"], expected.q) < 1e-11 and off(found[key]["v"], expected.v) < 1e-11
    energies = engine.Kernels(changed, "llvm").energy(expected.q, expected.v)
    assert off(found["energy"]["energies"], energies) < 1e-11


def test_a_motion_that_runs_away_ends_before(run):
    found = run(
        engine.packaged(double_pendulum(), SymplecticEuler(), algorithms=()),
        "return kernels.simulate({ q: [1, 1], v: [0, 0], dt: 10, steps: 200, tau: [1e9, 1e9] });",
    )
    assert found["ranAway"] and len(found["t"]) == len(found["q"]) // 2 < 201
    assert np.all(np.isfinite(found["q"]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('set("rod2.mass", 1)', "'rod2.mass' cannot be changed; it is not one of those that were packaged: rod1.com"),
        ('set("rod1.com", 1)', "'rod1.com' takes 3 finite numbers, not [1]"),
        ('compute("jerk", { q: [0, 0] })', "'jerk' was not packaged, but adjust, simulate, aba"),
        ('compute("aba", { q: [0, 0], v: [0, 0] })', "'aba' needs tau"),
        ('compute("aba", { q: [0, 0], v: [0, 0, 0], tau: [0, 0] })', "v has 3 numbers, not 2"),
        ("simulate({ q: [0], v: [0, 0], dt: 0.1, steps: 3 })", "q has 1 numbers, not 2"),
        ("simulate({ q: [0, 0], v: [0, 0], dt: 0.1, steps: 3, tau: [1, 2, 3, 4] })", "tau has 4 numbers, not 2"),
        ('set("rod1.com", [0, 0, NaN])', "'rod1.com' takes 3 finite numbers, not [0,0,NaN]"),
    ],
)
def test_mistakes_are_named(call, message, run):
    packaged = engine.packaged(double_pendulum(), METHOD, algorithms=["aba"], parameters=["rod1.com"])
    found = run(packaged, f"try {{ kernels.{call}; }} catch (fault) {{ return {{ message: fault.message }}; }}")
    assert message in found["message"]


class Drag(rbd.ForceElement):
    """Drag on a body."""

    body: str
    coefficient: float

    def act(self, at):
        at.apply_force(self.body, -self.coefficient * at.velocity(self.body))


def test_force_elements_act_in_the_page_and_their_numbers_change(run):
    model = double_pendulum()
    a, b = (body.name for body in model.bodies[1:3])
    model.add_force("band", rbd.Spring(b, "world", 20.0, 0.1, 0.3, at_b=(0.5, 0.0, 0.0)))
    model.add_force("grease", rbd.JointFriction(model.joints[1].name, 0.2, creep=0.05))
    model.add_force("air", Drag(a, 0.4))
    packaged = engine.packaged(model, METHOD, algorithms=["energy"], parameters=["band.stiffness", "grease.coulomb"])
    found = run(
        packaged,
        """
        kernels.set("band.stiffness", 35);
        kernels.set("grease.coulomb", 0.05);
        const motion = kernels.simulate({ q: [0.4, 0.3], v: [0, 0], dt: 1e-3, steps: 300, every: 10 });
        return { q: motion.q, energies: kernels.compute("energy", motion).energies };
        """,
    )
    changed = model.with_parameters({"band.stiffness": 35.0, "grease.coulomb": 0.05})
    expected = motion(changed, np.array([0.4, 0.3]), np.zeros(2), 1e-3, 300, every=10)
    assert off(found["q"], expected.q) < 1e-10
    assert off(found["energies"], engine.Kernels(changed, "llvm").energy(expected.q, expected.v)) < 1e-10


def test_numbers_of_constraints_change_in_the_page(run):
    """Gears of another ratio, and a start that fits them; the page holds it there."""
    model = double_pendulum()
    leader, follower = (joint.name for joint in model.joints[1:])
    model.add_constraint("gears", rbd.Tie(follower, leader, -2.0))
    method, start = Projected(METHOD), np.array([0.4, -0.5])
    changed = model.with_parameters({"gears.ratio": -1.5, "gears.offset": 0.1})
    packaged = engine.packaged(model, method, parameters=["gears.ratio", "gears.offset"])
    found = run(
        packaged,
        f"""
        kernels.set("gears.ratio", -1.5);
        kernels.set("gears.offset", 0.1);
        return kernels.simulate({{ q: {start.tolist()}, v: [0, 0], dt: 1e-3, steps: 300, every: 10 }});
        """,
    )
    expected = motion(changed, start, np.zeros(2), 1e-3, 300, every=10, method=method)
    assert off(found["q"], expected.q) < 1e-9
    assert np.ptp(expected.q[:, 0]) > 0.01
    assert np.abs(JointSystem(changed).constraint_error(np.reshape(found["q"], (-1, 2)))).max() < 1e-12


def test_states_of_force_elements_in_the_page(run):
    model = double_pendulum()
    b, joint = model.bodies[2].name, model.joints[1].name
    model.add_force("motor", rbd.Servo(joint, 0.4, 8.0, 0.5, 0.1, torque=0.3))
    model.add_force("seal", rbd.Maxwell(b, "world", 30.0, 4.0, 0.3, 0.02, at_b=(0.5, 0.0, 0.0)))
    packaged = engine.packaged(model, METHOD, algorithms=["energy"], parameters=["seal.dashpot"])
    assert packaged["states"]["names"] == ["motor.torque", "seal.dashpot"]
    found = run(
        packaged,
        """
        kernels.set("seal.dashpot", 0.05);
        const motion = kernels.simulate({ q: [0.4, 0.3], v: [0, 0.1], dt: 1e-3, steps: 300, every: 10 });
        const other = kernels.simulate({ q: [0.4, 0.3], v: [0, 0.1], dt: 1e-3, steps: 300, every: 300, z: [-1, 0.2] });
        let message = "";
        try { kernels.compute("energy", { q: motion.q, v: motion.v }); } catch (fault) { message = fault.message; }
        return { ...motion, energies: kernels.compute("energy", motion).energies, other: other.z, message };
        """,
    )
    model = model.with_parameters({"seal.dashpot": 0.05})
    options = {"duration": 0.3, "every": 10}
    expected = rbd.simulate(model, [0.4, 0.3], [0.0, 0.1], **options)
    for part in ("q", "v", "z"):
        assert off(found[part], getattr(expected, part)) < 1e-10
    assert (
        off(found["energies"], rbd.engine.Kernels(model, "llvm").energy(expected.q, expected.v, z=expected.z)) < 1e-10
    )
    other = rbd.simulate(model, [0.4, 0.3], [0.0, 0.1], **options, z0=[-1.0, 0.2])
    assert off(found["other"], other.z[[0, -1]]) < 1e-10
    assert found["message"] == "'energy' needs z"


class Pump(rbd.ForceElement):
    """A spring at a joint whose stiffness changes with time."""

    joint: str
    stiffness: float

    def act(self, at):
        k = self.stiffness * (1.0 + np.sin(7.0 * at.time))
        at.apply_torque(self.joint, -k * at.coordinates(self.joint))

    def energy(self, at):
        return 0.5 * self.stiffness * (1.0 + np.sin(7.0 * at.time)) * at.coordinates(self.joint)[0] ** 2


def test_forces_that_depend_on_time_in_the_page(run):
    model = double_pendulum()
    model.add_force("pump", Pump(model.joints[1].name, 20.0))
    found = run(
        engine.packaged(model, METHOD, algorithms=["energy"]),
        """
        const motion = kernels.simulate({ q: [0.4, 0.3], v: [0, 0.1], dt: 1e-3, steps: 300, every: 10, t: 0.2 });
        return { ...motion, energies: kernels.compute("energy", motion).energies };
        """,
    )
    t, kernels = 0.2 + 1e-3 * np.arange(301), engine.Kernels(model, "llvm")
    expected = engine.simulate(kernels, np.array([0.4, 0.3]), np.array([0.0, 0.1]), t, METHOD, np.zeros(2), every=10)
    assert off(found["q"], expected.q) < 1e-10
    assert off(found["energies"], kernels.energy(expected.q, expected.v, t[::10])) < 1e-10
    assert np.ptp(expected.q[:, 0]) > 0.1


@pytest.mark.parametrize("held", ["loop", "constraint"])
def test_states_of_force_elements_beside_what_holds(run, held):
    model = planar_four_bar() if held == "loop" else double_pendulum()
    if held == "constraint":
        model.add_constraint("belt", rbd.Tie(model.joints[2].name, model.joints[1].name, -0.5))
    model.add_force("seal", rbd.Maxwell("world", model.bodies[-1].name, 30.0, 2.0, 0.3, at_a=(0.2, 0.3, 0.1)))
    model.add_force("motor", rbd.Servo(model.joints[1].name, 1.0, 3.0, 0.1, 0.1))
    start = None if held == "loop" else [0.6, -0.3]
    expected = rbd.simulate(model, start, duration=0.2, every=10, z0={"motor.torque": -0.3})
    found = run(
        engine.packaged(model, Projected(RK4()), algorithms=["energy"]),
        f"""
        const [q, v, z] = {[x[0].tolist() for x in (expected.q, expected.v, expected.z)]};
        const motion = kernels.simulate({{ q, v, z, dt: 1e-3, steps: 200, every: 10 }});
        return {{ ...motion, energies: kernels.compute("energy", motion).energies }};
        """,
    )
    for part in ("q", "v", "z"):
        assert off(found[part], getattr(expected, part)) < 1e-10
    assert np.ptp(expected.z[:, 0]) > 1e-3
    assert off(np.reshape(found["energies"], (-1, 3)).sum(axis=1), expected.energy().total) < 1e-10


def on_the_ground() -> tuple[Model, NDArray, NDArray]:
    """A ball and a box, thrown on the ground and at each other; the ball's material is its own."""
    model = Model("thrown")
    ball = rbd.Geometry(rbd.Sphere(0.1), material=rbd.Material(friction=0.4, restitution=0.6))
    model.add_body("ball", joint=Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=ball)
    model.add_body("box", joint=Free(), inertia=rbd.Inertia.box([0.2, 0.2, 0.2], mass=1.0), geometry=rbd.Box([0.2] * 3))
    model.add_ground(friction=0.5, restitution=0.3)
    model.add_contacts(friction=0.3)
    q = np.array(model.neutral())
    q[4:7], q[11:] = [0.0, 0.0, 0.5], [0.5, 0.0, 0.3]
    return model, q, np.array([1.0, 2.0, 3.0, 1.0, 0.5, 0.0, 3.0, 1.0, 0.0, 0.0, 0.5, 0.0])


@pytest.mark.parametrize("touching", [True, False])
@pytest.mark.parametrize("moved", ["constraint", "loop joint"])
def test_time_moves_a_lift_in_the_page(run, moved, touching):
    """By what a constraint or a loop joint says, with a ball that it carries, or falls through it."""
    model, q, v = lift(moved)
    method, contact = (TimeStepping().compiled(), None) if touching else (Projected(METHOD), "none")
    through = copy(model)
    through.contact_rules = model.contact_rules if touching else ()
    found = run(
        engine.packaged(through, method),
        f"return kernels.simulate({{ q: {q.tolist()}, v: {v.tolist()}, dt: 2e-3, steps: 300, every: 10 }});",
    )
    expected = rbd.simulate(model, q, v, 0.6, 2e-3, every=10, contact=contact)
    assert "compiled loop" in expected.report.backend
    assert off(found["q"], expected.q) < 1e-9 and off(found["v"], expected.v) < 1e-8  # sweeps end at 1e-10
    if not touching:
        assert off(found["q"], expected.q) < 1e-11


def test_time_is_told_to_simulations_alone():
    model, _, _ = lift("constraint")
    with pytest.raises(engine.NotCovered, match="forward_dynamics of model 'lift' asks for time"):
        engine.packaged(model, TimeStepping().compiled(), algorithms=["forward_dynamics"])


def test_bodies_touch_as_in_the_loop_here(run):
    model, q, v = on_the_ground()
    law = TimeStepping()
    packaged = engine.packaged(model, law.compiled(), parameters=["ground.friction", "ground.restitution"])
    changed = model.with_parameters({"ground.friction": 0.9, "ground.restitution": 0.2})
    start = f"q: {q.tolist()}, v: {v.tolist()}, dt: 2e-3"
    found = run(
        packaged,
        f"""
        const first = kernels.simulate({{ {start}, steps: 500 }});
        const thin = kernels.simulate({{ {start}, steps: 500, every: 10 }});
        kernels.packaged.counts.log_room = 40; // the log is full again and again
        const often = kernels.simulate({{ {start}, steps: 500, every: 10 }});
        const part = kernels.simulate({{ {start}, steps: 200 }});
        const last = (values, n) => Array.from(values.slice(-n));
        const there = {{ q: last(part.q, 14), v: last(part.v, 12), t: 0.4, goes_on: true }};
        const rest = kernels.simulate({{ ...there, dt: 2e-3, steps: 300 }});
        const apart = kernels.simulate({{ {start}, steps: 300, apart: true }});
        kernels.set("ground.friction", 0.9);
        kernels.set("ground.restitution", 0.2);
        return {{ first, thin, often, rest, apart, other: kernels.simulate({{ {start}, steps: 500 }}) }};
        """,
    )
    for name, moved in (("first", model), ("other", changed)):
        motion = rbd.simulate(moved, q, v, 1.0, 2e-3, contact=law, progress=False)
        assert motion.report.backend.startswith("compiled loop")
        assert off(found[name]["q"], motion.q) < ROUND_OFF and off(found[name]["v"], motion.v) < 100 * ROUND_OFF
        entries, record = found[name]["contacts"]["entries"], motion.contacts
        assert [entry["state"] for entry in entries] == record.state.tolist()
        assert [record.names[int(entry["pair"])] for entry in entries] == [record.names[k] for k in record.pair]
        assert off([entry["point"] for entry in entries], record.point) < ROUND_OFF
        solved = vars(record)["force"]  # a page tells how steps shared them, and does not even out the shares
        blows = np.abs(solved).max()  # N; what blows give in a step
        np.testing.assert_allclose(
            [entry["force"] for entry in entries], solved, rtol=0, atol=1e-8 * blows
        )  # 1.2e-9 was seen: sweeps end at a tolerance
        assert found[name]["contacts"]["worst"] == pytest.approx(motion.report.contacts.residual, abs=1e-12)
    mine, thin, often = (np.reshape(found[name]["q"], (-1, 14)) for name in ("first", "thin", "often"))
    np.testing.assert_array_equal(thin, mine[::10])
    np.testing.assert_array_equal(often, thin)
    assert found["often"]["contacts"]["entries"] == found["thin"]["contacts"]["entries"]
    rest = np.reshape(found["rest"]["q"], (-1, 14))
    np.testing.assert_allclose(rest, mine[200:], rtol=0, atol=ROUND_OFF)  # it knew of the step before
    assert found["apart"]["q"][-1] < -0.5  # through the ground


def test_stops_and_strings_hold_as_in_the_loop_here(run):
    """A sledge against its stop and a ball on a string above the ground; and with the stop moved in the page."""
    model = rbd.Model("stopped")
    model.add_body("slide", joint=rbd.Prismatic("x"), joint_name="x", inertia=rbd.Inertia.sphere(0.01, 1e-2))
    block = rbd.Inertia.box((0.2, 0.2, 0.2), mass=2.0)
    model.add_body("block", "slide", joint=rbd.Revolute("y"), inertia=block, geometry=rbd.Sphere(0.1))
    model.add_body("ball", joint=Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    model.add_ground(height=-0.1, friction=0.5)
    model.add_constraint("stop", rbd.Limit("x", None, 0.2))
    model.add_constraint("string", rbd.TautString("block", "ball", 0.6))
    q, v = model.neutral(), np.zeros(model.nv)
    q[-3:], v[0], v[-3:] = [0.3, 0.2, 0.1], 1.0, [1.5, 0.0, 0.5]
    packaged = engine.packaged(model, TimeStepping().compiled(), parameters=["stop.upper", "string.length"])
    changed = model.with_parameters({"stop.upper": 0.25, "string.length": 0.7})
    start = f"q: {q.tolist()}, v: {v.tolist()}, dt: 2e-3"
    found = run(
        packaged,
        f"""
        const first = kernels.simulate({{ {start}, steps: 400 }});
        const near = kernels.touched(2e-3);
        kernels.set("stop.upper", 0.25);
        kernels.set("string.length", 0.7);
        return {{ first, near, other: kernels.simulate({{ {start}, steps: 400 }}) }};
        """,
    )
    for name, moved in (("first", model), ("other", changed)):
        motion = rbd.simulate(moved, q, v, 0.8, 2e-3, progress=False)
        assert motion.report.backend.startswith("compiled loop")
        assert all(motion.contacts.normal_force(stop).max() > 0.0 for stop in motion.contacts.stops)
        assert off(found[name]["q"], motion.q) < ROUND_OFF and off(found[name]["v"], motion.v) < 100 * ROUND_OFF
        entries, record = found[name]["contacts"]["entries"], motion.contacts
        assert [entry["state"] for entry in entries] == record.state.tolist()
    assert {entry["pair"] for entry in found["near"]} <= {0, 1, 2}


def test_what_a_stop_would_push_is_no_kernel_of_a_page():
    model = double_pendulum()
    model.add_constraint("stop", rbd.Limit(model.joints[1].name, -1.0, 1.0))
    with pytest.raises(engine.NotCovered, match="'stop' holds on one side"):
        engine.packaged(model, TimeStepping().compiled(), algorithms=["forward_dynamics"])


def test_forces_that_rigid_bodies_do_not_determine_are_open_in_the_page(run):
    """A table at rest, one that slides on three legs, and a box on a block: as records here say it."""
    model = rbd.Model("furniture")
    at = [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)]
    for name, feet in (("table", at), ("stool", at[:3])):
        legs = [rbd.Geometry(rbd.Sphere(0.02), (*foot, -0.1)) for foot in feet]
        model.add_body(name, joint=Free(), inertia=rbd.Inertia(2.0, (0.05, 0, 0), np.eye(3) * 0.04), geometry=legs)
    for name in ("block", "box", "ball"):
        shape = rbd.Sphere(0.1) if name == "ball" else rbd.Box([0.2] * 3)
        model.add_body(name, joint=Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=shape)
    model.add_ground(friction=0.5)
    model.add_contacts(friction=0.3)
    q, v = np.array(model.neutral()), np.zeros(model.nv)
    q.reshape(-1, 7)[:, 4:] = [(0, 0, 0.12), (0, 2, 0.12), (0, 4, 0.1), (0.03, 4, 0.3), (0, 6, 0.1)]
    v[6:12] = [0, 0, 0.5, 1, 0, 0]
    found = run(
        engine.packaged(model, TimeStepping().compiled()),
        f"""
        const motion = kernels.simulate({{ q: {q.tolist()}, v: {v.tolist()}, dt: 2e-3, steps: 10 }});
        for (const work = kernels.tell_open(motion, {{ dt: 2e-3 }}); !work.next().done; );
        const last = (values, n) => Array.from(values.slice(-n));
        const now = {{ q: last(motion.q, 35), v: last(motion.v, 30), t: 0.02, goes_on: true, dt: 2e-3, steps: 1 }};
        kernels.simulate(now);
        const open = kernels.open_slots();
        return {{ motion, near: kernels.touched(2e-3).map((place) => ({{ ...place, open: open.has(place.slot) }})) }};
        """,
    )
    record = rbd.simulate(model, q, v, 0.02, 2e-3).contacts
    entries = found["motion"]["contacts"]["entries"]
    entries.sort(key=lambda entry: (entry["state"], entry["pair"], entry["slot"]))
    assert [bool(entry.get("open")) for entry in entries] == record.indeterminate.tolist()
    said = {record.names[int(place["pair"])]: place["open"] for place in found["near"] if np.any(place["force"])}
    assert {name for name, is_open in said.items() if not is_open} >= {n for n in said if "ball" in n or "stool" in n}
    assert record.indeterminate.any() and not record.indeterminate.all()
