"""Machine code in memory: given back when nothing can call it, and whole in the children of a process."""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rbdkit.trace.program import Program
from rbdkit.trace.run import native
from rbdkit.trace.run.backend import executable
from rbdkit.trace.run.forks import unforked
from rbdkit.trace.run.native import machine


def program(factor: float, turns: bool = False) -> Program:
    """x[1] = factor x[0]; or "turns" times x[0] = factor x[0]."""
    made = Program("scale")
    if turns:
        with made.loop(0, made.count("turns")):
            made.store("x", 0, 0, made.load("x", 0) * factor)
    else:
        made.store("x", 0, 1, made.load("x", 0) * factor)
    return made


def bound(factor: float) -> tuple[Callable[[], None], np.ndarray]:
    x = np.array([3.0, 0.0])
    return executable(program(factor), "llvm").bind({"x": x}, {}), x


def linked() -> int:
    gc.collect()
    return len(machine()._linked)


def maps() -> int:
    """Pieces of memory, of which Linux allows a process some 65,000."""
    table = Path("/proc/self/maps")
    return len(table.read_text().splitlines()) if table.exists() else 0


def test_code_is_given_back_when_nothing_can_call_it(monkeypatch):
    monkeypatch.setattr(native.disk, "store", lambda key, code: None)
    before, pieces = linked(), maps()
    kept = [bound(1000.0 + k) for k in range(20)]
    assert linked() == before + 20
    for k in range(200):
        run, x = bound(2000.0 + k)
        run()
        assert x[1] == 3.0 * (2000.0 + k)
    del run
    assert linked() == before + 20 and not machine()._unused
    assert maps() < pieces + 2 * 20 + 100  # a program has two, so that 200 more would be seen
    for k, (run, x) in enumerate(kept):
        run()
        assert x[1] == 3.0 * (1000.0 + k)
    del kept, run
    assert linked() == before and not machine()._unused


def test_equal_programs_share_code_as_long_as_one_is_in_use():
    before = linked()
    first, second = executable(program(0.25), "llvm"), executable(program(0.25), "llvm")
    assert linked() == before + 1
    del first
    assert linked() == before + 1
    x = np.array([3.0, 0.0])
    second.bind({"x": x}, {})()
    assert x[1] == 0.75
    del second
    assert linked() == before
    again, x = bound(0.25)
    again()
    assert x[1] == 0.75


def test_code_that_runs_stays():
    """What is bound holds it, and while it runs, who called it."""
    x = np.array([1.0])
    started, ended = threading.Event(), threading.Event()

    def work(run: Callable[[], None]) -> None:
        started.set()
        run()
        ended.set()

    code = executable(program(1.0 + 1e-16 + 2.0**-52, turns=True), "llvm")
    thread = threading.Thread(target=work, args=(code.bind({"x": x}, {"turns": 50_000_000}),))
    thread.start()
    started.wait()
    del code
    for k in range(20):  # others come and go meanwhile
        run, y = bound(3000.0 + k)
        run()
        assert y[1] == 3.0 * (3000.0 + k)
    thread.join()
    assert ended.is_set() and np.isclose(x[0], np.exp(50_000_000 * 2.0**-52), rtol=1e-8)


def test_threads_that_make_and_drop_programs():
    before, wrong = linked(), []

    def work(seed: int) -> None:
        for k in range(40):
            run, x = bound(4000.0 + (k + seed) % 10)
            run()
            if x[1] != 3.0 * (4000.0 + (k + seed) % 10):
                wrong.append(x[1])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bound(4000.0)  # and what another thread could not give back while this one compiled
    assert not wrong and linked() == before and not machine()._unused


def test_code_dropped_while_another_thread_compiles_waits_for_it():
    run, _ = bound(5000.0)
    before, here = linked(), machine()
    held, go_on = threading.Event(), threading.Event()

    def compiles() -> None:
        with unforked():
            held.set()
            go_on.wait()

    thread = threading.Thread(target=compiles)
    thread.start()
    held.wait()
    del run  # which does not wait
    assert len(here._unused) == 1
    go_on.set()
    thread.join()
    bound(5001.0)
    assert linked() == before - 1 and not here._unused


def test_a_program_that_was_compiled_leaves_its_graphs():
    code = executable(program(2.5), "llvm")
    assert code.program.arrays == ["x"] and code.program.body == []


FORKING = """
import os, sys, threading, time
import numpy as np
import rbdkit as rbd
from rbdkit.trace.run import cache
from rbdkit.trace.run.native import Machine

model = rbd.library.double_pendulum()
cache.load = lambda key: None
begun, go_on = threading.Event(), threading.Event()
where = sys.argv[1]

if where == "compiling":
    compile_ = Machine._compile
    def slowly(self, source):
        begun.set()
        time.sleep(0.5)
        return compile_(self, source)
    Machine._compile = slowly
elif where == "writing":
    def slowly(key, data):
        begun.set()
        go_on.wait()
    store, cache.store = cache.store, slowly
else:
    matrix = vars(rbd.Inertia)["matrix"]  # Python 3.11 holds a lock while it computes a property
    compute = matrix.func
    def slowly(self):
        if threading.current_thread() is thread:
            begun.set()
            go_on.wait()
        return compute(self)
    matrix.func = slowly

inertia = rbd.Inertia.sphere(0.1, mass=1.0)

def work():
    if where == "a property":
        inertia.matrix
    else:
        rbd.rnea(model, [0, 0], [0, 0], [0, 0])

thread = threading.Thread(target=work, daemon=True)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    if where == "writing":
        cache.store = store
    H = rbd.crba(model, [0.3, 0.4])
    inertia.matrix
    second = os.fork()
    if second == 0:
        os._exit(0 if np.array_equal(H, rbd.crba(model, [0.3, 0.4])) else 1)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))
deadline = time.monotonic() + 300  # a guard: nothing here takes seconds
while time.monotonic() < deadline:
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        go_on.set()
        thread.join()
        sys.exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.02)
os.kill(child, 9)
sys.exit("the child hangs")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system that forks")
@pytest.mark.parametrize("where", ["compiling", "writing", "a property"])
def test_a_child_forked_while_a_thread_is_at_work_can_do_the_same_work(where):
    ended = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKING, where],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
