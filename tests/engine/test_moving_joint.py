"""Coordinates of joints at poses that they need not allow, found by programs: those that the classes find."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit import joints
from rbdkit.engine.rows.moving_joint import SEEKING, SEEKING_SIZE, JointAtPose, moving_axes
from rbdkit.errors import StateError
from rbdkit.spatial import se3
from rbdkit.spatial.compact import Pose
from rbdkit.trace import Program

JOINTS = {
    "curve": joints.SplineCurve(),
    "reversed curve": joints.Reversed(joints.SplineCurve(basis="catmull_rom")),
    "surface": joints.SplineSurface(),
    "two hinges": joints.Composite(joints.Revolute("x"), joints.Revolute("z")),
    "rotation vector": joints.ExponentialSpherical(),
}


class AtGivenPose(JointAtPose):
    """The pose is read from an array."""

    def pose(self):
        x = [self.program.load("X", 0, k) for k in range(12)]
        return Pose.of(x)

    def given(self):
        return "numbers", 0

    def stored(self):
        return "found", 0

    def driven(self, what):
        return 0


@pytest.mark.parametrize("name", JOINTS)
def test_coordinates_are_those_of_the_class_from_wherever_steps_must_be_halved(name, run):
    """Poses of the joint, and others beside it."""
    joint, rng, alike = JOINTS[name], np.random.default_rng(6), 0
    found_of = moving_axes(joint)
    program = Program("find")
    AtGivenPose(program, found_of.axes).find()
    for size in (0.0, 1e-3, *np.full(15, 0.01), *np.full(15, 0.1)):
        X = joint.pose(joint.random(rng)) @ se3.exp(size * rng.normal(size=6))
        arrays = {"X": np.concatenate([X[:3, :3].ravel(), X[:3, 3]]), "numbers": np.array([*found_of.numbers, 0.0])}
        arrays |= {"found": np.zeros(joint.nq), SEEKING: np.zeros(SEEKING_SIZE)}
        with np.errstate(all="ignore"):
            run(program, "llvm", arrays)
        try:
            expected = joint.project(X)
        except StateError:
            assert not np.isfinite(arrays["found"]).any()
            continue
        assert_allclose(joint.pose(arrays["found"]), joint.pose(expected), atol=1e-8)
        alike += 1
    assert alike > 15
