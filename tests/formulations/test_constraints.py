"""Bodies with constraints between them move as the same model does in joint coordinates, whatever the joints."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import ModelError, SimulationError
from rbdkit.formulations import SE3, Bodywise, ConstrainedBodies, SO3xR3
from rbdkit.formulations.constrained.groups import ProductGroup
from rbdkit.library import joint_gallery, random_state, random_tree, uncommon_joints
from rbdkit.spatial import se3, so3

CHOICES = {
    "se3": {"groups": "se3"},
    "so3xr3": {"groups": "so3xr3"},
    "se3, body frames": {"groups": "se3", "reference": "body"},
    "so3xr3, body frames": {"groups": "so3xr3", "reference": "body"},
    "mixed": {"groups": ["se3", "so3xr3"] * 8 + ["se3"]},
}


ALL_JOINTS = [*joint_gallery(np.random.default_rng(4)), *uncommon_joints(np.random.default_rng(4))]


@pytest.fixture(params=list(CHOICES.values()), ids=list(CHOICES))
def choice(request):
    return request.param


def tree_with_everything(seed):
    """All joint types, with springs, dampers and rotors on half of them, and a state."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 17)
    given = {}
    for joint in model.joints[1:]:
        if joint.nv and rng.uniform() < 0.5:
            given |= {f"{joint.name}.{what}": rng.uniform(0.1, 2.0, joint.nv) for what in ("damping", "armature")}
            given[f"{joint.name}.stiffness"] = rng.uniform(1.0, 5.0, joint.nv)
    model = model.with_parameters({name: v if v.size > 1 else v.item() for name, v in given.items()})
    q, v, tau = random_state(model, seed)
    for joint in model.joints:  # angles as `project` finds them: pitch from -pi/2 to pi/2
        if joint.type.kind == "euler_spherical":
            q[joint.q_slice][1] /= 2.5
    return model, q, v, tau


def body_accelerations(system, x, w, rate):
    """V' of the body frames, (bodies, 6), from the rate of a system's own velocities."""
    n = len(system.model.bodies) - 1
    R = x.reshape(n, 12)[:, :9].reshape(n, 3, 3)
    v, a = w.reshape(n, 6).copy(), rate.reshape(n, 6).copy()
    for i, group in enumerate(system.group.names):
        if group == "so3xr3":  # v_s = R v, so v_s' = R (v' + omega x v)
            a[i, 3:] = R[i].T @ a[i, 3:] - np.cross(v[i, :3], R[i].T @ v[i, 3:])
    if system.reference == "com":
        for i, body in enumerate(system.model.bodies[1:]):
            a[i, 3:] -= np.cross(a[i, :3], body.inertia.com)
    return a


@pytest.mark.source("M.04")
@pytest.mark.parametrize("seed", range(4))
def test_accelerations_are_those_of_the_articulated_body_algorithm(seed, choice):
    """With applied and external forces, springs, dampers and rotors; the saddle-point matrix has a condition of 1e6."""
    model, q, v, tau = tree_with_everything(seed)
    f_ext = np.random.default_rng(seed).normal(size=(18, 6))
    system = ConstrainedBodies(model, lambda t, x, w: tau, lambda t, x, w: f_ext, **choice)
    x, w = system.state(q, v)
    expected = algorithms.aba(model, q, v, tau + algorithms.passive_force(model, q, v), f_ext=f_ext)
    falling = np.array([[0, 0, 0, *(T[:3, :3].T @ model.gravity)] for T in rbd.forward_kinematics(model, q).poses])
    a = body_accelerations(system, x, w, system.rate(0.0, x, w))
    np.testing.assert_allclose(a, (expected.a + falling)[1:], rtol=0, atol=1e-10 * np.abs(expected.a).max())


@pytest.mark.parametrize("seed", range(2))
def test_a_state_says_of_the_model_what_the_joint_coordinates_say(seed, choice):
    model, q, v, _ = tree_with_everything(seed)
    system = ConstrainedBodies(model, **choice)
    x, w = system.state(q, v)
    kinematics = rbd.forward_kinematics(model, q, v)
    np.testing.assert_allclose(system.poses(x), kinematics.poses, rtol=0, atol=1e-13)
    np.testing.assert_allclose(system.velocities(x, w), kinematics.velocities, rtol=0, atol=1e-12)
    np.testing.assert_allclose(system.momentum(x, w), rbd.momentum(model, q, v), rtol=0, atol=1e-11)
    own, joint = system.energy(x, w), rbd.energy(model, q, v)
    for part in ("kinetic", "gravitational", "spring"):
        np.testing.assert_allclose(getattr(own, part), getattr(joint, part), rtol=1e-12, atol=1e-11)
    assert np.abs(system.constraint_error(x)).max() < 1e-14
    stacked_x, stacked_w = system.state(np.stack([q, q]), np.stack([v, v]))
    np.testing.assert_allclose(stacked_x[1], x, rtol=0, atol=1e-14)
    np.testing.assert_allclose(system.energy(stacked_x, stacked_w).total, [own.total] * 2, rtol=1e-13)
    assert system.constraint_error(stacked_x).shape == (2, system.constraints.m)


def slope(f, h=1e-3):
    """f'(0) by a central difference of order 6: truncation h^6 f^(7) / 140, rounding eps |f| / h."""
    return sum(c * (f(k * h) - f(-k * h)) for k, c in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))) / h


@pytest.mark.source("M.04")
@pytest.mark.parametrize("seed", range(3))
def test_the_jacobian_is_that_of_the_position_constraints(seed, choice):
    """On the constraints; in any direction, also across them."""
    model, q, v, _ = tree_with_everything(seed)
    system = ConstrainedBodies(model, **choice)
    x, w = system.state(q, v)
    u = np.random.default_rng(seed).normal(size=len(w))
    J = system.index1(0.0, x, w).J
    g_rate = slope(lambda s: system.constraint_error(system.move(x, s * u)))
    np.testing.assert_allclose(J @ u, g_rate, rtol=0, atol=1e-11)
    assert np.abs(J @ w).max() < 1e-13


@pytest.mark.source("M.04")
@pytest.mark.parametrize("seed", range(3))
def test_eta_is_what_the_jacobian_leaves_of_the_acceleration(seed, choice):
    """d/dt (J v) = J v' - eta along any motion, here one that obeys the joints' velocities but has any acceleration."""
    model, q, v, _ = tree_with_everything(seed)
    system = ConstrainedBodies(model, **choice)
    x, w = system.state(q, v)
    a = np.random.default_rng(seed).normal(size=len(w))
    here = system.index1(0.0, x, w)

    def velocity_constraint(s):
        at, speed = system.move(x, s * w + 0.5 * s * s * a), w + s * a  # x is right to order s^2
        return system.index1(0.0, at, speed).J @ speed

    h = 1e-4  # truncation h^2, rounding eps / h: both about 1e-8
    difference = (velocity_constraint(h) - velocity_constraint(-h)) / (2 * h)
    np.testing.assert_allclose(difference, here.J @ a - here.eta, rtol=0, atol=3e-6 * np.abs(here.eta).max())


@pytest.mark.parametrize("joint", ALL_JOINTS, ids=lambda joint: repr(joint)[:40])
def test_a_joint_has_as_many_independent_rows_as_it_takes_freedoms(joint):
    model = random_tree(1, 2, [joint], branching=0.0)
    system = SE3(model)
    x, w = system.state(model.random_q(3), np.zeros(model.nv))
    equations = system.index1(0.0, x, w)
    assert len(equations.eta) == 2 * (6 - joint.nv) == equations.rank
    assert equations.freedom == model.nv and equations.redundant == 0


@pytest.mark.parametrize("kind", ["se3", "so3xr3"])
@pytest.mark.parametrize("joint", ALL_JOINTS, ids=lambda joint: repr(joint)[:40])
def test_close_to_a_joint_its_error_vanishes_only_where_it_is_closed(joint, kind):
    """Newton's method from poses 0.1 rad and 0.1 m off ends in poses that the joint has: rows and error fit."""
    if joint.nv == 6:
        return
    model = random_tree(1, 1, [joint])
    system = ConstrainedBodies(model, groups=kind)
    rng = np.random.default_rng(6)
    q = model.random_q(rng)
    if joint.kind == "euler_spherical":
        q[1] /= 2.5
    x, w = system.state(q, np.zeros(model.nv))
    x = system.move(x, 0.1 * rng.normal(size=6))
    for _ in range(8):
        x = system.move(x, -np.linalg.pinv(system.index1(0.0, x, w).J) @ system.constraint_error(x))
    assert np.abs(system.constraint_error(x)).max() < 1e-14
    q_found = system.joint_state(x, w)[0]
    np.testing.assert_allclose(rbd.forward_kinematics(model, q_found).poses, system.poses(x), rtol=0, atol=1e-13)


@pytest.mark.source("M.04")
@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
def test_motions_of_trees_of_lower_pairs_are_those_of_the_joint_coordinates(formulation):
    """With springs, dampers, a feedback law and an external force; the methods' errors are about 1e-13 here."""
    pairs = [rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Helical("y", pitch=0.1), rbd.Cylindrical("z"), rbd.Planar("x")]
    model = random_tree(4, 7, [*pairs, rbd.Spherical(), rbd.Universal()])
    given = {}
    for joint in model.joints[1:]:
        for what, value in (("damping", 0.3), ("stiffness", 8.0)):
            given[f"{joint.name}.{what}"] = np.full(joint.nv, value) if joint.nv > 1 else value
    model, rng = model.with_parameters(given), np.random.default_rng(1)
    q, v = model.integrate(model.neutral(), 0.3 * rng.normal(size=model.nv)), 0.3 * rng.normal(size=model.nv)
    options = {
        "duration": 0.03, "dt": 2e-3, "integrator": "rk5", "progress": False,
        "tau": rbd.simulation.untraced(lambda t, q, v: np.sin(t) - 0.5 * v),
        "f_ext": {"b3": rbd.wrench([1.0, 2.0, 3.0], [0.1, 0.2, 0.3])},
    }  # fmt: skip
    joint = rbd.simulate(model, q, v, **options)
    own = rbd.simulate(model, q, v, formulation=formulation, **options)
    np.testing.assert_allclose(own.poses(), joint.poses(), rtol=0, atol=1e-11)
    np.testing.assert_allclose(own.q, joint.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(own.energy().total, joint.energy().total, rtol=1e-11)


def parallelogram():
    """Two equal cranks and a coupler that only shifts: four revolute joints with parallel axes."""
    model = rbd.Model("parallelogram")
    crank = rbd.Inertia.box([0.05, 0.05, 0.4], mass=1.0).transformed(rbd.pose(position=[0, 0, 0.2]))
    rod = rbd.Inertia.box([1.0, 0.05, 0.05], mass=2.0).transformed(rbd.pose(position=[0.5, 0, 0]))
    model.add_body("crank1", joint=rbd.Revolute("y"), inertia=crank)
    model.add_body("coupler", "crank1", rbd.Revolute("y"), [0, 0, 0.4], rod)
    model.add_body("crank2", joint=rbd.Revolute("y"), placement=[1.0, 0, 0], inertia=crank)
    model.add_loop("close", "coupler", "crank2", rbd.Revolute("y"), [1.0, 0, 0], [0, 0, 0.4])
    return model


@pytest.mark.parametrize("system_class", [SE3, SO3xR3])
def test_a_planar_loop_has_redundant_constraints_and_the_right_motion(system_class):
    """15 + 5 rows take 18 - 1 freedoms: three of them say again that the loop stays in its plane.

    By hand, with angle a of the cranks from the vertical: (2 I + m l^2) a'' = (2 M l/2 + m l) g sin a.
    """
    model, angle, speed = parallelogram(), 0.7, 1.3
    system = system_class(model)
    x, w = system.state(np.array([angle, -angle, angle]), np.array([speed, -speed, speed]))
    equations = system.index1(0.0, x, w)
    assert (len(equations.eta), equations.rank, equations.redundant, equations.freedom) == (20, 17, 3, 1)
    rate, multipliers = equations.solve()
    I = model.I[1][1, 1]
    expected = (2 * 1.0 * 0.2 + 2.0 * 0.4) * 9.81 * np.sin(angle) / (2 * I + 2.0 * 0.4**2)
    a = body_accelerations(system, x, w, rate)
    np.testing.assert_allclose(a[:, 1], [expected, 0.0, expected], rtol=0, atol=1e-11)
    np.testing.assert_allclose(equations.M @ rate + equations.J.T @ multipliers, equations.Q, rtol=0, atol=1e-11)


def test_bodies_without_mass_between_joints_do_no_harm():
    """Two revolute joints with a massless body between them are a universal joint."""
    model = rbd.Model("cross")
    model.add_body("cross", joint=rbd.Revolute("x"))
    model.add_body("rod", "cross", rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [0, 0, -0.5], np.diag([0.1, 0.1, 0.02])))
    q, v = np.array([0.4, -0.3]), np.array([1.0, 2.0])
    system = SE3(model, reference="body")
    x, w = system.state(q, v)
    a = body_accelerations(system, x, w, system.rate(0.0, x, w))
    expected = algorithms.aba(model, q, v, np.zeros(2))
    falling = np.array([[0, 0, 0, *(T[:3, :3].T @ model.gravity)] for T in rbd.forward_kinematics(model, q).poses])
    np.testing.assert_allclose(a, (expected.a + falling)[1:], rtol=0, atol=1e-12)


def test_a_driven_joint_moves_as_it_is_driven():
    model = rbd.Model("crane")
    model.add_body("boom", joint=rbd.Prescribed(rbd.Revolute("z"), lambda t: (np.sin(t), np.cos(t), -np.sin(t))))
    model.add_body("load", "boom", rbd.Spherical(), [1.0, 0, 0], rbd.Inertia.box([0.1] * 3, mass=1.0))
    q, v, t = np.array([1.0, 0, 0, 0]), np.array([0.3, 0.2, 0.1]), 0.4
    kinematics = rbd.forward_kinematics(model, q, v, t=t)
    system = SE3(model, reference="body")
    x = np.concatenate([[*T[:3, :3].ravel(), *T[:3, 3]] for T in kinematics.poses[1:]])  # where it is at that time
    assert np.abs(system.constraint_error(x, t)).max() < 1e-14
    a = system.rate(t, x, kinematics.velocities[1:].ravel()).reshape(-1, 6)
    expected = algorithms.aba(model, q, v, np.zeros(3), t=t).a
    falling = np.array([[0, 0, 0, *(T[:3, :3].T @ model.gravity)] for T in kinematics.poses])
    np.testing.assert_allclose(a, (expected + falling)[1:], rtol=0, atol=1e-12)


def test_what_cannot_be_a_constraint_is_refused_by_name():
    model = rbd.Model("gripper")
    model.add_body("left", joint=rbd.Prismatic("x"), joint_name="slide")
    model.add_body("right", joint=rbd.Prismatic("x"), joint_name="follow", mimic=rbd.Mimic("slide", -1.0))
    with pytest.raises(ModelError, match=r"'follow'.*formulation='joint'"):
        SE3(model)


def test_the_error_of_one_joint_is_asked_for_by_name():
    system = SE3(random_tree(1, 3, [rbd.Revolute("z")]))
    x, _ = system.state(system.model.random_q(1), np.zeros(3))
    assert system.joint_error(x, "b2_joint").shape == (5,)
    with pytest.raises(ModelError, match=r"'b9_joint'.*known: b1_joint"):
        system.joint_error(x, "b9_joint")


def test_a_stack_of_states_moves_as_each_of_them():
    group, rng = ProductGroup(["se3", "so3xr3", "se3"]), np.random.default_rng(8)
    C, u = se3.random(rng, (4, 3)), rng.normal(size=(4, 3, 6))
    moved = group.move(C, u)
    for k in range(4):
        np.testing.assert_allclose(moved[k], group.move(C[k], u[k]), atol=0.0)
        np.testing.assert_allclose(group.move(C[0], u)[k], group.move(C[0], u[k]), atol=0.0)
    np.testing.assert_allclose(group.displacement(C, moved), u, atol=1e-13)


def test_wrong_groups_are_refused():
    model = random_tree(1, 3)
    with pytest.raises(SimulationError, match=r"'se2'.*se3, so3xr3"):
        ConstrainedBodies(model, groups="se2")
    with pytest.raises(SimulationError, match="2 groups for the 3 bodies"):
        ConstrainedBodies(model, groups=["se3", "se3"])
    with pytest.raises(SimulationError, match=r"every body.*once.*b3"):
        Bodywise(model, groups={"b1": "se3", "b2": "se3"})
    with pytest.raises(SimulationError, match=r"'tip'.*'com' or 'body'"):
        SE3(model, reference="tip")


def test_something_free_without_inertia_is_named_as_the_trouble():
    model = rbd.Model("dust")
    model.add_body("speck", joint=rbd.Free())
    system = SE3(model)
    with pytest.raises(ModelError, match=r"no inertia.*validate"):
        system.rate(0.0, *system.state(model.neutral(), np.zeros(6)))


def test_a_run_away_state_raises_before_it_is_used():
    model = random_tree(1, 2, [rbd.Spherical()])
    system = SE3(model)
    x, w = system.state(model.neutral(), np.zeros(model.nv))
    with pytest.raises(FloatingPointError):
        system.rate(0.0, x, w * np.nan)
    with pytest.raises(FloatingPointError):
        system.move(x, w + np.inf)


def test_rotations_stay_rotations_in_a_state():
    model = random_tree(2, 3, [rbd.Spherical()])
    system = SO3xR3(model)
    x, _ = system.state(model.random_q(1), np.zeros(model.nv))
    assert so3.is_rotation(x.reshape(3, 12)[:, :9].reshape(3, 3, 3), tol=1e-14).all()
