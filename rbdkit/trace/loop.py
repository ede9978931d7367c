"""The compiled loop over time: any `Recorded` system, stepped by any method that records its steps.

The loop has two levels: ``every`` steps between recorded states, and ``records`` recorded states in one call. A caller
calls it again and again, a chunk at a time (`rbdkit.trace.run.company`), so that progress can be shown and a user can
interrupt. Several motions may run in the lanes of wide registers; they share all control flow, so a lane whose motion
has ended stays where it is ("going" is 0) while the others go on.
"""

from __future__ import annotations

from rbdkit.trace.captures import home_of
from rbdkit.trace.newton import HISTORY
from rbdkit.trace.recorded import Part, Record, StateArrays
from rbdkit.trace.scalar import select

LARGEST = 1e100
"""Norm of a state from which on it counts as not finite; the square of a larger one may overflow."""

LARGEST_TURN = 1e8
"""Largest rotation in one step, rad; the argument reduction of compiled sines is not valid far beyond."""

X, V, X_NEW, V_NEW = Part("x"), Part("v"), Part("x_new"), Part("v_new")


def over_time(system: StateArrays, record_step: Record) -> None:
    """Record a loop of ``records * every`` steps that stores each ``every``-th state and stops before a non-finite one.

    The state is in arrays "x", "v". Step n goes from times[n] to times[n + 1]; the first one has the number "first".
    "done" counts the steps. A state that is not finite is left in "x_new", "v_new". With several lanes, one that stops
    keeps its state while others go on: its "going" is 0, else 1. Where steps solve equations (`Newton`), the history of
    the hardest solve since the last recorded state is stored with each state.
    """
    program = system.program
    homes = {home_of(kind) for kind in type(system).__mro__}
    program.of_users = not homes <= {"rbdkit", "abc", "builtins", "typing"}
    every = program.count("every")
    program.store("done", 0, 0, 0.0)
    program.store("going", 0, 0, 1.0)
    with program.loop(0, program.count("records")) as record:
        with program.loop(0, every) as k:
            record_step(system, record * every + program.count("first") + k)
            # before the new state replaces the old one, so that "x" and "v" keep the last finite state
            _leave_if_run_away(system)
            _take_over(system)
            program.store("done", 0, 0, program.load("done", 0, 0) + program.load("going", 0, 0))
        _write_down(system, Part("x_record", record * system.nx), Part("v_record", record * system.nv))
        if "hardest" in program.arrays:
            row = record * HISTORY
            with program.loop(0, HISTORY) as k:
                hardest = program.load("hardest", k)
                program.store("solve_record", row + k, 0, hardest)
                # a lane that has stopped keeps the history of the solve at which it stopped
                program.store("hardest", k, 0, select(program.load("going", 0) > 0.5, 0.0, hardest))


def _leave_if_run_away(system: StateArrays) -> None:
    """Stop unless the sum of squares of all coordinates and velocities is below `LARGEST` squared (NaN is not)."""
    program = system.program
    program.store("loop_sum", 0, 0, 0.0)
    for numbers, part in ((system.coordinates, X_NEW), (system.freedoms, V_NEW)):
        for k in numbers():
            x = part.load(program, k)
            program.store("loop_sum", 0, 0, program.load("loop_sum", 0, 0) + x * x)
    small = program.load("loop_sum", 0, 0) < LARGEST * LARGEST
    going = select(small, program.load("going", 0, 0), 0.0)
    program.store("going", 0, 0, going)
    program.leave_if(going < 0.5)


def _take_over(system: StateArrays) -> None:
    """Replace the old state by the new one, in lanes that are going."""
    program = system.program
    for numbers, new, old in ((system.coordinates, X_NEW, X), (system.freedoms, V_NEW, V)):
        for k in numbers():
            x = select(program.load("going", 0, 0) > 0.5, new.load(program, k), old.load(program, k))
            old.store(program, k, x)


def _write_down(system: StateArrays, x_record: Part, v_record: Part) -> None:
    program = system.program
    for numbers, source, target in ((system.coordinates, X, x_record), (system.freedoms, V, v_record)):
        for k in numbers():
            target.store(program, k, source.load(program, k))
