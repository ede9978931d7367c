"""Notebooks to hand out: no solution in them, numbers of one's own, and forms that other tools read."""

import ast
import doctest
import json
import random

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.accuracy import response
from rbdkit_course import exercise, exercises, featherstone, labs
from rbdkit_course.__main__ import NOTEBOOKS, main
from rbdkit_course.contents import LESSONS, lesson
from rbdkit_course.grading import assign, numbers_of, submissions
from rbdkit_course.grading.assembling import assembled, read
from rbdkit_course.grading.assigning import assigned

VARIED = [each for each in exercises() if each.numbers]


def two_rods_of(length):
    model, half = rbd.Model("two"), rbd.pose(position=[0, 0, -0.5 * length])
    rod = rbd.Inertia.cylinder(radius=0.01, length=length, mass=1.0).transformed(half)
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=rod)
    model.add_body("lower", "upper", rbd.Revolute("y"), (0, 0, -length), rod)
    return model


def screw_bears(pitch):
    T = np.eye(6)[:, [0, 1, 3, 4, 5]]
    T[2, 4] = -pitch
    return T


def home_by_quarters(radius):
    quarter, across = radius * np.pi / 2, radius * np.pi / 4
    half = [(0, quarter), (across, 0), (0, -quarter)]
    return [*half, *((-x, -y) for x, y in half)]


def with_so_many_ancestors(pairs):
    """Parents of seven bodies: each takes the deepest place that leaves one ancestor for each body after it."""
    parents, depth = [0], [0]
    left = round(pairs)
    for after in range(5, -1, -1):
        ancestors = min(max(depth) + 1, left - after)
        parents.append(depth.index(ancestors - 1) + 1)
        depth.append(ancestors)
        left -= ancestors
    return parents


def ahead(speed):
    system, pose = rbd.algorithms.to_floating_base(rbd.library.satellite_with_arm()), np.array([0.0, 0.5, 0.9])
    R = rbd.algorithms.forward_kinematics(system.tree, pose).pose("gripper")[:3, :3]
    return np.linalg.solve(R @ rbd.algorithms.floating_jacobian(system, pose, "gripper")[3:], [speed, 0.0, 0.0])


def most_harmful(percent):
    run = response(rbd.library.zigzag_chain(), rbd.library.zigzag_angles(), np.ones(6), applied=lambda tau: tau)
    return 0.01 * percent * np.linalg.norm(run.tau_d) * np.linalg.svd(run.H)[0][:, -1]


def corner_path(turn):
    angle = np.radians(turn)
    return np.array([[0, 0, 1], [1, 0, 0], [np.cos(angle / 2), np.sin(angle / 2), 0], [np.cos(angle), np.sin(angle), 0],
                     [0, 0, 1]])  # fmt: skip


BY_HAND = {
    "00-3": two_rods_of,
    "F02-1": lambda radius, speed: [0, speed / radius, 0, 0, 0, speed / radius],
    "F03-2": screw_bears,
    "F03-3": lambda at: [0, 0, 1, 0.75 / at, 1 / at, 0],
    "F03-4": home_by_quarters,
    "F04-1": lambda legs: legs - 1,
    "F04-3": lambda x, y: [x, -np.pi / 2, y, np.pi / 2],
    "F05-4": lambda mass: lambda q2: -0.5 * mass * np.sin(q2),
    "F06-1": with_so_many_ancestors,
    "F08-1": lambda N: (2 * N + 1, 5 * N, 2 * N),
    "F08-3": lambda rocker: np.degrees(np.arccos((0.4**2 + 0.7**2 - rocker**2) / (2 * 0.4 * 0.7))),
    "F09-5": ahead,
    "F09b-1": lambda ratio: [[1, 0], [0, 1], [ratio, ratio], [ratio, -ratio]],
    "F09b-3": lambda radius: lambda y, yd: -radius * np.sin(y) * yd**2,
    "F10-2": most_harmful,
    "GR01-1": lambda turn: np.arccos(1 - turn / 360),
    "GR01-2": corner_path,
    "01-4": lambda sinks: 9.81 / sinks,
    "02-1": lambda swings: 0.42 * 0.18 * (9.81 * (swings / 10 / (2 * np.pi)) ** 2 - 0.18),
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
        assert any(f", {number.name}={own[number.name]}{end}" in text for end in ",)")


def test_two_dozen_exercises_have_numbers_of_ones_own():
    assert len(VARIED) >= 24 and len({each.lesson for each in VARIED}) >= 12


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
    assert len({cell["metadata"]["nbgrader"]["grade_id"] for cell in marked}) == len(marked) == 12
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


@pytest.mark.parametrize("name", ["../../x", "..", ".", "", "/tmp/x", "a/b", "a\\b", "a\0b"])
@pytest.mark.parametrize("job", [["assign", "F11"], ["exam", "F02-1"]])
def test_no_name_leads_out_of_the_folder(job, name, tmp_path, capsys):
    """Nothing is written then, for nobody."""
    out = tmp_path / "deep" / "out"
    with pytest.raises(SystemExit):
        main([*job, "--out", str(out), "--students", "Ada", name, "--seed", "word"])
    assert "the name of no folder of a student's own" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("job", [["assign", "F11"], ["exam", "F02-1", "--students", "Ada", "--seed", "word"]])
def test_without_the_notebooks_of_the_course_it_is_said_where_they_were_looked_for(job, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([*job, "--out", str(tmp_path / "out"), "--notebooks", str(tmp_path / "nowhere")])
    assert "nowhere" in capsys.readouterr().err
