"""What is found out about a model is found out once, and anew when the model is another one."""

import copy
import pickle

import numpy as np
import pytest

from rbdkit import engine
from rbdkit.joints import Free, Prismatic, Revolute, Spherical
from rbdkit.library import double_pendulum, random_tree
from rbdkit.model import Model
from rbdkit.model.kept import kept
from rbdkit.spatial.inertia import Inertia


@pytest.fixture
def asked():
    """A function of a model that counts its bodies, and how often it was asked."""

    def count(model):
        count.times += 1
        return len(model.bodies)

    count.times = 0
    return count


def test_a_model_is_asked_once_until_it_changes(asked):
    model = double_pendulum()
    assert [kept(model, asked) for _ in range(3)] == [3, 3, 3] and asked.times == 1
    tip = model.add_body("tip", model.bodies[-1], Revolute("y"), inertia=Inertia(1.0, com=[0.1, 0.0, 0.0]))
    assert kept(model, asked) == 4 and asked.times == 2
    model.gravity = np.zeros(3)
    assert kept(model, asked) == 4 and asked.times == 3
    model.add_loop("pin", "world", tip, Revolute("y"))
    assert kept(model, asked) == 4 and asked.times == 4
    model.add_frame("hand", tip)  # what is kept does not depend on frames
    assert kept(model, asked) == 4 and asked.times == 4


@pytest.mark.parametrize("twin", [
    copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)),
    lambda model: model.with_parameters({"gravity": [0.0, 0.0, -1.0]}),
], ids=["copy", "deepcopy", "pickle", "parameters"])  # fmt: skip
def test_copies_begin_without(twin, asked):
    """Compiled code among what is kept cannot be pickled."""
    model = double_pendulum()
    assert engine.kernels_for(model) is not None and kept(model, asked) == 3
    other = twin(model)
    assert kept(other, asked) == 3 and asked.times == 2
    assert engine.kernels_for(other) is not engine.kernels_for(model)


def test_findings_follow_the_model_and_are_the_readers_to_change():
    model = Model("m")
    rod = model.add_body("rod", joint=Revolute("y"), inertia=Inertia(1.0, com=[0.0, 0.0, -1.0]))
    assert model.validate() == []
    model.add_body("bare", rod, Revolute("y"))
    (finding,) = model.validate()
    assert finding.where == "bare"
    model.validate().clear()
    assert model.validate() == [finding]


def test_what_fails_is_asked_again():
    model, tries = Model(), []

    def fails(model):
        tries.append(model)
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            kept(model, fails)
    assert len(tries) == 2


@pytest.mark.parametrize("model", [double_pendulum(), random_tree(3, 8), random_tree(5, 8)], ids=lambda m: m.name)
def test_to_move_is_what_the_joints_do_one_by_one(model):
    rng = np.random.default_rng(0)
    q, dv = np.array([model.random_q(rng) for _ in range(4)]), rng.normal(size=(4, model.nv))
    expected = np.empty_like(q)
    for joint in model.joints:
        if joint.nv and joint.mimic is None:
            expected[:, joint.q_slice] = joint.type.integrate(q[:, joint.q_slice], dv[:, joint.v_slice])
    np.testing.assert_array_equal(model.move(q, dv), expected)
    one_by_one = [model.move(*state) for state in zip(q, dv, strict=True)]
    np.testing.assert_allclose(one_by_one, expected, rtol=0, atol=2e-15)  # NumPy adds up a stack in another order


def test_a_joint_that_moves_in_its_own_way_does_so():
    class Ratchet(Prismatic):
        kind = "ratchet"

        def integrate(self, q, dv):
            return q + np.abs(dv)

    model = Model()
    for name, joint in (("free", Free()), ("ratchet", Ratchet("x")), ("ball", Spherical()), ("slide", Prismatic("y"))):
        model.add_body(name, joint=joint, inertia=Inertia.sphere(0.1, mass=1.0))
    dv = np.zeros(model.nv)
    dv[[6, -1]] = -2.0, -3.0
    moved = model.move(model.neutral(), dv) - model.neutral()
    assert moved[7] == 2.0 and moved[-1] == -3.0 and np.count_nonzero(moved) == 2
