"""The course: notebooks, exercises with checks that accept any right answer and explain a wrong one, and a reference.

`contents` is the table of all notebooks, `exercise_texts` has hints and solutions; ``rbdkit-course headers``
writes headers, footers and hints of the notebooks from both. The checks of each notebook, or of all notebooks on one
source, are in one module. `errata` lists misprints of the sources, each with a check of its own. `labs` checks the
algorithms that students write.
"""

from rbdkit_course import (
    control,
    errata,
    featherstone,
    first_steps,
    gebhardt_romero,
    holzinger,
    identification,
    labs,
    mueller_terze,
    one_table,
    own_robot,
    progress,
    reading_benchmarks,
    robots,
    step_promises,
    sueda,
    sueda_parts,
    workbench,
)
from rbdkit_course.catalogue import Exercise, exercise, exercises
from rbdkit_course.checks import checks
from rbdkit_course.contents import LESSONS, TRACKS, Lesson, Track
from rbdkit_course.formula_index import formulas
from rbdkit_course.lists import exercise_list, gallery
from rbdkit_course.map import course_map, done
from rbdkit_course.verdict import Verdict

__all__ = [
    "LESSONS",
    "TRACKS",
    "Exercise",
    "Lesson",
    "Track",
    "Verdict",
    "checks",
    "control",
    "course_map",
    "done",
    "errata",
    "exercise",
    "exercise_list",
    "exercises",
    "featherstone",
    "first_steps",
    "formulas",
    "gallery",
    "gebhardt_romero",
    "holzinger",
    "identification",
    "labs",
    "mueller_terze",
    "one_table",
    "own_robot",
    "progress",
    "reading_benchmarks",
    "robots",
    "step_promises",
    "sueda",
    "sueda_parts",
    "workbench",
]
