"""Code that another process has made: found by words that say all, and the same to the last bit."""

import gc
import os
import shutil
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine.links.layout import layout
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.over_states import ALGORITHMS
from rbdkit.engine.run.recordings import recorded_code
from rbdkit.engine.run.shapes import Shape, shape_of
from rbdkit.engine.run.signatures import INPUTS
from rbdkit.engine.run.words import FLAGS, OURS, words_of_loop, words_of_shape
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.engine.steps.nodes import Kind
from rbdkit.integrators import INTEGRATORS, RK4, Heun, ImplicitMidpoint, RungeKutta, SymplecticEuler
from rbdkit.trace import ALONE
from rbdkit.trace.run import remembered

KINDS = (Kind(MOTIONS["revolute"]), Kind(MOTIONS["free"], geared=True))
OTHER = {
    "motion": MOTIONS["planar"], "geared": True, "sprung": False, "follows": True, "cyclic": True, "cluster": "top",
    "parent": 5, "q": 9, "v": 9, "axis": 0, "kind": Kind(MOTIONS["planar"]), "links": (), "nq": 70, "nv": 70,
    "fixed": frozenset({(3, 0.5)}), "width": 4, "shared": frozenset("a"), "apart": frozenset("a"), "algorithm": "rnea",
    "external": True, "deep": True,
}  # fmt: skip
"""Another value for every field that a program depends on."""


def changed(x):
    """It with another value in each of its fields; a field that has none here is one that words do not know yet."""
    return [replace(x, **{field.name: OTHER[field.name]}) for field in fields(x)]


def test_words_tell_everything_apart():
    shape = shape_of(layout(rbd.library.double_pendulum()), np.ones((3, 22)))
    plain = [Task("aba", **{name: True}) for name in FLAGS] + [Task("rnea"), Task("aba")]
    plain += [Task("over_time", step=method.record) for method in (RK4(), SymplecticEuler(), ImplicitMidpoint())]
    loops = [(task, KINDS, ALONE, None) for task in plain]
    loops += [(Task("aba"), (kind, *KINDS[1:]), ALONE, None) for kind in changed(KINDS[0])]
    loops += [(Task("aba"), KINDS, lanes, None) for lanes in changed(ALONE)]
    loops += [(Task("aba"), KINDS[::-1], ALONE, None), (Task("aba"), KINDS, ALONE, 4), (Task("aba"), KINDS, ALONE, 2)]
    shapes = [(task, shape, ALONE) for task in plain] + [(Task("aba"), other, ALONE) for other in changed(shape)]
    links = shape.links
    shapes += [(Task("aba"), replace(shape, links=(link, *links[1:])), ALONE) for link in changed(links[0])]
    shapes += [(Task("aba"), shape, lanes) for lanes in changed(ALONE)]
    words = [words_of_loop(*x) for x in loops] + [words_of_shape(*x) for x in shapes]
    assert None not in words and len(set(words)) == len(words) > 30


def test_what_words_cannot_tell_has_none():
    class Spherical(type(MOTIONS["spherical"])):
        """Another joint of the same name."""

    assert words_of_loop(Task("aba"), (Kind(Spherical()),), ALONE, None) is None
    known = {"algorithm", "step", *FLAGS}
    objects = [field.name for field in fields(Task) if field.name not in known]
    for name in objects:
        task = replace(Task("aba"), **{name: True if isinstance(getattr(Task("aba"), name), bool) else ("something",)})
        assert words_of_loop(task, KINDS, ALONE, None) is None
        assert words_of_shape(task, Shape((), 0, 0, frozenset()), ALONE) is None
    assert len(objects) > 6
    assert words_of_loop(Task("algorithm of a user's own"), KINDS, ALONE, None) is None
    assert frozenset({*INPUTS, "over_time"}) == OURS


def test_steps_are_told_by_what_they_do():
    def told(step):
        return words_of_loop(Task("over_time", step=step), KINDS, ALONE, None)

    assert None not in (told(RK4().record), told(Heun().record), told(ImplicitMidpoint().record))
    assert told(RK4().record) != told(Heun().record)  # what was traced says all by itself, whoever wrote it
    assert told(RK4().record) == told(RungeKutta(RK4.A, RK4.b).record)
    assert told(lambda system, n: None) is None


def recorders(task: Task) -> set[str]:
    """The folders of rbdkit in which something runs while a task is recorded, over all plain joints."""
    ran = set()
    gc.disable()  # what tests before left behind, widgets say, would be finalized in between
    sys.setprofile(lambda frame, event, _: ran.add(frame.f_code.co_filename))
    try:
        recorded_code.__wrapped__(task, tuple(map(Kind, MOTIONS.values())))
    finally:
        sys.setprofile(None)
        gc.enable()
    package = str(remembered.PACKAGE) + os.sep
    return {file.removeprefix(package).partition(os.sep)[0] for file in ran if file.startswith(package)}


OF_ROWS = {"reactions", "stabilised_dynamics", "constraint_rows", "openness", "residuals"}
"""Algorithms that no tree without rows has."""
STEPS = [
    "rk4", "explicit_euler", "symplectic_euler", "rk3", "rk5", "heun", "implicit_midpoint", "crouch_grossman3",
    "crouch_grossman4", "variational", "velocity_euler", "linearly_implicit_euler", "linearly_implicit_sdirk2",
]  # fmt: skip
"""Methods in joint coordinates that go by their names."""


@pytest.mark.parametrize("algorithm", sorted(set(ALGORITHMS) - OF_ROWS - {"own_gradient", "own_forces"}))
def test_only_the_sources_that_are_looked_at_record(algorithm):
    """Whatever runs of rbdkit while an algorithm is recorded stands in them."""
    for external in (False, True)[: 1 + (algorithm in ("rnea", "aba", "forward_dynamics"))]:
        assert recorders(Task(algorithm, external)) <= set(remembered.RECORDERS)


@pytest.mark.parametrize("name", STEPS)
def test_only_the_sources_that_are_looked_at_record_steps(name):
    task = Task("over_time", step=INTEGRATORS[name].record, stiff=name.startswith("linearly_implicit"))
    assert words_of_loop(task, KINDS, ALONE, None) is not None
    folders = recorders(task)
    assert "integrators" in folders and folders <= set(remembered.RECORDERS)


PROGRAM = """
import sys
import numpy as np
import rbdkit as rbd
rbd.loaded.AT = {at!r}
rng = np.random.default_rng(5)
joints = [rbd.Free(), rbd.Prismatic("x"), rbd.Revolute("y"), rbd.Spherical(), rbd.Prismatic([0.6, 0.0, 0.8])]
model = rbd.library.random_tree(3, bodies=5, joints=joints)
if {limbs}:  # four that are alike
    model = rbd.Model("walker")
    inertia = rbd.Inertia.box((0.1, 0.2, 0.3), mass=1.0)
    base = model.add_body("base", joint=rbd.Free(), inertia=inertia)
    for leg in range(4):
        part = base
        for k, axis in enumerate("xyy"):
            placement = (0.5, 0.3 * leg, -0.1) if k == 0 else (0.1, 0.0, -0.4)
            part = model.add_body(f"{{leg}} {{k}}", part, rbd.Revolute(axis), placement=placement, inertia=inertia)
q, v, tau = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
stack = [np.broadcast_to(x, (900, len(x))) for x in (q, v, tau)]
run = rbd.simulate(model, q, v, duration=0.02, progress=False)
results = run.q, rbd.aba(model, q, v, tau), rbd.rnea(model, q, v, tau), rbd.crba(model, q), rbd.aba(model, *stack)[-1]
print("rbdkit.engine.run.recordings" in sys.modules)
print(b"".join(np.ascontiguousarray(x).tobytes() for x in results).hex())
"""


def told(folder: Path, package: Path, limbs: bool = False, after: float = 2.0 * remembered.TICK) -> tuple[str, str]:
    """Whether a process recorded anything that was started so many seconds after the last change, and its results."""
    times = [t for name in remembered.RECORDERS for x in package.joinpath(name).rglob("*.py") for t in _times(x)]
    environment = {**os.environ, "RBDKIT_CACHE_DIR": str(folder), "PYTHONPATH": str(package.parent)}
    environment |= {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPYCACHEPREFIX": str(folder / "none"),
    }  # byte code goes by times
    program = [sys.executable, "-c", PROGRAM.format(limbs=limbs, at=max(times) + after)]
    done = subprocess.run(program, env=environment, cwd=package.parent, capture_output=True, text=True, check=True)
    made, results = done.stdout.split("\n")[:2]
    return made, results


def _times(file: Path) -> tuple[float, float]:
    about = file.stat()
    return about.st_mtime, about.st_ctime


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """Sources that may be changed."""
    package = tmp_path_factory.mktemp("copy") / "rbdkit"
    shutil.copytree(remembered.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "js"))
    return package


@pytest.mark.parametrize("limbs", [False, True])
def test_the_next_process_records_nothing_and_computes_the_same(limbs, copy, tmp_path):
    made, first = told(tmp_path, copy, limbs)
    assert made == "True"
    assert told(tmp_path, copy, limbs) == ("False", first)


def test_a_changed_source_is_recorded_again(copy, tmp_path):
    """Even where its size and its time say that nothing was changed."""
    source = copy / "algorithms" / "rnea.py"
    _, first = told(tmp_path, copy)
    before, text = source.stat(), source.read_text()
    changed = text.replace("X[i] @ v[p] + v_J", "X[i] @ v[p] - v_J")
    assert changed != text and len(changed) == len(text)
    source.write_text(changed)
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    made, first_to_see = told(tmp_path, copy, after=0.5 * remembered.TICK)  # younger than clocks can tell apart
    assert made == "True"
    made, second = told(tmp_path, copy)
    assert made == "True" and second == first_to_see != first
    source.write_text(text)
    assert told(tmp_path, copy) == ("True", first)
