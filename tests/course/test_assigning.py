"""Notebooks to hand out: no solution in them, numbers of one's own, and forms that other tools read."""

import ast
import doctest
import json
import random

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.course import exercise, exercises, featherstone, labs
from rbdkit.course.__main__ import NOTEBOOKS, main
from rbdkit.course.contents import LESSONS, lesson
from rbdkit.course.grading import assign, numbers_of, submissions
from rbdkit.course.grading.assembling import assembled, read
from rbdkit.course.grading.assigning import assigned

VARIED = [each for each in exercises() if each.numbers]
BY_HAND = {
    "01-4": lambda sinks: 9.81 / sinks,
    "F04-5": lambda spin: np.exp(250 * np.log1p((0.01 * spin) ** 2)),
    "F07-1": lambda cylinder: 2 / (1 / (2 + cylinder) + 1 / 2),
    "F07b-4": lambda ball: ball * 9.81 * 0.5,
    "F09-3": lambda length: np.sqrt(2 * 9.81 * 2 * length / 3) / 0.015,
    "F09b-2": lambda load: 100 * np.sqrt(load),
    "F11-4": lambda mu: np.degrees(np.arctan2(mu, 1)),
}


def text_of(notebook):
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"])


@pytest.mark.parametrize("each", VARIED, ids=lambda each: each.name)
def test_any_numbers_have_their_answer(each):
    rng = random.Random(1)
    for _ in range(5):
        own = numbers_of(each, str(rng.random()), "seed")
        assert each.judge(BY_HAND[each.name](**own), **own)
        for number in each.numbers:
            assert number.low <= own[number.name] <= number.high
        usual = {number.name: number.usual for number in each.numbers}
        if max(abs(own[name] / usual[name] - 1) for name in own) > 0.2:
            assert not each.judge(BY_HAND[each.name](**usual), **own)
    assert each.judge(BY_HAND[each.name](**usual)), "the usual numbers are not those of the check"


@pytest.mark.parametrize("each", VARIED, ids=lambda each: each.name)
def test_numbers_stand_in_the_text_and_in_the_check(each):
    this = lesson(each.lesson)
    course = read(NOTEBOOKS / f"{this.file}.ipynb")
    own = numbers_of(each, "Ada", "seed")
    text = text_of(assigned(course, this, {each.name: own}))
    for number in each.numbers:
        assert number.said(number.usual) in text_of(course)
        assert number.said(own[number.name]) in text and number.said(number.usual) not in text
        assert f", {number.name}={own[number.name]})" in text


def test_numbers_are_a_students_own_and_stay():
    each = exercise("F11-4")
    assert numbers_of(each, "Ada", "a") == numbers_of(each, "Ada", "a")
    others = {numbers_of(each, name, seed)["mu"] for name in ("Ada", "Bob", "Cyd", "Dot") for seed in "ab"}
    assert len(others) > 5
    assert numbers_of(exercise("F11-1"), "Ada", "a") == {}


@pytest.mark.parametrize("this", [each for each in LESSONS if exercises(each.name)], ids=lambda each: each.name)
@pytest.mark.parametrize("hints", [True, False])
def test_no_solution_is_handed_out(this, hints):
    course = read(NOTEBOOKS / f"{this.file}.ipynb")
    notebook = assigned(course, this, {}, hints=hints)
    text = text_of(notebook)
    assert "the solution" in text_of(course)
    assert "<summary>the solution" not in text and text.count("<details>") == text.count("</details>")
    for each in exercises(this.name):
        assert (each.hints[2] in text) == hints
        assert each.solution.strip() not in text
    steps = [list(assembled(course, handed, this)) for handed in (course, notebook)]
    assert [(s.kind, s.code) for s in steps[0]] == [(s.kind, s.code) for s in steps[1]]


def test_nbgrader_sees_answers_and_locked_tests():
    this = lesson("F05")
    course = read(NOTEBOOKS / f"{this.file}.ipynb")
    starts = {cell["id"]: "".join(cell["source"]) for cell in course["cells"]}
    notebook = assigned(course, this, {}, "nbgrader")
    marked = [cell for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
    assert len({cell["metadata"]["nbgrader"]["grade_id"] for cell in marked}) == len(marked) == 10
    for answer, check in zip(marked[::2], marked[1::2], strict=True):
        assert answer["metadata"]["nbgrader"]["solution"] and not answer["metadata"]["nbgrader"]["locked"]
        about = check["metadata"]["nbgrader"]
        assert about["grade"] and about["locked"] and about["points"] == exercise(about["grade_id"][6:]).stars
        assert "assert verdict, verdict.why" in "".join(check["source"])
        source = "".join(answer["source"])
        start, _, rest = source.partition("### BEGIN SOLUTION\n")
        assert start.rstrip() == starts[answer["id"]].rstrip()  # stays when solutions are taken out
        assert rest == f"{exercise(about['grade_id'][6:]).solution.strip()}\n### END SOLUTION"
        ast.parse(source)
        ast.parse("".join(check["source"]))


@pytest.mark.parametrize("name", ["F11-4", "LF-1"])
def test_otter_runs_the_checks_and_shows_their_reasons(name, tmp_path):
    """What otter does with a test file: it asks for its form, then runs the only suite as a doctest in the notebook."""
    this = lesson(name.partition("-")[0])
    list(assign(NOTEBOOKS, this, tmp_path, [], "", "otter"))
    file: dict = {}
    exec((tmp_path / "tests" / f"{name}.py").read_text(encoding="utf-8"), file)
    assert file["OK_FORMAT"] is True and len(file["test"]["suites"]) == 1
    suite = file["test"]["suites"][0]
    assert suite["type"] == "doctest" and not suite["setup"] and not suite["teardown"]
    each, course = exercise(name), read(NOTEBOOKS / f"{this.file}.ipynb")
    (start,) = ("".join(c["source"]) for c in course["cells"] if f"exercise:{name}" in c["metadata"].get("tags", ()))
    for answer, right in ((start, False), (each.solution, True)):
        space: dict = {"rbd": rbd, "np": np, "chapter_11": featherstone.chapter_11, "lab": labs.contact}
        exec(answer, space)
        (case,) = suite["cases"]
        test = doctest.DocTestParser().get_doctest(case["code"], space, name, None, None)
        told: list[str] = []
        assert (doctest.DocTestRunner(verbose=False).run(test, out=told.append).failed == 0) is right
        assert right or "✗ not yet" in "".join(told)


def test_a_class_gets_its_notebooks(tmp_path, capsys):
    command = ["assign", "F11", "--out", str(tmp_path), "--students", "Ada", "Bob", "--tool", "otter"]
    with pytest.raises(SystemExit):
        main(command)
    assert "need a --seed" in capsys.readouterr().err
    assert main([*command, "--seed", "word"]) == 0
    assert [each.student for each in submissions(tmp_path)] == ["Ada", "Bob"]
    for student in ("Ada", "Bob"):
        space: dict = {}
        exec((tmp_path / student / "tests" / "F11-4.py").read_text(), space)
        mu = numbers_of(exercise("F11-4"), student, "word")["mu"]
        assert space["test"]["points"] == 1
        case = space["test"]["suites"][0]["cases"][0]
        assert case["code"].startswith(f">>> verdict = chapter_11.slope_angle(my_angle, mu={mu})\n")
        text = text_of(json.loads((tmp_path / student / "11_contact.ipynb").read_text(encoding="utf-8")))
        assert 'grader.check("F11-4")' in text and f"$\\mu = {mu:g}$ lies" in text
    with pytest.raises(SystemExit):
        main(["assign", "F11", "--out", str(tmp_path), "--students", "Ada", "--seed", "word", "--tool", "nbgrader"])
    assert "from one source" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["assign", "F99", "--out", str(tmp_path)])
    assert "no notebook 'F99'" in capsys.readouterr().err
