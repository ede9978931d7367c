"""Answers are read in any reasonable form, and no answer, however odd, makes a check raise."""

import inspect

import numpy as np
import pytest

import rbdkit as rbd
import rbdkit_course as course
from rbdkit.library.holzinger import MOMENTS
from rbdkit_course import answers, exercises
from rbdkit_course.verdict import Verdict

ARM = rbd.library.double_pendulum()
ARM.add_frame("tool0", "rod2", [0.0, 0.0, -1.0])
GIVEN = {  # what a check is handed besides the answer
    "period": {"pendulum": rbd.library.pendulum()},
    "longest_step": {"pendulum": rbd.library.double_pendulum(), "q0": [1.5, 0.5]},
    "equal_masses": {"moments": MOMENTS, "mass": 1.0},
    "computed_torque": {"arm": ARM, "way": rbd.path([[0.0, 0.0], [1.0, -1.0]], [0.0, 2.5])},
    "least_load": {"arm": ARM, "goal": np.eye(4)},
    "ratio": {"theirs": [2.0, 2.1], "states_theirs": 1, "ours": [1.0, 1.1], "states_ours": 1},
}


class Broken:
    """An object that raises whenever it is looked at."""

    def __repr__(self):
        raise RuntimeError("no words")

    def __array__(self, dtype=None, copy=None):
        raise ValueError("no array")

    def __len__(self):
        raise OverflowError("no length")


def failing(*arguments):
    raise KeyError("nothing here")


ODD = {
    "None": None,
    "true": True,
    "text": "lots",
    "empty text": "",
    "huge": 10**400,
    "not a number": np.nan,
    "infinite": -np.inf,
    "complex": 1.0 + 2.0j,
    "array of complex": np.full(6, 1.0j),
    "masked": np.ma.masked_all(6),
    "date": np.datetime64("2020-01-01"),
    "bytes": b"1",
    "ellipsis": ...,
    "object": object(),
    "broken": Broken(),
    "type": float,
    "module": np,
    "dictionary": {},
    "nested dictionary": {"a": {"b": 1}},
    "lists in a dictionary": {k: [[1]] for k in range(1, 7)},
    "set of objects": {None, 2, "x"},
    "empty": [],
    "ragged": [[1, 2], [3]],
    "endless": iter(int, 1),
    "texts": ["a", "b"],
    "objects": np.array([None] * 6),
    "long": np.zeros(10_000),
    "deep": [[[[[[1.0]]]]]],
    "function of nothing": lambda: 1.0,
    "function of anything": lambda *arguments: None,
    "function that is not finite": lambda *arguments: np.full(6, np.nan),
    "function that gives text": lambda *arguments: "six",
    "function that fails": failing,
    "generator": (x for x in range(3)),
}


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.name)
def test_no_answer_makes_a_check_raise(exercise):
    """By the check without what catches whatever it raises: it is to have words of its own."""
    check = exercise.judge.__wrapped__
    given = GIVEN.get(check.__name__, {})
    parameters = inspect.signature(check).parameters.values()
    asked = [p.name for p in parameters if p.default is p.empty and p.name not in given]
    given = {name: value for name, value in given.items() if name in inspect.signature(check).parameters}
    assert asked
    for kind, odd in ODD.items():
        verdict = check(**dict.fromkeys(asked, odd), **given)
        assert isinstance(verdict, Verdict) and not verdict, f"{kind}: {verdict}"
        assert verdict.why and len(verdict.why) < 600, f"{kind}: {verdict}"


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.name)
def test_nothing_else_makes_a_check_raise(exercise):
    """Also what stands beside the answer may be odd, missing or too much: somebody ran a cell too early."""
    count = len(inspect.signature(exercise.judge).parameters)
    for arguments in ([], [None] * count, [2.006] + [None] * (count - 1), [1.0] * (count + 1), [Broken()] * count):
        verdict = exercise.judge(*arguments)
        assert isinstance(verdict, Verdict), arguments
        assert verdict.exercise == exercise.name and verdict.why
    assert "pendulum" in course.first_steps.period(2.006, None).why


def leaving(*arguments):
    raise SystemExit("gone")


def test_a_function_that_leaves_does_not_take_the_check_along():
    for exercise in exercises():
        parameters = inspect.signature(exercise.judge).parameters
        if len([p for p in parameters.values() if p.default is p.empty]) == 1:
            assert not exercise.judge(leaving)


@pytest.mark.parametrize(
    "answer", [1.64, "1.64", " 1.64 ", [1.64], (1.64,), np.array(1.64), np.array([[1.64]]), "[1.64]"]
)
def test_a_number_in_any_form(answer):
    assert answers.number(answer) == 1.64


@pytest.mark.parametrize(
    "answer", [[1, 2, 3], (1.0, 2, 3), np.arange(1, 4), "1, 2, 3", ["1", "2", "3"], [[1], [2], [3]]]
)
def test_a_vector_in_any_form(answer):
    assert np.array_equal(answers.numbers(answer, 3), [1, 2, 3])
    assert answers.wholes(answer, 3) == (1, 2, 3)


@pytest.mark.parametrize("answer", [True, [True, False], 1j, np.ma.masked_all(2), "two", np.inf, [np.nan], {}, None])
def test_what_is_no_number(answer):
    assert answers.number(answer) is None and answers.numbers(answer, -1) is None


def test_a_vector_is_not_turned_into_another_shape():
    assert answers.numbers(np.eye(2), 4) is None
    assert answers.numbers(np.zeros((2, 3)), 3, 2) is None
    assert answers.numbers([1.0, 2.0], 3) is None
    assert answers.whole(2.5) is None and answers.whole("3.0") == 3


def test_the_library_cannot_do_the_work():
    def borrowed(v):
        return rbd.spatial.se3.exp(v)

    v = np.arange(6.0)
    assert answers.call(borrowed, v)[1] == ""
    assert "own exp" in answers.call(borrowed, v, own=[rbd.spatial.se3.exp])[1]
    assert answers.call(lambda x: 2 * x, 3, own=[rbd.spatial.se3.exp]) == (6, "")


def test_long_answers_are_quoted_in_brief():
    assert len(answers.brief(np.zeros((100, 100)))) <= 60
    assert answers.brief(Broken()) == "an object of type Broken"
