import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import RigidTransform, Rotation

from rbdkit.errors import ModelError
from rbdkit.joints import Revolute
from rbdkit.model import Geometry, Model, Sphere
from rbdkit.model.placement import as_pose

vectors = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)
exact = settings(max_examples=25, deadline=None, derandomize=True)


@exact
@given(vectors, vectors)
def test_every_accepted_form_gives_the_same_pose(w, p):
    """Position, matrix, SciPy's Rotation and RigidTransform, lists and arrays: the digits are kept."""
    turn = Rotation.from_rotvec(w)
    R = turn.as_matrix()
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    only_R, only_p = np.eye(4), np.eye(4)
    only_R[:3, :3], only_p[:3, 3] = R, p
    assert_array_equal(as_pose(None, "x"), np.eye(4))
    for given_, pose in ((p, only_p), (p.tolist(), only_p), (R, only_R), (turn, only_R), (T, T), (T.tolist(), T)):
        assert_array_equal(as_pose(given_, "x"), pose)
    assert_allclose(as_pose(RigidTransform.from_components(p, turn), "x"), T, atol=1e-15)


def test_every_place_takes_every_form():
    """Joints, frames, both ends of loops and shapes."""
    turn = Rotation.from_euler("x", 30, degrees=True)
    model = Model()
    model.add_body("a", placement=turn, geometry=Geometry(Sphere(0.1), turn))
    frame = model.add_frame("f", "a", turn)
    loop = model.add_loop("l", "world", "a", Revolute(), turn, turn)
    c, s = np.cos(np.pi / 6), 0.5
    expected = np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])
    for placement in (
        model.joints[1].placement, model.bodies[1].geometry[0].placement, frame.placement,
        loop.joint.placement, loop.successor_placement,
    ):  # fmt: skip
        assert_allclose(placement, expected, atol=1e-15)
        assert not placement.flags.writeable
    for numbers in (model.gravity, model.bodies[0].joint.placement, model.joints[1].damping, model.joints[1].rest):
        assert not numbers.flags.writeable


def test_a_stack_of_rotations_is_not_one():
    with pytest.raises(ModelError, match=r"placement of frame 'f' has shape \(2, 3, 3\); give a position \(3,\)"):
        as_pose(Rotation.from_rotvec(np.zeros((2, 3))), "frame 'f'")


@pytest.mark.parametrize("off", [1e-8, -1e-3])
def test_rotations_must_be_good_to_nine_digits(off):
    R = Rotation.from_rotvec([0.3, 0.2, 0.1]).as_matrix()
    as_pose(R * (1 + 1e-10), "x")
    with pytest.raises(ModelError, match="must be a rotation matrix"):
        as_pose(R * (1 + off), "x")
