"""Grading: notebooks handed in are run, each in a kernel of its own, and judged by the checks of this installation.

`assembling` puts students' answers into the notebooks of this course, `running` starts a kernel and sends it the code,
`session` runs inside that kernel, `table` writes the grades. `assigning` writes the notebooks to hand out, `examining`
writes exams.
"""

from rbdkit_course.grading.assembling import Step, Submission, assembled, submissions
from rbdkit_course.grading.assigning import assign, assigned, numbers_of
from rbdkit_course.grading.examining import assembled_exam, exam, exams
from rbdkit_course.grading.running import Grade, grade_notebook
from rbdkit_course.grading.table import grade

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
