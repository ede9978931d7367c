"""For all tests: ``pytest --sources``, checks of marks (items of the sources are known, places are the right ones), and
a machine for WebAssembly.

Tests that `tests/slow.txt` names are marked ``slow``, and left out by ``tests/run.py --quick``; ``pytest --keep-times``
writes that list anew by the times of its run, which should be one of all tests on an otherwise idle machine.

An item of the sources is shown when a test that is marked with it has passed. Every run keeps how its tests ended in
pytest's cache, over what is known of former runs; ``pytest --sources`` looks there and runs nothing.
"""

from __future__ import annotations

import os
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.trace import Program, Trace

CATALOGUE = Path(__file__).parent / "sources"
SLOW = Path(__file__).with_name("slow.txt")
"""Functions some of whose cases take more than `A_CASE` seconds, or all together more than `ALL_CASES`."""
A_CASE, ALL_CASES = 0.5, 3.0
ALWAYS = ("random_trees/", "pinocchio")
"""Parts of names of tests that the quick run has however long they take: they guard most."""
OUTCOMES = "rbdkit/outcomes"
"""Where the cache keeps, by the name of a test, how it ended last and when (seconds since 1970)."""
HOMES = {"browser": "tests/browser/", "notebook": "tests/notebooks/"}
"""Where the tests with these marks lie: tests/run.py looks for them nowhere else."""
SIGNS = {"passed": "x", "failed": "F", "skipped": "s", "not run": "?", "no test": "-"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sources",
        action="store_true",
        help="run nothing; print every item of the sources, the tests that show it and how these ended when last run",
    )
    parser.addoption("--keep-times", action="store_true", help="write tests/slow.txt anew by the times of this run")


def pytest_configure(config: pytest.Config) -> None:
    progress = tempfile.TemporaryDirectory(prefix="rbdkit-course-")  # nobody's own; kernels go by the environment too
    os.environ["RBDKIT_COURSE_DIR"] = progress.name
    config.add_cleanup(progress.cleanup)
    if not config.option.sources and not hasattr(config, "workerinput"):  # pytest-xdist's workers report to this one
        config.pluginmanager.register(Outcomes(config))


class Outcomes:
    """How each test ends: failed in any of its phases, else skipped, else passed."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.ended = config, {}  # type: ignore[var-annotated]
        self.times: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.times[report.nodeid] += report.duration  # type: ignore[assignment]
        before = self.ended.get(report.nodeid) if report.when != "setup" else None
        if report.outcome == "passed" and report.when != "call" and before is None:
            return  # of a test that is set up nothing is known yet
        worst = max(before or "passed", report.outcome, key=["passed", "skipped", "failed"].index)
        self.ended[report.nodeid] = worst

    def pytest_sessionfinish(self) -> None:
        if self.config.option.keep_times:
            SLOW.write_text("".join(f"{name}\n" for name in slow_functions(self.times)), encoding="utf-8")
        if self.ended and (cache := getattr(self.config, "cache", None)):
            now = time.time()
            cache.set(
                OUTCOMES, {**known_outcomes(self.config), **{test: [how, now] for test, how in self.ended.items()}}
            )


def slow_functions(times: Mapping[str, float]) -> list[str]:
    """Functions of tests that take long, by the times of their cases, s."""
    cases: dict[str, list[float]] = defaultdict(list)
    for test, seconds in times.items():
        cases[function_of(test)].append(seconds)
    return sorted(
        name
        for name, own in cases.items()
        if (max(own) > A_CASE or sum(own) > ALL_CASES) and not any(word in name.lower() for word in ALWAYS)
    )


def function_of(test: str) -> str:
    """The function of a test, without its parameters: "spatial/test_so3.py::test_log"."""
    return test.split("[")[0].removeprefix("tests/")


def known_outcomes(config: pytest.Config) -> dict[str, list]:
    """What the cache knows of former runs: nothing where there is none (-p no:cacheprovider, or a fresh checkout)."""
    cache = getattr(config, "cache", None)
    return cache.get(OUTCOMES, {}) if cache else {}


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    if config.option.sources:
        config.option.numprocesses = None  # the table is made from one collection, not by pytest-xdist's workers


@pytest.hookimpl(tryfirst=True)  # before -k and -m take tests away
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = set(SLOW.read_text(encoding="utf-8").split())
    for item in items:
        if function_of(item.nodeid) in slow:
            item.add_marker("slow")
    if config.option.sources:
        marked = defaultdict(list)
        for item in items:
            check_sources(item)
            for source_id in sources_of(item):
                marked[source_id].append(item.nodeid)
        config.stash[MARKED] = dict(marked)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, object, object]:
    """Refuse a test that tests/run.py would not find."""
    made = yield
    for item in made if isinstance(made, list) else ():
        for mark, home in HOMES.items():
            if item.get_closest_marker(mark) and not item.nodeid.startswith(home):
                raise pytest.Collector.CollectError(f"{item.nodeid}: tests marked {mark!r} belong in {home}")
    return made


def pytest_runtest_setup(item: pytest.Item) -> None:
    check_sources(item)


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    return True if session.config.option.sources and not session.testsfailed else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.option.sources and MARKED in config.stash:
        for line in table(read_catalogue(), config.stash[MARKED], known_outcomes(config)):
            terminalreporter.write_line(line)


MARKED = pytest.StashKey[dict[str, list[str]]]()


def sources_of(item: pytest.Item) -> list[str]:
    return [source_id for mark in item.iter_markers("source") for source_id in mark.args]


def check_sources(item: pytest.Item) -> None:
    """Refuse a test that names an item which is in none of the lists."""
    if unknown := [source_id for source_id in sources_of(item) if source_id not in known_sources()]:
        raise pytest.UsageError(
            f"{item.nodeid}: @pytest.mark.source names {', '.join(map(repr, unknown))}, "
            "which none of the lists in tests/sources holds"
        )


@cache
def known_sources() -> frozenset[str]:
    return frozenset(source_id for _, chapters in read_catalogue() for part in chapters for source_id in part["items"])


def read_catalogue() -> list[tuple[str, list[dict]]]:
    """Each source with its chapters; a chapter has a title and its items, ID to title."""
    files = sorted(CATALOGUE.glob("*.toml"))
    contents = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return [(content["source"], content["chapter"]) for content in contents]


def table(
    catalogue: list[tuple[str, list[dict]]], marked: dict[str, list[str]], outcomes: dict[str, list]
) -> list[str]:
    lines, found, times = [], Counter(), []  # type: ignore[var-annotated]
    for source, chapters in catalogue:
        lines += ["", source]
        for chapter in chapters:
            items, states = chapter["items"], {}
            for source_id in items:
                tests = marked.get(source_id, [])
                states[source_id] = state_of([outcomes[test][0] if test in outcomes else "not run" for test in tests])
                times += [outcomes[test][1] for test in tests if test in outcomes]
            found.update(states.values())
            lines += ["", f"  {chapter['title']}: {list(states.values()).count('passed')} of {len(items)}"]
            lines += [row(SIGNS[states[i]], i, title, marked.get(i, [])) for i, title in items.items()]
    others = ", ".join(f"{found[state]} {state}" for state in SIGNS if state != "passed" and found[state])
    total = f"{found['passed']} of {found.total()} items of the sources are shown by tests that passed"
    when = [time.strftime("%Y-%m-%d %H:%M", time.localtime(t)) for t in (min(times), max(times))] if times else []
    known = f"tests run from {when[0]} to {when[1]}" if when else "no test has been run yet: pytest, or tests/run.py"
    signs = ", ".join(f"{sign} {state}" for state, sign in SIGNS.items())
    return [*lines, "", f"{signs}; {known}", total + (f" ({others})" if others else "")]


def state_of(ends: list[str]) -> str:
    """Of an item, by how the tests marked with it ended: one that failed is enough to doubt it."""
    return next((state for state in ("failed", "passed", "skipped", "not run") if state in ends), "no test")


def row(sign: str, source_id: str, title: str, tests: list[str]) -> str:
    """One item: its state, its title, and the test functions that show it, cases of one function taken together."""
    functions = list(dict.fromkeys(test.split("[")[0].removeprefix("tests/") for test in tests))
    more = f" and {len(functions) - 1} more" if len(functions) > 1 else ""
    return f"    {sign} {source_id:<7}{title:<78}{functions[0] + more if functions else ''}".rstrip()


# --- WebAssembly, a backend for tests alone ---------------------------------------------------------------------------


class Host:
    """wasmtime, with what it has compiled."""

    def __init__(self) -> None:
        import wasmtime  # few tests need it

        self.wasmtime, self.engine = wasmtime, wasmtime.Engine()
        self.modules: dict[bytes, Any] = {}

    def code(self, program: Program) -> WasmCode:
        return WasmCode(program, self)

    def instance(self, code: bytes, size: int) -> tuple[Any, Any, Any]:
        """A module with a memory of that many bytes: store, memory, exports."""
        wasmtime = self.wasmtime
        if code not in self.modules:
            self.modules[code] = wasmtime.Module(self.engine, code)
        store = wasmtime.Store(self.engine)
        memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(size // 65536 + 1, None)))
        return store, memory, wasmtime.Instance(store, self.modules[code], [memory]).exports(store)

    def close(self) -> None:
        for module in self.modules.values():
            module.close()
        self.engine.close()


class WasmCode:
    """A program in wasmtime, with the interface of `rbdkit.trace.run.native.NativeCode`."""

    def __init__(self, program: Program, host: Host) -> None:
        from rbdkit.trace import wasm_bytes

        self.program = program
        self.host = host
        self.code = wasm_bytes(program)

    def bind(self, arrays: Mapping[str, NDArray], counts: Mapping[str, int]) -> Callable[[], None]:
        program = self.program
        numbers = [arrays[name] for name in program.arrays]
        slots = len(numbers) + len(program.tables) + len(program.counts)
        sizes = [x.nbytes for x in numbers] + [4 * arrays[name].size for name in program.tables]
        ends = np.cumsum([4 * slots + 4 * (slots % 2), *sizes])
        addresses = [int(x) for x in ends[:-1]]
        frame = np.array([*addresses, *(counts[name] for name in program.counts)], dtype=np.int32)

        def run() -> None:
            store, memory, exports = self.host.instance(self.code, int(ends[-1]))
            tables = [arrays[name].astype(np.int32) for name in program.tables]
            memory.write(store, frame.tobytes())
            for address, x in zip(addresses, [*numbers, *tables], strict=True):
                memory.write(store, x.tobytes(), address)
            exports[program.name](store, 0)
            for address, x in zip(addresses, numbers, strict=False):
                x.flat[:] = np.frombuffer(memory.read(store, address, address + x.nbytes))
            for name, address, x in zip(program.tables, addresses[len(numbers) :], tables, strict=False):
                whole = memory.read(store, address, address + x.nbytes)
                arrays[name].flat[:] = np.frombuffer(whole, dtype=np.int32)

        return run

    def binder(self, fixed: Mapping[str, NDArray], room: Mapping[str, int], counts: Mapping[str, int]) -> Callable:
        def bind(arrays: Mapping[str, NDArray], others: Mapping[str, int]) -> Callable[[], None]:
            types = dict.fromkeys(self.program.arrays, float) | dict.fromkeys(self.program.tables, np.int64)
            own = {name: np.zeros(size, dtype=types[name]) for name, size in room.items() if name in types}
            return self.bind({**own, **fixed, **arrays}, {**counts, **others})

        return bind


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.close()


@pytest.fixture
def run(host: Host) -> Callable[..., None]:
    """Run a program or a trace in a backend, on given arrays, tables and counts."""

    def run(code: Program | Trace, backend: str, arrays: dict, tables: dict | None = None, **counts: int) -> None:
        from rbdkit.trace import Trace, executable

        program = code.program() if isinstance(code, Trace) else code
        tables = {name: np.asarray(values, dtype=np.int64) for name, values in (tables or {}).items()}
        made = host.code(program) if backend == "wasm" else executable(program, backend)
        made.bind({**arrays, **tables}, counts)()

    return run


@pytest.fixture(scope="session")
def extrapolated() -> Callable[..., np.ndarray]:
    """Gives the limit at h = 0 of difference quotients whose error has even powers of h, in each of its components.

    Of ever smaller steps, extrapolated, that which changes least counts (Ridders 1982): neither a large curvature nor
    round-off spoils it.
    """

    def limit(quotient: Callable[[float], np.ndarray], h: float = 1e-2, steps: int = 10) -> np.ndarray:
        best = quotient(h)
        error, last = np.full(best.shape, np.inf), [best]
        for k in range(1, steps):
            row = [quotient(h / 1.6**k)]
            for j, before in enumerate(last):
                row.append(row[j] + (row[j] - before) / (1.6 ** (2 * j + 2) - 1.0))
                changed = np.maximum(np.abs(row[-1] - row[j]), np.abs(row[-1] - before))
                best, error = np.where(changed < error, row[-1], best), np.minimum(changed, error)
            last = row
        return best

    return limit
