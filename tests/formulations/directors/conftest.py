"""Bodies with a fixed point for the tests of directors, random states of them, and loads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library.gebhardt_romero import INERTIA
from rbdkit.spatial import quaternion, se3, so3

Force = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


class Bodies:
    """What the tests try their formulations on."""

    @staticmethod
    def heavy(split: bool = True) -> rbd.Model:
        """Under gravity, on a placed spherical joint; with `split`, z is a principal axis at the fixed point."""
        com = [0.0, 0.0, 0.3] if split else [0.1, -0.2, 0.3]
        coupling = np.zeros((3, 3)) if split else np.array([[0.0, 0.0, 0.4], [0.0, 0.0, -0.3], [0.4, -0.3, 0.0]])
        model = rbd.Model("heavy body", gravity=(1.0, -2.0, -9.0))
        placement = se3.pose(so3.exp([0.3, -0.8, 0.5]), [1.0, 0.2, -0.4])
        inertia = rbd.Inertia(2.0, com, INERTIA + coupling)
        model.add_body("body", joint=rbd.Spherical(), placement=placement, inertia=inertia)
        return model

    @staticmethod
    def floating() -> rbd.Model:
        """Thrown in gravity, its centre of mass off the frame's origin; z is parallel to a principal axis."""
        model = rbd.Model("floating body", gravity=(1.0, -2.0, -9.0))
        placement = se3.pose(so3.exp([0.3, -0.8, 0.5]), [1.0, 0.2, -0.4])
        model.add_body(
            "body", joint=rbd.Free(), placement=placement, inertia=rbd.Inertia(2.0, (0.1, -0.2, 0.3), INERTIA)
        )
        return model

    @staticmethod
    def state(seed: int, twist: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Quaternion, and angular velocity in body axes, without its third component if the body may not twist."""
        rng = np.random.default_rng(seed)
        return quaternion.random(rng), rng.normal(size=3) * [1.0, 1.0, 1.0 if twist else 0.0]

    @staticmethod
    def pushed(seed: int, nv: int = 3) -> tuple[Force, Force]:
        """A joint torque (or force, nv = 6) and a wrench that depend on time only, as formulations take them."""
        rng = np.random.default_rng(seed)
        torque, rows = rng.normal(size=nv), np.vstack([np.zeros(6), rng.normal(size=6)])
        return (lambda t, x, v: np.cos(t) * torque), (lambda t, x, v: (1.0 + t) * rows)


@pytest.fixture
def bodies() -> Bodies:
    return Bodies()
