"""The picture of the two screws: frames and matrices against 6x6 algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.scene import palette
from rbdkit.spatial import plucker
from rbdkit_course.featherstone.pictures.axial_screw import (
    BODY,
    KINDS,
    STEPS,
    axial_screw,
    carried,
    draw,
    frame_poses,
    glass_body,
    heat_map,
    hinge_inertia,
)

PLACE = (0.7, 0.25, 0.9, 0.3)  # theta, d, alpha, a
THROUGH, WHOLE = KINDS


def expected(kind, step):
    I = BODY.matrix
    if kind == THROUGH:
        I = I - np.outer(I[:, 2], I[2]) / I[2, 2]  # S = e3
    theta, d, alpha, a = PLACE
    Z, X = plucker.rotz(theta) @ plucker.xlt([0, 0, d]), plucker.rotx(alpha) @ plucker.xlt([a, 0, 0])
    way = [np.eye(6), Z, Z @ X][STEPS.index(step)]
    return way.T @ I @ way


@pytest.mark.source("FA.06")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", STEPS)
def test_matrices(kind, step):
    assert_allclose(carried(kind, step, *PLACE).rows(), expected(kind, step), rtol=0, atol=1e-15)
    picture = draw(step, *PLACE, kind)
    zero = kind == THROUGH and step != STEPS[2]
    assert dict(picture.readout)["row and column 3"] == ("zero" if zero else "not zero")


def test_hinge_inertia_is_that_of_an_articulated_body():
    assert_allclose(hinge_inertia().rows(), expected(THROUGH, STEPS[0]), rtol=0, atol=1e-15)


def test_frames_and_hinge():
    body, between, parent = frame_poses(*PLACE)
    X = plucker.from_pose(body)
    theta, d, alpha, a = PLACE
    assert_allclose(
        X, plucker.rotz(theta) @ plucker.xlt([0, 0, d]) @ plucker.rotx(alpha) @ plucker.xlt([a, 0, 0]), atol=1e-15
    )
    assert_allclose(body[:3, 2], between[:3, 2], atol=1e-15)  # the hinge is z of both ...
    assert_allclose(np.cross(body[:3, 3] - between[:3, 3], body[:3, 2]), 0, atol=1e-15)  # ... the same line
    assert_allclose(parent, np.eye(4))
    line = glass_body().parts[-1]
    assert line.node == 1 and np.abs(line.surface.vertices[:, :2]).max() < 0.01  # z of the body's frame
    large = draw(STEPS[1], *PLACE, THROUGH).arrows[3:6]
    assert_allclose([arrow.vector for arrow in large], 0.28 * between[:3, :3].T, atol=1e-15)
    assert [arrow.color for arrow in large] == list(palette.AXES)


def test_heat_map_writes_what_is_not_zero():
    texts = [text.get_text() for text in heat_map(expected(THROUGH, STEPS[0])).axes[0].texts]
    matrix = expected(THROUGH, STEPS[0])
    nonzero = np.abs(matrix) > 1e-13 * np.abs(matrix).max()
    assert len(texts) == 12 + nonzero.sum()


def test_playground():
    playground = axial_screw()
    playground.set(frame=STEPS[2])
    assert dict(playground.picture.readout)["stored as"] == "abi, 21 numbers"
    playground.close()
