"""Independent routes for the tests of the joint types: 6x6 algebra written out, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbdkit.joints import JointType
from rbdkit.library import joint_gallery, led_joints, uncommon_joints


def cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def motion_transform(E: np.ndarray, r: np.ndarray) -> np.ndarray:
    return np.block([[E, np.zeros((3, 3))], [-E @ cross_matrix(r), E]])


def _cross_motion(m: np.ndarray) -> np.ndarray:
    return np.block([[cross_matrix(m[:3]), np.zeros((3, 3))], [cross_matrix(m[3:]), cross_matrix(m[:3])]])


def _twist_matrix(m: np.ndarray) -> np.ndarray:
    return np.block([[cross_matrix(m[:3]), m[3:, None]], [np.zeros((1, 4))]])


def _slope(f: Callable[..., np.ndarray], at: Any, direction: Any) -> np.ndarray:
    """d/ds f(at + s direction) by a central difference of order 6.

    The truncation, h^6/140 times the seventh derivative, stays below 1e-13 here; the rounding is eps |f| / h.
    """
    h = 5e-3
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    return sum(w * (f(at + k * h * direction) - f(at - k * h * direction)) for k, w in weights.items()) / h


def _gallery() -> dict[str, JointType]:
    joints = [*joint_gallery(np.random.default_rng(41)), *uncommon_joints(np.random.default_rng(42))]
    joints += led_joints(np.random.default_rng(43))
    return {f"{k}-{joint.kind}": joint for k, joint in enumerate(joints)}


GALLERY = _gallery()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with the argument `joint` runs for every type and option of joint."""
    if "joint" in metafunc.fixturenames:
        metafunc.parametrize("joint", list(GALLERY.values()), ids=list(GALLERY))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2008)


@pytest.fixture(scope="session")
def cross_motion() -> Callable[[np.ndarray], np.ndarray]:
    """The 6x6 matrix of v x (Eq 2.31)."""
    return _cross_motion


@pytest.fixture(scope="session")
def twist_matrix() -> Callable[[np.ndarray], np.ndarray]:
    """The 4x4 matrix [omega x, v; 0 0]."""
    return _twist_matrix


@pytest.fixture(scope="session")
def plucker_matrix() -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """rot(E) xlt(r) (Eq 2.24)."""
    return motion_transform


@pytest.fixture(scope="session")
def slope() -> Callable[..., np.ndarray]:
    """slope(f, at, direction): the derivative of f there."""
    return _slope
