"""K and D of every force element and of every joint, one at a time, against forces at complex states and differences.

The forces are those that an element applies when it is asked on numbers; only the derivatives are tested. A step of
1e-30 along the imaginary axis loses nothing where all that an element computes is analytic. Logarithms of rotations are
not: displacements of joints are told apart by central differences of order 6.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import forces
from rbdkit.library import joint_gallery, led_joints, uncommon_joints
from rbdkit.model.element_states import state_places
from rbdkit.model.force import surroundings_at
from rbdkit.spatial import se3

T = 0.37  # s, for what depends on time


class Drag(rbd.ForceElement):
    """A user's: quadratic drag, and a couple."""

    body: str
    coefficient: float

    def act(self, at):
        v = at.velocity(self.body, (0.1, 0.2, -0.3))
        at.apply_force(self.body, -self.coefficient * np.sqrt(v @ v) * v, (0.1, 0.2, -0.3))
        at.apply_couple(self.body, -self.coefficient * at.angular_velocity(self.body))


class Wind(forces.PointForce):
    def law(self, x, v):
        return np.array([x[1] * x[2], np.sin(x[0]), -v[0] * v[1]])


class Gust(forces.TimedPointForce):
    def law(self, x, v, t):
        return np.array([np.cos(3.0 * t) * x[1], x[0] * x[2], -v[0] * v[2]])


class Twitch(forces.TimedMuscle):
    def activation_at(self, t):
        return 0.5 - 0.5 * np.cos(2.0 * np.pi * t)


class Bead(rbd.joints.VectorJoint):
    """A user's: a bead that slides on a parabola, without turning."""

    kind, nq, nv, q_names, q_units = "bead", 1, 1, ("x",), ("m",)
    arguments = {"k": "number"}  # noqa: RUF012

    def __init__(self, k=0.8):
        self.k = float(k)

    def pose(self, q, t=0.0):
        x = q[..., 0]
        one, none = 1.0 + 0.0 * x, 0.0 * x
        rows = [
            [one, none, none, x],
            [none, one, none, none],
            [none, none, one, 0.5 * self.k * x**2],
            [none, none, none, one],
        ]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def motion_subspace(self, q):
        return np.array([[0.0, 0.0, 0.0, 1.0, 0.0, self.k * q[0]]]).T


class Ball(rbd.Spherical):
    """A user's, made from one of ours."""


POINTS = ((0.1, -0.2, 0.3), (0.4, 0.2, -0.1), (-0.3, 0.1, 0.2), (0.2, 0.2, 0.5))
PATH = (("a", "world", "b", "a"), POINTS, 50.0)
MUSCLE = {"optimal_length": 4.0, "tendon_length": 1.1, "max_velocity": 5.0}
ELEMENTS = [
    rbd.Spring("a", "b", 20.0, 0.6, 0.7, *POINTS[:2]),
    rbd.ZeroLengthSpring("b", "world", 20.0, 0.7, *POINTS[1:3]),
    rbd.Damper("world", "a", 0.7, *POINTS[2:]),
    rbd.DirectedForce("b", (1.0, -2.0, 0.5), POINTS[0]),
    rbd.Pull("a", 30.0, 2.0, POINTS[3], (1.0, 2.0, 3.0)),
    forces.pull.MeasuredPull("a", 30.0, 2.0, POINTS[3], (1.0, 2.0, 3.0)),
    rbd.Maxwell("a", "b", 20.0, 3.0, 0.4, 0.05, *POINTS[:2]),
    rbd.Muscle(*PATH, activation=0.6, **MUSCLE),
    rbd.ExcitedMuscle(*PATH, activation=0.6, excitation=0.9, **MUSCLE),
    Twitch(*PATH, **MUSCLE),
    Wind("b", POINTS[1]),
    Gust("a", POINTS[2]),
    Drag("b", 0.3),
    rbd.Servo("hinge", 0.3, 50.0, 20.0, 0.01, torque=1.7),
    rbd.Actuator("hinge", gear=2.0, stiffness=3.0, damping=0.4, u=0.7),
    rbd.JointSpring("hinge", 3.0, 0.4),
    rbd.JointDamper("hinge", 0.7),
    rbd.JointFriction("hinge", 0.4, creep=0.2),
]
BASES = {rbd.ForceElement, forces.PointForce, forces.TimedPointForce, forces.TimedMuscle}
"""Those without a law of their own."""


def joints():
    rng = np.random.default_rng(0)
    found = [*joint_gallery(rng), *uncommon_joints(rng), *led_joints(rng), Bead(), Ball()]
    found += [rbd.Reversed(joint) for joint in found if not isinstance(joint, rbd.Reversed)]
    return [joint for joint in found if joint.nv]


def name_of(x):
    inner = getattr(x, "joint", None)
    return f"reversed {name_of(inner)}" if isinstance(x, rbd.Reversed) else x.known_as


def model_with(joint):
    """Body a floats, and body b hangs on it by the joint in question."""
    model = rbd.Model("two", gravity=(0, 0, 0))
    ball = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("a", joint=rbd.Free(), inertia=ball)
    model.add_body("b", "a", joint, [0.3, -0.2, 0.4], ball, joint_name="hinge")
    return model


def acting(model, element, poses, twists, q, v):
    """Wrenches on bodies in their own axes, then joint forces: (6 n + nv,)."""
    at = surroundings_at(model, poses, twists, q, v, T)
    at.let_act(element)
    found = [np.zeros(6 * len(model.bodies) - 6, complex), np.zeros(model.nv, complex)]
    for body, wrench in at.wrenches.items():
        if body:
            R, p = poses[body, :3, :3], poses[body, :3, 3]
            own = np.concatenate([R.T @ (wrench[:3] - np.cross(p, wrench[3:])), R.T @ wrench[3:]])
            found[0][6 * body - 6 : 6 * body] = own
    for k, torque in at.torques.items():
        found[1][k] = torque
    return np.concatenate(found)


def along_the_imaginary_axis(way):
    """The slope of what is analytic."""
    return way(1e-30j).imag / 1e-30


def by_differences(way, h=2e-3):
    """Off by h^6 / 140 of the seventh derivative."""
    return sum(c * (way(k * h) - way(-k * h)) for k, c in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))).real / h


def slopes(model, element, q, v, derivative):
    """K and D, column by column; a way along the imaginary axis is so short that its square counts for nothing."""
    kinematics = rbd.forward_kinematics(model, q, v)
    n, nv = len(model.bodies) - 1, model.nv
    ask = partial(acting, model, element)
    K, D = np.zeros((2, 6 * n + nv, 6 * n + nv))
    for k, e in enumerate(np.eye(6 * n + nv)):
        bodies, own = e[: 6 * n].reshape(n, 6), e[6 * n :]

        def moved(s, bodies=bodies, own=own):
            poses = kinematics.poses.astype(type(s))
            for i, u in enumerate(bodies, start=1):
                step = se3.exp(s * u) if isinstance(s, float) else np.eye(4) + s * hat(u)
                poses[i] = poses[i] @ step
            there = model.integrate(q, s * own) if isinstance(s, float) else q + s * rate(model, q, own)
            return ask(poses, kinematics.velocities, there, v)

        def faster(s, bodies=bodies, own=own):
            twists = kinematics.velocities.astype(type(s))
            twists[1:] += s * bodies
            return ask(kinematics.poses, twists, q, v + s * own)

        K[:, k], D[:, k] = derivative(moved), -derivative(faster)
    return K, D


def hat(u):
    (a, b, c), v = u[:3], u[3:]
    return np.block([[np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]]), v[:, None]], [np.zeros((1, 4))]])


def rate(model, q, v):
    return np.concatenate([j.type.rate(j.coordinates(q), j.velocities(v)) for j in model.joints[1:]])


def state(model):
    """Where friction does not turn over, so that differences see it."""
    rng = np.random.default_rng(5)
    return model.random_q(rng), rng.choice([-1.0, 1.0], model.nv) * rng.uniform(0.5, 1.5, model.nv)


def test_none_is_left_out():
    """Every class of an element that has a law."""
    known = {
        x
        for x in (getattr(forces, name) for name in forces.__all__)
        if isinstance(x, type) and issubclass(x, rbd.ForceElement)
    }
    assert known - BASES <= {type(element) for element in ELEMENTS}


@pytest.mark.source("S1.12", "S1.13", "S1.14", "S1.15", "S1.16")
@pytest.mark.parametrize("element", ELEMENTS, ids=name_of)
def test_elements(element):
    model = model_with(rbd.Revolute([0.6, 0.0, 0.8]))
    model.add_force("own", element)
    q, v = state(model)
    z = np.concatenate([np.ravel(getattr(element, name)) for name in element.states] or [np.zeros(0)])
    assert state_places(model).size == len(z)
    found = rbd.stiffness_and_damping(model, q, v, z=z, t=T)
    K, D = slopes(model, element, q, v, along_the_imaginary_axis)
    size = max(np.abs(K).max(), np.abs(D).max(), np.abs(found.f).max())
    assert size > 0.1
    assert np.abs(found.K.toarray() - K).max() < 1e-12 * size  # sums of some dozen terms
    assert np.abs(found.D.toarray() - D).max() < 1e-12 * size


@pytest.mark.source("S2.17")
@pytest.mark.parametrize("joint", joints(), ids=name_of)
def test_joints(joint):
    """Spring, damper and friction, as numbers of the joint and as elements: all along its own velocities."""
    rng = np.random.default_rng(4)
    k, d, f = rng.uniform(0.5, 2.0, (3, joint.nv))
    rest = joint.random(rng)
    as_elements = [
        rbd.JointSpring("hinge", tuple(k), tuple(rest)),
        rbd.JointDamper("hinge", tuple(d)),
        rbd.JointFriction("hinge", tuple(f)),
    ]
    model, bare = model_with(joint), model_with(joint)
    model = model.with_parameters({"hinge.stiffness": k, "hinge.damping": d, "hinge.friction": f, "hinge.rest": rest})
    for i, element in enumerate(as_elements):
        bare.add_force(f"own{i}", element)
    q, v = state(model)
    expected = np.zeros((2, 12 + model.nv, 12 + model.nv))
    for element in as_elements:
        expected += slopes(model, element, q, v, by_differences)
    for found in (rbd.stiffness_and_damping(x, q, v) for x in (model, bare)):
        size = max(np.abs(expected).max(), np.abs(found.f).max())
        assert np.abs(found.K.toarray() - expected[0]).max() < 1e-9 * size
        assert np.abs(found.D.toarray() - expected[1]).max() < 1e-9 * size


def test_across_joints_that_close_loops():
    """Where coordinates are those of bodies, K stands in the rows of these."""
    model = rbd.library.planar_four_bar()
    loop = model.loops[0].joint.name
    model.add_force("spring", rbd.JointSpring(loop, 3.0, 0.2))
    model.add_force("brake", rbd.JointDamper(loop, 0.7))
    q, v = model.neutral() + 0.1, np.linspace(-1.0, 1.0, model.nv)
    found = rbd.stiffness_and_damping(model, q, v)
    expected = sum(np.array(slopes(model, x.element, q, v, by_differences)) for x in model.forces)
    size = np.abs(expected).max()
    assert np.abs(found.K.toarray() - expected[0]).max() < 1e-9 * size > 1e-10
    assert np.abs(found.D.toarray() - expected[1]).max() < 1e-9 * size
