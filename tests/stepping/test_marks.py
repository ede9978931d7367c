"""What is drawn of an algorithm's variables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit import algorithms
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import plucker
from rbdkit.spatial.inertia import Inertia
from rbdkit.stepping import marks_of, record, text_of
from rbdkit.stepping.drawing import apparent_mass, arrows_of, ellipsoids_of, largest


@pytest.fixture(scope="module")
def run():
    model = random_tree(4, 8)
    q, v, a = random_state(model, 4)[:3]
    return model, record(algorithms.aba, model, q, v, a)


def test_the_entries_of_the_body_at_hand_are_found_by_name(run):
    model, recording = run
    result, variables = recording.result, recording.moments[-1].variables
    for body in range(1, len(model.bodies)):
        marks = marks_of(variables, body)
        assert ("v" in marks.motions) == result.v[body].any()  # what is zero is left out: a body fixed to the world
        assert_allclose(marks.motions.get("v", np.zeros(6)), result.v[body])
        assert_allclose(marks.motions["a"], result.a[body])
        assert_allclose(marks.forces["pA"], result.pA[body])
        assert_allclose(marks.inertias["IA"], result.IA[body])
        columns = [x for name, x in marks.motions.items() if name.split()[0] == "S"]
        assert_allclose(np.array(columns).T.reshape(6, -1), result.S[body])


def test_arrows_keep_the_proportions_and_the_longest_has_the_full_length(run):
    model, recording = run
    variables = recording.moments[-1].variables
    everything = [marks_of(variables, body) for body in range(len(model.bodies))]
    norms = largest(everything)
    longest = 0.0
    for marks in everything[1:]:
        for arrow in arrows_of(marks, ["v"], 2.0, norms):
            own = marks.motions["v"][:3] if arrow.kind == "turning" else marks.motions["v"][3:]
            scale = 0.28 * 2.0 / norms["v"][arrow.kind != "turning"]
            assert_allclose(arrow.vector, scale * own, atol=1e-12)
            longest = max(longest, float(np.linalg.norm(arrow.vector)))
    assert longest == pytest.approx(0.56)


def test_a_part_that_no_body_has_is_not_drawn():
    marks = marks_of({"v": np.array([0.0, 0, 0, 0, 3, 4]), "IA": np.diag([1.0, 1, 1, 0, 0, 0])}, 1)
    assert ellipsoids_of(marks, ["IA"], 1.0) == []  # of a body that no force through the origin feels
    (only,) = arrows_of(marks, ["v"], 1.0, largest([marks]))
    assert only.kind == "straight"
    assert_allclose(only.vector, 0.28 * np.array([0.0, 0.6, 0.8]))


def test_a_rigid_body_feels_alike_in_all_directions_about_its_centre_of_mass():
    com = np.array([0.1, -0.2, 0.3])
    inertia = Inertia(2.0, com, np.diag([0.3, 0.4, 0.5]))
    center, masses, axes = apparent_mass(inertia.matrix)
    assert_allclose(center, com, atol=1e-12)
    assert_allclose(masses, 2.0, rtol=1e-12)
    assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
    marks = marks_of({"IA": inertia.matrix}, 0)
    assert_allclose(ellipsoids_of(marks, ["IA"], 1.0)[0].radii, 0.12)


def test_axes_of_apparent_mass_are_right_handed():
    """They become a quaternion, which a reflection has none of."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        A = rng.normal(size=(6, 6))
        assert np.linalg.det(apparent_mass(A @ A.T)[2]) == pytest.approx(1.0, abs=1e-12)


def test_a_body_that_can_slide_feels_nothing_along_the_slide(run):
    """Eq 7.23: the articulated inertia of a body behind a frictionless slider, seen by its parent."""
    I = Inertia(3.0, [0.0, 0.0, 0.0], np.eye(3)).matrix
    s = np.array([0.0, 0, 0, 1, 0, 0])
    Ia = I - np.outer(I @ s, I @ s) / (s @ I @ s)
    _, masses, axes = apparent_mass(plucker.xlt([0.2, 0, 0]).T @ Ia @ plucker.xlt([0.2, 0, 0]))
    assert_allclose(masses, [0.0, 3.0, 3.0], atol=1e-12)
    assert_allclose(np.abs(axes[:, 0]), [1.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.23456, "1.235"),
        (1e-9, "1.00e-09"),
        (True, "True"),
        (np.array([1.0, 2, 3, 4, 5, 6]), "(1, 2, 3 | 4, 5, 6)"),
        (np.array([[1.0, -2.5], [0.0, 3.0]]), "   1  -2.5\n   0     3"),
        (slice(2, 5), "2:5"),
        (np.zeros((3, 6, 6)), "array (3, 6, 6)"),
        ([1, 2.5], "[1, 2.5]"),
        (["a" * 36, "b" * 36], f"['{'a' * 36}', '{'b' * 36}']"),  # 78 characters between the brackets
        (["a" * 37, "b" * 37], f"['{'a' * 37}', '{'b' * 37}']"),  # 80: as much as there is room for
        (["a" * 37, "b" * 38], "2 entries"),
        (np.zeros((6, 0)), "empty (6, 0)"),
    ],
)
def test_values_read_well(value, text):
    assert text_of(value) == text
