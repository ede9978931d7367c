"""Notebooks that were handed in are judged by the teacher's checks, whatever is in them."""

import csv
import json
import os
import sys
from types import FunctionType

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.spatial.rates import classical_acceleration
from rbdkit_course import exercise, exercises
from rbdkit_course.__main__ import NOTEBOOKS, main
from rbdkit_course.contents import LESSONS
from rbdkit_course.grading import Step, assembled, grade_notebook, running, submissions
from rbdkit_course.grading import session as grading_session
from rbdkit_course.grading.assembling import arguments, lesson_of, read

GUARD = "1200"
"""Seconds for a cell, which none here takes on any machine."""
START = {  # a short course: three exercises of the first notebook, and two of others for what strict means
    "00-1": ("my_period = 1.0", "course.first_steps.period(my_period, model)"),
    "00-3": ('my_model = rbd.Model("two rods")', "course.first_steps.two_rods(my_model)"),
    "00-2": ("my_step = 1e-3", "course.first_steps.longest_step(my_step, double, start_pose)"),
}
GIVEN = """import numpy as np
import rbdkit as rbd
import rbdkit_course as course

model, double = rbd.library.pendulum(), rbd.library.double_pendulum()
start_pose = np.array([1.5, 0.5])"""


def cell(name, source, tag=None):
    tags = {"tags": [tag]} if tag else {}
    return {"cell_type": "code", "id": name, "metadata": tags, "source": source, "outputs": [], "execution_count": None}


def notebook(answers=(), added="", checks=None, start=START):
    cells = [cell("given", GIVEN)]
    for name, (code, check) in start.items():
        cells.append(cell(f"answer-{name}", dict(answers).get(name, code), f"exercise:{name}"))
        cells.append(cell(f"check-{name}", checks or check, f"check:{name}"))
    cells[1:1] = [cell("mine", added)] if added else []
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def course(tmp_path):
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "00_first_steps.ipynb").write_text(json.dumps(notebook()))
    return tmp_path / "course"


def hand_in(folder, student, content):
    folder.joinpath(student, "week 1").mkdir(parents=True)
    folder.joinpath(student, "week 1", "00_first_steps.ipynb").write_text(json.dumps(content))


@pytest.mark.slow
def test_a_class(course, tmp_path, capsys):
    handed, out = tmp_path / "handed in", tmp_path / "grades.csv"
    right = {each.name: each.solution for each in exercises("00")} | {"00-1": "my_period = period_of(model)"}
    added = "def period_of(model):\n    return rbd.library.small_swing_period(model)"
    hand_in(handed, "Ada", notebook(right, added))
    cheating = {
        "00-1": "import rbdkit_course.verdict as v\nv.wrong = v.right\nmodel = None\nmy_period = '=1+1'",
        "00-3": "course.first_steps.two_rods.__wrapped__.__code__ = (lambda *a: 1).__code__\nmy_model = 3",
        "00-2": "my_step = None\n1 / 0",
    }
    hand_in(handed, "Bob", notebook(cheating, checks='course.verdict.right("")'))
    (handed / "Dot.ipynb").write_text("no notebook")

    assert main(["grade", str(handed), "--out", str(out), "--notebooks", str(course), "--seconds", GUARD]) == 0
    assert "Dot: Dot.ipynb is no notebook" in capsys.readouterr().out
    with out.open(newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert {name: (row["points"], row["possible"]) for name, row in rows.items()} == {
        "Ada": ("4", "4"), "Bob": ("0", "4"), "Dot": ("0", "0"),
    }  # fmt: skip
    assert "1.638 s" in rows["Ada"]["00-1 why"]
    assert rows["Bob"]["00-1 why"] == "the answer changes what is not its own: rbdkit_course.verdict.wrong"
    assert "what is not its own: rbdkit_course.first_steps.two_rods" in rows["Bob"]["00-3 why"]
    assert "ZeroDivisionError" in rows["Bob"]["00-2 why"]
    assert {name: row["tampering"].count(": ") for name, row in rows.items()} == {"Ada": 0, "Bob": 4, "Dot": 0}


HOLDS = {
    "a loop": "while True:\n    pass",
    "a loop that swallows interruptions": "while True:\n    try:\n        time.sleep(1)\n    except:\n        pass",
    "mute": "import json\njson.dumps = None",
    "stopped": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "deaf": "import os\nos.closerange(3, 200)",
}


@pytest.mark.slow
@pytest.mark.parametrize("way", HOLDS)
def test_what_holds_the_judge_is_ended_from_outside(way, monkeypatch):
    """However slow the machine is: the answer that holds is ended, and what the process began ends with it."""
    processes, own = [], running._Kernel.__enter__
    monkeypatch.setattr(running, "GRACE", 1.0)
    monkeypatch.setattr(
        running._Kernel, "__enter__", lambda self: processes.append(self._manager.provisioner) or own(self)
    )
    steps = assembled(notebook(), notebook({"00-1": f"import time\n{HOLDS[way]}"}), LESSONS[0])
    grades = grade_notebook(tuple(steps), seconds=5.0)
    assert [grade.points for grade in grades] == [0, 0, 0]
    assert "took longer than 5 s" in grades[0].why or "kernel" in grades[0].why
    assert [each.process for each in processes] == [None]  # waited for


@pytest.mark.slow
def test_a_loop_does_not_cost_the_answers_after_it():
    answers = {"00-1": "while True:\n    pass", "00-2": "my_step = None"}
    first, _, last = grade_notebook(tuple(assembled(notebook(), notebook(answers), LESSONS[0])), seconds=20.0)
    assert first.why == "the answer's cell stopped: it took longer than 20 s" or "kernel" in first.why
    assert "kernel" in first.why or "kernel" not in last.why


def test_without_a_display_of_its_own_a_process_says_where_it_ends():
    """`sys.stdout = None`: put back, and told."""
    held, before = sys.stdout, grading_session.begin({}, [], [])
    sys.stdout = None
    ended = grading_session.end({})
    assert ended == (before, ["sys.stdout"]) and sys.stdout is held


TAMPERING = [
    {
        "00-1": "import json\nold = json.dumps\njson.dumps = lambda x, *a, **k: old(x, *a, **k)\nmy_period = 0.0",
        "00-3": "np.allclose = lambda *a, **k: True\nmy_model = rbd.Model('m')",
        "00-2": "import builtins\nsaid = print\nbuiltins.print = lambda *a, **k: said(a[0], 99)\nmy_step = 1.0",
    },
    {
        "00-1": "import rbdkit_course.catalogue as c\nimport types\n"
        "c.Exercise.judge = lambda *a: types.SimpleNamespace(points=1, right=True, why='')\nmy_period = 0.0",
        "00-3": "import rbdkit_course.grading.session as s\ns._before.clear()\nmy_model = rbd.Model('m')",
        "00-2": "get_ipython().input_transformers_post.append(lambda lines: lines)\nmy_step = 1.0",
    },
]


@pytest.mark.slow
@pytest.mark.parametrize("answers", TAMPERING)
def test_what_looks_like_tampering_earns_nothing_and_is_said(answers):
    grades = grade_notebook(tuple(assembled(notebook(), notebook(answers), LESSONS[0])), seconds=float(GUARD))
    for grade in grades:
        assert grade.points == 0 and grade.why == grade.tampering, grade
        assert "the answer changes what is not its own" in grade.why


@pytest.mark.slow
def test_a_thread_that_an_answer_leaves_is_tampering():
    thread = (
        "import threading\nthreading.Thread(target=lambda: time.sleep(1e6), daemon=True).start()\nmy_period = 1.638"
    )
    (grade,) = grade_notebook(
        tuple(assembled(notebook(), notebook({"00-1": f"import time\n{thread}"}), LESSONS[0]))[:3], float(GUARD)
    )
    assert grade.points == 0 and "runs on" in grade.tampering


class Liar:
    """A kernel in which everything is said as told."""

    given_up = ""

    def __init__(self, text):
        self.text = text

    def run(self, code):
        token = code.split("say('")[1].split("'")[0]
        return f"noise {token} {self.text}\nmore noise", ""


LIES = [
    "(True, 396, 'well done', [])", "(True, 0, 'no points', [])", "(False, 1, 'points', [])", "(True, -1, '', [])",
    "(True, True, '', [])", "(1, 1, '', [])", "(True, 1.0, '', [])", "(True, 1, 3, [])", "(True, 1, '')", "{}", "99",
    "__import__('os').abort()", "", "(True, 1, '', ['numpy.allclose'])", "(" * 300,
]  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_only_the_points_that_there_are_can_be_said(lie):
    step = Step("check", "(my_period, )", exercise("00-1"))
    grade = running._judged(Liar(lie), step, "", "", False, {})
    assert (grade.points, grade.possible) == (0, 1) and grade.tampering == grade.why != ""


def test_what_a_check_says_is_taken():
    step = Step("check", "(my_period, )", exercise("00-1"))
    found = [
        running._judged(Liar(text), step, "", "noted", False, {})
        for text in ("(True, 1, 'so', [])", "(False, 0, 'no', [])")
    ]
    assert found == [running.Grade("00-1", 1, 1, "so", "noted"), running.Grade("00-1", 0, 1, "no", "noted")]


def test_an_interruption_loses_nobodys_row(course, tmp_path, monkeypatch):
    from rbdkit_course.grading import table

    def stand_in(*_):
        if rows := len(seen):
            raise KeyboardInterrupt
        seen.append(rows)
        return [table.Grade("00-1", 1, 1, "so it is")]

    seen: list[int] = []
    monkeypatch.setattr(table, "grade_notebook", stand_in)
    for student in ("Ada", "Bob", "Cy"):
        hand_in(tmp_path / "handed in", student, notebook())
    with pytest.raises(KeyboardInterrupt):
        table.grade(tmp_path / "handed in", tmp_path / "grades.csv", course, say=lambda line: None)
    with (tmp_path / "grades.csv").open(newline="") as file:
        rows = [(row["student"], row["points"], row["trouble"]) for row in csv.DictReader(file)]
    assert rows == [("Ada", "1", ""), ("Bob", "0", "not graded yet"), ("Cy", "0", "not graded yet")]
    assert [each.name for each in tmp_path.glob("*grades*")] == ["grades.csv"]


def test_no_cell_of_the_table_is_a_formula(course, tmp_path, monkeypatch, capsys):
    from rbdkit_course.grading import table

    names = ['=HYPERLINK("x")', "+1", "-1", "@a", "＝1", "a\nb", "a\x1b[2Jb", os.fsdecode(b"\xff"), "plain"]
    monkeypatch.setattr(table, "grade_notebook", lambda *_: [table.Grade("00-1", 0, 1, "\t=1+1", "-2\x00")])
    for name in names:
        hand_in(tmp_path / "handed in", name, notebook())
    assert (
        main(["grade", str(tmp_path / "handed in"), "--out", str(tmp_path / "t.csv"), "--notebooks", str(course)]) == 0
    )
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for value in row.values():
            assert value == "" or (value[0] not in "=+-@＝\t" and value.isprintable())
    said = {'\'=HYPERLINK("x")', "'+1", "'-1", "'@a", "'＝1", "a b", "a\\x1b[2Jb", "\\udcff", "plain"}
    assert {row["student"] for row in rows} == said
    assert rows[0]["00-1 why"] == "'=1+1" and rows[0]["tampering"] == "00-1: -2\\x00"
    assert "\x1b" not in capsys.readouterr().out


def test_a_table_needs_a_folder_before_anything_is_graded(course, tmp_path, capsys):
    hand_in(tmp_path / "handed in", "Ada", notebook())
    with pytest.raises(SystemExit):
        main(
            ["grade", str(tmp_path / "handed in"), "--out", str(tmp_path / "no" / "t.csv"), "--notebooks", str(course)]
        )
    assert "there is no folder" in capsys.readouterr().err


ODD = {  # what is in the file, and what the table says of it
    "an array": (b"[]", "is no notebook"),
    "another course": (json.dumps({"cells": [cell("a", "x = 1", "exercise:Q9-1")]}).encode(), "no cell with the tag"),
    "broken": (b'{"cells": [', "is no notebook: JSONDecodeError"),
    "cells of numbers": (b'{"cells": [{"source": "", "cell_type": 3}]}', "is no notebook"),
    "deep": (b"[" * 200_000, "is no notebook: RecursionError"),
    "empty": (b"", "is no notebook: it is empty"),
    "latin": (
        '{"cells": [{"cell_type": "code", "source": "é"}]}'.encode("latin-1"),
        "is no notebook: UnicodeDecodeError",
    ),
    "no cells": (b'{"cells": []}', "no cell with the tag"),
    "odd metadata": (b'{"cells": [{"cell_type": "code", "source": "", "metadata": null}]}', "is no notebook"),
    "odd tags": (b'{"cells": [{"cell_type": "code", "source": "", "metadata": {"tags": [3]}}]}', "is no notebook"),
}


def test_whatever_was_handed_in_has_a_row_with_a_reason(course, tmp_path):
    handed, out = tmp_path / "handed in", tmp_path / "grades.csv"
    for name, (content, _) in ODD.items():
        (handed / name).mkdir(parents=True)
        (handed / name / "x.ipynb").write_bytes(content)
    (handed / "nothing").mkdir()
    (handed / "a folder.ipynb").mkdir()
    assert main(["grade", str(handed), "--out", str(out), "--notebooks", str(course)]) == 0
    with out.open(newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    said = {name: why for name, (_, why) in ODD.items()}
    said |= dict.fromkeys(["nothing", "a folder"], "no notebook was handed in")
    assert rows.keys() == said.keys()
    for name, why in said.items():
        assert (rows[name]["points"], rows[name]["possible"]) == ("0", "0")
        assert why in rows[name]["trouble"], name


def test_a_fault_in_grading_one_notebook_does_not_cost_the_others_theirs(course, tmp_path, monkeypatch):
    from rbdkit_course.grading import table

    grades = iter([RuntimeError("no kernel"), [table.Grade("00-1", 1, 1, "so it is")]])

    def stand_in(*_):
        found = next(grades)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(table, "grade_notebook", stand_in)
    for student in ("Ada", "Bob"):
        hand_in(tmp_path / "handed in", student, notebook())
    found = table.grade(tmp_path / "handed in", tmp_path / "grades.csv", course, say=lambda line: None)
    assert found == {"Ada": [], "Bob": [table.Grade("00-1", 1, 1, "so it is")]}
    with (tmp_path / "grades.csv").open(newline="") as file:
        assert [row["trouble"] for row in csv.DictReader(file)] == ["00_first_steps.ipynb RuntimeError: no kernel", ""]


@pytest.mark.slow
def test_cells_that_harm_what_runs_them(course, tmp_path):
    handed, out = tmp_path / "handed in", tmp_path / "grades.csv"
    right = {"00-1": "my_period = 1.638"}
    hand_in(handed, "leaves", notebook(right | {"00-3": "import sys\nsys.exit()", "00-2": "1 / 0"}))
    clears = "import pathlib, shutil\nshutil.rmtree(pathlib.Path.cwd())"
    hand_in(handed, "clears", notebook(right | {"00-3": clears, "00-2": "my_steps = 1e-3"}))
    floods = "for _ in range(300):\n    print('x' * 100_000)\nmy_model = rbd.Model('m')"
    kills = "import os\nos._exit(3)"
    hand_in(handed, "floods", notebook(right | {"00-3": floods, "00-2": kills}))
    assert main(["grade", str(handed), "--out", str(out), "--notebooks", str(course), "--seconds", GUARD]) == 0
    with out.open(newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert {name: (row["points"], row["trouble"]) for name, row in rows.items()} == dict.fromkeys(
        ["leaves", "clears", "floods"], ("1", "")
    )
    assert "SystemExit" in rows["leaves"]["00-3 why"] and "ZeroDivisionError" in rows["leaves"]["00-2 why"]
    assert "my_step" in rows["clears"]["00-2 why"]  # renamed
    assert "kernel" in rows["floods"]["00-2 why"] and "kernel" not in rows["floods"]["00-3 why"]


def test_the_course_runs_and_not_what_became_of_it():
    course = notebook()
    changed = notebook({"00-1": "my_period = 2"}, added="helper = 1", checks="right()")
    changed["cells"] = [each for each in changed["cells"] if each["id"] not in ("given", "answer-00-3", "check-00-2")]
    steps = list(assembled(course, changed, LESSONS[0]))
    assert [(step.kind, step.exercise and step.exercise.name) for step in steps] == [
        ("course", None), ("student", None), *((kind, name) for name in START for kind in ("student", "check")),
    ]  # fmt: skip
    assert [step.code for step in steps[:4]] == [GIVEN, "helper = 1", "my_period = 2", "(my_period, model, )"]
    assert steps[2].given == ("model",)
    assert [step.code for step in steps if step.kind == "student"][-2:] == ["", START["00-2"][0]]


def test_every_notebook_of_the_course_can_be_graded():
    for lesson in LESSONS:
        stored = read(NOTEBOOKS / f"{lesson.file}.ipynb")
        steps = list(assembled(stored, stored, lesson))
        judged = [step.exercise.name for step in steps if step.kind == "check"]
        assert judged == [each.name for each in exercises(lesson.name)]
        assert lesson_of(stored) == (lesson if exercises(lesson.name) else None)


def test_what_is_forbidden_raises_and_is_open_again_afterwards():
    exp = rbd.spatial.se3.exp
    before = exp.__code__
    names = {"model": 1, "other": 2}
    grading_session.begin(names, ["model", "missing"], ["rbdkit.spatial.se3.exp"])
    names["model"] = 3
    with pytest.raises(RuntimeError, match="yours to write here"):
        rbd.spatial.se3.exp(np.zeros(6))
    assert grading_session.end(names)[1] == []
    assert exp.__code__ is before and np.array_equal(exp(np.zeros(6)), np.eye(4))
    assert names == {"model": 1, "other": 2}


def test_what_was_changed_is_named_and_put_back():
    from rbdkit_course import verdict

    right = verdict.right
    grading_session.begin({}, [], [])
    verdict.right = verdict.wrong
    assert grading_session.end({})[1] == ["rbdkit_course.verdict.right"]
    assert verdict.right is right
    truth = verdict.Verdict.__bool__
    grading_session.begin({}, [], [])
    verdict.Verdict.__bool__ = lambda self: True
    assert grading_session.end({})[1] == ["rbdkit_course.verdict.Verdict.__bool__"]
    assert verdict.Verdict.__bool__ is truth and not verdict.wrong("")


def test_in_strict_grading_a_function_may_not_lean_on_the_library():
    """Exercise F05-5 watches nothing by itself."""

    def lazy(omega, v, omega_dot, v_dot):
        classical_acceleration(np.array([*omega_dot, *v_dot]), np.array([*omega, *v]))
        return [*omega_dot, *(v_dot - np.cross(omega, v))]

    for forbidden, points in ((list(exercise("F05-5").forbidden), 0), ([], 1)):
        right, found, why, changed = grading_session.judge("F05-5", (lazy,), forbidden)
        assert (right, found, changed) == (bool(points), points, [])
        assert points or "for you to write" in why


@pytest.mark.parametrize("each", [e for e in exercises() if e.forbidden], ids=lambda each: each.name)
def test_what_is_forbidden_exists_and_no_solution_needs_it(each):
    for path in each.forbidden:
        function = grading_session._function(path)
        assert isinstance(function, FunctionType) and not function.__code__.co_freevars
        assert path.removeprefix("rbdkit.spatial.") not in each.solution


def test_submissions(tmp_path):
    for name in ("b/x.ipynb", "b/deep/y.ipynb", "a.ipynb", "b/.ipynb_checkpoints/x.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert [(each.student, each.file.name) for each in submissions(tmp_path)] == [
        ("a", "a.ipynb"),
        ("b", "y.ipynb"),
        ("b", "x.ipynb"),
    ]
    with pytest.raises(FileNotFoundError, match="no notebook in"):
        submissions(tmp_path / "nowhere")
    with pytest.raises(SystemExit):
        main(["grade", str(tmp_path / "nowhere"), "--out", str(tmp_path / "grades.csv")])


@pytest.mark.parametrize(("call", "code"), [("c.f(a, [b, *d])", "(a, [b, *d], )"), ("f()", "()")])
def test_arguments(call, code):
    assert arguments(call) == code


@pytest.mark.parametrize("call", ["f(a=1)", "a", "not code"])
def test_other_calls_are_no_checks(call):
    with pytest.raises((ValueError, SyntaxError)):
        arguments(call)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}'])
def test_what_is_no_notebook(tmp_path, content):
    (tmp_path / "x.ipynb").write_text(content)
    with pytest.raises(ValueError, match=r"x\.ipynb is no notebook"):
        read(tmp_path / "x.ipynb")
