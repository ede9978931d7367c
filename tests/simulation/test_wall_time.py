"""What a run takes, apart from what its code took to be made."""

import types

import pytest

import rbdkit as rbd
from rbdkit.engine.run import compiled_programs
from rbdkit.simulation.contender import Contender
from rbdkit.trace import compile_seconds, compiling

COMPILATION = 1000.0


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still but while code is compiled, each time from the beginning."""
    now = types.SimpleNamespace(seconds=0.0)
    fake = types.SimpleNamespace(perf_counter=lambda: now.seconds)
    for module in ("rbdkit.trace.run.company", "rbdkit.trace.run.compile_time", "rbdkit.simulation.recording"):
        monkeypatch.setattr(f"{module}.time", fake)
    real = compiled_programs.executable

    def slowly(program, backend):
        now.seconds += COMPILATION
        return real(program, backend)

    monkeypatch.setattr(compiled_programs, "executable", slowly)
    monkeypatch.setattr("rbdkit.trace.recalled", lambda words: None, raising=False)
    for code in (compiled_programs.loop_code, compiled_programs.straight_code, compiled_programs.unrolled_code):
        code.cache_clear()
    yield now
    for code in (compiled_programs.loop_code, compiled_programs.straight_code, compiled_programs.unrolled_code):
        code.cache_clear()


@pytest.mark.parametrize("stepped", ["compiled", "from Python", "contacts"])
def test_compilation_is_no_part_of_wall_time(clock, stepped):
    model, options = rbd.library.double_pendulum(), {}
    if stepped == "from Python":
        options["tau"] = rbd.untraced(lambda t, q, v: -0.1 * v)
    if stepped == "contacts":
        start = rbd.library.block_on_slope()
        model, options = start.model, {"q0": start.q, "v0": start.v}
    run = rbd.simulate(model, duration=0.1, dt=0.01, **options)
    assert clock.seconds >= COMPILATION  # something was compiled
    assert run.report.wall_time == 0.0
    assert Contender("it", run).step_time == 0.0


def test_what_code_takes_counts_once(clock):
    """One that makes code may call another that does."""
    before = compile_seconds()

    @compiling
    def inner():
        clock.seconds += 3.0
        return compile_seconds()

    @compiling
    def outer():
        return inner(), inner()

    assert outer() == (before, before)  # which is counted at the end of the outer one
    assert compile_seconds() == before + 6.0

    @compiling
    def fails():
        clock.seconds += 1.0
        raise ValueError("no code")

    with pytest.raises(ValueError, match="no code"):
        fails()
    assert inner() == before + 7.0
