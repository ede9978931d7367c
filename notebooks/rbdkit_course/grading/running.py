"""Run a notebook that was handed in, in a process of its own, which is killed from here when its time is over.

A student's code has the rights of whoever grades, and full control of its process. So the grader accepts nothing but
one line with a plain literal after a random token (`session.say`), reads that with `ast.literal_eval`, checks the
types, and never waits without a time limit for anything that the process would have to do.
"""

from __future__ import annotations

import ast
import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any

from rbdkit_course.grading.assembling import Step

SESSION = '__import__("rbdkit_course.grading.session", fromlist=["session"])'
GRACE = 10.0
"""Seconds that a process has to react to an interruption before it is killed."""
OVERRUNS = 3
"""Number of cells out of time after which the whole notebook is given up."""
STARTING = 600.0
"""Seconds that a process has to start, enough for a busy computer."""
LONGEST = 20_000
"""Number of characters kept of the output of a cell; a tenth as many are kept of a reason."""


@dataclass(frozen=True)
class Grade:
    """Points of one exercise, none or all that are possible, the reason, and signs of tampering, if any."""

    exercise: str
    points: int
    possible: int
    why: str
    tampering: str = ""


def grade_notebook(
    steps: Sequence[Step],
    seconds: float = 60.0,
    strict: bool = False,
    numbers: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Grade]:
    """Run the steps of a notebook in a fresh process and judge its answers.

    Parameters
    ----------
    seconds
        Time for each cell, after which it is interrupted. A process that does not react to that, or has three such
        cells, is killed with all that it started; answers not judged by then earn nothing.
    strict
        Whether the library's versions of the functions that a student is to write raise an error.
    numbers
        By exercise, the numbers that the student had in place of the usual ones.
    """
    grades: list[Grade] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _Kernel(folder, seconds) as kernel:
        trouble = tampering = ""
        for step in steps:
            if step.kind == "course":
                kernel.run(step.code)
            elif step.kind == "student":
                trouble, noted = _answered(kernel, step, strict)
                tampering = tampering or noted  # also in a cell of the student's own before the answer
            elif step.exercise is not None:
                own = (numbers or {}).get(step.exercise.name, {})
                grades.append(_judged(kernel, step, trouble, tampering, strict, own))
                tampering = ""
    return grades


class _Kernel:
    """Jupyter kernel in a process of its own; `run` returns what code printed, and the error that stopped it.

    Attributes
    ----------
    given_up : reason why the kernel was killed; empty as long as it runs.
    """

    def __init__(self, folder: str, seconds: float) -> None:
        from jupyter_client.manager import KernelManager

        self.seconds, self.given_up, self._overruns = seconds, "", 0
        self._manager = KernelManager(kernel_name="python3")
        environment = {**os.environ, "RBDKIT_COURSE_DIR": str(Path(folder, "progress"))}
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._manager.start_kernel(cwd=folder, env=environment, **silent)
        self._client = self._manager.blocking_client()
        self._client.start_channels()

    def __enter__(self) -> _Kernel:
        try:
            self._client.wait_for_ready(timeout=STARTING)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, code: str) -> tuple[str, str]:
        if self.given_up or not code.strip():
            return "", self.given_up
        request = self._client.execute(code, store_history=False, allow_stdin=False, stop_on_error=False)
        printed, error, replied, interrupted = "", "", False, False
        end = time.monotonic() + self.seconds
        while True:
            message = self._heard(self._client.get_iopub_msg, request, 0.2)
            kind, content = message or ("", {})
            if kind == "stream" and content.get("name") == "stdout":
                printed = (printed + str(content.get("text", "")))[-LONGEST:]
            elif kind == "error":
                error = f"{content.get('ename')}: {content.get('evalue')}"
            elif kind == "status" and content.get("execution_state") == "idle":
                break
            elif message is None and replied:
                break  # ZeroMQ drops messages in a flood of output, also the one that says idle
            elif message is None:
                while not replied and (reply := self._heard(self._client.get_shell_msg, request, 0.0)) is not None:
                    replied = reply[0] == "execute_reply"  # earlier replies belong to earlier requests
                if not replied and not self._manager.is_alive():
                    return "", self._give_up("the kernel stopped")
            if time.monotonic() > end:
                if interrupted:
                    late = f"it took longer than {self.seconds:g} s"
                    return "", self._give_up(f"{late}, and did not react to an interruption: its process was killed")
                self._manager.interrupt_kernel()
                interrupted, end = True, time.monotonic() + GRACE
        if interrupted:
            self._overruns += 1
            error = f"it took longer than {self.seconds:g} s"
            if self._overruns == OVERRUNS:
                self._give_up(f"{OVERRUNS} cells took longer than {self.seconds:g} s")
        return printed, error

    def _heard(self, receive: Any, request: str, seconds: float) -> tuple[str, dict[str, Any]] | None:
        """Return kind and content of the next message, empty if it is about another request; None if none came."""
        try:
            message = receive(timeout=seconds)
            return (
                (message["msg_type"], message["content"]) if message["parent_header"]["msg_id"] == request else ("", {})
            )
        except Empty:
            return None
        except Exception:  # the process may send anything, valid message or not
            return "", {}

    def _give_up(self, reason: str) -> str:
        self.given_up = f"the kernel was given up: {reason}"
        self._end()
        return self.given_up

    def _end(self) -> None:
        """Kill the process and its group at once."""
        if self._manager.has_kernel:
            self._client.stop_channels()
            self._manager.shutdown_kernel(now=True)


def _answered(kernel: _Kernel, step: Step, strict: bool) -> tuple[str, str]:
    """Run an answer; return what is the matter with it, and signs of tampering, both '' if there is nothing."""
    forbidden = list(step.exercise.forbidden) if strict and step.exercise else []
    held = _said(kernel, f"begin(globals(), {list(step.given)!r}, {forbidden!r})")
    _, stopped = kernel.run(step.code)
    ended = _said(kernel, "end(globals())")
    if not (isinstance(held, int) and isinstance(ended, tuple) and len(ended) == 2):
        if not kernel.given_up:
            kernel._give_up("the answer leaves one that cannot go on")
        return stopped or kernel.given_up, ""
    count, changed = ended
    if changed or count != held:
        names = ", ".join(map(str, changed[:3])) if isinstance(changed, list) and changed else "what grades it"
        said = f"the answer changes what is not its own: {names}"[: LONGEST // 10]
        return said, said
    return f"the answer's cell stopped: {stopped}" if stopped else "", ""


def _judged(
    kernel: _Kernel, step: Step, trouble: str, tampering: str, strict: bool, numbers: Mapping[str, float]
) -> Grade:
    exercise = step.exercise
    assert exercise is not None

    def nothing(why: str, tampering: str = tampering) -> Grade:
        return Grade(exercise.name, 0, exercise.stars, why[: LONGEST // 10], tampering)

    if trouble:
        return nothing(trouble)
    forbidden = list(exercise.forbidden) if strict else []
    said = _said(kernel, f"judge({exercise.name!r}, {step.code}, {forbidden!r}, {dict(numbers)!r})")
    if isinstance(said, str):
        return nothing(f"there is no answer: {said}")
    if not isinstance(said, tuple) or list(map(type, said)) != [bool, int, str, list]:
        return nothing(what := "the check does not say what checks say", what)
    right, points, why, changed = said
    if changed:
        return nothing(what := f"while it was judged, this changed: {', '.join(map(str, changed[:3]))}", what)
    if points != (exercise.stars if right else 0):
        return nothing(what := f"the check is made to say {points} of {exercise.stars} points", what)
    return Grade(exercise.name, points, exercise.stars, why[: LONGEST // 10], tampering)


def _said(kernel: _Kernel, call: str) -> Any:
    """Call a function of `session` in the kernel; return its value, or a text that says why there is none."""
    token = secrets.token_hex(16)
    printed, stopped = kernel.run(f"{SESSION}.say({token!r}, {SESSION}.{call})")
    if token not in printed:
        return stopped or "nothing was said"
    try:
        return ast.literal_eval(printed.rpartition(token)[2].partition("\n")[0].strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ()
