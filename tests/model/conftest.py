from __future__ import annotations

import numpy as np
import pytest

from rbdkit.joints import Free, Helical, Prismatic, Revolute, Spherical
from rbdkit.model import Limits, Model
from rbdkit.spatial.inertia import Inertia


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2008)


@pytest.fixture
def arm() -> Model:
    """A floating base, an arm with a ball wrist and a spindle, a tool frame: every kind of number that a model has."""
    model = Model("arm")
    rod = Inertia.cylinder(0.02, 0.4, mass=1.5)
    model.add_body("base", joint=Free(), inertia=Inertia.box([0.3, 0.2, 0.1], mass=4.0), joint_name="float")
    model.add_body(
        "upper", "base", Revolute("y"), [0.0, 0.0, 0.1], rod, joint_name="shoulder",
        damping=0.2, stiffness=3.0, rest=0.4, limits=Limits(-2.0, 1.0, 3.0, 40.0),
    )  # fmt: skip
    model.add_body(
        "slider", "upper", Prismatic("x"), [0.0, 0.0, 0.4], rod, joint_name="slide", friction=0.1, armature=0.05,
    )  # fmt: skip
    model.add_body("hand", "slider", Spherical(), [0.1, 0.0, 0.0], rod, joint_name="wrist", damping=[0.1, 0.2, 0.3])
    model.add_body("spindle", "hand", Helical("z", 0.01), [0.0, 0.1, 0.0], rod, joint_name="screw")
    model.add_frame("tool", "hand", [0.0, 0.0, 0.2])
    return model


@pytest.fixture
def snapshot():
    """All that a model says about itself, to see that nothing changed."""

    def take(model: Model) -> tuple:
        return (
            model.name, model.nq, model.nv, model.bodies, model.joints, model.frames, model.loops, model.parent,
            model.describe(), tuple(model._body_index.items()), tuple(model._joint_index.items()),
        )  # fmt: skip

    return take
