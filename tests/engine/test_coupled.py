"""Trees in which joints follow others: every kernel against the readable forms, and against the tree with all its
joints free.
"""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms, engine
from rbdkit.engine import Kernels
from rbdkit.engine.run.tables import elimination
from rbdkit.integrators import RK4
from rbdkit.library.random_tree import joint_gallery
from rbdkit.spatial import se3

ROUND_OFF = 1e-12


def coupled_tree(seed: int, bodies: int = 16) -> rbd.Model:
    """A random tree of all joint types in which about a third of the simple joints follow one before them.

    Leaders lie on the same branch as their followers, or on another one, or move other leaders.
    """
    rng = np.random.default_rng(seed)
    gallery = joint_gallery(rng)
    simple = [kind for kind in gallery if kind.nq == 1] + [rbd.Reversed(rbd.Helical("x", 0.2))]
    model, leaders = rbd.Model(f"coupled {seed}"), []
    for k in range(bodies):
        kind = simple[rng.integers(len(simple))] if k % 3 else gallery[rng.integers(len(gallery))]
        mimic = None
        if kind.nq == 1 and leaders and rng.random() < 0.5:
            mimic = rbd.Mimic(leaders[rng.integers(len(leaders))], rng.uniform(-2.0, 2.0), rng.uniform(-1.0, 1.0))
        numbers = {
            name: rng.uniform(0.2, 1.0, kind.nv) * (rng.random() < 0.7) for name in ("armature", "damping", "stiffness")
        }
        inertia = rbd.Inertia.box(rng.uniform(0.1, 0.4, 3), mass=rng.uniform(0.5, 2.0)).transformed(se3.random(rng))
        body = model.add_body(
            f"b{k}",
            model.bodies[rng.integers(max(0, k - 3), k + 1)],
            kind,
            se3.random(rng),
            inertia,
            rest=kind.random(rng),
            mimic=mimic,
            **numbers,
        )
        if kind.nq == 1 and mimic is None:
            leaders.append(body.joint.name)
    assert model.mimics
    return model


def state(model: rbd.Model, seed: int = 0):
    rng = np.random.default_rng(seed)
    forces = rng.normal(size=(len(model.bodies), 6))
    return model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv), forces


@pytest.mark.parametrize(("seed", "backend"), [(0, "llvm"), (1, "llvm"), (2, "python"), (3, "python")])
def test_kernels_against_the_readable_forms(seed, backend, off):
    model = coupled_tree(seed)
    own = Kernels(model, backend)
    q, v, x, f = state(model, seed)
    H = algorithms.crba(model, q).H
    for forces in (None, f):
        assert off(own.rnea(q, v, x, forces), algorithms.rnea(model, q, v, x, f_ext=forces).tau) < ROUND_OFF
        # what the condition of H makes of round-off
        conditioned = 1e-14 * max(100.0, np.linalg.cond(H))
        expected = algorithms.forward_dynamics(model, q, v, x, f_ext=forces)
        assert off(own.forward_dynamics(q, v, x, forces), expected) < conditioned
    assert off(own.crba(q), H) < ROUND_OFF
    assert np.array_equal(own.crba(q), own.crba(q).T)
    kinematics = algorithms.forward_kinematics(model, q, v)
    poses, velocities = own.forward_kinematics(q, v)
    assert off(poses, kinematics.poses) < ROUND_OFF and off(velocities, kinematics.velocities) < ROUND_OFF
    energy = algorithms.energy(model, q, v)
    assert off(own.energy(q, v), np.array([energy.kinetic, energy.gravitational, energy.spring])) < ROUND_OFF
    assert off(own.momentum(q, v, "com"), algorithms.momentum(model, q, v, "com")) < ROUND_OFF
    last = model.bodies[-1]
    for reference in ("body", "world", "aligned") if backend == "llvm" else ("aligned",):
        J = own.jacobian(q, last.index, np.eye(4), reference)
        assert off(J, algorithms.jacobian(model, q, last.name, reference)) < ROUND_OFF
        a = own.bias_acceleration(q, v, last.index, np.eye(4), reference)
        assert off(a, algorithms.bias_acceleration(model, q, v, last.name, reference)) < ROUND_OFF


@pytest.mark.parametrize("integrator", ["rk4", "explicit_euler", "symplectic_euler"])
def test_the_compiled_loop(integrator):
    model = coupled_tree(2)
    q, v, tau, f = state(model)
    given = {"duration": 0.01, "dt": 1e-3, "integrator": integrator, "tau": tau, "f_ext": f}
    compiled = rbd.simulate(model, q, 0.3 * v, **given)
    book = rbd.simulate(model, q, 0.3 * v, backend="book", **given)
    assert compiled.report.backend == "compiled loop (LLVM)"
    np.testing.assert_allclose(compiled.q, book.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(compiled.v, book.v, rtol=0, atol=1e-9)


def test_stacks_in_lanes(off):
    model = coupled_tree(1)
    rng = np.random.default_rng(1)
    q = np.array([model.random_q(rng) for _ in range(150)])
    v, tau = rng.normal(size=(2, 150, model.nv))
    for name, call in {
        "forward_dynamics": lambda how, q, v, tau: rbd.forward_dynamics(model, q, v, tau, backend=how),
        "rnea": lambda how, q, v, tau: rbd.rnea(model, q, v, tau, backend=how),
        "crba": lambda how, q, v, tau: rbd.crba(model, q, backend=how),
    }.items():
        found = call("auto", q, v, tau)
        for k in (0, 77, 149):
            assert off(found[k], call("book", q[k], v[k], tau[k])) < 1e-9, name


def test_many_motions_in_lanes():
    model = coupled_tree(3)
    own = Kernels(model, "llvm")
    rng = np.random.default_rng(1)
    q = np.array([model.random_q(rng) for _ in range(8)])
    v, times, tau = 0.1 * rng.normal(size=(8, model.nv)), 1e-3 * np.arange(301), np.zeros(model.nv)
    together = engine.simulate_many([own] * 8, q, v, times, RK4(), tau, every=100)
    for k in (0, 5):
        alone = engine.simulate(own, q[k], v[k], times, RK4(), tau, every=100)
        np.testing.assert_allclose(together[k].q, alone.q, rtol=0, atol=1e-8)


def test_energy_is_kept_by_springs_that_share_a_coordinate():
    """Leaders and followers with springs of their own, and no dampers: RK4 loses 1e-9 of the energy."""
    model = coupled_tree(0)
    model = model.with_parameters({f"{joint.name}.damping": np.zeros(joint.nv) for joint in model.joints if joint.nv})
    motion = rbd.simulate(model, model.random_q(3), duration=0.2, dt=2e-4, every=100)
    assert motion.report.backend.startswith("compiled loop")
    assert motion.report.energy_error < 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_aba_serves_joints_that_follow_others(seed):
    """Springs and dampers do not act; the table itself refuses."""
    model = coupled_tree(seed)
    q, v, tau, _ = state(model)
    expected = rbd.aba(model, q, v, tau, backend="book")
    H, C = rbd.crba(model, q, backend="book"), rbd.bias_force(model, q, v, backend="book")
    scale = np.abs(expected).max() * np.linalg.cond(H)
    np.testing.assert_allclose(H @ expected, tau - C, rtol=0.0, atol=1e-13 * np.abs(H).max() * np.abs(expected).max())
    for found in (rbd.aba(model, q, v, tau), rbd.aba(model, np.array([q] * 70), v, tau)[-1]):
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14 * scale)
    with pytest.raises(rbd.ModelError, match="use forward_dynamics"):
        algorithms.aba(model, q, v, tau)


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_trees_in_which_joints_follow_others(seed):
    model = coupled_tree(seed)
    states = [np.array(x) for x in zip(*(state(model, k)[:3] for k in range(3)), strict=True)]
    for function in (rbd.rnea_derivatives, rbd.aba_derivatives, rbd.forward_dynamics_derivatives):
        found, expected = function(model, *states), function(model, *states, backend="book")
        for name, block in vars(expected).items():
            size = np.abs(block).max()
            np.testing.assert_allclose(getattr(found, name), block, rtol=0.0, atol=1e-10 * size, err_msg=name)


def test_a_follower_with_ratio_zero_stands_still(off):
    model = rbd.Model("stuck")
    ball = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("a", joint=rbd.Revolute("y"), inertia=ball, joint_name="lead", placement=[0.1, 0.0, 0.0])
    model.add_body("b", "a", rbd.Revolute("z"), [0.3, 0, 0], ball, mimic=rbd.Mimic("lead", 0.0, 0.5), stiffness=2.0)
    own = Kernels(model, "llvm")
    energy = algorithms.energy(model, np.array([0.3]), np.array([1.0]))
    found = own.energy(np.array([0.3]), np.array([1.0]))
    assert off(found, np.array([energy.kinetic, energy.gravitational, energy.spring])) < 1e-15
    assert energy.spring == pytest.approx(0.25)


def test_inertia_without_mass_gives_no_numbers_and_the_readable_form_names_it():
    model = rbd.Model("ghosts")
    model.add_body("a", joint=rbd.Revolute("y"), joint_name="lead")
    model.add_body("b", "a", rbd.Revolute("z"), mimic=rbd.Mimic("lead", 2.0))
    assert not np.isfinite(Kernels(model, "llvm").forward_dynamics(np.zeros(1), np.zeros(1), np.ones(1))).any()
    with pytest.raises(rbd.ModelError, match="not positive definite"):
        rbd.forward_dynamics(model, [0.0], [0.0], [1.0])


@pytest.mark.parametrize("seed", range(3))
def test_elimination_touches_all_that_fills_in(seed):
    """Symbolic against numbers: the factors of a random matrix with these zeros have no others."""
    rng = np.random.default_rng(seed)
    n = 12
    order = rng.permutation(n).tolist()
    pairs = {(int(a), int(b)) for a, b in rng.integers(0, n, (10, 2))} | {(a, a) for a in range(n)}
    H = 20.0 * np.eye(n)
    for a, b in pairs:
        if a != b:
            H[a, b] = H[b, a] = rng.uniform(0.5, 1.0)
    touched = elimination(order, pairs)
    L = np.linalg.cholesky(H[np.ix_(order[::-1], order[::-1])])  # the last of the order is eliminated first
    for k, a in enumerate(order[::-1]):
        column = {order[::-1][j] for j in np.flatnonzero(np.abs(L[:, k]) > 1e-14)}
        assert column <= set(touched[a])
    assert all(touched[a][-1] == a for a in order)
