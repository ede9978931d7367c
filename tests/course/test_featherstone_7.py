"""The checks of the notebook on articulated bodies accept right answers, explain wrong ones and survive nonsense."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course.featherstone import chapter_7

NONSENSE = [None, "box", [], np.nan, np.inf, {}, object(), (1, "x"), np.zeros((3, 3)), lambda: 0, 1j, True]


@pytest.mark.parametrize("check", ["diagonal_push", "joined", "two_zero_rows", "three_rounds", "unfelt"])
@pytest.mark.parametrize("answer", NONSENSE, ids=lambda answer: type(answer).__name__)
def test_nonsense_is_wrong_and_does_no_harm(check, answer):
    assert not getattr(chapter_7, check)(answer)


def test_diagonal_push():
    """By pushing: the acceleration along the force of 1 N is one over the apparent mass."""
    model = rbd.library.box_and_cylinder(chapter_7.M1, m2=chapter_7.M2)
    q, rest = model.neutral(), np.zeros(model.nv)
    d = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    qdd = rbd.aba(model, q, rest, rest, f_ext={"box": np.concatenate([np.zeros(3), d])})
    assert chapter_7.diagonal_push(1.0 / (d @ qdd[3:6]))
    assert chapter_7.diagonal_push(np.float32(20 / 7))
    assert "harmonic" in chapter_7.diagonal_push(2.857).why
    assert "swerves" in chapter_7.diagonal_push(3.5).why
    assert "neither" in chapter_7.diagonal_push(5).why
    assert "take" in chapter_7.diagonal_push(1.0).why.lower()


def test_joined():
    def inverse(I1, I2, S):  # another way to the same: Phi without the directions of S
        T = np.linalg.svd(S)[0][:, S.shape[1] :]
        return I1 + T @ np.linalg.inv(T.T @ np.linalg.inv(I2) @ T) @ T.T

    def lost(I2, S):
        return I2 @ S @ np.linalg.inv(S.T @ I2 @ S) @ S.T @ I2

    assert chapter_7.joined(lambda I1, I2, S: I1 + I2 - lost(I2, S))
    assert chapter_7.joined(inverse)
    assert "welded" in chapter_7.joined(lambda I1, I2, S: I1 + I2).why
    assert "feels through" in chapter_7.joined(lambda I1, I2, S: I2 - lost(I2, S)).why
    assert "sign" in chapter_7.joined(lambda I1, I2, S: I1 + I2 + lost(I2, S)).why
    assert "nothing of body 2" in chapter_7.joined(lambda I1, I2, S: I1).why
    assert "numbers are off" in chapter_7.joined(lambda I1, I2, S: 2 * I1).why
    assert "TypeError" in chapter_7.joined(lambda I1: I1).why
    assert "2 degree" in chapter_7.joined(lambda I1, I2, S: I1 + I2 - I2 @ S @ S.T @ I2 / (S.T @ I2 @ S).item()).why
    assert "(6, 1)" in chapter_7.joined(lambda I1, I2, S: S).why
    assert not chapter_7.joined(lambda I1, I2, S: np.full((6, 6), np.nan))


def test_two_zero_rows():
    for joint in (rbd.Cylindrical("z"), rbd.Cylindrical("-z"), rbd.joints.Reversed(rbd.Cylindrical("z"))):
        assert chapter_7.two_zero_rows(joint)
    assert "nz: one freedom" in chapter_7.two_zero_rows(rbd.Revolute("z")).why
    assert "fz: one freedom" in chapter_7.two_zero_rows(rbd.Prismatic("z")).why
    assert "none: one freedom" in chapter_7.two_zero_rows(rbd.Helical("z", pitch=0.3)).why
    assert "nx, fx. S must" in chapter_7.two_zero_rows(rbd.Cylindrical("x")).why
    assert "nx, ny, nz. S" in chapter_7.two_zero_rows(rbd.Spherical()).why
    assert "no freedom" in chapter_7.two_zero_rows(rbd.Fixed()).why


def test_three_rounds():
    halves = ((("world", "1"), ("2", "3")), (("4", "5"), ("6", "7")))
    assert "two handles" in chapter_7.three_rounds(halves).why and chapter_7.three_rounds(halves)
    torn = ((("world", "7"), ("2", "3")), (("4", "5"), ("6", "1")))
    assert chapter_7.three_rounds(torn) and "no joint connects" in chapter_7.three_rounds(torn).why
    in_line = "world"
    for k in range(1, 8):
        in_line = (in_line, str(k))
    assert "takes 7 rounds" in chapter_7.three_rounds(in_line).why
    assert "'7' is missing" in chapter_7.three_rounds(((("world", "1"), ("2", "3")), (("4", "5"), "6"))).why


def test_unfelt():
    model, q = chapter_7.bent_arm()
    J = rbd.jacobian(model, q, "rod3")
    null = np.linalg.svd(J.T)[2][3:]
    for f in (*null, 1e3 * null[0], null[0] - 2.0 * null[2], [0, 0, 0, 0, 1, 0]):
        assert chapter_7.unfelt(f)
    assert "nobody" in chapter_7.unfelt(np.zeros(6)).why
    assert "all three freedoms" in chapter_7.unfelt([0, 0, 0, 0, 0, 1.0]).why
    assert "accelerates" in chapter_7.unfelt([0, 1, 0, 0, 1.0, 0]).why
