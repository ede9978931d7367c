"""Reduced, maximal and recursive forms of one tree: the same accelerations, with all joints and all elements in it."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.redmax import (
    InverseInertia,
    bodies_at,
    jacobian_product,
    recursive_hybrid,
    redmax_jacobian_and_rate,
    reduced_equation,
)
from rbdkit.formulations import Maximal, Redmax
from rbdkit.library import joint_gallery, led_joints, uncommon_joints
from rbdkit.spatial import se3

EACH, TREES = 8, 9
"""So many kinds of joints in a tree, and so many trees for all."""


class Slot(rbd.joints.VectorJoint):
    """A user's joint: along a parabola, turning on the way."""

    kind, nq, nv, q_names, q_units = "slot", 1, 1, ("x",), ("m",)

    def pose(self, q, t=0.0):
        x = q[0]
        c, s = np.cos(0.7 * x), np.sin(0.7 * x)
        return np.array([[c, -s, 0.0, x], [s, c, 0.0, 0.4 * x * x], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])

    def motion_subspace(self, q):
        x = q[0]
        c, s = np.cos(0.7 * x), np.sin(0.7 * x)
        return np.array([[0.0, 0.0, 0.7, c + 0.8 * x * s, 0.8 * x * c - s, 0.0]]).T


class Drag(rbd.ForceElement):
    """A user's element."""

    body: str
    coefficient: float

    def act(self, at):
        v = at.velocity(self.body)
        at.apply_force(self.body, -self.coefficient * np.sqrt(v @ v) * v)
        at.apply_couple(self.body, -self.coefficient * at.angular_velocity(self.body))


def wave(t):
    return 0.5 - 0.4 * np.cos(2.0 * t)


def gust(x, v, t):
    return np.array([np.cos(t), -0.3 * v[0], 0.2 * x[2]])


def kinds(rng):
    """All of them, those of users and those from the other end."""
    found = [*joint_gallery(rng), *uncommon_joints(rng), *led_joints(rng), Slot()]
    return [*found, *(rbd.Reversed(joint) for joint in found if not isinstance(joint, rbd.Reversed))]


def tree(seed, states=True):
    """A tree whose kinds of joints are the next `EACH` of all, with rotors, springs, dampers, and each element."""
    rng = np.random.default_rng((7, seed))
    types = kinds(np.random.default_rng(7))
    first = EACH * seed % len(types)
    types = [*types, *types][first : first + EACH]
    gravity = rng.normal(size=3)
    model = rbd.Model(f"forms {seed}", gravity=9.81 * gravity / np.linalg.norm(gravity))
    for k in rng.permutation(EACH):
        joint, n = types[k], types[k].nv
        model.add_body(
            f"b{len(model.bodies)}", model.bodies[rng.integers(len(model.bodies))], joint,
            se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.5, 0.5, 3)),
            rbd.Inertia.box(rng.uniform(0.2, 0.5, 3), mass=rng.uniform(0.5, 2.0)).transformed(
                se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
            ),
            armature=rng.uniform(0.0, 0.5, n), damping=rng.uniform(0.0, 0.5, n), friction=rng.uniform(0.0, 0.5, n),
        )  # fmt: skip
    bodies = [body.name for body in model.bodies[1:]]
    a, b, c = rng.choice(bodies, 3, replace=False)
    path = ((a, "world", b, c), rng.uniform(-0.5, 0.5, (4, 3)), 30.0)
    length = {"optimal_length": 2.5, "max_velocity": 5.0}
    joint = next(j.name for j in model.joints[1:] if j.nv)
    elements = {
        "band": rbd.Spring(a, b, 30.0, 0.2, 0.7, (0.1, 0.0, 0.4)),
        "rope": rbd.ZeroLengthSpring(c, "world", 20.0, 0.7),
        "oil": rbd.Damper(b, c, 0.7, (0.1, 0.2, 0.0)),
        "push": rbd.DirectedForce(a, (1.0, -2.0, 0.5), (0.1, 0.0, 0.0)),
        "hand": rbd.Pull(b, 12.0, 0.4, (0.0, 0.1, 0.0), (1.0, 1.0, 1.0)),
        "muscle": rbd.Muscle(*path, **length),
        "timed": rbd.forces.timed_muscle(wave)(*path, **length),
        "gust": rbd.forces.point_force(gust)(c),
        "air": Drag(a, 0.3),
        "coil": rbd.JointSpring(joint, 1.5),
        "brake": rbd.JointDamper(joint, 0.7),
        "grease": rbd.JointFriction(joint, 0.4),
    }
    if states:
        elements |= {
            "seal": rbd.Maxwell(a, c, 20.0, 3.0, 0.4, 0.05),
            "excited": rbd.ExcitedMuscle(*path, excitation=0.9, **length),
        }
    for name, element in elements.items():
        model.add_force(name, element)
    q, v, tau = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    return model, q, v, tau, rng.normal(size=(len(model.bodies), 6)), rng


def test_every_kind_comes_in_some_tree():
    types = kinds(np.random.default_rng(7))
    seen = {(type(j.type), getattr(j.type, "kind", "")) for s in range(TREES) for j in tree(s)[0].joints}
    assert {(type(joint), joint.kind) for joint in types} <= seen


@pytest.mark.source("S2.02", "S2.03", "S2.25", "S2.26")
@pytest.mark.parametrize("number", range(TREES))
def test_reduced_and_recursive_forms(number, agree):
    model, q, v, tau, f_ext, rng = tree(number)
    z, t = rng.uniform(0.1, 0.9, model.nz), 0.4
    H = algorithms.crba(model, q, t=t).H
    allowed = max(1e-13, 1e-15 * np.linalg.cond(H))
    expected = algorithms.forward_dynamics(model, q, v, tau, f_ext=f_ext, t=t, z=z)
    here = bodies_at(model, q, v, tau, f_ext=f_ext, t=t, z=z)
    reduced = reduced_equation(here)
    agree("inertia by J_mr", reduced.M_r, H, 1e-13)
    agree("accelerations, reduced", reduced.accelerations(), expected, allowed)
    agree("accelerations, recursive hybrid", recursive_hybrid(here).qdd, expected, allowed)
    agree("accelerations, inverse inertia", InverseInertia(here).times(reduced.f_r), expected, allowed)
    J, rate = redmax_jacobian_and_rate(here)
    for one, other in zip(jacobian_product(here, v), (J @ v, rate @ v), strict=True):
        agree("products with J", one, other, 1e-13)


@pytest.mark.source("S1.17", "S2.03")
@pytest.mark.parametrize("number", range(TREES))
def test_maximal_form(number, agree):
    """Twists of bodies change as joint accelerations say: J a + J' v, in the frames of the formulation."""
    model, q, v, tau, f_ext, _ = tree(number, states=False)
    system = Maximal(model, lambda t, x, v: tau, lambda t, x, v: f_ext)
    x, w = system.state(q, v)
    q, v = system.joint_state(x, w)  # of two Euler triples that lead to a pose, the one that it tells
    allowed = max(1e-13, 1e-15 * np.linalg.cond(algorithms.crba(model, q).H))
    expected = algorithms.forward_dynamics(model, q, v, tau, f_ext=f_ext, t=0.4)
    redmax = Redmax(model, lambda t, x, v: tau, lambda t, x, v: f_ext, book=True)
    agree("accelerations, 'redmax'", redmax.rate(0.4, q, v), expected, allowed)
    rates = [
        algorithms.jacobian(model, q, body.name) @ expected + algorithms.bias_acceleration(model, q, v, body.name)
        for body in model.bodies[1:]
    ]
    own = np.linalg.solve(system.to_body[1:], np.array(rates)[..., None]).ravel()
    agree("accelerations, 'maximal'", system.rate(0.4, x, w), own, allowed)
