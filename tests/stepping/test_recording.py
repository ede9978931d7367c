"""A function run line by line: its result is the same, every value comes back, and one can go where one likes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import RbdkitError
from rbdkit.formulations import JointSystem
from rbdkit.integrators import RK4
from rbdkit.library import double_pendulum, random_state, random_tree
from rbdkit.stepping import record, source_of


@pytest.fixture(scope="module")
def tree():
    model = random_tree(4, 8)
    q, v, a = random_state(model, 4)[:3]
    return model, q, v, a


@pytest.mark.parametrize("name", ["rnea", "aba", "crba", "forward_kinematics", "energy"])
def test_the_result_is_that_of_the_algorithm(tree, name):
    """Bit by bit: it is the same code."""
    model, q, v, a = tree
    arguments = {"crba": (q,), "forward_kinematics": (q, v), "energy": (q, v)}.get(name, (q, v, a))
    function = getattr(algorithms, name)
    plain, recorded = function(model, *arguments), record(function, model, *arguments).result
    for field in vars(plain):
        one, other = getattr(plain, field), getattr(recorded, field)
        pairs = zip(one, other, strict=True) if isinstance(one, list) else [(one, other)]
        for x, y in pairs:
            assert_array_equal(x, y)


def test_panda_is_stepped_to_the_end_with_the_result_of_aba_and_back_to_every_value():
    model = rbd.load(rbd.library.robot_file("panda"), mimic=False)
    rng = np.random.default_rng(0)
    q, v, tau = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    recording = record(algorithms.aba, model, q, v, tau)
    assert_array_equal(recording.moments[-1].variables["qdd"], rbd.aba(model, q, v, tau, backend="book"))
    assert recording.moments[-1].done
    # at the first line of the third pass, IA is complete: all that the second pass added is there, and before it is not
    third = next(k for k in range(len(recording)) if recording.pass_of(k) == 2)
    second = next(k for k in range(len(recording)) if recording.pass_of(k) == 1)
    result = algorithms.aba(model, q, v, tau)
    assert_array_equal(recording.moments[third].variables["IA"], result.IA)
    assert_array_equal(recording.moments[second].variables["IA"], model.I)
    assert not np.any(recording.moments[second].variables["qdd"])


def running_sum(values, start=0.0):
    total = start
    seen = []
    for x in values:
        total = total + x
        seen.append(total)
    for k in range(len(seen)):
        seen[k] *= 2.0
    return seen


def test_moments_hold_what_was_true_then():
    recording = record(running_sum, [1.0, 2.0])
    line = recording.sources[0].first
    lines = [moment.line - line for moment in recording.moments]
    assert lines == [1, 2, 3, 4, 5, 3, 4, 5, 3, 6, 7, 6, 7, 6, 8, 8]
    assert [moment.variables.get("seen") for moment in recording.moments] == [
        None, None, [], [], [], [1.0], [1.0], [1.0], [1.0, 3.0], [1.0, 3.0], [1.0, 3.0], [2.0, 3.0], [2.0, 3.0],
        [2.0, 6.0], [2.0, 6.0], [2.0, 6.0],
    ]  # fmt: skip
    assert [[c.label for c in recording.changes(k)] for k in (1, 4, 5, 11)] == [
        ["total"],
        ["total"],
        ["seen"],  # it has grown
        ["seen[0]"],
    ]


def test_going_by_body_and_by_pass(tree):
    model, q, v, a = tree
    recording = record(algorithms.rnea, model, q, v, a)
    k, bodies = 0, []
    while k < len(recording) - 1:
        k = recording.next_body(k)
        if not recording.moments[k].done:
            bodies.append((recording.pass_of(k), recording.body_of(k)))
    n = len(model.bodies) - 1
    assert bodies == [(0, i) for i in range(1, n + 1)] + [(1, i) for i in range(n, 0, -1)]
    first = recording.next_pass(0)
    assert (recording.pass_of(first), recording.pass_of(recording.next_pass(first))) == (0, 1)
    assert recording.next_pass(recording.next_pass(first)) == len(recording) - 1


def test_running_to_a_line(tree):
    model, q, v, a = tree
    recording = record(algorithms.rnea, model, q, v, a)
    source = recording.sources[0]
    line = source.first + next(k for k, text in enumerate(source.lines) if "Eq 5.9" in text)
    k = 0
    for body in range(1, len(model.bodies)):
        k = recording.to_line(k, [(0, line)])
        assert recording.moments[k].line == line and recording.moments[k].variables["i"] == body
    assert recording.to_line(k, [(0, line)]) == len(recording) - 1


RUN = record(running_sum, [1.0, 2.0, 3.0])


@given(st.lists(st.integers(-40, 40), max_size=30))
def test_steps_forward_and_back_stay_within_the_run(moves):
    recording, k = RUN, 0
    for move in moves:
        j = recording.step(k, move)
        assert 0 <= j < len(recording)
        assert j - k == move or j in (0, len(recording) - 1)
        k = j


def test_the_step_of_an_integrator_is_stepped_through_like_any_function():
    system = JointSystem(double_pendulum())
    method = RK4()
    start = method.init(system, 0.0, np.array([1.0, 0.5]), np.zeros(2))
    recording = record(method.step, system, start, 0.1, into=[method.stages])
    assert [source.name for source in recording.sources] == ["step", "stages"]
    assert_array_equal(recording.result.x, method.step(system, start, 0.1).x)
    inner = [moment for moment in recording.moments if moment.function == 1]
    assert {moment.call for moment in inner} == {1}
    assert len(inner[-1].variables["stages"]) == 4


def failing(x):
    y = x + 1
    return y / 0


def test_what_a_function_raises_is_kept_with_the_moment_it_happened_at():
    recording = record(failing, 1)
    assert isinstance(recording.fault, ZeroDivisionError) and recording.result is None
    assert recording.moments[-1].line == recording.sources[0].first + 2
    assert recording.moments[-1].variables == {"x": 1, "y": 2}


def endless():
    k = 0
    while True:
        k += 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: record(len, [1]), "is not a Python function"),
        (lambda: record(failing), "failing cannot be called like that: missing a required argument: 'x'"),
        (lambda: source_of(eval("lambda: 0")), "the source of '<lambda>' is not to be had"),
        (lambda: record(endless), "endless runs for more than"),
    ],
)
def test_what_cannot_be_stepped_through_is_refused_in_words(call, message, monkeypatch):
    monkeypatch.setattr("rbdkit.stepping.recording.MOST", 500)
    with pytest.raises(RbdkitError, match=message):
        call()


def test_a_tracer_that_was_there_is_there_again():
    import sys

    def mine(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        record(running_sum, [1.0])
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)
