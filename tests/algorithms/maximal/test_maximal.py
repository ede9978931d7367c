"""Bodies with joints as constraints against other formulations, and what is done against drift."""

import numpy as np
import pytest
from scipy.linalg import null_space

import rbdkit as rbd
from rbdkit.algorithms.maximal import (
    acceleration_target,
    joint_rows,
    kkt_accelerations,
    kkt_step,
    maximal_bodies,
    maximal_euler_step,
    post_stabilised,
    velocity_target,
    viscous_euler_step,
)
from rbdkit.algorithms.redmax import bodies_at, reduced_equation
from rbdkit.errors import ConvergenceError, ModelError
from rbdkit.formulations import SE3, Baumgarte
from rbdkit.library import joint_gallery, random_state, random_tree, uncommon_joints
from rbdkit.spatial import se3

GRAVITY = np.array([0.0, 0.0, -980.0])  # cm/s2, with cm and g as in the notes' scenes
CUBOID = rbd.Inertia.box([10.0, 1.0, 1.0], mass=10.0)  # g cm2: 10 x 1 x 1 cm at 1 g/cm3 (Eq 1.24)


def all_joints(seed: int):
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 24, [*joint_gallery(rng), *uncommon_joints(rng)])
    motion = lambda t: (0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t))  # noqa: E731
    ball = rbd.Inertia.sphere(0.2, mass=1.0)
    model.add_body("driven", "b7", rbd.Prescribed(rbd.Revolute("x"), motion), inertia=ball)
    q, v, tau = random_state(model, seed)
    return model, q, v, tau, bodies_at(model, q, v, t=0.4)


def chain(n: int, joint=None) -> rbd.Model:
    """Cuboids of 10 g, each hung by its end on the one before."""
    model = rbd.Model("chain", gravity=GRAVITY)
    inertia = CUBOID.transformed(rbd.pose(position=[5.0, 0, 0]))
    for k in range(n):
        joint_type = rbd.Revolute("y") if joint is None else joint
        model.add_body(f"rigid{k + 1}", f"rigid{k}" if k else "world", joint_type, [10.0, 0, 0] if k else None, inertia)
    return model


@pytest.mark.source("S1.10")
def test_free_bodies_fall_and_turn_as_those_of_other_formulations(off):
    """The scene of one body: against 'se3', stepped by the same method, and by the order of the error."""
    model = rbd.Model("rigid", gravity=GRAVITY)
    model.add_body("rigid1", joint=rbd.Free(), inertia=CUBOID)
    system = SE3(model)
    phi = np.array([0.0, 3.0, 1.0, 5.0, 0.0, 5.0])
    E, M = se3.exp([0.3, 0.2, -0.4, 1, 2, 3]), np.diag([*CUBOID.inertia_com.diagonal(), 10.0, 10.0, 10.0])
    x, v = np.concatenate([E[:3, :3].ravel(), E[:3, 3]]), phi
    for _ in range(5):
        E, phi = maximal_euler_step(E, phi, M, GRAVITY, 0.01)
        v = v + 0.01 * system.rate(0.0, x, v)
        x = system.move(x, 0.01 * v)
    assert off(phi, v) < 1e-13
    assert off(np.concatenate([E[:3, :3].ravel(), E[:3, 3]]), x) < 1e-13
    stack = maximal_euler_step(np.tile(E, (3, 1, 1)), np.tile(phi, (3, 1)), np.tile(M, (3, 1, 1)), GRAVITY, 0.01)
    assert off(stack[1][2], maximal_euler_step(E, phi, M, GRAVITY, 0.01)[1]) == 0.0


@pytest.mark.source("S1.11")
def test_a_viscous_medium_is_taken_implicitly(off):
    """A ball that falls in it, whose damping does not turn with it: v_new = (v + h g) / (1 + h d / m)."""
    M, d, h = np.diag([4.0, 4.0, 4.0, 2.0, 2.0, 2.0]), 7.0, 0.3
    E, phi, v = np.eye(4), np.zeros(6), 0.0
    for _ in range(10):
        E, phi = viscous_euler_step(E, phi, M, [0, 0, -9.81], h, d)
        v = (v - h * 9.81) / (1.0 + h * d / 2.0)
        assert phi[5] == pytest.approx(v, rel=1e-14)
    assert (
        off(
            viscous_euler_step(E, phi, M, [0, 0, -9.81], h, d * np.eye(6))[1],
            viscous_euler_step(E, phi, M, [0, 0, -9.81], h, d)[1],
        )
        == 0
    )


@pytest.mark.source("S1.17")
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_reduced_coordinates(seed, off):
    """All joint types, driven ones too: the drift of the rows is G-dot Phi."""
    model, q, v, _, here = all_joints(seed)
    maximal = maximal_bodies(model)
    E, phi = here.E[1:], here.phi[1:]
    rows = joint_rows(maximal, E, phi, t=0.4)
    assert np.abs(rows.g).max() < 1e-12
    assert np.abs(rows.G @ phi.ravel() - rows.target).max() < 1e-10
    still = bodies_at(model, q, v, t=0.4, passive=False)
    reduced = reduced_equation(still)
    expected = (reduced.J @ reduced.accelerations()).reshape(-1, 6) + still.drift[1:]
    assert off(kkt_accelerations(maximal, E, phi, rows), expected) < 1e-9  # 6 n + 5 n equations
    count = sum(6 - joint.nv for joint in model.joints[1:])
    assert rows.G.shape == (count, 6 * maximal.n)
    assert np.linalg.matrix_rank(rows.G) == count == 6 * maximal.n - model.nv


@pytest.mark.source("S1.17")
def test_the_step_is_the_least_of_the_quadratic_form(off):
    """Eq 1.72 by eliminating the constraints instead of multipliers."""
    model, _, _, _, here = all_joints(1)
    maximal = maximal_bodies(model)
    rows, h = joint_rows(maximal, here.E[1:], here.phi[1:], t=0.4), 0.01
    step = kkt_step(maximal, here.E[1:], here.phi[1:], rows, h)
    free = maximal_euler_step(here.E[1:], here.phi[1:], maximal.M, maximal.gravity, h)[1].ravel()
    M = np.zeros((6 * maximal.n, 6 * maximal.n))
    for i in range(maximal.n):
        M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = maximal.M[i]
    N, some = null_space(rows.G), np.linalg.lstsq(rows.G, rows.target, rcond=None)[0]
    expected = some + N @ np.linalg.solve(N.T @ M @ N, N.T @ M @ (free - some))
    assert off(step.phi.ravel(), expected) < 1e-10


@pytest.mark.source("S1.17")
def test_reactions_of_two_hinged_bodies_hang_what_hangs():
    """Two bodies at rest straight down: each joint carries what is below it, along its body, and no torque."""
    model = chain(2)
    q = np.array([0.5 * np.pi, 0.0])
    here, maximal, h = bodies_at(model, q, np.zeros(2)), maximal_bodies(model), 0.01
    E, phi = here.E[1:], here.phi[1:]
    step = kkt_step(maximal, E, phi, joint_rows(maximal, E, phi), h)
    assert np.abs(step.phi).max() < 1e-12
    for name, carried in (("rigid1_joint", 2 * 10.0 * 980.0), ("rigid2_joint", 10.0 * 980.0)):
        own = step.reactions[name]
        i = int(name[5]) - 1
        force = E[i, :3, :3] @ own[i, 3:]
        assert force == pytest.approx([0, 0, carried], abs=1e-9)
    total = sum(step.reactions.values())
    assert (E[:, :3, :3] @ total[:, 3:, None])[:, :, 0] == pytest.approx(np.array([[0, 0, 9800.0]] * 2), abs=1e-9)


@pytest.mark.source("S1.17", "S1.10")
def test_two_hinged_bodies_swing_as_in_joint_coordinates():
    """The scene of two joints: the error of the method is of first order in the step."""
    model, errors = chain(2), []
    exact = rbd.simulate(model, np.zeros(2), duration=0.1, dt=0.0005)
    end = bodies_at(model, exact.q[-1], exact.v[-1])
    maximal = maximal_bodies(model)
    for h in (0.002, 0.001):
        here = bodies_at(model, np.zeros(2), np.zeros(2))
        E, phi = here.E[1:], here.phi[1:]
        for _ in range(round(0.1 / h)):
            step = kkt_step(maximal, E, phi, joint_rows(maximal, E, phi), h)
            E, phi = step.E, step.phi
        errors.append(np.abs(E - end.E[1:]).max())
    assert 1.8 < errors[0] / errors[1] < 2.2


@pytest.mark.source("S1.19")
def test_drift_grows_without_stabilisation_and_not_with_it():
    """Velocity level, acceleration level, and closing after each step, on a chain with ball joints."""
    model, h, steps = chain(3, rbd.Spherical()), 0.002, 60
    maximal = maximal_bodies(model)
    rng = np.random.default_rng(3)
    here = bodies_at(model, model.neutral(), rng.normal(size=model.nv))
    errors = {}
    for name in ("none", "ten", "1/h", "acceleration", "after"):
        E, phi, worst = here.E[1:], here.phi[1:], 0.0
        for _ in range(steps):
            rows = joint_rows(maximal, E, phi)
            if name == "acceleration":
                target = acceleration_target(rows, phi, Baumgarte(0.5 / h))
                phi = phi + h * kkt_accelerations(maximal, E, phi, rows, target)
                E = E @ se3.exp(h * phi)
            else:
                gamma = {"none": 0.0, "ten": 10.0, "1/h": 1.0 / h, "after": 0.0}[name]
                step = kkt_step(maximal, E, phi, rows, h, target=velocity_target(rows, gamma))
                E, phi = step.E, step.phi
            if name == "after":
                E = post_stabilised(maximal, E)
            worst = max(worst, float(np.abs(joint_rows(maximal, E, phi).g).max()))
        errors[name] = worst
    assert errors["none"] > errors["ten"] > errors["1/h"] > errors["after"]
    assert errors["none"] > 5 * errors["1/h"]
    assert errors["acceleration"] < 0.5 * errors["none"]
    assert errors["after"] < 1e-13


@pytest.mark.source("S1.19")
def test_errors_shrink_as_the_targets_say():
    """One step at rest without gravity from joints torn open: by gamma h, to first order."""
    model = chain(2).with_parameters({"gravity": np.zeros(3)})
    maximal, h, gamma = maximal_bodies(model), 0.01, 10.0
    here = bodies_at(model, np.array([0.2, 0.3]), np.zeros(2))
    torn = here.E[1:].copy()
    torn[1, :3, 3] += [1e-4, 2e-4, -1e-4]
    rows = joint_rows(maximal, torn, np.zeros((2, 6)))
    step = kkt_step(maximal, torn, np.zeros((2, 6)), rows, h, target=velocity_target(rows, gamma))
    left = joint_rows(maximal, step.E, step.phi).g
    assert np.abs(left - (1.0 - gamma * h) * rows.g).max() < 1e-9


def test_loops_that_cannot_be_closed_are_told():
    model = chain(2)
    model.add_loop("far", "rigid2", "world", rbd.Revolute("y"), [10.0, 0, 0], [50.0, 0, 0])
    with pytest.raises(ConvergenceError, match="joints could not be closed"):
        post_stabilised(maximal_bodies(model), bodies_at(chain(2), np.full(2, 0.3), np.zeros(2)).E[1:])


def test_joints_that_follow_are_refused():
    model = chain(2)
    model.add_body("last", "rigid2", rbd.Revolute("y"), inertia=CUBOID, mimic=rbd.Mimic("rigid1_joint"))
    with pytest.raises(ModelError, match="mimic"):
        maximal_bodies(model)
