"""Springs and dampers as elements are what the numbers of a joint are, on joints of all types, in all that is made."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.engine import Kernels
from rbdkit.errors import ModelError
from rbdkit.library import random_state, random_tree

JOINTS = [rbd.Revolute("z"), rbd.Cylindrical("x"), rbd.Planar("x"), rbd.Spherical(), rbd.Free(), rbd.Free("successor"),
          rbd.Reversed(rbd.Spherical()), rbd.Universal(), rbd.SphereInCylinder("y"), rbd.EulerSpherical(),
          rbd.Reversed(rbd.Planar("y"))]  # fmt: skip
CLOSE = 1e-9
"""The order of sums, and what the condition of H makes of their round-off."""


def both(bodies=11, joints=None, seed=0):
    """A tree whose joints have numbers, and the same with two springs and a damper in each; rest far from neutral."""
    joints = joints or JOINTS
    numbers, elements = (random_tree(seed, bodies, joints) for _ in range(2))
    rng, values = np.random.default_rng(seed + 1), {}
    for j in numbers.joints:
        if j.nv:
            k, d, rest = rng.uniform(1.0, 3.0, j.nv), rng.uniform(0.1, 1.0, j.nv), j.type.random(rng)
            values |= {f"{j.name}.stiffness": k, f"{j.name}.damping": d, f"{j.name}.rest": rest}
            for share, name in ((0.25, "weak"), (0.75, "strong")):
                elements.add_force(f"{name} {j.name}", rbd.JointSpring(j.name, tuple(share * k), tuple(rest)))
            elements.add_force(f"oil {j.name}", rbd.JointDamper(j.name, tuple(d)))
    return numbers.with_parameters(values), elements


@pytest.fixture(scope="module")
def trees():
    return both()


@pytest.mark.parametrize("backend", ["auto", "book"])
def test_they_do_what_the_numbers_of_the_joint_do(backend, trees):
    numbers, elements = trees
    q, v, tau = random_state(numbers, 3)
    assert {type(j.type) for j in numbers.joints[1:]} >= {rbd.Spherical, rbd.Free, rbd.Planar, rbd.Reversed}
    Kernels(elements, "llvm")  # all of it is compiled
    assert_allclose(rbd.passive_force(elements, q, v), rbd.passive_force(numbers, q, v), rtol=CLOSE, atol=1e-13)
    found, expected = (rbd.forward_dynamics(m, q, v, tau, backend=backend) for m in (elements, numbers))
    assert_allclose(found, expected, rtol=0, atol=CLOSE * np.abs(expected).max())
    energies = [rbd.energy(m, q, v, backend=backend).spring for m in (elements, numbers)]
    assert energies[0] == pytest.approx(energies[1], rel=1e-12)


def test_derivatives_know_them(trees):
    numbers, elements = trees
    q, v, tau = random_state(numbers, 4)
    found, expected = (rbd.forward_dynamics_derivatives(m, q, v, tau) for m in (elements, numbers))
    for name in ("da_dq", "da_dv"):
        size = np.abs(getattr(expected, name)).max()
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=0, atol=CLOSE * size)


@pytest.mark.parametrize("formulation", ["joint", "se3", "so3xr3", "bodywise"])
def test_every_formulation_feels_them(formulation):
    numbers, elements = both(4, [rbd.Revolute("z"), rbd.Spherical(), rbd.Free()], seed=5)
    q, v, _ = random_state(numbers, 5)
    runs = [rbd.simulate(m, q, v, 0.02, 1e-3, formulation=formulation, progress=False) for m in (elements, numbers)]
    assert "compiled loop" in runs[0].report.backend
    assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-10)
    assert_allclose(runs[0].v, runs[1].v, rtol=0, atol=1e-8)


def test_their_numbers_are_parameters_and_go_into_files(tmp_path):
    _, elements = both(3, [rbd.Revolute("z"), rbd.Spherical()])
    names = [name for name in elements.parameters if name.startswith(("weak", "oil"))]
    assert {name.split(".")[1] for name in names} == {"stiffness", "rest", "damping"}
    stiff = next(name for name in names if name.endswith(".stiffness"))
    changed = elements.with_parameters({stiff: 2.0 * elements.parameters[stiff]})
    rbd.save(changed, tmp_path / "model.json")
    again = rbd.load(tmp_path / "model.json")
    kept = json.loads((tmp_path / "model.json").read_text())["forces"]
    assert {force["kind"] for force in kept} == {"JointSpring", "JointDamper"}
    q, v, _ = random_state(elements, 1)
    np.testing.assert_array_equal(rbd.passive_force(again, q, v), rbd.passive_force(changed, q, v))
    assert np.any(rbd.passive_force(changed, q, v) != rbd.passive_force(elements, q, v))


def test_two_springs_in_parallel_swing_as_one():
    """Closed form: cos(sqrt(k / I) t) about where they balance."""
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("wheel", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0, [0, 0, 0], 0.5 * np.eye(3)))
    model.add_force("one", rbd.JointSpring("wheel_joint", 3.0))
    model.add_force("other", rbd.JointSpring("wheel_joint", 1.0, rest=0.4))
    run = rbd.simulate(model, [0.3], duration=2.0, dt=1e-3)
    # RK4 with a thousandth of a radian a step
    assert_allclose(run.q[:, 0], 0.1 + 0.2 * np.cos(np.sqrt(8.0) * run.t), rtol=0, atol=1e-11)
    assert np.ptp(run.energy().total) < 1e-12


def test_a_joint_that_follows_another_is_sprung_too():
    model = rbd.Model(gravity=(0, 0, 0))
    body = rbd.Inertia.box([0.3, 0.2, 0.1], mass=2.0)
    model.add_body("a", joint=rbd.Revolute("y"), inertia=body, joint_name="leader")
    model.add_body("b", joint=rbd.Revolute("y"), inertia=body, mimic=rbd.Mimic("leader", -2.0, 0.1))
    model.add_force("band", rbd.JointSpring("b_joint", 3.0, rest=0.5))
    # x = 0.1 - 2 q is pulled with 3 (0.5 - x), which q feels times -2
    assert rbd.passive_force(model, [0.2], [0.0])[0] == pytest.approx(-2.0 * 3.0 * (0.5 - (0.1 - 0.4)), rel=1e-14)


def test_what_is_no_rest_is_refused():
    model = rbd.Model()
    model.add_body("ball", joint=rbd.Spherical(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    with pytest.raises(ModelError, match=r"'ball_joint'.*rest has shape"):
        model.add_force("band", rbd.JointSpring("ball_joint", 1.0, rest=(0.0, 0.0, 0.0)))
    with pytest.raises(ModelError, match="rest of the spring"):
        model.add_force("band", rbd.JointSpring("ball_joint", 1.0, rest=(2.0, 0.0, 0.0, 0.0)))
    with pytest.raises(ModelError, match=r"stiffness -1\.0 must be a number that is not negative"):
        rbd.JointSpring("ball_joint", -1.0)
    with pytest.raises(ModelError, match="damping"):
        rbd.JointDamper("ball_joint", float("nan"))


def test_a_spring_may_be_slack_where_random_coordinates_are():
    """Whether it is conservative is looked at elsewhere: there it does no work, and energies of 1e-12 J are noise."""
    model = rbd.Model()
    model.add_body("disc", joint=rbd.Planar("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_force("band", rbd.JointSpring("disc_joint", (1.0, 2.0, 3.0), tuple(model.random_q(0))))
    assert model.forces[0].name == "band"


def test_joints_without_freedoms_take_no_torque():
    model = rbd.Model("arm")
    ball = rbd.Inertia(1.0, com=[0.0, 0.0, -1.0])
    model.add_body("a", joint=rbd.Revolute("y"), inertia=ball)
    model.add_body("tool", "a", rbd.Fixed(), [0.0, 0.0, -1.0], ball)
    model.add_body("b", "a", rbd.Prescribed(rbd.Revolute("y"), lambda t: (t, 1.0, 0.0)), [0.0, 0.0, -1.0], ball)
    elements = (
        rbd.JointSpring,
        lambda joint, k: rbd.JointDamper(joint, k),
        lambda joint, k: rbd.Servo(joint, 0, k, 1, 1),
    )
    for joint in ("tool_joint", "b_joint"):
        for element in elements:
            with pytest.raises(
                ModelError, match=rf"force 'drive' .*joint '{joint}' has no freedom that a torque could"
            ):
                model.add_force("drive", element(joint, 2.0))
    assert not model.forces


def test_other_numbers_have_the_shape_of_the_present_ones():
    """A vector of three where two are asked for would leave one out; so would a vector for a number."""
    model = rbd.library.double_pendulum()
    model.add_force("band", rbd.Spring("rod2", "world", stiffness=20.0, at_b=(1.0, 0.0, 0.0)))
    model.add_force("oil", rbd.JointDamper(model.joints[1].name, (0.2,)))
    for name, value, says in (
        ("band.stiffness", [1.0, 2.0], r"Spring: stiffness is a number, and \[1\.0, 2\.0\] is not"),
        ("band.stiffness", [1.0], "stiffness is a number"),
        ("band.at_b", [1.0, 2.0], "at_b is a vector of 3, and"),
        ("band.at_b", 1.0, "at_b is a vector of 3, and 1.0 is not"),
        ("oil.damping", 0.3, "damping is a vector of 1"),
    ):
        with pytest.raises(ModelError, match=says):
            model.with_parameters({name: value})
    assert model.with_parameters({"band.at_b": [0.0, 1.0, 2.0]}).forces[0].element.at_b == (0.0, 1.0, 2.0)
