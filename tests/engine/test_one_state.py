"""One state by the shortest way: the same bits as by the long one, which has the last word on all that is unusual."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import at_one_state, kernels_for
from rbdkit.engine.run.signatures import INPUTS
from rbdkit.joints import Revolute, Spherical
from rbdkit.library import crank_slider, double_pendulum, random_tree, shaken_pendulum
from rbdkit.model import Model
from rbdkit.model.kept import keep_while
from rbdkit.spatial.inertia import Inertia

PLAIN = ("rnea", "aba", "forward_dynamics", "crba", "poses", "kinematics", "energy", "center_of_mass",
         "momentum_world", "momentum_com")  # fmt: skip
OF_FRAMES = ("jacobian_body", "jacobian_world", "jacobian_aligned", "bias_acceleration_world")


def state(model, algorithm, seed=0):
    rng = np.random.default_rng(seed)
    return [model.random_q(rng), *rng.normal(size=(len(INPUTS[algorithm]) - 1, model.nv))]


def twice(model, algorithm, *arrays, frame=None):
    """The first time there may be no call yet that waits."""
    kernels = kernels_for(model)
    place = None if frame is None else kernels.frame(model.frame(frame).body, model.frame(frame).placement)
    expected = kernels._compute(algorithm, tuple(arrays), frame=place)
    found = at_one_state(model, algorithm, "auto", *arrays, frame=frame)
    assert found is not None
    return found if isinstance(found, tuple) else (found,), expected


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("algorithm", PLAIN + OF_FRAMES)
def test_the_same_bits(algorithm, seed):
    """And arrays of its own: the next call leaves them as they are."""
    model = random_tree(seed, 7)
    frame = model.bodies[-2].name if algorithm in OF_FRAMES else None
    arrays = state(model, algorithm, seed)
    found, expected = twice(model, algorithm, *arrays, frame=frame)
    kept = [x.copy() for x in found]
    at_one_state(model, algorithm, "auto", *state(model, algorithm, seed + 1), frame=frame)
    for mine, its, theirs in zip(found, kept, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(mine, its)


def test_two_frames_of_one_body_are_not_taken_for_each_other():
    model = double_pendulum()
    names = [model.add_frame(f"f{k}", model.bodies[-1], [0.0, 0.1 * k, -0.3]).name for k in range(3)]
    q = np.array([0.3, -0.4])
    for name in (*names, *names, names[0]):
        found, expected = twice(model, "jacobian_world", q, frame=name)
        np.testing.assert_array_equal(found[0], expected[0])
        book = rbd.jacobian(model, q, name, "world", backend="book")
        np.testing.assert_allclose(rbd.jacobian(model, q, name, "world"), book, atol=1e-15)


def test_a_model_that_grows_or_falls_otherwise_is_another_one():
    model = double_pendulum()
    q, still = np.array([0.3, -0.4]), np.zeros(2)
    at_rest = twice(model, "rnea", q, still, still)[0][0]
    model.gravity = 2.0 * model.gravity
    np.testing.assert_allclose(twice(model, "rnea", q, still, still)[0][0], 2.0 * at_rest, rtol=1e-15)
    model.add_body("more", model.bodies[-1], Revolute("y"), inertia=Inertia(1.0, com=[0.1, 0.0, 0.0]))
    assert at_one_state(model, "rnea", "auto", q, still, still) is None
    assert twice(model, "rnea", *[np.zeros(3)] * 3)[0][0].shape == (3,)


@pytest.mark.parametrize("wrong", [
    [0.1, 0.2], np.zeros(3), np.zeros((1, 2)), np.zeros(2, dtype=np.float32), np.zeros(2, dtype=int),
    np.ma.zeros(2), np.array([0.0, np.nan]), np.array([0.0, -np.inf]), np.array([0.0, 1e16]), None, "no",
], ids=repr)  # fmt: skip
def test_anything_unusual_needs_a_longer_look(wrong):
    model, good = double_pendulum(), np.zeros(2)
    assert twice(model, "aba", good, good, good)
    for place in range(3):
        given = [good, good, good]
        given[place] = wrong
        assert at_one_state(model, "aba", "auto", *given) is None


def test_what_is_not_plain_goes_the_long_way():
    good, fell = np.zeros(2), double_pendulum()
    assert twice(fell, "aba", good, good, good)
    assert at_one_state(fell, "aba", "book", good, good, good) is None
    assert at_one_state(fell, "aba", np.array(["auto", "auto"]), good, good, good) is None
    assert at_one_state("no model", "aba", "auto", good, good, good) is None
    assert at_one_state(fell, "jacobian_world", "auto", good, frame="nowhere") is None
    assert at_one_state(fell, "aba", "auto", good, good, np.full(2, 1e14)) is not None
    loops, driven = crank_slider(), shaken_pendulum()
    assert at_one_state(loops, "poses", "auto", loops.neutral()) is None
    assert at_one_state(driven, "poses", "auto", driven.neutral()) is None
    ball = Model()
    ball.add_body("ball", joint=Spherical(), inertia=Inertia.sphere(0.1, mass=1.0))
    assert twice(ball, "crba", ball.neutral())
    assert at_one_state(ball, "crba", "auto", 1.1 * ball.neutral()) is None
    broken = Model()
    broken.add_body("b", joint=Revolute("x"), inertia=Inertia(np.nan, check=False))
    assert at_one_state(broken, "crba", "auto", np.zeros(1)) is None


def test_a_word_made_elsewhere_goes_the_long_way_and_gives_the_same():
    model, (q, v, tau) = double_pendulum(), np.array([[0.3, -0.4], [1.0, 2.0], [0.5, -0.5]])
    expected = [rbd.aba(model, q, v, tau) for _ in range(3)][-1]
    word = "".join(["au", "to"])
    assert at_one_state(model, "aba", word, q, v, tau) is None
    np.testing.assert_array_equal(rbd.aba(model, q, v, tau, backend=word), expected)


def test_what_a_call_depends_on_besides_is_asked():
    """A condition that came after the calls were made, and no longer holds."""
    model, good = double_pendulum(), np.zeros(2)
    assert twice(model, "aba", good, good, good)
    so_far = [True]
    keep_while(model, "a part", SimpleNamespace(holds=lambda: so_far[0]))
    assert twice(model, "aba", good, good, good)
    kernels = kernels_for(model)
    so_far[0] = False
    assert at_one_state(model, "aba", "auto", good, good, good) is None
    assert kernels_for(model) is not kernels


def test_what_has_no_finite_result_is_not_given():
    """A body without mass: the readable form says what is wrong, by name."""
    model = Model()
    model.add_body("nothing", joint=Revolute("x"))
    kernels_for(model)._compute("aba", (np.zeros(1),) * 3)
    assert at_one_state(model, "aba", "auto", *[np.ones(1)] * 3) is None
    with pytest.raises(rbd.RbdkitError, match="nothing"):
        rbd.aba(model, *[np.ones(1)] * 3)


def test_threads_do_not_disturb_each_other():
    model = random_tree(2, 7)
    states = [state(model, "rnea", k) for k in range(200)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda x: rbd.rnea(model, *x), states * 5))
    expected = [rbd.rnea(model, *x) for x in states]
    np.testing.assert_array_equal(found, expected * 5)
