import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.spatial import fields, screw, se3


@pytest.mark.source("F2.08")
def test_twist_is_put_together_again_from_its_screw(rng):
    for v in rng.standard_normal((20, 6)):
        s = screw.twist_screw(v)
        assert_allclose(s.twist(), v, atol=1e-14)
        f = np.concatenate([v[3:], v[:3]])
        assert_allclose(screw.wrench_screw(f).wrench(), f, atol=1e-14)
        assert_allclose(s.point @ s.direction, 0, atol=1e-14)  # the nearest point to the origin
        assert_allclose(np.linalg.norm(s.direction), 1, atol=1e-15)


@pytest.mark.source("F2.08")
def test_points_of_the_axis_move_along_it_with_the_pitch(rng):
    """The velocity on the axis is h w and the least of all (Eq 2.10)."""
    v = rng.standard_normal(6)
    s = screw.twist_screw(v)
    on_axis = s.point + np.outer([-2.0, 0.0, 3.0], s.direction)
    assert_allclose(fields.velocity_at(v, on_axis), np.tile(s.pitch * v[:3], (3, 1)), atol=1e-14)
    elsewhere = s.point + rng.standard_normal((50, 3))
    assert (np.linalg.norm(fields.velocity_at(v, elsewhere), axis=1) >= abs(s.pitch) * s.magnitude - 1e-14).all()


@pytest.mark.source("F2.08")
def test_screw_displacement_keeps_its_axis(rng):
    """exp of a twist turns by the magnitude about the axis and shifts by pitch times that, as Chasles has it."""
    v = rng.standard_normal(6)
    s = screw.twist_screw(v)
    moved = (se3.exp(v) @ np.append(s.point, 1.0))[:3]
    assert_allclose(moved, s.point + s.pitch * s.magnitude * s.direction, atol=1e-14)


@pytest.mark.source("F2.08")
def test_wrench_of_a_force_and_a_couple():
    """A force of 2 N along the z line through (3, 0, 0) with a couple of 5 N m about it: pitch 5/2."""
    f = fields.point_force([0, 0, 2.0], [3.0, 0, 7.0]) + np.array([0, 0, 5.0, 0, 0, 0])
    s = screw.wrench_screw(f)
    assert_allclose(s.point, [3, 0, 0], atol=1e-15)
    assert_allclose(s.direction, [0, 0, 1])
    assert (s.pitch, s.magnitude) == (2.5, 2.0)


@pytest.mark.source("F2.07")
def test_kinds_of_vectors(rng):
    """Pure rotations and forces along lines stay line vectors in every frame, translations and couples stay free."""
    w, P = rng.standard_normal((2, 3))
    line, free = np.concatenate([w, np.cross(P, w)]), np.concatenate([np.zeros(3), w])
    for T in se3.random(rng, (20,)):
        X = se3.adjoint(T)
        assert screw.classify_twist(X @ line) == "line"
        assert screw.classify_twist(X @ free) == "free"
        assert screw.classify_twist(X @ (line + 0.1 * free)) == "screw"
        X_star = np.linalg.inv(X).T
        assert screw.classify_wrench(X_star @ fields.point_force(w, P)) == "line"
        assert screw.classify_wrench(X_star @ np.concatenate([w, np.zeros(3)])) == "free"
    assert screw.classify_twist(np.zeros(6)) == "zero"


@pytest.mark.source("F2.07")
def test_line_of_a_line_vector(rng):
    """The line {P: OP x s = s_O} of a force through a known point."""
    F, P = rng.standard_normal((2, 3))
    s = screw.wrench_screw(fields.point_force(F, P))
    assert s.pitch == 0
    assert_allclose(np.cross(P - s.point, s.direction), 0, atol=1e-14)
    assert_allclose(np.cross(s.point, F), np.cross(P, F), atol=1e-14)


@pytest.mark.source("F2.07", "F2.08")
def test_every_vector_is_a_line_plus_a_free_vector_and_free_vectors_have_no_line():
    s = screw.twist_screw([0, 0, 0, 0, 3.0, 0])
    assert np.isinf(s.pitch) and s.magnitude == 3.0
    assert_array_equal(s.direction, [0, 1, 0])
    assert_array_equal(s.twist(), [0, 0, 0, 0, 3, 0])
    assert_array_equal(s.wrench(), [0, 3, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="no screw axis"):
        screw.twist_screw(np.zeros(6))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_multiple_of_a_screw_is_one_of_the_same_kind(scale, rng):
    r, e = rng.standard_normal((2, 3))
    e /= np.linalg.norm(e)
    for pitch, kind in ((0.0, "line"), (1e-9, "screw"), (2.0, "screw")):
        twist = scale * np.concatenate([e, np.cross(r, e) + pitch * e])
        assert screw.classify_twist(twist) == screw.classify_wrench(np.roll(twist, 3)) == kind
