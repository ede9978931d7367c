"""Checks of the exercises, one file a notebook: they accept any right answer and explain a wrong one."""

from rbdkit.course import first_steps, gebhardt_romero, holzinger, mueller_terze, reading_benchmarks, workbench
from rbdkit.course.verdict import Verdict

__all__ = ["Verdict", "first_steps", "gebhardt_romero", "holzinger", "mueller_terze", "reading_benchmarks", "workbench"]
