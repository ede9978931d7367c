"""Ctrl+C, as the system sends it: the motion so far is handed over, and the loop around the runs ends."""

import importlib
import json
import os
import subprocess
import sys
import warnings

import pytest

import rbdkit as rbd

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent as POSIX systems do")

LOOPS = {
    "for": "for k in range(5): run(k == 1)",
    "while": "k = 0\nwhile k < 5:\n    run(k == 1)\n    k += 1",
    "comprehension": "motions = [run(k == 1) for k in range(5)]",
    "generator": "motions = tuple(run(k == 1) for k in range(5))",
    "map": "motions = list(map(run, [False, True, False, False]))",
    "function in a loop": "def study(k):\n    run(k == 1)\n    print('after')\n\nfor k in range(5): study(k)",
    "loop in a function": "def study():\n    for k in range(5):\n        run(k == 1)\n\nstudy()",
    "two runs a turn": "for k in range(3):\n    run(False)\n    run(k == 0)",
}
OTHERS = {
    "lines": """
run(True)
run(False)
try:
    for k in range(5):
        run(k == 0)
except KeyboardInterrupt:
    print("loop ended")
for k in range(2):
    run(False)
""",
    "handlers before": """
import contextlib
def study():
    with contextlib.nullcontext():
        print("with")
    try:
        print("try")
    except ValueError:
        print("never")
    run(True)
    run(False)
    try:
        raise ValueError
    except ValueError:
        for k in range(4): run(k == 0)
study()
""",
    "comparison": """
pairs = {"first": ("joint", "rk4"), "second": ("joint", "heun")}
rbd.compare(double_pendulum(), pairs, q0=[1.0, 0.0], duration=0.05, tau=pressing())
""",
    "sweeps": """
def swept(pressed):
    left = [pressed]
    def tell(done):
        if left.pop() if left else False:
            press()
    ensemble = rbd.sweep(double_pendulum(), {"hinge1.angle": [0.1, 0.2]}, duration=0.05, dt=1e-3, progress=tell)
    print("part" if ensemble.report.interrupted else "whole", flush=True)

for k in range(4): swept(k == 1)
""",
    "prompt": """
import code
console = code.InteractiveConsole({"run": run})
for line in ("run(True)", "run(False)", "for k in range(3): run(k == 0)", "", "run(False)"):
    console.push(line)
""",
    "notebook": """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.user_ns["run"] = run
for cell in ("m = run(True)", "m = run(False)", "for k in range(3):\\n    m = run(k == 0)", "m = run(False)"):
    print(type(shell.run_cell(cell).error_in_exec).__name__)
""",
    "report": """
module = sys.modules["rbdkit.simulation.assessment"]
find = module.assess
def assess(*given):
    press()
    return find(*given)
module.assess = assess
motion = run(False)
module.assess = find
print([line[:24] for line in motion.report.alarms(motion.model)], "NOT JUDGED" in repr(motion), motion.report.judged)
for k in range(3):
    module.assess = assess if k == 1 else find
    run(False)
module.assess = find
""",
}
SCRIPT = """
import json, os, signal, sys
import rbdkit as rbd
from rbdkit.library import double_pendulum

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has background jobs ignore it, and their children

def press():
    os.kill(os.getpid(), signal.SIGINT)

def pressing():
    presses = []
    def tau(t, q, v):
        if t > 0.02 and not presses:
            presses.append(t)
            press()
        return [0.0, 0.0]
    return tau

def run(pressed):
    motion = rbd.simulate(double_pendulum(), [1.0, 0.0], duration=0.05, dt=1e-3, tau=pressing() if pressed else None)
    print("part" if motion.report.stopped.startswith("interrupted") else "whole", flush=True)
    return motion

for name, piece in json.loads(sys.argv[1]).items():
    print("=====", name, flush=True)
    try:
        exec(compile(piece, name, "exec"), {**globals()})
    except KeyboardInterrupt:
        print("KeyboardInterrupt", flush=True)
"""


@pytest.fixture(scope="module")
def printed():
    """What each piece of code prints in a process that gets signals, and whether an interruption ended it."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, json.dumps(LOOPS | OTHERS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    pieces = done.stdout.split("===== ")[1:]
    return {name: lines for name, *lines in (piece.strip().split("\n") for piece in pieces)}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_over_runs_ends_after_handing_over(printed, loop):
    after = ["after"] if loop == "function in a loop" else []  # the turn is ended as usual
    assert printed[loop] == ["whole", *after, "part", *after, "KeyboardInterrupt"]


def test_lines_after_the_run_and_after_the_loop_go_on(printed):
    """They have the motion so far to work with; a `KeyboardInterrupt` that is caught has ended the loop."""
    assert printed["lines"] == ["part", "whole", "part", "loop ended", "whole", "whole"]


def test_handlers_of_exceptions_are_no_loops(printed):
    """They stand at the end of the bytecode and jump back to what follows them; a loop inside of one is a loop."""
    assert printed["handlers before"] == ["with", "try", "part", "whole", "part", "KeyboardInterrupt"]


def test_a_comparison_is_such_a_loop(printed):
    assert printed["comparison"] == ["KeyboardInterrupt"]


def test_a_sweep_is_such_a_run(printed):
    assert printed["sweeps"] == ["whole", "part", "KeyboardInterrupt"]


def test_each_line_at_a_prompt_is_on_its_own(printed):
    """Also where the same line is typed again, in a console that is itself a loop."""
    assert [line for line in printed["prompt"] if line in ("part", "whole")] == ["part", "whole", "part", "whole"]


def test_cells_of_a_notebook_are_on_their_own(printed):
    lines = [line for line in printed["notebook"] if line in ("part", "whole", "NoneType", "KeyboardInterrupt")]
    assert lines[:4] == ["part", "NoneType", "whole", "NoneType"]
    assert lines[4] == "part" and "KeyboardInterrupt" in lines[5:-2] and lines[-2:] == ["whole", "NoneType"]


def test_an_interruption_of_the_report_keeps_the_finished_motion(printed):
    """It comes while the recorded states are judged: the motion is whole, the report says that it is not judged."""
    first, said, *loop = printed["report"]
    assert (first, said) == ("whole", "['NOT JUDGED: interrupted '] True False")
    assert loop == ["whole", "whole", "KeyboardInterrupt"]


@pytest.mark.parametrize(("states", "judged"), [(10, False), (10_000, True)])
def test_after_an_interruption_only_short_motions_are_judged(states, judged, monkeypatch):
    """A motion of a million states would take half a minute, in which nothing seems to happen."""
    # imported by its name, which is also that of the function
    monkeypatch.setattr(importlib.import_module("rbdkit.simulation.simulate"), "AT_ONCE", states)

    def pressed(t, q, v):
        if t > 0.5:
            raise KeyboardInterrupt
        return -v

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=1.0, tau=rbd.untraced(pressed), progress=False)
    assert len(motion) == 501 and motion.report.judged is judged
