"""Checks of the exercises, one file a notebook: they accept any right answer and explain a wrong one.

`errata` has the misprints of the sources, each with a check of its own.
"""

from rbdkit.course import (
    errata,
    featherstone,
    first_steps,
    gebhardt_romero,
    holzinger,
    mueller_terze,
    reading_benchmarks,
    sueda_parts,
    workbench,
)
from rbdkit.course.verdict import Verdict

__all__ = [
    "Verdict",
    "errata",
    "featherstone",
    "first_steps",
    "gebhardt_romero",
    "holzinger",
    "mueller_terze",
    "reading_benchmarks",
    "sueda_parts",
    "workbench",
]
