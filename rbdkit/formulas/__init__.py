"""Formulas out of a model: the dynamics of rbdkit as plain code for other tools.

`export_function` records one function of a model - forward dynamics, inertia matrix, a Jacobian - as a list of
additions, multiplications, sines and cosines, in which all that is zero or known is gone, and writes the list down for

How it works: the algorithms of `rbdkit.algorithms` run once on symbols, as they do when they are compiled
(`rbdkit.trace`). What they record is the same for all targets; each target says only how it writes an addition or a
sine.
"""

from rbdkit.formulas.export_function import Target, export_function
from rbdkit.formulas.formula import Argument, Formula
from rbdkit.formulas.in_c import CSource
from rbdkit.formulas.in_python import PythonSource

__all__ = [
    "export_function",
    "Argument",
    "CSource",
    "Formula",
    "PythonSource",
    "Target",
]
