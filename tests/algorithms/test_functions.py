"""The public functions: stacks equal loops, leading axes broadcast, and errors name what is wrong."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import StateError
from rbdkit.library import pendulum, random_state, random_tree

CALLS = {
    "rnea": lambda m, q, v, a: rbd.rnea(m, q, v, a, f_ext={"b2": np.ones(6)}),
    "aba": lambda m, q, v, a: rbd.aba(m, q, v, a),
    "forward_dynamics": lambda m, q, v, a: rbd.forward_dynamics(m, q, v, a),
    "crba": lambda m, q, v, a: rbd.crba(m, q),
    "bias_force": lambda m, q, v, a: rbd.bias_force(m, q, v),
    "gravity_force": lambda m, q, v, a: rbd.gravity_force(m, q),
    "passive_force": lambda m, q, v, a: rbd.passive_force(m, q, v),
    "jacobian": lambda m, q, v, a: rbd.jacobian(m, q, "b3", "aligned"),
    "bias_acceleration": lambda m, q, v, a: rbd.bias_acceleration(m, q, v, "b3", "world"),
    "poses": lambda m, q, v, a: rbd.forward_kinematics(m, q).poses,
    "velocities": lambda m, q, v, a: rbd.forward_kinematics(m, q, v).velocities,
    "frame velocity": lambda m, q, v, a: rbd.forward_kinematics(m, q, v).velocity("b3"),
    "center_of_mass": lambda m, q, v, a: rbd.center_of_mass(m, q),
    "momentum": lambda m, q, v, a: rbd.momentum(m, q, v, "com"),
    "energy": lambda m, q, v, a: rbd.energy(m, q, v).total,
    "power_balance": lambda m, q, v, a: rbd.power_balance(m, q, v, a, a).energy_rate,
}


@pytest.fixture(scope="module")
def model():
    """Every joint type once."""
    model = random_tree(11, 17)
    return model.with_parameters({f"{j.name}.stiffness": np.full(j.nv, 2.0) for j in model.joints if j.nv})


@pytest.fixture(scope="module")
def states(model):
    """A 2 x 3 stack of states."""
    rows = [random_state(model, seed) for seed in range(6)]
    return tuple(np.array(part).reshape(2, 3, -1) for part in zip(*rows, strict=True))


@pytest.mark.parametrize("name", CALLS)
def test_a_stack_gives_what_a_loop_gives(model, states, name):
    q, v, a = states
    stacked = CALLS[name](model, q, v, a)
    for i in np.ndindex(2, 3):
        one = CALLS[name](model, q[i], v[i], a[i])
        np.testing.assert_allclose(stacked[i], one, rtol=1e-11, atol=1e-12)  # stacks sum in another order
    assert np.shape(stacked) == (2, 3, *np.shape(one))


@pytest.mark.parametrize("name", CALLS)
def test_leading_axes_broadcast(model, states, name):
    """One q with three velocities, and two accelerations for each."""
    q, v, a = states[0][0, 0], states[1][0], states[2][:, :1]
    got = CALLS[name](model, q, v, a)
    of_three = ("rnea", "aba", "forward_dynamics", "power_balance")
    of_q = ("crba", "gravity_force", "jacobian", "poses", "center_of_mass")
    lead = 2 if name in of_three else 0 if name in of_q else 1
    assert np.shape(got)[:lead] == (2, 3)[2 - lead :]
    last = CALLS[name](model, q, v[2], a[1, 0])
    np.testing.assert_allclose(got[(1, 2)[2 - lead :]] if lead else got, last, rtol=1e-11, atol=1e-12)


def test_lists_are_welcome():
    assert rbd.rnea(pendulum(), [0.1], [0.0], [0.0]).shape == (1,)
    assert rbd.energy(pendulum(), [[0.1], [0.2]], [0.0]).kinetic.tolist() == [0.0, 0.0]


def test_errors_name_the_argument_the_joint_and_the_mending(model, states):
    q, v, a = (part[0, 0].copy() for part in states)
    with pytest.raises(StateError, match=r"a has shape \(3,\); model 'random tree 11' needs \(\d+,\), or"):
        rbd.rnea(model, q, v, a[:3])
    v[4] = np.nan
    with pytest.raises(StateError, match=r"v\[4\] \(joint 'b\d+_joint'\) is not finite: nan"):
        rbd.rnea(model, q, v, a)
    quaternions = next(joint for joint in model.joints if joint.type.kind == "spherical").q_slice
    q[quaternions] *= 1.1
    with pytest.raises(StateError, match=r"q of joint 'b\d+_joint'.*norm 1\.1, not 1; divide it by its norm"):
        rbd.crba(model, q)


def test_stacks_that_do_not_fit_are_refused(model, states):
    q, v, a = states
    with pytest.raises(StateError, match=r"leading axes of q \(2, 3, \d+\), v \(2, \d+\), a \(2, 3, \d+\) do not fit"):
        rbd.rnea(model, q, v[:, 0], a)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_compiled_kinematics_and_energy_are_those_of_the_book_form(shape):
    """Sums of some twenty terms in another order: round-off of numbers of order 10."""
    model = rbd.library.random_tree(5, 17)
    rng = np.random.default_rng(5)
    q = np.array([model.random_q(rng) for _ in range(3)]) if shape else model.random_q(rng)
    v = rng.normal(size=(*shape, model.nv))
    auto, book = (rbd.forward_kinematics(model, q, v, backend=name) for name in ("auto", "book"))
    np.testing.assert_allclose(auto.poses, book.poses, rtol=0, atol=1e-13)
    np.testing.assert_allclose(auto.velocities, book.velocities, rtol=0, atol=1e-12)
    assert rbd.forward_kinematics(model, q).velocities is None
    auto, book = (rbd.energy(model, q, v, backend=name) for name in ("auto", "book"))
    for part in ("kinetic", "gravitational", "spring", "total"):
        np.testing.assert_allclose(getattr(auto, part), getattr(book, part), rtol=1e-12, atol=1e-12)


def test_poses_are_found_by_the_name_of_a_body_or_frame():
    arm = rbd.library.double_pendulum()
    arm.add_frame("tip", "rod2", rbd.pose(position=[0.0, 0.0, -1.0]))
    found = rbd.forward_kinematics(arm, [[0.3, -0.2], [1.0, 0.5]])
    np.testing.assert_array_equal(found["rod2"], found.poses[:, 2])
    length = np.linalg.norm(found["rod2"][0, :3, 3])
    angles = np.array([[0.3, 0.1], [1.0, 1.5]])  # of the rods from the vertical
    reach = -length * np.cos(angles[:, 0]) - np.cos(angles[:, 1])
    np.testing.assert_allclose(found["tip"][:, 2, 3], reach, atol=1e-15)
    with pytest.raises(rbd.errors.ModelError, match="'rod3'"):
        found["rod3"]
