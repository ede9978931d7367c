"""Command of the course: ``rbdkit-course start``, ``grade in/ --out grades.csv``, ``publish --out site`` and others."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rbdkit_course import headers
from rbdkit_course.catalogue import exercise
from rbdkit_course.contents import lesson
from rbdkit_course.grading import assign, exams, grade
from rbdkit_course.grading.assigning import TOOLS
from rbdkit_course.publishing import publish
from rbdkit_course.starting import notebooks_folder, start

NOTEBOOKS = notebooks_folder()


def main(arguments: list[str] | None = None) -> int:
    """Do one of the jobs, named by the first argument."""
    parser = argparse.ArgumentParser(prog="rbdkit-course", description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    starting = jobs.add_parser("start", help="open the notebooks in JupyterLab, in a folder of your own")
    starting.add_argument(
        "--folder", type=Path, default=Path("rbdkit-course"), help="where they are copied (rbdkit-course)"
    )
    writing = jobs.add_parser("headers", help="write headers, footers and hints of the notebooks from the table")
    writing.add_argument("folder", nargs="?", type=Path, default=NOTEBOOKS, help="where the notebooks lie")
    grading = jobs.add_parser("grade", help="run the notebooks that students handed in, and judge their answers")
    grading.add_argument("folder", type=Path, help="with a folder a student, or a file a student")
    grading.add_argument("--out", type=Path, required=True, help="the table to write, CSV")
    grading.add_argument("--seconds", type=float, default=60.0, help="time for each cell (60)")
    grading.add_argument("--strict", action="store_true", help="functions that are a student's to write raise")
    grading.add_argument("--notebooks", type=Path, default=NOTEBOOKS, help="the notebooks of the course")
    grading.add_argument("--seed", default="", help="the word with which students' own numbers were drawn")
    grading.add_argument("--exam", nargs="+", default=[], metavar="EXERCISE", help="what was asked, if it is an exam")
    examining = jobs.add_parser("exam", help="write an exam for every student: exercises, without hints and checks")
    examining.add_argument("exercises", nargs="+", help="their names, such as F02-1")
    examining.add_argument("--out", type=Path, required=True, help="a folder")
    examining.add_argument("--students", nargs="+", required=True, help="one for each of these")
    examining.add_argument("--seed", required=True, help="a word of yours, with which numbers of their own are drawn")
    examining.add_argument("--notebooks", type=Path, default=NOTEBOOKS, help="the notebooks of the course")
    assigning = jobs.add_parser("assign", help="write a notebook to hand out, without solutions")
    assigning.add_argument("lesson", help="its name, such as F05")
    assigning.add_argument("--out", type=Path, required=True, help="a folder")
    assigning.add_argument("--students", nargs="*", default=[], help="one for each of these, with numbers of their own")
    assigning.add_argument("--seed", default="", help="a word of yours, with which the numbers are drawn")
    assigning.add_argument("--tool", choices=TOOLS, default="", help="in the form of this tool")
    assigning.add_argument("--no-hints", action="store_true", help="without hints, too")
    assigning.add_argument("--notebooks", type=Path, default=NOTEBOOKS, help="the notebooks of the course")
    publishing = jobs.add_parser("publish", help="execute the notebooks and write them as linked HTML pages")
    publishing.add_argument("--out", type=Path, required=True, help="a folder")
    publishing.add_argument("--only", nargs="*", default=[], metavar="FILE", help="such as labs/A, without ending")
    publishing.add_argument("--seconds", type=float, default=600.0, help="time for each cell (600)")
    publishing.add_argument("--mathjax", default="", help="address of MathJax, if pages are not to have MathML")
    publishing.add_argument("--notebooks", type=Path, default=NOTEBOOKS, help="the notebooks of the course")
    chosen = parser.parse_args(arguments)
    if chosen.job == "start":
        try:
            return start(chosen.folder)
        except (FileExistsError, ModuleNotFoundError) as fault:
            parser.error(str(fault))
    if chosen.job == "publish":
        try:
            for file in publish(chosen.notebooks, chosen.out, chosen.only, chosen.seconds, chosen.mathjax):
                print(file, flush=True)
        except (FileNotFoundError, RuntimeError) as fault:
            parser.error(str(fault))
        return 0
    if chosen.job == "assign":
        if chosen.students and not chosen.seed:
            parser.error("numbers of students' own need a --seed; grade by the same")
        if chosen.students and chosen.tool == "nbgrader":
            parser.error("nbgrader makes everybody's notebook from one source: leave --students and --seed out")
        try:
            this = lesson(chosen.lesson)
        except LookupError as fault:
            parser.error(str(fault))
        hints = not chosen.no_hints
        try:
            for file in assign(chosen.notebooks, this, chosen.out, chosen.students, chosen.seed, chosen.tool, hints):
                print(file)
        except (FileNotFoundError, ValueError) as fault:
            parser.error(str(fault))
        return 0
    if chosen.job == "exam":
        try:
            asked = [exercise(name) for name in chosen.exercises]
            for file in exams(chosen.notebooks, asked, chosen.out, chosen.students, chosen.seed):
                print(file)
        except (FileNotFoundError, LookupError, ValueError) as fault:
            parser.error(str(fault))
        return 0
    if chosen.job == "grade":
        if chosen.exam and not chosen.seed:
            parser.error("the numbers of an exam were drawn with a --seed; grade by the same")
        try:
            asked = [exercise(name) for name in chosen.exam]
            grade(chosen.folder, chosen.out, chosen.notebooks, chosen.seconds, chosen.strict, chosen.seed, chosen=asked)
        except (FileNotFoundError, LookupError) as fault:
            parser.error(str(fault))
        return 0
    for file in headers.write(chosen.folder):
        print(f"{file.relative_to(chosen.folder)} is up to date now")
    return 0


if __name__ == "__main__":
    sys.exit(main())
