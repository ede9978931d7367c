"""Mobility by rank and by counting, weaker loop joints, and loops closed by zero-DoF joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.loops import (
    loop_equation,
    loop_mobility,
    plane_normal,
    solve_directly,
    solve_for_forces,
    solve_for_independents,
    universal_state,
    weaker_loop_joints,
    with_loop_joint,
    with_universal_loops,
)
from rbdkit.errors import ModelError
from rbdkit.library import crank_slider, planar_four_bar, random_tree, rectangular_bricard, sarrus_linkage
from rbdkit.model.graph import graph_of, regular_numbering, renumbered, spanning_trees
from rbdkit.spatial import se3

# n, n_c, r, n_tot, mobility, Eq 8.53, Eq 8.54, by hand
LINKAGES = {
    "four-bar": (planar_four_bar, 3, 5, 2, 4, 1, -2, 1),
    "crank-slider": (crank_slider, 3, 5, 2, 4, 1, -2, 1),
    "with a ball in a bore": (lambda: planar_four_bar(rbd.SphereInCylinder("y")), 3, 2, 2, 7, 1, 1, 1),
    "Bricard": (rectangular_bricard, 5, 5, 4, 6, 1, 0, None),
    "Sarrus": (sarrus_linkage, 5, 5, 4, 6, 1, 0, None),
}


@pytest.mark.source("F8.14")
@pytest.mark.parametrize("name", LINKAGES)
def test_numbers_of_linkages(name):
    make, n, n_c, r, n_tot, mobility, counted, in_plane = LINKAGES[name]
    model = make()
    found = loop_mobility(model, model.neutral())
    assert (found.n, found.n_c, found.r, found.n_tot, found.N_L) == (n, n_c, r, n_tot, 1)
    assert (found.mobility, found.counted, found.counted_in_plane) == (mobility, counted, in_plane)
    assert found.mobility == found.counted + found.excess  # Eq 8.55
    assert found.properly_constrained == (n_c == r)
    if in_plane is not None:
        assert_allclose(np.abs(found.normal), [0, 1, 0], atol=1e-15)


@pytest.mark.source("F8.14")
def test_properly_constrained_trees(looped):
    """On random trees with loops that are no more than the tree can bear Eq 8.53 is the mobility."""
    for seed in range(10):
        case = looped(seed)
        found = loop_mobility(case.model, case.q, t=case.t)
        assert found.properly_constrained and found.mobility == found.counted
        assert found.mobility == case.model.nv - np.linalg.matrix_rank(algorithms.loops.loop_constraint(
            case.model, case.q, case.v, t=case.t).K)  # fmt: skip


@pytest.mark.source("F8.14")
def test_systems_in_a_plane():
    """Detected whatever way the plane lies; one hinge across it, and there is none."""
    rng = np.random.default_rng(0)
    kinds = [rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Planar("z"), rbd.RackAndPinion("z", 0.2)]
    for k in range(8):
        model = rbd.Model("in a plane")
        turned = rbd.spatial.se3.random(rng)
        model.add_body("ground", placement=turned)
        parent = "ground"
        for i in range(4):
            at = rbd.pose(rbd.spatial.plucker.rz(rng.uniform(-3, 3)), rng.uniform(-1, 1, 3))
            model.add_body(f"b{i}", parent, kinds[rng.integers(4)] if i != 1 or k < 7 else rbd.Revolute("x"), at)
            parent = f"b{i}"
        found = plane_normal(model, model.random_q(rng))
        if k < 7:
            assert_allclose(abs(found @ turned[:3, 2]), 1.0, atol=1e-12)
        else:
            assert found is None
    slides = rbd.Model("table")
    slides.add_body("a", joint=rbd.Prismatic("x"))
    slides.add_body("b", "a", rbd.Prismatic("y"))
    assert_allclose(np.abs(plane_normal(slides, slides.neutral())), [0, 0, 1])
    slides.add_body("c", "b", rbd.Prismatic("z"))
    assert plane_normal(slides, slides.neutral()) is None
    assert plane_normal(random_tree(0, 9), random_tree(0, 9).neutral()) is None
    assert plane_normal(rbd.Model("nothing"), np.zeros(0)) is None


def rhombus():
    """Two arms of one length on the ground and two rods of the same length from them to a slider straight above."""
    model = rbd.Model("rhombus")
    bar, hinge = rbd.Inertia(1.0, com=[0.25, 0, 0]), rbd.Revolute("z")
    for side in "ab":
        model.add_body(f"arm_{side}", joint=hinge, inertia=bar)
        model.add_body(f"rod_{side}", f"arm_{side}", hinge, [0.5, 0, 0], bar)
    model.add_body("slider", joint=rbd.Prismatic("y"), inertia=rbd.Inertia(1.0))
    for side in "ab":
        model.add_loop(f"pin_{side}", f"rod_{side}", "slider", hinge, [0.5, 0, 0])
    return model


@pytest.mark.source("F8.15")
def test_a_mobility_that_changes():
    """With the slider away from the bearing 1; there the arms turn as they like, 2; and where both lie across, 3."""
    model, fold = rhombus(), np.pi
    a = np.arccos(0.6)  # of the arms over the level; the slider is at height 2 * 0.5 * 0.8
    away = [a, np.pi - 2 * a, np.pi - a, -(np.pi - 2 * a), 0.8]
    apart = [0.4, fold, 1.7, fold, 0.0]
    across = [0.0, fold, np.pi, fold, 0.0]
    for q, mobility in ((away, 1), (apart, 2), (across, 3)):
        found = loop_mobility(model, np.array(q))
        assert np.abs(algorithms.loops.loop_constraint(model, np.array(q), np.zeros(5)).delta).max() < 1e-15
        assert (found.n, found.r, found.mobility) == (5, 5 - mobility, mobility)
    # near the boundary a singular value fades as the slider does
    small = []
    for height in (1e-2, 1e-3):
        a = np.arcsin(height / 1.0)
        found = loop_mobility(model, np.array([a, np.pi - 2 * a, np.pi - a, -(np.pi - 2 * a), height]))
        assert found.mobility == 1
        small.append(found.singular_values[3])
    assert_allclose(small[0] / small[1], 10.0, rtol=1e-3)


def along(model, steps=3):
    """Poses along the motion of a linkage of one freedom, by its own integrator."""
    run = rbd.simulate(model, v0=None, duration=0.3, dt=0.01, formulation="se3")
    return run.q[:: max(1, len(run.q) // steps)]


@pytest.mark.source("F8.14")
@pytest.mark.parametrize("name", ["four-bar", "Bricard", "Sarrus"])
def test_weaker_loop_joints_leave_the_motion_alone(name):
    """The suggestion is properly constrained, and moves as before; for planar loops it is the book's."""
    model = LINKAGES[name][0]()
    poses = along(model)
    found = weaker_loop_joints(model, poses)
    best = found[0]
    assert best.excess == 0 and loop_mobility(best.model, poses[1]).properly_constrained
    if name == "four-bar":
        assert isinstance(best.type, rbd.SphereInCylinder)
        assert_allclose(abs((best.turned @ best.type.axis)[1]), 1.0)
    tau = np.linspace(0.2, 1.0, model.nv)
    still = np.zeros(model.nv)
    before = solve_directly(loop_equation(model, poses[1], still, tau))
    after = solve_directly(loop_equation(best.model, poses[1], still, tau))
    assert_allclose(after.qdd, before.qdd, atol=1e-6 * (1 + np.abs(before.qdd).max()))
    assert before.indeterminate.any() and not after.indeterminate.any()
    assert weaker_loop_joints(best.model, poses) == []


@pytest.mark.source("F8.14")
def test_loop_joints_of_another_type():
    model = planar_four_bar()
    changed = with_loop_joint(model, "pin", rbd.Spherical())
    assert [loop.joint.type for loop in changed.loops] == [rbd.Spherical()] and len(model.loops) == 1
    assert model.loops[0].joint.type == rbd.Revolute("y")
    with pytest.raises(ModelError, match="loop joint 'in'"):
        with_loop_joint(model, "in", rbd.Spherical())
    with pytest.raises(ModelError, match="at least one pose"):
        weaker_loop_joints(model, [])


@pytest.mark.source("F8.04", "F8.06", "F8.08")
@pytest.mark.parametrize("seed", range(8))
def test_every_loop_can_be_closed_by_a_zero_dof_joint(seed, looped):
    """Massless bodies and welds in the place of the loop joints: the same accelerations; H has no inverse."""
    case = looped(seed, seed % 2 == 1)
    before = solve_directly(loop_equation(*case.args[:4], f_ext=case.f_ext, t=case.t))
    model = with_universal_loops(case.model)
    assert all(loop.joint.type.kind == "fixed" for loop in model.loops) and len(model.loops) == len(case.model.loops)
    q, v, tau = universal_state(case.model, case.q, case.v, case.tau, t=case.t)
    f_ext = np.vstack([case.f_ext, np.zeros((len(model.loops), 6))])
    equation = loop_equation(model, q, v, tau, f_ext=f_ext, t=case.t)
    assert_allclose(equation.constraint.delta, 0.0, atol=1e-11)
    assert_allclose(equation.constraint.delta_dot, 0.0, atol=1e-10)
    allowed = 1e-13 * np.linalg.cond(equation.matrix) * (1.0 + np.abs(before.qdd).max())
    for found in (solve_directly(equation), solve_for_independents(equation).motion):
        assert_allclose(found.qdd[: case.model.nv], before.qdd, atol=allowed)
    if any(loop.joint.nv for loop in case.model.loops):
        with pytest.raises(ModelError, match="positive definite"):
            solve_for_forces(equation)


@pytest.mark.source("F8.02", "F8.06")
def test_it_does_not_matter_where_a_loop_is_cut():
    """All spanning trees of a crank-slider: the bodies have the same accelerations."""
    model = crank_slider()
    q = model.neutral()
    K = algorithms.loops.loop_constraint(model, q, np.zeros(3)).K
    v = np.linalg.svd(K)[2][2]
    accelerations = []
    for tree in spanning_trees(graph_of(model)):
        changed = renumbered(model, regular_numbering(tree))
        at = changed.model, *changed.state(q, v)
        qdd = solve_directly(loop_equation(*at, np.zeros(changed.model.nv))).qdd
        a = algorithms.rnea(*at, qdd).a
        bodies = [changed.model.body(name) for name in ("B1", "B2", "B3")]
        accelerations.append([se3.adjoint(changed.offsets[body.name]) @ a[body.index] for body in bodies])
    assert len(accelerations) == 4
    for other in accelerations[1:]:
        assert_allclose(other, accelerations[0], atol=1e-11)
