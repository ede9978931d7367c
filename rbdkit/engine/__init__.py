"""One traced source, fast everywhere: how rbdkit computes when speed matters.

The algorithms are written once, as plain Python on scalars and three-vectors (`steps`). Run on symbols, they leave an
expression graph (`graph`, `trace`) inside a small program of loops (`program`); emitters (`emit`) turn it into LLVM IR
or Python source, and `run` compiles, keeps and calls it. All numbers of a model are inputs of that code: another mass,
length or gravity compiles nothing. (A joint's first rotor, or a ball joint's first spring, makes a new kind of link,
which is compiled once.)

From a model to a result, in the order of reading::

    links      a Model as a chain of links with simple joints about z, and its numbers in arrays
    steps      vectors, joints, trees and the algorithms: rnea, aba, crba, kinematics, energy, stepping
    program    loops and switches around blocks of recorded arithmetic; graph: the arithmetic; trace: of any function
    emit       programs as LLVM IR and as Python source
    run        recipes (program by program), native and interpreted code, the cache on disk, Kernels, simulate

Two forms are made of each algorithm. A loop over links serves every model with the same kinds of joints. Straight-line
code, in which zeros and ones of the placements have disappeared, is made for models of few links when a call has many
states to compute.

What the rest of rbdkit uses:

- ``backend(model) -> (name, why)``: 'llvm', 'python', or 'book' if there are no kernels for the model.
- ``kernels_for(model) -> Kernels | None``: rnea, aba, forward_dynamics, crba, forward_kinematics, energy for one state
  or a stack, in float64, unchecked.
- ``simulate(kernels, q, v, times, method, tau, ...) -> Run``: the loop over time, compiled.
- ``operations(model, algorithm) -> Operations``: what an algorithm costs on a model, counted.
- ``trace(function, *shapes) -> Trace`` with ``operations()`` to count, ``simplified()``, and ``python_source(trace)``.
"""

from rbdkit.engine.emit import compile_python, llvm_source, python_source
from rbdkit.engine.links import NotCovered
from rbdkit.engine.run.backend import Backend
from rbdkit.engine.run.counting import operations
from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.lookup import backend, kernels_for
from rbdkit.engine.run.simulation import Run, Tableau, simulate
from rbdkit.engine.scalar import equal, select
from rbdkit.engine.trace import Operations, Trace, trace

__all__ = [
    "Backend",
    "Kernels",
    "NotCovered",
    "Operations",
    "Run",
    "Tableau",
    "Trace",
    "backend",
    "compile_python",
    "equal",
    "kernels_for",
    "llvm_source",
    "operations",
    "python_source",
    "select",
    "simulate",
    "trace",
]
