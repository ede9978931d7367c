"""Joints that move as time says: every kernel against the readable forms, and the compiled loop against steps."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms, engine
from rbdkit.engine import Kernels
from rbdkit.integrators import RK4
from rbdkit.library.random_tree import joint_gallery
from rbdkit.spatial import se3

ROUND_OFF = 1e-12


def along(joint, seed):
    """A smooth motion of a joint: from a random place along u(t), with velocity and acceleration by its formulas."""
    rng = np.random.default_rng(seed)
    q0, (a, b) = joint.random(rng), rng.normal(size=(2, joint.nv))

    if isinstance(joint, rbd.Reversed | rbd.Spherical | rbd.Free | rbd.Planar):
        # steady: along one constant velocity, so that v is the rate of q on curved joints too
        return lambda t: (joint.integrate(q0, t * a), a, np.zeros_like(a))
    return lambda t: (q0 + t * a + b * np.sin(t), a + b * np.cos(t), -b * np.sin(t))


def driven_tree(seed: int, bodies: int = 14) -> rbd.Model:
    """A random tree of all joint types, every other one driven; some from their other end, one joint that follows."""
    rng = np.random.default_rng(seed)
    model, gallery = rbd.Model(f"driven {seed}"), joint_gallery(rng)
    for k in range(bodies):
        kind = gallery[(seed * 5 + k) % len(gallery)]
        if k % 2 and kind.nq:
            kind = rbd.Prescribed(kind, along(kind, k))
            kind = rbd.Reversed(kind) if k % 4 == 1 else kind
        inertia = rbd.Inertia.box(rng.uniform(0.1, 0.4, 3), mass=rng.uniform(0.5, 2.0)).transformed(se3.random(rng))
        model.add_body(f"b{k}", model.bodies[rng.integers(max(0, k - 2), k + 1)], kind, se3.random(rng), inertia)
    hinge = model.add_body("hinge", model.bodies[1], rbd.Revolute("x"), inertia=inertia, damping=0.1)
    if seed % 2:
        model.add_body(
            "twin", model.bodies[2], rbd.Revolute("z"), inertia=inertia, mimic=rbd.Mimic(hinge.joint.name, 2.0)
        )
    return model


@pytest.mark.parametrize(("seed", "backend"), [(0, "llvm"), (1, "llvm"), (2, "llvm"), (3, "python")])
def test_kernels_against_the_readable_forms(seed, backend, off):
    model = driven_tree(seed)
    own, rng, t = Kernels(model, backend), np.random.default_rng(seed), 0.7
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    f = rng.normal(size=(len(model.bodies), 6))
    for forces in (None, f):
        assert off(own.rnea(q, v, x, forces, t), algorithms.rnea(model, q, v, x, f_ext=forces, t=t).tau) < ROUND_OFF
        expected = algorithms.forward_dynamics(model, q, v, x, f_ext=forces, t=t)
        conditioned = 1e-14 * max(100.0, np.linalg.cond(algorithms.crba(model, q, t=t).H))
        assert off(own.forward_dynamics(q, v, x, forces, t), expected) < conditioned
    if not model.mimics:
        assert off(own.aba(q, v, x, None, t), algorithms.aba(model, q, v, x, f_ext=None, t=t).qdd) < conditioned
    assert off(own.crba(q, t), algorithms.crba(model, q, t=t).H) < ROUND_OFF
    kinematics = algorithms.forward_kinematics(model, q, v, t=t)
    poses, velocities = own.forward_kinematics(q, v, t)
    assert off(poses, kinematics.poses) < ROUND_OFF and off(velocities, kinematics.velocities) < ROUND_OFF
    energy = algorithms.energy(model, q, v, t=t)
    assert off(own.energy(q, v, t), np.array([energy.kinetic, energy.gravitational, energy.spring])) < ROUND_OFF
    assert off(own.momentum(q, v, "com", t), algorithms.momentum(model, q, v, "com", t=t)) < ROUND_OFF
    last = model.bodies[-1]
    for reference in ("body", "world", "aligned") if backend == "llvm" else ("world",):
        J = own.jacobian(q, last.index, np.eye(4), reference, t)
        assert off(J, algorithms.jacobian(model, q, last.name, reference, t=t)) < ROUND_OFF
        a = own.bias_acceleration(q, v, last.index, np.eye(4), reference, t)
        assert off(a, algorithms.bias_acceleration(model, q, v, last.name, reference, t=t)) < ROUND_OFF


def test_public_functions_pass_the_time_on(off):
    model, t = driven_tree(0), 1.3
    rng = np.random.default_rng(0)
    q, v = np.array([model.random_q(rng) for _ in range(3)]), rng.normal(size=(3, model.nv))
    calls = {
        "rnea": lambda how: rbd.rnea(model, q, v, v, t=t, backend=how),
        "aba": lambda how: rbd.aba(model, q, v, v, t=t, backend=how),
        "forward_dynamics": lambda how: rbd.forward_dynamics(model, q, v, v, t=t, backend=how),
        "crba": lambda how: rbd.crba(model, q, t=t, backend=how),
        "gravity_force": lambda how: rbd.gravity_force(model, q, t=t, backend=how),
        "poses": lambda how: rbd.forward_kinematics(model, q, v, t=t, backend=how).poses,
        "jacobian": lambda how: rbd.jacobian(model, q, "b9", t=t, backend=how),
        "bias_acceleration": lambda how: rbd.bias_acceleration(model, q, v, "b9", t=t, backend=how),
        "center_of_mass": lambda how: rbd.center_of_mass(model, q, t=t, backend=how),
        "momentum": lambda how: rbd.momentum(model, q, v, t=t, backend=how),
        "energy": lambda how: rbd.energy(model, q, v, t=t, backend=how).total,
    }
    for name, call in calls.items():
        assert off(call("auto"), call("book")) < 1e-10, name


@pytest.mark.parametrize("integrator", ["rk4", "explicit_euler", "symplectic_euler"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_compiled_loop(seed, integrator):
    model = driven_tree(seed)
    rng = np.random.default_rng(seed)
    q, v = model.random_q(rng), 0.3 * rng.normal(size=model.nv)
    given = {"duration": 0.01, "dt": 1e-3, "integrator": integrator}
    compiled = rbd.simulate(model, q, v, **given)
    book = rbd.simulate(model, q, v, backend="book", **given)
    assert compiled.report.backend == "compiled loop (LLVM)"
    np.testing.assert_allclose(compiled.q, book.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(compiled.v, book.v, rtol=0, atol=1e-9)


def test_chunks_and_lanes_change_nothing(monkeypatch):
    model = driven_tree(2)
    own, rng = Kernels(model, "llvm"), np.random.default_rng(1)
    q, v = np.array([model.random_q(rng) for _ in range(5)]), 0.1 * rng.normal(size=(5, model.nv))
    times, tau = 1e-3 * np.arange(301), np.zeros(model.nv)
    alone = engine.simulate(own, q[3], v[3], times, RK4(), tau, every=30)
    monkeypatch.setattr("rbdkit.trace.run.company.FIRST_STEPS", 1)  # a record at a time
    monkeypatch.setattr("rbdkit.trace.run.company.CHUNK", 0.0)
    pieces = engine.simulate(own, q[3], v[3], times, RK4(), tau, every=30)
    assert np.array_equal(alone.q, pieces.q)
    monkeypatch.setattr("rbdkit.engine.run.ensemble.LANE_STAGES", 1)
    together = engine.simulate_many([own] * 5, q, v, times, RK4(), tau, every=30)[3]
    assert together.lanes > 1
    np.testing.assert_allclose(together.q, alone.q, rtol=0, atol=1e-9)


def test_models_that_differ_in_their_motions_alone():
    """The same code, the same layout; each has its own motion, in lanes too."""

    def swing(rate: float) -> rbd.Model:
        def motion(t: float):
            return np.sin(rate * t), rate * np.cos(rate * t), -(rate**2) * np.sin(rate * t)

        model = rbd.Model("shaken")
        ball = rbd.Inertia.sphere(0.1, mass=1.0)
        model.add_body("cart", joint=rbd.Prescribed(rbd.Prismatic("x"), motion), inertia=ball)
        model.add_body("rod", "cart", rbd.Revolute("y"), inertia=ball.transformed(rbd.pose(position=[0, 0, -1])))
        return model

    models = [swing(rate) for rate in (1.0, 2.0, 3.0, 5.0)]
    own = [Kernels(model, "llvm") for model in models]
    times = 5e-3 * np.arange(101)
    runs = engine.simulate_many(own, np.zeros((4, 1)), np.zeros((4, 1)), times, RK4(), np.zeros(1), every=10)
    for model, run in zip(models, runs, strict=True):
        book = rbd.simulate(model, duration=0.5, dt=5e-3, every=10, backend="book")
        np.testing.assert_allclose(run.q, book.q, rtol=0, atol=1e-10)
    assert len({run.q[-1, 0] for run in runs}) == 4


def test_a_motion_that_is_none_is_named():
    model = rbd.Model("broken")
    model.add_body("a", joint=rbd.Prescribed(rbd.Revolute("z"), lambda t: (t, np.nan, 0.0)), inertia=rbd.Inertia(1.0))
    model.add_body("b", "a", rbd.Revolute("y"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    with pytest.raises(rbd.StateError, match=r"prescribed revolute joint: at t = 0\.5 s its motion is"):
        rbd.aba(model, [0.0], [0.0], [0.0], t=0.5)


@pytest.mark.parametrize(("seed", "backend"), [(0, "llvm"), (1, "llvm"), (2, "python")])
def test_power_of_the_motors(seed, backend):
    """Bearing reactions times joint velocities, body by body in the readable form."""
    model, t = driven_tree(seed), 0.4
    own, rng = Kernels(model, backend), np.random.default_rng(seed)
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    f = rng.normal(size=(len(model.bodies), 6))
    balance = algorithms.power_balance(model, q, v, x, algorithms.rnea(model, q, v, x, f_ext=f, t=t).tau, f_ext=f, t=t)
    speeds = own.driven.at(t)["driven_v"]
    power = speeds @ own.motors(q, v, x, f, t)
    assert power == pytest.approx(float(balance.driven), rel=1e-11)
    many = own.motors(*(np.stack([y, y]) for y in (q, v, x)), f, t)
    np.testing.assert_allclose(many @ speeds, [power, power], rtol=1e-13)


def test_the_energy_of_a_driven_motion_balances():
    """The motor's work, from forces that the energy knows nothing of, is the energy's change."""

    def motion(t: float):
        return np.sin(3.0 * t), 3.0 * np.cos(3.0 * t), -9.0 * np.sin(3.0 * t)

    model = rbd.Model("shaken")
    ball = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("cart", joint=rbd.Prescribed(rbd.Prismatic("x"), motion), inertia=ball)
    model.add_body(
        "rod", "cart", rbd.Revolute("y"), inertia=ball.transformed(rbd.pose(position=[0, 0, -1])), damping=0.1
    )
    run = rbd.simulate(model, [0.3], duration=1.0, dt=2e-3)
    assert run.report.backend == "compiled loop (LLVM)" and run.report.energy_error < 1e-9
    np.testing.assert_allclose(run.poses("cart")[:, 0, 3], np.sin(3.0 * run.t), atol=1e-14)


def table_of(motion, joint, times):
    """The table of a model with one driven joint, and whether it was computed by compiled code."""
    driven = driven_by(motion, joint)
    return driven.table(times), driven._computed(times) is not None


def driven_by(motion, joint):
    """The prescribed joints of a model with one of these."""
    model = rbd.Model("one")
    model.add_body("a", joint=rbd.Prescribed(joint, motion), inertia=rbd.Inertia(1.0))
    return Kernels(model, "llvm").driven


def test_motions_are_traced_if_they_can_be(off):
    times = np.linspace(0.3, 2.0, 50)
    rates, calls = np.array([1.0, 2.0, 3.0]), []

    def smooth(t):
        return np.sin(rates * t), rates * np.cos(rates * t), -(rates**2) * np.sin(rates * t)

    def counted(t):
        calls.append(t)
        return smooth(t)

    def branching(t):
        return smooth(t) if t < 1.0 else smooth(1.0)

    def random(t):
        return np.random.default_rng(3).normal(size=(3, 3))

    for motion, expected in ((smooth, True), (counted, False), (branching, False), (random, False)):
        table, traced = table_of(motion, rbd.EulerSpherical(), times)
        assert traced is expected, motion
        for k in (0, 20, 49):
            for name, part in zip(("q", "v", "a"), motion(times[k]), strict=True):
                assert off(table[f"driven_{name}_table"][k], np.asarray(part)) < 1e-13
    assert all(isinstance(t, float) for t in calls)


def test_a_motion_that_leaves_its_manifold_or_its_size_is_named():
    times = np.linspace(0.0, 1.0, 5)
    zero = np.zeros(3)

    def bulging(t):
        return np.array([1.0 + t * (1.0 - t) * (t - 0.25), 0.0, 0.0, 0.0]), zero, zero  # right at the times tried out

    found = np.isnan(driven_by(bulging, rbd.Spherical()).table(times)["driven_q_table"]).any(axis=1)
    assert found.tolist() == [False, False, True, True, False]  # compiled loops end there
    for motion, joint, says in (
        (bulging, rbd.Spherical(), r"norm 1\.06"),
        (lambda t: (np.array([2.0, 0.0, 0.0, 0.0]), zero, zero), rbd.Spherical(), r"norm 2"),
        (lambda t: (np.zeros(2), 0.0, 0.0), rbd.Revolute(), r"finite q, v and dv/dt of sizes 1, 1, 1"),
    ):
        with pytest.raises(rbd.StateError, match=says):
            driven_by(motion, joint).at(0.5)
    model = rbd.Model("one")
    model.add_body("a", joint=rbd.Prescribed(rbd.Spherical(), bulging), inertia=rbd.Inertia(1.0))
    model.add_body("b", "a", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [1.0, 0.0, 0.0]))
    with pytest.raises(rbd.StateError, match=r"has norm 1\.0"):
        rbd.simulate(model, [0.1], duration=1.0, dt=0.25)
