"""A model with its bodies in another order is the same model."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.library import random_state, random_tree
from rbdkit.model.graph import depth_first, reordered


def test_nothing_but_the_order_changes():
    model = random_tree(3, 12, branching=1.0)
    joint = next(joint for joint in model.joints if joint.nv == 1)
    model = model.with_parameters({f"{joint.name}.armature": 0.3, f"{joint.name}.damping": 0.2})
    order = depth_first(model)
    other = reordered(model, order)
    assert [body.name for body in other.bodies[1:]] == [model.bodies[i].name for i in order]
    q, v, tau = random_state(model, 3)

    def moved(x, part):
        return np.concatenate([x[getattr(model.joints[i], part)] for i in order])

    found = rbd.forward_dynamics(other, moved(q, "q_slice"), moved(v, "v_slice"), moved(tau, "v_slice"))
    np.testing.assert_allclose(found, moved(rbd.forward_dynamics(model, q, v, tau), "v_slice"), rtol=1e-10)
    # ten digits of accelerations: the condition number of H is 1e4


def test_depth_first_goes_to_the_end_of_each_branch():
    model = rbd.Model()
    for name, parent in (("a", "world"), ("b", "world"), ("c", "a"), ("d", "b"), ("e", "a")):
        model.add_body(name, parent, rbd.Revolute("z"))
    assert [model.bodies[i].name for i in depth_first(model)] == ["a", "c", "e", "b", "d"]


def test_orders_that_are_refused():
    model = random_tree(1, 3, [rbd.Revolute("z")], branching=0.0)
    with pytest.raises(ModelError, match="every body number from 1 to 3 once"):
        reordered(model, (1, 2))
    with pytest.raises(ModelError, match="body 'b2' is numbered before its parent 'b1'"):
        reordered(model, (2, 1, 3))
