"""Springs, dampers and dry friction in joints that close loops: a loop may be cut where one likes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.drafting import AddLoop, Draft, SetJoint, SetNumbers
from rbdkit.engine import kernels_for
from rbdkit.errors import ModelError
from rbdkit.formats import from_json, to_json
from rbdkit.formulations import JointSystem
from rbdkit.model.graph import graph_of, regular_numbering, renumbered, spanning_tree
from rbdkit.simulation import SimulationWarning
from rbdkit.spatial import se3

BAR = rbd.Inertia.box((0.1, 0.15, 1.0), mass=1.0).transformed(se3.pose(position=[0.0, 0.0, -0.5]))
KINDS = {
    "revolute": rbd.Revolute("y"),
    "cylindrical": rbd.Cylindrical("y"),
    "helical": rbd.Helical("y", pitch=0.2),
    "planar": rbd.Planar("y"),
    "planar successor": rbd.Planar("y", translation="successor"),
    "spherical": rbd.Spherical(),
    "free": rbd.Free(),
    "universal": rbd.Universal("y", "x"),
    "euler": rbd.EulerSpherical(),
    "prismatic": rbd.Prismatic("x"),
    "rack": rbd.RackAndPinion("y", radius=0.3),
}


def ring(kind, **numbers):
    """Three bars on ball joints, the last one tied to the world by a joint of any type."""
    model, last = rbd.Model("ring"), "world"
    for k in range(3):
        model.add_body(f"bar{k}", last, rbd.Spherical(), placement=[0, 0, -float(k > 0)], inertia=BAR)
        last = f"bar{k}"
    model.add_loop("knot", "world", last, kind, [0.5, 0.1, -1.5], [0.1, 0.0, -0.9], **numbers)
    return model


def some_numbers(kind, rng):
    n = kind.nv
    return {
        "stiffness": rng.uniform(5.0, 20.0, n),
        "damping": rng.uniform(0.5, 1.0, n),
        "friction": rng.uniform(0.1, 0.3, n),
        "rest": kind.integrate(kind.neutral(), rng.uniform(-0.4, 0.4, n)),
    }


def closed(model, rng):
    q = rbd.assemble(model, model.integrate(model.neutral(), rng.uniform(-0.3, 0.3, model.nv)))
    return q, rbd.project_velocity(model, q, rng.normal(size=model.nv))


@pytest.mark.parametrize("name", KINDS)
def test_a_loop_may_be_cut_at_another_joint(name):
    """Of the same mechanism with that joint in its tree the bodies move alike, and store and lose as much."""
    kind, rng = KINDS[name], np.random.default_rng(5)
    model = ring(kind, **some_numbers(kind, rng))
    tree = spanning_tree(graph_of(model), ["knot", "bar0_joint", "bar1_joint"])
    other = renumbered(model, regular_numbering(tree))
    assert [loop.joint.name for loop in other.model.loops] == ["bar2_joint"]
    assert other.model.joint("knot").stiffness.all()
    q, v = closed(model, rng)
    q_other, v_other = other.state(q, v)
    qdd = rbd.forward_dynamics(model, q, v, np.zeros(model.nv))
    qdd_other = rbd.forward_dynamics(other.model, q_other, v_other, np.zeros(other.model.nv))
    for joint in ("bar0_joint", "bar1_joint"):
        one, two = qdd[model.joint(joint).v_slice], qdd_other[other.model.joint(joint).v_slice]
        assert_allclose(one, two, rtol=1e-9, atol=1e-8)  # springs of 20 N m/rad meet bars of 0.01 kg m2
    book = rbd.forward_dynamics(model, q, v, np.zeros(model.nv), backend="book")
    assert_allclose(qdd, book, rtol=1e-9, atol=1e-9 * np.abs(book).max())
    here, there = rbd.energy(model, q, v), rbd.energy(other.model, q_other, v_other)
    assert here.spring > 0.01
    assert_allclose([here.kinetic, here.spring], [there.kinetic, there.spring], rtol=1e-9)


@pytest.mark.parametrize("name", ["revolute", "planar", "spherical"])
def test_formulations_agree(name):
    """Compiled, one like the other, and like steps in Python."""
    kind, rng = KINDS[name], np.random.default_rng(6)
    model = ring(kind, **some_numbers(kind, rng))
    q, v = closed(model, rng)
    v, method = 0.3 * v, "rk4_projected"
    runs = [
        rbd.simulate(model, q, v, duration=0.01, dt=1e-3, integrator=method, formulation=formulation)
        for formulation in ("joint", "se3")
    ]
    assert all("compiled" in run.report.backend for run in runs)
    runs.append(rbd.simulate(model, q, v, duration=0.01, dt=1e-3, integrator=method, backend="book"))
    for run in runs[1:]:
        assert_allclose(run.poses()[-1], runs[0].poses()[-1], rtol=0, atol=2e-7)  # errors of the steps differ
        assert_allclose(run.energy().spring, runs[0].energy().spring, rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_the_engine_knows_what_acts_in_them(name):
    kernels = kernels_for(ring(KINDS[name], stiffness=3.0, damping=0.1, friction=0.2))
    assert kernels is not None
    assert kernels.own is not None


def test_energy_is_kept_where_only_a_spring_acts():
    model = ring(rbd.Revolute("y"), stiffness=30.0, rest=0.3)
    q, v = closed(model, np.random.default_rng(8))
    run = rbd.simulate(model, q, 0.2 * v, duration=1.0, dt=1e-3)
    total = run.energy().total
    assert np.ptp(run.energy().spring) > 0.1
    assert np.ptp(total) < 1e-7
    assert_allclose(run.report.constraint_error, 0.0, atol=1e-12)


def test_elements_may_name_loop_joints():
    """The numbers of the joint are shorthand for elements, and these may be users' own."""
    short = ring(rbd.Revolute("y"), stiffness=4.0, damping=0.5, friction=0.1, rest=0.2)
    long = ring(rbd.Revolute("y"))
    long.add_force("spring", rbd.JointSpring("knot", 4.0, 0.2))
    long.add_force("damper", rbd.JointDamper("knot", 0.5))
    long.add_force("friction", rbd.JointFriction("knot", 0.1))
    q, v = closed(short, np.random.default_rng(9))
    tau = np.zeros(short.nv)
    assert_allclose(rbd.forward_dynamics(short, q, v, tau), rbd.forward_dynamics(long, q, v, tau), rtol=1e-12)


@pytest.mark.parametrize("name", KINDS)
def test_springs_are_found_conservative_and_what_is_not_is_refused(name):
    """Wherever the loop stands open: the element is tried where the joint is whole."""

    class Twice(rbd.JointSpring):
        def energy(self, at):
            return 2.0 * super().energy(at)

    for ends in (("world", "bar2"), ("bar2", "world")):
        model = ring(rbd.Spherical())
        model.add_loop("own", *ends, KINDS[name], [0.1, 0.0, 0.3], [0.0, 0.2, 0.0])
        model.add_force("spring", rbd.JointSpring("own", 4.0))
        with pytest.raises(ModelError, match="says that it is conservative"):
            model.add_force("wrong", Twice("own", 4.0))


def test_a_changed_number_changes_the_force_and_compiles_nothing():
    model = ring(rbd.Revolute("y"), stiffness=4.0, damping=0.5)
    q, v = closed(model, np.random.default_rng(10))
    stiffer = model.with_parameters({"knot.stiffness": 8.0, "knot.rest": 0.1})
    expected = ring(rbd.Revolute("y"), stiffness=8.0, damping=0.5, rest=0.1)
    found, tau = rbd.forward_dynamics(stiffer, q, v, np.zeros(model.nv)), np.zeros(model.nv)
    assert_allclose(found, rbd.forward_dynamics(expected, q, v, tau), rtol=1e-13)
    assert np.abs(found - rbd.forward_dynamics(model, q, v, tau)).max() > 0.1


def test_files_drafts_and_code_keep_them():
    rng = np.random.default_rng(11)
    model = ring(rbd.Planar("y"), **some_numbers(rbd.Planar("y"), rng))
    same = [from_json(to_json(model)), Draft.from_model(model).model()]
    space = {"rbd": rbd}
    exec(Draft.from_model(model).code(), space)
    same.append(space["model"])
    for other in same:
        for name in ("stiffness", "damping", "friction", "rest"):
            assert_allclose(getattr(other.loops[0].joint, name), getattr(model.loops[0].joint, name), rtol=0, atol=0)
    assert "stiffness" in model.describe()


def test_drafts_set_them():
    draft = Draft.from_model(ring(rbd.Revolute("y")))
    (key,) = (closure.key for closure in draft.sheet.closures)
    draft.do(SetNumbers(key, "stiffness", 5.0))
    assert draft.model().loops[0].joint.stiffness == [5.0]
    draft.do(SetJoint(key, rbd.Spherical()))  # units stay, lengths do not: as usual again
    assert draft.model().loops[0].joint.stiffness.tolist() == [0.0, 0.0, 0.0]
    draft.do(SetJoint(key, rbd.Revolute("y")))
    draft.do(SetNumbers(key, "stiffness", 5.0))
    draft.do(SetNumbers(key, "rest", 4.0))
    assert [(one.key, one.field) for one in draft.findings() if one.severity == "blocking"] == [(key, "rest")]
    with pytest.raises(ModelError, match="number of a loop joint"):
        draft.do(SetNumbers(key, "armature", 1.0))
    draft.do(AddLoop(1, 3))
    draft.do(SetNumbers(draft.sheet.closures[-1].key, "damping", 2.0))


def test_what_a_loop_joint_cannot_have_is_refused():
    with pytest.raises(ModelError, match=r"knot.* do not count turns"):
        ring(rbd.Revolute("y"), stiffness=1.0, rest=4.0)
    with pytest.raises(ModelError, match=r"knot.*no freedom on which its damping"):
        ring(rbd.Fixed(), damping=1.0)
    with pytest.raises(ModelError, match=r"knot.*stiffness.*negative"):
        ring(rbd.Revolute("y"), stiffness=-1.0)
    with pytest.raises(ModelError, match="do not count turns"):
        ring(rbd.Revolute("y"), stiffness=1.0).with_parameters({"knot.rest": -4.0})


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_turns_that_a_loop_joint_loses_are_told(formulation):
    model = rbd.Model("wheel", gravity=(0, 0, 0))
    wheel = model.add_body("wheel", joint=rbd.Revolute("y"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    cart = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    model.add_loop("pin", cart, wheel, rbd.Revolute("y"), stiffness=1e-3)
    with pytest.warns(SimulationWarning, match="loop joint 'pin' turned past half a turn about t = 0.3"):
        rbd.simulate(model, v0=[10.0, 0.0], duration=0.4, dt=1e-3, formulation=formulation)
    damped = model.with_parameters({"pin.stiffness": 0.0, "pin.damping": 1e-3})
    assert not rbd.simulate(damped, v0=[10.0, 0.0], duration=0.4, dt=1e-3, formulation=formulation).report.lost_turns


def test_power_of_a_damper_in_a_loop():
    """Energy falls by what the damper takes, to the order of the steps; and by a power that is known: -d w^2."""
    model = ring(rbd.Revolute("y"), damping=2.0)
    q, v = closed(model, np.random.default_rng(12))
    system = JointSystem(model)
    qdd = rbd.forward_dynamics(model, q, v, np.zeros(model.nv))
    h = 1e-6
    ahead, behind = (system.energy(model.integrate(q, s * h * v), v + s * h * qdd).total for s in (1.0, -1.0))
    kinematics = rbd.forward_kinematics(model, q, v)
    turning = kinematics.velocities[3][:3] @ np.linalg.inv(kinematics.poses[3][:3, :3]) @ [0.0, 1.0, 0.0]
    assert_allclose((ahead - behind) / (2.0 * h), -2.0 * turning**2, rtol=1e-5, atol=1e-7)
