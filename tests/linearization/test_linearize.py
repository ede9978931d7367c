"""Linear equations of small motions: against differences of motions, closed forms and the same scene otherwise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ArgumentError
from rbdkit.spatial import so3


def by_motion(model, found, q, v, tau, h=1e-5):
    """A and B by differences of short motions: simulated from states apart, compared by `Linearization.error`.

    Independent of the derivatives: only the integrator and the manifold take part.
    """
    dt, d, m = 1e-4, len(found.independent), len(found.inputs)

    def end(x, u):
        start_q = model.integrate(q, found.basis @ x[:d])
        start_v = v + found.basis @ x[d:]
        acting = tau.copy()
        acting[list(found.inputs)] += u
        run = rbd.simulate(model, start_q, start_v, 4 * dt, dt, tau=acting, progress=False)
        return run.q, run.v

    middle_q, middle_v = end(np.zeros(2 * d), np.zeros(m))

    def rate(x, u):
        moved_q, moved_v = end(x, u)
        e = np.array([
            np.concatenate([model.difference(a, b)[found.independent], (w - z)[found.independent]])
            for a, b, w, z in zip(middle_q, moved_q, moved_v, middle_v, strict=True)
        ])  # fmt: skip
        # the derivative at the start of a polynomial through five points
        return (-25 * e[0] + 48 * e[1] - 36 * e[2] + 16 * e[3] - 3 * e[4]) / (12 * dt)

    A = [(rate(h * x, np.zeros(m)) - rate(-h * x, np.zeros(m))) / (2 * h) for x in np.eye(2 * d)]
    B = [(rate(np.zeros(2 * d), u) - rate(np.zeros(2 * d), -u)) / 2 for u in np.eye(m)]
    return np.array(A).T, np.array(B).T


@pytest.mark.parametrize("seed", range(3))
def test_trees_with_curved_joints_in_motion(seed):
    """Quaternions turn while they move: A has a block that is no identity."""
    model = rbd.Model("mobile")
    model.add_body("top", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, [0.1, 0.0, 0.3], np.diag([0.2, 0.3, 0.25])))
    model.add_body("arm", "top", rbd.Revolute("y"), inertia=rbd.Inertia(0.5, [0, 0.1, 0.4], np.diag([0.1, 0.1, 0.02])))
    rng = np.random.default_rng(seed)
    q, v, tau = model.random_q(rng), rng.normal(size=4), rng.normal(size=4)
    found = rbd.linearize(model, q, v, tau)
    A, B = by_motion(model, found, q, v, tau)
    # of the differences: steps of 1e-5, four of 1e-4 s
    np.testing.assert_allclose(found.A, A, rtol=0, atol=1e-5 * np.abs(A).max())
    np.testing.assert_allclose(found.B, B, rtol=0, atol=1e-6 * np.abs(B).max())


def test_a_mechanism_with_a_loop_in_motion():
    model = rbd.library.planar_four_bar()
    q = rbd.assemble(model, model.move(model.neutral(), np.array([0.5, 0.0, 0.0])))
    v = rbd.project_velocity(model, q, [2.0, 0.0, 0.0])
    tau = np.array([0.3, 0.0, 0.0])
    found = rbd.linearize(model, q, v, tau, inputs="crank_joint")
    assert found.states == ("crank_joint.angle", "crank_joint.angle rate")

    # the same mechanism in one coordinate: the crank's acceleration as a function of angle and rate
    def acceleration(angle, rate):
        at = model.move(q, np.array([angle, 0.0, 0.0]))
        closed = rbd.assemble(model, at, "crank_joint")
        speed = v[0] + rate
        w = rbd.project_velocity(model, closed, [1.0, 0.0, 0.0])
        return rbd.forward_dynamics(model, closed, speed * w / w[0], tau)[0]

    h = 1e-5
    by_q = (acceleration(h, 0) - acceleration(-h, 0)) / (2 * h)
    by_v = (acceleration(0, h) - acceleration(0, -h)) / (2 * h)
    np.testing.assert_allclose(found.A, [[0, 1], [by_q, by_v]], rtol=0, atol=1e-7 * abs(by_q))
    np.testing.assert_allclose(found.B[0], 0)


@pytest.mark.parametrize("angle", [0.3, 0.7, 1.1])
def test_rows_that_are_zero_but_for_round_off_hold_nothing(angle):
    """A planar mechanism whose plane is turned has rows of 1e-17 in place of zeros; its one freedom stays."""

    def poles(turn):
        R = so3.exp(turn)
        model = rbd.Model("parallelogram", gravity=R @ [0, 0, -9.81])
        rod = rbd.Inertia(1.0, com=[0, 0, 0.5], inertia_com=0.1 * np.eye(3))
        base = model.add_body("base", placement=rbd.pose(R))
        model.add_body("a", base.name, rbd.Revolute("y"), (-0.3, 0, 0), rod, stiffness=50.0)
        model.add_body("b", base.name, rbd.Revolute("y"), (0.3, 0, 0), rod)
        model.add_body("c", "a", rbd.Revolute("y"), (0, 0, 1), rod)
        model.add_loop("pin", "c", "b", rbd.Revolute("y"), (0.6, 0, 0), (0, 0, 1))
        found = rbd.linearize(model, rbd.assemble(model, [0.2, 0.2, -0.2]))
        rest = rbd.equilibrium(model, rbd.assemble(model, [0.2, 0.2, -0.2]))
        return np.concatenate([found.poles.imag, rest.q, rest.stiffness])

    np.testing.assert_allclose(poles(angle * np.array([0.6, -0.8, 0.4])), poles(np.zeros(3)), rtol=1e-8, atol=1e-8)


def boxes_on_ground(glued):
    """A box on the ground that carries a swinging mast, its corners held by friction, or the box fixed to the world."""
    model = rbd.Model("mast")
    joint = rbd.Fixed() if glued else rbd.Free()
    place = {"placement": (0, 0, 0.1)} if glued else {}
    box = rbd.Box([0.6, 0.4, 0.2])
    model.add_body("box", joint=joint, inertia=rbd.Inertia.box((0.6, 0.4, 0.2), mass=20.0), geometry=box, **place)
    model.add_body("mast", "box", rbd.Revolute("y"), placement=(0, 0, 0.1), inertia=rbd.Inertia(1.0, com=[0, 0, 0.5]))
    if not glued:
        model.add_ground(friction=0.9)
    return model


def test_held_contacts_are_a_fixed_base():
    model, glued = boxes_on_ground(False), boxes_on_ground(True)
    q = np.array([1.0, 0, 0, 0, 0, 0, 0.1, 0.05])
    tau = np.zeros(7)
    tau[6] = 0.4
    found = rbd.linearize(model, q, None, tau, inputs=[6])
    known = rbd.linearize(glued, [0.05], [0.0], [0.4])
    assert found.states == known.states
    np.testing.assert_allclose(found.A, known.A, rtol=0, atol=1e-9 * np.abs(known.A).max())
    np.testing.assert_allclose(found.B, known.B, rtol=0, atol=1e-9 * np.abs(known.B).max())


def test_feet_that_would_have_to_pull_are_told():
    model = boxes_on_ground(False)
    q, tau = np.array([1.0, 0, 0, 0, 0, 0, 0.1, 0.05]), np.zeros(7)
    tau[6] = 500.0
    with pytest.warns(match="without pulling or slipping"):
        rbd.linearize(model, q, None, tau, inputs=[6])


def test_a_mechanism_with_a_loop_that_stands_on_its_feet_is_not_said_to_pull():
    model = boxes_on_ground(False)
    rod = rbd.Inertia(1.0, com=[0, 0, 0.5])
    model.add_body("other", "box", rbd.Revolute("y"), (0.2, 0, 0.1), rod, stiffness=50.0, rest=0.3)
    model.add_body("coupler", "mast", rbd.Revolute("y"), (0, 0, 0.5), rod)
    model.add_loop("pin", "coupler", "other", rbd.Revolute("y"), (0.2, 0, 0), (0, 0, 0.5))
    q = rbd.assemble(model, [1.0, 0, 0, 0, 0, 0, 0.1, 0.1, 0.1, -0.1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(rbd.linearize(model, q).independent) == 1


def test_feet_without_friction_are_refused():
    model = rbd.Model("puck")
    box = rbd.Inertia.box((0.6, 0.4, 0.2), mass=2.0)
    model.add_body("puck", joint=rbd.Free(), inertia=box, geometry=rbd.Box([0.6, 0.4, 0.2]))
    model.add_ground(friction=0.0)
    with pytest.raises(rbd.StateError, match="no friction"):
        rbd.linearize(model, [1.0, 0, 0, 0, 0, 0, 0.1])


def test_a_regulator_holds_a_cart_and_pole():
    model = rbd.Model("cart and pole")
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    model.add_body("pole", "cart", rbd.Revolute("y"), inertia=rbd.Inertia(0.3, com=[0, 0, 0.5]))
    about = rbd.linearize(model, [0.0, 0.0], inputs="cart_joint")
    assert about.poles[0].real > 1.0  # it falls over
    K = about.lqr(Q=[1, 10, 1, 1], R=[0.1])
    P = -(about.B.T @ np.eye(4))  # of the right shape
    assert K.shape == P.shape

    def law(t, q, v):
        return np.array([-(K @ np.concatenate([q, v]))[0], 0.0])

    run = rbd.simulate(model, [0.0, 0.3], [0.0, 0.0], 12.0, 1e-3, tau=law, progress=False)
    assert np.abs(run.q[-1]).max() < 1e-3 and np.abs(run.q).max() < 1.5


def test_small_motions_of_a_spring_are_a_closed_form():
    model = rbd.Model("oscillator")
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), stiffness=8.0, damping=0.5)
    found = rbd.linearize(model, [0.3], [0.2])
    np.testing.assert_allclose(found.A, [[0, 1], [-4.0, -0.25]], rtol=1e-14)
    np.testing.assert_allclose(found.B, [[0], [0.5]], rtol=1e-14)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"inputs": "hinge3"}, "hinge3"),
        ({"inputs": ["hinge1", 0]}, "twice"),
        ({"inputs": []}, "at least one"),
        ({"contacts": "glued"}, "'held' or 'ignore'"),
        ({"q": [[0.1, 0.2]]}, "one state"),
        ({"tau": [1.0]}, "tau"),
    ],
)
def test_odd_arguments_are_refused(change, says):
    with pytest.raises(rbd.RbdkitError, match=says):
        rbd.linearize(**{"model": rbd.library.double_pendulum(), "q": [0.1, 0.2], **change})


def test_rolling_and_sliding_contacts_are_refused():
    ball = rbd.Model("ball")
    ball.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    ball.add_ground()
    with pytest.raises(rbd.RbdkitError, match="rolls"):
        rbd.linearize(ball, [1, 0, 0, 0, 0, 0, 0.1])
    assert rbd.linearize(ball, [1, 0, 0, 0, 0, 0, 0.1], contacts="ignore").A.shape == (12, 12)
    with pytest.raises(rbd.RbdkitError, match="m/s"):
        rbd.linearize(boxes_on_ground(False), [1.0, 0, 0, 0, 0, 0, 0.1, 0.05], [0, 0, 0, 1.0, 0, 0, 0])
    with pytest.raises(rbd.RbdkitError, match="stabilise"):
        rbd.linearize(ball, [1, 0, 0, 0, 0, 0, 1.0], inputs=[0]).lqr(np.ones(12), [1.0])


def test_a_rolling_disc_has_states_at_rest_only():
    """At rest it falls sideways like an inverted pendulum on its edge; along a motion its place matters, too."""
    radius, length = 0.3, 0.05
    model = rbd.Model("disc")
    model.add_body("disc", joint=rbd.Free(), inertia=rbd.Inertia.cylinder(radius, length, mass=1.0))
    model.add_constraint("rolls", rbd.Rolling("disc", "world", radius, axle=(0.0, 0.0, 1.0)))
    q = rbd.Free().project(rbd.pose(so3.exp([np.pi / 2, 0, 0]), (0, 0, radius)))
    inertia = (radius**2 / 4 + length**2 / 12) + radius**2
    assert np.isclose(rbd.linearize(model, q).poles[0].real, np.sqrt(9.81 * radius / inertia), rtol=1e-8)
    with pytest.raises(rbd.StateError, match="'rolls' holds velocities"):
        rbd.linearize(model, q, rbd.project_velocity(model, q, [0, 0, 5.0, 0, 0, 0]))


def test_constraints_of_one_side_are_refused_by_name():
    model = rbd.Model("cart")
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    model.add_constraint("stop", rbd.Limit("cart_joint", -1.0, 1.0))
    with pytest.raises(rbd.StateError, match="'stop' holds on one side"):
        rbd.linearize(model, [0.0])


def test_controls_of_actuators_are_inputs():
    """B by differences of accelerations with other controls; a servo at its limit has no effect."""
    model = rbd.library.double_pendulum()
    model.add_motor("hinge1", gear=-2.0)
    model.add_servo("hinge2", kp=20.0, kd=1.0)
    model.add_servo("hinge2", "tired", kp=20.0, limit=0.5)
    q, v, u = np.array([0.4, -0.3]), np.array([0.2, 0.1]), np.array([0.3, -0.2, 2.0])
    found = rbd.linearize(model, q, v, u=u)
    assert found.inputs == ("hinge1_motor", "hinge2_servo", "tired")

    def acceleration(q, v, u):
        return rbd.forward_dynamics(model.with_controls(u), q, v, np.zeros(2))

    def slope(of):
        return np.array([(of(1e-4 * e) - of(-1e-4 * e)) / 2e-4 for e in np.eye(len(u))]).T

    np.testing.assert_allclose(found.B[2:], slope(lambda du: acceleration(q, v, u + du)), rtol=0, atol=1e-9)
    assert not found.B[:2].any() and not found.B[:, 2].any()
    by_q = np.array([(acceleration(q + 1e-5 * e, v, u) - acceleration(q - 1e-5 * e, v, u)) / 2e-5 for e in np.eye(2)]).T
    np.testing.assert_allclose(found.A[2:, :2], by_q, rtol=0, atol=1e-7)
    K = found.lqr(np.ones(4), np.ones(3))
    assert K.shape == (3, 4) and (np.linalg.eigvals(found.A - found.B @ K).real < 0.0).all()
    with pytest.raises(ArgumentError, match="give one of both"):
        rbd.linearize(model, q, u=u, inputs="hinge1")
