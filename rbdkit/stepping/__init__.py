"""Run a function line by line and keep its variables: the basis of the widget that steps through algorithms.

`record` runs the very function that computes, under Python's own line tracer, and keeps the variables at every line. A
`Recording` can then be traversed in both directions: by line, by body, by pass, to a line. `marks` finds among the
variables what can be drawn. A `Walk` goes through the steps of an integrator and the stages inside them. Nothing here
knows an algorithm or an integrator: one that is added later works without a change.
"""

from rbdkit.stepping.marks import Marks, marks_of
from rbdkit.stepping.recording import Moment, Recording, record
from rbdkit.stepping.snapshot import Change, changes
from rbdkit.stepping.source import Source, source_of
from rbdkit.stepping.text import text_of
from rbdkit.stepping.walk import Place, Walk

__all__ = [
    "Change",
    "Marks",
    "Moment",
    "Place",
    "Recording",
    "Source",
    "Walk",
    "changes",
    "marks_of",
    "record",
    "source_of",
    "text_of",
]
