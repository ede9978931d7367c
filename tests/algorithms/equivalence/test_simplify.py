"""Inertias handed from body to body: the same H, C and accelerations, more zeros, a cheaper RNEA."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms, engine
from rbdkit.algorithms.equivalence import PARAMETER_NAMES, best_match, simplified, table_9_7
from rbdkit.costs import operations_with
from rbdkit.library import joint_gallery, random_state, random_tree
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.spatial import se3

SEEDS = range(5)


@pytest.mark.source("F9.16")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_equation_of_motion_stays_the_same(seed, off):
    """H, C and qdd on trees of all joint types; masses are zero by now, and the ABA does not mind."""
    model = random_tree(seed, 18)
    model = model.with_parameters({f"{j.name}.armature": np.full(j.nv, 0.1) for j in model.joints if j.nv})
    simple = simplified(model).model
    q, v, a = random_state(model, seed)
    assert off(algorithms.crba(simple, q).H, algorithms.crba(model, q).H) < 1e-12
    assert off(algorithms.bias_force(simple, q, v), algorithms.bias_force(model, q, v)) < 1e-12
    tau = algorithms.rnea(model, q, v, a).tau
    assert off(algorithms.aba(simple, q, v, tau).qdd, a) < 1e-8
    assert sum(body.inertia.mass == 0.0 for body in simple.bodies[1:]) > 3


@pytest.mark.source("F9.16")
@pytest.mark.parametrize("joint", joint_gallery(np.random.default_rng(2)), ids=repr)
def test_best_match_is_of_the_table_and_makes_as_many_zeros_as_it_has_numbers(joint):
    """On an inertia without zeros; no choice of as many numbers can make more."""
    rng, B = np.random.default_rng(3), table_9_7(joint)
    I = rbd.Inertia.box([0.1, 0.2, 0.4], mass=1.7).transformed(se3.random(rng)).ten_parameters
    I_delta = best_match(joint, I)
    np.testing.assert_allclose(B @ (np.linalg.pinv(B) @ I_delta), I_delta, atol=1e-13)
    assert np.sum(np.abs(I - I_delta) < 1e-13) == B.shape[1]


@pytest.mark.source("F9.16")
@pytest.mark.parametrize(
    ("kind", "zeros"),
    [("R", {"m", "mz", "Ixx"}), ("P", {"Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"})],
)
def test_the_pattern_of_zeros_is_that_of_the_joint_type(kind, zeros):
    """'A predictable pattern': the same parameters in every body that hangs on such a joint."""
    model = right_angle_arm(6 * kind)
    found = simplified(model)
    assert found.zeros_before == 0 and found.zeros == 6 * len(zeros)
    for parameters in found.parameters[1:]:
        assert {name for name, x in zip(PARAMETER_NAMES, parameters, strict=True) if x == 0.0} == zeros
    balls = random_tree(1, 5, [rbd.Spherical()])
    np.testing.assert_array_equal(simplified(balls).parameters[1:, 0], 0.0)  # the book's example: the mass


@pytest.mark.source("F9.16")
def test_the_rnea_is_about_fifteen_per_cent_cheaper_on_arms_of_hinges():
    """'About 15 %', and 'less effective on forward dynamics': counted on the compiled code, zeros folded."""
    for n in (6, 12):
        model = right_angle_arm("R" * n)
        simple = simplified(model)
        given = np.array([np.zeros(10), *(body.inertia.ten_parameters for body in model.bodies[1:])])
        saved = {}
        for name in ("rnea", "aba"):
            before, after = (operations_with(model, I, name) for I in (given, simple.parameters))
            assert before == engine.operations(model, name)  # the counter itself, where no number is zero
            saved[name] = 1.0 - after.total / before.total
        assert 0.13 < saved["rnea"] < 0.17
        assert 0.02 < saved["aba"] < 0.06


@pytest.mark.source("F9.16")
def test_massless_bodies_spoil_what_inverts_inertias_but_not_the_aba(off):
    """D_i of the ABA, the pivots of H, do not even change: I_Delta S = 0."""
    model = right_angle_arm("RRRR")
    simple = simplified(model).model
    q, v, tau = random_state(model, 0)
    mine, other = (algorithms.aba(m, q, v, tau) for m in (model, simple))
    for i in model.outward:
        assert off(other.D[i], mine.D[i]) < 1e-12
    assert np.linalg.matrix_rank(simple.I[4]) < 6  # singular: nothing that starts from its inverse can begin
    assert np.linalg.matrix_rank(model.I[4]) == 6


@pytest.mark.source("F9.16")
def test_what_has_no_entry_in_the_table_stays_as_it_is():
    I = rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.0).ten_parameters
    np.testing.assert_array_equal(best_match(rbd.Free(), I), np.zeros(10))
    np.testing.assert_array_equal(best_match(rbd.Fixed(), I), I)  # what is welded belongs to the parent
