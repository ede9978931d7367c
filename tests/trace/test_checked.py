"""Checked programs: what is planted wrong is named by its array, the number and the line that recorded it."""

import inspect
import linecache
import traceback

import numpy as np
import pytest

from rbdkit.errors import CheckError
from rbdkit.trace import Program, checked, compile_python, executable, python_source, sqrt, trace


def squares(program, reach, read="x", divisor=1.0):
    """y[k] = x[k + reach]^2 / divisor."""
    with program.loop(0, program.count("n")) as k:
        x = program.load(read, k + reach)
        program.store("y", k, 0, x * x / divisor)


FIRST = inspect.getsourcelines(squares)[1]
READ, WRITTEN = FIRST + 3, FIRST + 4
"""Lines of the function."""


def run(record, **room):
    """Record, bind to x = (1, 2, 3), y (3,), and run."""
    with checked():
        program = Program("planted")
        record(program)
    x, y = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    executable(program, "checked").binder({}, room, {"n": 3})({"x": x, "y": y}, {})()
    return y


def test_sound_code_gives_what_it_gives_elsewhere():
    assert run(lambda program: squares(program, 0)).tolist() == [1.0, 4.0, 9.0]


def test_an_index_behind_the_end_names_array_and_line():
    with pytest.raises(CheckError, match=r"x\[3\] is read, and there is x\[0\] to x\[2\]") as caught:
        run(lambda program: squares(program, 1))
    assert (caught.value.array, caught.value.index) == ("x", 3)
    assert (caught.value.line.file, caught.value.line.number) == (__file__, READ)
    assert f'File "{__file__}", line {READ}, in squares\n    x = program.load' in str(caught.value)


def test_an_index_before_the_beginning_is_no_python_index():
    with pytest.raises(CheckError, match=r"x\[-1\] is read"):
        run(lambda program: squares(program, -1))


def test_what_is_written_beside_an_array_is_named():
    def record(program):
        program.store("y", 0, 3, program.load("x", 0))

    with pytest.raises(CheckError, match=r"y\[3\] is written, and there is y\[0\] to y\[2\]") as caught:
        run(record)
    assert caught.value.line.function == "record"


def test_what_was_never_written_is_named_and_what_was_is_read():
    def record(program):
        program.store("room", 0, 0, program.load("x", 0))
        squares(program, 0, read="room")

    with pytest.raises(CheckError, match=r"room\[1\] is read before anything was written there") as caught:
        run(record, room=3)
    assert caught.value.line.number == READ


def test_room_that_begins_with_zeros_may_be_read():
    def record(program):
        program.zeros.add("room")
        squares(program, 0, read="room")

    assert run(record, room=3).tolist() == [0.0, 0.0, 0.0]


def test_zero_by_zero_is_named_where_it_is_divided_and_not_where_it_is_stored():
    def record(program):
        zero = program.load("x", 0) - 1.0
        quotient = zero / zero
        program.store("y", 0, 0, quotient * 2.0 + 1.0)

    with pytest.raises(CheckError, match=r"y\[0\] becomes nan, of 0.0 / 0.0") as caught:
        run(record)
    assert linecache.getline(__file__, caught.value.line.number).strip() == "quotient = zero / zero"


def test_a_branch_that_is_not_taken_may_be_no_number():
    from rbdkit.trace import select

    def record(program):
        x = program.load("x", 0) - 2.0
        program.store("y", 0, 0, select(x < 0.0, x, sqrt(x)))

    assert run(record)[0] == -1.0


def test_an_overflow_is_named_and_infinity_that_is_meant_is_kept():
    def record(program, factor):
        program.store("y", 0, 0, program.load("x", 0) * factor)
        program.store("y", 0, 1, float("inf"))

    assert run(lambda program: record(program, 1.0))[1] == np.inf
    with pytest.raises(CheckError, match=r"y\[0\] becomes inf, of .* / 0.0"):
        run(lambda program: record(program, 1.0 / (program.load("x", 0) - 1.0)))


def test_nan_that_is_given_is_named_where_it_is_read():
    with checked():
        program = Program("planted")
        squares(program, 0)
    bound = executable(program, "checked").bind({"x": np.array([np.nan]), "y": np.zeros(1)}, {"n": 1})
    with pytest.raises(CheckError, match=r"x\[0\] is read, and is nan"):
        bound()


def test_a_wrong_place_in_a_table_is_named():
    def record(program):
        place = program.entry("places", program.count("n"))
        program.store("y", place, 0, 1.0)

    with checked():
        program = Program("planted")
        record(program)
    bound = executable(program, "checked").bind({"places": np.arange(3), "y": np.zeros(3)}, {"n": 3})
    with pytest.raises(CheckError, match=r"places\[3\] is read") as caught:
        bound()
    assert caught.value.line.function == "record"


def test_a_traced_function_keeps_its_lines_when_it_is_recorded_again():
    def law(x):
        y = x - x
        return y / y

    with checked():
        program = trace(law, (), names=("x",)).program()
    bound = executable(program, "checked").bind({"x": np.ones(1), "result": np.zeros(1)}, {})
    with pytest.raises(CheckError) as caught:
        bound()
    assert caught.value.line.function == "law"


def test_lines_are_kept_with_checked_code_alone():
    program = Program("plain")
    squares(program, 0)
    assert program.lines is None and "#" not in python_source(program)
    with checked():
        program = Program("plain")
        squares(program, 0)
    assert f"# test_checked.py:{READ}" in python_source(program)


def test_generated_code_stands_in_tracebacks_as_long_as_it_lives():
    program = Program("quotient")
    program.store("y", 0, 0, program.load("x", 4))
    function = compile_python(python_source(program), "quotient")
    try:
        function([1.0], [0.0])
    except IndexError as fault:
        shown, file = traceback.format_exc(), function.__code__.co_filename
        fault.__traceback__ = None
    assert "x1 = x[4]" in shown and file in linecache.cache
    linecache.checkcache()
    assert linecache.getline(file, 2).strip() == "x1 = x[4]"
    del function
    assert file not in linecache.cache
