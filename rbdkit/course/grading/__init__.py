"""Grading: notebooks handed in are run, each in a kernel of its own, and judged by the checks of this installation.

`assembling` puts answers into the notebooks of this course, `session` is what happens in the kernel, `running` drives
it, `table` is what comes of it; `assigning` is what was handed out, `examining` what is asked in exams.
"""

from rbdkit.course.grading.assembling import Step, Submission, assembled, submissions
from rbdkit.course.grading.assigning import assign, assigned, numbers_of
from rbdkit.course.grading.examining import assembled_exam, exam, exams
from rbdkit.course.grading.running import Grade, grade_notebook
from rbdkit.course.grading.table import grade

__all__ = [
    "Grade",
    "Step",
    "Submission",
    "assembled",
    "assembled_exam",
    "assign",
    "assigned",
    "exam",
    "exams",
    "grade",
    "grade_notebook",
    "numbers_of",
    "submissions",
]
