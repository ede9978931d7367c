"""Large stacks, of which every number is looked at: nothing in them goes unseen."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels
from rbdkit.engine.run import shapes
from rbdkit.errors import RbdkitError, StateError

STATES = 515  # not a multiple of the lanes
ALGORITHMS = ("rnea", "aba", "forward_dynamics")


def stacks(model, seed=0):
    rng = np.random.default_rng(seed)
    q = np.array([model.random_q(rng) for _ in range(STATES)])
    return q, rng.normal(size=(STATES, model.nv)), rng.normal(size=(STATES, model.nv))


@pytest.fixture(params=["loop", "straight"])
def form(request, monkeypatch):
    monkeypatch.setattr(shapes, "STATES_A_LINK", 0 if request.param == "straight" else 10**6)
    return request.param


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_number_goes_unseen(small_trees, form, algorithm):
    """One at a time, in a row of its own each: not finite, or so far out that nothing can be computed with it."""
    function = getattr(rbd, algorithm)
    for tree in small_trees:
        given = stacks(tree)
        for which, stack in enumerate(given):
            for column in range(stack.shape[1]):
                for bad in (np.nan, np.inf, 1e200):
                    changed = [x.copy() for x in given]
                    changed[which][(7 * column + 3) % STATES, column] = bad
                    with pytest.raises(StateError):
                        function(tree, *changed)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_to_the_last_bit_from_threads_and_from_kernels(small_trees, form, algorithm):
    function = getattr(rbd, algorithm)
    for tree in small_trees:
        q, v, w = stacks(tree, seed=1)
        found, out = function(tree, q, v, w), np.empty_like(v)
        assert function(tree, q, v, w, out=out, threads=2) is out
        assert np.array_equal(out, found)
        assert np.array_equal(found, getattr(Kernels(tree, "llvm"), algorithm)(q, v, w))


def test_results_without_an_end_are_told_as_of_a_few_states():
    nothing = rbd.Model("nothing")
    nothing.add_body("b", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(0.0))
    few, many = ([np.zeros((n, 1)), np.zeros((n, 1)), np.ones((n, 1))] for n in (3, 600))
    with pytest.raises(RbdkitError) as of_few:
        rbd.aba(nothing, *few)
    with pytest.raises(RbdkitError) as of_many:
        rbd.aba(nothing, *many)
    assert type(of_many.value) is type(of_few.value) and str(of_many.value) == str(of_few.value)


def test_a_quaternion_that_is_none_is_refused():
    ball = rbd.library.spherical_pendulum()
    q, v = np.tile([1.0, 0.0, 0.0, 0.0], (600, 1)), np.zeros((600, 3))
    q[599] *= 1.1
    with pytest.raises(StateError, match=r"norm 1\.1"):
        rbd.aba(ball, q, v, v)
