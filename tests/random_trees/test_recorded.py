"""The algorithms against numbers that were recorded before the readable and the compiled text were merged.

The file compares with neither of the two, so a fault in what both share is seen, too. Sums in another order differ by
some hundred roundings; accelerations lose besides what the condition of H makes of one.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.joints import TYPES

ROUND_OFF = 1e-13


@pytest.fixture(scope="module")
def trees():
    """The recorded trees, and what computes their results."""
    spec = importlib.util.spec_from_file_location("recording", Path(__file__).with_name("recording.py"))
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:  # dataclasses look for their module there
        patch.setitem(sys.modules, "recording", module)
        spec.loader.exec_module(module)
        yield list(module.recorded_trees()), module.results_of


def assert_as_recorded(tree, results):
    scale = {name: np.abs(numbers).max(initial=0.0) for name, numbers in tree.results.items()}
    scale["velocities"] = max(scale["velocities"], np.abs(tree.state["v"]).max(initial=0.0))
    cond = np.linalg.cond(tree.results["H"]) if tree.model.nv else 1.0
    for name, numbers in tree.results.items():
        allowed = max(ROUND_OFF, 1e-15 * cond) if name == "qdd" else ROUND_OFF
        assert results[name].shape == numbers.shape, (tree.model.name, name)
        worst = np.abs(results[name] - numbers).max(initial=0.0)
        assert worst <= allowed * (scale[name] or 1.0), (tree.model.name, name)


def test_the_recording_holds_every_joint_type_from_both_ends(trees):
    types = {type(joint.type) for tree in trees[0] for joint in tree.model.joints}
    assert types == set(TYPES)
    reversed_ones = {
        type(j.type.joint) for tree in trees[0] for j in tree.model.joints if isinstance(j.type, rbd.Reversed)
    }
    assert len(reversed_ones) >= 11
    assert sum(bool(tree.model.mimics) for tree in trees[0]) > 50
    assert len(trees[0]) == 200


def test_readable_algorithms(trees):
    for tree in trees[0]:
        assert_as_recorded(tree, trees[1](tree, algorithms))


@pytest.mark.parametrize("first", range(20))
def test_compiled_algorithms(trees, first):
    """A tenth of the trees, each compiled for itself; ``tests/random_trees`` has campaigns of more."""
    tree = trees[0][10 * first + first % 10]
    assert_as_recorded(tree, trees[1](tree, rbd))
