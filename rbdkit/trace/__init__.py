"""The compiler: traces numerical Python code once, differentiates it, and makes fast code of it. It knows no mechanics.

Plain Python run on symbols leaves an expression graph (`graph`, `tracing`) inside a small program of loops
(`program`); emitters (`emit`) turn it into LLVM IR, Python source or WebAssembly, and `run` compiles, caches and calls
it. All numbers other than 0, 1 and -1 can be inputs of that code, so another value needs no compilation.

In the order of reading; the packages list their files in the same way::

    lines            source lines that operations were recorded from, in code that is checked
    graph            arithmetic on symbols, recorded and simplified; scalar: sine, square root, select and the like;
                     arrays: NumPy's functions on symbols
    tracing          any function as a graph; written: plain NumPy code, methods of objects too, on symbols
    dependencies     dependencies of a user's code beyond its arguments; dependency_guard: whether they are unchanged;
                     captures: the purity check
    chain_rule       exact derivatives of nodes of a graph; differentiate: of whole traces
    program          loops and switches around blocks of recorded arithmetic; order: scheduling of their operations
    feedback         functions of time and state as part of a program
    recorded         interfaces of systems and integrators that record themselves; loop: the loop over time
    straighten       programs unrolled and specialised for one model; abreast: SLP vectorisation of equal parts
    walk             interpreter of programs, which makes them part of another recording
    bounds           a proof that a program stays inside its arrays
    newton           Newton's method inside a program, for methods whose steps solve equations; unrolled: corrections
                     by exact derivatives
    emit             programs as LLVM IR, as Python source and as WebAssembly
    run              programs compiled, cached on disk, and called

Packages above import from here only, never from the files:

- ``trace(function, *shapes) -> Trace`` with ``operations()`` to count and ``simplified()``; `replay` computes a trace
  again on other numbers, or other symbols. ``python_source(trace)``, ``compile_python(trace)``.
- ``jacobian(trace, argument)``, ``gradient``, ``tangent`` and ``pullback``: derivatives of a trace, as traces;
  `tangents` and `adjoints` of nodes of a graph.
- `Program`, with `Index`, `Whole`, `Lanes`; whole numbers too are computed, written to tables (`Program.put`) and read
  again, as places and as ends of loops; arithmetic on its scalars: `sin`, `cos`, `sqrt`, `select`, `equal`,
  `maximum`, `minimum`.
- ``straightened(program, counts, tables, numbers, own) -> Program``: unrolled and specialised for known counts and
  tables.
- ``side_by_side(program, image, parts, own) -> int``: vectorises equal parts; gives the size of the array `WOVEN`, in
  which their numbers are interleaved.
- ``walked(program, arrays, tables, counts)``: interprets a program on numbers and symbols.
- ``executable(program, backend) -> Executable``: code, bound to arrays by its ``bind``; ``available()`` says which
  backend works here. ``with checked():`` code recorded inside keeps its source lines, and is checked while it runs.
- ``with unforked():`` the lock that keeps a process from forking while a thread is inside LLVM or loads a module.
- ``recalled(words)``, ``remember(words, code, number)``: the persistent code cache, by a key text that covers all that
  the code was recorded from.
- ``Feedback.of(trace)``: a traced function of (t, q, v) that a program can contain; `evaluate` computes it for many
  states.
- ``over_time(system, record)``: the loop over time, with steps of an `Integrator` that has `record`, on a `Recorded`
  system; ``run_motion(motion, every, progress) -> Run`` runs it a chunk at a time, `Company` several motions in lanes,
  `FewSteps` a few steps from many states.
- `Newton`: nonlinear equations of a step, inside a program, with `newton_arrays` for it; `eliminate`: linear ones;
  `derivatives`, `solution`: corrections of residuals without loops, in straight-line code.
- ``wasm_bytes(program or trace, ...) -> bytes``: a WebAssembly module with a function for each.
"""

from typing import TYPE_CHECKING

from rbdkit.loaded import loads_later

if TYPE_CHECKING:
    from rbdkit.trace.abreast import WOVEN, side_by_side
    from rbdkit.trace.arrays import Symbols, symbolic, symbols
    from rbdkit.trace.captures import Impure
    from rbdkit.trace.chain_rule import adjoints, slopes, tangents
    from rbdkit.trace.dependencies import Dependencies
    from rbdkit.trace.dependency_guard import Guard
    from rbdkit.trace.differentiate import gradient, jacobian, pullback, tangent
    from rbdkit.trace.elementwise import ELEMENTWISE
    from rbdkit.trace.emit import compile_python, llvm_source, python_source
    from rbdkit.trace.emit.wasm import wasm_bytes
    from rbdkit.trace.feedback import Feedback
    from rbdkit.trace.graph import Graph, Scalar, Symbol, no_words
    from rbdkit.trace.lines import checked, is_checked, users_line
    from rbdkit.trace.loop import LARGEST, LARGEST_TURN, over_time
    from rbdkit.trace.newton import MOST_CORRECTIONS, Newton, eliminate, newton_arrays, residuals_of
    from rbdkit.trace.program import ALONE, LARGEST_WHOLE, WIDE, Block, Index, Lanes, Program, Statement, Whole
    from rbdkit.trace.recorded import (
        Kept,
        Moment,
        Part,
        Record,
        Recordable,
        Recorded,
        StateArrays,
        StraightLine,
    )
    from rbdkit.trace.run.backend import Backend, Executable, available, executable, in_words, width_of
    from rbdkit.trace.run.beginning import Beginning
    from rbdkit.trace.run.company import (
        Company,
        Controller,
        Pace,
        Prepared,
        Run,
        Runnable,
        arrays_of,
        loop_arrays,
        loop_room,
        run_motion,
    )
    from rbdkit.trace.run.compile_time import compile_seconds, compiling
    from rbdkit.trace.run.feedback import evaluate
    from rbdkit.trace.run.few_steps import FewSteps
    from rbdkit.trace.run.forks import unforked
    from rbdkit.trace.run.lanes import Apart, Binder, Given, blank, woven
    from rbdkit.trace.run.remembered import recalled, remember
    from rbdkit.trace.scalar import arctan2, cos, equal, maximum, minimum, polynomial, select, sin, sqrt, whole
    from rbdkit.trace.straighten import straightened
    from rbdkit.trace.tracing import OPERATIONS, Operations, Trace, count_operations, replay, trace, with_numbers
    from rbdkit.trace.unrolled import derivatives, solution
    from rbdkit.trace.walk import walked
    from rbdkit.trace.written import Copies, roomy

_HOMES = {
    "rbdkit.trace.abreast": ["WOVEN", "side_by_side"],
    "rbdkit.trace.arrays": ["Symbols", "symbolic", "symbols"],
    "rbdkit.trace.captures": ["Impure"],
    "rbdkit.trace.chain_rule": ["adjoints", "slopes", "tangents"],
    "rbdkit.trace.dependencies": ["Dependencies"],
    "rbdkit.trace.dependency_guard": ["Guard"],
    "rbdkit.trace.differentiate": ["gradient", "jacobian", "pullback", "tangent"],
    "rbdkit.trace.elementwise": ["ELEMENTWISE"],
    "rbdkit.trace.emit": ["compile_python", "llvm_source", "python_source"],
    "rbdkit.trace.emit.wasm": ["wasm_bytes"],
    "rbdkit.trace.feedback": ["Feedback"],
    "rbdkit.trace.graph": ["Graph", "Scalar", "Symbol", "no_words"],
    "rbdkit.trace.lines": ["checked", "is_checked", "users_line"],
    "rbdkit.trace.loop": ["LARGEST", "LARGEST_TURN", "over_time"],
    "rbdkit.trace.newton": ["MOST_CORRECTIONS", "Newton", "eliminate", "newton_arrays", "residuals_of"],
    "rbdkit.trace.program": [
        "ALONE",
        "LARGEST_WHOLE",
        "WIDE",
        "Block",
        "Index",
        "Lanes",
        "Program",
        "Statement",
        "Whole",
    ],
    "rbdkit.trace.recorded": [
        "Kept",
        "Moment",
        "Part",
        "Record",
        "Recordable",
        "Recorded",
        "StateArrays",
        "StraightLine",
    ],
    "rbdkit.trace.run.backend": [
        "Backend",
        "Executable",
        "available",
        "executable",
        "in_words",
        "width_of",
    ],
    "rbdkit.trace.run.beginning": ["Beginning"],
    "rbdkit.trace.run.company": [
        "Company",
        "Controller",
        "Controller",
        "Pace",
        "Prepared",
        "Run",
        "Runnable",
        "arrays_of",
        "loop_arrays",
        "loop_room",
        "run_motion",
    ],
    "rbdkit.trace.run.compile_time": ["compile_seconds", "compiling"],
    "rbdkit.trace.run.feedback": ["evaluate"],
    "rbdkit.trace.run.few_steps": ["FewSteps"],
    "rbdkit.trace.run.forks": ["unforked"],
    "rbdkit.trace.run.lanes": ["Apart", "Binder", "Given", "blank", "woven"],
    "rbdkit.trace.run.remembered": ["recalled", "remember"],
    "rbdkit.trace.scalar": [
        "arctan2",
        "cos",
        "equal",
        "maximum",
        "minimum",
        "polynomial",
        "select",
        "sin",
        "sqrt",
        "whole",
    ],
    "rbdkit.trace.straighten": ["straightened"],
    "rbdkit.trace.tracing": [
        "OPERATIONS",
        "Operations",
        "Trace",
        "count_operations",
        "replay",
        "trace",
        "with_numbers",
    ],
    "rbdkit.trace.unrolled": ["derivatives", "solution"],
    "rbdkit.trace.walk": ["walked"],
    "rbdkit.trace.written": ["Copies", "roomy"],
}

__all__ = [
    "ALONE",
    "Apart",
    "Backend",
    "Beginning",
    "Binder",
    "Block",
    "Company",
    "Controller",
    "Copies",
    "Dependencies",
    "ELEMENTWISE",
    "Executable",
    "Feedback",
    "FewSteps",
    "Given",
    "Graph",
    "Guard",
    "Impure",
    "Index",
    "Kept",
    "LARGEST",
    "LARGEST_TURN",
    "LARGEST_WHOLE",
    "Lanes",
    "MOST_CORRECTIONS",
    "Moment",
    "Newton",
    "OPERATIONS",
    "Operations",
    "Pace",
    "Part",
    "Prepared",
    "Program",
    "Record",
    "Recordable",
    "Recorded",
    "Run",
    "Runnable",
    "Scalar",
    "StateArrays",
    "Statement",
    "StraightLine",
    "Symbol",
    "Symbols",
    "Trace",
    "WIDE",
    "WOVEN",
    "Whole",
    "adjoints",
    "arctan2",
    "arrays_of",
    "available",
    "checked",
    "compile_seconds",
    "compiling",
    "blank",
    "compile_python",
    "cos",
    "count_operations",
    "derivatives",
    "eliminate",
    "equal",
    "evaluate",
    "executable",
    "gradient",
    "in_words",
    "is_checked",
    "jacobian",
    "llvm_source",
    "loop_arrays",
    "loop_room",
    "maximum",
    "minimum",
    "newton_arrays",
    "no_words",
    "over_time",
    "polynomial",
    "pullback",
    "python_source",
    "recalled",
    "remember",
    "replay",
    "residuals_of",
    "roomy",
    "run_motion",
    "select",
    "side_by_side",
    "sin",
    "solution",
    "sqrt",
    "straightened",
    "symbolic",
    "symbols",
    "tangent",
    "slopes",
    "tangents",
    "trace",
    "unforked",
    "users_line",
    "walked",
    "wasm_bytes",
    "whole",
    "width_of",
    "with_numbers",
    "woven",
]

# A call of code that is known needs no compiler.
__getattr__, __dir__ = loads_later(__name__, _HOMES)
