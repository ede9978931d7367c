"""Formulas out of a model: the dynamics of rbdkit as plain code for other tools.

`export_function` records one function of a model - forward dynamics, inertia matrix, a Jacobian - as a list of
additions, multiplications, sines and cosines, in which all that is zero or known is gone, and writes the list down for
SymPy, CasADi, JAX, PyTorch, C or plain Python. Chosen parameters of the model become arguments. `equations` shows the
equations of motion of a small mechanism as a textbook has them.

How it works: the algorithms of `rbdkit.algorithms` run once on symbols, as they do when they are compiled
(`rbdkit.trace`). What they record is the same for all targets; each target says only how it writes an addition or a
sine.
"""

from rbdkit.formulas.equations import Equations, equations
from rbdkit.formulas.export_function import Target, export_function
from rbdkit.formulas.formula import Argument, Formula
from rbdkit.formulas.in_c import CSource
from rbdkit.formulas.in_python import PythonSource
from rbdkit.formulas.in_sympy import SympyFunction

__all__ = [
    "export_function",
    "equations",
    "Argument",
    "CSource",
    "Equations",
    "Formula",
    "PythonSource",
    "SympyFunction",
    "Target",
]
