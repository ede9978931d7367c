"""Constraints on one side in the compiled loop: the motion of the readable law, among contacts, loops and followers."""

import numpy as np
import pytest

import rbdkit as rbd

G = 10.0


def arm():
    """Two links with a stop each, whose tip falls on the ground."""
    model = rbd.Model("arm", gravity=(0, 0, -G))
    link = rbd.Inertia.box((0.5, 0.05, 0.05), mass=1.0).transformed(rbd.pose(position=(0.25, 0.0, 0.0)))
    model.add_body("upper", joint=rbd.Revolute("y"), joint_name="shoulder", inertia=link)
    tip = rbd.Geometry(rbd.Sphere(0.05), (0.5, 0.0, 0.0))
    model.add_body(
        "lower", "upper", joint=rbd.Revolute("y"), joint_name="elbow", placement=(0.5, 0.0, 0.0), inertia=link,
        geometry=tip,
    )  # fmt: skip
    model.add_ground(height=-0.4, friction=0.0)
    model.add_constraint("elbow stops", rbd.Limit("elbow", -0.2, 0.6))
    model.add_constraint("shoulder stop", rbd.Limit("shoulder", None, 0.2))
    return model, [-0.3, 0.4], [0.0, 4.0]


def bolas():
    """Two free balls that fly apart on a string, and fall on the ground."""
    model = rbd.Model("bolas", gravity=(0, 0, -G))
    for name, mass in (("a", 1.0), ("b", 0.4)):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass), geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.3)
    model.add_contacts(friction=0.3)
    model.add_constraint("string", rbd.TautString("a", "b", 1.0, at_a=(0.1, 0, 0), at_b=(-0.1, 0, 0)))
    q = model.neutral()
    q[4:7] = (0.0, 0.0, 0.6)
    q[11:14] = (0.5, 0.0, 0.8)
    v = np.zeros(model.nv)
    v[9:12] = (3.0, 0.5, 0.0)
    return model, q, v


def four_bar():
    """A loop whose crank has stops."""
    model = rbd.library.planar_four_bar()
    joint = model.joints[1].name
    q = rbd.assemble(model, model.neutral())
    start = float(model.joint(joint).coordinates(q)[0])
    model.add_constraint("stop", rbd.Limit(joint, start - 0.2, start + 0.2))
    return model, q, np.zeros(model.nv)


class Ceiling(rbd.ConstraintElement):
    """A body's origin stays below a height: a user's own constraint."""

    body: str
    height: float
    unilateral = True

    def gap(self, at):
        return self.height - at.position(self.body)[2]


def thrown():
    """A ball thrown against a ceiling of a user's own, which its numbers are read from."""
    model = rbd.Model("thrown", gravity=(0, 0, -G))
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, 0.5), geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.4)
    model.add_constraint("ceiling", Ceiling("ball", 1.0))
    q, v = model.neutral(), np.zeros(6)
    q[6], v[3:] = 0.8, (0.3, 0.0, 4.0)
    return model, q, v


def followed():
    """A finger whose outer joint follows the inner one, down on its stop."""
    model = rbd.Model("finger", gravity=(0, 0, -G))
    link = rbd.Inertia.box((0.3, 0.05, 0.05), mass=1.0).transformed(rbd.pose(position=(0.15, 0.0, 0.0)))
    model.add_body("inner", joint=rbd.Revolute("y"), joint_name="inner", inertia=link)
    model.add_body(
        "outer", "inner", joint=rbd.Revolute("y"), joint_name="outer", placement=(0.3, 0.0, 0.0), inertia=link,
        mimic=rbd.Mimic("inner", 0.7),
    )  # fmt: skip
    model.add_constraint("stop", rbd.Limit("outer", None, 0.3))
    return model, [0.0], [0.0]


@pytest.mark.parametrize("scene", [arm, bolas, four_bar, thrown, followed], ids=lambda scene: scene.__name__)
def test_compiled_and_readable_motions_are_the_same(scene):
    """They share no code but the recorded formulas; impulses are single here, so all but round-off agrees, which blows
    and changes of stick and slip make larger by some powers of ten."""
    model, q, v = scene()
    runs = {"duration": 1.0, "dt": 5e-3, "contact": rbd.laws.TimeStepping(tol=1e-13)}
    compiled = rbd.simulate(model, q, v, **runs)
    assert "compiled loop" in compiled.report.backend, compiled.report.backend
    readable = rbd.simulate(model, q, v, backend="book", **runs)
    assert "contact law in Python" in readable.report.backend
    np.testing.assert_allclose(compiled.q, readable.q, rtol=0, atol=1e-9)  # loops are closed to 1e-14 in other metrics
    np.testing.assert_allclose(compiled.v, readable.v, rtol=0, atol=1e-7)
    assert compiled.contacts.stops == readable.contacts.stops
    for name in compiled.contacts.stops:
        push, told = compiled.contacts.normal_force(name), readable.contacts.normal_force(name)
        assert told.max() > 0.0, "the stop is never reached"
        np.testing.assert_allclose(push, told, rtol=0, atol=1e-6 * told.max())
    np.testing.assert_allclose(compiled.contacts.lost, readable.contacts.lost, rtol=0, atol=1e-8)
    said = [(event.t, event.kind, event.names) for event in compiled.events]
    assert said == [(event.t, event.kind, event.names) for event in readable.events]


def test_what_is_passed_is_said():
    """A motion that begins beyond a stop says how far, and comes back."""
    model, _, _ = arm()
    motion = rbd.simulate(model, [0.0, 0.65], duration=0.2, dt=5e-3, every=7)
    assert "compiled loop" in motion.report.backend
    assert "constraint 'elbow stops' is passed by up to 0.05 rad (t = 0 s)" in str(motion.report)
    assert motion.q[-1, 1] < 0.6 + 1e-3
