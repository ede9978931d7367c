"""Laws that call rbdkit's own algorithms stay in the compiled loop, and record what the readable forms give."""

import math

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import joints
from rbdkit.engine.links.own_laws import record_law
from rbdkit.errors import SimulationError
from rbdkit.formulations import FORMULATIONS
from rbdkit.library import chain_pendulum, double_pendulum, planar_four_bar, random_tree
from rbdkit.trace import compile_python, python_source

KP, KD = 100.0, 20.0
FORM = {"backend": "book"}
"""What functions are compared with: other code, which knows no symbols."""


def gripper():
    """The second finger follows the first one, the other way and twice as fast."""
    model, box = rbd.Model("gripper"), rbd.Inertia.box([0.1, 0.2, 0.3], mass=2.0)
    arm = model.add_body("arm", joint=rbd.Revolute("y"), inertia=box)
    model.add_body("left", arm, rbd.Revolute("z"), (0.1, 0.2, 0.3), box, joint_name="left", armature=0.1)
    follows = rbd.Mimic("left", -2.0, 0.1)
    model.add_body("right", arm, rbd.Revolute("x"), (0.1, -0.2, 0.3), box, joint_name="right", mimic=follows)
    return model


MODELS = {
    "all joints": lambda: random_tree(3, 17),
    "loops": planar_four_bar,  # of which these are the functions of the spanning tree
    "follower": gripper,
}
BODY, REFERENCES = -1, ("body", "world", "aligned")
FUNCTIONS = {
    "rnea": lambda m, q, v, a, **form: rbd.rnea(m, q, v, a, **form),
    "external": lambda m, q, v, a, **form: rbd.rnea(m, q, v, a, f_ext={m.bodies[1].name: [1, 2, 3, 4, 5, 6]}, **form),
    "crba": lambda m, q, v, a, **form: rbd.crba(m, q, **form),
    "bias_force": lambda m, q, v, a, **form: rbd.bias_force(m, q, v, **form),
    "gravity_force": lambda m, q, v, a, **form: rbd.gravity_force(m, q, **form),
    "pose": lambda m, q, v, a, **form: rbd.forward_kinematics(m, q, **form).pose(m.bodies[BODY].name),
    "velocity": lambda m, q, v, a, **form: rbd.forward_kinematics(m, q, v, **form).velocity(m.bodies[BODY].name),
    "center_of_mass": lambda m, q, v, a, **form: rbd.center_of_mass(m, q, **form),
    "momentum": lambda m, q, v, a, **form: rbd.momentum(m, q, v, **form),
    "centroidal": lambda m, q, v, a, **form: rbd.momentum(m, q, v, "com", **form),
    "energy": lambda m, q, v, a, **form: rbd.energy(m, q, v, **form).total,
    "stack": lambda m, q, v, a, **form: rbd.rnea(m, np.array([q, q]), v, [a, 2.0 * a], **form),
    **{
        f"jacobian {reference}": lambda m, q, v, a, r=reference, **form: rbd.jacobian(
            m, q, m.bodies[BODY].name, r, **form
        )
        for reference in REFERENCES
    },
    **{
        f"bias {reference}": lambda m, q, v, a, r=reference, **form: rbd.bias_acceleration(
            m, q, v, m.bodies[BODY].name, r, **form
        )
        for reference in REFERENCES
    },
}
OF_TREES = {
    "aba": lambda m, q, v, a, **form: rbd.aba(m, q, v, a, **form),
    "forward_dynamics": lambda m, q, v, a, **form: rbd.forward_dynamics(m, q, v, a, **form),
}


APART = (("loops", "aba"), ("loops", "forward_dynamics"), ("follower", "aba"))
"""Models that an algorithm is not for, or whose dependent rows of constraints it finds by their values."""
PAIRS = [(model, name) for model in MODELS for name in (*FUNCTIONS, *OF_TREES) if (model, name) not in APART]


@pytest.mark.parametrize(("model", "name"), PAIRS)
def test_what_is_recorded_of_an_algorithm_is_what_its_readable_form_gives(name, model):
    function, system = (FUNCTIONS | OF_TREES)[name], MODELS[model]()
    sizes = (system.nq, system.nv, system.nv)
    record = record_law(function, lambda law, q, v, a: np.asarray(law(system, q, v, a)), sizes, ("q", "v", "a"))
    computed = compile_python(python_source(record), "traced")
    rng = np.random.default_rng(5)
    for _ in range(3):
        q, v, a = system.random_q(rng), rng.normal(size=system.nv), rng.normal(size=system.nv)
        expected = function(system, q, v, a, **FORM)
        found = np.reshape(computed(q.tolist(), v.tolist(), a.tolist()), np.shape(expected))
        # accelerations: round-off times the condition of H, some 1e3 for the tree of all joints
        size = np.max(np.abs(expected), initial=1.0) * (1e2 if name in OF_TREES else 1.0)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * size)


def test_slopes_of_inverse_dynamics_in_a_law():
    """A gain scheduled by d tau / dq: its own run from Python says the same."""
    model = double_pendulum()

    def law(t, q, v):
        return -rbd.rnea_derivatives(model, q, v, 0.0 * v).dtau_dq @ q - v

    assert_same_runs(model, law)


def assert_same_runs(model, law, tolerance=1e-12, **options):
    """Compiled, and called from Python at every stage."""
    options = {"duration": 0.4, "dt": 1e-3, **options}
    compiled = rbd.simulate(model, tau=law, **options)
    called = rbd.simulate(model, tau=rbd.untraced(law), **options)
    assert "tau traced" in compiled.report.backend and "untraced" in called.report.backend
    # round-off of 400 steps, in which the law holds errors down
    np.testing.assert_allclose(compiled.q, called.q, rtol=0, atol=tolerance)
    np.testing.assert_allclose(compiled.tau, called.tau, rtol=0, atol=1e3 * tolerance)
    return compiled


# --- computed torque --------------------------------------------------------------------------------------------------


def computed_torque(model, known=None):
    """q follows 0.3 sin 2 t by the linear equation of the error, if the model that the law knows is right."""
    known = model if known is None else known

    def law(t, q, v):
        error, rate = q - 0.3 * np.sin(2.0 * t), v - 0.6 * np.cos(2.0 * t)
        return rbd.rnea(known, q, v, -1.2 * np.sin(2.0 * t) - KP * error - KD * rate)

    return law


OF_ONE_BODY = ("directors", "non_twisting_directors", "split_euler", "non_twisting_split_euler")
OF_FREE_BODIES = (*OF_ONE_BODY, "local_velocity", "quaternion")


@pytest.mark.parametrize("formulation", [name for name in FORMULATIONS if name not in OF_FREE_BODIES])
def test_computed_torque_gives_the_linear_equation_of_the_error(formulation):
    """e'' + 20 e' + 100 e = 0 with e(0) = 0.1 and e'(0) = -0.6: e = (0.1 + 0.4 t) exp(-10 t)."""
    model, start = chain_pendulum(3), np.full(3, 0.1)
    law = computed_torque(model)
    motion = rbd.simulate(model, start, duration=0.5, dt=5e-4, formulation=formulation, tau=law)
    assert "tau traced" in motion.report.backend
    expected = 0.3 * np.sin(2.0 * motion.t) + (0.1 + 0.4 * motion.t) * np.exp(-10.0 * motion.t)
    # the error of a method of order 4; that of one of order 2, of h^2 times the third derivative
    tolerance = 1e-9 if motion.report.order == 4 else 1e-5
    np.testing.assert_allclose(motion.q, np.tile(expected, (3, 1)).T, rtol=0, atol=tolerance)


@pytest.mark.parametrize("formulation", OF_FREE_BODIES)
def test_computed_torque_lets_a_spin_die(formulation):
    """vdot = -4 v, so v = exp(-4 t) v(0) in the body's coordinates, whatever the inertia."""
    model = rbd.Model("body")
    joint = rbd.Spherical() if formulation in OF_ONE_BODY else rbd.Free()
    model.add_body("body", joint=joint, inertia=rbd.Inertia(2.0, np.zeros(3), np.diag([0.3, 0.4, 0.2])))
    v0 = np.array([0.5, -1.0, 2.0, 0.3, 0.2, 0.1])[: model.nv]

    def law(t, q, v):
        return rbd.rnea(model, q, v, -4.0 * v)

    if "non_twisting" in formulation:
        v0[2] = 0.0
    motion = rbd.simulate(model, v0=v0, duration=0.5, dt=5e-4, formulation=formulation, tau=law)
    assert "tau traced" in motion.report.backend
    tolerance = 1e-9 if motion.report.order == 4 else 1e-5
    np.testing.assert_allclose(motion.v, np.exp(-4.0 * motion.t)[:, None] * v0, rtol=0, atol=tolerance)


def test_a_controller_may_have_a_wrong_model():
    """It knows half the masses, so gravity pulls the arms away, and both runs say by how much."""
    model = double_pendulum()
    known = model.with_parameters({f"{body.name}.mass": 0.5 * body.inertia.mass for body in model.bodies[1:]})
    wrong = assert_same_runs(model, computed_torque(model, known), q0=[0.3, 0.1])
    right = assert_same_runs(model, computed_torque(model), q0=[0.3, 0.1])
    assert np.abs(wrong.q - right.q).max() > 0.02


@pytest.mark.filterwarnings("ignore:STEP TOO LONG")  # what moves is round-off
def test_joints_of_all_types_are_held_against_gravity():
    """Gravity compensation: what is at rest stays at rest."""
    model = random_tree(3, 17)
    q0 = model.random_q(2)
    motion = assert_same_runs(model, lambda t, q, v: rbd.rnea(model, q, 0 * v, 0 * v) - 0.1 * v, 1e-11, q0=q0)
    assert np.abs(motion.v).max() < 1e-9  # round-off of 400 steps


def test_control_in_operational_space():
    """The tip of an arm goes to its target as a free mass would on a spring with a damper."""
    model = chain_pendulum(3)
    tip, target = model.bodies[-1].name, np.array([0.4, -0.9])
    plane = [0, 2] if np.abs(rbd.jacobian(model, np.full(3, 0.3), tip, "aligned")[4]).max() < 1e-12 else [1, 2]

    def law(t, q, v):
        J = rbd.jacobian(model, q, tip, "aligned")[3:][plane]
        x = rbd.forward_kinematics(model, q).pose(tip)[plane, 3]
        drift = rbd.bias_acceleration(model, q, v, tip, "aligned")[3:][plane]
        H, C = rbd.crba(model, q), rbd.bias_force(model, q, v)
        inertia = np.linalg.inv(J @ np.linalg.solve(H, J.T))
        return J.T @ (inertia @ (-KP * (x - target) - KD * (J @ v) - drift)) + C - 0.5 * v

    def law_of_tip(t, q, v):  # without the damping of joints, which pulls the tip aside
        return law(t, q, v) + 0.5 * v

    q0 = np.array([0.5, 0.7, -0.4])
    assert_same_runs(model, law, 1e-10, q0=q0)
    motion = assert_same_runs(model, law_of_tip, 1e-10, q0=q0)
    x = np.array([rbd.forward_kinematics(model, q).pose(tip)[plane, 3] for q in motion.q])
    away = (1.0 + 10.0 * motion.t) * np.exp(-10.0 * motion.t)  # of e'' + 20 e' + 100 e = 0 from rest
    # RK4 with 1 ms on rates of 10/s and on what turns in the null space
    np.testing.assert_allclose(x, target + away[:, None] * (x[0] - target), rtol=0, atol=1e-7)


def test_lanes_of_a_sweep():
    """Models with other masses under one law, in lanes: each as it moves alone."""
    model = double_pendulum()
    name, law = model.bodies[2].name, computed_torque(model)
    found = rbd.sweep(model, {f"{name}.mass": np.linspace(0.5, 2.0, 5)}, [0.3, 0.1], duration=0.2, tau=law)
    for mass, run in zip(np.linspace(0.5, 2.0, 5), found, strict=True):
        alone = rbd.simulate(
            model.with_parameters({f"{name}.mass": mass}), [0.3, 0.1], duration=0.2, tau=rbd.untraced(law)
        )
        np.testing.assert_allclose(run.q, alone.q, rtol=0, atol=1e-12)


# --- plain NumPy code -------------------------------------------------------------------------------------------------


def test_laws_may_fill_arrays_of_floats():
    model = double_pendulum()

    def law(t, q, v):
        tau = np.zeros(2)
        tau[0] = -0.5 * v[0] + math.sin(t) + np.maximum(np.array([q[0], 0.1]), 0.0).sum()
        tau[1] = np.clip(np.linalg.norm([q[0], v[1]]), 0.0, 0.5)
        return tau

    assert_same_runs(model, law, q0=[0.3, -0.4])


def test_laws_may_place_frames_and_hand_lists_to_functions():
    """A pose of numbers to come, and one by a quaternion of such; `numpy.sin` of a list."""
    model = double_pendulum()

    def law(t, q, v):
        upper = rbd.pose([np.cos(q[0] / 2.0), 0.0, np.sin(q[0] / 2.0), 0.0])
        lower = rbd.pose([[np.cos(q[1]), 0.0, np.sin(q[1])], [0.0, 1.0, 0.0], [-np.sin(q[1]), 0.0, np.cos(q[1])]])
        tip = upper @ rbd.pose(position=[0.1 * t, 0.0, -1.0]) @ lower @ np.array([0.0, 0.0, -1.0, 1.0])
        return -v - 0.5 * np.sin([tip[0], tip[2]]) + rbd.pose(position=[0.2, 0.0, 0.0])[0, 3]

    assert_same_runs(model, law, q0=[0.3, -0.4])


WHY = {
    "if": (lambda m: lambda t, q, v: -v if q[0] > 0 else v, r"line \d+ .*cannot branch on a symbol"),
    "least squares": (lambda m: lambda t, q, v: np.linalg.lstsq(rbd.crba(m, q), v)[0], "numpy.linalg.lstsq cannot be"),
    "readable": (
        lambda m: lambda t, q, v: rbd.rnea(m, q, v, v, backend="book"),
        "backend='book' asks for the readable",
    ),
    "sizes": (lambda m: lambda t, q, v: rbd.rnea(m, q[:1], v, v), r"q has shape \(1,\); model 'double pendulum' needs"),
    "place": (lambda m: lambda t, q, v: rbd.rnea(m, q, v, v, out=np.zeros(2)), "out= takes numbers"),
}


@pytest.mark.parametrize("kind", WHY)
def test_what_cannot_be_recorded_is_named(kind):
    law, why = WHY[kind]
    model = double_pendulum()
    with pytest.raises(SimulationError, match=why):
        rbd.simulate(model, duration=0.5, tau=rbd.traced(law(model)))


def test_time_goes_into_what_a_law_asks():
    """An arm on a table that turns as time says, and a spring whose end moves: both in the controller's model, too."""
    model, box = rbd.Model("table"), rbd.Inertia.box([0.1, 0.2, 0.3], mass=2.0)
    turn = joints.Prescribed(rbd.Revolute("z"), lambda t: (0.3 * np.sin(t), 0.3 * np.cos(t), -0.3 * np.sin(t)))
    table = model.add_body("table", joint=turn, inertia=box)
    model.add_body("arm", table, rbd.Revolute("y"), (0.2, 0.0, 0.1), box)
    model.add_force("wind", Gust("arm", 3.0))

    def law(t, q, v):
        wanted = -1.2 * np.sin(2.0 * t) - KP * (q - 0.3 * np.sin(2.0 * t)) - KD * (v - 0.6 * np.cos(2.0 * t))
        at_rest = rbd.forward_dynamics(model, q, v, 0.0 * v, t=t)
        return rbd.crba(model, q, t=t) @ (wanted - at_rest)

    motion = assert_same_runs(model, law)
    expected = 0.3 * np.sin(2.0 * motion.t) - 0.6 * motion.t * np.exp(-10.0 * motion.t)
    np.testing.assert_allclose(motion.q[:, 0], expected, rtol=0, atol=1e-8)  # RK4's error with 1 ms


class Gust(rbd.ForceElement):
    """A force that comes and goes."""

    body: str
    size: float

    def act(self, at):
        at.apply_force(self.body, np.array([self.size * np.sin(5.0 * at.time), 0.0, 0.0]))


def motor(t, q, v):
    """Friction with Stribeck's peak, a motor whose torque falls with speed, and what the module math knows."""
    friction = -0.1 * np.tanh(v / 0.01) - 0.02 * np.exp(-((v / 0.3) ** 2)) * v
    limit = np.interp(abs(v[0]), [0.0, 1.0, 5.0, 10.0], [1.0, 1.0, 0.5, 0.0])
    return friction + np.array([limit * np.sin(3.0 * t), 0.1 * math.log1p(v[1] ** 2) * math.exp(-t)])


@pytest.mark.parametrize("law", [motor, lambda t, q, v: -np.sign(v) * np.power(np.abs(v), 0.7) - np.max(q) % 0.3])
def test_laws_of_exponentials_powers_and_tables_run_compiled(law):
    model, start = double_pendulum(), ([0.4, 0.2], [1.0, 0.0])
    run = rbd.simulate(model, *start, duration=0.5, dt=1e-3, tau=law)
    assert run.report.backend == "compiled loop (LLVM), tau traced"
    called = rbd.simulate(model, *start, duration=0.5, dt=1e-3, tau=law, backend="book")
    np.testing.assert_allclose(run.q, called.q, rtol=0.0, atol=1e-13)  # 2000 calls, each a few units of the last digit


def test_long_tables_are_looked_up_in_python():
    model, places = double_pendulum(), np.linspace(0.0, 1.0, 200)
    run = rbd.simulate(model, [0.4, 0.2], duration=0.5, tau=lambda t, q, v: [0.1 * np.interp(t, places, places), 0.0])
    assert "stepped from Python" in run.report.backend and "at most 64 places" in run.report.backend
