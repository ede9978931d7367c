"""States of rest: closed forms, the end of damped motions, and the motor forces that hold them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import rbdkit as rbd


def test_a_pendulum_pushed_by_a_torque():
    model = rbd.Model("pendulum", gravity=(0, 0, -10))
    model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, -1]))
    found = rbd.equilibrium(model, [0.4], [5.0])
    assert abs(found.q[0]) == pytest.approx(np.pi / 6, abs=1e-12)  # sin = 5 / 10
    assert found.stable
    np.testing.assert_allclose(rbd.forward_dynamics(model, found.q, [0.0], found.tau), 0, atol=1e-11)
    top = rbd.equilibrium(model, [3.0], stable=False)
    assert top.q[0] == pytest.approx(np.pi, abs=1e-12) and not top.stable
    assert np.cos(rbd.equilibrium(model, [np.pi]).q[0]) == pytest.approx(1.0, abs=1e-12)  # it leaves the top


def test_it_is_where_a_damped_motion_ends():
    model = rbd.Model("chain")
    name = "world"
    for k in range(3):
        body = f"rod{k}"
        rod = rbd.Inertia.box((0.05, 0.05, 0.5), mass=1.0 + k).transformed(rbd.pose(position=(0, 0, -0.25)))
        place = (0, 0, 0) if k == 0 else (0, 0, -0.5)
        model.add_body(
            body, name, rbd.Revolute("y"), placement=place, inertia=rod, damping=8.0, stiffness=3.0, rest=0.4
        )
        name = body
    found = rbd.equilibrium(model)
    run = rbd.simulate(model, [0.2, 0.1, 0.0], duration=60.0, dt=2e-3, every=1000, progress=False)
    assert np.abs(run.v[-1]).max() < 1e-9
    np.testing.assert_allclose(found.q, run.q[-1], rtol=0, atol=1e-8)


def test_a_loop_rests_at_its_lowest_and_motors_hold_it_elsewhere():
    model = rbd.library.planar_four_bar()
    found = rbd.equilibrium(model)
    assert found.stable
    np.testing.assert_allclose(rbd.forward_dynamics(model, found.q, np.zeros(3), np.zeros(3)), 0, atol=1e-8)
    nearby = [rbd.assemble(model, model.move(found.q, [x, 0, 0]), "crank_joint") for x in (-0.1, 0.1)]
    assert all(rbd.energy(model, q, np.zeros(3)).total > rbd.energy(model, found.q, np.zeros(3)).total for q in nearby)
    q = rbd.assemble(model, model.move(model.neutral(), np.array([0.5, 0.0, 0.0])))
    held = rbd.equilibrium(model, q, fix="crank_joint")
    np.testing.assert_allclose(held.q, q, rtol=0, atol=1e-9)
    assert held.tau[0] != 0.0 and not held.tau[1:].any()
    np.testing.assert_allclose(rbd.forward_dynamics(model, held.q, np.zeros(3), held.tau), 0, atol=1e-9)


def test_a_loop_with_two_freedoms_one_of_them_held():
    model = rbd.Model("five bars")
    rod = rbd.Inertia.box((0.3, 0.02, 0.02), mass=0.3).transformed(rbd.pose(position=(0.15, 0, 0)))
    names = ["world", "a", "b", "c", "d"]
    for before, name in pairwise(names):
        place = (0, 0, 0) if before == "world" else (0.3, 0, 0)
        model.add_body(name, before, rbd.Revolute("y"), placement=place, inertia=rod)
    model.add_loop("pin", "world", "d", rbd.Revolute("y"), (0.4, 0, 0), (0.3, 0, 0))
    q = rbd.assemble(model, [-0.9, 0.8, 1.2, 1.0])
    found = rbd.equilibrium(model, q, fix="a_joint")
    assert found.q[0] == pytest.approx(q[0], abs=1e-9) and found.stable
    assert not found.tau[1:].any()
    np.testing.assert_allclose(rbd.forward_dynamics(model, found.q, np.zeros(4), found.tau), 0, atol=1e-8)


def test_a_quaternion_finds_its_place():
    model = rbd.Model("bell")
    model.add_body("bell", joint=rbd.Spherical(), inertia=rbd.Inertia(2.0, [0.1, 0.2, 0.3], np.eye(3)))
    found = rbd.equilibrium(model, model.random_q(np.random.default_rng(1)))
    at = rbd.forward_kinematics(model, found.q).pose("bell")[:3, :3] @ [0.1, 0.2, 0.3]
    np.testing.assert_allclose(at, [0, 0, -np.linalg.norm([0.1, 0.2, 0.3])], atol=1e-10)
    assert found.stiffness[0] == pytest.approx(0.0, abs=1e-6)  # it may turn about the vertical


def test_motors_of_a_standing_robot():
    """With all joints held and feet on the ground the motors carry what inverse dynamics says."""
    model = rbd.Model("mast")
    box = rbd.Box([0.6, 0.4, 0.2])
    model.add_body("box", joint=rbd.Free(), inertia=rbd.Inertia.box((0.6, 0.4, 0.2), mass=20.0), geometry=box)
    model.add_body("mast", "box", rbd.Revolute("y"), placement=(0, 0, 0.1), inertia=rbd.Inertia(1.0, com=[0, 0, 0.5]))
    model.add_ground(friction=0.9)
    found = rbd.equilibrium(model, [1.0, 0, 0, 0, 0, 0, 0.1, 0.3], fix="mast_joint")
    assert found.tau[6] == pytest.approx(-9.81 * 0.5 * np.sin(0.3), abs=1e-9)
    assert not found.tau[:6].any()


@pytest.mark.parametrize(
    ("make", "change", "says"),
    [
        (rbd.library.double_pendulum, {"fix": "hinge3"}, "hinge3"),
        (rbd.library.double_pendulum, {"stable": "yes"}, "True or False"),
        (lambda: falling(), {}, "fall for ever"),
        (lambda: falling(), {"fix": [0]}, "joints whole"),
    ],
)
def test_what_has_no_rest_says_so(make, change, says):
    with pytest.raises(rbd.RbdkitError, match=says):
        rbd.equilibrium(make(), **change)


def falling():
    model = rbd.Model("falling")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    return model


def test_contacts_that_would_have_to_pull_are_told():
    model = rbd.Model("balloon", gravity=(0, 0, 9.81))
    box = rbd.Inertia.box((0.6, 0.4, 0.2), mass=2.0)
    model.add_body("basket", joint=rbd.Free(), inertia=box, geometry=rbd.Box([0.6, 0.4, 0.2]))
    model.add_ground(friction=0.9)
    with pytest.warns(match="without pulling"):
        rbd.equilibrium(model, [1.0, 0, 0, 0, 0, 0, 0.1])


def test_a_force_given_on_a_free_joint_beside_a_fixed_one():
    model = rbd.library.double_pendulum()
    found = rbd.equilibrium(model, [0.5, 0.1], tau=[0.0, 0.5], fix=0)
    assert found.q[0] == 0.5 and found.tau[1] == 0.5
    assert np.abs(rbd.forward_dynamics(model, found.q, np.zeros(2), found.tau)).max() < 1e-10


def _driven_five_bar(motion) -> rbd.Model:
    """Five bars in a plane whose crank is moved, so that one freedom is left."""

    def rod(length: float) -> rbd.Inertia:
        return rbd.Inertia.box((length, 0.05, 0.05), mass=1.0).transformed(rbd.pose(position=(length / 2, 0, 0)))

    model = rbd.Model("driven five bars")
    model.add_body("crank", joint=rbd.Prescribed(rbd.Revolute("y"), motion), inertia=rod(0.3))
    model.add_body("first", "crank", rbd.Revolute("y"), placement=(0.3, 0, 0), inertia=rod(0.7))
    model.add_body("second", "first", rbd.Revolute("y"), placement=(0.7, 0, 0), inertia=rod(0.7))
    model.add_body("rocker", joint=rbd.Revolute("y"), placement=(1.0, 0, 0), inertia=rod(0.8))
    ends = rbd.pose(position=(0.7, 0, 0)), rbd.pose(position=(0.8, 0, 0))
    model.add_loop("closure", "second", "rocker", rbd.Revolute("y"), *ends)
    return model


@pytest.mark.parametrize("angle", [0.5, -0.4, 1.3])
def test_a_loop_whose_crank_is_prescribed(angle):
    model = _driven_five_bar(lambda t: (angle + t**2, 2 * t, 0.0 * t))
    found = rbd.equilibrium(model)
    rest = np.zeros(model.nv)
    assert found.stable and len(found.stiffness) == 1
    np.testing.assert_allclose(rbd.forward_dynamics(model, found.q, rest, rest), 0, atol=1e-9)
    lowest = rbd.energy(model, found.q, rest).gravitational
    for step in (-0.05, 0.05):
        away = rbd.assemble(model, found.q + [step, 0, 0], "first_joint")
        assert rbd.energy(model, away, rest).gravitational > lowest


def test_a_loop_that_is_moved_does_not_rest():
    model = _driven_five_bar(lambda t: (0.5 + t**2, 2 * t, 2.0))
    with pytest.raises(rbd.StateError, match=r"does not rest at t = 0.3 s: prescribed joints \(crank_joint\) move"):
        rbd.equilibrium(model, t=0.3)
