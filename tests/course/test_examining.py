"""Exams: exercises of several notebooks, variants by everybody's own numbers, nothing that helps, and their grading."""

import json

import numpy as np
import pytest

from rbdkit_course import exercise
from rbdkit_course.__main__ import NOTEBOOKS, main
from rbdkit_course.grading import assembled_exam, exam, grade, numbers_of
from rbdkit_course.grading.assembling import read

ASKED = ("F02-1", "F04-1", "F04-2", "F11-4")
CHOSEN = [exercise(name) for name in ASKED]


def text_of(notebook):
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"])


def answered(notebook, answers):
    """The exam with answers in its cells."""
    for cell in notebook["cells"]:
        for tag in cell["metadata"].get("tags", ()):
            if tag.partition(":")[2] in answers:
                cell["source"] = [answers[tag.partition(":")[2]]]
    return notebook


def test_an_exam_asks_and_does_not_help():
    own = exam(NOTEBOOKS, CHOSEN, "Ada", "word")
    text = text_of(own)
    tags = [tag for cell in own["cells"] for tag in cell["metadata"].get("tags", ())]
    assert tags == [f"exercise:{name}" for name in ASKED]
    for each in CHOSEN:
        assert each.check.rpartition(".")[2] not in text
        assert not any(hint in text for hint in each.hints) and each.solution.strip() not in text
        for number in each.numbers:
            assert number.said(numbers_of(each, "Ada", "word")[number.name]) in text
    assert f"{sum(each.stars for each in CHOSEN)} points" in text and "**Ada**" in text
    assert "from rbdkit_course.featherstone import" in text
    assert len({cell["id"] for cell in own["cells"]}) == len(own["cells"])


def test_everybody_has_another_variant():
    assert len({text_of(exam(NOTEBOOKS, CHOSEN, name, "word")) for name in ("Ada", "Bob", "Cyd")}) == 3
    assert exam(NOTEBOOKS, CHOSEN, "Ada", "word") == exam(NOTEBOOKS, CHOSEN, "Ada", "word")


def test_each_notebook_runs_with_the_answers_that_belong_to_it():
    handed_in = answered(exam(NOTEBOOKS, CHOSEN, "Ada", "word"), {"F04-1": "my_loops = 5"})
    of_2, of_4, of_11 = assembled_exam(NOTEBOOKS, CHOSEN, handed_in)
    checks = [[step.exercise.name for step in steps if step.kind == "check"] for steps in (of_2, of_4, of_11)]
    assert checks == [["F02-1"], ["F04-1", "F04-2"], ["F11-4"]]
    assert next(step.code for step in of_4 if step.kind == "student" and step.exercise) == "my_loops = 5"


def test_the_program_writes_exams_and_names_what_it_cannot(tmp_path, capsys):
    assert main(["exam", *ASKED, "--out", str(tmp_path), "--students", "Ada", "Bob", "--seed", "word"]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / name / "exam.ipynb") for name in ("Ada", "Bob")]
    with pytest.raises(SystemExit):
        main(["exam", "F99-1", "--out", str(tmp_path), "--students", "Ada", "--seed", "word"])
    assert "no exercise 'F99-1'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["grade", str(tmp_path), "--out", str(tmp_path / "grades.csv"), "--exam", *ASKED])
    assert "--seed" in capsys.readouterr().err


@pytest.mark.slow
def test_an_exam_is_graded_by_everybodys_own_numbers(tmp_path):
    """Ada's angle is right for Ada alone: Bob, who wrote the same, earns nothing for it."""
    slope = exercise("F11-4")
    short = read(NOTEBOOKS / "featherstone" / "11_contact.ipynb")  # its first cell and this exercise
    code = [cell for cell in short["cells"] if cell["cell_type"] == "code"]
    own_cells = [cell for cell in code if any(tag.endswith("F11-4") for tag in cell["metadata"].get("tags", ()))]
    first = code[0] | {"source": [line for line in code[0]["source"] if "import" in line]}
    course = tmp_path / "course" / "featherstone" / "11_contact.ipynb"
    course.parent.mkdir(parents=True)
    course.write_text(json.dumps({**short, "cells": [first, *own_cells]}), encoding="utf-8")
    angle = float(np.degrees(np.arctan(numbers_of(slope, "Ada", "word")["mu"])))
    for student in ("Ada", "Bob"):
        own = answered(exam(NOTEBOOKS, [slope], student, "word"), {"F11-4": f"my_angle = {angle}"})
        file = tmp_path / "exam" / student / "exam.ipynb"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(own), encoding="utf-8")
    table = tmp_path / "grades.csv"
    grades = grade(tmp_path / "exam", table, tmp_path / "course", seed="word", say=lambda _: None, chosen=[slope])
    assert [each.points for each in grades["Ada"]] == [1] and [each.points for each in grades["Bob"]] == [0]
    assert table.read_text(encoding="utf-8").startswith("student,points,possible,trouble,tampering,F11-4")
