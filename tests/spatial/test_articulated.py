"""Articulated-body inertia as a type: what it maps, how it adds and changes coordinates, and what it refuses."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbdkit.errors import ModelError
from rbdkit.spatial import ArticulatedInertia, ArticulatedInverse, ForceVector, Inertia, MotionVector, body, se3
from rbdkit.spatial import plucker as pl

SEEDS = st.integers(0, 2**32 - 1)


def random_inertia(rng: np.random.Generator) -> ArticulatedInertia:
    A = rng.normal(size=(6, 6))
    return ArticulatedInertia(A @ A.T + 0.1 * np.eye(6))


def rigid(rng: np.random.Generator) -> Inertia:
    return Inertia.box(rng.uniform(0.1, 1.0, 3), mass=rng.uniform(0.5, 2.0)).transformed(se3.random(rng))


@pytest.mark.source("F7.01")
@given(SEEDS)
def test_twenty_one_numbers(seed):
    IA = random_inertia(np.random.default_rng(seed))
    assert IA.parameters.shape == (21,)
    assert ArticulatedInertia.from_parameters(IA.parameters) == IA


@pytest.mark.source("F7.01")
@given(SEEDS)
def test_a_rigid_body_is_the_simplest_articulated_body(seed):
    rng = np.random.default_rng(seed)
    I, a = rigid(rng), rng.normal(size=6)
    np.testing.assert_allclose(ArticulatedInertia.of(I).force(a), I @ a, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(ArticulatedInertia.of(I).inverse().matrix, body.inverse_inertia(I), rtol=1e-8, atol=1e-9)


@pytest.mark.source("F7.01")
@given(SEEDS)
def test_gluing_handles_adds_forces(seed):
    """Glued handles accelerate alike, and the force on them is shared (Fig 7.2)."""
    rng = np.random.default_rng(seed)
    A, B, I, a = random_inertia(rng), random_inertia(rng), rigid(rng), rng.normal(size=6)
    np.testing.assert_allclose((A + B).force(a), A.force(a) + B.force(a), rtol=1e-12, atol=1e-12)
    for glued in (A + I, I + A, sum([A, I])):
        np.testing.assert_allclose(glued.force(a), A.force(a) + I @ a, rtol=1e-12, atol=1e-12)


@pytest.mark.source("F7.01")
@given(SEEDS)
def test_change_of_coordinates_keeps_power(seed):
    """a . I^A a is the same number in all coordinates, and f = I^A a holds in all; so for Phi^A."""
    rng = np.random.default_rng(seed)
    IA, T, a = random_inertia(rng), se3.random(rng), MotionVector(rng.normal(size=6))
    X = pl.from_pose(T)
    f = IA.force(a)
    there = IA.transform(X)
    np.testing.assert_allclose(there.force(a.transform(X)).array, f.transform(X).array, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(there.transformed(T).matrix, IA.matrix, rtol=1e-9, atol=1e-9)  # and back by the pose
    Phi = IA.inverse()
    np.testing.assert_allclose(Phi.transform(X).acceleration(f.transform(X)).array, a.transform(X).array, atol=1e-8)
    np.testing.assert_allclose(Phi.transform(X).transformed(T).matrix, Phi.matrix, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(there.inverse().matrix, Phi.transform(X).matrix, rtol=1e-6, atol=1e-8)


@pytest.mark.source("F7.01")
def test_a_rigid_inertia_changes_coordinates_the_same_way():
    rng = np.random.default_rng(3)
    I, T = rigid(rng), se3.random(rng)
    moved = ArticulatedInertia.of(I).transformed(T).matrix
    np.testing.assert_allclose(moved, I.transformed(T).matrix, rtol=1e-12, atol=1e-12)


@pytest.mark.source("F7.01")
def test_the_inverse_exists_for_any_freedom():
    """A hinge: one freedom, S S^T / (S . I S); there is a Phi^A but no I^A."""
    I, S = Inertia.box((1.0, 2.0, 3.0), mass=1.5), np.array([0.0, 0.0, 1.0, 0.3, 0.0, 0.0])
    hinged = ArticulatedInverse(np.outer(S, S) / (S @ (I @ S)))
    assert hinged.freedom == 1
    with pytest.raises(ModelError, match=r"1 degree.*Eq 7.3"):
        hinged.inverse()
    assert ArticulatedInverse.grounded().freedom == 0
    free = ArticulatedInertia.of(I).inverse()
    assert free.freedom == 6
    np.testing.assert_allclose(free.inverse().matrix, I.matrix, atol=1e-14)


@pytest.mark.source("F7.01")
def test_freedom_does_not_depend_on_units():
    """A joint whose motion is a nanometre a radian still has a freedom for each column."""
    S = np.zeros((6, 2))
    S[2, 0], S[3, 1] = 1.0, 1e-9
    assert ArticulatedInverse(S @ S.T).freedom == 2


@pytest.mark.source("F7.01")
def test_it_knows_accelerations_only():
    IA, v = ArticulatedInertia(np.eye(6)), MotionVector(np.ones(6))
    for product in (lambda: IA @ v, lambda: body.momentum(IA, v.array), lambda: body.bias_force(IA, v.array)):
        with pytest.raises(TypeError, match=r"momentum.*IA.force\(a\)"):
            product()
    with pytest.raises(TypeError, match="momentum"):
        body.kinetic_energy(IA, v.array)
    with pytest.raises(TypeError, match="no kinetic energy"):
        IA.kinetic_energy(v)
    assert isinstance(IA.force(v), ForceVector)
    assert isinstance(IA.inverse().acceleration(ForceVector(np.ones(6))), MotionVector)
    with pytest.raises(TypeError, match="inverse"):
        IA.force(ForceVector(np.ones(6)))
    with pytest.raises(TypeError, match="inverse"):
        IA.inverse().acceleration(v)


@pytest.mark.source("F7.01")
def test_it_adds_to_its_like_only():
    IA = ArticulatedInertia(np.eye(6))
    for other in (np.eye(6), 1.0, IA.inverse(), "box"):
        with pytest.raises(TypeError, match="add"):
            IA + other
    with pytest.raises(TypeError, match="do not add"):
        IA.inverse() + IA.inverse()


@pytest.mark.source("F7.01")
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(5), r"6x6 matrix, got shape \(5, 5\)"),
        (np.diag([1, 1, 1, 1, 1, 0.0]), "eigenvalue 0"),
        (np.diag([1, 1, 1, 1, 1, -2.0]), "eigenvalue -2"),
        (np.eye(6) + np.eye(6, k=1), "symmetric; elements of this matrix differ by 1"),
        (np.full((6, 6), np.nan), "must be finite"),
        ("inertia", "matrix of numbers"),
    ],
)
def test_what_is_no_articulated_inertia(matrix, message):
    with pytest.raises(ModelError, match=message):
        ArticulatedInertia(matrix)


def test_what_is_no_inverse_inertia():
    with pytest.raises(ModelError, match=r"positive semidefinite.*eigenvalue -1"):
        ArticulatedInverse(-np.eye(6))
    with pytest.raises(ModelError, match="21 parameters"):
        ArticulatedInertia.from_parameters(np.ones(10))


@pytest.mark.source("F7.01")
def test_apparent_mass_depends_on_direction():
    """diag(.., 3, 2, 3): the mass along (1, 1, 0) is the harmonic mean of 3 and 2, since the accelerations add."""
    IA = ArticulatedInertia(np.diag([0.3, 0.7, 0.7, 3.0, 2.0, 3.0]))
    assert IA.apparent_mass([5, 0, 0]) == pytest.approx(3.0, rel=1e-14)
    assert IA.apparent_mass([0, -1, 0]) == pytest.approx(2.0, rel=1e-14)
    assert IA.apparent_mass([1, 1, 0]) == pytest.approx(2.0 / (1 / 3 + 1 / 2), rel=1e-14)
    # off centre the body turns as well: 1/m + r^2/J
    assert IA.apparent_mass([1, 0, 0], [0, 0, 0.5]) == pytest.approx(1.0 / (1 / 3 + 0.25 / 0.7), rel=1e-14)
    assert ArticulatedInverse(np.diag([0, 0, 0, 1.0, 0, 0])).apparent_mass([0, 1, 0]) == np.inf
    for nonsense in ([0, 0, 0], [1, 0], [np.nan, 0, 0]):
        with pytest.raises(ModelError, match="direction"):
            IA.apparent_mass(nonsense)


def test_copies_are_equal_and_read_only():
    IA = random_inertia(np.random.default_rng(0))
    for value in (IA, IA.inverse()):
        for twin in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert twin == value and hash(twin) == hash(value)
            with pytest.raises(ValueError, match="read-only"):
                twin.matrix[0, 0] = 1.0
        assert value != 1 and repr(value).startswith("Articulated")
