"""Trees of the figures on sparsity, and the one that looks like its graph."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.sparse import depths, expand_parents, expanded_parent
from rbdkit.errors import ModelError
from rbdkit.library.candelabra import candelabra
from rbdkit.library.parent_arrays import checked_parents
from rbdkit.library.sparse_trees import FIG_6_2, FIG_6_3, limbed_parents


def test_parent_arrays_of_the_figures_are_regular():
    for parents in (*FIG_6_2.values(), FIG_6_3, limbed_parents(20)):
        assert checked_parents(parents) == parents


@pytest.mark.parametrize(("n", "limbs", "trunk"), [(36, 5, 6), (12, 4, 1), (5, 3, 6), (40, 1, 3)])
def test_limbs_grow_evenly(n, limbs, trunk):
    lam = expand_parents(limbed_parents(n, limbs, trunk))
    d = np.array(depths(lam))
    counts = np.bincount(d)[1:]
    assert (counts[:trunk] == 1).all() and (counts[trunk:-1] == limbs).all()
    assert n <= trunk or 1 <= counts[-1] <= limbs


def test_limbs_that_are_none():
    with pytest.raises(ModelError, match="limbs = 0, trunk = 6"):
        limbed_parents(10, 0)


def test_a_candelabra_has_the_shape_of_its_graph():
    parents = (0, 1, 1, 2, 2, 3, 0)
    model = candelabra(parents)
    assert model.parent[1:] == parents and model.validate() == []
    assert expanded_parent(model) == expand_parents(parents)
    poses = rbd.forward_kinematics(model, model.neutral()).poses
    assert np.abs(poses[:, 1, 3]).max() == 0.0  # in the plane of x and z
    for i in model.outward:
        p = model.parent[i]
        if p:
            length = 2.0 * model.bodies[p].inertia.com[2]
            np.testing.assert_allclose(poses[i, :3, 3], poses[p, :3, :3] @ [0, 0, length] + poses[p, :3, 3], atol=1e-15)
    tips = [poses[i, :3, 3] for i in (2, 3)]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-15)  # both on the first rod
    assert poses[4, 0, 2] < poses[2, 0, 2] < 0.0 < poses[3, 0, 2]  # leaning to their sides
