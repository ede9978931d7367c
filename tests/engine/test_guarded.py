"""Calls whose arguments machine code checks: it takes what Python would take, and nothing else."""

import threading

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import at_one_state, kernels_for
from rbdkit.engine.run import one_state
from rbdkit.model import Model
from rbdkit.trace.run import guarded


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


def code_of(model):
    """What checks and computes `aba` of a model."""
    kernels = kernels_for(model)
    kernels.aba(model.neutral(), *np.zeros((2, model.nv)))
    call = kernels.idle("aba").pop()
    places = one_state._quaternions(model)
    return call, guarded.guarded(call.run, call.inputs, call.outputs[0], 1e15, 1e150, places)


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
    call, code = code_of(model)
    assert code.function(*given, code.at) == 0
    expected = call.outputs[0].copy()
    np.testing.assert_array_equal(expected, kernels_for(model).aba(*given))
    for name, x in strange(given[place]).items():
        other = [*given]
        other[place] = x
        call.outputs[0][:] = 7.0
        assert code.function(*other, code.at) == 1, name
        assert (call.outputs[0] == 7.0).all()
        if name in ("strided", "askew", "swapped", "own", "list"):
            np.testing.assert_array_equal(rbd.aba(model, *other), expected)
    frozen = [x.copy() for x in given]
    for x in frozen:
        x.flags.writeable = False
    assert code.function(*frozen, code.at) == 0


def test_numbers_are_judged_as_python_judges_them():
    model, given = state(1)
    _, code = code_of(model)
    by_python = one_state._in_python(model, kernels_for(model), "aba", None)
    kernels_for(model).aba(*given)  # one that waits
    rng, found = np.random.default_rng(0), set()
    for _ in range(300):
        q, v, tau = (x.copy() for x in given)
        start = rng.choice([0, 8])
        q[start : start + 4] *= 1.0 + rng.choice([0.0, 5e-7, -9.9e-7, 9.999999e-7, 1.00001e-6, -2e-6, 1e-3, np.nan])
        if rng.random() < 0.3:
            rng.choice([v, tau])[rng.integers(10)] = rng.choice([np.inf, np.nan, 9e14, 1.1e15, -1e200, 0.0])
        ours = code.function(q, v, tau, code.at) == 0
        theirs = by_python(q, v, tau) is not None
        found.add(ours)
        assert ours == theirs
    assert found == {True, False}


def test_arguments_that_an_algorithm_has_not_are_not_looked_at():
    model, (q, *_) = state()
    kernels_for(model).crba(q)
    (H,) = at_one_state(model, "crba", "auto", q)
    np.testing.assert_array_equal(H, kernels_for(model).crba(q))


def test_where_arrays_look_otherwise_python_checks(monkeypatch):
    """As they would in another interpreter."""
    monkeypatch.setattr(guarded, "DIMENSIONS", guarded.DATA)
    guarded._function.cache_clear()
    try:
        model, given = state(3)
        assert code_of(model)[1] is None
        expected = kernels_for(model).aba(*given)
        np.testing.assert_array_equal(at_one_state(model, "aba", "auto", *given)[0], expected)
    finally:
        guarded._function.cache_clear()


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
