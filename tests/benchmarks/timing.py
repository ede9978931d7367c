"""Fair clocks: contenders take turns in random order, and medians count."""

from __future__ import annotations

import platform
import random
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from statistics import median

import llvmlite.binding as llvm


def race(contenders: Mapping[str, Callable[[], object]], rounds: int, scale: float) -> dict[str, float]:
    """Median seconds of each contender over interleaved bursts, times `scale`."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    for _ in range(rounds):
        for name in random.sample(list(contenders), len(contenders)):
            begun = time.perf_counter()
            contenders[name]()
            times[name].append((time.perf_counter() - begun) * scale)
    return {name: median(values) for name, values in times.items()}


def machine() -> str:
    """Processor and versions."""
    found = []
    for package in ("numpy", "llvmlite", "pin", "mujoco"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return f"{platform.platform()}, {llvm.get_host_cpu_name()}, Python {platform.python_version()}, {', '.join(found)}"


def row(label: str, times: Mapping[str, float]) -> str:
    """One line: the time of the first, and those of the others with their ratio to it."""
    (peer, base), *others = times.items()
    ours = "   ".join(f"{name} {value:.4g} [{base / value:.1f}x]" for name, value in others)
    return f"{label:<18} {peer} {base:>7.4g}   {ours}"
