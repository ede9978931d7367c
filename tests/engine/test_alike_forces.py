"""Force elements that are made alike run in loops: the same numbers as one by one, in every program that knows them."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels, kernels_for, packaged
from rbdkit.engine.links.alike import FEWEST
from rbdkit.engine.links.element_slopes import slopes
from rbdkit.integrators import RK4
from rbdkit.model.force import surroundings

NEAR = 1e-12
"""The same sums in another order, of forces up to 1e2 N and some dozen terms."""


@pytest.fixture
def net():
    """Springs, dampers and muscles between links of a branched arm, on bodies welded to these, and the world.

    Of every make there are enough for a loop; one spring and one friction stand alone.
    """
    rng = np.random.default_rng(11)
    model = rbd.Model("net")
    joints = [rbd.Revolute("y"), rbd.Spherical(), rbd.Prismatic("x"), rbd.Universal("x", "y"), rbd.Revolute("z")]
    for k, joint in enumerate(joints):
        inertia = rbd.Inertia(1.0 + 0.2 * k, 0.1 * rng.normal(size=3), np.diag([0.5, 0.6, 0.7]))
        parent = f"b{k // 2}" if k else "world"
        model.add_body(f"b{k}", parent, joint, rbd.pose(position=0.3 * rng.normal(size=3)), inertia)
        turned = rbd.pose(rbd.spatial.so3.exp(rng.normal(size=3)), 0.2 * rng.normal(size=3))
        model.add_body(f"plate{k}", f"b{k}", rbd.Fixed(), turned, rbd.Inertia.sphere(0.05, mass=0.1))

    def point():
        return tuple(0.3 * rng.normal(size=3))

    for k in range(5):
        a, b = f"b{k}", f"b{(k + 2) % 5}"
        model.add_spring(f"between{k}", a, b, 30.0 + k, 0.1, 0.4, point(), point())
        model.add_spring(f"plates{k}", f"plate{k}", f"plate{(k + 1) % 5}", 20.0 - k, 0.2, 0.3, point(), point())
        model.add_spring(f"same_link{k}", a, f"plate{k}", 25.0, 0.05, 0.2, point(), point())
        model.add_spring(f"held{k}", a, "world", 10.0 + k, 0.3, 0.1, point(), point())
        model.add_muscle(f"muscle{k}", [(a, point()), (f"plate{(k + 3) % 5}", point()), (b, point())], 15.0, 0.4)
    model.add_damper("alone", "b0", "b4", 0.7)
    model.add_force("grease", rbd.JointFriction("b0_joint", 0.3, creep=0.5))
    return model


def state(model, seed=2):
    rng = np.random.default_rng(seed)
    return model.random_q(rng), rng.normal(size=model.nv)


def by_hand(model, q, v):
    """Joint forces of all elements, from the forces that each says on numbers, and Jacobians of the bodies."""
    tau = np.zeros(model.nv)
    for force in model.acting:
        at = surroundings(model, q, v, 0.0)
        at.let_act(force.element)
        for a, x in at.torques.items():
            tau[a] += x
        for body, wrench in at.wrenches.items():
            if body:
                tau += rbd.jacobian(model, q, model.bodies[body].name, reference="world").T @ wrench
    return tau


def test_they_stand_in_loops(net):
    own = kernels_for(net).own
    assert sum(len(make.members) for make in own.alike) == 25
    assert all(len(make.members) >= FEWEST for make in own.alike)
    assert own.velocities == (0,)  # friction alone


def test_forces_energy_and_power_are_those_of_the_elements(net):
    kernels = kernels_for(net)
    q, v = state(net)
    expected = by_hand(net, q, v)
    many = [np.tile(x, (3, 1)) for x in (q, v)]
    near = NEAR * np.abs(expected).max()
    assert kernels.own_forces(q, v)[0] == pytest.approx(expected, abs=near)
    assert kernels.own_forces(*many)[0] == pytest.approx(np.tile(expected, (3, 1)), abs=near)
    at = surroundings(net, q, v, 0.0)
    stored = sum(force.element.energy(at) for force in net.acting)
    assert kernels.energy(q, v)[2] == pytest.approx(stored, rel=NEAR)


def test_power_is_what_the_forces_take_less_what_is_stored(net):
    kernels = kernels_for(net)
    q, v = state(net)
    tau, lost, h = kernels.own_forces(q, v)[0], kernels.own_forces(q, v)[2], 1e-5
    rate = (kernels.energy(net.move(q, h * v), v)[2] - kernels.energy(net.move(q, -h * v), v)[2]) / (2.0 * h)
    assert lost == pytest.approx(-tau @ v - rate, rel=1e-7)  # h^2 and eps / h, of powers up to 1e2


@pytest.mark.parametrize("integrator", ["rk4", "linearly_implicit_euler", "linearly_implicit_sdirk2"])
def test_motions_are_those_of_the_readable_form(net, integrator):
    q, v = state(net)
    runs = [rbd.simulate(net, q, v, 0.02, 1e-3, integrator=integrator, backend=backend) for backend in ("auto", "book")]
    assert "LLVM" in runs[0].report.backend and "book" in runs[1].report.backend
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-12)
    assert runs[0].v == pytest.approx(runs[1].v, abs=1e-10)  # of velocities up to 1e1 behind 20 steps


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [(name, how) for name in ("maximal", "redmax") for how in ("rk4", "linearly_implicit_euler")]
    + [("bodywise", "rk4")],
)
def test_every_formulation_steps_them_alike(net, formulation, integrator):
    """Short steps: formulations differ by the errors of a step, and constraints by round-off."""
    q, v = state(net)
    runs = [
        rbd.simulate(net, q, v, 5e-5, 1e-5, integrator=integrator, formulation=name) for name in ("joint", formulation)
    ]
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-10)
    assert runs[1].v == pytest.approx(runs[0].v, abs=1e-5)


@pytest.mark.filterwarnings("ignore:STEP TOO LONG")
@pytest.mark.parametrize("formulation", ["maximal", "redmax"])
def test_implicit_steps_of_nodes_are_the_same_on_bodies_and_in_coordinates(formulation):
    """Nodes go straight, so a step with stiffness is one and the same; it moves them by centimetres."""
    cube = rbd.library.soft_cube(2)
    rng = np.random.default_rng(8)
    q, v = 0.02 * rng.normal(size=cube.nq), rng.normal(size=cube.nv)
    runs = [
        rbd.simulate(cube, q, v, 0.05, 1e-2, integrator="linearly_implicit_euler", formulation=name, backend=backend)
        for name, backend in (("joint", "book"), (formulation, "auto"))
    ]
    assert "LLVM" in runs[1].report.backend
    assert runs[1].q == pytest.approx(runs[0].q, abs=1e-14)


def test_free_bodies_have_them_too():
    rng = np.random.default_rng(4)
    model = rbd.Model("three", gravity=(0, 0, 0))
    for name in "abc":
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    for k in range(6):
        a, b = "abc"[k % 3], "abc"[(k + 1) % 3]
        model.add_spring(f"s{k}", a, b, 5.0, 0.2, 0.1, tuple(rng.normal(size=3)), tuple(rng.normal(size=3)))
    q, v = state(model)
    book = rbd.simulate(model, q, v, 0.05, 2e-4, backend="book").q[-1]
    for formulation in ("joint", "se3", "so3xr3", "maximal"):
        run = rbd.simulate(model, q, v, 0.05, 2e-4, formulation=formulation)
        found, expected = (rbd.forward_kinematics(model, x).poses for x in (run.q[-1], book))
        assert found == pytest.approx(expected, abs=1e-8), formulation  # of two fourth-order methods


def test_web_pages_compute_them(net, wasm, off):
    q, v = state(net)
    own, other = Kernels(net, "wasm"), kernels_for(net)
    assert off(own.own_forces(q, v)[0], other.own_forces(q, v)[0]) < NEAR
    assert off(own.energy(q, v), other.energy(q, v)) < NEAR


def test_lanes_compute_them(net):
    """Of many states in one call, several at once; straight-line code for the gradient."""
    kernels = kernels_for(net)
    rng = np.random.default_rng(6)
    q, v = np.array([net.random_q(rng) for _ in range(600)]), rng.normal(size=(600, net.nv))
    tau = kernels.own_forces(q, v)[0]
    for k in (0, 7, 599):
        expected = by_hand(net, q[k], v[k])
        assert tau[k] == pytest.approx(expected, abs=NEAR * np.abs(expected).max())


def test_code_does_not_grow_with_a_soft_body():
    """Web pages get the programs as they are: those of 158 springs and of 468 are the same."""
    small, large = (packaged(rbd.library.soft_cube(nodes), RK4())["code"] for nodes in (3, 4))
    assert small == large


def test_elements_at_joints_that_have_the_names_of_bodies_are_told_apart():
    model = rbd.Model("namesakes")
    for name, parent in (("a", "world"), ("b", "a")):
        inertia = rbd.Inertia(1.0, [0.1, 0.0, 0.0], 0.1 * np.eye(3))
        model.add_body(name, parent, rbd.Revolute("y"), [1.0, 0.0, 0.0], inertia, joint_name=name)
        model.add_force(f"at_{name}", rbd.JointDamper(name, 1.0 if name == "a" else 2.0))
    found = slopes(model, np.zeros(2), np.array([1.0, 3.0]), np.zeros(0))
    assert np.array_equal(found.f[-2:], [-1.0, -6.0])
