"""Fair clocks: contenders take turns in random order, and medians count. And the table that results stand in."""

from __future__ import annotations

import os
import platform
import random
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import llvmlite.binding as llvm


def race(
    contenders: Mapping[str, Callable[[], object]],
    rounds: int,
    scale: float,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Median seconds of each contender over interleaved bursts, times `scale`."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    for _ in range(rounds):
        for name in random.sample(list(contenders), len(contenders)):
            begun = clock()
            contenders[name]()
            times[name].append((clock() - begun) * scale)
    return {name: median(values) for name, values in times.items()}


def machine() -> str:
    """Processor and versions."""
    found = []
    for package in ("numpy", "llvmlite", "pin", "mujoco"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    processor = f"{_processor()} ({llvm.get_host_cpu_name()}), {os.cpu_count()} cores"
    return f"{processor}, {platform.system()}, Python {platform.python_version()}, {', '.join(found)}"


def _processor() -> str:
    """Its name, where the system tells it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def row(label: str, times: Mapping[str, float]) -> str:
    """One line: the time of the first, and those of the others with their ratio to it."""
    (peer, base), *others = times.items()
    ours = "   ".join(f"{name} {value:.4g} [{base / value:.1f}x]" for name, value in others)
    return f"{label:<18} {peer} {base:>7.4g}   {ours}"


WIDTHS = 44, 12, 20, 9, 18, 9, 7
HEADINGS = "what", "model", "rival", "its time", "rbdkit", "its time", "ratio"


def heading() -> str:
    """The first two lines of the table."""
    return f"{_cells(HEADINGS)}\n{_cells('-' * width for width in WIDTHS)}"


def rows(what: str, model: str, times: Mapping[str, float]) -> str:
    """Lines of the table: the time of the first contender, and that of each other one with its ratio to it."""
    (rival, base), *others = times.items()
    return "\n".join(
        _cells((what, model, rival, f"{base:.3g}", name, f"{value:.3g}", f"{base / value:.2g}x"))
        for name, value in others
    )


def _cells(texts: Iterable[str]) -> str:
    padded = (f"{text:<{width}}" for text, width in zip(texts, WIDTHS, strict=True))
    return f"| {' | '.join(padded)} |"
