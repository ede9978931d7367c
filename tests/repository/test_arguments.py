"""No public call fails inside rbdkit: the error is rbdkit's own, or Python's at the call itself."""

from __future__ import annotations

import contextlib
import inspect
import io
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import rbdkit as rbd

SEED = 35
EACH = 12
"""Junk values that each argument of each call gets, drawn from all of them."""
ELSEWHERE = ("to_mp4", "ForceElement", "ConstraintElement", "selfcheck", "to_gif")
"""A film needs a program; what is subclassed, not called; and what takes a second a call."""
READABLE = ("local_rate", "move", "displacement", "on_symbols")
"""What integrators and recorded code call, whose arguments nobody looks at."""


class Odd:
    """An object that is none of anything."""


def junk(model: rbd.Model, motion: rbd.Trajectory) -> list[Any]:
    """Values of all kinds, most of them wrong for any argument."""
    return [
        None, True, 0, -1, 3.7, np.nan, np.inf, 1e308, 1e-320, 10**400, 2**63, 1j, "", "x", "rod1", b"x", "a\0b", [],
        [1], [1, 2], [1, 2, 3], [[1, 2], [3]], (1, 2, 3, 4), {}, {"a": 1}, {"rod1.mass": 1.0}, set(), Odd(), int,
        np.zeros(0), np.zeros((2, 3)), np.array(["a"]), np.full(2, np.nan), np.array(None), np.array([1, None], object),
        np.eye(3), np.eye(4), np.eye(6), range(3), iter([1, 2]), Ellipsis, ValueError, "a" * 5000, model, motion,
        rbd.Revolute("x"), rbd.Inertia(1.0), rbd.Box, "/nonexistent/x", [[0.1, 0.2]] * 3,
    ]  # fmt: skip


VALID = {
    "q": [0.3, 0.1], "q0": [0.3, 0.1], "v": [0.1, 0.2], "v0": [0.1, 0.2], "a": [0.1, 0.2], "tau": [0.1, 0.2],
    "duration": 0.02, "body": "rod1", "name": "rod1", "values": {"rod1.mass": [1.0, 2.0]}, "axis": "z", "mass": 1.0,
    "ranges": {"rod1.mass": (1.0, 2.0)}, "source": '{"format": 1}', "joint": rbd.Revolute("y"), "dt": 1e-3,
    "targets": {"rod2": [0.3, 0.0, -1.2]}, "waypoints": [[0.0], [1.0]], "times": [0.0, 1.0],
}  # fmt: skip


def calls() -> dict[str, Callable[..., Any]]:
    """All that a notebook calls: what `rbdkit` and `rbdkit.library` have, and methods of what these give."""
    found: dict[str, Callable[..., Any]] = {}
    for package in (rbd, rbd.library):
        for name in package.__all__:
            member = getattr(package, name)
            if not isinstance(member, types.ModuleType) and name not in ELSEWHERE and not _is_error(member):
                found[name] = member
    motion = rbd.simulate(rbd.library.double_pendulum(), [0.3, 0.1], duration=0.02, progress=False)
    ensemble = rbd.sweep(rbd.library.double_pendulum(), {"rod1.mass": [1.0, 2.0]}, duration=0.01, progress=False)
    makers: dict[str, Callable[[], Any]] = {
        "Model": rbd.library.double_pendulum,
        "Trajectory": lambda: motion,
        "Ensemble": lambda: ensemble,
        "Inertia": lambda: rbd.Inertia(1.0, inertia_com=np.eye(3)),
        "StateEquation": lambda: rbd.StateEquation(rbd.library.double_pendulum()),
        "Spring": lambda: rbd.Spring("rod1", "world", 1.0, at_b=(1.0, 0.0, 0.0)),
        "Limit": lambda: rbd.Limit("hinge1", -1.0, 1.0),
    }
    left_out = (*ELSEWHERE, *READABLE, "act", "gap", "slip", "units_of_gap")
    for owner, make in makers.items():
        for name, _ in inspect.getmembers(type(make()), callable):
            if not name.startswith("_") and name not in left_out and (owner, name) != ("Spring", "energy"):
                found[f"{owner}.{name}"] = _method(make, name)
    return found


def _is_error(member: object) -> bool:
    return isinstance(member, type) and issubclass(member, BaseException)


def _method(make: Callable[[], Any], name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(make(), name)(*args, **kwargs)

    call.__signature__ = inspect.signature(getattr(make(), name))  # type: ignore[attr-defined]
    return call


def attempts(call: Callable[..., Any], values: list[Any], rng: Random) -> Iterator[dict[str, Any]]:
    """Keyword arguments of calls: those that are needed, one of them, or of the others, replaced by junk."""
    parameters = [
        p for p in inspect.signature(call).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    needed = {p.name: _valid(p) for p in parameters if p.default is p.empty}
    for p in parameters:
        for value in rng.sample(values, EACH if p.name in needed else EACH // 3):
            yield {**needed, p.name: value}
    yield {name: rng.choice(values) for name in needed}


def _valid(parameter: inspect.Parameter) -> Any:
    if parameter.name in VALID:
        return VALID[parameter.name]
    known = {"Model": rbd.library.double_pendulum(), "float": 0.5, "int": 2, "str": "rod1", "Array": [0.3, 0.1]}
    return next((value for kind, value in known.items() if kind in str(parameter.annotation)), [0.3, 0.1])


def foreign(call: Callable[..., Any], kwargs: dict[str, Any]) -> str:
    """What came out of the depths of rbdkit; '' if nothing did."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            made = call(**kwargs)
        if hasattr(made, "close") and hasattr(made, "comm"):
            made.close()
    except (rbd.RbdkitError, OSError):
        return ""
    except Exception as fault:  # any other is what is looked for
        frames = [frame for frame in traceback.extract_tb(fault.__traceback__) if "/rbdkit/" in frame.filename]
        depth = [frame for frame in frames if not frame.filename.endswith("check_arguments.py")]
        if isinstance(fault, TypeError) and not depth and "argument" in str(fault):
            return ""  # Python's own: one is missing
        at = f"{frames[-1].filename.split('/rbdkit/')[-1]}:{frames[-1].lineno}" if frames else ""
        return f"{type(fault).__name__}: {fault} ({at})"
    return ""


@pytest.mark.filterwarnings("ignore")
def test_odd_arguments_meet_clear_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of the junk is a path
    rng = Random(SEED)
    model = rbd.library.double_pendulum()
    values = junk(model, rbd.simulate(model, [0.3, 0.1], duration=0.02, progress=False))
    found, count = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in sorted(calls().items()):
            for kwargs in attempts(call, values, rng):
                count += 1
                if says := foreign(call, kwargs):
                    found.append(f"{name}({', '.join(f'{k}={v!r:.60}' for k, v in kwargs.items())}): {says:.200}")
    assert count > 3000
    assert not found, "\n".join([f"{len(found)} of {count}", *found[:20]])
