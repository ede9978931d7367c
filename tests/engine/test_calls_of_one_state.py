"""Calls of one state whose arrays are taken as they are: those that are ordinary, and nothing else."""

import copy
import gc
import sys
import threading
import tracemalloc
import warnings
from functools import partial
from weakref import ref

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import at_one_state, kernels_for
from rbdkit.library import crank_slider, n_four_bar
from rbdkit.model import Model


def flyer():
    model = Model("flyer")
    own = dict(inertia=rbd.Inertia(1.0, com=[0.1, 0.0, 0.2], inertia_com=np.diag([0.3, 0.4, 0.2])))
    model.add_body("hull", joint=rbd.Free(), **own)
    model.add_body("arm", "hull", rbd.Revolute("y"), **own)
    model.add_body("ball", "arm", rbd.Spherical(), [0.0, 0.1, 0.3], **own)
    return model


def state(seed=0):
    rng, model = np.random.default_rng(seed), flyer()
    return model, [model.random_q(rng), *rng.normal(size=(2, model.nv))]


def waiting(model):
    """A call of `aba` that waits, and the fast path to it."""
    kernels = kernels_for(model)
    kernels.aba(model.neutral(), *np.zeros((2, model.nv)))
    return kernels.idle("aba")[-1], partial(at_one_state, model, "aba", "auto")


def strange(x):
    """Arrays of the same numbers, but not as the code wants them."""
    apart, bytes_ = np.zeros(2 * len(x)), np.zeros(8 * len(x) + 1, dtype=np.uint8)
    apart[::2] = x
    askew = bytes_[1:].view(float)
    askew[:] = x

    class Own(np.ndarray): ...

    return {
        "strided": apart[::2], "askew": askew, "swapped": x.astype(x.dtype.newbyteorder()), "own": x.view(Own),
        "column": x[:, None], "row": x[None], "short": x[:-1], "single": x.astype(np.float32), "list": x.tolist(),
        "complex": x.astype(complex), "number": np.float64(x[0]), "none": None, "scalar": np.array(x[0]),
    }  # fmt: skip


@pytest.mark.parametrize("place", range(3))
def test_arrays_that_lie_otherwise_are_left_to_python(place):
    model, given = state()
    call, code = waiting(model)
    expected = code(*given)
    np.testing.assert_array_equal(expected, kernels_for(model).aba(*given))
    for name, x in strange(given[place]).items():
        other = [*given]
        other[place] = x
        call.outputs[0][:] = 7.0
        if name == "strided":
            np.testing.assert_array_equal(code(*other), expected)
            continue
        assert code(*other) is None, name
        assert (call.outputs[0] == 7.0).all()
        if name in ("askew", "swapped", "own", "list"):
            np.testing.assert_array_equal(rbd.aba(model, *other), expected)
    frozen = [x.copy() for x in given]
    for x in frozen:
        x.flags.writeable = False
    np.testing.assert_array_equal(code(*frozen), expected)


def test_numbers_are_judged_as_everywhere():
    """What is taken is what the general way takes, and nothing warns of numbers that are judged."""
    model, given = state(1)
    _, code = waiting(model)
    rng, found = np.random.default_rng(0), set()
    for _ in range(300):
        q, v, tau = (x.copy() for x in given)
        start = rng.choice([0, 8])
        q[start : start + 4] *= 1.0 + rng.choice([0.0, 5e-7, -9.9e-7, 9.999999e-7, 1.00001e-6, -2e-6, 1e-3, np.nan])
        if rng.random() < 0.3:
            rng.choice([v, tau])[rng.integers(10)] = rng.choice([np.inf, np.nan, 9e14, 1.1e15, -1e200, 1e308, 0.0])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ours = code(q, v, tau)
        found.add(ours is not None)
        try:
            theirs = rbd.aba(model, q, v, tau, backend="".join(["au", "to"]))
        except rbd.RbdkitError:
            theirs = None
        if ours is not None:
            np.testing.assert_array_equal(ours, theirs)
        else:
            assert theirs is None or max(np.abs(x).max() for x in (q, v, tau, theirs)) > 1e14
    assert found == {True, False}


def test_arguments_that_an_algorithm_has_not_are_not_looked_at():
    model, (q, *_) = state()
    kernels_for(model).crba(q)
    H = at_one_state(model, "crba", "auto", q)
    np.testing.assert_array_equal(H, kernels_for(model).crba(q))


def test_threads_have_results_of_their_own():
    model, _ = state()
    states = [state(seed)[1] for seed in range(40)]
    expected, wrong = [kernels_for(model).aba(*given) for given in states], []

    def work(k):
        for _ in range(200):
            if not np.array_equal(rbd.aba(model, *states[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_call_in_the_middle_of_another_has_numbers_of_its_own(monkeypatch):
    """As a signal handler or a finalizer makes one, which may run anywhere."""
    model, given = state(11)
    other = state(12)[1]
    expected, of_other = rbd.aba(model, *given), rbd.aba(model, *other)
    check, inside, inner = rbd.Free.check, [], []

    def interrupted(joint, q):
        check(joint, q)
        if len(inside) < 2:
            inside.append(True)
            inner.append(rbd.aba(model, *other))
            inside.pop()

    model, _ = state(11)
    monkeypatch.setattr(rbd.Free, "check", interrupted)
    waiting(model)
    for _ in range(5):
        np.testing.assert_array_equal(rbd.aba(model, *given), expected)
    assert len(inner) == 10
    np.testing.assert_array_equal(inner, [of_other] * 10)


def held(*objects):
    return [sys.getrefcount(x) for x in objects]


def test_calls_hold_on_to_nothing():
    """Neither those that are computed nor those that are handed back, with one result and with several."""
    model, (q, v, tau) = state(4)
    kernels_for(model).aba(q, v, tau)
    kernels_for(model)._compute("kinematics", (q, v))
    off = 1.1 * q
    work = [
        ("aba", (q, v, tau)),
        ("kinematics", (q, v)),
        ("aba", (off, v, tau)),
        ("aba", (q, v)),
        ("aba", (q, v, None)),
    ]
    known = [at_one_state(model, name, "auto", *given) for name, given in work]
    assert [x is None for x in known] == [False, False, True, True, True]
    watched = q, v, tau, off, model, np.ndarray, q.dtype

    def often(times, work=work):
        for _ in range(times):
            for name, given in work:
                at_one_state(model, name, "auto", *given)

    often(3_000)  # which fills the interpreter's lists of free objects
    before, nothing = held(*watched), sys.getrefcount(None)
    tracemalloc.start()
    try:
        often(100)
        memory = tracemalloc.get_traced_memory()[0]
        often(1_000)
        often(20_000, [*work[:2], *work[3:]])  # 8e4 calls; to say what is off takes longer
        assert tracemalloc.get_traced_memory()[0] - memory < 2_000  # one byte a call would be forty times as much
    finally:
        tracemalloc.stop()
    assert held(*watched) == before
    assert abs(sys.getrefcount(None) - nothing) < 1_000  # a constant where it is immortal
    found = at_one_state(model, "kinematics", "auto", q, v)
    fresh = tuple(np.zeros(1) for _ in found)
    assert held(*found) == held(*fresh)


def test_results_are_whole_arrays_of_their_own():
    model, given = state(5)
    call, code = waiting(model)
    first = code(*given)
    assert type(first) is np.ndarray and first.flags.owndata and first.flags.writeable and first.flags.c_contiguous
    first[:] = 3.0
    second = code(*given)
    assert (first == 3.0).all() and not np.shares_memory(first, second)
    assert not np.shares_memory(second, call.outputs[0])


def test_code_goes_with_its_model_and_lives_as_long_as_who_calls_it():
    model, given = state(6)
    call, code = waiting(model)
    buffer = ref(call.outputs[0])
    expected = code(*given)
    del call, model
    gc.collect()
    assert buffer() is not None
    np.testing.assert_array_equal(code(*given), expected)
    del code
    gc.collect()
    assert buffer() is None


def test_only_the_model_that_it_was_made_for_is_computed():
    """Neither one that has become another, nor one of another class, nor anything else."""
    model, given = state(9)
    call, code = waiting(model)
    expected = code(*given)
    call.outputs[0][:] = 7.0

    class Own(Model): ...

    own, listed = copy.copy(model), copy.copy(model)
    own.__class__ = Own
    listed.__dict__["bodies"] = (*model.bodies,)[:-1] + model.bodies[-1:]
    for other in (own, listed, state(9)[0], flyer(), "no model", None, 3, Model):
        assert at_one_state(other, "aba", "auto", *given) is None
    assert (call.outputs[0] == 7.0).all()
    np.testing.assert_array_equal(rbd.aba(copy.copy(model), *given), expected)


CHANGES = {
    "gravity": lambda model: setattr(model, "gravity", [0.0, 0.0, -3.0]),
    "loops": lambda model: model.add_loop("pin", "world", "ball", rbd.Spherical(), [0.1, 0.2, 0.9]),
    "forces": lambda model: model.add_spring("spring", "world", "ball", stiffness=30.0),
    "constraints": lambda model: model.add_constraint("c", rbd.PointOnPlane("ball", "world")),
    "contact_rules": lambda model: model.add_ground(),
}


@pytest.mark.parametrize("part", CHANGES)
def test_no_part_of_a_model_changes_unseen(part):
    model, given = state(10)
    _, code = waiting(model)
    assert code(*given) is not None
    CHANGES[part](model)
    assert code(*given) is None
    getattr(model, part)
    assert code(*given) is None  # nor when it is shown as a tuple again


def test_too_few_and_too_many_arguments_are_left_to_python():
    model, given = state(7)
    _, code = waiting(model)
    for wrong in (given[:1], given[:2]):
        assert code(*wrong) is None
    assert at_one_state(model, "crba", "auto", *given) is None
    with pytest.raises(TypeError, match="positional"):
        rbd.aba(model, *given, given[2])


def test_models_without_freedom_and_empty_arrays():
    model = Model("block")
    model.add_body("block", joint=rbd.Fixed(), inertia=rbd.Inertia(1.0, inertia_com=np.eye(3)))
    none = np.zeros(0)
    for _ in range(3):
        assert rbd.aba(model, none, none, none).shape == (0,)
    one, given = state(8)
    _, code = waiting(one)
    assert code(none, none, none) is None
    assert code(*given) is not None


@pytest.mark.parametrize("make", [crank_slider, lambda: n_four_bar(8).model], ids=["straight", "loops"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e16, 1e308])
def test_code_under_constraints_ends_whatever_numbers_it_gets(make, bad):
    """They are judged when it has run."""
    model = make()
    good = model.neutral(), *np.zeros((2, model.nv))
    expected = [rbd.forward_dynamics(model, *good) for _ in range(2)][1]
    for place in range(3):
        given = [x.copy() for x in good]
        given[place][-1] = bad
        assert at_one_state(model, "forward_dynamics", "auto", *given) is None
        np.testing.assert_array_equal(at_one_state(model, "forward_dynamics", "auto", *good), expected)
