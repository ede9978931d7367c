"""`rbdkit.hybrid_dynamics`: input checked, one state or a stack, NaN where nothing is read."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_state, random_tree


@pytest.mark.source("F9.01", "F9.04")
def test_a_stack_of_states(off):
    model = random_tree(3)
    rng = np.random.default_rng(3)
    states = [random_state(model, k) for k in range(6)]
    q, v, tau = (np.stack(part).reshape(2, 3, -1) for part in zip(*states, strict=True))
    forward = [joint.name for joint in model.joints[1::2]]
    first, second = algorithms.split_variables(model, algorithms.forward_joints(model, forward))
    a = rng.normal(size=model.nv)
    a[first], tau[..., second] = np.nan, np.nan
    found = rbd.hybrid_dynamics(model, q, v, tau, a, forward)
    assert found.a.shape == found.tau.shape == (2, 3, model.nv)
    assert np.array_equal(found.a[..., second], np.broadcast_to(a[second], (2, 3, len(second))))
    assert np.array_equal(found.tau[..., first], tau[..., first])
    assert off(rbd.rnea(model, q, v, found.a), found.tau) < 1e-10


def test_models_with_mimic_joints_go_by_the_matrix(mimicking, off):
    coupled, *_ = mimicking
    q, v, tau = random_state(coupled, 4)
    a, found = rbd.hybrid_dynamics(coupled, q, v, tau, [np.nan, 1.0], ["a_joint"])
    assert off(rbd.rnea(coupled, q, v, a), found) < 1e-12
    assert a[1] == 1.0
    assert found[0] == tau[0]


def test_what_is_read_is_checked():
    model = random_tree(3)
    q, v, tau = random_state(model, 1)
    driven = next(joint for joint in model.joints if joint.nv == 1)
    others = [joint.name for joint in model.joints[1:] if joint is not driven]
    a = np.full(model.nv, np.nan)
    with pytest.raises(StateError, match=f"joint '{driven.name}'.*not finite"):
        rbd.hybrid_dynamics(model, q, v, tau, a, others)
    with pytest.raises(StateError, match="a has shape"):
        rbd.hybrid_dynamics(model, q, v, tau, a[:-1], others)
    with pytest.raises(ModelError, match="joint 'elbow' is not in model"):
        rbd.hybrid_dynamics(model, q, v, tau, a, ["elbow"])
