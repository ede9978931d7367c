"""Joint forces for a motion, against forward dynamics, which gives the motion back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms.loops import actuated_freedoms, closed_loop_inverse_dynamics
from rbdkit.errors import ModelError, StateError
from rbdkit.library import five_bar, planar_four_bar, rectangular_bricard, stewart_platform


def moving(model, seed=0):
    """A state that keeps all constraints, and accelerations that some forces cause there."""
    rng = np.random.default_rng(seed)
    q = rbd.assemble(model, model.integrate(model.neutral(), 0.1 * rng.normal(size=model.nv)))
    v = rbd.project_velocity(model, q, rng.normal(size=model.nv))
    return q, v, rbd.forward_dynamics(model, q, v, rng.normal(size=model.nv))


@pytest.mark.source("F8.18", "F8.19")
@pytest.mark.parametrize("make", [planar_four_bar, five_bar, rectangular_bricard, stewart_platform])
def test_forward_dynamics_gives_the_motion_back(make):
    """Of redundant loops as well; both forms find the same forces, those of the readable algorithm."""
    model = make()
    q, v, a = moving(model)
    tau = rbd.inverse_dynamics(model, q, v, a)
    size = np.abs(a).max()
    assert_allclose(rbd.forward_dynamics(model, q, v, tau), a, rtol=0, atol=1e-9 * size)
    assert_allclose(rbd.inverse_dynamics(model, q, v, a, backend="book"), tau, rtol=0, atol=1e-9 * np.abs(tau).max())
    found = closed_loop_inverse_dynamics(model, q, v, a)
    assert_allclose(tau, found.tau, rtol=0, atol=1e-8 * np.abs(tau).max())
    weights = np.random.default_rng(1).uniform(0.5, 2.0, model.nv)
    weighted, other = rbd.inverse_dynamics(model, q, v, a, weights=weights), tau + found.free @ np.ones(
        found.free.shape[1]
    )  # fmt: skip
    assert_allclose(rbd.forward_dynamics(model, q, v, weighted), a, rtol=0, atol=1e-9 * size)
    for forces in (tau, other):
        assert weights @ weighted**2 <= weights @ forces**2 * (1.0 + 1e-12)


def test_motors_of_a_platform():
    """Six slides move a platform; five of them do not, and all forces are theirs alone."""
    model = stewart_platform()
    q, v, a = moving(model)
    slides = [f"slide{k}" for k in range(1, 7)]
    tau = rbd.inverse_dynamics(model, q, v, a, actuated=slides)
    assert_allclose(rbd.forward_dynamics(model, q, v, tau), a, rtol=0, atol=1e-9 * np.abs(a).max())
    own = [model.joint(name).v_slice.start for name in slides]
    assert np.all(np.delete(tau, own) == 0.0)
    assert actuated_freedoms(model, q, slides).kind == "proper"
    with pytest.raises(StateError, match="cannot give this motion"):
        rbd.inverse_dynamics(model, q, v, a, actuated=slides[:5])
    with pytest.raises(StateError, match="none"):
        rbd.inverse_dynamics(model, q, v, a, actuated=[])


@pytest.mark.parametrize("backend", ["auto", "book"])
def test_springs_constraints_and_external_forces_take_part(backend):
    model = planar_four_bar()
    model.add_force("band", rbd.Spring("coupler", "world", stiffness=30.0, damping=1.0, at_b=(0.3, 0.0, 0.5)))
    model = model.with_parameters({"rocker_joint.damping": 0.3, "rocker_joint.stiffness": 2.0})
    push = {"coupler": rbd.wrench([0.1, 0.0, 0.2], point=[0.2, 0.0, 0.3])}
    q, v, _ = moving(model, 2)
    a = rbd.forward_dynamics(model, q, v, [1.0, 2.0, -1.0], f_ext=push)
    tau = rbd.inverse_dynamics(model, q, v, a, actuated="crank_joint", f_ext=push, backend=backend)
    assert_allclose(rbd.forward_dynamics(model, q, v, tau, f_ext=push), a, rtol=0, atol=1e-9 * np.abs(a).max())
    tied = rbd.library.double_pendulum()
    tied.add_constraint("belt", rbd.Tie("hinge2", "hinge1", ratio=-2.0))
    q, v = [0.3, -0.6], [1.0, -2.0]
    a = rbd.forward_dynamics(tied, q, v, [0.3, 0.7])
    tau = rbd.inverse_dynamics(tied, q, v, a, actuated=["hinge2"], backend=backend)
    assert tau[0] == 0.0
    assert_allclose(rbd.forward_dynamics(tied, q, v, tau), a, rtol=1e-11)
    with pytest.raises(StateError, match="break 'belt'"):
        rbd.inverse_dynamics(tied, q, v, [1.0, 1.0], backend=backend)


def test_trees_and_stacks():
    """Of a tree it is `rnea` less springs; what has no actuator must need no force."""
    model = rbd.library.double_pendulum().with_parameters({"hinge1.stiffness": 3.0, "hinge2.damping": 0.2})
    rng = np.random.default_rng(3)
    q, v, tau = rng.normal(size=(3, 4, 5, 2))
    a = rbd.forward_dynamics(model, q, v, tau)
    assert_allclose(rbd.inverse_dynamics(model, q, v, a), tau, rtol=0, atol=1e-11)
    a = rbd.forward_dynamics(model, q[0, 0], v[0, 0], [0.0, 2.0])
    assert_allclose(rbd.inverse_dynamics(model, q[0, 0], v[0, 0], a, actuated=[1]), [0.0, 2.0], atol=1e-12)
    with pytest.raises(StateError, match="cannot give this motion"):
        rbd.inverse_dynamics(model, q[0, 0], v[0, 0], a, actuated="hinge1")
    loop = planar_four_bar()
    states = [moving(loop, seed) for seed in range(3)]
    q, v, a = (np.array(x) for x in zip(*states, strict=True))
    found = rbd.inverse_dynamics(loop, q, v, a, actuated="crank_joint")
    for k, state in enumerate(states):
        assert_allclose(found[k], rbd.inverse_dynamics(loop, *state, actuated="crank_joint"), rtol=1e-13)


def test_what_is_wrong_is_said():
    model = planar_four_bar()
    q, v, a = moving(model)
    with pytest.raises(StateError, match="break 'pin' of model"):
        rbd.inverse_dynamics(model, q, v, a + [1.0, 0.0, 0.0])
    with pytest.raises(StateError, match="must be 1 positive numbers"):
        rbd.inverse_dynamics(model, q, v, a, actuated="crank_joint", weights=[1.0, 2.0])
    with pytest.raises(ModelError, match="'crank' is no tree joint"):
        rbd.inverse_dynamics(model, q, v, a, actuated="crank")


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("turned", [0.3, 1.1])
@pytest.mark.parametrize("backend", ["auto", "book"])
def test_a_piston_at_its_dead_centre_turns_no_crank(length, turned, backend):
    """It has a lever of round-off there, by which a force of 1e16 N would do; a degree further it drives the crank."""
    R = rbd.spatial.so3.exp([turned, 0.4, -0.7])
    model = rbd.Model("engine", gravity=(0.0, 0.0, 0.0))
    axis, along = tuple(R[:, 2]), R[:, 0]
    reach = [0.3 * length, 0.7 * length]
    bar = rbd.Inertia.box((0.2 * length, 0.1 * length, 0.1 * length), mass=1.0)
    crank = model.add_body("crank", joint=rbd.Revolute(axis), inertia=bar)
    rod = model.add_body("rod", crank, rbd.Revolute(axis), rbd.pose(position=reach[0] * along), bar)
    piston = model.add_body("piston", joint=rbd.Prismatic(tuple(along)), inertia=bar)
    pin = rbd.pose(position=sum(reach) * along)
    model.add_loop("pin", piston, rod, rbd.Revolute(axis), pin, rbd.pose(position=reach[1] * along))
    for angle in (0.0, np.radians(1.0)):
        lean = -np.arcsin(reach[0] / reach[1] * np.sin(angle))
        stroke = reach[0] * np.cos(angle) + reach[1] * np.cos(lean) - sum(reach)
        q = np.array([angle, lean - angle, stroke])
        v = np.zeros(3)
        a = rbd.forward_dynamics(model, q, v, [length**2, 0.0, 0.0])
        if angle == 0.0:
            with pytest.raises(StateError, match=r"\('piston_joint'\) of model 'engine' cannot give this motion"):
                rbd.inverse_dynamics(model, q, v, a, actuated=["piston_joint"], backend=backend)
            if length == 1.0:  # what is missing counts from 1e-8 N m on in the readable algorithm
                with pytest.raises(StateError, match=r"\('piston_joint'\) move 0 of 1 freedoms"):
                    closed_loop_inverse_dynamics(model, q, v, a, actuated=["piston_joint"])
        else:
            tau = rbd.inverse_dynamics(model, q, v, a, actuated=["piston_joint"], backend=backend)
            assert_allclose(rbd.forward_dynamics(model, q, v, tau), a, rtol=1e-9, atol=1e-9 * np.abs(a[:2]).min())


@pytest.mark.parametrize("length", [1.0, 1e-3, 1e-6])
def test_what_is_missing_is_seen_at_any_size(length):
    """Torques of an arm of millimetres are below 1e-8 N m: what they cannot give was taken for round-off.

    A balanced seesaw at rest needs no torque, though forces of its weight act in it.
    """
    model = rbd.Model("arm")
    bar = rbd.Inertia.box((length, 0.1 * length, 0.1 * length), mass=length**3)
    for k, parent in enumerate(("world", "upper")):
        name = ("upper", "fore")[k]
        model.add_body(
            name, parent, joint=rbd.Revolute((0, 1, 0)), joint_name=f"hinge{k + 1}", inertia=bar,
            placement=rbd.pose(position=[k * length, 0, 0]),
        )  # fmt: skip
    q, still = [0.3, 0.2], [0.0, 0.0]
    with pytest.raises(StateError, match="cannot give this motion"):
        rbd.inverse_dynamics(model, q, still, [0.0, 1.0 / length], actuated="hinge1")
    a = rbd.forward_dynamics(model, q, still, [0.1 * length**4, 0.0])
    tau = rbd.inverse_dynamics(model, q, still, a, actuated="hinge1")
    assert_allclose(tau, [0.1 * length**4, 0.0], rtol=0, atol=1e-13 * length**4)
    upright = rbd.inverse_dynamics(model, [0.5 * np.pi, 0.2], still, still, actuated="hinge1")
    assert_allclose(upright, still, atol=1e-14 * length**4)  # held: 10 N per cube of a metre, 1e-16 of it
