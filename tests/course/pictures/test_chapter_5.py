"""What the widgets of chapter 5 show, against computations of their own."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.recursion_cost import closed_form_operations, spatial
from rbdkit_course.catalogue import exercises
from rbdkit_course.featherstone.pictures.inverse_dynamics_arrows import (
    SCALES,
    arm,
    forces_on_body_2,
    inverse_dynamics_arrows,
    taken_apart,
)
from rbdkit_course.featherstone.pictures.recursion_meter import counts, extended, recursion_meter


def test_the_terms_of_the_bars_add_up_to_the_joint_forces():
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 3))
    for heavy in (True, False):
        model = arm(heavy)
        taken = taken_apart(model, q, qd, qdd)
        assert sum(taken.terms.values()) == pytest.approx(rbd.rnea(model, q, qd, qdd), abs=1e-12)
        assert taken.terms["velocity"] == pytest.approx(taken_apart(arm(not heavy), q, qd, qdd).terms["velocity"])
        assert bool(taken.terms["gravity"].any()) == heavy


def test_a_students_function_makes_the_bars():
    """The solution of the lab, compiled once for the arm with and without gravity."""
    (solution,) = (each.solution for each in exercises("LA") if each.name == "LA-2")
    space = {"np": np, "rbd": rbd}
    exec(solution, space)
    fast = rbd.compile(space["my_rnea"], rbd.library.right_angle_arm("RRR", length=0.4, seed=5))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 3))
    own, theirs = (taken_apart(arm(True), q, qd, qdd, by) for by in (fast, None))
    for name, term in theirs.terms.items():
        np.testing.assert_allclose(own.terms[name], term, rtol=0, atol=1e-12)
    np.testing.assert_allclose(own.result.tau, rbd.rnea(arm(True), q, qd, qdd), rtol=0, atol=1e-12)
    assert len(fast._traced) == 1


def test_arrows_are_velocities_of_points_and_forces_of_joints():
    playground = inverse_dynamics_arrows()
    playground.set(show="velocities", q2=0.3, **{"rate 1": 2.0, "rate 2": -1.0, "acc 2": 5.0})
    model, x = arm(True), playground.values
    q, qd = np.array([0.0, x["q2"], x["q3"]]), np.array([x["rate 1"], x["rate 2"], x["rate 3"]])
    h, com = 1e-6, model.bodies[3].inertia.com
    ends = [(rbd.forward_kinematics(model, q + s * qd).poses[3] @ [*com, 1.0])[:3] for s in (h, -h)]
    here = rbd.forward_kinematics(model, q).poses[3]
    last = playground.picture.arrows[-1]
    found = here[:3, :3] @ np.array(last.vector) / SCALES["velocities"][1]
    assert last.node == 3 and last.kind == "straight"
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8)
    playground.set(show="forces")
    first = playground.picture.arrows[0]  # the moment at the first joint
    tau = float(dict(playground.picture.readout)["τ1"].split()[0])
    assert first.kind == "turning" and first.vector[2] / SCALES["forces"][0] == pytest.approx(tau, abs=0.006)
    playground.set(show="accelerations", gravity="off")
    assert "true accelerations" in playground.picture.note
    playground.close()


def test_the_free_body_moves_as_its_forces_say():
    """Net force = m times the acceleration of the centre of mass, by differences along the motion."""
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 3))
    model, h = arm(True), 1e-4
    com, m = model.bodies[2].inertia.com, model.bodies[2].inertia.mass
    forces = forces_on_body_2(model, rbd.algorithms.rnea(model, q, qd, qdd))
    poses = [rbd.forward_kinematics(model, q + t * qd + 0.5 * t * t * qdd).poses[2] for t in (-h, 0.0, h)]
    before, here, after = ((T @ [*com, 1.0])[:3] for T in poses)
    acceleration = (before - 2.0 * here + after) / h**2
    assert poses[1][:3, :3] @ forces["net"] == pytest.approx(m * acceleration, abs=1e-6)
    playground = inverse_dynamics_arrows()
    playground.set(show="body 2 alone")
    assert [arrow.node for arrow in playground.picture.arrows] == [2, 2, 2, 2]
    playground.set(gravity="off")
    assert len(playground.picture.arrows) == 3
    playground.close()


def test_counts_are_continued_as_they_would_go_on():
    recursion, closed = counts("joint forces")
    assert len(recursion) == len(closed) == 40
    for n in (1, 2, 7):
        assert recursion[n - 1] == spatial(n).operations().total
        assert closed[n - 1] == closed_form_operations(n).total
    assert extended([1, 8, 27, 64], 10) == [k**3 for k in range(1, 11)]


def test_readout_of_the_meter():
    playground = recursion_meter()
    playground.set(what="velocities", n=10)
    readout = dict(playground.picture.readout)
    assert readout["by recursion"] == "114" and readout["in closed form"] == "600"  # 6 (2 n - 1) and 6 n^2
    playground.set(what="accelerations", n=30)
    assert readout["slope, 20 to 40 joints"].startswith("1.0")
    playground.close()
