"""Large stacks, whose numbers are looked at while they are computed: nothing in them goes unseen."""

from unittest.mock import patch

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels, for_many_states
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


def plain(trees, algorithm):
    """Those that are looked at while they are computed; others have joints that move as time says."""
    found = [tree for tree in trees if for_many_states(tree, algorithm, "auto", *stacks(tree)) is not None]
    assert len(found) >= 8
    return found


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_number_goes_unseen(small_trees, form, algorithm):
    """One at a time, in a row of its own each: not finite, or so far out that nothing can be computed with it."""
    function = getattr(rbd, algorithm)
    for tree in plain(small_trees, algorithm):
        given = stacks(tree)
        for which, stack in enumerate(given):
            for column in range(stack.shape[1]):
                for bad in (np.nan, np.inf, 1e200):
                    changed = [x.copy() for x in given]
                    changed[which][(7 * column + 3) % STATES, column] = bad
                    with pytest.raises(StateError):
                        function(tree, *changed)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_to_the_last_bit_as_without_a_look(small_trees, form, algorithm):
    function = getattr(rbd, algorithm)
    for tree in plain(small_trees, algorithm):
        q, v, w = stacks(tree, seed=1)
        found, out = function(tree, q, v, w), np.empty_like(v)
        assert function(tree, q, v, w, out=out, threads=2) is out
        assert np.array_equal(out, found)
        assert np.array_equal(found, getattr(Kernels(tree, "llvm"), algorithm)(q, v, w))


def test_numbers_beyond_the_reach_of_coordinates_are_computed_as_ever():
    """Velocities may be larger than coordinates: the second look allows what the first does not."""
    model = rbd.library.pendulum()
    q, v, tau = np.zeros((600, 1)), np.zeros((600, 1)), np.full((600, 1), 1e20)
    with patch.object(Kernels, "within", wraps=None, side_effect=lambda *a: None) as look:
        expected = rbd.aba(model, q, v, tau)
    assert look.called
    assert np.array_equal(rbd.aba(model, q, v, tau), expected) and expected[0, 0] > 1e18


def test_results_without_an_end_are_told_as_of_a_few_states():
    nothing = rbd.Model("nothing")
    nothing.add_body("b", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(0.0))
    few, many = ([np.zeros((n, 1)), np.zeros((n, 1)), np.ones((n, 1))] for n in (3, 600))
    with pytest.raises(RbdkitError) as of_few:
        rbd.aba(nothing, *few)
    with pytest.raises(RbdkitError) as of_many:
        rbd.aba(nothing, *many)
    assert type(of_many.value) is type(of_few.value) and str(of_many.value) == str(of_few.value)


def test_what_is_not_asked_for_one_by_one_is_left_to_the_longer_look():
    model = rbd.library.pendulum()
    good = np.zeros((600, 1))
    assert for_many_states(model, "aba", "auto", good, good, good) is not None
    for q, v, w in (
        (good[:100], good[:100], good[:100]),
        (good, good[:100], good),
        (good.astype(np.float32), good, good),
        (good.tolist(), good, good),
        (np.zeros((600, 2)), good, good),
        (np.zeros((300, 2, 1)), good, good),
    ):
        assert for_many_states(model, "aba", "auto", q, v, w) is None
    assert for_many_states(model, "aba", "book", good, good, good) is None
    ball = rbd.library.spherical_pendulum()
    q, v = np.tile([1.0, 0.0, 0.0, 0.0], (600, 1)), np.zeros((600, 3))
    assert for_many_states(ball, "aba", "auto", q, v, v) is not None
    q[599] *= 1.1
    with pytest.raises(StateError, match=r"norm 1\.1"):
        rbd.aba(ball, q, v, v)
