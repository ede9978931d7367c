"""The original 3-D equations against the spatial ones, quantity by quantity, and the price of each."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.luh_walker_paul import links, luh_walker_paul
from rbdkit.algorithms.recursion_cost import link_numbers, original, spatial
from rbdkit.errors import ModelError
from rbdkit.library import random_state, random_tree

SEEDS = range(6)
ROUND_OFF = 1e-12


def arm_like(seed, bodies=12, branching=0.5):
    """A branched tree of hinges about several axes, slides and a fixed joint."""
    oblique = np.array([0.48, -0.6, 0.64])
    kinds = [rbd.Revolute("z"), rbd.Revolute(oblique), rbd.Prismatic("x"), rbd.Prismatic(oblique), rbd.Fixed()]
    return random_tree(seed, bodies, kinds, branching)


@pytest.mark.source("F5.09")
@pytest.mark.parametrize("seed", SEEDS)
def test_joint_forces_are_those_of_the_spatial_algorithm(seed, off):
    model = arm_like(seed)
    model = model.with_parameters({f"{j.name}.armature": 0.3 for j in model.joints if j.nv})
    q, v, a = random_state(model, seed)
    assert off(luh_walker_paul(model, q, v, a).tau, algorithms.rnea(model, q, v, a).tau) < ROUND_OFF


@pytest.mark.source("F5.09")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_correspondence_of_table_5_2(seed, off):
    """v^ = [w; v], a^ = [wdot; vdot - w x v], f^B = [N + c x F; F], f^ = [n; f]."""
    model = arm_like(seed)
    q, qd, qdd = random_state(model, seed)
    v, a, f_B, f = luh_walker_paul(model, q, qd, qdd).spatial
    expected = algorithms.rnea(model, q, qd, qdd)
    for found, right in ((v, expected.v), (a, expected.a), (f, expected.f)):
        assert off(found, right) < ROUND_OFF
    net = np.array(expected.f)  # what comes from the parent, less what goes on to the children
    for i in model.outward:
        for j in model.children(i):
            net[i] -= expected.X[j].T @ expected.f[j]
    assert off(f_B[1:], net[1:], scale=np.abs(expected.f).max()) < ROUND_OFF


@pytest.mark.source("F5.09")
def test_accelerations_are_those_of_points(off):
    """v_dot is the second derivative of the origin's position, less gravity; differences along the motion."""
    model = arm_like(2)
    q, v, a = random_state(model, 2)
    result, h = luh_walker_paul(model, q, v, a), 1e-4
    here, ahead, behind = (rbd.forward_kinematics(model, q + d * v + 0.5 * d * d * a).poses for d in (0.0, h, -h))
    points = (ahead - 2.0 * here + behind)[:, :3, 3] / h**2
    for i in model.outward:
        assert off(here[i, :3, :3] @ result.v_dot[i], points[i] - model.gravity, scale=100.0) < 1e-6


@pytest.mark.source("F5.09")
def test_joints_that_follow_others(off):
    model = rbd.Model()
    inertia = rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.0)
    model.add_body("a", joint=rbd.Revolute("y"), inertia=inertia)
    model.add_body(
        "b", "a", rbd.Prismatic("x"), [0, 0, -0.5], inertia, mimic=rbd.Mimic("a_joint", -1.5, 0.3), armature=2
    )
    q, v, a = np.array([0.4]), np.array([1.2]), np.array([-0.7])
    assert off(luh_walker_paul(model, q, v, a).tau, algorithms.rnea(model, q, v, a).tau) < 1e-14


@pytest.mark.source("F5.09")
def test_other_joints_are_refused_by_name():
    model = rbd.Model()
    model.add_body("ball", joint=rbd.Spherical(), joint_name="socket")
    with pytest.raises(ModelError, match=r"'socket' is spherical.*rnea"):
        luh_walker_paul(model, model.neutral(), np.zeros(3), np.zeros(3))


@pytest.mark.source("F5.09")
def test_what_is_counted_computes_inverse_dynamics(off):
    model = random_tree(3, 5, [rbd.Revolute("z")], branching=0.0)
    q, v, a = random_state(model, 3)
    expected = algorithms.rnea(model, q, v, a).tau
    for form, about_origin in ((original(5), False), (spatial(5), True)):
        found = form(link_numbers(links(model, q), about_origin), v, a, model.gravity)
        assert off(found.astype(float), expected) < 1e-13


@pytest.mark.source("F5.01", "F5.09")
def test_the_original_is_cheaper_since_it_needs_no_linear_velocity():
    """Section 5.4 calls the difference "only a few percent"; straight counting finds 15, and 8 with the velocities."""
    ways = {"original": original, "with v": lambda n: original(n, with_velocities=True), "spatial": spatial}
    totals = {name: [way(n).operations().total for n in (3, 6, 9, 12)] for name, way in ways.items()}
    for counts in totals.values():
        assert np.ptp(np.diff(counts)) == 0  # O(n), exactly
    per_body = {name: np.diff(counts)[0] / 3 for name, counts in totals.items()}
    assert per_body["original"] < per_body["with v"] < per_body["spatial"]
    assert 0.05 < 1.0 - per_body["original"] / per_body["with v"] < 0.10  # leaving the velocities out
    assert 0.10 < 1.0 - per_body["original"] / per_body["spatial"] < 0.20
